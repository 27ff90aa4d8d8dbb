"""Write the input and the expected output of one bench into the current directory.

    inputs.py WORKLOAD [KEY=VALUE...] SCALE SEED

| file | what |
| --- | --- |
| `input.json`, `expected.bin` | from JSON: a message, without a frame |
| | in workloads named `..._stream`: a JSON array, and gRPC frames |
| `input.bin`, `expected.json` | to JSON: a message, without a frame |
| | in workloads named `..._stream`: gRPC frames, and a line a message |
| `schema.binpb` | a FileDescriptorSet with all imports |
| `type.txt` | the full name of the message |
| `stream.txt` | streams only: the number of messages |
| `bindings.txt` | bindings only: a line `path=value` each |
| `rules.txt` | route_match only: templates; `input.json` has targets, `expected.bin` their rules |

Equal arguments give equal files. All engines of the subsystem read them.
"""

import base64
import gzip
import json
import random
import string
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from messages import PREFIX, Messages, delimited, quoted

HOME = Path(__file__).parent
PACKAGE = "transcode.bench."
STRUCT, VALUE = "google.protobuf.Struct", "google.protobuf.Value"
ALPHANUMERIC = (string.ascii_letters + string.digits).encode()
LETTERS = bytes(ALPHANUMERIC[i % 62] for i in range(256))
SEVEN_BITS = bytes(i & 127 for i in range(256))
DEEP = "Deep Hello World!"
MIB = 1 << 20
LAYERS_OF_STREAM, NUMBERS_OF_STREAM, NUMBERS_OF_TYPE = 31, 16384, 1024

Variant = dict[str, str]


class Inputs:
    """What a workload writes, from its variant, its scale and its seed."""

    def __init__(self, variant: Variant, scale: int, seed: str):
        """`seed` starts all that is random."""
        self.variant = variant
        self.scale = scale
        self.random = random.Random(seed)
        self.messages = Messages((HOME / "benchmark.binpb").read_bytes())

    def write(self, kind: str, text: str, wire: bytes, printed: str = "", copies: int = 0) -> None:
        """The files of a message: `text` is read, `printed` is what `wire` prints, if it differs.

        With `copies`, a stream of so many of the message.
        """
        printed = printed or text
        if copies:
            text = "[" + ",".join([text] * copies) + "]"
            wire = (b"\0" + len(wire).to_bytes(4, "big") + wire) * copies
            printed = (printed + "\n") * copies
            Path("stream.txt").write_text(f"{copies}\n")
        if self.variant.get("direction", "from_json") == "from_json":
            Path("input.json").write_text(text)
            Path("expected.bin").write_bytes(wire)
        else:
            Path("input.bin").write_bytes(wire)
            Path("expected.json").write_text(printed)
        Path("schema.binpb").write_bytes((HOME / "benchmark.binpb").read_bytes())
        Path("type.txt").write_text(kind if "." in kind else PACKAGE + kind)

    def write_value(self, kind: str, value: Any, copies: int = 0) -> None:
        """The files of a message that is given as a value."""
        full = kind if "." in kind else PACKAGE + kind
        text = self.messages.text(full, value)
        self.write(kind, text, self.messages.wire(full, value), copies=copies)

    def ascii(self, count: int) -> bytes:
        """Random bytes 0 to 127."""
        return self.random.randbytes(count).translate(SEVEN_BITS)

    def alphanumeric(self, count: int) -> str:
        """Random letters and digits."""
        return self.random.randbytes(count).translate(LETTERS).decode()

    def int32s(self, count: int) -> list[int]:
        """Random numbers of all 32 bits; the highest is left out, as published."""
        return [self.random.randrange(-(1 << 31), (1 << 31) - 1) for _ in range(count)]


def nested(layers: int, value: Any) -> Any:
    """`value` below so many layers."""
    for _ in range(layers):
        value = {"nested": value}
    return value


def nested_layers(i: Inputs, layers: int | None = None, copies: int = 0) -> None:
    kind = {"nested": "NestedPayload", "struct": STRUCT}[i.variant.get("message", "nested")]
    value = nested(i.scale if layers is None else layers, {"payload": DEEP})
    i.write_value(kind, value, copies)


