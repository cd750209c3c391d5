//! An interpreter of the Amazon States Language (JSONPath).

mod clock;
mod diagnostic;
mod execution;
mod machine;
mod observer;
mod task;

pub use clock::{Clock, SystemClock};
pub use diagnostic::{Diagnostic, InvalidDefinition};
pub use execution::{Outcome, Start};
pub use machine::{Machine, StateOutline, run};
pub use observer::{Event, NoObserver, Observer, StateKind};
pub use task::{TaskError, TaskRequest, Tasks};
