"""What is kept and shown of what a command printed, however much that was."""

from typing import IO

LINE = 300
"""Characters of a line, and of a reason that is one."""

TAIL = 4000
"""Characters of the end of a text that is kept for people."""


def line(text: str, most: int = LINE) -> str:
    """A text where it is short; otherwise its beginning and its end, and what is between in words.

    What cannot be written as UTF-8, half of a pair of surrogates, becomes a question mark.
    """
    text = text.encode("utf-8", "replace").decode("utf-8")
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]} … {len(text) - 2 * half:,} characters … {text[-half:]}"


def lines(text: str, most: int) -> str:
    """The last lines of a text, each as `line` has it."""
    return "\n".join(line(raw_line) for raw_line in text.strip().split("\n")[-most:])


def end(file: IO[bytes], most: int) -> str:
    """The last `most` bytes of a file as text; no more are read."""
    size = file.seek(0, 2)
    file.seek(max(0, size - most))
    return file.read(most).decode(errors="replace")
