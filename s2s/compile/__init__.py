"""Emitted source to something that can be called, or kept: one module a target."""
