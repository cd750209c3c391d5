//! The ARNs of machines and executions.

use super::StepFunctionsError;

/// Where everything is: the region and the account of all ARNs.
#[derive(Clone, Debug)]
pub(crate) struct Arns {
    pub(crate) region: String,
    pub(crate) account: String,
}

impl Arns {
    fn of(&self, kind: &str, rest: &str) -> String {
        format!("arn:aws:states:{}:{}:{kind}:{rest}", self.region, self.account)
    }

    pub(crate) fn machine(&self, name: &str) -> String {
        self.of("stateMachine", name)
    }

    /// `execution:MACHINE:NAME` of a STANDARD machine: the same for the same name.
    pub(super) fn standard_execution(&self, machine: &str, name: &str) -> String {
        self.of("execution", &format!("{machine}:{name}"))
    }

    /// `express:MACHINE:NAME:UUID` of an EXPRESS machine.
    pub(super) fn express_execution(&self, machine: &str, name: &str) -> String {
        self.of("express", &format!("{machine}:{name}:{}", uuid::Uuid::new_v4()))
    }

    /// The name of the machine with this ARN; none when it is one of another region or account, a version or an alias.
    ///
    /// # Errors
    /// `InvalidArn` when it is no machine's ARN at all.
    pub(super) fn machine_name<'a>(&self, arn: &'a str) -> Result<Option<&'a str>, StepFunctionsError> {
        let (region, account, name) = parts(arn, &["stateMachine"])?;
        Ok((region == self.region && account == self.account && !name.contains(':')).then_some(name))
    }

    /// Checks that it is an execution's ARN, and with `strict` that it is one of a kind that AWS describes.
    ///
    /// # Errors
    /// `InvalidArn`.
    pub(super) fn check_execution(arn: &str, strict: bool) -> Result<(), StepFunctionsError> {
        let kinds: &[_] = if strict {
            &["execution"]
        } else {
            &["execution", "express"]
        };
        parts(arn, kinds).map(drop)
    }

    /// Checks that it could be a role's ARN. Whether there is such a role, nobody here knows.
    ///
    /// # Errors
    /// `InvalidArn`.
    pub(super) fn check_role(arn: &str) -> Result<(), StepFunctionsError> {
        let parts: Vec<_> = arn.splitn(6, ':').collect();
        match parts.as_slice() {
            ["arn", _, "iam", "", _, role] if role.strip_prefix("role/").is_some_and(|name| !name.is_empty()) => Ok(()),
            _ => Err(StepFunctionsError::InvalidArn {
                problem: format!("Invalid Role Arn: {arn}"),
            }),
        }
    }
}

fn parts<'a>(arn: &'a str, kinds: &[&str]) -> Result<(&'a str, &'a str, &'a str), StepFunctionsError> {
    let invalid = |why: &str| {
        Err(StepFunctionsError::InvalidArn {
            problem: format!("{why}: {arn}"),
        })
    };
    let parts: Vec<_> = arn.splitn(7, ':').collect();
    match parts.as_slice() {
        ["arn", _, "states", region, account, kind, name] if kinds.contains(kind) && !name.is_empty() => {
            Ok((region, account, name))
        }
        ["arn", _, "states", _, _, kind, ..] => Err(StepFunctionsError::InvalidArn {
            problem: format!("Resource type not valid in this context: {kind}"),
        }),
        ["arn", _, "states", ..] => invalid("Invalid ARN"),
        ["arn", ..] => invalid("Invalid ARN service"),
        _ => invalid("Invalid ARN prefix"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arns() -> Arns {
        Arns {
            region: "eu-west-1".to_owned(),
            account: "000000000000".to_owned(),
        }
    }

    #[test]
    fn a_machines_arn_gives_its_name_back() {
        let arn = arns().machine("circuit-a");
        assert_eq!(arn, "arn:aws:states:eu-west-1:000000000000:stateMachine:circuit-a");
        assert_eq!(arns().machine_name(&arn), Ok(Some("circuit-a")));
    }

    #[test]
    fn machines_elsewhere_and_versions_are_unknown() {
        for arn in [
            "arn:aws:states:us-east-1:000000000000:stateMachine:a",
            "arn:aws:states:eu-west-1:111111111111:stateMachine:a",
            "arn:aws:states:eu-west-1:000000000000:stateMachine:a:1",
        ] {
            assert_eq!(arns().machine_name(arn), Ok(None), "{arn}");
        }
    }

    #[test]
    fn an_express_executions_arn_is_none_that_aws_describes() {
        let standard = "arn:aws:states:eu-west-1:0:execution:a:b";
        let express = "arn:aws:states:eu-west-1:0:express:a:b:c";
        for (arn, strict, expected) in [
            (standard, true, true),
            (standard, false, true),
            (express, true, false),
            (express, false, true),
        ] {
            assert_eq!(Arns::check_execution(arn, strict).is_ok(), expected, "{arn} {strict}");
        }
    }

    #[test]
    fn a_role_is_told_by_its_form() {
        for (arn, expected) in [
            ("arn:aws:iam::000000000000:role/a", true),
            ("arn:aws-cn:iam::000000000000:role/path/a", true),
            ("arn:aws:iam::000000000000:role/", false),
            ("arn:aws:iam::000000000000:user/a", false),
            ("arn:aws:iam:eu-west-1:000000000000:role/a", false),
            ("role/a", false),
        ] {
            assert_eq!(Arns::check_role(arn).is_ok(), expected, "{arn}");
        }
    }

    #[test]
    fn anything_else_is_no_machines_arn() {
        for arn in [
            "",
            "circuit-a",
            "arn:aws:lambda:eu-west-1:0:function:a",
            "arn:aws:states:eu-west-1:0:execution:a:b",
        ] {
            assert!(
                matches!(arns().machine_name(arn), Err(StepFunctionsError::InvalidArn { .. })),
                "{arn}"
            );
        }
    }
}
