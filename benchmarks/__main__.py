"""`python -m benchmarks`: the same as `python benchmarks/run.py`."""

import runpy
import sys
from pathlib import Path

folder = Path(__file__).parent
sys.path.insert(0, str(folder))
runpy.run_path(str(folder / "run.py"), run_name="__main__")
