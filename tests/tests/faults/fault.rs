//! What can go wrong behind a Task, how a case makes it, and what has to come of it.

use serde_json::{Value, json};

use crate::situation::{Came, Left, Situation};

/// A Task of the definition, by what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    Read,
    Acquire,
    Call,
    Record,
    Announce,
}

impl Task {
    /// The Task of a state. A state of another kind is one that somebody added: it wants its faults here.
    pub fn of(name: &str, state: &Value) -> Self {
        let resource = state["Resource"].as_str().unwrap_or_default();
        let function = state["Parameters"]["FunctionName"].as_str().unwrap_or_default();
        match (resource, function) {
            ("arn:aws:states:::dynamodb:getItem", _) => Self::Read,
            ("arn:aws:states:::lambda:invoke", "${AcquireProbeFunction}") => Self::Acquire,
            ("arn:aws:states:::lambda:invoke", "${CallPartnerFunction}") => Self::Call,
            ("arn:aws:states:::lambda:invoke", "${RecordOutcomeFunction}") => Self::Record,
            ("arn:aws:states:::events:putEvents", _) => Self::Announce,
            _ => panic!("the Task {name} has no faults in this test: {resource} {function}"),
        }
    }

    pub fn key(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Acquire => "acquire",
            Self::Call => "call",
            Self::Record => "record",
            Self::Announce => "announce",
        }
    }

    fn function(self) -> &'static str {
        match self {
            Self::Acquire => "acquire-probe",
            Self::Call => "call-partner",
            _ => "record-outcome",
        }
    }
}

/// One fault.
#[derive(Clone, Debug)]
pub struct Fault {
    /// A word for the table.
    pub key: String,
    /// The class that it belongs to, a column of the matrix.
    pub class: &'static str,
    how: How,
}

