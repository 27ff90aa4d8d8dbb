//! `serde_json` as the JSON library.

use prost_reflect::{DeserializeOptions, DynamicMessage, MessageDescriptor};
use serde::Serialize;

use crate::{Json, Result};

pub struct SerdeJson;

impl Json for SerdeJson {
    fn parse(message: &MessageDescriptor, json: &[u8], strict: bool) -> Result<DynamicMessage> {
        let mut text = serde_json::Deserializer::from_slice(json);
        let options = DeserializeOptions::new().deny_unknown_fields(strict);
        let parsed =
            DynamicMessage::deserialize_with_options(message.clone(), &mut text, &options)?;
        text.end()?;
        Ok(parsed)
    }

    fn print(message: &DynamicMessage, out: &mut Vec<u8>) -> Result<()> {
        Ok(message.serialize(&mut serde_json::Serializer::new(out))?)
    }
}
