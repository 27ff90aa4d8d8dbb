"""The names of ``lakesuperior.api``, over the repository of ``ldp.env``.

>>> from ldp import env
>>> from ldp.api import admin, query, resource
>>> _ = env.setup("data")
>>> resource.get("/").uid
'/'
"""

from __future__ import annotations

import io
from typing import Any

from ldp import env


class _Part:
    """A part of the repository that is set up when it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(getattr(env.repository(), self._name), attribute)


class _Query(_Part):
    def sparql_query(self, qry_str: str, fmt: str | None = None) -> io.BytesIO:
        """The answer as a stream."""
        return io.BytesIO(env.repository().query.sparql_query(qry_str, fmt))


resource = _Part("resource")
query = _Query("query")
admin = _Part("admin")
