//! One execution of the workflow: reads, asks for the lease, calls and records, as the definition and the functions do.

use std::sync::Arc;

use breaker::acquisition::{Acquisition, Answer};
use breaker::clock::Timestamp;
use breaker::decision::Failure;
use breaker::item::Item;
use breaker::policy::Policy;
use breaker::procedure::Procedure;
use breaker::recording::{Call, Recorded, Recording, Verdict};

use model::workflow::{self, Route};

use crate::clock::Clock;
use crate::invariant::{self, Account};
use crate::journal::{Journal, Kept, Sabotage};
use crate::partner::Partner;
use crate::store::Store;

/// One circuit with all that its executions share.
pub struct Circuit {
    /// Its policy, with its name.
    pub policy: Policy,
    /// Its item as the race began.
    pub began: Item,
    /// The table.
    pub store: Store,
    /// The true clock.
    pub clock: Clock,
    /// The partner.
    pub partner: Partner,
    /// What was written.
    pub journal: Arc<Journal>,
    /// A known bad design in the place of ours.
    pub sabotage: Option<Sabotage>,
}

/// One execution.
#[derive(Clone, Debug)]
pub struct Execution {
    /// Its token, different from every other's.
    pub token: String,
    /// How far its clocks are ahead.
    pub skew_ms: u64,
    /// That it dies with the partner's answer in its hands.
    pub dies: bool,
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The placeholder, without a call.
    FellBack,
    /// The lease could not be asked for: the store gave no answer in time.
    Unavailable,
    /// It called, with this outcome; as the probe or not. None of it was to be recorded.
    Called {
        /// Whether the partner worked.
        works: bool,
    },
    /// It called, and this was recorded.
    Recorded(Recorded),
    /// It held the lease for too short a while to call, and gave it back.
    TooLate(Recorded),
    /// It died after its call.
    Died,
}

impl Execution {
    /// An execution on true clocks that lives.
    pub fn new(token: impl Into<String>) -> Self {
        Self {
            token: token.into(),
            skew_ms: 0,
            dies: false,
        }
    }
}

/// What an execution knows when it may call: the item, and whether it is the probe.
#[derive(Clone, Debug)]
pub struct Known {
    /// The item that its outcome is recorded on.
    pub item: Item,
    /// That it holds the lease.
    pub is_probe: bool,
    /// When the execution started.
    pub started: Timestamp,
}

impl Circuit {
    /// A circuit whose item is `began` (absent where that is empty).
    pub fn new(policy: Policy, began: Item, store: &Store, clock: Clock, partner: Partner) -> Arc<Self> {
        Self::sabotaged(policy, began, store, clock, partner, None)
    }

    /// The same with a known bad design.
    pub fn sabotaged(
        policy: Policy,
        began: Item,
        store: &Store,
        clock: Clock,
        partner: Partner,
        sabotage: Option<Sabotage>,
    ) -> Arc<Self> {
        if !began.attributes().is_empty() {
            store.put(&policy.circuit, &began);
        }
        Arc::new(Self {
            policy,
            began,
            store: store.clone(),
            clock,
            partner,
            journal: Arc::default(),
            sabotage,
        })
    }

    /// The item as it is stored.
    pub fn stored(&self) -> Item {
        self.store.read(&self.policy.circuit)
    }

    /// One execution from its start to its end.
    pub async fn run(&self, execution: &Execution) -> End {
        match self.enter(execution).await {
            Err(end) => end,
            Ok(known) => {
                let verdict = match self.call(execution, &known).await {
                    Ok(verdict) => verdict,
                    Err(too_late) => return too_late,
                };
                if execution.dies {
                    return End::Died;
                }
                self.record(execution, known, verdict).await
            }
        }
    }

    /// Up to the call: reads, and asks for the lease where it is due.
    ///
    /// # Errors
    /// The end of an execution that may not call.
    pub async fn enter(&self, execution: &Execution) -> Result<Known, End> {
        let started = self.clock.ahead(execution.skew_ms);
        let item = self.stored();
        match workflow::after_read(&item, self.clock.ahead(execution.skew_ms)) {
            Route::FallBack => Err(End::FellBack),
            Route::Call => Ok(Known {
                item,
                is_probe: false,
                started,
            }),
            Route::Acquire => {
                let acquisition = Acquisition::new(self.policy.clone(), item.clone(), execution.token.clone());
                let kept = self.kept(acquisition, execution, &item);
                let now = || self.clock.ahead(execution.skew_ms);
                let Ok(acquired) = self.store.table.drive(&self.policy.circuit, kept, now).await else {
                    return Err(End::Unavailable);
                };
                if !workflow::calls_after(acquired.answer) {
                    return Err(End::FellBack);
                }
                Ok(Known {
                    item: acquired.item,
                    is_probe: acquired.answer == Answer::Granted,
                    started,
                })
            }
        }
    }

    /// The call; a probe's only where its lease lasts long enough.
    ///
    /// # Errors
    /// The end of a probe that came too late to call.
    pub async fn call(&self, execution: &Execution, known: &Known) -> Result<Verdict, End> {
        let now = self.clock.ahead(execution.skew_ms);
        let may_start = |until| workflow::may_start(now, self.partner.timeout_ms(), workflow::LEASE_SPARE_MS, until);
        if known.is_probe && !known.item.open_until().is_some_and(may_start) {
            let freed = self.record(execution, known.clone(), Verdict::Undecided).await;
            return Err(match freed {
                End::Recorded(recorded) => End::TooLate(recorded),
                other => other,
            });
        }
        let token = known.is_probe.then_some(execution.token.as_str());
        Ok(if self.partner.call(token, &self.clock).await {
            Verdict::Success
        } else {
            Verdict::Failure(Failure {
                kind: "timeout".to_owned(),
                message: "no answer in time".to_owned(),
            })
        })
    }

    /// After the call: records what must be.
    pub async fn record(&self, execution: &Execution, known: Known, verdict: Verdict) -> End {
        if !workflow::must_be_recorded(known.is_probe, &verdict) {
            return End::Called {
                works: verdict == Verdict::Success,
            };
        }
        let call = Call {
            known: known.item,
            token: known.is_probe.then(|| execution.token.clone()),
            went_out: known.started,
            verdict,
        };
        let seen = call.known.clone();
        let kept = self.kept(Recording::new(self.policy.clone(), call), execution, &seen);
        let now = || self.clock.ahead(execution.skew_ms);
        let recorded = self.store.table.drive(&self.policy.circuit, kept, now).await.unwrap();
        if let Some(transition) = recorded.transition() {
            self.journal.announce(transition.clone());
        }
        End::Recorded(recorded)
    }

    fn kept<P: Procedure>(&self, procedure: P, execution: &Execution, seen: &Item) -> Kept<P> {
        Kept::new(procedure, &execution.token, Arc::clone(&self.journal)).sabotaged(self.sabotage, seen)
    }

    /// Holds the protocol's invariants against all that was written and all that the partner saw.
    ///
    /// # Panics
    /// One of them is broken.
    pub fn check(&self) -> Account {
        let account = Account::of(&self.journal, &self.began, &self.stored(), &self.policy);
        invariant::check_calls(&self.partner.calls(), &account);
        account
    }
}
