"""A file system of one file, served over /dev/fuse, whose accesses take what a model says.

The protocol is that of include/uapi/linux/fuse.h, version 7.31, in the machine's byte order. The
root of the file system is the file itself, so it is mounted on a file. All requests are served one
after another, as one arm would.
"""

import ctypes
import errno
import os
import struct
import threading
import time
from pathlib import Path

from assay.disk.model import Model
from assay.disk.panel import Panel

MAX_WRITE = 2**20
PAGE = 4096

# Operations.
FORGET, GETATTR, SETATTR, OPEN, READ, WRITE, STATFS = 2, 3, 4, 14, 15, 16, 17
RELEASE, FSYNC, FLUSH, INIT, ACCESS = 18, 20, 25, 26, 34
INTERRUPT, DESTROY, BATCH_FORGET = 36, 38, 42
SILENT = {FORGET, INTERRUPT, BATCH_FORGET}

# Capabilities: ASYNC_READ, BIG_WRITES, MAX_PAGES.
CAPABILITIES = 1 << 0 | 1 << 5 | 1 << 22
# Past the page cache: its memory would be nobody's, and its hits cost no seek.
DIRECT_IO = 1

_IN = struct.Struct("=IIQQIIIHH")
_OUT = struct.Struct("=IiQ")
_RW = struct.Struct("=QQII")
_WRITE_HEADER = 40
_ATTR = struct.Struct("=QQQQQQIIIIIIIIII")
_LIBC = ctypes.CDLL(None, use_errno=True)


def mount(at: Path) -> int:
    """Mount on the file `at`; the descriptor to serve. OSError says what the kernel refuses."""
    descriptor = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    options = f"fd={descriptor},rootmode=100600,user_id=0,group_id=0"
    if _LIBC.mount(b"assay-disk", bytes(at), b"fuse", 0, options.encode()):
        number = ctypes.get_errno()
        os.close(descriptor)
        raise OSError(number, os.strerror(number), str(at))
    return descriptor


class Server(threading.Thread):
    """Serves `descriptor` from the file `image` until it is unmounted.

    While `panel` says so, accesses take what `model` says, and are counted there.
    """

    def __init__(self, descriptor: int, image: int, model: Model, panel: Panel) -> None:
        super().__init__(daemon=True)
        self._fuse = descriptor
        self._image = image
        self._size = os.fstat(image).st_size
        self._model = model
        self._panel = panel
        self._last = 0

    def run(self) -> None:
        """Answer the kernel until the file system is unmounted."""
        while True:
            try:
                request = os.read(self._fuse, MAX_WRITE + PAGE)
            except OSError as error:
                if error.errno in (errno.EINTR, errno.EAGAIN, errno.ENOENT):
                    continue
                return  # ENODEV: it is unmounted
            _, operation, unique, *_ = _IN.unpack_from(request)
            if operation in SILENT:
                continue
            try:
                code, answer = 0, self._answer(operation, request[_IN.size :])
            except OSError as error:
                code, answer = -(error.errno or errno.EIO), b""
            try:
                os.write(self._fuse, _OUT.pack(_OUT.size + len(answer), code, unique) + answer)
            except OSError as error:
                if error.errno != errno.ENOENT:  # else: the request was given up
                    return

    def _answer(self, operation: int, body: bytes) -> bytes:
        if operation == INIT:
            return self._init(body)
        if operation in (GETATTR, SETATTR):
            return struct.pack("=QII", 3600, 0, 0) + self._attributes()
        if operation == OPEN:
            return struct.pack("=QII", 1, DIRECT_IO, 0)
        if operation in (READ, WRITE):
            _, offset, length, _ = _RW.unpack_from(body)
            if self._panel.timed:
                time.sleep(self._model.access_s(self._last, offset, length))
                self._panel.count(write=operation == WRITE, length=length)
            self._last = offset + length
            if operation == READ:
                return os.pread(self._image, length, offset)
            data = memoryview(body)[_WRITE_HEADER : _WRITE_HEADER + length]
            return struct.pack("=II", os.pwrite(self._image, data, offset), 0)
        if operation == STATFS:
            return struct.pack("=QQQQQIIII24x", 0, 0, 0, 1, 0, PAGE, 255, PAGE, 0)
        if operation == FSYNC:
            if self._panel.timed:
                time.sleep(self._model.flush_s())
            return b""
        if operation in (RELEASE, FLUSH, ACCESS, DESTROY):
            return b""
        raise OSError(errno.ENOSYS, "not served")

    def _init(self, body: bytes) -> bytes:
        _, minor, readahead, offered = struct.unpack_from("=IIII", body)
        pages = MAX_WRITE // PAGE
        return struct.pack(
            "=IIIIHHIIHHI28x", 7, min(minor, 31), readahead, offered & CAPABILITIES,
            16, 12, MAX_WRITE, 1, pages, 0, 0,
        )  # fmt: skip

    def _attributes(self) -> bytes:
        blocks = self._size // 512
        return _ATTR.pack(1, self._size, blocks, 0, 0, 0, 0, 0, 0, 0o100600, 1, 0, 0, 0, PAGE, 0)
