"""Placeholders in the commands of a manifest: `{scale}`. A doubled brace is a literal one."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

_SHELLS = ("sh", "bash", "dash")
_SCRIPT = re.compile(r"-[a-z]*c")
_TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def problems(where: str, argv: Sequence[str], known: Collection[str]) -> Iterator[str]:
    """A line for each placeholder in `argv` that is not `known`, and for each lone brace.

    And for each in a script of a shell, which would read the value as a part of the script: a path
    may hold a space.
    """
    for i, word in enumerate(argv):
        is_script = i > 1 and Path(argv[0]).name in _SHELLS and _SCRIPT.fullmatch(argv[i - 1])
        for token in _TOKEN.finditer(word):
            text, name = token.group(0), token.group(1)
            if text in ("{", "}"):
                yield f"{where}[{i}]: expected {text}{text} for a literal brace, found {text}"
            elif name is not None and name not in known:
                wanted = ", ".join(f"{{{each}}}" for each in sorted(known))
                yield f"{where}[{i}]: expected one of {wanted}, found {text}"
            elif name is not None and is_script:
                yield (
                    f"{where}[{i}]: expected {text} as a word behind the script, which calls it"
                    f' "$0", the next "$1"; found it in the script'
                )


def bind(argv: Sequence[str], values: Mapping[str, object]) -> list[str]:
    """`argv` with some placeholders filled; the others and doubled braces stay for `fill`."""

    def value(token: re.Match[str]) -> str:
        if token.group(1) not in values:
            return token.group(0)
        return str(values[token.group(1)]).replace("{", "{{").replace("}", "}}")

    return [_TOKEN.sub(value, word) for word in argv]


def fill(argv: Sequence[str], values: Mapping[str, object]) -> list[str]:
    """`argv` with every placeholder filled and doubled braces single.

    Raises KeyError for a placeholder that has no value.
    """

    def value(token: re.Match[str]) -> str:
        name = token.group(1)
        return token.group(0)[0] if name is None else str(values[name])

    return [_TOKEN.sub(value, word) for word in argv]
