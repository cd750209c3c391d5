//! An interpreter of the Amazon States Language (JSONPath).

mod choice;
mod clock;
mod context;
mod definition;
mod diagnostic;
mod execution;
mod failure;
mod intrinsic;
mod limits;
mod machine;
mod observer;
mod path;
mod run;
mod task;
mod template;
mod timestamp;

pub use clock::{Clock, SystemClock};
pub use diagnostic::{Diagnostic, InvalidDefinition};
pub use execution::{Outcome, Start};
pub use limits::{
    MAX_DEFINITION_BYTES, MAX_INTRINSIC_DEPTH, MAX_PAYLOAD_BYTES, MAX_PAYLOAD_DEPTH, MAX_STATE_NAME_CHARS,
};
pub use machine::{Machine, StateOutline};
pub use observer::{Event, NoObserver, Observer, StateKind};
pub use run::run;
pub use task::{TaskError, TaskRequest, Tasks};
