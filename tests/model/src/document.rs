//! `docs/model.md`, from the same tables that the tests check.

use std::fmt::Write;

use crate::gallery::Picture;
use crate::guards;
use crate::law::Law;
use crate::refuted;
use crate::removed;
use crate::scenarios;

/// The whole document.
pub fn document(pictures: &[Picture]) -> String {
    let mut text = String::from(HEAD);
    // Writing to a string can't fail.
    let mut line = |line: String| {
        let _ = writeln!(text, "{line}");
    };
    line("## What holds\n".to_owned());
    line("In every state of every scenario, in the words of the protocol:\n".to_owned());
    for law in Law::ALL {
        line(format!("- {}", law.text()));
    }
    line("\n## What is explored\n".to_owned());
    line("| scenario | what it is there for | distinct states | depth | seen to happen |".to_owned());
    line("| --- | --- | ---: | ---: | --- |".to_owned());
    let mut states = 0;
    for scenario in scenarios::all() {
        let sights: Vec<_> = scenario.sights.iter().map(|sight| sight.text()).collect();
        states += scenario.states;
        line(format!(
            "| {} | {} | {} | {} | {} |",
            scenario.name,
            scenario.about,
            grouped(scenario.states),
            scenario.depth,
            sights.join("; ")
        ));
    }
    line(format!(
        "\n{} states in all. `make model` explores the same with larger bounds.",
        grouped(states)
    ));
    line(format!("\n{RECOVERY}"));
    line("\n## Each condition is needed\n".to_owned());
    line("Each condition of each kind of update, taken away alone, and the law that then breaks first:\n".to_owned());
    line("| update | condition taken away | scenario | broken |".to_owned());
    line("| --- | --- | --- | --- |".to_owned());
    for row in &removed::CONDITIONS {
        line(format!(
            "| {} | {} | {} | {} |",
            row.kind.text(),
            row.about.text(),
            row.scenario,
            row.broken.text()
        ));
    }
    line("\n## Each assignment is needed\n".to_owned());
    line(format!(
        "But those to what no decision reads ({}), and that of a failure to its slice, which is the count itself:\n",
        removed::NOT_READ.map(|name| format!("`{name}`")).join(", ")
    ));
    line("| update | assignment taken away | scenario | broken |".to_owned());
    line("| --- | --- | --- | --- |".to_owned());
    for row in &removed::ASSIGNMENTS {
        line(format!(
            "| {} | `{}` | {} | {} |",
            row.kind.text(),
            row.attribute,
            row.scenario,
            row.broken.text()
        ));
    }
    line("\n## Each guard is needed\n".to_owned());
    line("Guards of decisions, assignments and choices of the workflow, taken away from outside:\n".to_owned());
    line("| taken away | scenario | broken |".to_owned());
    line("| --- | --- | --- |".to_owned());
    for row in &guards::GUARDS {
        line(format!("| {} | {} | {} |", row.text, row.scenario, row.broken.text()));
    }
    line("\n## Known designs, refuted\n".to_owned());
    line("| design | scenario | broken | what goes wrong |".to_owned());
    line("| --- | --- | --- | --- |".to_owned());
    for row in &refuted::DESIGNS {
        line(format!(
            "| {} | {} | {} | {} |",
            row.text,
            row.scenario,
            row.broken.text(),
            row.consequence
        ));
    }
    line("\n## Traces\n".to_owned());
    for picture in pictures {
        line(format!("![{}](traces/{})\n", picture.title, picture.file));
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// A number with its thousands apart.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

const HEAD: &str = "\
<!-- Generated: cargo run -p model --example traces. A test fails when this file is not what is generated. -->

# The protocol, proven

The breaker's protocol is explored in every interleaving by a model checker (stateright), with the code that runs in
production: the model calls the decisions and procedures of `lambdas/breaker` and evaluates the conditional updates that
they give. What the model adds is who comes when, what gets lost, and what must hold. It is in `tests/model`.

A step is one of: an execution reads the item, which may be an earlier version; a call to the partner begins or ends, well
or badly; the table gets one write, and its writer hears the answer or does not; a holder of a lease, or a recorder between
its two writes, dies; a person is shown the item, or writes on what was shown; time goes on; DynamoDB deletes the item.
Three callers have the same code and the same chances, so that states which differ only in who is who are one state.

What is bounded: how many executions, steps of time, deaths, lost answers, stale reads and commands there are; each
scenario has its own bounds and is explored to the end within them. What is left out: an execution that falls back at once,
a usual call that succeeds, and a failed read write nothing, and so are not steps (the deep run has the second of them).

";

const RECOVERY: &str = "\
Recovery is checked twice. In every state of every scenario one undisturbed execution at a time, with a healthy partner,
closes an open circuit as soon as its gate opens, and N fresh failures open a closed one. And the whole graph of *calm after
a storm* is walked backwards from the closed circuits: each state within the bounds reaches one, as soon as the gate opens.";
