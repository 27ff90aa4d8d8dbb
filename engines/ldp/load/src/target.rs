//! The requests of the benchmark, as a system understands them.

use std::path::Path;

use crate::http::{Client, Connection, Response};
use crate::server::{Server, pairs};
use crate::system::{Protocol, System};
use crate::verify::{CONTAINS, Format};
use crate::{Result, Setting};

/// The container of all children.
const PARENT: &str = "pomegranate";
/// Graphs of a graph store have names that do not depend on the port.
const GRAPHS: &str = "http://localhost/ldp";
const TYPES: &str = "a <http://www.w3.org/ns/ldp#Resource>, <http://www.w3.org/ns/ldp#Container>";
const HAS_PARENT: &str = "http://fedora.info/definitions/v4/repository#hasParent";
const TURTLE: (&str, &str) = ("Content-Type", "text/turtle");

/// A running server and how to speak to it.
pub struct Target {
    pub system: System,
    pub server: Server,
}

impl Target {
    /// Starts the server of a setting on its store.
    pub fn start(setting: &Setting) -> Result<Target> {
        Target::start_on(setting, &setting.store)
    }

    /// Starts the server of a setting on another store.
    pub fn start_on(setting: &Setting, store: &Path) -> Result<Target> {
        let system = System::load(&setting.system)?;
        let server = Server::start(&system, store, &setting.server)?;
        Ok(Target { system, server })
    }

    pub fn client(&self, connection: Connection) -> Client {
        Client::new(&self.server.address, connection)
    }

    /// The URL of the container of all children.
    pub fn parent(&self) -> String {
        let slash = if self.system.container_slash { "/" } else { "" };
        format!("{}/{PARENT}{slash}", self.root())
    }

    /// The URL of a child.
    pub fn child(&self, name: &str) -> String {
        format!("{}/{PARENT}/{name}", self.root())
    }

    fn root(&self) -> String {
        match self.system.protocol {
            Protocol::Ldp => format!("http://{}{}", self.server.address, self.system.root),
            Protocol::GraphStore => GRAPHS.to_owned(),
        }
    }

    /// Makes the container of all children.
    pub fn create_parent(&self, client: &mut Client) -> Result<()> {
        let url = self.parent();
        let body = match self.system.protocol {
            Protocol::Ldp => String::new(),
            Protocol::GraphStore => format!("<> {TYPES} ."),
        };
        let response = self.write(client, "PUT", &url, &[TURTLE], body.as_bytes())?;
        response.expect(&[201], &format!("PUT {url}"))?;
        Ok(())
    }

    /// Creates the resource at `url` and gives the answer, with the URL that it names.
    pub fn put(&self, client: &mut Client, url: &str, turtle: &str) -> Result<(Response, String)> {
        let managed;
        let body = match self.system.protocol {
            Protocol::Ldp => turtle,
            Protocol::GraphStore => {
                let parent = self.parent();
                managed = format!("{turtle}<> {TYPES} ; <{HAS_PARENT}> <{parent}> .\n");
                &managed
            }
        };
        let response = self.write(client, "PUT", url, &[TURTLE], body.as_bytes())?;
        self.created(response.expect(&[201], &format!("PUT {url}"))?, Some(url))
    }

    /// Creates a child of a name that the server chooses and gives the answer, with its URL.
    pub fn post(&self, client: &mut Client, turtle: &str) -> Result<(Response, String)> {
        let url = self.parent();
        let response = self.write(client, "POST", &url, &[TURTLE], turtle.as_bytes())?;
        self.created(response.expect(&[201], &format!("POST {url}"))?, None)
    }

    fn created(&self, response: Response, put: Option<&str>) -> Result<(Response, String)> {
        let url = match (response.header("location"), put) {
            _ if self.system.protocol == Protocol::GraphStore => put.unwrap_or_default().to_owned(),
            (Some(location), _) if location.starts_with('/') => {
                format!("http://{}{location}", self.server.address)
            }
            (Some(location), _) => location.to_owned(),
            (None, Some(url)) => url.to_owned(),
            (None, None) => return Err("the answer to POST has no Location".into()),
        };
        Ok((response, url))
    }

