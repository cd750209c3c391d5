//! What a Task's `Resource` is in a history: a service and its operation, a Lambda function, or an activity.

/// A `Resource`, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resource<'a> {
    /// `arn:aws:states:::dynamodb:getItem`, `arn:aws:states:::aws-sdk:dynamodb:getItem`; whatever is no ARN is an
    /// operation of no service.
    Integration { service: &'a str, operation: &'a str },
    /// `arn:aws:lambda:REGION:ACCOUNT:function:NAME`: events of their own.
    Function(&'a str),
    /// `arn:aws:states:REGION:ACCOUNT:activity:NAME`: events of their own.
    Activity(&'a str),
}

impl<'a> Resource<'a> {
    pub(super) fn of(resource: &'a str) -> Self {
        let parts: Vec<&str> = resource.splitn(6, ':').collect();
        match parts.as_slice() {
            ["arn", _, "lambda", _, _, name] if name.starts_with("function:") => Self::Function(resource),
            ["arn", _, "states", _, _, name] if name.starts_with("activity:") => Self::Activity(resource),
            ["arn", _, "states", "", "", integration] => match integration.rsplit_once(':') {
                // `sqs:sendMessage.waitForTaskToken`, but `states:startExecution.sync:2`.
                Some((rest, "2")) => match rest.rsplit_once(':') {
                    Some((service, _)) => Self::Integration {
                        service,
                        operation: integration.get(service.len() + 1..).unwrap_or_default(),
                    },
                    None => Self::plain(resource),
                },
                Some((service, operation)) => Self::Integration { service, operation },
                None => Self::plain(resource),
            },
            _ => Self::plain(resource),
        }
    }

    fn plain(operation: &'a str) -> Self {
        Self::Integration { service: "", operation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_is_taken_apart() {
        let integration = |service, operation| Resource::Integration { service, operation };
        for (resource, expected) in [
            ("arn:aws:states:::lambda:invoke", integration("lambda", "invoke")),
            (
                "arn:aws-cn:states:::dynamodb:getItem",
                integration("dynamodb", "getItem"),
            ),
            (
                "arn:aws:states:::aws-sdk:dynamodb:getItem",
                integration("aws-sdk:dynamodb", "getItem"),
            ),
            (
                "arn:aws:states:::states:startExecution.sync:2",
                integration("states", "startExecution.sync:2"),
            ),
            ("prices:ask", integration("", "prices:ask")),
            ("arn:aws:states:::nothing", integration("", "arn:aws:states:::nothing")),
        ] {
            assert_eq!(Resource::of(resource), expected, "{resource}");
        }
        let function = "arn:aws:lambda:eu-west-1:000000000000:function:f:live";
        assert_eq!(Resource::of(function), Resource::Function(function));
        let activity = "arn:aws:states:eu-west-1:000000000000:activity:a";
        assert_eq!(Resource::of(activity), Resource::Activity(activity));
    }
}
