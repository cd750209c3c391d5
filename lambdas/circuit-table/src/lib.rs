//! The table of circuits: conditional updates said to DynamoDB.
