//! The suite's agent over HTTP: its requests, their responses, and its stream.

pub(crate) mod json;
pub(crate) mod peer;
pub(crate) mod request;
pub(crate) mod response;
pub(crate) mod stream_listener;
pub(crate) mod stream_rules;
