//! The whole system in one process: front door, Step Functions, DynamoDB, Lambda, and an endpoint for AWS SDKs.
//!
//! ```no_run
//! # async fn example() -> Result<(), stepbreaker_local::StartError> {
//! use stepbreaker_local::{Config, System};
//! let system = System::start(Config::new("statemachine/circuits")).await?;
//! println!("{}", system.front_door_url());
//! system.stop().await;
//! # Ok(())
//! # }
//! ```

mod aws;
mod circuits;
mod config;
mod dynamodb;
mod error;
mod front_door;
mod http;
mod integrations;
pub mod lambda_host;
mod sfn_local;
mod step_functions;
mod system;

pub use circuits::ExampleBody;
pub use config::Config;
pub use error::StartError;
pub use integrations::EventBus;
pub use sfn_local::StepFunctionsLocal;
pub use system::{CircuitInfo, System};
