"""Where a shot may write: Landlock of the kernel refuses all other files. Linux 5.13 has it.

It needs no rights, and all that the shot starts inherits it. Reading is free; sockets and signals
are not looked at. Numbers are those of landlock(7).
"""

import ctypes
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _PATH_BENEATH, _PR_SET_NO_NEW_PRIVS = 1, 1, 38
_WRITE_FILE, _TRUNCATE = 1, 14
_RIGHTS = {
    1: (_WRITE_FILE, *range(4, 13)),  # remove and make what a folder can hold
    2: (13,),  # rename and link from one folder to another
    3: (_TRUNCATE,),
}
"""Bits of what can be refused, by the version of Landlock that began with it."""

_EVERYWHERE = ("/dev/null", "/dev/full", "/proc")
"""Devices, and what the kernel is told by: emptying the page cache is a write below /proc."""

_LIBC = ctypes.CDLL(None, use_errno=True)


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("path", ctypes.c_int32))


def version() -> int:
    """Of the kernel's Landlock; 0 where it has none."""
    return max(0, int(_LIBC.syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)))


@contextmanager
def rules(writable: Collection[Path]) -> Iterator[int | None]:
    """A descriptor of the rule that only `writable` is written, files and folders, for `enter`.

    None where the kernel has no Landlock, and where none is named: then nothing is refused.
    """
    bits = {bit for first, news in _RIGHTS.items() if first <= version() for bit in news}
    if not bits or not writable:
        yield None
        return
    ruleset = _call(_CREATE_RULESET, ctypes.byref(ctypes.c_uint64(_mask(bits))), 8, 0)
    try:
        for path in (*writable, *filter(Path.exists, map(Path, _EVERYWHERE))):
            _allow(ruleset, path, bits)
        yield ruleset
    finally:
        os.close(ruleset)


def enter(ruleset: int) -> None:
    """Put this process, a child that is to become the shot, under the rule, for good."""
    _LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)  # the kernel asks for that
    _call(_RESTRICT_SELF, ruleset, 0)


def _allow(ruleset: int, path: Path, bits: Collection[int]) -> None:
    of_path = bits if path.is_dir() else {_WRITE_FILE, _TRUNCATE}.intersection(bits)
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        beneath = _Beneath(_mask(of_path), descriptor)
        _call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(beneath), 0)
    finally:
        os.close(descriptor)


def _mask(bits: Collection[int]) -> int:
    return sum(1 << bit for bit in bits)


def _call(number: int, *arguments: object) -> int:
    """A system call; OSError when it fails."""
    result = int(_LIBC.syscall(number, *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
