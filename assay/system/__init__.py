"""What the operating system gives: files, tools, a command run to its outcome."""
