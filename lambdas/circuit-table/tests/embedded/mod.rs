//! An embedded DynamoDB with the table of circuits, and a client of it. The races use it too.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, StalledStreamProtectionConfig};
use aws_sdk_dynamodb::types::{AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType};
use dynoxide::Database;

/// The table's name.
pub const TABLE: &str = "circuits";
/// Its key.
pub const KEY: &str = "circuit";

/// Starts a database in memory, on a port of its own, and makes the table.
pub async fn start() -> (Client, Database) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let database = Database::memory().unwrap();
    tokio::spawn(dynoxide::server::serve_on(listener, database.clone()));
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::v2026_01_12())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("local", "local", None, None, "test"))
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        // As the functions' client: nothing is repeated blindly.
        .retry_config(RetryConfig::disabled())
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .endpoint_url(endpoint)
        .build();
    let client = Client::from_conf(config);
    let key = KeySchemaElement::builder()
        .attribute_name(KEY)
        .key_type(KeyType::Hash)
        .build();
    let definition = AttributeDefinition::builder()
        .attribute_name(KEY)
        .attribute_type(ScalarAttributeType::S)
        .build();
    client
        .create_table()
        .table_name(TABLE)
        .billing_mode(BillingMode::PayPerRequest)
        .key_schema(key.unwrap())
        .attribute_definitions(definition.unwrap())
        .send()
        .await
        .unwrap();
    (client, database)
}
