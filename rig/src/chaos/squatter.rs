//! A port squatter: another program on the machine that takes the companions' ports as soon as they are free,
//! and reads the requests that arrive on them.
//!
//! The squatter binds as every program does. The kernel lets another user share no port.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};

/// The response to every request: without one, an agent would wait for ever.
const UNAUTHORIZED: &str = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// A port squatter, which acts only when it is [polled](Self::poll).
#[derive(Debug, Default)]
pub(super) struct Squatter {
    targets: BTreeSet<SocketAddr>,
    listeners: Vec<TcpListener>,
    connections: Vec<(TcpStream, Vec<u8>)>,
    tokens: BTreeSet<String>,
    /// The number of addresses that the squatter has taken.
    pub(super) taken: usize,
}

impl Squatter {
    /// Adds a port to take, on both loopback addresses.
    pub(super) fn add_target(&mut self, port: u16) {
        let both = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
        self.targets.extend(both.map(|address| SocketAddr::new(address, port)));
    }

    /// The tokens that the squatter has received, without the name of the family in them.
    pub(super) fn tokens(&self) -> &BTreeSet<String> {
        &self.tokens
    }

    /// Releases all ports and removes the targets. The received tokens stay.
    pub(super) fn leave(&mut self) {
        self.targets.clear();
        self.listeners.clear();
        self.connections.clear();
    }

    /// Takes the target ports that are free, and reads the requests that have arrived.
    pub(super) fn poll(&mut self) {
        let free: Vec<_> = self.targets.iter().copied().filter_map(|at| Some((at, bind(at)?))).collect();
        for (address, listener) in free {
            self.targets.remove(&address);
            self.listeners.push(listener);
            self.taken += 1;
        }
        let new = self.listeners.iter().flat_map(|listener| listener.incoming().map_while(Result::ok));
        let new = new.filter(|stream| stream.set_nonblocking(true).is_ok());
        self.connections.extend(new.map(|stream| (stream, Vec::new())).collect::<Vec<_>>());
        let tokens = &mut self.tokens;
        self.connections.retain_mut(|(stream, received)| read_request(stream, received, tokens));
    }
}

fn bind(address: SocketAddr) -> Option<TcpListener> {
    let listener = TcpListener::bind(address).ok()?;
    listener.set_nonblocking(true).is_ok().then_some(listener)
}

/// Reads a request and responds to it. Returns whether the connection stays open for the rest of the request.
fn read_request(stream: &mut TcpStream, received: &mut Vec<u8>, tokens: &mut BTreeSet<String>) -> bool {
    let mut piece = [0; 4096];
    let is_open = loop {
        match stream.read(&mut piece) {
            Ok(0) => break false,
            Ok(read) => received.extend_from_slice(&piece[..read]),
            Err(error) => break error.kind() == ErrorKind::WouldBlock,
        }
    };
    let text = String::from_utf8_lossy(received);
    let new = text.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        let token = value.trim().strip_prefix("Bearer ")?;
        name.eq_ignore_ascii_case("authorization")
            .then(|| alongside_contract::token::split(token).0.to_owned())
    });
    tokens.extend(new);
    let is_whole = text.contains("\r\n\r\n");
    if is_whole {
        // Fails if the client has closed the connection.
        let _ = stream.write_all(UNAUTHORIZED.as_bytes());
    }
    is_open && !is_whole
}
