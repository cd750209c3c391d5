//! What whoever deploys needs to know of one circuit.

use std::collections::BTreeMap;

use policy::definition::{Names, bind};
use policy::{Deployed, Pattern, Policy, Segment};
use serde::Serialize;

/// What is told of one circuit.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Circuit {
    circuit: String,
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    route: Option<Route>,
    /// Each parameter's pattern as every engine reads it alike, not anchored.
    patterns: BTreeMap<String, String>,
    deployed: Deployed,
    /// The workflow's definition with the policy in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    definition: Option<String>,
}

/// The policy's own way into the API.
#[derive(Debug, Serialize)]
struct Route {
    #[serde(flatten)]
    written: policy::Route,
    segments: Vec<Part>,
}

/// One segment of a route.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
enum Part {
    Literal(String),
    Parameter(String),
}

impl Circuit {
    pub(crate) fn of(policy: Policy, definition: Option<&str>, names: &Names) -> anyhow::Result<Self> {
        let Policy { file, route, deployed } = policy;
        let route = match route {
            Some(route) => Some(Route {
                segments: route.segments()?.into_iter().map(Part::of).collect(),
                written: route,
            }),
            None => None,
        };
        let portable =
            |(name, text): (&String, &String)| Ok((name.clone(), Pattern::parse(text)?.portable().to_owned()));
        Ok(Self {
            circuit: deployed.circuit.clone(),
            file: file.display().to_string(),
            route,
            patterns: deployed.params.iter().map(portable).collect::<anyhow::Result<_>>()?,
            definition: match definition {
                Some(template) => Some(bind(template, &deployed, names)?),
                None => None,
            },
            deployed,
        })
    }
}

impl Part {
    fn of(segment: Segment) -> Self {
        match segment {
            Segment::Literal(text) => Self::Literal(text),
            Segment::Parameter(name) => Self::Parameter(name),
        }
    }
}
