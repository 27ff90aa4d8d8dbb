//! Changes, and their bytes in the log.

use ldp_rdf::Graph;

use crate::codec::{Reader, Result, Writer};
use crate::{Resource, Rid, Time};

/// One change of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// The new record of a resource; with no graph, the stored one stays.
    ///
    /// The store keeps the child links and the index by it: a resource is linked from its parent,
    /// and its graph is indexed, as long as it is [`State::Live`](crate::State::Live).
    Put(Resource, Option<Graph>),
    /// Forgets a resource: record, graph, versions.
    Forget(Rid),
    /// Keeps a version: the record and graph as they were, under a label.
    PutVersion(Rid, Version),
    /// Forgets one version.
    ForgetVersion(Rid, Time),
    /// Sets a value that belongs to no resource, by a name of the caller.
    SetMeta(String, Vec<u8>),
}

/// A version of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// When it was made: its key.
    pub at: Time,
    /// Its label, for `fcr:versions/LABEL`.
    pub label: String,
    /// The record then.
    pub resource: Resource,
    /// The graph then.
    pub graph: Graph,
}

/// Changes that happen together.
pub type Batch = Vec<Op>;

impl Version {
    /// Writes all but the time, which is a part of the key.
    pub(crate) fn encode(&self, out: &mut Writer) {
        out.text(&self.label);
        out.number(self.resource.rid);
        self.resource.encode(out);
        out.bytes(self.graph.as_bytes());
    }

    pub(crate) fn decode(at: Time, from: &mut Reader) -> Result<Version> {
        Ok(Version {
            at,
            label: from.text()?.to_owned(),
            resource: {
                let rid = from.number()?;
                Resource::decode(rid, from)?
            },
            graph: Graph::from_bytes(from.bytes()?)?,
        })
    }
}

const PUT: u8 = 0;
const PUT_GRAPH: u8 = 1;
const FORGET: u8 = 2;
const PUT_VERSION: u8 = 3;
const FORGET_VERSION: u8 = 4;
const SET_META: u8 = 5;

pub(crate) fn encode(batch: &[Op], out: &mut Writer) {
    out.number(batch.len() as u64);
    for op in batch {
        match op {
            Op::Put(resource, graph) => {
                out.byte(if graph.is_some() { PUT_GRAPH } else { PUT });
                out.number(resource.rid);
                resource.encode(out);
                graph.iter().for_each(|graph| out.bytes(graph.as_bytes()));
            }
            Op::Forget(rid) => {
                out.byte(FORGET);
                out.number(*rid);
            }
            Op::PutVersion(rid, version) => {
                out.byte(PUT_VERSION);
                out.number(*rid);
                out.number(version.at);
                version.encode(out);
            }
            Op::ForgetVersion(rid, at) => {
                out.byte(FORGET_VERSION);
                out.number(*rid);
                out.number(*at);
            }
            Op::SetMeta(name, value) => {
                out.byte(SET_META);
                out.text(name);
                out.bytes(value);
            }
        }
    }
}

pub(crate) fn decode(bytes: &[u8]) -> Result<Batch> {
    let mut from = Reader::new(bytes);
    let count = from.number()?;
    let mut batch = Vec::new();
    for _ in 0..count {
        batch.push(match from.byte()? {
            tag @ (PUT | PUT_GRAPH) => {
                let rid = from.number()?;
                let resource = Resource::decode(rid, &mut from)?;
                let graph = (tag == PUT_GRAPH)
                    .then(|| Graph::from_bytes(from.bytes()?))
                    .transpose()?;
                Op::Put(resource, graph)
            }
            FORGET => Op::Forget(from.number()?),
            PUT_VERSION => {
                let (rid, at) = (from.number()?, from.number()?);
                Op::PutVersion(rid, Version::decode(at, &mut from)?)
            }
            FORGET_VERSION => Op::ForgetVersion(from.number()?, from.number()?),
            SET_META => Op::SetMeta(from.text()?.to_owned(), from.bytes()?.to_owned()),
            other => return Err(format!("the change {other}, expected 0 to 5")),
        });
    }
    from.end()?;
    Ok(batch)
}
