//! Reserves a TCP port while no program listens on it: its clients send a token, so no other user may take
//! the port.
//!
//! On Linux, sockets of one user can share a port if all of them set `SO_REUSEPORT`. While one is open, the
//! kernel refuses the port to every other user, also at wildcard addresses. A [`PortHold`] is such a socket
//! that never listens: without a companion, the kernel refuses connections.
//!
//! On macOS, the kernel may pass a connection to the socket that does not listen, and Windows has no option
//! that excludes other users. A port cannot be held on either of them.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::process::Stdio;

/// A hold on ports, which lasts as long as it, or a copy in any process, is open.
#[derive(Debug, Clone)]
pub struct PortHold(system::Sockets);

impl PortHold {
    /// Holds addresses at which a companion of this user has [listened](listen).
    ///
    /// # Errors
    /// If another user has one of the addresses, or the system cannot hold ports.
    pub fn take(addresses: &[SocketAddr]) -> io::Result<Self> {
        system::take(addresses).map(Self)
    }

    /// Whether it holds all of these addresses. False for an empty list.
    pub fn covers(&self, addresses: &[SocketAddr]) -> bool {
        let held = system::addresses(&self.0);
        !addresses.is_empty() && addresses.iter().all(|address| held.contains(address))
    }

    /// Returns a standard input that passes the hold to a new program: see [`from_stdin`](Self::from_stdin).
    ///
    /// # Errors
    /// If the system cannot pass it on.
    pub fn to_stdin(&self) -> io::Result<Stdio> {
        system::to_stdin(&self.0)
    }

    /// Takes the hold that the parent process has passed on.
    ///
    /// # Errors
    /// If standard input has no hold.
    pub fn from_stdin() -> io::Result<Self> {
        system::from_stdin().map(Self)
    }
}

/// Listens at an address so that a [`PortHold`] can share it. The listener does not block.
///
/// # Errors
/// If this machine does not have the address, or another socket has it without sharing, even without
/// listening.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    system::listen(address)
}

/// Listens at a held address, where connections of a predecessor may still be closing.
///
/// # Errors
/// As [`listen`], except that a socket that does not listen is not an error.
pub fn listen_beside_hold(address: SocketAddr) -> io::Result<TcpListener> {
    system::listen_beside_hold(address)
}

/// Whether a program has an address. Only Linux reports that for a socket that does not listen.
pub fn is_taken(address: SocketAddr) -> bool {
    system::is_taken(address)
}

/// Whether this machine does not have the address, as without IPv6. Then no program can listen on it.
pub fn is_no_address(error: &io::Error) -> bool {
    #[cfg(unix)]
    let is_unsupported = error.raw_os_error() == Some(rustix::io::Errno::AFNOSUPPORT.raw_os_error());
    #[cfg(not(unix))]
    let is_unsupported = false;
    is_unsupported || matches!(error.kind(), io::ErrorKind::AddrNotAvailable | io::ErrorKind::Unsupported)
}

#[cfg(target_os = "linux")]
mod system {
    use std::io::{self, IoSlice, IoSliceMut};
    use std::mem::MaybeUninit;
    use std::net::{SocketAddr, TcpListener};
    use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
    use std::os::unix::net::UnixStream;
    use std::process::Stdio;
    use std::sync::Arc;

    use rustix::net::{
        AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
        SendAncillaryMessage, SendFlags, SocketFlags, SocketType, bind, getsockname, ipproto,
        listen as start_listening, recvmsg, sendmsg, socket_with, sockopt,
    };

    pub(super) type Sockets = Arc<Vec<OwnedFd>>;

    /// The largest number of sockets in one message: both loopbacks, one more address, and some spare.
    const MAX_SOCKETS: usize = 8;
    /// The largest number of connections that wait to be accepted, as in the standard library.
    const BACKLOG: i32 = 128;

    fn socket(address: SocketAddr) -> io::Result<OwnedFd> {
        let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        Ok(socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?)
    }

    fn bound(address: SocketAddr, reuses_address: bool) -> io::Result<OwnedFd> {
        let socket = socket(address)?;
        // A hold must not set this: Linux would then give the port to every user who sets it too.
        if reuses_address {
            sockopt::set_socket_reuseaddr(&socket, true)?;
        }
        sockopt::set_socket_reuseport(&socket, true)?;
        bind(&socket, &address)?;
        Ok(socket)
    }

    pub(super) fn take(addresses: &[SocketAddr]) -> io::Result<Sockets> {
        let sockets: io::Result<Vec<_>> = addresses.iter().map(|address| bound(*address, false)).collect();
        sockets.map(Arc::new)
    }

    pub(super) fn addresses(sockets: &Sockets) -> Vec<SocketAddr> {
        let address = |socket: &OwnedFd| SocketAddr::try_from(getsockname(socket).ok()?).ok();
        sockets.iter().filter_map(address).collect()
    }

