//! A payload on its way through a state: filtered, placed, measured.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::definition::{Filter, ResultPlace, State};
use crate::failure::{Failure, RESULT_PATH_MATCH_FAILURE};
use crate::limits;
use crate::template::unselected;

impl Filter {
    /// The filtered payload, lent where it can be.
    pub(super) fn view<'v>(&self, field: &str, data: &'v Value, context: &'v Value) -> Result<Cow<'v, Value>, Failure> {
        use crate::path::Selected;
        match self {
            Self::All => Ok(Cow::Borrowed(data)),
            Self::Nothing => Ok(Cow::Owned(Value::Object(Map::new()))),
            Self::Path(path) => match path.select(data, context) {
                Ok(Selected::One(value)) => Ok(Cow::Borrowed(value)),
                Ok(many) => Ok(Cow::Owned(many.into_value())),
                Err(why) => Err(unselected(path, field, why)),
            },
        }
    }

    /// The filtered payload, taken out of the whole.
    pub(super) fn take(&self, field: &str, data: Value, context: &Value) -> Result<Value, Failure> {
        match self {
            Self::All => Ok(data),
            Self::Nothing => Ok(Value::Object(Map::new())),
            Self::Path(path) => path.take(data, context).map_err(|why| unselected(path, field, why)),
        }
    }

    pub(super) fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }
}

impl ResultPlace {
    /// Puts a result into a state's raw input, which it leaves alone when that can't be done.
    pub(super) fn put(&self, result: Value, raw: &mut Value) -> Result<(), Failure> {
        match self {
            Self::Everything => *raw = result,
            Self::Nowhere => {}
            Self::At(path) => path.insert(raw, result).map_err(|mismatch| {
                let cause = format!(
                    "Unable to apply ResultPath '{path}' to the input, at step '{}'.",
                    mismatch.step
                );
                Failure::found(RESULT_PATH_MATCH_FAILURE, cause)
            })?,
        }
        Ok(())
    }
}

impl State {
    /// A state's output, which it made or changed, if it is not too large.
    pub(super) fn measured(&self, output: Value) -> Result<Value, Failure> {
        match limits::check(&output) {
            Ok(()) => Ok(output),
            Err(oversize) => Err(Failure::oversize(&self.name, oversize)),
        }
    }

    /// The output of a state that changes its payload by its filters alone; without any there is nothing to measure.
    pub(super) fn filtered(&self, data: Value, context: &Value) -> Result<Value, Failure> {
        if self.input.is_all() && self.output.is_all() {
            return Ok(data);
        }
        self.measured(self.output.take("OutputPath", data, context)?)
    }
}
