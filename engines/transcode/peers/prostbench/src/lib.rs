//! What the benches over `prost-reflect` share: the messages, the timing, the counters and the
//! conformance cases. A peer is [`run`] over one JSON library.

mod bench;
mod cases;
mod count;
mod input;
mod process;
mod serde_json;

use prost_reflect::{DynamicMessage, MessageDescriptor};

pub use crate::serde_json::SerdeJson;

pub type Error = Box<dyn std::error::Error + Send + Sync>;
pub type Result<T> = std::result::Result<T, Error>;

/// A JSON library under `prost-reflect`.
pub trait Json {
    /// The message of type `message` that is all of `json`.
    ///
    /// # Errors
    /// The text is not JSON, or not that of such a message. `strict` refuses unknown fields too.
    fn parse(message: &MessageDescriptor, json: &[u8], strict: bool) -> Result<DynamicMessage>;

    /// Appends the message as JSON, with the options that the library has by default.
    ///
    /// # Errors
    /// The message has no form in JSON.
    fn print(message: &DynamicMessage, out: &mut Vec<u8>) -> Result<()>;
}

/// Which way a message goes.
#[derive(Clone, Copy, PartialEq)]
enum Direction {
    FromJson,
    ToJson,
}

impl Direction {
    fn named(name: &str) -> Result<Self> {
        match name {
            "from_json" => Ok(Direction::FromJson),
            "to_json" => Ok(Direction::ToJson),
            _ => Err(format!("expected from_json or to_json, found {name}").into()),
        }
    }
}

const USAGE: &str = "usage: bench check|codec from_json|to_json
       bench correctness from_json|to_json agreed|required|recommended CORPUS";

/// The `main` of a peer: checks the message in the current directory, or times it too, or counts the
/// cases that pass.
///
/// # Errors
/// Wrong arguments, a file that is missing or broken, and an output that is not the expected one.
pub fn run<J: Json>() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let metrics = match words.as_slice() {
        [what @ ("check" | "codec"), direction] => {
            let timed = *what == "codec";
            bench::codec::<J>(".".as_ref(), Direction::named(direction)?, timed)?
        }
        ["correctness", direction, cases, corpus] => {
            cases::correctness::<J>(corpus.as_ref(), Direction::named(direction)?, cases)?
        }
        _ => return Err(USAGE.into()),
    };
    for (metric, value) in metrics {
        println!("{{\"metric\": \"{metric}\", \"value\": {value:?}}}");
    }
    Ok(())
}

/// What a shot prints: names and values.
type Metrics = Vec<(&'static str, f64)>;
