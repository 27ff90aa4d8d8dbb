"""Send the same requests to the engine and to another system, and compare what they answer.

    compare.py LDP PEER DEVIATIONS

LDP is the binary `ldp`; PEER the folder that a peer was built into, with `serve` and `system.toml`.
Compared are the status of each answer, and the graph of each that is RDF: isomorphic after the
triples that servers manage are taken out. DEVIATIONS lists what may differ, and why; what is listed
and does not differ is an error too.
"""

import http.client
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from cases import CASES, LDP, QUERIES, Case
from pyoxigraph import (
    BlankNode,
    CanonicalizationAlgorithm,
    Dataset,
    NamedNode,
    Quad,
    RdfFormat,
    parse,
)

FORMATS = {
    "text/turtle": RdfFormat.TURTLE,
    "application/n-triples": RdfFormat.N_TRIPLES,
    "application/rdf+xml": RdfFormat.RDF_XML,
    "application/ld+json": RdfFormat.JSON_LD,
}
MANAGED = (
    "http://fedora.info/definitions/v4/",
    "http://www.loc.gov/premis/rdf/v1#",
    "http://www.iana.org/assignments/relation/",
    "http://www.ebu.ch/metadata/ontologies/ebucore/ebucore#",
    "http://www.w3.org/ns/posix/stat#",
)
# Lakesuperior answers queries with the IRIs that it has inside.
INSIDE = "info:fcres"
STRING = "http://www.w3.org/2001/XMLSchema#string"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
MANAGED_TYPES = (LDP, *MANAGED)
READY_S, STOP_S = 180, 60


@dataclass
class Answer:
    """What is compared of an answer."""

    status: int
    body: Any = None
    """A graph, bytes of what is not RDF, rows of a query, or why it could not be read."""


