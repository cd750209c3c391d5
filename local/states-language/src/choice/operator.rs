//! The comparison operators by name.

use std::cmp::Ordering;

/// What an operator compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    String,
    Numeric,
    Timestamp,
    Boolean,
}

/// How the variable must stand to the other value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    Equal,
    Less,
    Greater,
    LessOrEqual,
    GreaterOrEqual,
}

impl Relation {
    pub(super) fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::Less => ordering.is_lt(),
            Self::Greater => ordering.is_gt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::GreaterOrEqual => ordering.is_ge(),
        }
    }
}

/// An operator as a rule names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    /// `NumericLessThan`, and with `path` `NumericLessThanPath`.
    Compare {
        form: Form,
        relation: Relation,
        path: bool,
    },
    StringMatches,
    IsNull,
    IsPresent,
    IsNumeric,
    IsString,
    IsBoolean,
    IsTimestamp,
}

impl Operator {
    /// The operator of this name, if there is one.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let operator = match name {
            "StringMatches" => Self::StringMatches,
            "IsNull" => Self::IsNull,
            "IsPresent" => Self::IsPresent,
            "IsNumeric" => Self::IsNumeric,
            "IsString" => Self::IsString,
            "IsBoolean" => Self::IsBoolean,
            "IsTimestamp" => Self::IsTimestamp,
            _ => return Self::comparison(name),
        };
        Some(operator)
    }

    fn comparison(name: &str) -> Option<Self> {
        let (stem, path) = name.strip_suffix("Path").map_or((name, false), |stem| (stem, true));
        let (form, relation) = [
            ("String", Form::String),
            ("Numeric", Form::Numeric),
            ("Timestamp", Form::Timestamp),
            ("Boolean", Form::Boolean),
        ]
        .into_iter()
        .find_map(|(prefix, form)| stem.strip_prefix(prefix).map(|relation| (form, relation)))?;
        let relation = match relation {
            "Equals" => Relation::Equal,
            _ if form == Form::Boolean => return None,
            "LessThan" => Relation::Less,
            "GreaterThan" => Relation::Greater,
            "LessThanEquals" => Relation::LessOrEqual,
            "GreaterThanEquals" => Relation::GreaterOrEqual,
            _ => return None,
        };
        Some(Self::Compare { form, relation, path })
    }
}
