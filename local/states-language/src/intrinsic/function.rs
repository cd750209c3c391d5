//! The functions by name.

use serde_json::Value;

use super::{Arguments, Misuse, array, encoding, format, json, math};

/// An intrinsic function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Array,
    ArrayContains,
    ArrayGetItem,
    ArrayLength,
    ArrayPartition,
    ArrayRange,
    ArrayUnique,
    Base64Decode,
    Base64Encode,
    Format,
    Hash,
    JsonMerge,
    JsonToString,
    MathAdd,
    MathRandom,
    StringSplit,
    StringToJson,
    Uuid,
}

/// Name, function, least and greatest number of arguments.
const FUNCTIONS: [(&str, Function, usize, usize); 18] = [
    ("States.Array", Function::Array, 0, usize::MAX),
    ("States.ArrayContains", Function::ArrayContains, 2, 2),
    ("States.ArrayGetItem", Function::ArrayGetItem, 2, 2),
    ("States.ArrayLength", Function::ArrayLength, 1, 1),
    ("States.ArrayPartition", Function::ArrayPartition, 2, 2),
    ("States.ArrayRange", Function::ArrayRange, 3, 3),
    ("States.ArrayUnique", Function::ArrayUnique, 1, 1),
    ("States.Base64Decode", Function::Base64Decode, 1, 1),
    ("States.Base64Encode", Function::Base64Encode, 1, 1),
    ("States.Format", Function::Format, 1, usize::MAX),
    ("States.Hash", Function::Hash, 2, 2),
    ("States.JsonMerge", Function::JsonMerge, 3, 3),
    ("States.JsonToString", Function::JsonToString, 1, 1),
    ("States.MathAdd", Function::MathAdd, 2, 2),
    ("States.MathRandom", Function::MathRandom, 2, 3),
    ("States.StringSplit", Function::StringSplit, 2, 2),
    ("States.StringToJson", Function::StringToJson, 1, 1),
    ("States.UUID", Function::Uuid, 0, 0),
];

impl Function {
    pub(super) fn named(name: &str) -> Option<Self> {
        FUNCTIONS
            .iter()
            .find(|(known, ..)| *known == name)
            .map(|(_, function, ..)| *function)
    }

    /// Whether it takes this many arguments.
    pub(super) fn takes(self, count: usize) -> bool {
        FUNCTIONS
            .iter()
            .any(|(_, function, least, most)| *function == self && (*least..=*most).contains(&count))
    }

    /// Whether it gives a string, so that it may stand in a Fail state's `ErrorPath` or `CausePath`.
    ///
    /// Source: <https://docs.aws.amazon.com/step-functions/latest/dg/state-fail.html>
    pub(crate) fn gives_text(self) -> bool {
        matches!(
            self,
            Self::Format
                | Self::JsonToString
                | Self::ArrayGetItem
                | Self::Base64Encode
                | Self::Base64Decode
                | Self::Hash
                | Self::Uuid
        )
    }

    pub(super) fn call(self, arguments: Arguments<'_>) -> Result<Value, Misuse> {
        match self {
            Self::Array => Ok(Value::Array(
                arguments.into_iter().map(std::borrow::Cow::into_owned).collect(),
            )),
            Self::ArrayContains => array::contains(&arguments),
            Self::ArrayGetItem => array::get_item(&arguments),
            Self::ArrayLength => array::length(&arguments),
            Self::ArrayPartition => array::partition(&arguments),
            Self::ArrayRange => array::range(&arguments),
            Self::ArrayUnique => array::unique(&arguments),
            Self::Base64Decode => encoding::base64_decode(&arguments),
            Self::Base64Encode => encoding::base64_encode(&arguments),
            Self::Format => format::format(&arguments),
            Self::Hash => encoding::hash(&arguments),
            Self::JsonMerge => json::merge(arguments),
            Self::JsonToString => json::to_string(&arguments),
            Self::MathAdd => math::add(&arguments),
            Self::MathRandom => math::random(&arguments),
            Self::StringSplit => format::split(&arguments),
            Self::StringToJson => json::from_string(&arguments),
            Self::Uuid => Ok(Value::String(uuid::Uuid::new_v4().to_string())),
        }
    }
}
