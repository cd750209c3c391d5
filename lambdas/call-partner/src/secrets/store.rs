//! Where secrets are kept: AWS's Secrets Manager and Parameter Store, or a file, for whoever runs this without an account.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, SdkConfig};
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use policy::SecretHeader;
use serde_json::{Map, Value};
use tokio::sync::OnceCell;

/// How long one attempt to read may take. A connection that died while the process was frozen is given up by it.
const ATTEMPT: Duration = Duration::from_secs(2);

/// Where one secret is kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A secret of Secrets Manager, by name or ARN.
    Secret(String),
    /// A SecureString of the Parameter Store, by name or ARN.
    Parameter(String),
}

impl Place {
    /// The place that a policy names, if it is one.
    pub fn of(source: &SecretHeader) -> Option<Self> {
        match (&source.secret, &source.parameter) {
            (Some(secret), None) => Some(Self::Secret(secret.clone())),
            (None, Some(parameter)) => Some(Self::Parameter(parameter.clone())),
            _ => None,
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Secret(name) | Self::Parameter(name) => name,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Secret(name) => write!(f, "secret {name}"),
            Self::Parameter(name) => write!(f, "parameter {name}"),
        }
    }
}

/// What the secrets are read from.
#[derive(Debug)]
pub enum Store {
    /// AWS, connected with the first read: most circuits never need it.
    Aws(OnceCell<Aws>),
    /// A JSON object of names and values. A value is a text, or an object whose fields the policies name.
    File(PathBuf),
}

/// AWS's two stores.
#[derive(Debug)]
pub struct Aws {
    secrets: aws_sdk_secretsmanager::Client,
    parameters: aws_sdk_ssm::Client,
}

/// Why a store gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// AWS refused or did not answer.
    #[error("{0}")]
    Refused(String),
    /// It holds no text.
    #[error("NoText")]
    NoText,
    /// The file can't be read.
    #[error("FileUnreadable")]
    FileUnreadable(#[source] std::io::Error),
    /// The file is no JSON object.
    #[error("FileMalformed")]
    FileMalformed,
    /// The file has no such name.
    #[error("NotInFile")]
    NotInFile,
}

impl StoreError {
    /// One word for the log.
    pub fn name(&self) -> String {
        self.to_string()
    }
}

impl Store {
    /// The file, if there is one to take the place of AWS.
    pub fn new(file: Option<PathBuf>) -> Self {
        file.map_or_else(|| Self::Aws(OnceCell::new()), Self::File)
    }

    /// Reads one secret as text.
    ///
    /// # Errors
    /// The store refused, failed, or has no text there.
    pub async fn read(&self, place: &Place) -> Result<String, StoreError> {
        match self {
            Self::File(file) => {
                let text = std::fs::read_to_string(file).map_err(StoreError::FileUnreadable)?;
                let mut values: Map<String, Value> =
                    serde_json::from_str(&text).map_err(|_| StoreError::FileMalformed)?;
                match values.remove(place.name()) {
                    Some(Value::String(text)) => Ok(text),
                    Some(object @ Value::Object(_)) => Ok(object.to_string()),
                    Some(_) => Err(StoreError::NoText),
                    None => Err(StoreError::NotInFile),
                }
            }
            Self::Aws(aws) => aws.get_or_init(Aws::connect).await.read(place).await,
        }
    }
}

impl Aws {
    async fn connect() -> Self {
        let http = Builder::new()
            .tls_provider(Provider::Rustls(CryptoMode::Ring))
            .build_https();
        let config: SdkConfig = aws_config::defaults(BehaviorVersion::v2026_01_12())
            .http_client(http)
            .timeout_config(TimeoutConfig::builder().operation_attempt_timeout(ATTEMPT).build())
            .load()
            .await;
        Self {
            secrets: aws_sdk_secretsmanager::Client::new(&config),
            parameters: aws_sdk_ssm::Client::new(&config),
        }
    }

    async fn read(&self, place: &Place) -> Result<String, StoreError> {
        let text = match place {
            Place::Secret(name) => {
                let answer = self.secrets.get_secret_value().secret_id(name).send().await;
                answer.map_err(|error| StoreError::Refused(code(&error)))?.secret_string
            }
            Place::Parameter(name) => {
                let asked = self.parameters.get_parameter().name(name).with_decryption(true);
                let answer = asked.send().await;
                answer
                    .map_err(|error| StoreError::Refused(code(&error)))?
                    .parameter
                    .and_then(|parameter| parameter.value)
            }
        };
        text.ok_or(StoreError::NoText)
    }
}

/// The error's code, as `AccessDeniedException`; its message may name people and policies.
fn code<E, R>(error: &aws_sdk_ssm::error::SdkError<E, R>) -> String
where
    E: aws_sdk_ssm::error::ProvideErrorMetadata,
{
    match error.as_service_error().and_then(|error| error.code()) {
        Some(code) => code.to_owned(),
        None => "NoAnswer".to_owned(),
    }
}
