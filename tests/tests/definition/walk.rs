//! Ways through the definition.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{State, list, states};

/// Where a state leads, in any way.
pub fn edges(state: &State) -> Vec<String> {
    let own = ["Next", "Default"].into_iter().filter_map(|field| state.get(field));
    let listed = ["Choices", "Catch"]
        .into_iter()
        .flat_map(|field| list(state, field))
        .map(|each| &each["Next"]);
    own.chain(listed).filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The dearest way from a state to any end. A loop is found out too.
pub fn longest(from: &str, cost: &dyn Fn(&str) -> u64) -> u64 {
    let states = states();
    let (mut above, mut known) = (Vec::new(), BTreeMap::new());
    dearest(from, &states, cost, &mut above, &mut known)
}

fn dearest(
    from: &str,
    states: &BTreeMap<String, State>,
    cost: &dyn Fn(&str) -> u64,
    above: &mut Vec<String>,
    known: &mut BTreeMap<String, u64>,
) -> u64 {
    assert!(
        !above.iter().any(|state| state == from),
        "a loop: {above:?}, and {from} again"
    );
    if let Some(known) = known.get(from) {
        return *known;
    }
    above.push(from.to_owned());
    let rest = edges(&states[from])
        .iter()
        .map(|next| dearest(next, states, cost, above, known))
        .max();
    above.pop();
    let total = cost(from) + rest.unwrap_or(0);
    known.insert(from.to_owned(), total);
    total
}
