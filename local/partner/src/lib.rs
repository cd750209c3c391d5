//! A partner API that behaves, and misbehaves, as a script tells it.
