//! The benches of `prost-reflect` with `sonic-rs`.

use prost_reflect::{DeserializeOptions, DynamicMessage, MessageDescriptor};
use prostbench::{Json, Result};
use serde::Serialize;

struct Sonic;

impl Json for Sonic {
    fn parse(message: &MessageDescriptor, json: &[u8], strict: bool) -> Result<DynamicMessage> {
        let mut text = sonic_rs::Deserializer::from_slice(json);
        let options = DeserializeOptions::new().deny_unknown_fields(strict);
        let parsed =
            DynamicMessage::deserialize_with_options(message.clone(), &mut text, &options)?;
        text.end()?;
        Ok(parsed)
    }

    fn print(message: &DynamicMessage, out: &mut Vec<u8>) -> Result<()> {
        Ok(message.serialize(&mut sonic_rs::Serializer::new(out))?)
    }
}

fn main() -> Result<()> {
    prostbench::run::<Sonic>()
}
