"""Planted cells of subsystem `transcode`: made up, of a plausible size, as a session has them."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from assay.calibration.simulation import Simulated

DIRECTIONS = ("from_json", "to_json")
STAND_IN = "libprotobuf-3-21"
SLOWER = {
    "reference": 1.0,
    STAND_IN: 25.0,
    "prost-reflect": 5.0,
    "protojson": 30.0,
    "hyperpb": 12.0,
    "protobuf-java-util": 28.0,
}
"""How many times as long as the reference engine a library takes."""

TOTALS = {
    ("from_json", "agreed"): 850,
    ("to_json", "agreed"): 480,
    ("from_json", "required"): 500,
    ("to_json", "required"): 280,
    ("from_json", "recommended"): 60,
    ("to_json", "recommended"): 20,
    ("from_json", "jsontestsuite"): 180,
}
PASSED = {STAND_IN: 0.9, "prost-reflect": 0.95}
"""Share of the cases that a library passes; 1 for the others."""

LAYERS = (0, 1, 8, 31)
MESSAGES = (1, 4, 16, 64)
COUNTED = {
    "nested_layers": "layers",
    "binding_depth": "layers",
    "binding_depth_corrected": "layers",
    **dict.fromkeys(("nested_stream", "array_stream", "body_stream"), "messages"),
    "message_segments_stream": "messages",
    **dict.fromkeys(("array_length", "value_type", "double_random"), "elements"),
    **dict.fromkeys(("cli_from_json", "cli_to_json"), "numbers"),
    **dict.fromkeys(("body_length", "string_body"), "bytes"),
    "message_segments": "segments",
    **dict.fromkeys(("bindings", "bindings_corrected"), "bindings"),
    "proxy": "requests a second",
}


def counted(workload: str) -> str:
    """What the scale of a workload counts."""
    return COUNTED.get(workload, "operations")


def cells() -> list[Simulated]:
    """Every cell of a session, with holes."""
    found = [
        *(*_nested(), *_arrays(), *_bodies(), *_segments(), *_bindings()),
        *(*_columns(), *_correctness(), *_proxies()),
        *(*_variants(), *_percentiles(), *_commands(), *_floors()),
    ]
    return [_with_hole(cell) for cell in found]


def _both(workload: str, variant: str, scale: int, ns: float, size: float) -> Iterator[Simulated]:
    """The cell of the reference engine and of the stand-in; `size` is the bytes of the input."""
    for engine in ("reference", STAND_IN):
        truth = _time(ns * SLOWER[engine], size)
        yield Simulated(workload, engine, variant, scale, truth)


def _nested() -> Iterator[Simulated]:
    for direction, message in product(DIRECTIONS, ("nested", "struct")):
        variant = f"direction={direction},message={message}"
        each = 12.0 if message == "nested" else 30.0
        for layers in LAYERS:
            yield from _both("nested_layers", variant, layers, 20 + each * layers, 30 + 11 * layers)
        for messages in MESSAGES:
            yield from _both("nested_stream", variant, messages, 20 + each * 31, 371)


def _arrays() -> Iterator[Simulated]:
    for direction, kind in product(DIRECTIONS, ("published", "int32")):
        variant = f"direction={direction},type={kind}"
        each = 0.5 if (direction, kind) == ("to_json", "published") else 6.0
        for elements in (1, 256, 1_024, 16_384):
            yield from _both("array_length", variant, elements, 10 + each * elements, 11 * elements)
        if kind == "published":
            for messages in MESSAGES:
                yield from _both("array_stream", variant, messages, each * 16_384, 11 * 16_384)
    for direction, kind in product(DIRECTIONS, ("string", "int32", "double")):
        variant = f"direction={direction},type={kind}"
        for cell in _both("value_type", variant, 1_024, 6_000.0, 4_111):
            yield replace(cell, truth={**cell.truth, "wire_bytes": 1_027.0})


def _bodies() -> Iterator[Simulated]:
    for direction in DIRECTIONS:
        variant = f"direction={direction}"
        for size in (1, 1_024, 1_048_576, 33_554_432):
            yield from _both("body_length", variant, size, 15 + 0.1 * size, 14 + 4 / 3 * size)
        for messages in MESSAGES:
            yield from _both("body_stream", variant, messages, 105_000, 1_400_000)


def _segments() -> Iterator[Simulated]:
    for segments in (1, 16, 256, 4_096):
        yield from _both("message_segments", "", segments, 80_000 + 4 * segments, 1_048_590)
    for messages in MESSAGES:
        yield from _both("message_segments_stream", "", messages, 81_000, 1_048_590)


def _bindings() -> Iterator[Simulated]:
    for twin, factor in (("", 1.0), ("_corrected", 0.8)):
        for layers in LAYERS:
            ns = factor * (30 + 14 * layers)
            yield from _both(f"binding_depth{twin}", "", layers, ns, 30 + 11 * layers)
        for bindings in (0, 2, 4, 8):
            ns = factor * (500_000 + 80_000 * bindings)
            yield from _both(f"bindings{twin}", "", bindings, ns, 8_400_000)


def _columns() -> Iterator[Simulated]:
    """What every library is measured on."""
    for engine, direction in product(SLOWER, DIRECTIONS):
        if engine == "hyperpb" and direction == "from_json":
            continue
        columns = (
            ("array_length", ",type=int32", 16_384, 98_000.0, 180_000),
            ("body_length", "", 1_048_576, 105_000.0, 1_400_000),
            ("nested_layers", ",message=nested", 31, 392.0, 371),
            ("string_body", "", 1_048_576, 70_000.0, 1_048_590),
            ("double_random", "", 1_024, 20_000.0, 21_000),
        )
        shared = columns[3:] if engine in ("reference", STAND_IN) else columns
        for workload, key, scale, ns, size in shared:
            variant = ",".join(sorted([f"direction={direction}", *key.split(",")[1:]]))
            truth = _time(ns * SLOWER[engine], size)
            yield Simulated(workload, engine, variant, scale, truth)


def _correctness() -> Iterator[Simulated]:
    for engine, ((direction, cases), total) in product(SLOWER, TOTALS.items()):
        if engine == "hyperpb" or (cases == "jsontestsuite" and engine != "reference"):
            continue
        truth = _time(2_000 * SLOWER[engine], 100) | {
            "cases_passed": float(int(total * PASSED.get(engine, 1))),
            "cases_total": float(total),
        }
        yield Simulated("correctness", engine, f"cases={cases},direction={direction}", 1, truth)


def _proxies() -> Iterator[Simulated]:
    for engine, small, each in (
        ("reference", 60_000.0, 0.6),
        ("envoy", 150_000.0, 15.0),
        ("vanguard", 150_000.0, 35.0),
    ):
        for body, size, rate in (("field", 20, 1_000), ("int32", 180_000, 100)):
            for mode in ("grpc", "json"):
                ns = small + 0.8 * size + (mode == "json") * (2_000 + each * size)
                truth = _time(ns, size) | {"latency_p50": 3e-4, "latency_p99": 1e-3}
                yield Simulated("proxy", engine, f"body={body},mode={mode}", rate, truth)


def _variants() -> Iterator[Simulated]:
    for isa, factor in (("scalar", 4.0), ("avx2", 1.3), ("avx512", 1.0)):
        for direction in DIRECTIONS:
            variant = f"direction={direction},input=int32,isa={isa}"
            truth = _time(98_000.0 * factor, 180_000)
            yield Simulated("codec_variant", "reference", variant, 16_384, truth)


def _percentiles() -> Iterator[Simulated]:
    for engine, direction in product(("reference", STAND_IN), DIRECTIONS):
        ns = 400.0 * SLOWER[engine]
        truth = _time(ns, 371) | {
            f"time_p{name}": ns * factor * 1e-9
            for name, factor in (
                ("25", 0.98), ("75", 1.02), ("90", 1.05), ("99", 1.2), ("999", 1.4)
            )
        }  # fmt: skip
        yield Simulated("percentiles", engine, f"cell=nested,direction={direction}", 31, truth)


def _commands() -> Iterator[Simulated]:
    for workload, elements in product(("cli_from_json", "cli_to_json"), (16_384, 1_048_576)):
        yield Simulated(workload, "reference", "", elements, {"time": 2e-3 + 4e-8 * elements})


def _floors() -> Iterator[Simulated]:
    for part, scale, ns in (
        ("int32_in", 16_384, 90_000.0),
        ("int32_out", 16_384, 90_000.0),
        ("base64_decode", 1_048_576, 70_000.0),
        ("base64_encode", 1_048_576, 60_000.0),
        ("scan", 1_048_576, 50_000.0),
        ("double_in", 1_024, 14_000.0),
        ("double_out", 1_024, 16_000.0),
    ):
        yield Simulated("floor", "reference", f"part={part}", scale, _time(ns, scale))


def _time(ns: float, size: float) -> dict[str, float]:
    return {"time": ns * 1e-9, "time_per_byte": ns / size * 1e-9}


def _with_hole(cell: Simulated) -> Simulated:
    """One shot that timed out, and a peer whose correctness gate refused it."""
    if cell.engine == "vanguard":
        refused = ("refused", "verify: exit code 1")
        return replace(cell, failed=dict.fromkeys(range(1000), refused))
    if cell.engine == STAND_IN and cell.scale == 33_554_432:
        return replace(cell, failed={2: ("timeout", "not finished after 60 s")})
    return cell