class System:
    """A running server on an empty store."""

    def __init__(self, command: list[str], log: Path, port: int, about: dict[str, Any]) -> None:
        self.port, self.about = port, about
        self.root = f"http://127.0.0.1:{port}{about['root']}"
        self.names: dict[str, str] = {}
        with log.open("w") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True)
        start = time.monotonic()
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() - start > READY_S:
                sys.exit(f"{command[0]} did not start: {log.read_text()[-2000:]}")
            time.sleep(0.1)

    def is_ready(self) -> bool:
        """Whether the root is answered."""
        try:
            return self.send("GET", self.root + "/", b"", {})[0] == 200
        except OSError:
            return False

    def stop(self) -> None:
        """Stops it and all it started."""
        subprocess.run(["kill", "-TERM", "--", f"-{self.process.pid}"], check=False)
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            subprocess.run(["kill", "-KILL", "--", f"-{self.process.pid}"], check=False)
            sys.exit("a server did not stop")

    def send(
        self, method: str, url: str, body: bytes, headers: dict[str, str]
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers with names in lower case, and body of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        target = url.removeprefix(f"http://127.0.0.1:{self.port}")
        connection.request(method, target, body, self.about.get("headers", {}) | headers)
        answer = connection.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        content = answer.read()
        connection.close()
        return answer.status, found, content

    def filled(self, text: str) -> str:
        """`text` with {root} and the names of requests filled in."""
        for name, url in {"root": self.root, **self.names}.items():
            text = text.replace("{" + name + "}", url)
        return text

    def ask(self, case: Case) -> Answer:
        """The answer to a request."""
        path = self.filled(case.path)
        url = path if path.startswith("http:") else f"{self.root}/d{path}"
        headers = case.headers | ({"Content-Type": case.type} if case.type else {})
        body = self.filled(case.body).encode()
        status, found, content = self.send(case.method, url, body, headers)
        if status == 201:
            location = found.get("location", url)
            self.names[case.name] = location if "://" in location else self.root + location
        if case.method != "GET" or status not in (200, 206):
            return Answer(status)
        kind = FORMATS.get(found.get("content-type", "").partition(";")[0].strip())
        if kind is None:
            return Answer(status, content)
        try:
            return Answer(status, self.graph(content, kind, url))
        except SyntaxError as error:
            return Answer(status, f"not {kind.name}: {error}")

    def graph(self, content: bytes, kind: RdfFormat, url: str) -> Dataset:
        """A graph without what servers manage, with IRIs that do not depend on the system."""
        graph = Dataset()
        for quad in parse(content, kind, base_iri=url):
            is_type = quad.predicate.value == TYPE and isinstance(quad.object, NamedNode)
            if is_type and quad.object.value.startswith(MANAGED_TYPES):
                continue
            if not quad.predicate.value.startswith(MANAGED):
                graph.add(
                    Quad(self.neutral(quad.subject), quad.predicate, self.neutral(quad.object))
                )
        graph.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
        return graph

    def neutral(self, term: Any) -> Any:
        """A term; instead of a URL of this server, an IRI that does not depend on it.

        An IRI that a server made of a blank node is one again.
        """
        if not isinstance(term, NamedNode):
            return term
        _, skolem, node = term.value.partition("/.well-known/genid/")
        if skolem:
            return BlankNode(node.replace("/", ""))
        return NamedNode(self.neutral_iri(term.value))

    def neutral_iri(self, iri: str) -> str:
        """An IRI, with escapes in one way and the name of the request for what the server named."""
        minted = {self.place(url): name for name, url in self.names.items() if name in MINTED}
        place = self.place(iri)
        return f"minted:{quote(minted[place])}" if place in minted else place

    def place(self, iri: str) -> str:
        """An IRI that does not depend on where the server is."""
        for root in (self.root, INSIDE):
            if iri == root or iri.startswith(root + "/"):
                path, mark, fragment = iri.removeprefix(root).partition("#")
                return f"root:{quote(unquote(path)) or '/'}{mark}{fragment}"
        return iri.replace(f"http://127.0.0.1:{self.port}/", "host:/")

    def query(self, query: str) -> Answer:
        """The rows of a SPARQL query, in order of their text."""
        root = INSIDE if self.about.get("inside") else self.root
        text = "PREFIX ex: <http://example.edu/> " + query.replace("{root}", root)
        headers = {
            "Accept": "application/sparql-results+json",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        url = f"http://127.0.0.1:{self.port}{self.about['sparql']}"
        status, _, content = self.send("POST", url, f"query={quote(text)}".encode(), headers)
        if status != 200:
            return Answer(status)
        rows = json.loads(content)["results"]["bindings"]
        return Answer(status, sorted(str(self.row(row)) for row in rows))

    def row(self, row: dict[str, dict[str, str]]) -> dict[str, tuple[str, ...]]:
        """A row, without names of blank nodes; literals as RDF 1.1 has them."""
        terms: dict[str, tuple[str, ...]] = {}
        for variable, term in sorted(row.items()):
            value = "" if term["type"] == "bnode" else term["value"]
            if term["type"] == "uri":
                terms[variable] = ("IRI", self.neutral_iri(value))
            else:
                kind = term.get("datatype", STRING)
                terms[variable] = (value, term.get("xml:lang", kind))
        return terms


MINTED = {case.name for case in CASES if case.method == "POST" and case.path == ""}


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def difference(ours: Answer, theirs: Answer) -> str:
    """How two answers differ, as a line; empty when they do not."""
    if ours.status != theirs.status:
        return f"status {ours.status}, not {theirs.status}"
    if ours.body == theirs.body:
        return ""
    kinds = {type(ours.body), type(theirs.body)}
    if not kinds <= {Dataset} and not kinds <= {list}:
        return " but ".join(str(body)[:200].replace("\n", " ") for body in (ours.body, theirs.body))
    lacks = [str(one) for one in theirs.body if one not in ours.body]
    more = [str(one) for one in ours.body if one not in theirs.body]
    return f"lacks {' '.join(sorted(lacks))}, has {' '.join(sorted(more))}"


def deviations(path: Path) -> dict[str, tuple[re.Pattern[str], str]]:
    """By name of the request: what its difference looks like, and why it may be."""
    found = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, pattern, why = line.split(" | ")
            found[name] = (re.compile(pattern), why)
    return found


def main(ldp: str, peer: str, listed: str) -> None:
    """Exits with the differences that are not listed."""
    build, rules = Path(peer).resolve(), deviations(Path(listed))
    about = tomllib.loads((build / "system.toml").read_text())
    options = next(
        line.removeprefix("# ldp serve ").split()
        for line in Path(listed).read_text().splitlines()
        if line.startswith("# ldp serve ")
    )
    with tempfile.TemporaryDirectory() as work:
        for name in ("theirs", "ours", "temporary"):
            Path(work, name).mkdir()
        ports = free_port(), free_port()
        own = {"root": "/ldp", "sparql": "/query/sparql"}
        listen = ["--data", f"{work}/ours", "--listen", f"127.0.0.1:{ports[0]}"]
        ours = System(
            [str(Path(ldp).resolve()), "serve", *listen, *options],
            Path(work, "ours.log"),
            ports[0],
            own,
        )
        about["inside"] = "sparql" in about
        command = [str(build / "serve"), str(ports[1]), f"{work}/theirs", f"{work}/temporary"]
        try:
            theirs = System(command, Path(work, "theirs.log"), ports[1], about)
            try:
                found = {case.name: difference(ours.ask(case), theirs.ask(case)) for case in CASES}
                for name, query in QUERIES.items() if "sparql" in about else ():
                    found[f"query: {name}"] = difference(ours.query(query), theirs.query(query))
            finally:
                theirs.stop()
        finally:
            ours.stop()
    wrong = []
    for name, how in found.items():
        pattern, _ = rules.pop(name, (None, ""))
        if how and (pattern is None or not pattern.fullmatch(how)):
            wrong.append(f"{name}: {how}")
        elif pattern is not None and not how:
            wrong.append(f"{name}: no difference any more, but it is listed")
    wrong += [f"{name}: listed, but there is no such request" for name in rules]
    agreed = sum(not how for how in found.values())
    print(f"{build.name}: {len(found)} requests, {agreed} answered alike")
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
