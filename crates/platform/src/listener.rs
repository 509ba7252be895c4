//! The owner of a listener on this machine. Any user may take a free port, but only this user's listener gets
//! a token.

use std::net::{IpAddr, SocketAddr};

/// The owner of a listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListenerOwner {
    /// This user.
    Us,
    /// Another user.
    Other,
    /// No program listens on the address.
    Nobody,
    /// The system does not report the owner.
    Unknown,
}

impl ListenerOwner {
    /// Whether this user may be the owner: the user is, or the system does not report it.
    pub fn may_be_us(self) -> bool {
        matches!(self, Self::Us | Self::Unknown)
    }
}

/// Determines the owner of the listener on an address of this machine. Blocks. If the system hides the
/// sockets of other users, as macOS does, such a listener counts as absent.
pub fn owner(address: SocketAddr) -> ListenerOwner {
    system::listeners().map_or(ListenerOwner::Unknown, |all| owner_among(&all, address))
}

/// A socket that waits for connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Listening {
    address: SocketAddr,
    is_ours: bool,
}

/// Determines the owner. Every listener that accepts a connection to the address must be ours.
fn owner_among(all: &[Listening], address: SocketAddr) -> ListenerOwner {
    let mut listeners = all.iter().filter(|listener| accepts(listener.address, address)).peekable();
    if listeners.peek().is_none() {
        return ListenerOwner::Nobody;
    }
    if listeners.all(|listener| listener.is_ours) { ListenerOwner::Us } else { ListenerOwner::Other }
}

/// Whether a listener on `there` accepts a connection to `address`.
fn accepts(there: SocketAddr, address: SocketAddr) -> bool {
    let (local, dialled) = (there.ip().to_canonical(), address.ip().to_canonical());
    let is_any = match there.ip() {
        IpAddr::V4(any) => any.is_unspecified() && dialled.is_ipv4(),
        // By default, an IPv6 listener accepts both families.
        IpAddr::V6(any) => any.is_unspecified(),
    };
    there.port() == address.port() && (local == dialled || is_any)
}

#[cfg(target_os = "linux")]
mod system {
    use super::Listening;
    use crate::{proc_files, socket_diag};

    pub(super) fn listeners() -> Option<Vec<Listening>> {
        let us = rustix::process::geteuid().as_raw();
        let all = socket_diag::listeners().ok().or_else(proc_files::listeners)?.into_iter();
        Some(all.map(|found| Listening { address: found.address, is_ours: found.user == us }).collect())
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use listeners::{Protocol, SocketState};

    use super::Listening;
    use crate::process::Processes;

    pub(super) fn listeners() -> Option<Vec<Listening>> {
        let processes = Processes::now();
        let waits = |found: &listeners::Listener| {
            found.protocol == Protocol::TCP && found.state == SocketState::Listen
        };
        let all = listeners::get_all().ok()?.into_iter().filter(waits);
        let listening = |found: listeners::Listener| Listening {
            address: found.socket,
            is_ours: processes.is_ours(found.process.pid),
        };
        Some(all.map(listening).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_is_distinguished_from_a_free_port() {
        for address in ["127.0.0.1:0", "0.0.0.0:0"] {
            let listener = std::net::TcpListener::bind(address).unwrap();
            let port = listener.local_addr().unwrap().port();
            let dialled = SocketAddr::from(([127, 0, 0, 1], port));
            assert_eq!(owner(dialled), ListenerOwner::Us, "{address}");
            drop(listener);
            // A child process that another test starts has the socket until it executes its own program.
            let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
            while owner(dialled) != ListenerOwner::Nobody {
                assert!(std::time::Instant::now() < deadline, "{address}: still {:?}", owner(dialled));
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
        }
    }

    #[test]
    fn every_listener_that_takes_a_connection_must_be_ours() {
        let at = |address: &str| address.parse::<SocketAddr>().unwrap();
        let owner = |all: &[(&str, u32)], address| {
            let listening =
                |(address, user): &(&str, u32)| Listening { address: at(address), is_ours: *user == 501 };
            owner_among(&all.iter().map(listening).collect::<Vec<_>>(), at(address))
        };
        for listens in ["127.0.0.1:80", "0.0.0.0:80", "[::ffff:127.0.0.1]:80", "[::]:80"] {
            assert_eq!(owner(&[(listens, 501)], "127.0.0.1:80"), ListenerOwner::Us, "{listens}");
            assert_eq!(owner(&[(listens, 502)], "127.0.0.1:80"), ListenerOwner::Other, "{listens}");
            let both = [(listens, 501), ("0.0.0.0:80", 502)];
            assert_eq!(owner(&both, "127.0.0.1:80"), ListenerOwner::Other, "{listens}");
        }
        for listens in ["127.0.0.1:81", "127.0.0.2:80", "[::1]:80"] {
            assert_eq!(owner(&[(listens, 502)], "127.0.0.1:80"), ListenerOwner::Nobody, "{listens}");
        }
        assert_eq!(owner(&[("0.0.0.0:80", 502)], "[::1]:80"), ListenerOwner::Nobody);
    }
}
