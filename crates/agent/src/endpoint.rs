//! The address at which a companion listens.

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    host: String,
    port: u16,
}

impl Endpoint {
    /// Makes an endpoint on this machine.
    pub fn local(port: u16) -> Self {
        Self::at("127.0.0.1", port)
    }

    /// Makes an endpoint on another host, such as `host.docker.internal`. An IPv6 address is in brackets.
    pub fn at(host: impl Into<String>, port: u16) -> Self {
        Self { host: host.into(), port }
    }

    /// Returns the host without brackets, and the port, as a socket dials them.
    pub(crate) fn parts(&self) -> (&str, u16) {
        (self.host.trim_matches(['[', ']']), self.port)
    }

    /// Returns the value of a request's `Host` header.
    pub(crate) fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Returns the URL of the MCP endpoint.
    pub fn url(&self) -> String {
        format!("http://{}:{}/mcp", self.host, self.port)
    }

    /// Returns the URL of the status page.
    pub fn status_url(&self) -> String {
        format!("http://{}:{}/status", self.host, self.port)
    }
}