#[derive(Clone, Debug)]
enum How {
    /// The function is this instead.
    Function(Value),
    /// The table does this, from the write on that is the first or second of its function.
    Store { second: bool, fault: &'static str },
    /// What stands behind the announcement is a function that does this.
    Bus(Value),
    /// The bus refuses the entry.
    Refused,
}

const STORE: [(&str, &str); 5] = [
    ("throttle", "throttled"),
    ("fail", "store refuses"),
    ("hang", "store hangs"),
    ("hold", "answer lost"),
    ("lose", "answer lost"),
];

/// Every fault that a Task can meet.
pub fn faults(task: Task) -> Vec<Fault> {
    let function = |key: &str, class, is: Value| Fault {
        key: key.to_owned(),
        class,
        how: How::Function(is),
    };
    let store = |second: bool| {
        STORE.map(|(fault, class)| {
            let key = format!("{}{fault}", if second { "then-" } else { "store-" });
            Fault {
                key,
                class,
                how: How::Store { second, fault },
            }
        })
    };
    let bus = |key: &str, class, is: Value| Fault {
        key: key.to_owned(),
        class,
        how: How::Bus(is),
    };
    let gone_wrong = [
        function(
            "throttled",
            "throttled",
            json!({ "is": "shipped", "maxConcurrency": 0 }),
        ),
        function("hangs", "time-out", json!({ "is": "hangs", "timeoutMs": 1500 })),
        function("exits", "killed", json!({ "is": "exits" })),
        function("missing", "function error", json!({ "is": "missing" })),
        function("broken", "function error", json!({ "is": "broken" })),
        function(
            "bad",
            "function error",
            json!({ "is": { "fails": "Stepbreaker.BadPayload" } }),
        ),
        function(
            "store",
            "function error",
            json!({ "is": { "fails": "Stepbreaker.StoreFailed" } }),
        ),
        function("other", "function error", json!({ "is": { "fails": "Some.Other" } })),
    ];
    let malformed = [
        ("null", Value::Null),
        ("empty", json!({})),
        ("text", json!("granted")),
        ("list", json!([1])),
        ("odd", json!({ "answer": { "of": 1 }, "outcome": [], "event": 5 })),
    ];
    let malformed = malformed.map(|(key, value)| function(key, "malformed", json!({ "is": { "gives": value } })));
    let functions = || gone_wrong.iter().chain(&malformed).cloned();
    match task {
        Task::Read => store(false).into(),
        Task::Call => functions().collect(),
        Task::Acquire => functions().chain(store(false)).collect(),
        Task::Record => functions().chain(store(false)).chain(store(true)).collect(),
        Task::Announce => vec![
            Fault {
                key: "refused".to_owned(),
                class: "failed entry",
                how: How::Refused,
            },
            bus(
                "throttled",
                "throttled",
                json!({ "is": "shipped", "maxConcurrency": 0 }),
            ),
            bus("hangs", "time-out", json!({ "is": "hangs" })),
            bus(
                "other",
                "function error",
                json!({ "is": { "fails": "EventBridge.InternalException" } }),
            ),
        ],
    }
}

impl Fault {
    /// What has to come of a request with this fault; none where the fault is not met.
    pub fn came(&self, task: Task, situation: Situation) -> Option<Came> {
        use Situation::{Counts, Healthy, Open, Opens};
        let well = situation.well();
        let unheard = Came {
            announced: false,
            ..well
        };
        let written = matches!(
            self.how,
            How::Store {
                fault: "hold" | "lose",
                ..
            }
        );
        match task {
            // Fails open: everybody calls, and nothing is recorded.
            Task::Read => {
                let reason = if situation.partner_works() { "live" } else { "error" };
                // A person's dry run is not known either, and changes nothing of that.
                Some(Came {
                    reason,
                    left: Left::Unchanged,
                    announced: false,
                    hits: 1,
                })
            }
            Task::Acquire if !situation.probes() => None,
            Task::Acquire => {
                let internal = self.class == "malformed" || self.key == "bad";
                let reason = if internal { "internal" } else { "unavailable" };
                let left = if written { Left::LeaseOut } else { Left::Unchanged };
                Some(Came {
                    reason,
                    left,
                    announced: false,
                    hits: 0,
                })
            }
            Task::Call if situation == Open => None,
            Task::Call => Some(match self.key.as_str() {
                "hangs" => situation.caller_hung(),
                "throttled" => situation.undecided("saturated"),
                "exits" | "broken" => situation.undecided("unavailable"),
                _ => situation.undecided("internal"),
            }),
            Task::Record if matches!(situation, Healthy | Open) => None,
            Task::Record => {
                let not_written = if situation.probes() {
                    Left::LeaseOut
                } else {
                    Left::Unchanged
                };
                let left = match (&self.how, situation) {
                    // The grant is the first write, and only then this function's.
                    (How::Store { second: false, .. }, _) if situation.probes() => return None,
                    (How::Store { second: true, .. }, Counts) => return None,
                    (How::Store { second: true, .. }, Opens) if !written => Left::Counted(5),
                    (How::Store { second: false, .. }, Opens) if written => Left::Counted(5),
                    (How::Store { .. }, _) if written => well.left,
                    _ => not_written,
                };
                Some(Came { left, ..unheard })
            }
            Task::Announce => {
                // The stand-in takes the place of acquire-probe, which only a probe needs.
                let is_met = situation.event(well.left).is_some();
                let can_be_made = matches!(self.how, How::Refused) || !situation.probes();
                (is_met && can_be_made).then_some(unheard)
            }
        }
    }

    /// Writes the fault into a case.
    pub fn make(&self, task: Task, id: &str, case: &mut Value) {
        match &self.how {
            How::Function(is) => {
                case["functions"] = json!({ task.function(): is });
                case["needs"] = json!(["functions"]);
            }
            How::Store { second, fault } => {
                let on = if task == Task::Read { "GetItem" } else { "UpdateItem" };
                case["store"] = json!([{ "on": on, "from": if *second { 2 } else { 1 }, "fault": fault }]);
                case["needs"] = json!(["store-faults"]);
            }
            How::Bus(is) => {
                case["functions"] = json!({ "acquire-probe": is });
                case["needs"] = json!(["functions"]);
                let call = json!({ "FunctionName": format!("acquire-probe-{id}"), "Payload": {}, "Entries": null });
                let state = json!({ "Resource": "arn:aws:states:::lambda:invoke", "Parameters": call });
                case["boundDefinition"] = json!({ "States": { "Announce Transition": state } });
            }
            How::Refused => {
                let parameters = json!({ "Entries": [{ "Source": "", "DetailType": "X", "Detail": {} }] });
                case["boundDefinition"] = json!({ "States": { "Announce Transition": { "Parameters": parameters } } });
            }
        }
    }
}