    /// Any request that writes to the resource at `url`.
    pub fn write(
        &self,
        client: &mut Client,
        method: &str,
        url: &str,
        more: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Response> {
        let mut headers: Vec<_> = pairs(&self.system.headers).collect();
        headers.extend(pairs(&self.system.write_headers));
        headers.extend(more);
        client.send(method, &self.target(url), &headers, body)
    }

    /// Gets the resource at `url`.
    pub fn get(&self, client: &mut Client, url: &str, accept: &str) -> Result<Response> {
        let mut headers: Vec<_> = pairs(&self.system.headers).collect();
        headers.push(("Accept", accept));
        client.send("GET", &self.target(url), &headers, b"")
    }

    /// Gets the container of all children, with all of them.
    pub fn get_parent(&self, client: &mut Client, format: Format) -> Result<Response> {
        let url = self.parent();
        let response = match self.system.protocol {
            Protocol::Ldp => self.get(client, &url, format.media_type())?,
            Protocol::GraphStore => {
                let query = format!(
                    "CONSTRUCT {{ <{url}> <{CONTAINS}> ?child }} WHERE {{ ?child <{HAS_PARENT}> <{url}> }}"
                );
                self.query(client, &query, format.media_type())?
            }
        };
        response.expect(&[200], &format!("GET {url}"))
    }

    /// Asks a SPARQL query.
    pub fn query(&self, client: &mut Client, query: &str, accept: &str) -> Result<Response> {
        let endpoint = self.system.sparql.as_ref();
        let endpoint = endpoint.ok_or("this system has no SPARQL endpoint")?;
        let mut headers: Vec<_> = pairs(&self.system.headers).collect();
        headers.push(("Accept", accept));
        headers.push(("Content-Type", "application/x-www-form-urlencoded"));
        let body = format!("query={}", percent_encoded(query));
        let response = client.send("POST", endpoint, &headers, body.as_bytes())?;
        response.expect(&[200], "SPARQL query")
    }

    /// What stands in the first line of a request for the resource at `url`.
    fn target(&self, url: &str) -> String {
        if self.system.protocol == Protocol::GraphStore {
            return format!("/store?graph={}", percent_encoded(url));
        }
        let path = url.split_once("://").map_or(url, |(_, rest)| rest);
        path[path.find('/').unwrap_or(path.len())..].to_owned()
    }
}

/// The rows of a SPARQL answer in JSON: the values of one variable.
pub fn values(json: &[u8], variable: &str) -> Result<Vec<String>> {
    let answer: serde_json::Value = serde_json::from_slice(json)
        .map_err(|error| format!("the answer to a SPARQL query: {error}"))?;
    let rows = answer["results"]["bindings"].as_array();
    let rows = rows.ok_or("the answer to a SPARQL query has no results.bindings")?;
    rows.iter()
        .map(|row| {
            let value = row[variable]["value"].as_str();
            Ok(value
                .ok_or_else(|| format!("a row has no ?{variable}"))?
                .to_owned())
        })
        .collect()
}

fn percent_encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            _ => encoded += &format!("%{byte:02X}"),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_plain_is_percent_encoded() {
        assert_eq!(percent_encoded("a ?b&é"), "a%20%3Fb%26%C3%A9");
    }

    #[test]
    fn rows_are_read() {
        let json =
            br#"{"head": {}, "results": {"bindings": [{"c": {"type": "literal", "value": "7"}}]}}"#;
        assert_eq!(values(json, "c").unwrap(), ["7"]);
        values(json, "d").unwrap_err();
        values(b"{}", "c").unwrap_err();
        values(b"<html>", "c").unwrap_err();
    }
}
