//! Which behaviour each request meets.

use std::collections::BTreeMap;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer, value::SeqAccessDeserializer},
};

use crate::{
    answer::{Answer, Body},
    behaviour::{Behaviour, Cut, Drip},
};

/// Which behaviour each request meets: the steps in order, one per request, the last one for ever.
///
/// As JSON a list of steps, or `{"steps": […], "paths": {"/books/1": […]}}` where some paths have steps of their own.
/// No step at all is the healthy partner.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Script {
    /// For every request whose path has no steps of its own.
    pub steps: Vec<Step>,
    /// For the requests of a path, without its query.
    pub paths: BTreeMap<String, Vec<Step>>,
}

impl Script {
    /// These behaviours, one request each, the last one for ever.
    pub fn in_turn<I>(behaviours: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<Behaviour>,
    {
        let steps = behaviours
            .into_iter()
            .map(|behaviour| Step::once(behaviour.into()))
            .collect();
        Self {
            steps,
            paths: BTreeMap::new(),
        }
    }
}

impl<B: Into<Behaviour>> From<B> for Script {
    fn from(behaviour: B) -> Self {
        Self::in_turn([behaviour.into()])
    }
}

impl<'de> Deserialize<'de> for Script {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, default)]
        #[derive(Default)]
        struct Fields {
            steps: Vec<Step>,
            paths: BTreeMap<String, Vec<Step>>,
        }

        struct AnyForm;
        impl<'de> Visitor<'de> for AnyForm {
            type Value = Script;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of steps, or {steps, paths}")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Script, A::Error> {
                let steps = Vec::deserialize(SeqAccessDeserializer::new(seq))?;
                Ok(Script {
                    steps,
                    paths: BTreeMap::new(),
                })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Script, A::Error> {
                let Fields { steps, paths } = Fields::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Script { steps, paths })
            }
        }
        deserializer.deserialize_any(AnyForm)
    }
}

/// A behaviour, and for how many requests. As JSON the behaviour with a `times` beside it: `{"hang": true, "times": 5}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Form", into = "Form")]
pub struct Step {
    /// What these requests meet.
    pub behaviour: Behaviour,
    /// How many requests, 1 by default; 0 skips the step. It means nothing on the last step, which never ends.
    pub times: u64,
}

impl Step {
    fn once(behaviour: Behaviour) -> Self {
        Self { behaviour, times: 1 }
    }
}

/// How a step is written. (Flattening the behaviour's enum would lose both the check for unknown fields and the places
/// in error messages.)
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Form {
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Answer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hang: Option<Cut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reset: Option<Cut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncate: Option<Cut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    drip: Option<Drip>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<Body>,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<u64>,
}

impl TryFrom<Form> for Step {
    type Error = String;

    fn try_from(form: Form) -> Result<Self, String> {
        let Form {
            answer,
            hang,
            reset,
            truncate,
            drip,
            raw,
            times,
        } = form;
        let given = [
            answer.map(Behaviour::Answer),
            hang.map(Behaviour::Hang),
            reset.map(Behaviour::Reset),
            truncate.map(Behaviour::Truncate),
            drip.map(Behaviour::Drip),
            raw.map(Behaviour::Raw),
        ];
        let mut given = given.into_iter().flatten();
        let (Some(behaviour), None) = (given.next(), given.next()) else {
            return Err("a step is exactly one of answer, hang, reset, truncate, drip and raw".to_owned());
        };
        match behaviour.contradiction() {
            Some(contradiction) => Err(contradiction),
            None => Ok(Self {
                behaviour,
                times: times.unwrap_or(1),
            }),
        }
    }
}

impl From<Step> for Form {
    fn from(step: Step) -> Self {
        let form = Self {
            times: (step.times != 1).then_some(step.times),
            ..Self::default()
        };
        match step.behaviour {
            Behaviour::Answer(answer) => Self {
                answer: Some(answer),
                ..form
            },
            Behaviour::Hang(cut) => Self {
                hang: Some(cut),
                ..form
            },
            Behaviour::Reset(cut) => Self {
                reset: Some(cut),
                ..form
            },
            Behaviour::Truncate(cut) => Self {
                truncate: Some(cut),
                ..form
            },
            Behaviour::Drip(drip) => Self {
                drip: Some(drip),
                ..form
            },
            Behaviour::Raw(body) => Self {
                raw: Some(body),
                ..form
            },
        }
    }
}

/// A script being played: how far each of its lists has come.
#[derive(Debug, Default)]
pub(crate) struct Playing {
    steps: Progress,
    paths: BTreeMap<String, Progress>,
}

impl Playing {
    pub fn new(script: Script) -> Self {
        let paths = script
            .paths
            .into_iter()
            .map(|(path, steps)| (path, Progress::new(steps)))
            .collect();
        Self {
            steps: Progress::new(script.steps),
            paths,
        }
    }

    /// What a connection meets that was accepted just now: a step, if the next one doesn't wait for a request.
    pub fn on_accept(&mut self) -> Option<Behaviour> {
        self.steps.current().filter(|step| step.behaviour.is_on_accept())?;
        Some(self.steps.take())
    }

    /// What a request for this path meets.
    pub fn on_request(&mut self, path: &str) -> Behaviour {
        self.paths.get_mut(path).unwrap_or(&mut self.steps).take()
    }
}

#[derive(Debug, Default)]
struct Progress {
    steps: Vec<Step>,
    index: usize,
    taken: u64,
}

impl Progress {
    fn new(steps: Vec<Step>) -> Self {
        Self {
            steps,
            index: 0,
            taken: 0,
        }
    }

    /// The step that is up next.
    fn current(&mut self) -> Option<&Step> {
        while self.index + 1 < self.steps.len() && self.taken >= self.steps[self.index].times {
            self.index += 1;
            self.taken = 0;
        }
        self.steps.get(self.index)
    }

    fn take(&mut self) -> Behaviour {
        let behaviour = self
            .current()
            .map_or_else(Behaviour::healthy, |step| step.behaviour.clone());
        self.taken += 1;
        behaviour
    }
}

#[cfg(test)]
#[path = "script_tests.rs"]
mod tests;
