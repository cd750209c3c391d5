//! Draws a story as an SVG: a lane for each who takes part, time downwards, and the circuit's state along the table's
//! lane. Nothing in it depends on the machine: no fonts from elsewhere, no measuring.

use std::fmt::Write;

use crate::story::{Beat, Fate, Lane, Shows, Story};

const LANE: usize = 190;
const ROW: usize = 40;
const TOP: usize = 108;

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A law was broken.
    Broken,
    /// It went well.
    Kept,
}

/// A picture's words beside its story.
pub struct Caption<'a> {
    /// What it shows.
    pub title: &'a str,
    /// What is to be seen in it.
    pub about: &'a str,
    /// How it ended.
    pub ending: Ending,
    /// In words: one line each.
    pub verdict: &'a [&'a str],
}

/// Draws it.
pub fn draw(story: &Story, caption: &Caption) -> String {
    let lanes = lanes(story);
    let width = LANE * lanes.len().max(4);
    let bottom = TOP + ROW * (story.len() + 1);
    let verdict: Vec<(usize, String)> = (caption.verdict.iter().enumerate())
        .flat_map(|(at, text)| wrapped(text, (width - 60) / 8).into_iter().map(move |line| (at, line)))
        .collect();
    let height = bottom + 26 + 22 * verdict.len() + 18;
    let mut svg = String::new();
    let x = |lane: Lane| {
        let place = lanes.iter().position(|other| *other == lane).unwrap_or(0);
        (width / lanes.len()) * place + width / lanes.len() / 2
    };
    let mut add = |text: String| {
        // Writing to a string can't fail.
        let _ = writeln!(svg, "{text}");
    };
    add(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif\" font-size=\"13\" role=\"img\">"
    ));
    add(format!("<title>{}</title>", escaped(caption.title)));
    add(format!(
        "<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#ffffff\"/>"
    ));
    add(text(
        20,
        30,
        caption.title,
        "font-size=\"17\" font-weight=\"600\" fill=\"#1f2328\"",
    ));
    add(text(20, 52, caption.about, "fill=\"#59636e\""));
    for lane in &lanes {
        let at = x(*lane);
        add(format!(
            "<line x1=\"{at}\" y1=\"{}\" x2=\"{at}\" y2=\"{bottom}\" stroke=\"#d1d9e0\" stroke-width=\"2\"/>",
            TOP - 16
        ));
        add(format!(
            "<rect x=\"{}\" y=\"{}\" width=\"96\" height=\"26\" rx=\"13\" fill=\"#f6f8fa\" stroke=\"#d1d9e0\"/>",
            at - 48,
            TOP - 42
        ));
        add(text(
            at,
            TOP - 24,
            &name(*lane),
            "text-anchor=\"middle\" font-weight=\"600\" fill=\"#1f2328\"",
        ));
    }
    // What the table shows, from the beginning on: a circuit that is probed in the first row was open before.
    let first = match story.first() {
        Some((_, Shows::Closed)) | None => Shows::Closed,
        Some(_) => Shows::Open,
    };
    let mut shown = first;
    let mut since = TOP - 10;
    let table = x(Lane::Table);
    let rows = story
        .iter()
        .enumerate()
        .map(|(row, (_, shows))| (TOP + ROW * row + 24, *shows));
    for (y, shows) in rows.chain([(bottom, Shows::Closed)]) {
        if shows != shown || y == bottom {
            add(band(table, since, y, shown));
            (shown, since) = (shows, y);
        }
    }
    for (row, (beat, _)) in story.iter().enumerate() {
        let y = TOP + ROW * row + 24;
        match beat {
            Beat::Message {
                from,
                to,
                text: what,
                fate,
            } => add(message(x(*from), x(*to), y, what, *fate)),
            Beat::Note {
                lane,
                text: what,
                is_end,
            } => {
                let colour = if *is_end { "#cf222e" } else { "#59636e" };
                if *is_end {
                    add(cross(x(*lane), y, colour));
                }
                add(text(x(*lane) + 12, y + 5, what, &label(colour, "start")));
            }
            Beat::Later(what) => {
                add(format!(
                    "<line x1=\"20\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"#9198a1\" stroke-dasharray=\"2 5\"/>",
                    width - 20
                ));
                add(text(24, y - 6, what, &label("#59636e", "start")));
            }
        }
    }
    let (colour, tint, mark) = match caption.ending {
        Ending::Broken => ("#cf222e", "#ffebe9", "✗"),
        Ending::Kept => ("#1a7f37", "#dafbe1", "✓"),
    };
    add(format!(
        "<rect x=\"14\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\" fill=\"{tint}\" stroke=\"{colour}\"/>",
        bottom + 12,
        width - 28,
        22 * verdict.len() + 12
    ));
    for (line, (at, words)) in verdict.iter().enumerate() {
        let words = if line == 0 {
            format!("{mark} {words}")
        } else {
            words.clone()
        };
        let weight = if *at == 0 { "600" } else { "400" };
        let attributes = format!("fill=\"{colour}\" font-weight=\"{weight}\"");
        add(text(26, bottom + 34 + 22 * line, &words, &attributes));
    }
    add("</svg>".to_owned());
    svg
}

