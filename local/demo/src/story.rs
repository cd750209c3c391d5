//! The story: what happens in which order, and what is remembered of it.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use scripted_partner::{Answer as PartnerAnswer, Behaviour, Partner, Script, Stamp};
use tokio::task::JoinSet;

use crate::{
    answer::Answer,
    circuit,
    front_door::FrontDoor,
    terminal::{Colour, Terminal},
};

pub const HEALTHY_CALLS: usize = 3;
pub const OPEN_CALLS: usize = 8;
pub const CALLERS_AT_ONCE: usize = 20;
pub const RECOVERED_CALLS: usize = 3;
const PROBE_TAKES_MS: u64 = 500;

/// Added to the wait, so that no caller is early by a rounding.
const MARGIN: Duration = Duration::from_millis(20);

/// What can be made to go wrong, to see the checks fail.
#[derive(Debug, Clone, Copy)]
pub struct Twists {
    pub fail_first_probe: bool,
    pub stray_request: bool,
}

/// A part of the story: what the customers got, and from when to when on the partner's clock.
pub struct Act {
    pub name: &'static str,
    pub answers: Vec<Answer>,
    pub began: Stamp,
    pub ended: Stamp,
}

/// The acts in their order. Each begins when the one before it has ended.
pub struct Story {
    pub healthy: Act,
    pub failing: Act,
    pub open: Act,
    pub waiting: Act,
    pub probing: Act,
    pub recovered: Act,
}

impl Story {
    pub fn acts(&self) -> [&Act; 6] {
        [
            &self.healthy,
            &self.failing,
            &self.open,
            &self.waiting,
            &self.probing,
            &self.recovered,
        ]
    }
}

/// Lets it happen.
pub async fn tell(
    terminal: Terminal,
    partner: &Partner,
    front_door: &FrontDoor,
    twists: Twists,
) -> anyhow::Result<Story> {
    let mut teller = Teller {
        terminal,
        partner,
        front_door,
        asked: 0,
        act_began: partner.now(),
    };

    terminal.heading("1  The partner is well");
    partner.set(answering(0));
    let answers = teller.ask_in_turn(HEALTHY_CALLS).await?;
    let healthy = teller.act("healthy", answers);

    terminal.heading("2  The partner hangs: it accepts, and never answers");
    partner.set(Behaviour::hang());
    let answers = teller.ask_in_turn(circuit::FAILURES).await?;
    let wait_over = Instant::now() + Duration::from_millis(circuit::OPEN_FOR_MS) + MARGIN;
    let failing = teller.act("failing", answers);

    terminal.heading("3  The breaker is open: the partner still hangs, and nobody waits for it");
    let answers = teller.ask_in_turn(OPEN_CALLS).await?;
    let stored = front_door.stored().await.context("can't read the circuit")?;
    terminal.line(&terminal.colour(Colour::Dim, &format!("its item: {stored}")));
    let open = teller.act("open", answers);

    terminal.heading("4  The wait; meanwhile the partner recovers, and is slow");
    let recovery = if twists.fail_first_probe {
        Script::in_turn([
            PartnerAnswer::new(500, "{}").after_ms(PROBE_TAKES_MS),
            answering(PROBE_TAKES_MS),
        ])
    } else {
        answering(PROBE_TAKES_MS).into()
    };
    partner.set(recovery);
    if twists.stray_request {
        terminal.line("(as told, somebody else's request reaches the partner)");
        front_door
            .stray(partner.url("/stray"))
            .await
            .context("the stray request got no answer")?;
    }
    terminal.wait("the breaker is open", wait_over).await;
    let waiting = teller.act("waiting", Vec::new());

    terminal.heading(&format!("5  The wait ends under {CALLERS_AT_ONCE} callers at once"));
    let answers = teller.ask_at_once(CALLERS_AT_ONCE).await?;
    let probing = teller.act("probing", answers);

    terminal.heading("6  The partner is well again");
    partner.set(answering(0));
    let answers = teller.ask_in_turn(RECOVERED_CALLS).await?;
    let recovered = teller.act("recovered", answers);

    Ok(Story {
        healthy,
        failing,
        open,
        waiting,
        probing,
        recovered,
    })
}

/// The partner's answer, with a nonce that only its own log knows besides.
fn answering(after_ms: u64) -> PartnerAnswer {
    PartnerAnswer::new(200, r#"{"deliveryDays":2,"nonce":"{{nonce}}"}"#).after_ms(after_ms)
}

struct Teller<'a> {
    terminal: Terminal,
    partner: &'a Partner,
    front_door: &'a FrontDoor,
    asked: usize,
    act_began: Stamp,
}

impl Teller<'_> {
    async fn ask_in_turn(&mut self, times: usize) -> anyhow::Result<Vec<Answer>> {
        let mut answers = Vec::with_capacity(times);
        for number in self.numbers(times) {
            let answer = self.front_door.ask(number).await?;
            self.terminal.answer(&answer);
            answers.push(answer);
        }
        Ok(answers)
    }

    /// The answers in the order in which they came.
    async fn ask_at_once(&mut self, callers: usize) -> anyhow::Result<Vec<Answer>> {
        let mut asking = JoinSet::new();
        for number in self.numbers(callers) {
            let front_door = self.front_door.clone();
            asking.spawn(async move { front_door.ask(number).await });
        }
        let mut answers = Vec::with_capacity(callers);
        while let Some(answer) = asking.join_next().await {
            let answer = answer.context("a caller was lost")??;
            self.terminal.answer(&answer);
            answers.push(answer);
        }
        Ok(answers)
    }

    fn numbers(&mut self, count: usize) -> std::ops::Range<usize> {
        let first = self.asked + 1;
        self.asked += count;
        first..first + count
    }

    fn act(&mut self, name: &'static str, answers: Vec<Answer>) -> Act {
        let (began, ended) = (self.act_began, self.partner.now());
        self.act_began = ended;
        Act {
            name,
            answers,
            began,
            ended,
        }
    }
}
