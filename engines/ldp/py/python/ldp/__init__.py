"""A repository of linked data in the process.

>>> import ldp
>>> with ldp.Repository("data") as repository:
...     rsrc = repository.resource.create("/", "note", rdf_data="<> <urn:x:says> 'Hello' .")
...     list(rsrc.user_data)
[('info:fcres/note', 'urn:x:says', Literal("Hello"))]

An IRI is a str, a literal is an ldp.Literal, a blank node is an ldp.BlankNode. Terms of rdflib are
taken everywhere too. The repository writes its own IRIs as ``info:fcres`` and the uid.
"""

from ldp._ldp import (
    Admin,
    BlankNode,
    ChecksumValidationError,
    Error,
    Graph,
    InvalidResourceError,
    Literal,
    ParseError,
    Query,
    RefIntViolationError,
    Repository,
    Resource,
    ResourceExistsError,
    ResourceNotExistsError,
    Resources,
    ServerManagedTermError,
    TombstoneError,
    Version,
)

__all__ = [
    "Admin",
    "BlankNode",
    "ChecksumValidationError",
    "Error",
    "Graph",
    "InvalidResourceError",
    "Literal",
    "ParseError",
    "Query",
    "RefIntViolationError",
    "Repository",
    "Resource",
    "ResourceExistsError",
    "ResourceNotExistsError",
    "Resources",
    "ServerManagedTermError",
    "TombstoneError",
    "Version",
]