fn lanes(story: &Story) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = (story.iter())
        .flat_map(|(beat, _)| match beat {
            Beat::Message { from, to, .. } => vec![*from, *to],
            Beat::Note { lane, .. } => vec![*lane],
            Beat::Later(_) => vec![],
        })
        .chain([Lane::Partner, Lane::Table])
        .collect();
    lanes.sort_unstable();
    lanes.dedup();
    lanes
}

fn name(lane: Lane) -> String {
    match lane {
        Lane::Partner => "partner".to_owned(),
        Lane::Caller(name) => format!("caller {name}"),
        Lane::Person => "person".to_owned(),
        Lane::Table => "table".to_owned(),
    }
}

fn band(x: usize, from: usize, to: usize, shows: Shows) -> String {
    let (colour, word) = match shows {
        Shows::Closed => ("#4ac26b", "closed"),
        Shows::Open => ("#e5534b", "open"),
        Shows::Probing => ("#d4a72c", "probing"),
    };
    let mut band = format!(
        "<rect x=\"{}\" y=\"{from}\" width=\"10\" height=\"{}\" fill=\"{colour}\"/>",
        x - 5,
        to - from
    );
    // Beside the lane, reading downwards, where there is room for the word.
    if to - from >= 36 {
        let (at, y) = (x + 20, (from + to) / 2);
        let _ = write!(
            band,
            "\n<text x=\"{at}\" y=\"{y}\" transform=\"rotate(90 {at} {y})\" text-anchor=\"middle\" font-size=\"11\" \
             fill=\"{colour}\">{word}</text>"
        );
    }
    band
}

fn message(from: usize, to: usize, y: usize, what: &str, fate: Fate) -> String {
    let colour = match fate {
        Fate::Arrives => "#0969da",
        Fate::Bad | Fate::Refused => "#cf222e",
        Fate::Unheard => "#9a6700",
    };
    let dashes = if fate == Fate::Refused {
        " stroke-dasharray=\"5 4\""
    } else {
        ""
    };
    let to_the_right = from < to;
    // The tip stays clear of the table's band.
    let tip = if to_the_right { to - 8 } else { to + 8 };
    let (back, above, below) = (if to_the_right { tip - 8 } else { tip + 8 }, y - 4, y + 4);
    let mut drawn = format!(
        "<line x1=\"{from}\" y1=\"{y}\" x2=\"{tip}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"1.6\"{dashes}/>\n\
         <path d=\"M{tip} {y} L{back} {above} L{back} {below} Z\" fill=\"{colour}\"/>\n\
         <circle cx=\"{from}\" cy=\"{y}\" r=\"3\" fill=\"{colour}\"/>\n"
    );
    let what = match fate {
        Fate::Refused => format!("{what}: refused"),
        Fate::Unheard => format!("{what} (its answer is lost)"),
        Fate::Arrives | Fate::Bad => what.to_owned(),
    };
    // At the one who acts or is told, so that words stay apart from the lanes in between.
    let caller_is_from = to_the_right || from > to;
    let near = if caller_is_from { from } else { to };
    let (at, anchor) = if to_the_right {
        (near + 10, "start")
    } else {
        (near - 10, "end")
    };
    drawn.push_str(&text(at, y - 7, &what, &label(colour, anchor)));
    drawn
}

fn label(colour: &str, anchor: &str) -> String {
    format!(
        "text-anchor=\"{anchor}\" fill=\"{colour}\" stroke=\"#ffffff\" stroke-width=\"4\" stroke-linejoin=\"round\" \
         paint-order=\"stroke\""
    )
}

fn cross(x: usize, y: usize, colour: &str) -> String {
    let (left, right, top, bottom) = (x - 6, x + 6, y - 6, y + 6);
    format!(
        "<path d=\"M{left} {top} L{right} {bottom} M{right} {top} L{left} {bottom}\" stroke=\"{colour}\" \
         stroke-width=\"2.5\"/>"
    )
}

/// Words in lines of so many characters at most.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        if lines[last].is_empty() {
            lines[last].push_str(word);
        } else if lines[last].len() + 1 + word.len() <= most {
            lines[last].push(' ');
            lines[last].push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

fn text(x: usize, y: usize, what: &str, attributes: &str) -> String {
    format!("<text x=\"{x}\" y=\"{y}\" {attributes}>{}</text>", escaped(what))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
