//! AWS's signatures (version 4), for cases that run there.

use std::time::SystemTime;

use anyhow::Context;
use aws_credential_types::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;

/// Signs for one account and region.
#[derive(Debug)]
pub(crate) struct Signer {
    credentials: Credentials,
    region: String,
}

impl Signer {
    /// With the keys of the environment; a profile or a login is for the AWS CLI to turn into them.
    pub(crate) fn from_environment(region: &str) -> anyhow::Result<Self> {
        let variable = |name: &str| std::env::var(name).with_context(|| name.to_owned());
        let key = variable("AWS_ACCESS_KEY_ID")?;
        let secret = variable("AWS_SECRET_ACCESS_KEY")?;
        let token = std::env::var("AWS_SESSION_TOKEN").ok();
        Ok(Self::new(region, key, secret, token))
    }

    fn new(region: &str, key: String, secret: String, token: Option<String>) -> Self {
        Self {
            credentials: Credentials::new(key, secret, token, None, "environment"),
            region: region.to_owned(),
        }
    }

    /// The headers that sign a POST request.
    pub(crate) fn sign(
        &self,
        service: &str,
        url: &str,
        headers: &[(String, String)],
        body: &str,
    ) -> anyhow::Result<Vec<(String, String)>> {
        self.sign_at(SystemTime::now(), service, url, headers, body)
    }

    fn sign_at(
        &self,
        now: SystemTime,
        service: &str,
        url: &str,
        headers: &[(String, String)],
        body: &str,
    ) -> anyhow::Result<Vec<(String, String)>> {
        let identity = self.credentials.clone().into();
        let parameters = v4::SigningParams::builder()
            .identity(&identity)
            .region(&self.region)
            .name(service)
            .time(now)
            .settings(SigningSettings::default())
            .build()?
            .into();
        let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let request = SignableRequest::new("POST", url, headers, SignableBody::Bytes(body.as_bytes()))?;
        let (signed, _) = sign(request, &parameters)?.into_parts();
        let (headers, _) = signed.into_parts();
        let owned = headers
            .iter()
            .map(|header| (header.name().to_owned(), header.value().to_owned()));
        Ok(owned.collect())
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn a_signature_is_for_the_key_the_day_the_region_and_the_service() {
        let signer = Signer::new(
            "eu-central-1",
            "AKID".to_owned(),
            "secret".to_owned(),
            Some("token".to_owned()),
        );
        let headers = [(
            "x-amz-target".to_owned(),
            "AWSStepFunctions.ListStateMachines".to_owned(),
        )];
        let now = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let url = "https://states.eu-central-1.amazonaws.com/";
        let signed = |body: &str| signer.sign_at(now, "states", url, &headers, body).unwrap();
        let value = |signed: &[(String, String)], name: &str| {
            let held = signed.iter().find(|(held, _)| held == name);
            held.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let first = signed("{}");
        assert_eq!(value(&first, "x-amz-date"), "20231114T221320Z");
        assert_eq!(value(&first, "x-amz-security-token"), "token");
        let authorization = value(&first, "authorization");
        let scope = "AWS4-HMAC-SHA256 Credential=AKID/20231114/eu-central-1/states/aws4_request, ";
        assert!(authorization.starts_with(scope), "{authorization}");
        assert!(authorization.contains("x-amz-target"), "{authorization}");
        assert_ne!(value(&signed("[]"), "authorization"), authorization);
    }
}
