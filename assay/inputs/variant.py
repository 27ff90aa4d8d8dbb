"""A variant of a workload as text: "commit=1,durability=mmap", its keys sorted; "" without any."""

from collections.abc import Mapping

Variant = Mapping[str, str | int | float]


def variant_string(variant: Variant) -> str:
    """The text of a variant."""
    return ",".join(f"{name}={variant[name]}" for name in sorted(variant))


def variant_of(**keys: str | int) -> str:
    """The text of the variant that has these keys."""
    return variant_string(keys)


def variant_keys(text: str) -> dict[str, str]:
    """The keys of a variant, from its text."""
    return dict(pair.split("=", 1) for pair in text.split(",") if pair)
