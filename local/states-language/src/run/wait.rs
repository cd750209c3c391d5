//! Wait states.

use std::time::Duration;

use serde_json::Value;

use super::Execution;
use crate::definition::{Next, Quantity, State, Until, WaitBody};
use crate::failure::Failure;
use crate::template::unselected;
use crate::timestamp;

impl Execution<'_> {
    /// Lets the time pass; the input is the output. A moment that has passed is no wait.
    pub(super) async fn wait(
        &self,
        state: &State,
        wait: &WaitBody,
        raw: Value,
        context: &Value,
    ) -> Result<(Value, Next), Failure> {
        let data = state.input.take("InputPath", raw, context)?;
        self.inspect(|seen| &mut seen.after_input_path, &data);
        let time = self.time_to_wait(&wait.until, &data, context)?;
        self.clock.sleep(time).await;
        Ok((state.filtered(data, context)?, wait.next))
    }

    fn time_to_wait(&self, until: &Until, data: &Value, context: &Value) -> Result<Duration, Failure> {
        let moment = match until {
            Until::Seconds(seconds) => return Ok(Duration::from_secs(seconds.value(data, context)?.into())),
            Until::Timestamp(moment) => *moment,
            Until::TimestampPath(path) => {
                const FIELD: &str = "TimestampPath";
                let found = path.select(data, context).map_err(|why| unselected(path, FIELD, why))?;
                let text = found.into_value();
                text.as_str().and_then(timestamp::parse).ok_or_else(|| {
                    Failure::runtime(format!(
                        "The {FIELD} parameter '{path}' does not reference a valid ISO-8601 extended offset date-time \
                         format string."
                    ))
                })?
            }
        };
        Ok(Duration::try_from(moment - self.clock.now()).unwrap_or_default())
    }
}

impl Quantity {
    /// The number, from the input as `InputPath` filters it.
    pub(super) fn value(&self, data: &Value, context: &Value) -> Result<u32, Failure> {
        let (field, path, least, most) = match self {
            Self::Given(number) => return Ok(*number),
            Self::Read {
                field,
                path,
                least,
                most,
            } => (field, path, *least, *most),
        };
        let found = path
            .select(data, context)
            .map_err(|why| unselected(path, field, why))?
            .into_value();
        let Some(whole) = found.as_i64() else {
            return Err(Failure::runtime(format!(
                "The {field} parameter cannot be parsed as a long value: {path}"
            )));
        };
        let within = u32::try_from(whole).ok().filter(|whole| (least..=most).contains(whole));
        within.ok_or_else(|| {
            Failure::runtime(if whole < 0 {
                format!("The {field} parameter references a negative value: {path}")
            } else {
                format!("The {field} parameter references a value that is not between {least} and {most}: {path}")
            })
        })
    }
}
