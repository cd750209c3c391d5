//! What one request meets.

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, MapAccess, Visitor, value::MapAccessDeserializer},
};

use crate::answer::{Answer, Body, Wire};

/// What one request meets.
///
/// As JSON an object of one key: `{"answer": {…}}`, `{"hang": true}`, `{"reset": "in-headers"}`,
/// `{"truncate": {"afterBytes": 3, "answer": {…}}}`, `{"drip": {"bytes": 1, "everyMs": 100}}`, `{"raw": "SSH-2.0-x\r\n"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Behaviour {
    /// A whole answer.
    Answer(Answer),
    /// The connection stays open and nothing more comes, by default from before the headers on. Once released
    /// ([`Partner::release`](crate::Partner::release)), the rest of the answer follows.
    Hang(Cut),
    /// The connection is reset (RST), by default before the headers.
    Reset(Cut),
    /// The connection is closed in good order (FIN), but too early, by default half way through the body.
    Truncate(Cut),
    /// An answer in small pieces.
    Drip(Drip),
    /// These bytes in the place of an answer, and the end of the connection.
    Raw(Body),
}

impl Behaviour {
    /// The healthy partner: a 200 at once.
    pub fn healthy() -> Self {
        Self::Answer(Answer::default())
    }

    /// Accepts, reads the request and never answers.
    pub fn hang() -> Self {
        Self::Hang(Cut::default())
    }

    /// Resets the connection in this phase.
    pub fn reset(at: Phase) -> Self {
        Self::Reset(Cut {
            at: Some(at),
            ..Cut::default()
        })
    }

    /// The word that stands in a script and in the log.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Answer(_) => "answer",
            Self::Hang(_) => "hang",
            Self::Reset(_) => "reset",
            Self::Truncate(_) => "truncate",
            Self::Drip(_) => "drip",
            Self::Raw(_) => "raw",
        }
    }

    /// The answer that is given, in whole or in part.
    pub(crate) fn answer(&self) -> Option<&Answer> {
        match self {
            Self::Answer(answer) => Some(answer),
            Self::Hang(cut) | Self::Reset(cut) | Self::Truncate(cut) => Some(&cut.answer),
            Self::Drip(drip) => Some(&drip.answer),
            Self::Raw(_) => None,
        }
    }

    /// Where the answer is cut, if it is.
    pub(crate) fn cut_at(&self) -> Option<(Phase, Option<usize>)> {
        match self {
            Self::Hang(cut) | Self::Reset(cut) => Some((cut.at.unwrap_or(Phase::BeforeHeaders), cut.after_bytes)),
            Self::Truncate(cut) => Some((cut.at.unwrap_or(Phase::InBody), cut.after_bytes)),
            Self::Answer(_) | Self::Drip(_) | Self::Raw(_) => None,
        }
    }

    /// Whether it happens as soon as the connection is accepted, so that no request is read.
    pub(crate) fn is_on_accept(&self) -> bool {
        matches!(self.cut_at(), Some((Phase::OnAccept, _)))
    }

    /// Why it can't do what it says, if it can't.
    pub(crate) fn contradiction(&self) -> Option<String> {
        let (phase, after_bytes) = self.cut_at()?;
        let empty = self.answer().is_some_and(|answer| answer.body.is_empty());
        match phase {
            Phase::InBody if empty => Some(format!("`{}` in the body needs a body", self.name())),
            Phase::InBody => None,
            _ => after_bytes.map(|_| {
                format!(
                    "`afterBytes` of `{}` counts bytes of the body: say `in-body`",
                    self.name()
                )
            }),
        }
    }
}

impl From<Answer> for Behaviour {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

/// Where an answer stops. As JSON `true` (the behaviour's own default), a phase, or the fields of this type.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cut {
    /// When it happens; what the default is depends on the behaviour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Phase>,
    /// In the body: how many bytes of it, as framed and compressed, go out before. By default half. Never the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_bytes: Option<usize>,
    /// The answer that is cut.
    pub answer: Answer,
}

impl<'de> Deserialize<'de> for Cut {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        struct Fields {
            at: Option<Phase>,
            after_bytes: Option<usize>,
            #[serde(default)]
            answer: Answer,
        }

        struct AnyForm;
        impl<'de> Visitor<'de> for AnyForm {
            type Value = Cut;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("true, a phase, or {at, afterBytes, answer}")
            }

            fn visit_bool<E: de::Error>(self, yes: bool) -> Result<Cut, E> {
                if yes {
                    Ok(Cut::default())
                } else {
                    Err(E::invalid_value(de::Unexpected::Bool(yes), &self))
                }
            }

            fn visit_str<E: de::Error>(self, phase: &str) -> Result<Cut, E> {
                let at = Phase::deserialize(de::value::StrDeserializer::new(phase))?;
                Ok(Cut {
                    at: Some(at),
                    ..Cut::default()
                })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Cut, A::Error> {
                let Fields {
                    at,
                    after_bytes,
                    answer,
                } = Fields::deserialize(MapAccessDeserializer::new(map))?;
                // Bytes of the body are counted nowhere else, so that naming them names the phase.
                let at = at.or(after_bytes.map(|_| Phase::InBody));
                Ok(Cut {
                    at,
                    after_bytes,
                    answer,
                })
            }
        }
        deserializer.deserialize_any(AnyForm)
    }
}

/// An answer in small pieces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Drip {
    /// How many bytes are in a piece; at least 1 are sent.
    pub bytes: usize,
    /// Milliseconds before each piece.
    pub every_ms: u64,
    /// Whether the headers come in pieces too; otherwise they are sent at once.
    #[serde(default)]
    pub headers: bool,
    /// The answer.
    #[serde(default)]
    pub answer: Answer,
}

/// A moment in the life of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// As soon as the connection is accepted; nothing is read.
    OnAccept,
    /// The request is read, nothing is sent.
    BeforeHeaders,
    /// Half of the head is sent.
    InHeaders,
    /// The whole head is sent, nothing of the body.
    AfterHeaders,
    /// Part of the body is sent.
    InBody,
}

impl Phase {
    /// How many bytes of an answer are out at that moment.
    pub(crate) fn bytes_of(self, wire: &Wire, after_bytes: Option<usize>) -> usize {
        let (head, body) = (wire.head.len(), wire.body.len());
        match self {
            Self::OnAccept | Self::BeforeHeaders => 0,
            Self::InHeaders => head / 2,
            Self::AfterHeaders => head,
            Self::InBody => head + after_bytes.unwrap_or(body / 2).min(body.saturating_sub(1)),
        }
    }
}
