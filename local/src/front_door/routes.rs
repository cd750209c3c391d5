//! Which circuit a request is for.

use std::collections::BTreeMap;

use http::Method;
use policy::Segment;

use crate::circuits::{Circuit, Route};

/// The circuits, and the routes that the policies give them.
#[derive(Debug)]
pub(super) struct Routes {
    by_name: BTreeMap<String, Circuit>,
    /// The names of the circuits with a route, most literal route first.
    routed: Vec<String>,
}

/// Where a request goes.
#[derive(Debug)]
pub(super) enum Destination<'a> {
    /// `GET /healthz`.
    Health,
    /// A policy's own route.
    Route(&'a Circuit, &'a Route),
    /// `POST /circuits/NAME/calls`.
    Calls(&'a Circuit),
    /// `GET /circuits/NAME`.
    Stored(&'a Circuit),
    /// No such route, or not with this method.
    Nowhere,
}

impl Routes {
    pub(super) fn new(circuits: Vec<Circuit>) -> Self {
        let mut routed: Vec<_> = circuits
            .iter()
            .filter_map(|circuit| Some((circuit.route.as_ref()?, circuit)))
            .collect();
        // A literal segment goes before a parameter at the same place, as in API Gateway.
        let parameters = |route: &Route| -> Vec<bool> {
            route
                .segments
                .iter()
                .map(|segment| matches!(segment, Segment::Parameter(_)))
                .collect()
        };
        routed.sort_by_key(|(route, _)| parameters(route));
        let routed = routed.into_iter().map(|(_, circuit)| circuit.name.clone()).collect();
        Self {
            by_name: circuits
                .into_iter()
                .map(|circuit| (circuit.name.clone(), circuit))
                .collect(),
            routed,
        }
    }

    pub(super) fn find(&self, method: &Method, path: &[String]) -> Destination<'_> {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let reads = method == Method::GET || method == Method::HEAD;
        match path.as_slice() {
            ["healthz"] if reads => Destination::Health,
            ["circuits", name] if reads => self
                .by_name
                .get(*name)
                .map_or(Destination::Nowhere, Destination::Stored),
            ["circuits", name, "calls"] if method == Method::POST => {
                self.by_name.get(*name).map_or(Destination::Nowhere, Destination::Calls)
            }
            path => self.route(method, path),
        }
    }

    fn route(&self, method: &Method, path: &[&str]) -> Destination<'_> {
        let routed = self.routed.iter().filter_map(|name| self.by_name.get(name));
        let found = routed
            .filter_map(|circuit| Some((circuit, circuit.route.as_ref()?)))
            .find(|(_, route)| {
                // HEAD is a method of its own here: a customer's HEAD must not become a call by accident.
                route.method == method.as_str() && matches(&route.segments, path)
            });
        found.map_or(Destination::Nowhere, |(circuit, route)| {
            Destination::Route(circuit, route)
        })
    }
}

/// A parameter takes any segment but an empty one; whether its value is allowed is for the policy's pattern to say.
fn matches(segments: &[Segment], path: &[&str]) -> bool {
    segments.len() == path.len()
        && segments.iter().zip(path).all(|(segment, text)| match segment {
            Segment::Literal(literal) => literal == text,
            Segment::Parameter(_) => !text.is_empty(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circuit(name: &str, method: &'static str, path: &str) -> Circuit {
        let route: policy::Route = serde_json::from_value(serde_json::json!({ "path": path })).unwrap();
        let route = Route {
            method,
            path: path.to_owned(),
            segments: route.segments().unwrap(),
            query: Vec::new(),
        };
        Circuit {
            name: name.to_owned(),
            route: Some(route),
            params: policy::Params::default(),
            body_bytes: None,
            example: BTreeMap::new(),
            example_body: None,
            machine_arn: String::new(),
        }
    }

    fn routes() -> Routes {
        Routes::new(vec![
            circuit("any", "GET", "/books/{isbn}"),
            circuit("new", "GET", "/books/new"),
            circuit("deep", "GET", "/books/{isbn}/delivery-time"),
            circuit("head", "HEAD", "/books/{isbn}"),
        ])
    }

    fn find(method: Method, path: &[&str]) -> String {
        let path: Vec<_> = path.iter().map(|segment| (*segment).to_owned()).collect();
        match routes().find(&method, &path) {
            Destination::Health => "health".to_owned(),
            Destination::Route(circuit, _) => circuit.name.clone(),
            Destination::Calls(circuit) => format!("calls {}", circuit.name),
            Destination::Stored(circuit) => format!("stored {}", circuit.name),
            Destination::Nowhere => "nowhere".to_owned(),
        }
    }

    #[test]
    fn a_literal_goes_before_a_parameter() {
        assert_eq!(find(Method::GET, &["books", "new"]), "new");
        assert_eq!(find(Method::GET, &["books", "old"]), "any");
        assert_eq!(find(Method::GET, &["books", "1", "delivery-time"]), "deep");
    }

    #[test]
    fn the_method_is_a_part_of_the_route() {
        assert_eq!(find(Method::HEAD, &["books", "1"]), "head");
        for method in [Method::POST, Method::DELETE, Method::OPTIONS] {
            assert_eq!(find(method, &["books", "1"]), "nowhere");
        }
        assert_eq!(find(Method::HEAD, &["books", "1", "delivery-time"]), "nowhere");
    }

    #[test]
    fn other_lengths_and_empty_segments_are_nowhere() {
        for path in [
            &["books"][..],
            &["books", ""],
            &["books", "1", ""],
            &["books", "", "delivery-time"],
            &[""],
        ] {
            assert_eq!(find(Method::GET, path), "nowhere", "{path:?}");
        }
    }

    #[test]
    fn every_circuit_has_its_calls_and_its_item() {
        assert_eq!(find(Method::POST, &["circuits", "deep", "calls"]), "calls deep");
        assert_eq!(find(Method::GET, &["circuits", "deep", "calls"]), "nowhere");
        assert_eq!(find(Method::GET, &["circuits", "deep"]), "stored deep");
        assert_eq!(find(Method::HEAD, &["circuits", "deep"]), "stored deep");
        assert_eq!(find(Method::GET, &["circuits", "other"]), "nowhere");
        assert_eq!(find(Method::GET, &["healthz"]), "health");
    }
}
