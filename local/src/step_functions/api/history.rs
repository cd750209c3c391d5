//! GetExecutionHistory.

use serde_json::{Value, json};
use states_language::history::HistoryEvent;

use super::request::Request;
use crate::step_functions::{StepFunctions, StepFunctionsError, token};

/// How many events a page holds when nobody says.
const PAGE: usize = 100;
pub(super) fn get(sfn: &StepFunctions, request: &Request) -> Result<Value, StepFunctionsError> {
    let execution = sfn.execution(request.required("executionArn")?)?;
    let limit = request.page(PAGE)?;
    let reverse = request.flag("reverseOrder")?.unwrap_or(false);
    let with_data = request.flag("includeExecutionData")?.unwrap_or(true);
    let list = format!("history {}", execution.arn);
    let token = token::read(&list, request.text("nextToken")?)?;
    // A position is the id of the last event of the page before.
    let after = token.map(|position| position.parse::<u64>().map_err(|_| StepFunctionsError::InvalidToken));
    let after = after.transpose()?;

    let history = execution.history(sfn.region());
    Ok(history.with_events(|events| {
        let follows = |id: u64| match after {
            None => true,
            Some(after) if reverse => id < after,
            Some(after) => id > after,
        };
        let mut in_order: Vec<_> = events.iter().filter(|event| follows(event.id)).collect();
        if reverse {
            in_order.reverse();
        }
        let more = in_order.len() > limit;
        in_order.truncate(limit);
        let page: Vec<Value> = in_order.iter().map(|event| tell(event, with_data)).collect();
        let mut answer = json!({ "events": page });
        if let (true, Some(last)) = (more, in_order.last()) {
            answer["nextToken"] = token::give(&list, &last.id.to_string()).into();
        }
        answer
    }))
}

fn tell(event: &HistoryEvent, with_data: bool) -> Value {
    let told = if with_data {
        serde_json::to_value(event)
    } else {
        serde_json::to_value(event.clone().without_data())
    };
    // It is made of texts and numbers alone.
    told.unwrap_or_default()
}
