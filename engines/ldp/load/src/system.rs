//! What a client has to know of a system: `system.toml`, beside the manifest of its engine.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::Result;

/// How a system is spoken to.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct System {
    /// Path of the root container, without a slash at its end.
    pub root: String,
    /// Path that is answered with 2xx once the system is ready. Default: the root and a slash.
    ready: Option<String>,
    /// For how long to wait for that.
    #[serde(default = "ready_timeout_s")]
    pub ready_timeout_s: u64,
    /// Whether URLs of containers end with a slash.
    #[serde(default)]
    pub container_slash: bool,
    /// Path of the SPARQL endpoint, if there is one.
    pub sparql: Option<String>,
    /// What is spoken.
    #[serde(default)]
    pub protocol: Protocol,
    /// Headers of every request.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Headers of requests that write RDF, beside those.
    #[serde(default)]
    pub write_headers: BTreeMap<String, String>,
}

/// What a system speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Linked Data Platform.
    #[default]
    Ldp,
    /// SPARQL 1.1 Graph Store: a resource is a named graph, which also holds the three triples that
    /// an LDP server would add.
    GraphStore,
}

fn ready_timeout_s() -> u64 {
    120
}

impl System {
    /// Reads `system.toml`; the error says where it is wrong.
    pub fn load(path: &Path) -> Result<System> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        Ok(toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?)
    }

    /// The path that shows that the system is ready.
    pub fn ready(&self) -> String {
        let root = || format!("{}/", self.root);
        self.ready.clone().unwrap_or_else(root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_read_and_a_wrong_key_told() {
        let system: System = toml::from_str(
            "root = '/rest'\nsparql = '/query'\nprotocol = 'graph-store'\n[headers]\nA = 'b'",
        )
        .unwrap();
        assert_eq!(system.ready(), "/rest/");
        assert_eq!(system.protocol, Protocol::GraphStore);
        assert_eq!(system.headers["A"], "b");
        let wrong = toml::from_str::<System>("root = '/rest'\nslash = true").unwrap_err();
        assert!(
            wrong.to_string().contains("unknown field `slash`"),
            "{wrong}"
        );
    }
}
