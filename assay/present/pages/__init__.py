"""Whole pages: those of all subsystems, the front page, and how a notebook becomes one."""
