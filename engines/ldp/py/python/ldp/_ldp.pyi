"""The types of the compiled half of the package; its documentation is here."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, BinaryIO, final

@final
class BlankNode:
    """A blank node; its name means something within one graph only."""

    def __new__(cls, value: str) -> BlankNode: ...
    @property
    def value(self) -> str: ...
    def __hash__(self) -> int: ...

@final
class Literal:
    """A text with a datatype, xsd:string unless told, or with a language in lower case."""

    def __new__(
        cls, value: str, *, datatype: str | None = None, language: str | None = None
    ) -> Literal: ...
    @property
    def value(self) -> str: ...
    @property
    def datatype(self) -> str: ...
    @property
    def language(self) -> str | None: ...
    def __hash__(self) -> int: ...

# A str is an IRI, unless it is a Literal or a BNode of rdflib.
_Term = str | Literal | BlankNode
_Triple = tuple[_Term, str, _Term]

@final
class Graph:
    """An immutable set of triples, taken when its resource was read and decoded when asked for."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[_Triple]: ...
    def __contains__(self, triple: Sequence[Any], /) -> bool: ...
    def match(
        self, s: _Term | None = None, p: _Term | None = None, o: _Term | None = None
    ) -> list[_Triple]:
        """The triples with this subject, predicate and object; None matches everything."""

    def serialize(self, format: str = "turtle") -> str:
        """The graph as text: turtle, nt, xml, json-ld or a media type of these."""

    def to_rdflib(self) -> Any:
        """The graph as an rdflib.Graph, which is a copy. It needs rdflib."""

@final
class Resource:
    """A resource as it was when it was read."""

    @property
    def uid(self) -> str:
        """Its path: / is the root, else /a/b."""

    @property
    def uri(self) -> str:
        """Its IRI inside of the repository: info:fcres and the uid."""

    @property
    def imr(self) -> Graph:
        """All that the repr_options of get() asked for."""

    @property
    def metadata(self) -> Graph:
        """What the server says of the resource, without its children."""

    @property
    def user_data(self) -> Graph:
        """What the user said; for a binary, its description."""

    @property
    def content(self) -> BinaryIO | None:
        """The content of a binary, opened for reading."""

    @property
    def ldp_types(self) -> frozenset[str]:
        """The types in the namespace of LDP."""

@final
class Version:
    """A version of a resource."""

    @property
    def uid(self) -> str:
        """The label that get_version() and revert_to_version() take."""

    @property
    def created(self) -> datetime:
        """When it was made, in UTC."""

@final
class Resources:
    """Reads and writes resources. A write returns when it is as durable as the repository says."""

    def exists(self, uid: str) -> bool:
        """Whether the resource is there; one with a tombstone is not."""

    def get(self, uid: str, repr_options: Mapping[str, bool] | None = None) -> Resource:
        """The resource.

        repr_options: incl_children (True), incl_srv_mgd (True), incl_inbound (False) and
        embed_children (False).
        """

    def get_metadata(self, uid: str) -> Graph:
        """What the server says of the resource, without its children."""

    def get_version_info(self, uid: str) -> list[Version]:
        """The versions of the resource, the oldest first."""

    def get_version(self, uid: str, ver_uid: str) -> Graph:
        """The triples of the user in a version."""

    def create(
        self,
        parent: str,
        slug: str | None = None,
        *,
        graph: Iterable[Sequence[Any]] | None = None,
        rdf_data: bytes | str | None = None,
        rdf_fmt: str = "text/turtle",
        stream: BinaryIO | bytes | None = None,
        mimetype: str = "application/octet-stream",
        filename: str | None = None,
        prov_cksum: str | None = None,
        prov_cksum_algo: str | None = None,
        handling: str = "lenient",
    ) -> Resource:
        """Makes a resource in a container: of triples, of RDF as text, or of bytes.

        slug is a hint for the last segment of the uid; without it the segment is a UUID.
        prov_cksum in hexadecimal by prov_cksum_algo (md5, sha1, sha256, sha512) is what the bytes
        must have. handling is strict or lenient: whether server-managed triples are refused or left
        out.
        """

    def create_or_replace(
        self,
        uid: str,
        *,
        graph: Iterable[Sequence[Any]] | None = None,
        rdf_data: bytes | str | None = None,
        rdf_fmt: str = "text/turtle",
        stream: BinaryIO | bytes | None = None,
        mimetype: str = "application/octet-stream",
        filename: str | None = None,
        prov_cksum: str | None = None,
        prov_cksum_algo: str | None = None,
        handling: str = "lenient",
    ) -> tuple[str, Resource]:
        """Makes or replaces the resource; the first result is _create_ or _update_."""

    def update(
        self, uid: str, update_str: str, is_metadata: bool = False, handling: str = "lenient"
    ) -> Resource:
        """Changes the triples of the user by a SPARQL update.

        is_metadata must be True to change the description of a binary.
        """

    def update_delta(
        self,
        uid: str,
        remove_trp: Iterable[Sequence[Any]],
        add_trp: Iterable[Sequence[Any]],
    ) -> Resource:
        """Removes triples, in which None matches everything, and adds others, at once."""

    def create_version(self, uid: str, ver_uid: str | None = None) -> str:
        """Keeps the resource as it is now under a label, and returns the label."""

    def revert_to_version(self, uid: str, ver_uid: str) -> Resource:
        """Makes the resource what it was in a version."""

    def delete(self, uid: str, soft: bool = True, inbound: bool = True) -> None:
        """Deletes the resource and all within it.

        soft leaves a tombstone. The triples of others that name it go as the referential integrity
        of the repository says; inbound is there for callers of Lakesuperior and must be True.
        """

    def resurrect(self, uid: str) -> Resource:
        """Brings a resource with a tombstone back, and all that was deleted with it."""