    pub(super) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
        // With reused addresses, Linux shares the port with another user's socket that never listens. That
        // socket would own the port after this process ends, and would block every hold. This probe then
        // fails.
        let _probe = (address.port() != 0).then(|| bound(address, false)).transpose()?;
        listen_beside_hold(address)
    }

    pub(super) fn listen_beside_hold(address: SocketAddr) -> io::Result<TcpListener> {
        let socket = bound(address, true)?;
        start_listening(&socket, BACKLOG)?;
        Ok(socket.into())
    }

    pub(super) fn is_taken(address: SocketAddr) -> bool {
        // This socket shares the port only with closing connections.
        let tried = socket(address).and_then(|socket| {
            sockopt::set_socket_reuseaddr(&socket, true)?;
            Ok(bind(&socket, &address)?)
        });
        tried.is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse)
    }

    pub(super) fn to_stdin(sockets: &Sockets) -> io::Result<Stdio> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_SOCKETS))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let borrowed: Vec<BorrowedFd<'_>> = sockets.iter().map(|socket| socket.as_fd()).collect();
        if !control.push(SendAncillaryMessage::ScmRights(&borrowed)) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many sockets for one message"));
        }
        sendmsg(&ours, &[IoSlice::new(b"held")], &mut control, SendFlags::empty())?;
        Ok(OwnedFd::from(theirs).into())
    }

    pub(super) fn from_stdin() -> io::Result<Sockets> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_SOCKETS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut said = [0; 4];
        let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
        recvmsg(io::stdin().as_fd(), &mut [IoSliceMut::new(&mut said)], &mut control, flags)?;
        let passed = control.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(sockets) => Some(sockets),
            _ => None,
        });
        let sockets: Vec<OwnedFd> = passed.flatten().collect();
        // Without the option, the kernel would refuse a listener.
        let shares = |socket: &OwnedFd| sockopt::socket_reuseport(socket).unwrap_or(false);
        if sockets.is_empty() || !sockets.iter().all(shares) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "standard input holds no port"));
        }
        Ok(Arc::new(sockets))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::convert::Infallible;
    use std::io;
    use std::net::{SocketAddr, TcpListener};
    use std::process::Stdio;

    pub(super) type Sockets = Infallible;

    pub(super) fn take(_: &[SocketAddr]) -> io::Result<Sockets> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn addresses(sockets: &Sockets) -> Vec<SocketAddr> {
        match *sockets {}
    }

    pub(super) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    }

    pub(super) fn listen_beside_hold(address: SocketAddr) -> io::Result<TcpListener> {
        listen(address)
    }

    pub(super) fn is_taken(address: SocketAddr) -> bool {
        TcpListener::bind(address).is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse)
    }

    pub(super) fn to_stdin(sockets: &Sockets) -> io::Result<Stdio> {
        match *sockets {}
    }

    pub(super) fn from_stdin() -> io::Result<Sockets> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr, TcpStream};
    use std::time::Duration;

    use super::*;

    fn loopback(port: u16) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, port).into()
    }

    #[test]
    fn a_held_port_is_refused_to_all_others() {
        let listener = listen(loopback(0)).unwrap();
        let address = listener.local_addr().unwrap();
        let hold = PortHold::take(&[address]).unwrap();
        TcpStream::connect(address).expect("the listener is heard beside the hold");
        drop(listener);
        assert_eq!(TcpStream::connect(address).unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
        for also in [address, (Ipv4Addr::UNSPECIFIED, address.port()).into()] {
            assert!(is_taken(also), "{also}");
        }
        let again = listen(address).expect("a successor listens beside the hold");
        TcpStream::connect(address).unwrap();
        drop((again, hold));
        // A child process of another test keeps the sockets until it executes its program.
        let is_free = (0..250).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            !is_taken(address)
        });
        assert!(is_free);
    }

    #[test]
    fn a_foreign_port_cannot_be_held() {
        let theirs = TcpListener::bind(loopback(0)).unwrap();
        assert!(PortHold::take(&[theirs.local_addr().unwrap()]).is_err());
    }

    #[test]
    fn listening_fails_at_a_bound_port() {
        use rustix::net::{AddressFamily, SocketType, bind, getsockname, socket, sockopt};
        for address in [SocketAddr::from((Ipv6Addr::LOCALHOST, 0)), loopback(0)] {
            let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
            let theirs = socket(family, SocketType::STREAM, None).unwrap();
            sockopt::set_socket_reuseaddr(&theirs, true).unwrap();
            if bind(&theirs, &address).is_err() {
                continue;
            }
            let address = SocketAddr::try_from(getsockname(&theirs).unwrap()).unwrap();
            assert_eq!(listen(address).unwrap_err().kind(), io::ErrorKind::AddrInUse);
            listen_beside_hold(address).expect("the kernel allows it");
        }
    }

    #[test]
    fn a_hold_covers_its_addresses_only() {
        let one = listen(loopback(0)).unwrap().local_addr().unwrap();
        let hold = PortHold::take(&[one]).unwrap();
        assert!(hold.covers(&[one]));
        assert!(!hold.covers(&[]));
        assert!(!hold.covers(&[one, (Ipv6Addr::LOCALHOST, one.port()).into()]));
    }

    /// Runs as the child process of the test below.
    #[test]
    fn child_holds_the_port() {
        if std::env::var_os("ALONGSIDE_TEST_HOLDS").is_none() {
            assert!(PortHold::from_stdin().is_err(), "standard input has no hold");
            return;
        }
        let hold = PortHold::from_stdin().unwrap();
        let [address] = system::addresses(&hold.0)[..] else { panic!("one address is held") };
        println!("\nholds {address}: {}", is_taken(address));
    }

    #[test]
    fn a_hold_can_be_passed_to_a_new_program() {
        let listener = listen(loopback(0)).unwrap();
        let address = listener.local_addr().unwrap();
        let hold = PortHold::take(&[address]).unwrap();
        drop(listener);
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "ports::tests::child_holds_the_port", "--nocapture"]);
        child.env("ALONGSIDE_TEST_HOLDS", "1").stdin(hold.to_stdin().unwrap()).stdout(Stdio::piped());
        let started = child.spawn().unwrap();
        drop((child, hold));
        let said = String::from_utf8(started.wait_with_output().unwrap().stdout).unwrap();
        assert!(said.lines().any(|line| line == format!("holds {address}: true")), "{said}");
    }
}
