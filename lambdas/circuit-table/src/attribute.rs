//! An item's values, between the breaker's terms and the SDK's.

use std::collections::HashMap;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use breaker::attribute::{Attribute, Attributes, Binary};

/// A type of value that the SDK knows and this crate does not.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("an attribute has a type that is not known here")]
pub struct UnknownType;

pub(crate) fn to_sdk(attribute: &Attribute) -> AttributeValue {
    let blob = |bytes: &Binary| Blob::new(bytes.0.clone());
    match attribute {
        Attribute::S(text) => AttributeValue::S(text.clone()),
        Attribute::N(number) => AttributeValue::N(number.clone()),
        Attribute::B(bytes) => AttributeValue::B(blob(bytes)),
        Attribute::Bool(truth) => AttributeValue::Bool(*truth),
        Attribute::Null(null) => AttributeValue::Null(*null),
        Attribute::L(list) => AttributeValue::L(list.iter().map(to_sdk).collect()),
        Attribute::M(map) => AttributeValue::M(map.iter().map(|(name, value)| (name.clone(), to_sdk(value))).collect()),
        Attribute::Ss(set) => AttributeValue::Ss(set.clone()),
        Attribute::Ns(set) => AttributeValue::Ns(set.clone()),
        Attribute::Bs(set) => AttributeValue::Bs(set.iter().map(blob).collect()),
    }
}

pub(crate) fn item_from_sdk(item: HashMap<String, AttributeValue>) -> Result<Attributes, UnknownType> {
    item.into_iter()
        .map(|(name, value)| Ok((name, from_sdk(value)?)))
        .collect()
}

fn from_sdk(value: AttributeValue) -> Result<Attribute, UnknownType> {
    let binary = |blob: Blob| Binary(blob.into_inner());
    Ok(match value {
        AttributeValue::S(text) => Attribute::S(text),
        AttributeValue::N(number) => Attribute::N(number),
        AttributeValue::B(bytes) => Attribute::B(binary(bytes)),
        AttributeValue::Bool(truth) => Attribute::Bool(truth),
        AttributeValue::Null(null) => Attribute::Null(null),
        AttributeValue::L(list) => Attribute::L(list.into_iter().map(from_sdk).collect::<Result<_, _>>()?),
        AttributeValue::M(map) => Attribute::M(item_from_sdk(map)?),
        AttributeValue::Ss(set) => Attribute::Ss(set),
        AttributeValue::Ns(set) => Attribute::Ns(set),
        AttributeValue::Bs(set) => Attribute::Bs(set.into_iter().map(binary).collect()),
        _ => return Err(UnknownType),
    })
}
