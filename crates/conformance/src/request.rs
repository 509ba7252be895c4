//! A request as shipped agents send it until a check changes it; what differs is evidence.

use alongside_agent::wire;

/// A request, and in what it differs from what agents send.
#[derive(Clone)]
pub(crate) struct Request {
    request: wire::Request,
    pub(crate) differences: Vec<String>,
}

impl Request {
    pub(crate) fn new(request: wire::Request) -> Self {
        Self { request, differences: Vec::new() }
    }

    pub(crate) fn method(&self) -> &'static str {
        self.request.method()
    }

    /// Sets another value of a header.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        let value = value.into();
        self.differences.push(format!("{name}: {value}"));
        Self { request: self.request.with(name, value), ..self }
    }

    /// Leaves a header out.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.differences.push(format!("no {name}"));
        Self { request: self.request.without(name), ..self }
    }

    pub(crate) fn with_body(self, body: impl Into<Vec<u8>>) -> Self {
        Self { request: self.request.body(body), ..self }
    }

    pub(crate) fn body(&self) -> &[u8] {
        &self.request.body
    }

    /// The head, which for a POST promises a body of this many bytes.
    pub(crate) fn head(&self, length: usize) -> Vec<u8> {
        self.request.head(length)
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.request.bytes()
    }
}
