"""The model of a disk: what each access costs."""

from dataclasses import dataclass

# A read-ahead or the next track, not a seek.
NEAR = 2**20


@dataclass(frozen=True)
class Model:
    """What a disk takes, and how large it is.

    `seek_ms` is the time of arm and rotation when an access does not go on from the last one,
    `flush_ms` that to empty the write cache, `mb_per_s` the sequential rate in 10^6 B/s.
    """

    seek_ms: float
    flush_ms: float
    mb_per_s: float
    size_mib: int = 4096

    def access_s(self, last: int, offset: int, length: int) -> float:
        """Seconds of an access to `length` bytes at `offset` when the last one ended at `last`."""
        seek = 0.0 if 0 <= offset - last <= NEAR else self.seek_ms / 1e3
        return seek + length / (self.mb_per_s * 1e6)

    def flush_s(self) -> float:
        """Seconds of a flush."""
        return self.flush_ms / 1e3

    def fsync_s(self) -> float:
        """Seconds to write 4 KiB in place and to flush."""
        return self.access_s(-1, 2 * NEAR, 4096) + self.flush_s()

    def words(self) -> str:
        """For people: "8 ms a seek, 4 ms a flush, 150 MB/s"."""
        return f"{self.seek_ms:g} ms a seek, {self.flush_ms:g} ms a flush, {self.mb_per_s:g} MB/s"