@final
class Query:
    """Asks the whole repository."""

    def triple_match(
        self,
        s: _Term | None = None,
        p: _Term | None = None,
        o: _Term | None = None,
        return_full: bool = False,
    ) -> set[Any]:
        """The subjects of the triples that match, or with return_full the triples."""

    def term_query(self, terms: Iterable[Mapping[str, Any]], or_logic: bool = False) -> set[str]:
        """The resources whose triples meet all conditions, or with or_logic any of them.

        A condition is {"pred": IRI, "op": one of _id = != < > <= >=, "val": term}.
        """

    def sparql_query(self, qry_str: str, fmt: str | None = None, *, timeout: float = 30.0) -> bytes:
        """The answer as text.

        fmt: json, xml, csv or tsv for SELECT and ASK (json unless told); a format of graphs for
        CONSTRUCT and DESCRIBE (turtle unless told). timeout is in seconds.
        """

@final
class Admin:
    """Looks after the repository."""

    def stats(self) -> dict[str, Any]:
        """Counts and sizes in bytes."""

    def integrity_check(self) -> list[str]:
        """What is damaged, a sentence each; empty when all is well."""

    def fixity_check(self, uid: str) -> str:
        """The SHA-256 of the bytes of a binary in hexadecimal, after they were read and compared.

        Raises ChecksumValidationError if they are not what was stored.
        """

@final
class Repository:
    """A repository in a folder, which is made if it is not there.

    One process at a time writes; any number of others may open it with read_only.

    durability: sync (a write returns when it is on disk), bg=MS (it is on disk within so many
    milliseconds) or none (when the operating system likes).
    referential_integrity: off, lenient (a triple that names a resource that is not there is left
    out) or strict (it is refused).
    """

    def __new__(
        cls,
        path: str | os.PathLike[str],
        *,
        durability: str = "sync",
        referential_integrity: str = "off",
        read_only: bool = False,
    ) -> Repository: ...
    @property
    def resource(self) -> Resources: ...
    @property
    def query(self) -> Query: ...
    @property
    def admin(self) -> Admin: ...
    def close(self) -> None:
        """Writes what is left to write; any later use is an error."""

    def __enter__(self) -> Repository: ...
    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

class Error(Exception):
    """What the repository refuses, or what is wrong with it."""

class ResourceNotExistsError(Error):
    """There is no such resource."""

class ResourceExistsError(Error):
    """There is one already."""

class TombstoneError(Error):
    """The resource was deleted and left a tombstone, or went with one that did."""

class InvalidResourceError(Error):
    """The operation does not fit this kind of resource, or its uid is none."""

class ServerManagedTermError(Error):
    """The triples say what only the server may say."""

class RefIntViolationError(Error):
    """A triple names a resource that is not there."""

class ChecksumValidationError(Error):
    """The bytes do not have the digest that was given or stored."""

class ParseError(Error):
    """The text is not RDF or SPARQL; the sentence says where."""
