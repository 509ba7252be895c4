//! A request as shipped agents send it until a check changes it; only the changes are added to the evidence.

use alongside_agent::wire;

/// A request, with its differences from what agents send.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) wire: wire::Request,
    pub(crate) differences: Vec<String>,
}

impl Request {
    /// Sets another value of a header.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        let value = value.into();
        self.differences.push(format!("{name}: {value}"));
        Self { wire: self.wire.with(name, value), ..self }
    }

    /// Leaves a header out.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.differences.push(format!("no {name}"));
        Self { wire: self.wire.without(name), ..self }
    }

    pub(crate) fn with_body(self, body: impl Into<Vec<u8>>) -> Self {
        Self { wire: self.wire.body(body), ..self }
    }
}
