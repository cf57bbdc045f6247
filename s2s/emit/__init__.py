"""IR → Python source that reads as if written by hand."""

from s2s.emit.emitter import Emitted, emit

__all__ = ["Emitted", "emit"]
