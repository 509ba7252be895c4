//! Where a companion listens.

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    host: String,
    port: u16,
}

impl Endpoint {
    /// On this machine.
    pub fn local(port: u16) -> Self {
        Self::at("127.0.0.1", port)
    }

    /// On another address, such as `host.docker.internal`; IPv6 in brackets.
    pub fn at(host: impl Into<String>, port: u16) -> Self {
        Self { host: host.into(), port }
    }

    /// The host without brackets, and the port, as a socket dials them.
    pub(crate) fn parts(&self) -> (&str, u16) {
        (self.host.trim_matches(['[', ']']), self.port)
    }

    /// The value of a request's `Host` header.
    pub(crate) fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The URL of the MCP endpoint.
    pub fn url(&self) -> String {
        format!("http://{}:{}/mcp", self.host, self.port)
    }

    /// The URL of the status page.
    pub fn status_url(&self) -> String {
        format!("http://{}:{}/status", self.host, self.port)
    }
}
