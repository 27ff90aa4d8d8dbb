"""Recompute the stock of a reward pool from its files alone.

Prints {"items", "draws", "lsn"} as JSON: what follows from the oldest snapshot and the log.
Checksums are verified, no item is drawn without stock, no request is answered twice, and every
later snapshot must hold the state recomputed up to it.
"""

import json
import sys
from pathlib import Path

from pool_files import (
    ADD,
    DRAWS,
    HEADER,
    REQUEST,
    RETIRE,
    SEAL,
    SNAPSHOT,
    UPDATE,
    DamageError,
    Fields,
    Frame,
    Item,
    Segment,
    Snapshot,
    State,
    frames,
    largest_claim,
    read_mark,
    read_segment,
    read_snapshot,
    require,
    where,
)

UNLIMITED = -1
ONE_EVENT = {REQUEST, UPDATE, ADD, RETIRE, SNAPSHOT}


def apply(state: State, frame: Frame, what: str) -> None:
    """Apply the events of a frame; the stock never goes below zero."""
    fields = Fields(frame.payload, what)
    require(frame.type not in ONE_EVENT or frame.events == 1, what, f"{frame.events} events")
    if frame.type == DRAWS:
        require(frame.flags in (1, 2, 3, 4), what, f"column of {frame.flags} bytes an item")
        for _ in range(frame.events):
            draw(state, fields.number(frame.flags), what)
    elif frame.type == REQUEST:
        request, index = fields.take(16), fields.number(4)
        require(request not in state.requests, what, f"request {request.hex()} twice")
        draw(state, index, what)
        state.requests[request] = index
        if len(state.requests) > state.window:
            del state.requests[next(iter(state.requests))]
    elif frame.type == UPDATE:
        present, quantity, weight = (
            fields.number(1),
            fields.number(8, signed=True),
            fields.number(8),
        )
        item = find(state, fields.name(), what)
        least = UNLIMITED
        if present & 2:
            require(item.quantity != UNLIMITED, what, "a delta of an unlimited item")
            quantity += item.quantity
            least = 0
        if present & 3:
            require(quantity >= least, what, f"quantity {quantity} of {item.id!r}")
            item.quantity = quantity
        if present & 4:
            item.weight = weight
    elif frame.type == ADD:
        quantity, weight = fields.number(8, signed=True), fields.number(8)
        state.items.append(Item(fields.name(), quantity, weight))
    elif frame.type == RETIRE:
        item = find(state, fields.name(), what)
        item.quantity, item.retired = 0, True
    elif frame.type == SNAPSHOT:
        fields.take(8 + 32)
    elif frame.type != SEAL:
        raise DamageError(f"{what}: unknown type {frame.type}")
    fields.end()


def draw(state: State, index: int, what: str) -> None:
    """Take one unit of an item."""
    require(index < len(state.items), what, f"item {index} of {len(state.items)}")
    item = state.items[index]
    require(item.quantity != 0, what, f"{item.id!r} drawn without stock")
    if item.quantity != UNLIMITED:
        item.quantity -= 1
    state.draws += 1


def find(state: State, name: bytes, what: str) -> Item:
    """Return an item that is not retired, by its id."""
    for item in state.items:
        if item.id == name and not item.retired:
            return item
    raise DamageError(f"{what}: no item {name!r}")


def replay(folder: Path) -> tuple[State, int]:
    """Return the state that follows from the oldest snapshot, and its LSN.

    Every later snapshot that the replay passes must hold the state reached.
    """
    snapshots = [read_snapshot(path) for path in sorted(folder.glob("snap-*.snap"))]
    segments = [read_segment(path) for path in sorted(folder.glob("wal-*.seg"))]
    require(bool(snapshots), str(folder), "no snapshot")
    mark = read_mark(folder)
    require(
        len({s.uuid for s in [*snapshots, *segments, mark]}) == 1,
        str(folder),
        "files of two pools",
    )
    waiting = {snapshot.lsn: snapshot for snapshot in snapshots[1:]}
    state, lsn = snapshots[0].state, snapshots[0].lsn
    sealed: Segment | None = None
    seal = end = 0
    for position, segment in enumerate(segments):
        if sealed and segment.number == sealed.number + 1:
            require(segment.previous_seal == seal, segment.path.name, "previous seal")
        if segment.lsn > lsn:  # nothing was logged up to a snapshot (durability none)
            require(segment.lsn in waiting, segment.path.name, f"events from {lsn} on are missing")
            state, lsn = waiting.pop(segment.lsn).state, segment.lsn
        sealed, end = None, HEADER
        for at, frame in frames(segment):
            end = at + frame.size
            if frame.lsn >= lsn:
                require(frame.lsn == lsn, where(segment, at), f"LSN {frame.lsn}, expected {lsn}")
                apply(state, frame, where(segment, at))
                lsn += frame.events
                if snapshot := waiting.pop(lsn, None):
                    same_state(state, snapshot)
            if frame.type == SEAL:
                sealed, seal = segment, frame.checksum
        if sealed is None:
            claims = [
                largest_claim(segment, end),
                *(later.durable for later in segments[position + 1 :]),
            ]
            require(max(claims) <= lsn, where(segment, end), "durable events behind it are missing")
            break
    number = max((segment.number for segment in segments), default=0)
    require(mark.number <= number, "wal.mark", f"segment number {mark.number} is missing")
    if segments:  # without any, the log begins at the snapshot
        logged = max((s.lsn for s in snapshots if s.logged), default=0)
        require(max(mark.lsn, logged) <= lsn, str(folder), f"the log ends at LSN {lsn}")
    for later in sorted(waiting):
        if later > lsn:
            state, lsn = waiting[later].state, later
    return state, lsn


def same_state(state: State, snapshot: Snapshot) -> None:
    """Require that a snapshot holds the state that was recomputed."""
    found = snapshot.state
    for index, (ours, theirs) in enumerate(zip(state.items, found.items, strict=True)):
        require(ours == theirs, snapshot.path.name, f"item {index} is {theirs}, expected {ours}")
    require(found.draws == state.draws, snapshot.path.name, f"{found.draws} draws")
    require(
        list(found.requests.items()) == list(state.requests.items()), snapshot.path.name, "requests"
    )


def summary(state: State, lsn: int) -> dict[str, object]:
    """Return what `rpool state` prints of the stock."""
    items = [
        {"id": item.id.decode(errors="replace"), "quantity": item.quantity, "weight": item.weight}
        for item in state.items
        if not item.retired
    ]
    return {"items": items, "draws": state.draws, "lsn": lsn}


def main() -> int:
    """Read the folder named on the command line."""
    if len(sys.argv) != 2:
        print("usage: read_pool.py <directory of the pool>", file=sys.stderr)
        return 1
    try:
        print(json.dumps(summary(*replay(Path(sys.argv[1])))))
    except DamageError as damage:
        print(damage, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
