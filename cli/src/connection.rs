//! How AWS is reached, or what stands in for it.

use std::time::Duration;

use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_sfn::config::Credentials;
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use url::{Host, Url};

use crate::error::CommandError;
use crate::options::ConnectionOptions;
use crate::sync_host::SyncHost;

/// A person waits, but rather for an answer than for an error.
const CONNECT: Duration = Duration::from_secs(3);
const OPERATION: Duration = Duration::from_secs(15);
/// A synchronous execution ends by itself after 28 seconds.
const EXECUTION: Duration = Duration::from_secs(35);
/// What a loopback endpoint gets, unless somebody sets others: it checks none.
const DUMMY: &str = "local";
const DUMMY_REGION: &str = "us-east-1";

/// AWS, or what stands in for it.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    pub(crate) config: SdkConfig,
    /// Where Step Functions is, if everything is on this machine.
    pub(crate) loopback: Option<Url>,
    /// Whether somebody can be asked whose credentials these are.
    pub(crate) knows_identities: bool,
    /// Whether the services are somewhere else than at AWS.
    stands_in: bool,
}

impl Connection {
    /// Takes options before the environment before the profile.
    ///
    /// # Errors
    /// An endpoint that is none, or no region.
    pub(crate) async fn open(options: &ConnectionOptions) -> Result<Self, CommandError> {
        let http = Builder::new()
            .tls_provider(Provider::Rustls(CryptoMode::Ring))
            .build_https();
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(CONNECT)
            .operation_timeout(OPERATION)
            .build();
        let endpoints = endpoints(options)?;
        let loopback = endpoints.first().filter(|_| endpoints.iter().all(is_loopback)).cloned();
        let mut loader = aws_config::defaults(BehaviorVersion::v2026_01_12())
            .http_client(http)
            .timeout_config(timeouts)
            .retry_config(RetryConfig::standard());
        if let Some(endpoint) = &options.endpoint {
            loader = loader.endpoint_url(endpoint.as_str());
        }
        if let Some(profile) = &options.profile {
            loader = loader.profile_name(profile);
        }
        if let Some(region) = &options.region {
            loader = loader.region(Region::new(region.clone()));
        }
        let has_own = options.profile.is_some() || ["AWS_ACCESS_KEY_ID", "AWS_PROFILE"].iter().any(|name| is_set(name));
        if loopback.is_some() && !has_own {
            loader = loader.credentials_provider(Credentials::new(DUMMY, DUMMY, None, None, DUMMY));
        }
        if loopback.is_some() && options.region.is_none() && !is_set("AWS_REGION") && !is_set("AWS_DEFAULT_REGION") {
            loader = loader.region(Region::new(DUMMY_REGION));
        }
        let config = loader.load().await;
        if config.region().is_none() {
            return Err(CommandError::Configuration {
                found: "no region is set".to_owned(),
                allowed: "set AWS_REGION, give --region, or give --endpoint for a local system".to_owned(),
            });
        }
        let stands_in = loopback.is_some() || endpoints.iter().any(|url| !is_aws(url));
        let has_sts = options.endpoint.is_none() && is_set("AWS_ENDPOINT_URL_STS");
        Ok(Self {
            config,
            knows_identities: loopback.is_none() || has_sts,
            loopback,
            stands_in,
        })
    }

    /// A client of Step Functions.
    pub(crate) fn step_functions(&self) -> aws_sdk_sfn::Client {
        let mut config = aws_sdk_sfn::config::Builder::from(&self.config);
        if self.stands_in {
            config = config.interceptor(SyncHost);
        }
        aws_sdk_sfn::Client::from_conf(config.build())
    }

    /// The same for executions that are waited for: these take their time, and none is started twice.
    pub(crate) fn executions(&self) -> aws_sdk_sfn::Client {
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(CONNECT)
            .operation_timeout(EXECUTION)
            .build();
        let config = (self.step_functions().config().to_builder())
            .timeout_config(timeouts)
            .retry_config(RetryConfig::disabled());
        aws_sdk_sfn::Client::from_conf(config.build())
    }
}

/// Whom the command asks, when it is not AWS: an error says so.
pub(crate) fn asked(options: &ConnectionOptions) -> Option<String> {
    endpoints(options).ok()?.first().map(Url::to_string)
}

/// The endpoints that are set for what the command talks to; none for AWS itself.
fn endpoints(options: &ConnectionOptions) -> Result<Vec<Url>, CommandError> {
    if let Some(endpoint) = &options.endpoint {
        return Ok(vec![endpoint.clone()]);
    }
    let all = variable("AWS_ENDPOINT_URL");
    let of = |service: &str| {
        let name = format!("AWS_ENDPOINT_URL_{service}");
        let own = variable(&name).map(|value| (name, value));
        own.or_else(|| Some(("AWS_ENDPOINT_URL".to_owned(), all.clone()?)))
    };
    // Step Functions first: where that is, the local system has its own routes too.
    let given = [of("SFN"), of("DYNAMODB")];
    let read = given.iter().flatten().map(|(name, value)| {
        Url::parse(value).map_err(|error| CommandError::Configuration {
            found: format!("{name} is {value:?}: {error}"),
            allowed: "allowed: http:// or https://, a host, and a port".to_owned(),
        })
    });
    let mut read = read.collect::<Result<Vec<_>, _>>()?;
    if read.len() < given.len() {
        // One of them is AWS, so that none may be taken for a local system.
        read.retain(|url| !is_loopback(url));
    }
    Ok(read)
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn is_set(name: &str) -> bool {
    variable(name).is_some()
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn is_aws(url: &Url) -> bool {
    let domains = [".amazonaws.com", ".amazonaws.com.cn", ".api.aws"];
    url.host_str()
        .is_some_and(|host| domains.iter().any(|domain| host.ends_with(domain)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn this_machine_has_several_names() {
        for here in [
            "http://localhost:4566",
            "http://a.localhost",
            "http://127.0.0.2:1",
            "http://[::1]:1",
        ] {
            assert!(is_loopback(&url(here)), "{here}");
        }
        for elsewhere in [
            "http://localhost.example.com",
            "http://10.0.0.1",
            "https://states.us-east-1.amazonaws.com",
        ] {
            assert!(!is_loopback(&url(elsewhere)), "{elsewhere}");
        }
        assert!(is_aws(&url("https://vpce-1.states.us-east-1.vpce.amazonaws.com")));
        assert!(!is_aws(&url("https://amazonaws.com.example.com")));
    }
}
