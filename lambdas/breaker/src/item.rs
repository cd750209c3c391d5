//! Reading a circuit's item. Any item has a reading: what is missing, malformed or of the wrong type reads as the
//! protocol says (`protocol.md`, *Reading*), and the write conditions accept exactly what is read here.

use crate::attribute::{Attribute, Attributes};
use crate::clock::Timestamp;
use crate::update::Condition;

/// The names of an item's attributes.
pub mod name {
    /// `CLOSED` or `OPEN`.
    pub const STATE: &str = "state";
    /// The fence.
    pub const EPOCH: &str = "epoch";
    /// Until when nobody calls.
    pub const OPEN_UNTIL: &str = "openUntil";
    /// The token of the execution that holds the lease.
    pub const PROBE_TOKEN: &str = "probeToken";
    /// Successful probes in a row.
    pub const PROBE_SUCCESSES: &str = "probeSuccesses";
    /// Openings, failed probes and lost leases in a row.
    pub const OPENINGS: &str = "openings";
    /// Last failure and one window.
    pub const FAILING_UNTIL: &str = "failingUntil";
    /// What the last failure was.
    pub const LAST_FAILURE: &str = "lastFailure";
    /// When the last new epoch began.
    pub const CHANGED_AT: &str = "changedAt";
    /// DynamoDB's TTL.
    pub const EXPIRES_AT: &str = "expiresAt";
    /// A person's override.
    pub const OVERRIDE: &str = "override";
    /// When the override ends.
    pub const OVERRIDE_UNTIL: &str = "overrideUntil";
    /// Who set it.
    pub const OVERRIDE_BY: &str = "overrideBy";
    /// Why.
    pub const OVERRIDE_REASON: &str = "overrideReason";
}

/// What is stored of a circuit's state. Half-open is not stored: it is `Open` with `openUntil` reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Calls go through; failures are counted.
    Closed,
    /// Nobody calls before `openUntil`.
    Open,
}

impl State {
    /// The one spelling: in the table, the definition and the README.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "CLOSED",
            Self::Open => "OPEN",
        }
    }
}

/// What a person has forced on a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Override {
    /// Nobody calls, and no lease is granted.
    Open,
    /// Everybody calls, and nothing is recorded.
    Closed,
    /// Everything is recorded, but calls go out where they would have been refused.
    DryRun,
}

impl Override {
    /// The one spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::Closed => "CLOSED",
            Self::DryRun => "DRY_RUN",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Open, Self::Closed, Self::DryRun]
            .into_iter()
            .find(|kind| kind.as_str() == text)
    }
}

/// A circuit's item as somebody saw it; empty where there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Item {
    attributes: Attributes,
}

impl From<Attributes> for Item {
    fn from(attributes: Attributes) -> Self {
        Self { attributes }
    }
}

impl Item {
    /// Everything that is stored.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Gives the attributes back.
    pub fn into_attributes(self) -> Attributes {
        self.attributes
    }

    /// Any state but `OPEN`, and no item, is closed: a breaker in doubt lets calls through.
    pub fn state(&self) -> State {
        match self.text(name::STATE) {
            Some(text) if text == State::Open.as_str() => State::Open,
            _ => State::Closed,
        }
    }

    /// The epoch; 0 where it is missing or no whole number.
    pub fn epoch(&self) -> u64 {
        self.count(name::EPOCH)
    }

    /// That the item still is of the epoch that was read. Where the epoch read as missing, the raw value that was found
    /// is compared, or its absence, so that a malformed item can be written to, and by one writer only.
    pub(crate) fn same_epoch(&self) -> Condition {
        match self.attributes.get(name::EPOCH) {
            Some(found) => Condition::Equals(name::EPOCH.to_owned(), found.clone()),
            None => Condition::Absent(name::EPOCH.to_owned()),
        }
    }

    /// Until when nobody calls; none where it is missing or no time, and then the circuit is due for a probe.
    pub fn open_until(&self) -> Option<Timestamp> {
        Timestamp::parse(self.text(name::OPEN_UNTIL)?)
    }

