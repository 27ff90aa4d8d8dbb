"""Protobuf messages in plain Python: what a message is on the wire, and as canonical JSON.

A value is what `json.loads` gives for the message, but for `bytes`, which are bytes. Fields are
written in the order of the value.
"""

import base64
import json
import struct
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

# https://protobuf.dev/reference/cpp/api-docs/google.protobuf.descriptor.pb/#FieldDescriptorProto
DOUBLE, INT64, UINT64, INT32, BOOL, STRING, MESSAGE, BYTES = 1, 3, 4, 5, 8, 9, 11, 12
REPEATED = 3
VARINTS = {INT64, UINT64, INT32, BOOL}
PREFIX = "type.googleapis.com/"


class Field(NamedTuple):
    """A field: `kind` is its type in descriptor.proto, `message` the name of a message type."""

    name: str
    json_name: str
    number: int
    kind: int
    repeated: bool
    message: str


class Messages:
    """The messages of a FileDescriptorSet, by their full names."""

    def __init__(self, file_descriptor_set: bytes):
        """Read the messages; enums and groups are not understood."""
        self.fields: dict[str, dict[str, Field]] = {}
        self.maps: set[str] = set()
        for number, file in _read(file_descriptor_set):
            if number == 1:
                parts = list(_read(file))
                package = next((text.decode() for n, text in parts if n == 2), "")
                for n, message in parts:
                    if n == 4:
                        self._add(package, message)

    def _add(self, scope: str, message: bytes) -> None:
        parts = list(_read(message))
        name = f"{scope}.{next(text.decode() for n, text in parts if n == 1)}"
        fields = [_field(part) for n, part in parts if n == 2]
        self.fields[name] = {key: one for one in fields for key in (one.name, one.json_name)}
        for n, part in parts:
            if n == 3:
                self._add(name, part)
            elif n == 7 and (7, 1) in _read(part):
                self.maps.add(name)

    def wire(self, name: str, value: Any) -> bytes:
        """The message on the wire. Null and zero are left out, as is what has no field."""
        if name in _WELL_KNOWN:
            return _WELL_KNOWN[name](self, value)
        out = bytearray()
        for key, one in value.items():
            if (field := self.fields[name].get(key)) and one is not None:
                out += self._field(field, one)
        return bytes(out)

    def _field(self, field: Field, value: Any) -> bytes:
        if field.message in self.maps:
            entry = self.fields[field.message]
            return b"".join(
                delimited(
                    field.number,
                    self._field(entry["key"], int(k) if entry["key"].kind == INT32 else k)
                    + self._field(entry["value"], v),
                )
                for k, v in value.items()
            )
        if not field.repeated:
            if field.kind == MESSAGE:
                return delimited(field.number, self.wire(field.message, value))
            return self._scalar(field, value) if value else b""
        if not value:
            return b""
        if field.kind == MESSAGE:
            return b"".join(delimited(field.number, self.wire(field.message, v)) for v in value)
        if field.kind in (STRING, BYTES):
            return b"".join(self._scalar(field, one) for one in value)
        if field.kind == DOUBLE:
            packed = struct.pack(f"<{len(value)}d", *map(float, value))
        else:
            packed = b"".join(map(varint, map(int, value)))
        return delimited(field.number, packed)

    @staticmethod
    def _scalar(field: Field, value: Any) -> bytes:
        if field.kind in VARINTS:
            return varint(field.number << 3) + varint(int(value))
        if field.kind == DOUBLE:
            return varint(field.number << 3 | 1) + struct.pack("<d", value)
        return delimited(field.number, value.encode() if isinstance(value, str) else value)

    def text(self, name: str, value: Any) -> str:
        """The message as JSON without blanks; what has its default value is left out."""
        if name in _WELL_KNOWN:
            return _WELL_KNOWN_TEXT[name](self, value)
        parts = []
        for key, one in value.items():
            field = self.fields[name].get(key)
            if field and one is not None and (one or _has_presence(field)):
                parts.append(f"{quoted(field.json_name)}:{self._field_text(field, one)}")
        return "{" + ",".join(parts) + "}"

    def _field_text(self, field: Field, value: Any) -> str:
        if field.message in self.maps:
            of = self.fields[field.message]["value"]
            entries = (f"{quoted(k)}:{self._one_text(of, v)}" for k, v in value.items())
            return "{" + ",".join(entries) + "}"
        if field.repeated:
            return "[" + ",".join(self._one_text(field, one) for one in value) + "]"
        return self._one_text(field, value)

    def _one_text(self, field: Field, value: Any) -> str:
        if field.kind == MESSAGE:
            return self.text(field.message, value)
        if field.kind == DOUBLE:
            return number(float(value))
        if field.kind in (INT64, UINT64):
            return f'"{value}"'
        if field.kind == INT32:
            return str(int(value))
        if field.kind == BYTES:
            return f'"{base64.b64encode(value).decode()}"'
        return quoted(value)


