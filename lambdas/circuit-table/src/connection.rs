//! How the functions reach DynamoDB: rustls on *ring*, which starts in a fraction of the time of the SDK's default, and
//! time-outs that fit a Task's one second.

use std::time::Duration;

use aws_config::BehaviorVersion;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::Client;
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;

/// How long one write may take. Two fit into a Task's second: a count and the opening that follows it.
const WRITE: Duration = Duration::from_millis(450);
const CONNECT: Duration = Duration::from_millis(300);

/// A client from the environment, as the SDK reads it (`AWS_REGION`, `AWS_ENDPOINT_URL_DYNAMODB`, …).
///
/// It repeats nothing by itself: a lost count is better than a double one.
pub async fn connect() -> Client {
    let http = Builder::new()
        .tls_provider(Provider::Rustls(CryptoMode::Ring))
        .build_https();
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(CONNECT)
        .operation_timeout(WRITE)
        .build();
    let config = aws_config::defaults(BehaviorVersion::v2026_01_12())
        .http_client(http)
        .timeout_config(timeouts)
        .retry_config(RetryConfig::disabled())
        .load()
        .await;
    Client::new(&config)
}

/// How a write is repeated that may be: once, soon, within the same time.
pub(crate) fn repeated_once() -> RetryConfig {
    RetryConfig::standard()
        .with_max_attempts(2)
        .with_initial_backoff(Duration::from_millis(20))
}

/// How long each attempt of such a write may take, so that a second one has its time.
pub(crate) fn half_the_time() -> TimeoutConfig {
    TimeoutConfig::builder()
        .operation_attempt_timeout(WRITE / 2)
        .operation_timeout(WRITE)
        .build()
}
