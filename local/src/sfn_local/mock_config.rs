//! The mock configuration file: test cases of machines, and the responses that they use.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::response::Response;

/// The test cases by machine and name.
#[derive(Debug, Default)]
pub(crate) struct MockConfig(HashMap<String, HashMap<String, Arc<TestCase>>>);

/// Which states of a machine are mocked, and with what.
#[derive(Debug)]
pub(crate) struct TestCase {
    pub(crate) name: String,
    pub(super) responses: HashMap<String, Arc<Response>>,
}

/// Why a file can't be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MockConfigError {
    /// It can't be read.
    #[error("SFN_MOCK_CONFIG {}: {source}", .file.display())]
    Read { file: PathBuf, source: io::Error },
    /// It is no JSON; the source says at which line and column.
    #[error("SFN_MOCK_CONFIG {}: it is no JSON: {source}", .file.display())]
    Json { file: PathBuf, source: serde_json::Error },
    /// Something in it is not as it should be.
    #[error("SFN_MOCK_CONFIG {}: {place}: {problem}", .file.display())]
    Content {
        file: PathBuf,
        /// A path to the field: `/StateMachines/NAME/TestCases/CASE/STATE`.
        place: String,
        problem: String,
    },
}

struct Wrong {
    place: String,
    problem: String,
}

impl MockConfig {
    /// Reads and checks a file.
    pub(crate) fn load(file: &Path) -> Result<Self, MockConfigError> {
        let file_name = || file.to_path_buf();
        let text = std::fs::read_to_string(file).map_err(|source| MockConfigError::Read {
            file: file_name(),
            source,
        })?;
        let value = serde_json::from_str(&text).map_err(|source| MockConfigError::Json {
            file: file_name(),
            source,
        })?;
        Self::read(&value).map_err(|Wrong { place, problem }| MockConfigError::Content {
            file: file_name(),
            place,
            problem,
        })
    }

    fn read(value: &Value) -> Result<Self, Wrong> {
        let top = object(value, "/")?;
        let mut responses = HashMap::new();
        for (name, response) in part(top, "MockedResponses")? {
            let response = Response::read(response).map_err(|wrong| Wrong {
                place: format!("/MockedResponses/{name}{}", wrong.place),
                problem: wrong.problem,
            })?;
            responses.insert(name.as_str(), Arc::new(response));
        }
        let mut machines = HashMap::new();
        for (machine, value) in part(top, "StateMachines")? {
            let place = format!("/StateMachines/{machine}");
            let Some(cases) = object(value, &place)?.get("TestCases") else {
                return Err(Wrong {
                    place,
                    problem: "TestCases is missing".to_owned(),
                });
            };
            let place = format!("{place}/TestCases");
            let cases = object(cases, &place)?.iter().map(|(name, states)| {
                let responses = mocked(states, &format!("{place}/{name}"), &responses)?;
                let case = TestCase {
                    name: name.clone(),
                    responses,
                };
                Ok((name.clone(), Arc::new(case)))
            });
            machines.insert(machine.clone(), cases.collect::<Result<_, _>>()?);
        }
        Ok(Self(machines))
    }

    /// A test case of a machine.
    pub(crate) fn case(&self, machine: &str, case: &str) -> Option<Arc<TestCase>> {
        self.0.get(machine)?.get(case).cloned()
    }
}

impl TestCase {
    /// The states that it mocks.
    pub(crate) fn states(&self) -> impl Iterator<Item = &str> {
        self.responses.keys().map(String::as_str)
    }
}

fn mocked(
    states: &Value,
    place: &str,
    responses: &HashMap<&str, Arc<Response>>,
) -> Result<HashMap<String, Arc<Response>>, Wrong> {
    let found = object(states, place)?.iter().map(|(state, response)| {
        let wrong = |problem: String| Wrong {
            place: format!("{place}/{state}"),
            problem,
        };
        let Some(name) = response.as_str() else {
            return Err(wrong("must be the name of a mocked response".to_owned()));
        };
        match responses.get(name) {
            Some(response) => Ok((state.clone(), Arc::clone(response))),
            None => Err(wrong(format!("there is no mocked response {name:?}"))),
        }
    });
    found.collect()
}

fn part<'a>(top: &'a Map<String, Value>, name: &str) -> Result<&'a Map<String, Value>, Wrong> {
    let place = format!("/{name}");
    match top.get(name) {
        Some(value) => object(value, &place),
        None => Err(Wrong {
            place,
            problem: "is missing".to_owned(),
        }),
    }
}

fn object<'a>(value: &'a Value, place: &str) -> Result<&'a Map<String, Value>, Wrong> {
    value.as_object().ok_or_else(|| Wrong {
        place: place.to_owned(),
        problem: "must be an object".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_case_is_found_by_its_machine_and_name() {
        let config = MockConfig::read(&json!({
            "StateMachines": { "m": { "TestCases": { "happy": { "Ask": "Yes" }, "real": {} } } },
            "MockedResponses": { "Yes": { "0": { "Return": true } }, "unused": { "0": { "Return": 1 } } },
        }))
        .map_err(|wrong| wrong.problem)
        .unwrap();
        let case = config.case("m", "happy").unwrap();
        assert_eq!(case.states().collect::<Vec<_>>(), ["Ask"]);
        assert_eq!(case.responses["Ask"].of(0), Some(Ok(json!(true))));
        assert_eq!(config.case("m", "real").unwrap().states().count(), 0);
        assert!(config.case("m", "none").is_none());
        assert!(config.case("n", "happy").is_none());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let responses = json!({ "Yes": { "0": { "Return": true } } });
        let with = |machines: Value| json!({ "StateMachines": machines, "MockedResponses": responses });
        for (config, place) in [
            (json!([]), "/"),
            (json!({ "StateMachines": {} }), "/MockedResponses"),
            (json!({ "MockedResponses": {} }), "/StateMachines"),
            (
                json!({ "StateMachines": {}, "MockedResponses": { "a": { "x": 1 } } }),
                "/MockedResponses/a/x",
            ),
            (with(json!({ "m": 1 })), "/StateMachines/m"),
            (with(json!({ "m": {} })), "/StateMachines/m"),
            (with(json!({ "m": { "TestCases": 1 } })), "/StateMachines/m/TestCases"),
            (
                with(json!({ "m": { "TestCases": { "c": 1 } } })),
                "/StateMachines/m/TestCases/c",
            ),
            (
                with(json!({ "m": { "TestCases": { "c": { "s": 1 } } } })),
                "/StateMachines/m/TestCases/c/s",
            ),
            (
                with(json!({ "m": { "TestCases": { "c": { "s": "No" } } } })),
                "/StateMachines/m/TestCases/c/s",
            ),
        ] {
            let found = MockConfig::read(&config).map(|_| ()).map_err(|wrong| wrong.place);
            assert_eq!(found, Err(place.to_owned()), "{config}");
        }
    }
}