def varint(value: int) -> bytes:
    """A whole number on the wire; a negative one takes ten bytes."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def delimited(field: int, content: bytes) -> bytes:
    """A field of text, bytes, a message or packed numbers."""
    return varint(field << 3 | 2) + varint(len(content)) + content


def number(value: float) -> str:
    """The fewest digits that read as `value`, as 1200 or 1.2e+03, whichever is shorter."""
    mantissa, _, exponent = repr(value).partition("e")
    sign = "-" * mantissa.startswith("-")
    whole, _, fraction = mantissa.lstrip("-").removesuffix(".0").partition(".")
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0") or "0"
    if digits == "0":
        return sign + digits
    if point <= 0:
        fixed = "0." + "0" * -point + digits
    else:
        fixed = (digits.ljust(point, "0")[:point] + "." + digits[point:]).removesuffix(".")
    scientific = f"{digits[0]}.{digits[1:]}".removesuffix(".") + f"e{point - 1:+03}"
    return sign + min(fixed, scientific, key=len)


def quoted(value: Any) -> str:
    """A JSON string, or true or false."""
    return json.dumps(value, ensure_ascii=False)


def _read(message: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a message: number, and a whole number or bytes."""
    at = 0

    def whole() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        tag = whole()
        value: Any = whole()
        if tag & 7 == 2:
            at += value
            value = message[at - value : at]
        yield tag >> 3, value


def _field(descriptor: bytes) -> Field:
    parts = dict(_read(descriptor))
    return Field(
        name=parts[1].decode(),
        json_name=parts[10].decode(),
        number=parts[3],
        kind=parts[5],
        repeated=parts[4] == REPEATED,
        message=parts.get(6, b"").decode().removeprefix("."),
    )


def _has_presence(field: Field) -> bool:
    return field.kind == MESSAGE and not field.repeated


def _value_wire(messages: Messages, value: Any) -> bytes:
    match value:
        case None:
            return b"\x08\x00"
        case bool():
            return b"\x20" + bytes([value])
        case int() | float():
            return b"\x11" + struct.pack("<d", value)
        case str():
            return delimited(3, value.encode())
        case dict():
            return delimited(5, _struct_wire(messages, value))
        case _:
            return delimited(6, _list_wire(messages, value))


def _struct_wire(messages: Messages, value: dict[str, Any]) -> bytes:
    return b"".join(
        delimited(1, delimited(1, k.encode()) + delimited(2, _value_wire(messages, v)))
        for k, v in value.items()
    )


def _list_wire(messages: Messages, value: list[Any]) -> bytes:
    return b"".join(delimited(1, _value_wire(messages, one)) for one in value)


def _value_text(messages: Messages, value: Any) -> str:
    match value:
        case bool() | None | str():
            return quoted(value)
        case int() | float():
            return number(float(value))
        case dict():
            entries = (f"{quoted(k)}:{_value_text(messages, v)}" for k, v in value.items())
            return "{" + ",".join(entries) + "}"
        case _:
            return "[" + ",".join(_value_text(messages, one) for one in value) + "]"


def _any_wire(messages: Messages, value: dict[str, Any]) -> bytes:
    name = value["@type"].removeprefix(PREFIX)
    rest = {k: v for k, v in value.items() if k != "@type"}
    return delimited(1, value["@type"].encode()) + delimited(2, messages.wire(name, rest))


def _any_text(messages: Messages, value: dict[str, Any]) -> str:
    name = value["@type"].removeprefix(PREFIX)
    rest = messages.text(name, {k: v for k, v in value.items() if k != "@type"})
    return f'{{"@type":{quoted(value["@type"])},{rest[1:]}'


def _timestamp_wire(messages: Messages, value: str) -> bytes:
    """`2006-01-02T15:04:05.123456789Z`, with nine digits or without a fraction."""
    moment, _, fraction = value.removesuffix("Z").partition(".")
    seconds = int(datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp())
    nanos = b"\x10" + varint(int(fraction)) if fraction else b""
    return b"\x08" + varint(seconds) + nanos


_WELL_KNOWN = {
    "google.protobuf.Any": _any_wire,
    "google.protobuf.ListValue": _list_wire,
    "google.protobuf.Struct": _struct_wire,
    "google.protobuf.Timestamp": _timestamp_wire,
    "google.protobuf.Value": _value_wire,
}
_WELL_KNOWN_TEXT = {
    "google.protobuf.Any": _any_text,
    "google.protobuf.ListValue": _value_text,
    "google.protobuf.Struct": _value_text,
    "google.protobuf.Timestamp": lambda _, value: quoted(value),
    "google.protobuf.Value": _value_text,
}
