//! Somebody else on the machine, who takes the ports of companions as soon as nobody has them, and listens to
//! what comes.
//!
//! It binds as any program does that shares nothing. To the kernel that is what another user can do at most.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};

/// Whoever asks is sent away, as a patient agent would wait for good.
const NO: &str = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// See the module. It does something only while it is [polled](Self::poll).
#[derive(Debug, Default)]
pub struct Squatter {
    wanted: BTreeSet<SocketAddr>,
    listeners: Vec<TcpListener>,
    guests: Vec<(TcpStream, Vec<u8>)>,
    heard: BTreeSet<String>,
    /// How many ports it has had.
    pub taken: usize,
}

impl Squatter {
    /// Wants a port from now on, on both loopbacks.
    pub fn want(&mut self, port: u16) {
        let both = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
        self.wanted.extend(both.map(|address| SocketAddr::new(address, port)));
    }

    /// The tokens that it has heard, without the names of families.
    pub fn heard(&self) -> &BTreeSet<String> {
        &self.heard
    }

    /// Gives back what it has, and wants nothing any more. What it heard it knows.
    pub fn leave(&mut self) {
        self.wanted.clear();
        self.listeners.clear();
        self.guests.clear();
    }

    /// Takes what is free, and hears what has come.
    pub fn poll(&mut self) {
        let free: Vec<_> = self.wanted.iter().copied().filter_map(|at| Some((at, take(at)?))).collect();
        for (address, listener) in free {
            self.wanted.remove(&address);
            self.listeners.push(listener);
            self.taken += 1;
        }
        let came = self.listeners.iter().flat_map(|listener| listener.incoming().map_while(Result::ok));
        let came = came.filter(|stream| stream.set_nonblocking(true).is_ok());
        self.guests.extend(came.map(|stream| (stream, Vec::new())).collect::<Vec<_>>());
        let heard = &mut self.heard;
        self.guests.retain_mut(|(stream, said)| hear(stream, said, heard));
    }
}

fn take(address: SocketAddr) -> Option<TcpListener> {
    let listener = TcpListener::bind(address).ok()?;
    listener.set_nonblocking(true).is_ok().then_some(listener)
}

/// Whether somebody may say more.
fn hear(stream: &mut TcpStream, said: &mut Vec<u8>, heard: &mut BTreeSet<String>) -> bool {
    let mut piece = [0; 4096];
    let stays = loop {
        match stream.read(&mut piece) {
            Ok(0) => break false,
            Ok(read) => said.extend_from_slice(&piece[..read]),
            Err(error) => break error.kind() == ErrorKind::WouldBlock,
        }
    };
    let text = String::from_utf8_lossy(said);
    let tokens = text.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        let token = value.trim().strip_prefix("Bearer ")?;
        name.eq_ignore_ascii_case("authorization")
            .then(|| alongside_contract::token::split(token).0.to_owned())
    });
    heard.extend(tokens);
    let is_whole = text.contains("\r\n\r\n");
    if is_whole {
        // They may be gone.
        let _ = stream.write_all(NO.as_bytes());
    }
    stays && !is_whole
}
