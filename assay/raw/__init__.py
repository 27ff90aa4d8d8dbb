"""What a session leaves on disk, and what the harnesses printed into it."""
