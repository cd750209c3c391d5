//! What the engine tests, the cases and the model share.
