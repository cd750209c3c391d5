//! The rules of a Choice state.
//!
//! Source: <https://docs.aws.amazon.com/step-functions/latest/dg/state-choice.html>

use serde_json::Value;

use super::fields::Fields;
use super::report::Report;
use crate::choice::{Comparison, Form, Operator, Pattern, Relation, Rule};
use crate::path::Path;
use crate::timestamp;

/// A rule, with what is wrong in it reported.
pub(super) fn rule(fields: &mut Fields, report: &mut Report) -> Option<Rule> {
    fields.string("Comment", report);
    let forms = ["And", "Or", "Not", "Variable"].map(|name| (name, fields.has(name)));
    let mut present = forms.into_iter().filter_map(|(name, has)| has.then_some(name));
    match (present.next(), present.next()) {
        (Some("Variable"), None) => test(fields, report),
        (Some("Not"), None) => {
            let location = fields.at("Not");
            let inner = fields.take("Not").and_then(|inner| nested(inner, &location, report));
            inner.map(|rule| Rule::Not(Box::new(rule)))
        }
        (Some(name), None) => {
            let rules = operands(fields, name, report)?;
            Some(if name == "And" {
                Rule::And(rules)
            } else {
                Rule::Or(rules)
            })
        }
        _ => {
            report.schema(
                fields.location(),
                "a rule must hold exactly one of Variable, And, Or and Not",
            );
            None
        }
    }
}

fn operands(fields: &mut Fields, name: &str, report: &mut Report) -> Option<Vec<Rule>> {
    let items = fields.array(name, report)?;
    if items.is_empty() {
        report.schema(&fields.at(name), "must hold at least one rule");
    }
    let mut rules = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        rules.extend(nested(item, &format!("{}[{index}]", fields.at(name)), report));
    }
    Some(rules)
}

fn nested(value: Value, location: &str, report: &mut Report) -> Option<Rule> {
    let mut fields = Fields::of(value, location, report)?;
    let rule = rule(&mut fields, report);
    if fields.take("Next").is_some() {
        report.schema(&fields.at("Next"), "only a rule at the top of Choices has a Next");
    }
    fields.finish("a nested rule", report);
    rule
}

fn test(fields: &mut Fields, report: &mut Report) -> Option<Rule> {
    let variable = path(fields, "Variable", report);
    let operators: Vec<(String, Operator)> = fields
        .names()
        .into_iter()
        .filter_map(|name| Operator::named(&name).map(|operator| (name, operator)))
        .collect();
    let [(name, operator)] = operators.as_slice() else {
        for (name, _) in &operators {
            fields.take(name);
        }
        // An unknown operator is told of by its name, as a field that is left over.
        if operators.len() > 1 || fields.names().iter().all(|name| name == "Next") {
            report.schema(
                fields.location(),
                "a rule with a Variable must hold exactly one comparison operator",
            );
        }
        return None;
    };
    if *operator == Operator::IsPresent {
        let expected = fields.boolean(name, report)?;
        return Some(Rule::IsPresent {
            variable: variable?,
            expected,
        });
    }
    let comparison = comparison(fields, name, *operator, report)?;
    Some(Rule::Test {
        variable: variable?,
        comparison,
    })
}

fn comparison(fields: &mut Fields, name: &str, operator: Operator, report: &mut Report) -> Option<Comparison> {
    match operator {
        Operator::Compare {
            form,
            relation,
            path: true,
        } => path(fields, name, report).map(|path| Comparison::Path(form, relation, path)),
        Operator::Compare {
            form,
            relation,
            path: false,
        } => constant(fields, name, form, relation, report),
        Operator::StringMatches => {
            let pattern = Pattern::parse(&fields.string(name, report)?);
            pattern
                .map_err(|error| report.schema(&fields.at(name), error.to_string()))
                .ok()
                .map(Comparison::Matches)
        }
        Operator::IsNull => fields.boolean(name, report).map(Comparison::IsNull),
        Operator::IsNumeric => fields.boolean(name, report).map(Comparison::IsNumeric),
        Operator::IsString => fields.boolean(name, report).map(Comparison::IsString),
        Operator::IsBoolean => fields.boolean(name, report).map(Comparison::IsBoolean),
        Operator::IsTimestamp => fields.boolean(name, report).map(Comparison::IsTimestamp),
        // Made by the caller, because only it may read a path that is missing.
        Operator::IsPresent => None,
    }
}

fn constant(
    fields: &mut Fields,
    name: &str,
    form: Form,
    relation: Relation,
    report: &mut Report,
) -> Option<Comparison> {
    match form {
        Form::String => {
            fields.warn_of_path(name, report);
            fields
                .string(name, report)
                .map(|text| Comparison::String(relation, text))
        }
        Form::Boolean => fields.boolean(name, report).map(Comparison::Boolean),
        Form::Numeric => match fields.take(name)? {
            Value::Number(number) => Some(Comparison::Numeric(relation, number)),
            _ => {
                report.schema(&fields.at(name), "must be a number");
                None
            }
        },
        Form::Timestamp => {
            let text = fields.string(name, report)?;
            let parsed = timestamp::parse(&text);
            if parsed.is_none() {
                let message = format!("{text:?} is not a timestamp such as 2016-03-14T01:59:00.123Z");
                report.schema(&fields.at(name), message);
            }
            parsed.map(|at| Comparison::Timestamp(relation, at))
        }
    }
}

fn path(fields: &mut Fields, name: &str, report: &mut Report) -> Option<Path> {
    let text = fields.string(name, report)?;
    let parsed = Path::parse(&text);
    if let Err(error) = &parsed {
        report.schema(
            &fields.at(name),
            format!("Value is not a valid JSONPath: {text:?} {error}"),
        );
    }
    parsed.ok()
}
