//! The machines by name.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use states_language::Machine;
use time::OffsetDateTime;

use super::machine::{Created, MachineSpec};
use super::{Arns, StepFunctionsError, name};
use crate::integrations;

/// The most machines that exist at once: each holds its definition in memory.
const LIMIT: usize = 1_000;

/// The machines that exist.
#[derive(Debug)]
pub(super) struct Machines {
    pub(super) arns: Arns,
    by_name: RwLock<BTreeMap<String, Arc<Created>>>,
}

impl Machines {
    pub(super) fn new(arns: Arns) -> Self {
        Self {
            arns,
            by_name: RwLock::default(),
        }
    }

    /// Creates a machine, or gives the one that exists with the same definition and type (a role does not matter, as on
    /// AWS).
    pub(super) fn create(&self, spec: MachineSpec) -> Result<Arc<Created>, StepFunctionsError> {
        name::check(&spec.name)?;
        let machine = parse(&spec.definition)?;
        let arn = self.arns.machine(&spec.name);
        let mut by_name = self.by_name.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(existing) = by_name.get(&spec.name) {
            let same = existing.spec.definition == spec.definition && existing.spec.kind == spec.kind;
            return if same {
                Ok(Arc::clone(existing))
            } else {
                Err(StepFunctionsError::MachineAlreadyExists { arn })
            };
        }
        if by_name.len() >= LIMIT {
            return Err(StepFunctionsError::MachineLimitExceeded { limit: LIMIT });
        }
        let created_at = OffsetDateTime::now_utc();
        let created = Arc::new(Created {
            spec,
            arn,
            machine,
            created_at,
            revision: None,
        });
        by_name.insert(created.spec.name.clone(), Arc::clone(&created));
        Ok(created)
    }

    /// Replaces a machine's definition, role or both, for executions to come.
    pub(super) fn update(
        &self,
        arn: &str,
        definition: Option<String>,
        role_arn: Option<String>,
    ) -> Result<Arc<Created>, StepFunctionsError> {
        let current = self.find(arn)?;
        let mut spec = current.spec.clone();
        spec.definition = definition.unwrap_or(spec.definition);
        spec.role_arn = role_arn.unwrap_or(spec.role_arn);
        let machine = parse(&spec.definition)?;
        let revision = Some(uuid::Uuid::new_v4().to_string());
        let (arn, created_at) = (current.arn.clone(), current.created_at);
        let updated = Arc::new(Created {
            spec,
            arn,
            machine,
            created_at,
            revision,
        });
        let mut by_name = self.by_name.write().unwrap_or_else(PoisonError::into_inner);
        // It may have been deleted in the meantime.
        match by_name.get_mut(&updated.spec.name) {
            Some(place) => *place = Arc::clone(&updated),
            None => {
                return Err(StepFunctionsError::MachineDoesNotExist {
                    arn: updated.arn.clone(),
                });
            }
        }
        Ok(updated)
    }

    /// Deletes a machine; one that doesn't exist is deleted already.
    pub(super) fn delete(&self, arn: &str) -> Result<(), StepFunctionsError> {
        if let Some(name) = self.arns.machine_name(arn)? {
            self.by_name
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .remove(name);
        }
        Ok(())
    }

    /// The machine with this ARN.
    pub(super) fn find(&self, arn: &str) -> Result<Arc<Created>, StepFunctionsError> {
        let by_name = self.by_name.read().unwrap_or_else(PoisonError::into_inner);
        let found = self.arns.machine_name(arn)?.and_then(|name| by_name.get(name)).cloned();
        found.ok_or_else(|| StepFunctionsError::MachineDoesNotExist { arn: arn.to_owned() })
    }

    /// Up to `limit` machines in the order of their names, from the one after `after`; and whether there are more.
    pub(super) fn list(&self, after: Option<&str>, limit: usize) -> (Vec<Arc<Created>>, bool) {
        let by_name = self.by_name.read().unwrap_or_else(PoisonError::into_inner);
        let mut rest = by_name
            .iter()
            .filter(|(name, _)| after.is_none_or(|after| name.as_str() > after));
        let page = rest
            .by_ref()
            .take(limit)
            .map(|(_, created)| Arc::clone(created))
            .collect();
        (page, rest.next().is_some())
    }
}

/// Parses a definition against what can run here.
pub(super) fn parse(definition: &str) -> Result<Machine, states_language::InvalidDefinition> {
    Machine::parse(definition, &integrations::supports)
}
