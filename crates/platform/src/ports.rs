//! Keeping a TCP port while nobody listens on it, so that no other user gets a port whose clients show a
//! token.
//!
//! Linux lets sockets of one user share a port if all of them ask for it with `SO_REUSEPORT`, and refuses the
//! port to every other user (wildcard addresses included) while one of them is open. A [`PortHold`] is such a
//! socket that never listens: clients are refused while the companion is away, and nobody else can answer
//! them.
//!
//! macOS has the same option, but its kernel may hand a connection to the socket that does not listen;
//! Windows has none that keeps other users out of a shared port. There a port cannot be held.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::process::Stdio;

/// Holds ports for as long as it, or a clone of it in any process, is open. See the module.
#[derive(Debug, Clone)]
pub struct PortHold(system::Sockets);

impl PortHold {
    /// Holds these addresses, which a companion of this user has [listened](listen) on.
    ///
    /// # Errors
    /// When somebody else has one of them, or the system cannot hold ports.
    pub fn take(addresses: &[SocketAddr]) -> io::Result<Self> {
        system::take(addresses).map(Self)
    }

    /// Whether it holds every one of these addresses.
    pub fn covers(&self, addresses: &[SocketAddr]) -> bool {
        let held = system::addresses(&self.0);
        !addresses.is_empty() && addresses.iter().all(|address| held.contains(address))
    }

    /// A standard input that hands the hold to a program that is started: see
    /// [`from_stdin`](Self::from_stdin).
    ///
    /// # Errors
    /// When the system cannot pass it on.
    pub fn to_stdin(&self) -> io::Result<Stdio> {
        system::to_stdin(&self.0)
    }

    /// The hold that whoever started this program has handed over.
    ///
    /// # Errors
    /// When standard input carries none.
    pub fn from_stdin() -> io::Result<Self> {
        system::from_stdin().map(Self)
    }
}

/// Listens on an address that a [`PortHold`] may hold. The listener does not block.
///
/// # Errors
/// When the address is none of this machine, or somebody has it who does not share it, listening or not.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    system::listen(address)
}

/// The same on an address that is held: connections of a predecessor that are still ending are in nobody's
/// way.
///
/// # Errors
/// As [`listen`], but for who has it and does not listen.
pub fn listen_beside_hold(address: SocketAddr) -> io::Result<TcpListener> {
    system::listen_beside_hold(address)
}

/// Whether somebody has this address, listening or not. Only Linux says so of one that nobody listens on.
pub fn is_taken(address: SocketAddr) -> bool {
    system::is_taken(address)
}

/// Whether this machine has no such address, as where IPv6 is switched off: then nobody can listen there.
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
        SendAncillaryMessage, SendFlags, SocketFlags, SocketType, bind, getsockname, ipproto, listen as heed,
        recvmsg, sendmsg, socket_with, sockopt,
    };

    pub(super) type Sockets = Arc<Vec<OwnedFd>>;

    /// How many sockets one message carries at most: both loopbacks and one more address, and some room.
    const MOST: usize = 8;
    /// How many connections wait to be accepted, as the standard library asks for.
    const BACKLOG: i32 = 128;

    fn socket(address: SocketAddr) -> io::Result<OwnedFd> {
        let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        Ok(socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?)
    }

    fn bound(address: SocketAddr, reuses_address: bool) -> io::Result<OwnedFd> {
        let socket = socket(address)?;
        // A socket that never listens must not have it: with it, Linux gives the port to whoever asks for the
        // same.
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
        // Linux lets another user's socket that never listens have the same port where both reuse addresses:
        // that one would have it to itself once we are gone, and keep every hold out until then.
        let _alone = (address.port() != 0).then(|| bound(address, false)).transpose()?;
        listen_beside_hold(address)
    }

    pub(super) fn listen_beside_hold(address: SocketAddr) -> io::Result<TcpListener> {
        let socket = bound(address, true)?;
        heed(&socket, BACKLOG)?;
        Ok(socket.into())
    }

    pub(super) fn is_taken(address: SocketAddr) -> bool {
        // It shares with nobody, but for connections that are ending.
        let tried = socket(address).and_then(|socket| {
            sockopt::set_socket_reuseaddr(&socket, true)?;
            Ok(bind(&socket, &address)?)
        });
        tried.is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse)
    }

    pub(super) fn to_stdin(sockets: &Sockets) -> io::Result<Stdio> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let borrowed: Vec<BorrowedFd<'_>> = sockets.iter().map(|socket| socket.as_fd()).collect();
        if !control.push(SendAncillaryMessage::ScmRights(&borrowed)) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many sockets for one message"));
        }
        sendmsg(&ours, &[IoSlice::new(b"held")], &mut control, SendFlags::empty())?;
        Ok(OwnedFd::from(theirs).into())
    }

    pub(super) fn from_stdin() -> io::Result<Sockets> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut said = [0; 4];
        let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
        recvmsg(io::stdin().as_fd(), &mut [IoSliceMut::new(&mut said)], &mut control, flags)?;
        let passed = control.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(sockets) => Some(sockets),
            _ => None,
        });
        let sockets: Vec<OwnedFd> = passed.flatten().collect();
        // Without the option, a listener beside it would be refused.
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

    use super::*;

    fn loopback(port: u16) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, port).into()
    }

    #[test]
    fn a_held_port_is_refused_to_everybody_who_does_not_share_it() {
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
        assert!(!is_taken(address));
    }

    #[test]
    fn a_port_of_somebody_who_does_not_share_it_cannot_be_held() {
        let theirs = TcpListener::bind(loopback(0)).unwrap();
        assert!(PortHold::take(&[theirs.local_addr().unwrap()]).is_err());
    }

    #[test]
    fn a_port_that_somebody_has_without_listening_is_left() {
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
            listen_beside_hold(address).expect("the kernel would let us");
        }
    }

    #[test]
    fn a_hold_covers_what_it_holds_and_never_nothing() {
        let one = listen(loopback(0)).unwrap().local_addr().unwrap();
        let hold = PortHold::take(&[one]).unwrap();
        assert!(hold.covers(&[one]));
        assert!(!hold.covers(&[]));
        assert!(!hold.covers(&[one, (Ipv6Addr::LOCALHOST, one.port()).into()]));
    }

    /// The child of the test below.
    #[test]
    fn holds_what_it_was_handed() {
        if std::env::var_os("ALONGSIDE_TEST_HOLDS").is_none() {
            assert!(PortHold::from_stdin().is_err(), "nobody has handed us anything");
            return;
        }
        let hold = PortHold::from_stdin().unwrap();
        let [address] = system::addresses(&hold.0)[..] else { panic!("one address is held") };
        println!("\nholds {address}: {}", is_taken(address));
    }

    #[test]
    fn a_program_that_is_started_goes_on_holding() {
        let listener = listen(loopback(0)).unwrap();
        let address = listener.local_addr().unwrap();
        let hold = PortHold::take(&[address]).unwrap();
        drop(listener);
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "ports::tests::holds_what_it_was_handed", "--nocapture"]);
        child.env("ALONGSIDE_TEST_HOLDS", "1").stdin(hold.to_stdin().unwrap()).stdout(Stdio::piped());
        let started = child.spawn().unwrap();
        drop((child, hold));
        let said = String::from_utf8(started.wait_with_output().unwrap().stdout).unwrap();
        assert!(said.lines().any(|line| line == format!("holds {address}: true")), "{said}");
    }
}
