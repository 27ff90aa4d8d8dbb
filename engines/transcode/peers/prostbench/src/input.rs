//! The files of a shot, and what messages of a schema mean.

use std::fs;
use std::path::Path;

use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};

use crate::{Direction, Json, Result};

/// One message in both forms, as `inputs.py` wrote them: the input and what must come out.
pub struct Input {
    pub message: MessageDescriptor,
    pub json: Vec<u8>,
    pub wire: Vec<u8>,
}

impl Input {
    pub fn read(dir: &Path, direction: Direction) -> Result<Self> {
        let read = |name: &str| {
            fs::read(dir.join(name)).map_err(|e| format!("{}: {e}", dir.join(name).display()))
        };
        let (json, wire) = match direction {
            Direction::FromJson => ("input.json", "expected.bin"),
            Direction::ToJson => ("expected.json", "input.bin"),
        };
        let name = String::from_utf8(read("type.txt")?)?;
        let pool = DescriptorPool::decode(read("schema.binpb")?.as_slice())?;
        Ok(Input {
            message: find(&pool, name.trim())?,
            json: read(json)?,
            wire: read(wire)?,
        })
    }
}

pub fn find(pool: &DescriptorPool, name: &str) -> Result<MessageDescriptor> {
    let found = pool.get_message_by_name(name);
    found.ok_or_else(|| format!("the schema has no message {name}").into())
}

/// Whether two wire messages mean the same.
pub fn same_wire(message: &MessageDescriptor, one: &[u8], other: &[u8]) -> Result<bool> {
    if one == other {
        return Ok(true); // also where it is too deep to be read
    }
    let one = DynamicMessage::decode(message.clone(), one)?;
    let other = DynamicMessage::decode(message.clone(), other)?;
    Ok(same_message(&one, &other))
}

/// Whether two JSON texts mean the same message.
pub fn same_json<J: Json>(message: &MessageDescriptor, one: &[u8], other: &[u8]) -> Result<bool> {
    let one = J::parse(message, one, false)?;
    let other = J::parse(message, other, false)?;
    Ok(same_message(&one, &other))
}

/// NaN does not equal itself, but it is printed the same.
fn same_message(one: &DynamicMessage, other: &DynamicMessage) -> bool {
    let printed = |message| serde_json::to_value(message).ok();
    one == other || printed(one).is_some_and(|text| Some(text) == printed(other))
}
