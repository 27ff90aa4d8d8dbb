"""Plan a session and run its shots, one fresh process at a time."""