def array(i: Inputs, count: int, copies: int = 0) -> None:
    value = {"payload": i.int32s(count)}
    text = '{"payload" : [' + ",".join(map(str, value["payload"])) + "]}"
    wire = i.messages.wire(PACKAGE + "Int32ArrayPayload", value)
    if i.variant.get("type") == "published" and i.variant["direction"] == "to_json":
        packed = base64.b64encode(wire[len(wire) - _length(value["payload"]) :]).decode()
        i.write("BytesPayload", "", wire, f'{{"payload":"{packed}"}}', copies)
    else:
        printed = '{"payload":' + text.partition(" : ")[2]
        i.write("Int32ArrayPayload", text, wire, printed, copies)


def _length(values: list[int]) -> int:
    """The bytes of packed int32."""
    return sum(10 if one < 0 else max(1, (one.bit_length() + 6) // 7) for one in values)


def body(i: Inputs, count: int, copies: int = 0) -> None:
    """As published: from JSON the text is the base64 of so many bytes; to JSON, that text is
    itself the payload, and is printed as base64 once more."""
    payload = base64.b64encode(i.ascii(count))
    text = f'{{"payload" : "{payload.decode()}"}}'
    if i.variant["direction"] == "from_json":
        i.write("BytesPayload", text, delimited(1, base64.b64decode(payload)), copies=copies)
    else:
        printed = f'{{"payload":"{base64.b64encode(payload).decode()}"}}'
        i.write("BytesPayload", "", delimited(1, payload), printed, copies)


def text_body(i: Inputs, text: str, copies: int = 0) -> None:
    i.write(
        "StringPayload",
        f'{{"payload" : {quoted(text)}}}',
        delimited(1, text.encode()) if text else b"",
        f'{{"payload":{quoted(text)}}}',
        copies,
    )


def value_type(i: Inputs) -> None:
    """Zeros of a type; in JSON they are quoted, as published."""
    kind, zero = {
        "string": ("StringArrayPayload", "0"),
        "int32": ("Int32ArrayPayload", 0),
        "double": ("DoubleArrayPayload", 0.0),
    }[i.variant["type"]]
    value = {"payload": [zero] * i.scale}
    text = '{"payload" : [' + ",".join(['"0"'] * i.scale) + "]}"
    wire = i.messages.wire(PACKAGE + kind, value)
    i.write(kind, text, wire, i.messages.text(PACKAGE + kind, value))


def binding_depth(i: Inputs, corrected: bool = False) -> None:
    """As published, the binding names the field that the JSON holds, too."""
    held = {} if corrected else {"payload": DEEP}
    text = json.dumps(nested(i.scale, held), separators=(",", ":"))
    i.write("NestedPayload", text, _wire(i, "NestedPayload", nested(i.scale, {"payload": DEEP})))
    path = ".".join([*["nested"] * i.scale, "payload"])
    Path("bindings.txt").write_text(f"{path}={DEEP}\n")


def bindings(i: Inputs, corrected: bool = False) -> None:
    """As published, no field has a name that the JSON uses: eight fields of 1 MiB are skipped.

    Corrected, the fields that no binding gives come from the JSON.
    """
    value = i.alphanumeric(MIB)
    if corrected:
        held = {f"f{n}": value for n in range(i.scale + 1, 9)}
    else:
        held = {f"MultiStringFieldPayload{n}": value for n in range(1, 9)}
    bound = {f"f{n}": value for n in range(1, i.scale + 1)}
    # An engine may write what is bound before or after what the JSON holds.
    of_json = _wire(i, "MultiStringFieldPayload", held)
    of_bindings = _wire(i, "MultiStringFieldPayload", bound)
    text = json.dumps(held, separators=(",", ":"))
    i.write("MultiStringFieldPayload", text, of_json + of_bindings)
    Path("bindings.txt").write_text("".join(f"{path}={one}\n" for path, one in bound.items()))


def _wire(i: Inputs, kind: str, value: Any) -> bytes:
    return i.messages.wire(PACKAGE + kind, value)


def double_random(i: Inputs) -> None:
    """Numbers below 1000 with all digits that a double has."""
    i.write_value(
        "DoubleArrayPayload",
        {"payload": [i.random.uniform(-1000, 1000) for _ in range(i.scale)]},
    )


def string_escaped(i: Inputs) -> None:
    """A string of which `percent` of the characters must be escaped."""
    percent = int(i.variant["percent"])
    escaped = '"\\\n\t\x01'
    text = list(i.alphanumeric(i.scale))
    for at in i.random.sample(range(i.scale), i.scale * percent // 100):
        text[at] = i.random.choice(escaped)
    text_body(i, "".join(text))


def utf8(i: Inputs) -> None:
    """A string of so many bytes, each of its characters having 1, 2, 3 or 4 of them."""
    blocks = {"1": (97, 122), "2": (0xA1, 0x7FF), "3": (0x4E00, 0x9FFF), "4": (0x1F300, 0x1F6FF)}
    low, high = blocks[i.variant["bytes"]]
    count = i.scale // int(i.variant["bytes"])
    text_body(i, "".join(chr(i.random.randint(low, high)) for _ in range(count)))


def map_string(i: Inputs) -> None:
    names = dict.fromkeys(i.alphanumeric(12) for _ in range(i.scale))
    i.write_value("MapPayload", {"payload": {name: i.alphanumeric(16) for name in names}})


def any_message(i: Inputs) -> None:
    kind = PREFIX + PACKAGE + "StringPayload"
    held = [{"@type": kind, "payload": i.alphanumeric(16)} for _ in range(i.scale)]
    i.write_value("AnyArrayPayload", {"payload": held})


def timestamp(i: Inputs) -> None:
    def moment() -> str:
        day = f"{i.random.randint(1970, 2100)}-{i.random.randint(1, 12):02}"
        clock = ":".join(f"{i.random.randint(0, most):02}" for most in (23, 59, 59))
        return f"{day}-{i.random.randint(1, 28):02}T{clock}.{i.random.randint(1, 10**9 - 1):09}Z"

    def shortest(text: str) -> str:
        """With 3, 6 or 9 digits, as canonical JSON has it."""
        for zeros in ("000000Z", "000Z"):
            if text.endswith(zeros):
                return text.removesuffix(zeros) + "Z"
        return text

    moments = [moment() for _ in range(i.scale)]
    wire = i.messages.wire(PACKAGE + "TimestampArrayPayload", {"payload": moments})
    text = json.dumps({"payload": list(map(shortest, moments))}, separators=(",", ":"))
    i.write("TimestampArrayPayload", text, wire)


def json_example(i: Inputs) -> None:
    """A file of testdata/jsonexamples, as google.protobuf.Value or as a message of its own.

    It lies beside this one.
    """
    name, kind = {
        "canada": ("canada", "FeatureCollection"),
        "citm": ("citm_catalog", "Catalog"),
        "twitter": ("twitter", "Timeline"),
    }[i.variant["file"]]
    kind = PACKAGE + kind if i.variant["as"] == "typed" else VALUE
    text = gzip.decompress((HOME / f"{name}.json.gz").read_bytes()).decode()
    value = json.loads(text)
    i.write(kind, text, i.messages.wire(kind, value), i.messages.text(kind, value))


def mixed(i: Inputs, records: int) -> list[Any]:
    """A document with all that JSON has."""
    return [
        {
            "id": n,
            "name": i.alphanumeric(12),
            "text": f'\u00e9\u4e2d\U0001f600 "{i.alphanumeric(40)}"\n\t\\',
            "price": round(i.random.uniform(0, 1000), 2),
            "flags": [True, False, None],
            "inner": {"": {}, "list": [], "exponent": 1.5e-7},
        }
        for n in range(records)
    ]


def codec_variant(i: Inputs) -> None:
    """What all engines measure, for the variants of one."""
    columns = {
        "int32": lambda: array(i, i.scale),
        "bytes": lambda: body(i, i.scale),
        "string": lambda: text_body(i, i.alphanumeric(i.scale)),
        "nested": lambda: nested_layers(i),
        "doubles": lambda: double_random(i),
    }
    columns[i.variant["input"]]()


def floor(i: Inputs) -> None:
    """The input of a part that a codec cannot do without."""
    column, i.variant["direction"] = {
        "memcpy": ("string", "from_json"),
        "utf8": ("string", "from_json"),
        "scan": ("string", "from_json"),
        "base64_decode": ("bytes", "from_json"),
        "base64_encode": ("bytes", "to_json"),
        "int32_in": ("int32", "from_json"),
        "int32_out": ("int32", "to_json"),
        "double_in": ("doubles", "from_json"),
        "double_out": ("doubles", "to_json"),
    }[i.variant["part"]]
    i.variant["input"] = column
    codec_variant(i)


def segmented_any(i: Inputs) -> None:
    """100 KB that the bench hands over in chunks of so many bytes."""
    i.write_value(STRUCT, {"payload": mixed(i, 500)})


def route_match(i: Inputs) -> None:
    """So many rules, and 64 targets with the rule that each of them has."""
    rules = [
        (
            f"/v{1 + n % 3}/{{payload}}/collection{n}/{{nested.payload}}",
            f"/v{1 + n % 3}/projects/{{payload}}/resource{n}:verb{n % 7}",
            f"/v{1 + n % 3}/group{n // 100}/kind{n}",
            f"/v{1 + n % 3}/tree{n}/{{payload=**}}",
        )[n % 4]
        for n in range(i.scale)
    ]

    def target(rule: str) -> str:
        named = rule.replace("{payload=**}", "a/b/c").replace("{nested.payload}", "item-17")
        return named.replace("{payload}", i.alphanumeric(8)) + "?alt=json"

    asked = [i.random.choice(rules) for _ in range(64)]
    i.write("NestedPayload", "", b"")
    Path("rules.txt").write_text("".join(f"{rule}\n" for rule in rules))
    Path("input.json").write_text("".join(f"{target(rule)}\n" for rule in asked))
    Path("expected.bin").write_text("".join(f"{rule}\n" for rule in asked))
    Path("stream.txt").write_text(f"{len(asked)}\n")


def bad_input(i: Inputs) -> None:
    """A document of about so many bytes with one error; no output is expected."""
    records = json.dumps(mixed(i, max(1, i.scale // 200)), separators=(",", ":"))
    numbers = ",".join(map(str, i.int32s(max(1, i.scale // 11))))
    kind, text = {
        "truncated": (VALUE, records[:-1].encode()),
        "literal": (VALUE, records.encode()[:-1] + b",nul]"),
        "utf8": (VALUE, records.encode()[:-1] + b',"\xc3\x28"]'),
        "type": ("Int32ArrayPayload", f'{{"payload":[{numbers},true]}}'.encode()),
        "depth": (VALUE, b"[" * i.scale + b"]" * i.scale),
    }[i.variant["kind"]]
    i.write(kind, "", b"")
    Path("input.json").write_bytes(text)


WORKLOADS: dict[str, Callable[[Inputs], None]] = {
    "nested_layers": nested_layers,
    "nested_stream": lambda i: nested_layers(i, LAYERS_OF_STREAM, copies=i.scale),
    "array_length": lambda i: array(i, i.scale),
    "array_stream": lambda i: array(i, NUMBERS_OF_STREAM, copies=i.scale),
    "body_length": lambda i: body(i, i.scale),
    "body_stream": lambda i: body(i, MIB, copies=i.scale),
    "message_segments": lambda i: text_body(i, i.alphanumeric(MIB)),
    "message_segments_stream": lambda i: text_body(i, i.alphanumeric(MIB), copies=i.scale),
    "value_type": value_type,
    "binding_depth": binding_depth,
    "binding_depth_corrected": lambda i: binding_depth(i, corrected=True),
    "bindings": bindings,
    "bindings_corrected": lambda i: bindings(i, corrected=True),
    "string_body": lambda i: text_body(i, i.alphanumeric(i.scale)),
    "double_random": double_random,
    "string_escaped": string_escaped,
    "utf8": utf8,
    "map_string": map_string,
    "any_message": any_message,
    "timestamp": timestamp,
    "json_example": json_example,
    "codec_variant": codec_variant,
    "floor": floor,
    "segmented_any": segmented_any,
    "route_match": route_match,
    "depth": nested_layers,
    "bad_input": bad_input,
}


NAMES = " ".join(WORKLOADS)


def main(arguments: list[str]) -> None:
    """Write the files of the workload that the arguments name."""
    if len(arguments) < 3 or arguments[0] not in WORKLOADS:
        sys.exit("usage: inputs.py WORKLOAD [KEY=VALUE...] SCALE SEED, WORKLOAD one of\n" + NAMES)
    workload, *variant, scale, seed = arguments
    keys = dict(one.split("=", 1) for one in variant)
    WORKLOADS[workload](Inputs(keys, int(scale), seed))


if __name__ == "__main__":
    main(sys.argv[1:])
