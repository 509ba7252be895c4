//! Which addresses a companion listens on, and whether those of a predecessor were held all the time.
//!
//! Agents that lose their companion dial its port again and show their token. If nobody held the port in
//! between, another user may have had it for a moment and heard the token: then the token is burned.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use alongside_platform::ports::{PortHold, is_no_address, listen as listen_at, listen_beside_hold};
use tokio::net::TcpListener;
use tokio::time::Instant;

use crate::config::StartError;

/// How often an address is tried that somebody has.
const TRY_EVERY: Duration = Duration::from_millis(20);
/// How many ports are tried until one is free on both loopbacks.
const PORTS: usize = 64;

/// A predecessor that was interrupted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Former<'a> {
    pub(crate) port: u16,
    /// All that it listened on.
    pub(crate) addresses: &'a [SocketAddr],
    /// Held since then, by whoever starts this companion.
    pub(crate) hold: Option<&'a PortHold>,
}

/// Listening sockets.
#[derive(Debug)]
pub(crate) struct Listening {
    pub(crate) listeners: Vec<TcpListener>,
    /// Theirs; the first is the one on 127.0.0.1.
    pub(crate) addresses: Vec<SocketAddr>,
    /// They are the predecessor's, and nobody else can have had them since.
    pub(crate) is_former: bool,
}

/// Listens on both loopbacks, on the former port if there is one and nobody has it, and on one more address
/// if one is named. What somebody has is tried again until `patience` ends.
///
/// # Errors
/// When no port can be had, or not the address that is named.
pub(crate) async fn listen(
    former: Option<Former<'_>>,
    also: Option<SocketAddr>,
    patience: Instant,
) -> Result<Listening, StartError> {
    let is_held = |former: &Former<'_>| former.hold.is_some_and(|hold| hold.covers(former.addresses));
    let again = match former {
        Some(former) if is_held(&former) => {
            retry(patience, || loopbacks(former.port, listen_beside_hold)).await.ok()
        }
        Some(former) => retry(patience, || loopbacks(former.port, listen_at)).await.ok(),
        None => None,
    };
    let mut all = match again {
        Some(all) => all,
        None => any_port()?,
    };
    if let Some(mut also) = also {
        if also.port() == 0 {
            also.set_port(all.first().map_or(0, |(address, _)| address.port()));
        }
        let is_held = former.is_some_and(|former| is_held(&former) && former.addresses.contains(&also));
        let listen = if is_held { listen_beside_hold } else { listen_at };
        let listener = retry(patience, || listen(also)).await;
        let listener = listener.map_err(|source| StartError::Listen { address: also, source })?;
        all.push((also, listener));
    }
    let (addresses, listeners): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    let is_former = former.is_some_and(|former| {
        is_held(&former) && former.addresses.iter().all(|address| addresses.contains(address))
    });
    let listeners: io::Result<Vec<_>> = listeners.into_iter().map(TcpListener::from_std).collect();
    let listeners = listeners.map_err(|source| StartError::Listen { address: addresses[0], source })?;
    Ok(Listening { listeners, addresses, is_former })
}

/// A port that is free on both loopbacks: clients that dial `localhost` show their token to whoever has it on
/// either.
fn any_port() -> Result<Vec<(SocketAddr, std::net::TcpListener)>, StartError> {
    let mut tried = 1;
    loop {
        match loopbacks(0, listen_at) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && tried < PORTS => tried += 1,
            tried => {
                let address = (Ipv4Addr::LOCALHOST, 0).into();
                return tried.map_err(|source| StartError::Listen { address, source });
            }
        }
    }
}

/// Listens on both loopbacks; on one where this machine has no other.
fn loopbacks(
    port: u16,
    listen: fn(SocketAddr) -> io::Result<std::net::TcpListener>,
) -> io::Result<Vec<(SocketAddr, std::net::TcpListener)>> {
    let listener = listen((Ipv4Addr::LOCALHOST, port).into())?;
    let address = listener.local_addr()?;
    let mut both = vec![(address, listener)];
    let other = SocketAddr::from((IpAddr::V6(Ipv6Addr::LOCALHOST), address.port()));
    match listen(other) {
        Ok(listener) => both.push((other, listener)),
        Err(error) if is_no_address(&error) => {}
        Err(error) => return Err(error),
    }
    Ok(both)
}

async fn retry<T>(until: Instant, attempt: impl Fn() -> io::Result<T>) -> io::Result<T> {
    loop {
        match attempt() {
            Err(_) if Instant::now() < until => tokio::time::sleep(TRY_EVERY).await,
            tried => return tried,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: &str) -> SocketAddr {
        address.parse().unwrap()
    }

    async fn former(addresses: &[SocketAddr], hold: Option<&PortHold>) -> Listening {
        let former = Former { port: addresses[0].port(), addresses, hold };
        listen(Some(former), None, Instant::now()).await.unwrap()
    }

    #[tokio::test]
    async fn one_port_is_listened_on_at_both_loopbacks() {
        let all = listen(None, None, Instant::now()).await.unwrap().addresses;
        assert_eq!(all[0].ip(), at("127.0.0.1:0").ip());
        // Where IPv6 is switched off, nobody else can have it either.
        if std::net::TcpListener::bind("[::1]:0").is_ok() {
            assert_eq!(all[1], SocketAddr::new(at("[::1]:0").ip(), all[0].port()));
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_former_port_is_trusted_only_if_all_of_it_was_held() {
        let first = listen(None, None, Instant::now()).await.unwrap();
        let addresses = first.addresses.clone();
        let hold = PortHold::take(&addresses).unwrap();
        drop(first);
        assert!(former(&addresses, Some(&hold)).await.is_former);
        assert!(!former(&addresses, None).await.is_former, "nobody says that it was held");
        let one = PortHold::take(&addresses[..1]).unwrap();
        let more = [addresses.clone(), vec![at("172.17.0.1:9")]].concat();
        assert!(!former(&more, Some(&one)).await.is_former, "one address was not held");
        assert_eq!(former(&addresses, None).await.addresses, addresses, "the port is taken all the same");
    }

    #[tokio::test]
    async fn a_port_that_a_stranger_has_on_either_loopback_is_left() {
        for stranger in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(theirs) = std::net::TcpListener::bind(stranger) else { continue };
            let port = theirs.local_addr().unwrap().port();
            let addresses = [at(&format!("127.0.0.1:{port}"))];
            let listening = former(&addresses, None).await;
            assert_ne!(listening.addresses[0].port(), port, "{stranger}");
            assert!(!listening.is_former);
        }
    }
}
