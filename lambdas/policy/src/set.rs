//! The rules between policies that are deployed into one API.

use std::collections::BTreeMap;
use std::path::Path;

use crate::limits;
use crate::load::Policy;
use crate::problem::{Problems, Refused};
use crate::route::Segment;

/// Checks policies as a set. `directory` names the set in problems that are nobody's own.
///
/// # Errors
/// Two circuits with one name or on one route, two parameters at one level of a path, or more than an API can hold.
pub fn check(policies: &[Policy], directory: &Path) -> Result<(), Refused> {
    let mut found = Vec::new();
    let mut names: BTreeMap<&str, &Policy> = BTreeMap::new();
    let mut routes: BTreeMap<String, &Policy> = BTreeMap::new();
    let mut resources: BTreeMap<String, Option<(String, &Policy)>> = BTreeMap::new();
    for policy in policies {
        let mut problems = Problems::of(&policy.file);
        if let Some(earlier) = names.insert(policy.circuit(), policy) {
            let taken = format!("is {:?}, as in {}", policy.circuit(), earlier.file.display());
            problems.add("circuit", taken, "each circuit once");
        }
        if let Some(route) = &policy.route {
            let segments = route.segments().unwrap_or_default();
            let key = segments
                .iter()
                .fold(route.method.to_string(), |key, segment| match segment {
                    Segment::Literal(text) => format!("{key}/{text}"),
                    Segment::Parameter(_) => format!("{key}/{{}}"),
                });
            if let Some(earlier) = routes.insert(key, policy) {
                let taken = format!(
                    "is {} {}, the route of {:?} too",
                    route.method,
                    route.path,
                    earlier.circuit()
                );
                problems.add("route.path", taken, "each route once");
            }
            add_route(&segments, policy, &mut resources, &mut problems);
        }
        found.extend(problems.into_refused().problems);
    }
    // The root, /circuits, and for each circuit /circuits/NAME and /circuits/NAME/calls.
    let count = 2 + 2 * policies.len() + resources.len();
    if count > limits::API_RESOURCES {
        let mut problems = Problems::of(directory);
        let taken = format!(
            "needs {count} resources of an API for {} circuits and their routes",
            policies.len()
        );
        problems.add(
            "",
            taken,
            format!("at most {}: deploy some of them as another API", limits::API_RESOURCES),
        );
        found.extend(problems.into_refused().problems);
    }
    if found.is_empty() {
        Ok(())
    } else {
        Err(Refused { problems: found })
    }
}

/// Adds the route's resources to the API's. Each remembers which parameter stands below it: API Gateway refuses a second.
fn add_route<'p>(
    segments: &[Segment],
    policy: &'p Policy,
    resources: &mut BTreeMap<String, Option<(String, &'p Policy)>>,
    problems: &mut Problems<'_>,
) {
    let mut path = String::new();
    for (depth, segment) in segments.iter().enumerate() {
        let text = match segment {
            Segment::Literal(text) => text.clone(),
            Segment::Parameter(_) => "{}".to_owned(),
        };
        let resource = format!("{path}/{text}");
        let known = resources.entry(resource.clone()).or_insert(None);
        if let Segment::Parameter(name) = segment {
            match known {
                Some((other, earlier)) if other != name => problems.add(
                    "route.path",
                    format!(
                        "has {{{name}}} as segment {}, where {:?} has {{{other}}}",
                        depth + 1,
                        earlier.circuit()
                    ),
                    format!("one name at one level of a path, as in {{{other}}}"),
                ),
                Some(_) => {}
                None => *known = Some((name.clone(), policy)),
            }
        }
        path = resource;
    }
}
