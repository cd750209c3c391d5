//! An interpreter of the Amazon States Language (JSONPath).
//!
//! It parses a definition ([`Machine`]), checks it, runs it ([`run()`]), keeps AWS's history of it ([`history`]), and
//! tries out single states ([`test_state()`]). It has no network, no clock and no storage of its own: the work of
//! Task states comes in through [`Tasks`], time through [`Clock`], and what happens is told to an [`Observer`]. So the
//! same definition runs in a test, by a clock that the test moves, as in a local Step Functions.
//!
//! Branches of a Parallel and items of a Map are futures inside the execution's own, so it needs no runtime to run them
//! side by side, and dropping the execution drops everything in it.
//!
//! Three rules shape it:
//!
//! - **Refused by name, never half-run.** Whatever this engine does not do is a [`Diagnostic`] of [`Machine::parse`],
//!   with the state and the field. The README lists what that is.
//! - **Everything is compiled once.** Paths, templates, rules and intrinsic functions are parsed with the definition; an
//!   execution only follows them. A payload is moved from state to state, cloned only where a definition asks for a
//!   copy, and measured only where it changed.
//! - **Payloads stay private.** No cause and no diagnostic quotes an input or a result. AWS's causes do.
//!
//! ```
//! use async_trait::async_trait;
//! use serde_json::{Value, json};
//! use states_language::{Machine, NoObserver, Outcome, Start, SystemClock, TaskError, TaskRequest, Tasks, run};
//!
//! /// Tells the price of the one book that it knows.
//! struct Prices;
//!
//! #[async_trait]
//! impl Tasks for Prices {
//!     async fn run(&self, task: TaskRequest<'_>) -> Result<Value, TaskError> {
//!         match task.parameters["isbn"].as_str() {
//!             Some("9783161484100") => Ok(json!({ "price": 12.5 })),
//!             _ => Err(TaskError::new("Prices.Unknown", "no such book")),
//!         }
//!     }
//! }
//!
//! let definition = r#"{
//!     "StartAt": "Ask Price",
//!     "States": {
//!         "Ask Price": {
//!             "Type": "Task",
//!             "Resource": "prices:ask",
//!             "Parameters": { "isbn.$": "$.isbn" },
//!             "TimeoutSeconds": 1,
//!             "ResultPath": "$.answer",
//!             "Catch": [{ "ErrorEquals": ["Prices.Unknown"], "ResultPath": "$.error", "Next": "Say Nothing" }],
//!             "Next": "Say Price"
//!         },
//!         "Say Price": { "Type": "Pass", "Parameters": { "text.$": "States.Format('{} EUR', $.answer.price)" }, "End": true },
//!         "Say Nothing": { "Type": "Pass", "Result": { "text": "We don't know." }, "End": true }
//!     }
//! }"#;
//! let machine = Machine::parse(definition, &|resource| resource.starts_with("prices:"))?;
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
//! # runtime.block_on(async {
//! let start = Start::new(json!({ "isbn": "9783161484100" }));
//! let outcome = run(&machine, start, &Prices, &SystemClock, &NoObserver).await;
//! assert_eq!(outcome, Outcome::Succeeded { output: json!({ "text": "12.5 EUR" }) });
//!
//! let start = Start::new(json!({ "isbn": "0" }));
//! let outcome = run(&machine, start, &Prices, &SystemClock, &NoObserver).await;
//! assert_eq!(outcome, Outcome::Succeeded { output: json!({ "text": "We don't know." }) });
//! # });
//!
//! let refused = Machine::parse(&definition.replace("TimeoutSeconds", "Timeout"), &|_| true).unwrap_err();
//! assert_eq!(refused.diagnostics[0].location, "/States/Ask Price/Timeout");
//! # Ok::<(), states_language::InvalidDefinition>(())
//! ```

mod choice;
mod clock;
mod context;
mod definition;
mod diagnostic;
mod execution;
mod failure;
pub mod history;
mod intrinsic;
mod limits;
mod machine;
mod observer;
mod path;
mod run;
mod task;
mod template;
mod test_state;
mod timestamp;

pub use clock::{Clock, SystemClock};
pub use diagnostic::{Diagnostic, InvalidDefinition, Severity};
pub use execution::{Outcome, Start};
pub use limits::{
    MAX_DEFINITION_BYTES, MAX_INTRINSIC_DEPTH, MAX_PAYLOAD_BYTES, MAX_PAYLOAD_DEPTH, MAX_STATE_NAME_CHARS,
};
pub use machine::{Machine, MachineType, StateOutline};
pub use observer::{Event, EventIds, NoObserver, Observer, StateKind};
pub use run::run;
pub use task::{TaskError, TaskRequest, Tasks};
pub use test_state::{ErrorDetails, Inspection, Mock, StateTest, TestRefused, TestStatus, Tested, test_state};
