//! The listeners of this machine, as Linux's `sock_diag(7)` reports them. For `/proc/net/tcp`, the kernel
//! searches the whole table of connections, which takes 5 ms on a large machine without any connection.

use std::io;
use std::net::SocketAddr;

use netlink_packet_core::{NLM_F_DUMP, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload};
use netlink_packet_sock_diag::SockDiagMessage;
use netlink_packet_sock_diag::constants::{AF_INET, AF_INET6, IPPROTO_TCP};
use netlink_packet_sock_diag::inet::{ExtensionFlags, InetRequest, SocketId, StateFlags};
use netlink_sys::protocols::NETLINK_SOCK_DIAG;
use netlink_sys::{Socket, SocketAddr as NetlinkAddr};

use crate::proc_files::Listener;

/// Lists the listeners of IPv4 and IPv6.
///
/// # Errors
/// If the system has no sock_diag: some sandboxes have none.
pub(crate) fn listeners() -> io::Result<Vec<Listener>> {
    let mut socket = Socket::new(NETLINK_SOCK_DIAG)?;
    socket.bind_auto()?;
    socket.connect(&NetlinkAddr::new(0, 0))?;
    let mut listeners = listeners_of(&socket, AF_INET, SocketId::new_v4())?;
    // A machine may be without IPv6.
    listeners.extend(listeners_of(&socket, AF_INET6, SocketId::new_v6()).unwrap_or_default());
    Ok(listeners)
}

fn listeners_of(socket: &Socket, family: u8, socket_id: SocketId) -> io::Result<Vec<Listener>> {
    let request = InetRequest {
        family,
        protocol: IPPROTO_TCP,
        extensions: ExtensionFlags::empty(),
        states: StateFlags::LISTEN,
        socket_id,
    };
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | NLM_F_DUMP;
    let mut message = NetlinkMessage::new(header, SockDiagMessage::InetRequest(request).into());
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    socket.send(&bytes, 0)?;
    let mut listeners = Vec::new();
    loop {
        let (datagram, _) = socket.recv_from_full()?;
        if take_datagram(&datagram, &mut listeners)? {
            return Ok(listeners);
        }
    }
}

/// Takes the messages of a datagram. Returns whether the list is complete.
fn take_datagram(mut datagram: &[u8], listeners: &mut Vec<Listener>) -> io::Result<bool> {
    while !datagram.is_empty() {
        let message = NetlinkMessage::<SockDiagMessage>::deserialize(datagram).map_err(io::Error::other)?;
        match message.payload {
            NetlinkPayload::Done(_) => return Ok(true),
            NetlinkPayload::Error(error) => return Err(error.to_io()),
            NetlinkPayload::InnerMessage(SockDiagMessage::InetResponse(found)) => {
                let id = &found.header.socket_id;
                let address = SocketAddr::new(id.source_address, id.source_port);
                listeners.push(Listener { address, user: found.header.uid });
            }
            _ => {}
        }
        // Messages begin at multiples of four bytes.
        let length = (message.header.length as usize).next_multiple_of(4);
        datagram = datagram.get(length..).unwrap_or_default();
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::proc_files;

    #[test]
    fn listeners_are_those_of_the_table_of_proc() {
        let ours = ["127.0.0.1:0", "0.0.0.0:0", "[::1]:0", "[::]:0"].map(TcpListener::bind);
        let ours: Vec<_> = ours.into_iter().flatten().collect();
        let addresses = ours.iter().map(|listener| listener.local_addr().unwrap());
        let user = rustix::process::geteuid().as_raw();
        let (found, in_proc) = (listeners().unwrap(), proc_files::listeners().unwrap());
        for address in addresses {
            let listener = Listener { address, user };
            assert!(found.contains(&listener), "{address} is not in {found:?}");
            assert!(in_proc.contains(&listener), "{address} is not in {in_proc:?}");
        }
    }

    #[test]
    fn a_truncated_message_is_an_error() {
        let mut found = Vec::new();
        assert!(take_datagram(&[1, 2, 3], &mut found).is_err());
        assert_eq!(found, []);
    }
}
