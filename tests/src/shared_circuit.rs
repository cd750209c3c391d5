//! A circuit that the cases of one policy share on another engine, one after the other: a deployment takes seconds there,
//! a case tenths of one.

use std::sync::Arc;

use scripted_partner::{Listen, Partner, Script};
use serde_json::{Map, Value};

use crate::case::{Case, FunctionName};
use crate::circuit::{Circuit, Way};
use crate::deadline::WITHIN;
use crate::engine::{Engine, Variation};
use crate::policy_file::{deployed, policy_file};
use crate::trial;

/// By which name an engine reaches this machine, if it is not on it; the partners then listen to everybody.
pub(crate) fn partner_host() -> Option<String> {
    std::env::var("PARTNER_HOST").ok()
}

/// A circuit with its partner.
#[derive(Debug)]
pub(crate) struct SharedCircuit {
    name: String,
    partner: Arc<Partner>,
    /// Its policy file.
    pub(crate) file: Value,
}

impl SharedCircuit {
    /// A circuit with this merge patch on the policy that all cases begin with.
    pub(crate) fn start(name: String, policy: &Map<String, Value>) -> anyhow::Result<Self> {
        let host = partner_host();
        let listen = Listen {
            to_everybody: host.is_some(),
            ..Listen::default()
        };
        let partner = Partner::start_at(listen, Script::default())?;
        let file = match host {
            Some(host) => policy_file(&name, policy, format!("{host}:{}", partner.address().port())),
            None => policy_file(&name, policy, partner.address()),
        };
        Ok(Self {
            name,
            partner: Arc::new(partner),
            file,
        })
    }

    /// Plays a case on it, and gives each difference.
    ///
    /// # Errors
    /// The case could not be played to its end.
    pub(crate) async fn play(&self, engine: &Arc<Engine>, case: &Case, way: Way) -> anyhow::Result<Vec<String>> {
        self.settle().await?;
        let names = match &engine.function_maker {
            Some(maker) => maker.make(case, &engine.table).await?,
            None => Vec::new(),
        };
        let played = self.play_with(names.clone(), engine, case, way).await;
        if let Some(maker) = &engine.function_maker {
            maker.remove(case, &names).await?;
        }
        played
    }

    async fn play_with(
        &self,
        names: Vec<(FunctionName, String)>,
        engine: &Arc<Engine>,
        case: &Case,
        way: Way,
    ) -> anyhow::Result<Vec<String>> {
        let policy = deployed(&self.name, &self.file)?;
        let variation = Variation {
            names: names.clone(),
            ..Variation::of(case)
        };
        let machine_arn = engine.deploy(&policy, &variation).await?;
        let circuit = Circuit::new(Arc::clone(engine), policy, machine_arn, Arc::clone(&self.partner));
        let mut circuit = circuit.played(case, way);
        circuit.functions = names;
        circuit.set_partner(&case.partner);
        let mut played = trial::play(case, &circuit).await;
        if let Ok(differences) = &mut played {
            differences.extend(self.strangers());
        }
        engine.undeploy(&circuit.machine_arn).await?;
        played
    }

    /// Waits until the case before has left nothing under way, and forgets it.
    async fn settle(&self) -> anyhow::Result<()> {
        self.partner.release();
        self.partner.wait_until_idle(WITHIN).await?;
        self.partner.clear_log();
        Ok(())
    }

    /// Requests that reached the partner and are not from our own executable, which says who it is.
    fn strangers(&self) -> Vec<String> {
        let log = self.partner.log();
        let requests = log.entries.iter().filter(|entry| !entry.method.is_empty());
        let agents = requests.map(|entry| entry.header("user-agent").unwrap_or("nobody"));
        agents
            .filter(|agent| !agent.starts_with("stepbreaker/"))
            .map(|agent| format!("a request is from {agent} and not from our function"))
            .collect()
    }
}
