//! The listening addresses of a companion, and whether those of its predecessor were held all the time.
//!
//! Agents that lose their companion dial its port again and send their token. If the port was not held in
//! between, another user may have listened on it and received the token, which is then no longer valid.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use alongside_platform::ports::{PortHold, is_no_address, listen as listen_at, listen_beside_hold};
use tokio::net::TcpListener;
use tokio::time::Instant;

use crate::config::StartError;

/// The time between two attempts to listen on an address that is in use.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);
/// The largest number of ports that are tried until one is free on both loopback addresses.
const MAX_PORTS: usize = 64;

/// A companion that was interrupted, and that this one replaces.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Predecessor<'a> {
    pub(crate) port: u16,
    /// Every address on which the predecessor listened.
    pub(crate) addresses: &'a [SocketAddr],
    /// The hold on the predecessor's port since its end, from the process that starts this companion.
    pub(crate) hold: Option<&'a PortHold>,
}

/// The sockets of a port.
#[derive(Debug)]
pub(crate) struct BoundPort {
    pub(crate) listeners: Vec<TcpListener>,
    /// The addresses of the sockets; the first is on 127.0.0.1.
    pub(crate) addresses: Vec<SocketAddr>,
    /// Whether the addresses are the predecessor's, and no other user can have listened on them since its
    /// end.
    pub(crate) was_held: bool,
}

/// Listens on both loopback addresses and, if given, on the address `also`. Uses the predecessor's port, if
/// there is one and it is free. Retries addresses that are in use until `deadline`.
pub(crate) async fn listen(
    predecessor: Option<Predecessor<'_>>,
    also: Option<SocketAddr>,
    deadline: Instant,
) -> Result<BoundPort, StartError> {
    let is_held = |predecessor: &Predecessor<'_>| {
        predecessor.hold.is_some_and(|hold| hold.covers(predecessor.addresses))
    };
    let same_port = match predecessor {
        Some(predecessor) => {
            let listen = if is_held(&predecessor) { listen_beside_hold } else { listen_at };
            retry(deadline, || loopbacks(predecessor.port, listen)).await.ok()
        }
        None => None,
    };
    let mut sockets = match same_port {
        Some(sockets) => sockets,
        None => any_port()?,
    };
    if let Some(mut also) = also {
        if also.port() == 0 {
            also.set_port(sockets.first().map_or(0, |(address, _)| address.port()));
        }
        let is_held = predecessor
            .is_some_and(|predecessor| is_held(&predecessor) && predecessor.addresses.contains(&also));
        let listen = if is_held { listen_beside_hold } else { listen_at };
        let listener = retry(deadline, || listen(also)).await;
        let listener = listener.map_err(|source| StartError::Listen { address: also, source })?;
        sockets.push((also, listener));
    }
    let (addresses, listeners): (Vec<_>, Vec<_>) = sockets.into_iter().unzip();
    let was_held = predecessor.is_some_and(|predecessor| {
        is_held(&predecessor) && predecessor.addresses.iter().all(|address| addresses.contains(address))
    });
    let listeners: io::Result<Vec<_>> = listeners.into_iter().map(TcpListener::from_std).collect();
    let listeners = listeners.map_err(|source| StartError::Listen { address: addresses[0], source })?;
    Ok(BoundPort { listeners, addresses, was_held })
}

/// Listens on a port that is free on both loopback addresses, because `localhost` may mean either.
fn any_port() -> Result<Vec<(SocketAddr, std::net::TcpListener)>, StartError> {
    let mut attempts = 1;
    loop {
        match loopbacks(0, listen_at) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && attempts < MAX_PORTS => attempts += 1,
            result => {
                let address = (Ipv4Addr::LOCALHOST, 0).into();
                return result.map_err(|source| StartError::Listen { address, source });
            }
        }
    }
}

/// Listens on both loopback addresses, or on the only one that this machine has.
fn loopbacks(
    port: u16,
    listen: fn(SocketAddr) -> io::Result<std::net::TcpListener>,
) -> io::Result<Vec<(SocketAddr, std::net::TcpListener)>> {
    let listener = listen((Ipv4Addr::LOCALHOST, port).into())?;
    let address = listener.local_addr()?;
    let mut sockets = vec![(address, listener)];
    let other = SocketAddr::from((IpAddr::V6(Ipv6Addr::LOCALHOST), address.port()));
    match listen(other) {
        Ok(listener) => sockets.push((other, listener)),
        Err(error) if is_no_address(&error) => {}
        Err(error) => return Err(error),
    }
    Ok(sockets)
}

async fn retry<T>(until: Instant, attempt: impl Fn() -> io::Result<T>) -> io::Result<T> {
    loop {
        match attempt() {
            Err(_) if Instant::now() < until => tokio::time::sleep(RETRY_INTERVAL).await,
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: &str) -> SocketAddr {
        address.parse().unwrap()
    }

    async fn listen_again(addresses: &[SocketAddr], hold: Option<&PortHold>) -> BoundPort {
        let predecessor = Predecessor { port: addresses[0].port(), addresses, hold };
        listen(Some(predecessor), None, Instant::now()).await.unwrap()
    }

    #[tokio::test]
    async fn the_companion_listens_on_one_port_of_both_loopbacks() {
        let all = listen(None, None, Instant::now()).await.unwrap().addresses;
        assert_eq!(all[0].ip(), at("127.0.0.1:0").ip());
        // Without IPv6, no other process can listen on [::1] either.
        if std::net::TcpListener::bind("[::1]:0").is_ok() {
            assert_eq!(all[1], SocketAddr::new(at("[::1]:0").ip(), all[0].port()));
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_port_is_trusted_only_if_every_address_was_held() {
        let first = listen(None, None, Instant::now()).await.unwrap();
        let addresses = first.addresses.clone();
        let hold = PortHold::take(&addresses).unwrap();
        drop(first);
        assert!(listen_again(&addresses, Some(&hold)).await.was_held);
        assert!(!listen_again(&addresses, None).await.was_held, "there is no hold");
        let partial = PortHold::take(&addresses[..1]).unwrap();
        let more = [addresses.clone(), vec![at("172.17.0.1:9")]].concat();
        assert!(!listen_again(&more, Some(&partial)).await.was_held, "one address was not held");
        let again = listen_again(&addresses, None).await.addresses;
        assert_eq!(again, addresses, "the port is used all the same");
    }

    #[tokio::test]
    async fn a_port_in_use_on_either_loopback_is_not_used() {
        for stranger in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(theirs) = std::net::TcpListener::bind(stranger) else { continue };
            let port = theirs.local_addr().unwrap().port();
            let addresses = [at(&format!("127.0.0.1:{port}"))];
            let bound = listen_again(&addresses, None).await;
            assert_ne!(bound.addresses[0].port(), port, "{stranger}");
            assert!(!bound.was_held);
        }
    }
}
