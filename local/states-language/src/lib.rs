//! An interpreter of the Amazon States Language (JSONPath).
