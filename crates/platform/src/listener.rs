//! The owner of a listener here. Anybody may take a free port, and only this user's gets a token.

use std::net::SocketAddr;

/// The owner of a listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListenerOwner {
    /// This user.
    Us,
    /// Another user.
    Other,
    /// Nobody listens there.
    Nobody,
    /// The system does not show it.
    Unsaid,
}

impl ListenerOwner {
    /// Whether this user may own it: they do, or the system does not show it.
    pub fn may_be_us(self) -> bool {
        matches!(self, Self::Us | Self::Unsaid)
    }
}

/// The owner of the listener on an address of this machine. Blocks: macOS runs `lsof`. Windows shows none.
pub fn owner(address: SocketAddr) -> ListenerOwner {
    system::owner(address)
}

#[cfg(target_os = "linux")]
mod system {
    use std::net::{IpAddr, SocketAddr};

    use super::ListenerOwner;
    use crate::proc_files::{Listener, listeners};

    pub(super) fn owner(address: SocketAddr) -> ListenerOwner {
        let us = rustix::process::geteuid().as_raw();
        listeners().map_or(ListenerOwner::Unsaid, |all| owner_among(&all, us, address))
    }

    pub(super) fn owner_among(all: &[Listener], us: u32, address: SocketAddr) -> ListenerOwner {
        let mut listeners = all.iter().filter(|listener| takes(listener.address, address)).peekable();
        if listeners.peek().is_none() {
            return ListenerOwner::Nobody;
        }
        if listeners.all(|listener| listener.user == us) { ListenerOwner::Us } else { ListenerOwner::Other }
    }

    /// Whether a listener there takes a connection to `address`.
    fn takes(there: SocketAddr, address: SocketAddr) -> bool {
        let (local, dialled) = (there.ip().to_canonical(), address.ip().to_canonical());
        let is_any = match there.ip() {
            IpAddr::V4(any) => any.is_unspecified() && dialled.is_ipv4(),
            // By default, it takes both families.
            IpAddr::V6(any) => any.is_unspecified(),
        };
        there.port() == address.port() && (local == dialled || is_any)
    }
}

#[cfg(target_os = "macos")]
mod system {
    use std::net::SocketAddr;
    use std::process::Command;

    use super::{ListenerOwner, read_lsof};

    pub(super) fn owner(address: SocketAddr) -> ListenerOwner {
        let port = format!("-iTCP:{}", address.port());
        let listed =
            Command::new("/usr/sbin/lsof").args(["-nP", "-a", &port, "-sTCP:LISTEN", "-Fun"]).output();
        let Ok(listed) = listed else { return ListenerOwner::Unsaid };
        read_lsof(&String::from_utf8_lossy(&listed.stdout), rustix::process::geteuid().as_raw(), address)
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod system {
    use std::net::SocketAddr;

    use super::ListenerOwner;

    pub(super) fn owner(_: SocketAddr) -> ListenerOwner {
        ListenerOwner::Unsaid
    }
}

/// Reads the output of `lsof -F un`: a line `u` with a user for each process, and a line `n` for each socket.
#[cfg(any(test, target_os = "macos"))]
fn read_lsof(listed: &str, us: u32, address: SocketAddr) -> ListenerOwner {
    let mut user = None;
    // Without root, `lsof` lists only this user's processes.
    let mut found = ListenerOwner::Nobody;
    let wanted = [address.to_string(), format!("*:{}", address.port())];
    for line in listed.lines() {
        match line.split_at_checked(1) {
            Some(("u", id)) => user = id.parse::<u32>().ok(),
            Some(("n", name)) if wanted.iter().any(|wanted| wanted == name) => {
                if user != Some(us) {
                    return ListenerOwner::Other;
                }
                found = ListenerOwner::Us;
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_listener_and_a_free_port_are_told_apart() {
        for address in ["127.0.0.1:0", "0.0.0.0:0"] {
            let listener = std::net::TcpListener::bind(address).unwrap();
            let port = listener.local_addr().unwrap().port();
            let dialled = SocketAddr::from(([127, 0, 0, 1], port));
            assert_eq!(owner(dialled), ListenerOwner::Us, "{address}");
            drop(listener);
            // A child that another test starts has the socket until it runs its own program.
            let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
            while owner(dialled) != ListenerOwner::Nobody {
                assert!(std::time::Instant::now() < deadline, "{address}: still {:?}", owner(dialled));
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn every_listener_that_takes_a_connection_must_be_ours() {
        let at = |address: &str| address.parse::<SocketAddr>().unwrap();
        let owner = |all: &[(&str, u32)], address| {
            let all = all
                .iter()
                .map(|(address, user)| crate::proc_files::Listener { address: at(address), user: *user });
            system::owner_among(&all.collect::<Vec<_>>(), 501, at(address))
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

    #[test]
    fn lsof_names_the_user_of_each_listener() {
        let at = |address: &str| address.parse::<SocketAddr>().unwrap();
        let listed = "p81\nu501\nf12\nn127.0.0.1:4000\np82\nu502\nf3\nn127.0.0.1:5000\nn*:6000\n";
        let owner = |us, address| read_lsof(listed, us, at(address));
        assert_eq!(owner(501, "127.0.0.1:4000"), ListenerOwner::Us);
        assert_eq!(owner(502, "127.0.0.1:4000"), ListenerOwner::Other);
        assert_eq!(owner(502, "127.0.0.1:6000"), ListenerOwner::Us);
        assert_eq!(owner(501, "127.0.0.1:7000"), ListenerOwner::Nobody);
        assert_eq!(read_lsof("", 501, at("127.0.0.1:4000")), ListenerOwner::Nobody);
    }
}
