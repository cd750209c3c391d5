//! `call`: what a customer would get.

use serde_json::json;

use crate::common::{CALL, CIRCUIT, Stage, aws};

#[tokio::test(flavor = "multi_thread")]
async fn a_live_answer_is_printed_as_the_front_door_gives_it() {
    let stage = Stage::start().await;
    stage.play(&json!([{ "answer": { "status": 404, "body": "{\"n\": 1.0}" } }]));
    let said = stage.run(&CALL).await.ended(0);
    assert!(said.out.starts_with("HTTP/1.1 404 Not Found\n"), "{said:?}");
    assert!(said.out.ends_with("\nx-circuit: live\n\n{\"n\": 1.0}\n"), "{said:?}");
    assert!(said.err.is_empty(), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_states_that_it_passed_are_told_with_their_times() {
    let stage = Stage::start().await;
    let said = stage.run(&[&CALL[..], &["--verbose"]].concat()).await.ended(0);
    let states: Vec<_> = said
        .err
        .lines()
        .map(|line| {
            line.split("  ")
                .find(|part| part.starts_with(char::is_alphabetic))
                .unwrap_or(line)
        })
        .collect();
    for state in ["Load Policy", "Read Circuit", "Call Partner", "Partner Answered"] {
        assert!(said.err.contains(state), "{states:?}: {said:?}");
    }
    assert!(
        !said.out.contains("Read Circuit"),
        "standard output is the answer alone"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parameter_that_does_not_match_is_refused_as_the_front_door_does() {
    let stage = Stage::start().await;
    let cases: [(&[&str], &str); 4] = [
        (
            &["call", CIRCUIT, "isbn=1"],
            "parameter isbn does not match its pattern",
        ),
        (&["call", CIRCUIT], "parameter isbn is missing"),
        (
            &["call", CIRCUIT, "isbn=9783161484100", "x=1"],
            "parameter x is unknown",
        ),
        (
            &["call", CIRCUIT, "isbn=9783161484100", "--body", "x"],
            "body is not supported",
        ),
    ];
    for (arguments, message) in cases {
        let said = stage.run(arguments).await.ended(5);
        assert!(
            said.out.starts_with("HTTP/1.1 400 Bad Request\n") && said.out.contains("x-circuit: invalid"),
            "{said:?}"
        );
        assert!(said.out.contains(message), "{said:?}");
    }
    assert_eq!(stage.partner.hits(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_execution_that_fails_is_a_502_and_says_why_only_to_the_person() {
    let stage = Stage::start().await;
    let arn = &stage.system.circuits()[0].machine_arn;
    let described = aws(
        &stage.system.aws_url(),
        "AWSStepFunctions.DescribeStateMachine",
        &json!({ "stateMachineArn": arn }),
    )
    .await;
    let mut definition: serde_json::Value = serde_json::from_str(described["definition"].as_str().unwrap()).unwrap();
    definition["States"]["Refuse Request"] = json!({ "Type": "Fail", "Error": "Broken", "Cause": "on purpose" });
    let update = json!({ "stateMachineArn": arn, "definition": definition.to_string() });
    aws(&stage.system.aws_url(), "AWSStepFunctions.UpdateStateMachine", &update).await;
    let said = stage.run(&["call", CIRCUIT, "isbn=1", "-v"]).await.ended(6);
    assert!(
        said.out.starts_with("HTTP/1.1 502 Bad Gateway\n") && said.out.contains("x-circuit: failed"),
        "{said:?}"
    );
    assert!(
        !said.out.contains("on purpose") && said.err.contains("Broken: on purpose"),
        "{said:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_deployed_policy_is_printed_with_its_defaults() {
    let stage = Stage::start().await;
    let policy = stage.run(&["policy", CIRCUIT]).await.ended(0).json();
    assert_eq!(
        (&policy["circuit"], &policy["probe"]["leaseMs"]),
        (&json!(CIRCUIT), &json!(18_000))
    );
    stage.run(&["policy", "other"]).await.ended(3);
    stage.run(&["call", "other"]).await.ended(3);
}