    /// Whether an open circuit's wait, or its probe's lease, is over.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.open_until().is_none_or(|until| now >= until)
    }

    /// The token of the execution that holds the lease, or held it last.
    pub fn probe_token(&self) -> Option<&str> {
        self.text(name::PROBE_TOKEN)
    }

    /// Successful probes in a row.
    pub fn probe_successes(&self) -> u64 {
        self.count(name::PROBE_SUCCESSES)
    }

    /// Openings, failed probes and lost leases in a row since the last close.
    pub fn openings(&self) -> u64 {
        self.count(name::OPENINGS)
    }

    /// The override whose end has not come. An end that can't be read is none.
    pub fn forced(&self, now: Timestamp) -> Option<Override> {
        let kind = Override::parse(self.text(name::OVERRIDE)?)?;
        let end = self.text(name::OVERRIDE_UNTIL).and_then(Timestamp::parse);
        end.is_none_or(|end| now < end).then_some(kind)
    }

    /// Whether a person's override is on the item, ended or not: such an item never expires.
    pub fn has_override(&self) -> bool {
        self.attributes.contains_key(name::OVERRIDE)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).and_then(Attribute::as_str)
    }

    fn count(&self, name: &str) -> u64 {
        self.attributes.get(name).and_then(Attribute::as_count).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item<const N: usize>(attributes: [(&str, Attribute); N]) -> Item {
        Attributes::from(attributes.map(|(name, value)| (name.to_owned(), value))).into()
    }

    #[test]
    fn no_item_is_a_closed_circuit_of_epoch_0() {
        let none = Item::default();
        assert_eq!((none.state(), none.epoch(), none.openings()), (State::Closed, 0, 0));
        assert_eq!(none.same_epoch(), Condition::Absent("epoch".into()));
    }

    #[test]
    fn any_state_but_open_is_closed() {
        for (value, state) in [
            (Attribute::string("OPEN"), State::Open),
            (Attribute::string("CLOSED"), State::Closed),
            (Attribute::string("open"), State::Closed),
            (Attribute::string("HALF-OPEN"), State::Closed),
            (Attribute::number(1), State::Closed),
        ] {
            assert_eq!(item([("state", value.clone())]).state(), state, "{value:?}");
        }
    }

    #[test]
    fn an_epoch_that_is_no_whole_number_reads_as_missing_and_is_compared_as_found() {
        for raw in [
            Attribute::string("7"),
            Attribute::N("-1".into()),
            Attribute::N("0.5".into()),
            Attribute::Null(true),
        ] {
            let read = item([("epoch", raw.clone())]);
            assert_eq!(read.epoch(), 0, "{raw:?}");
            assert_eq!(read.same_epoch(), Condition::Equals("epoch".into(), raw));
        }
        assert_eq!(item([("epoch", Attribute::N("7.0".into()))]).epoch(), 7);
    }

    #[test]
    fn open_is_due_at_its_end_and_not_a_millisecond_before() {
        let until = Timestamp::from_ms(5000);
        let open = item([("openUntil", Attribute::string(until))]);
        assert!(!open.is_due(Timestamp::from_ms(4999)));
        assert!(open.is_due(until));
        assert!(open.is_due(Timestamp::from_ms(5001)));
        assert!(item([("openUntil", Attribute::string("tomorrow"))]).is_due(Timestamp::from_ms(0)));
        assert!(item([("openUntil", Attribute::number(99))]).is_due(Timestamp::from_ms(0)));
        assert!(Item::default().is_due(Timestamp::from_ms(0)));
    }

    #[test]
    fn an_override_holds_until_its_end() {
        let until = Timestamp::from_ms(5000);
        let forced = |kind: &str, end: Attribute| item([("override", Attribute::string(kind)), ("overrideUntil", end)]);
        let dry = forced("DRY_RUN", Attribute::string(until));
        assert_eq!(dry.forced(Timestamp::from_ms(4999)), Some(Override::DryRun));
        assert_eq!(dry.forced(until), None);
        assert_eq!(
            forced("OPEN", Attribute::string("never")).forced(until),
            Some(Override::Open)
        );
        assert_eq!(
            forced("CLOSED", Attribute::Null(true)).forced(until),
            Some(Override::Closed)
        );
        assert_eq!(forced("HALF", Attribute::Null(true)).forced(until), None);
        assert_eq!(item([("override", Attribute::Bool(true))]).forced(until), None);
    }
}
