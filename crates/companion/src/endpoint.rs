//! The addresses at which agents reach this companion, and the token that they send.

use std::net::SocketAddr;
use std::sync::Arc;

/// The endpoint of a companion.
#[derive(Clone, Default)]
pub(crate) struct Endpoint {
    /// The listening addresses; the first is on 127.0.0.1.
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) token: Arc<str>,
}

impl Endpoint {
    /// Returns the endpoint at a port of 127.0.0.1.
    pub(crate) fn at(port: u16, token: &str) -> Self {
        Self { addresses: vec![([127, 0, 0, 1], port).into()], token: token.into() }
    }

    /// Returns the values of `Host` that requests may have: each address, or its port with a name of this
    /// machine.
    pub(crate) fn hosts(&self) -> Vec<String> {
        // In a container, agents dial host.docker.internal.
        let names = ["127.0.0.1", "localhost", "[::1]", "host.docker.internal"];
        let hosts_of = |address: &SocketAddr| {
            let named = names.map(|name| format!("{name}:{}", address.port()));
            named.into_iter().chain([address.to_string()])
        };
        self.addresses.iter().flat_map(hosts_of).collect()
    }

    /// Returns the port, which is the same on both loopback addresses.
    pub(crate) fn port(&self) -> u16 {
        self.addresses.first().map_or(0, SocketAddr::port)
    }
}

impl std::fmt::Debug for Endpoint {
    /// Formats the endpoint without the token, which has no place in a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").field("addresses", &self.addresses).finish_non_exhaustive()
    }
}
