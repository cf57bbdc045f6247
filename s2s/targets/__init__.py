"""What a target's compiler lacks, written in what it has: IR in, IR out, between simplification and emission."""
