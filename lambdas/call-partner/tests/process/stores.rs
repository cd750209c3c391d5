//! Secrets Manager and Parameter Store, as their APIs are documented
//! (<https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html>,
//! <https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameter.html>).

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::function::{Function, event};
use crate::server::{answer, serve};
use crate::spelling::hits;

#[tokio::test(flavor = "multi_thread")]
async fn secrets_come_from_aws_once_and_only_for_a_policy_that_wants_them() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&asked);
    let aws = serve(move |request| {
        let target = request.header("x-amz-target").unwrap_or_default().to_owned();
        let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
        log.lock().unwrap().push((target.clone(), body.clone()));
        let value = match (target.as_str(), body["SecretId"].as_str(), body["Name"].as_str()) {
            ("secretsmanager.GetSecretValue", Some("shop/key"), _) => {
                json!({"Name": "shop/key", "SecretString": "{\"token\":\"pLaNtEd-one\"}"})
            }
            ("AmazonSSM.GetParameter", _, Some("/shop/key")) => {
                json!({"Parameter": {"Name": "/shop/key", "Type": "SecureString", "Value": "pLaNtEd-two"}})
            }
            _ => {
                let refused = json!({"__type": "AccessDeniedException", "Message": "user me is not authorized"});
                return std::future::ready(Some(answer(400, "", &refused.to_string())));
            }
        };
        std::future::ready(Some(answer(
            200,
            "content-type: application/x-amz-json-1.1\r\n",
            &value.to_string(),
        )))
    })
    .await;
    let partner = serve(|request| {
        let header = |name| request.header(name).unwrap_or_default();
        let said = format!("{} {}", header("authorization"), header("x-key"));
        std::future::ready(Some(answer(200, "", &said)))
    })
    .await;
    let url = format!("http://{partner}/{{key}}");
    let mut function = Function::start(&[("AWS_ENDPOINT_URL", format!("http://{aws}"))]).await;
    let plain = function.invoke(event(&url)).await;
    assert_eq!(plain["answer"]["body"], " ");
    assert!(asked.lock().unwrap().is_empty());
    let mut wanting = event(&url);
    wanting["policy"]["call"]["secretHeaders"] = json!({
        "authorization": {"secret": "shop/key", "field": "token", "prefix": "Bearer "},
        "x-key": {"parameter": "/shop/key"}
    });
    for _ in 0..3 {
        let result = function.invoke(wanting.clone()).await;
        assert_eq!(
            result["answer"]["body"],
            "Bearer pLaNtEd-one pLaNtEd-two",
            "{result}\n{}",
            function.log()
        );
    }
    {
        let asked = asked.lock().unwrap();
        assert_eq!(asked.len(), 2, "{asked:?}");
        assert_eq!(asked[1].1["WithDecryption"], true);
    }
    wanting["policy"]["call"]["secretHeaders"] = json!({"x-key": {"secret": "another"}});
    let refused = function.invoke(wanting).await;
    assert_eq!(refused["outcome"]["reason"], "internal", "{refused}");
    let log = function.log();
    assert!(log.contains("AccessDeniedException"), "{log}");
    assert!(!log.contains("user me"), "{log}");
    assert_eq!(hits("pLaNtEd", &log), 0, "{log}");
}

/// A first reading may take longer than a call may: it goes on, and a later call has what it brings.
#[tokio::test(flavor = "multi_thread")]
async fn secret_that_comes_too_late_for_a_call_serves_the_next() {
    let (asked, gate) = (Arc::new(Mutex::new(0)), Arc::new(Semaphore::new(0)));
    let (count, wait) = (Arc::clone(&asked), Arc::clone(&gate));
    let aws = serve(move |_| {
        *count.lock().unwrap() += 1;
        let wait = Arc::clone(&wait);
        async move {
            let _ = wait.acquire().await.ok()?;
            let value = json!({"Name": "key", "SecretString": "late"});
            Some(answer(
                200,
                "content-type: application/x-amz-json-1.1\r\n",
                &value.to_string(),
            ))
        }
    })
    .await;
    let partner = serve(|request| {
        let said = request.header("x-key").unwrap_or_default().to_owned();
        std::future::ready(Some(answer(200, "", &said)))
    })
    .await;
    let mut function = Function::start(&[("AWS_ENDPOINT_URL", format!("http://{aws}"))]).await;
    let mut wanting = event(&format!("http://{partner}/{{key}}"));
    wanting["policy"]["call"]["secretHeaders"] = json!({"x-key": {"secret": "key"}});
    let mut hasty = wanting.clone();
    hasty["policy"]["call"]["timeoutMs"] = json!(50);
    for _ in 0..3 {
        let result = function.invoke(hasty.clone()).await;
        assert_eq!(result["outcome"]["kind"], "secret", "{result}");
        let message = "the secret for the header x-key did not come in time";
        assert_eq!(result["outcome"]["message"], message, "{result}");
    }
    gate.add_permits(1);
    let result = function.invoke(wanting).await;
    assert_eq!(result["answer"]["body"], "late", "{result}\n{}", function.log());
    assert_eq!(*asked.lock().unwrap(), 1, "it is asked for once");
}
