//! The pictures of `docs/traces`: the late success, theirs and ours, and each refuted design.

use stateright::{Checker, HasDiscoveries, Model};

use crate::design::Design;
use crate::explore::{self, Trace};
use crate::picture::{Caption, Ending, draw};
use crate::refuted::{self, Refuted};
use crate::scenarios;
use crate::sight::Sight;
use crate::story::{again, answered_last, tell};
use crate::system::System;

/// A file of `docs/traces`.
pub struct Picture {
    /// Its name.
    pub file: String,
    /// What it shows, for the table of contents.
    pub title: String,
    /// The SVG.
    pub svg: String,
}

const SHORTEST: &str = "A shortest trace that the model finds. Time goes down.";

/// All of them; none where a trace that is to be drawn does not exist.
pub fn pictures() -> Option<Vec<Picture>> {
    let mut pictures = Vec::new();
    for design in &refuted::DESIGNS {
        let trace = trace_of(design)?;
        let file = format!("{}.svg", design.slug);
        if design.slug == "unconditional-close" {
            let steps = answered_last(&trace);
            pictures.push(late_success_theirs(design, &steps)?);
            pictures.push(late_success_ours(&steps)?);
            pictures.push(late_probe_ours()?);
            continue;
        }
        let law = format!("Broken: {}", design.broken.text());
        let (title, about) = design.text.split_once(": ").unwrap_or((design.text, SHORTEST));
        let caption = Caption {
            title,
            about,
            ending: Ending::Broken,
            verdict: &[&law, design.consequence],
        };
        pictures.push(picture(file, &trace, &caption));
    }
    Some(pictures)
}

/// The shortest trace that breaks the law that a refuted design is known to break.
pub fn trace_of(design: &Refuted) -> Option<Trace> {
    let scenario = scenarios::named(design.scenario)?;
    let found = explore::until_broken(&scenario, (design.design)());
    found
        .broken
        .into_iter()
        .find(|(law, _)| *law == design.broken)
        .map(|(_, trace)| trace)
}

fn picture(file: String, trace: &Trace, caption: &Caption) -> Picture {
    Picture {
        file,
        title: caption.title.to_owned(),
        svg: draw(&tell(trace), caption),
    }
}

fn late_success_theirs(design: &Refuted, steps: &Trace) -> Option<Picture> {
    let scenario = scenarios::named(design.scenario)?;
    let trace = again(steps, &System::new(scenario, (design.design)()));
    if !trace.last()?.0.ghost.broken.has(design.broken) {
        return None;
    }
    let law = format!("Broken: {}", design.broken.text());
    let caption = Caption {
        title: "The late success, theirs: whoever succeeds writes CLOSED",
        about: "A shortest trace that the model finds, with the answer as late as it can be. Time goes down.",
        ending: Ending::Broken,
        verdict: &[&law, design.consequence],
    };
    Some(picture("late-success-theirs.svg".to_owned(), &trace, &caption))
}

fn late_success_ours(theirs: &Trace) -> Option<Picture> {
    let mut scenario = scenarios::named("openings")?;
    scenario.healthy_calls = true;
    let trace = again(theirs, &System::new(scenario, Design::default()));
    let caption = Caption {
        title: "The late success, ours: the same steps",
        about: "The success of a usual call writes nothing. Only a probe closes, under its own lease.",
        ending: Ending::Kept,
        verdict: &[
            "It stays open",
            "Closing takes a probe's success, whose lease is still its own.",
        ],
    };
    Some(picture("late-success-ours.svg".to_owned(), &trace, &caption))
}

fn late_probe_ours() -> Option<Picture> {
    let mut scenario = scenarios::named("leases")?;
    scenario.budget.losses = 0;
    scenario.budget.deaths = 0;
    scenario.undecided = false;
    let wanted = Sight::LateSuccess;
    scenario.sights = &[Sight::LateSuccess];
    let mut system = System::new(scenario, Design::default());
    system.remembers = true;
    let checker = system
        .checker()
        .finish_when(HasDiscoveries::AnyOf([wanted.text()].into()))
        .threads(1)
        .spawn_bfs()
        .join();
    let trace = checker.discovery(wanted.text())?.into_vec();
    let caption = Caption {
        title: "A probe's late success, ours: its lease was taken meanwhile",
        about: "The lease ran out and another execution took it: a new epoch, and another's token.",
        ending: Ending::Kept,
        verdict: &[
            "Refused by the table: the epoch is not the one that it was decided on",
            "Decided once more on the item that the refusal shows: another's token, so nothing is written.",
        ],
    };
    Some(picture("late-probe-ours.svg".to_owned(), &trace, &caption))
}
