//! A nonce in each answer of the partner's, which only the partner's own log knows besides: an answer that carries it was
//! fetched by our function, for nobody else is told the partner's address.

use std::collections::BTreeSet;

use scripted_partner::{Behaviour, Log, Script, Step};
use serde_json::{Value, json};

use crate::answer::Answer;

/// The header that carries it, from the partner through the policy's `passHeaders` to the customer.
pub(crate) const HEADER: &str = "x-nonce";

/// Lets a policy file pass it on, with whatever else it passes on.
pub(crate) fn pass(file: &mut Value) {
    match &mut file["call"]["passHeaders"] {
        Value::Array(names) => names.push(HEADER.into()),
        none => *none = json!([HEADER]),
    }
}

/// Takes it from an execution's `headers`.
pub(crate) fn take(headers: &mut Value) -> Option<String> {
    let nonce = headers.as_object_mut()?.shift_remove(HEADER)?;
    nonce.as_str().map(str::to_owned)
}

/// The script with a nonce in each answer.
pub(crate) fn signed(script: &Script) -> Script {
    let mut script = script.clone();
    if script.steps.is_empty() {
        script.steps.push(Step {
            behaviour: Behaviour::healthy(),
            times: 1,
        });
    }
    let steps = script.steps.iter_mut().chain(script.paths.values_mut().flatten());
    for step in steps {
        let answer = match &mut step.behaviour {
            Behaviour::Answer(answer) => answer,
            Behaviour::Hang(cut) | Behaviour::Reset(cut) | Behaviour::Truncate(cut) => &mut cut.answer,
            Behaviour::Drip(drip) => &mut drip.answer,
            Behaviour::Raw(_) => continue,
        };
        answer.headers.insert(HEADER.to_owned(), "{{nonce}}".to_owned());
    }
    script
}

/// A line for each live answer that is none of the partner's, or one that somebody else got already.
pub(crate) fn differences(answers: &[Answer], log: &Log, seen: &mut BTreeSet<String>) -> Vec<String> {
    let is_new = |nonce: &str, seen: &mut BTreeSet<String>| {
        log.entries.iter().any(|entry| entry.nonce == nonce) && seen.insert(nonce.to_owned())
    };
    let live = answers.iter().filter(|answer| answer.reason == "live");
    let strange = live.filter(|answer| !answer.nonce.as_deref().is_some_and(|nonce| is_new(nonce, seen)));
    strange
        .map(|answer| {
            let nonce = answer.nonce.as_deref().unwrap_or("no nonce");
            format!("not an answer of the partner's own ({nonce}): {}", answer.short())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use scripted_partner::Partner;

    use super::*;

    fn live(nonce: Option<&str>) -> Answer {
        Answer {
            reason: "live".to_owned(),
            nonce: nonce.map(str::to_owned),
            ..Answer::default()
        }
    }

    #[tokio::test]
    async fn only_an_answer_that_the_partner_gave_once_is_its_own() {
        let partner = Partner::start(signed(&Script::default())).unwrap();
        let client = crate::http::client().unwrap();
        let response = client.get(partner.url("/")).send().await.unwrap();
        let nonce = response.headers()[HEADER].to_str().unwrap().to_owned();
        let found = |answer, seen: &mut _| differences(&[answer], &partner.log(), seen).len();
        let mut seen = BTreeSet::new();
        assert_eq!(found(live(None), &mut seen), 1);
        assert_eq!(found(live(Some("made up")), &mut seen), 1);
        assert_eq!(found(live(Some(&nonce)), &mut seen), 0);
        assert_eq!(found(live(Some(&nonce)), &mut seen), 1);
        assert_eq!(found(Answer::default(), &mut seen), 0);
    }

    #[test]
    fn it_is_passed_on_with_the_policys_own_headers() {
        let mut file = json!({ "call": { "passHeaders": ["etag"] } });
        pass(&mut file);
        assert_eq!(file["call"]["passHeaders"], json!(["etag", HEADER]));
    }
}
