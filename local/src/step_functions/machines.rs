//! The machines by name.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use states_language::{Diagnostic, InvalidDefinition, Machine};
use time::OffsetDateTime;

use super::journal::{Flow, Legacy};
use super::machine::{Created, MachineSpec};
use super::tags::Tags;
use super::{Arns, Kind, StepFunctionsError, name};

/// The most machines that exist at once: each holds its definition in memory.
const LIMIT: usize = 1_000;

/// The machines that exist.
#[derive(Debug)]
pub(super) struct Machines {
    pub(super) arns: Arns,
    /// Whether a Task with a `Resource` can run.
    supports: fn(&str) -> bool,
    by_name: RwLock<BTreeMap<String, Named>>,
}

/// What a name stands for now.
#[derive(Debug)]
struct Named {
    created: Arc<Created>,
    tags: Tags,
}

impl Machines {
    pub(super) fn new(arns: Arns, supports: fn(&str) -> bool) -> Self {
        Self {
            arns,
            supports,
            by_name: RwLock::default(),
        }
    }

    /// Everything that is wrong with a definition for what can run here.
    pub(super) fn validate(&self, kind: Kind, definition: &str) -> Vec<Diagnostic> {
        Machine::validate(kind.machine_type(), definition, &self.supports)
    }

    fn parse(&self, kind: Kind, definition: &str) -> Result<Machine, InvalidDefinition> {
        Machine::parse_as(kind.machine_type(), definition, &self.supports)
    }

    /// Parses a machine, or a single state, to test a state of it. One that is mocked may want anything to be run.
    pub(super) fn parse_for_test(
        &self,
        definition: &str,
        single: bool,
        mocked: bool,
    ) -> Result<Machine, InvalidDefinition> {
        let supports = |resource: &str| mocked || (self.supports)(resource);
        if single {
            Machine::around_state(definition, &supports)
        } else {
            Machine::parse(definition, &supports)
        }
    }

    /// Creates a machine, or gives the one that exists with the same definition and type (role and tags do not matter, as
    /// on AWS).
    pub(super) fn create(&self, mut spec: MachineSpec) -> Result<Arc<Created>, StepFunctionsError> {
        name::check(&spec.name)?;
        Arns::check_role(&spec.role_arn)?;
        let machine = self.parse(spec.kind, &spec.definition)?;
        let flow = Flow::of(&spec.definition, &machine);
        let arn = self.arns.machine(&spec.name);
        let mut by_name = self.by_name.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(Named { created: existing, .. }) = by_name.get(&spec.name) {
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
        let mut tags = Tags::default();
        tags.add(&std::mem::take(&mut spec.tags), &arn)?;
        let created_at = OffsetDateTime::now_utc();
        let created = Arc::new(Created {
            spec,
            arn,
            machine,
            created_at,
            updated_at: created_at,
            revision: None,
            flow,
            legacy: Legacy::default(),
        });
        let named = Named {
            created: Arc::clone(&created),
            tags,
        };
        by_name.insert(created.spec.name.clone(), named);
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
        role_arn.as_deref().map_or(Ok(()), Arns::check_role)?;
        let mut spec = current.spec.clone();
        spec.definition = definition.unwrap_or(spec.definition);
        spec.role_arn = role_arn.unwrap_or(spec.role_arn);
        let machine = self.parse(spec.kind, &spec.definition)?;
        let flow = Flow::of(&spec.definition, &machine);
        let revision = Some(uuid::Uuid::new_v4().to_string());
        let (arn, created_at) = (current.arn.clone(), current.created_at);
        let updated = Arc::new(Created {
            spec,
            arn,
            machine,
            created_at,
            updated_at: OffsetDateTime::now_utc(),
            revision,
            flow,
            legacy: Legacy::default(),
        });
        let mut by_name = self.by_name.write().unwrap_or_else(PoisonError::into_inner);
        // In the meantime it may have been deleted, or updated by somebody else.
        match by_name.get_mut(&updated.spec.name) {
            Some(named) if Arc::ptr_eq(&named.created, &current) => {
                named.created = Arc::clone(&updated);
                Ok(updated)
            }
            Some(_) => Err(StepFunctionsError::Conflict {
                arn: updated.arn.clone(),
            }),
            None => Err(StepFunctionsError::MachineDoesNotExist {
                arn: updated.arn.clone(),
            }),
        }
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
        let found = self.arns.machine_name(arn)?.and_then(|name| by_name.get(name));
        let found = found.map(|named| Arc::clone(&named.created));
        found.ok_or_else(|| StepFunctionsError::MachineDoesNotExist { arn: arn.to_owned() })
    }

    /// The tags of the machine with this ARN.
    pub(super) fn tags(&self, arn: &str) -> Result<Tags, StepFunctionsError> {
        let by_name = self.by_name.read().unwrap_or_else(PoisonError::into_inner);
        let found = self.arns.machine_name(arn)?.and_then(|name| by_name.get(name));
        found
            .map(|named| named.tags.clone())
            .ok_or_else(|| StepFunctionsError::ResourceNotFound { arn: arn.to_owned() })
    }

    /// Changes the tags of the machine with this ARN.
    pub(super) fn change_tags(
        &self,
        arn: &str,
        change: impl FnOnce(&mut Tags) -> Result<(), StepFunctionsError>,
    ) -> Result<(), StepFunctionsError> {
        let mut by_name = self.by_name.write().unwrap_or_else(PoisonError::into_inner);
        let found = self.arns.machine_name(arn)?.and_then(|name| by_name.get_mut(name));
        match found {
            Some(named) => change(&mut named.tags),
            None => Err(StepFunctionsError::ResourceNotFound { arn: arn.to_owned() }),
        }
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
            .map(|(_, named)| Arc::clone(&named.created))
            .collect();
        (page, rest.next().is_some())
    }
}
