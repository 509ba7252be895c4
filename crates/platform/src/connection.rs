//! The processes at the other ends of connections on this machine. Only Linux shows them.

use std::net::SocketAddr;

/// The two ends of a connection that this process has accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ends {
    /// The end of the process that connected.
    pub client: SocketAddr,
    /// Our end.
    pub server: SocketAddr,
}

/// For each connection the process of this user that has connected, if the system shows it. Blocks: it looks
/// at the open files of all processes, which takes some 10 ms.
#[cfg(target_os = "linux")]
pub fn client_processes(connections: &[Ends]) -> Vec<Option<u32>> {
    use procfs::net::{tcp, tcp6};
    use procfs::process::{FDTarget, all_processes};

    let entries: Vec<_> = tcp().into_iter().flatten().chain(tcp6().into_iter().flatten()).collect();
    let canonical = |address: SocketAddr| (address.ip().to_canonical(), address.port());
    let sockets: Vec<Option<u64>> = connections
        .iter()
        .map(|ends| {
            let (client, server) = (canonical(ends.client), canonical(ends.server));
            let found = entries.iter().find(|entry| {
                canonical(entry.local_address) == client && canonical(entry.remote_address) == server
            });
            found.map(|entry| entry.inode)
        })
        .collect();
    let mut processes = vec![None; connections.len()];
    for process in all_processes().into_iter().flatten().flatten() {
        let (Ok(pid), Ok(files)) = (u32::try_from(process.pid), process.fd()) else { continue };
        for file in files.flatten() {
            let FDTarget::Socket(socket) = file.target else { continue };
            for (process, wanted) in processes.iter_mut().zip(&sockets) {
                // A child has the sockets of its parent until it runs its own program.
                if *wanted == Some(socket) && process.is_none_or(|other| pid < other) {
                    *process = Some(pid);
                }
            }
        }
    }
    processes
}

/// Always `None`: this system does not show them.
#[cfg(not(target_os = "linux"))]
pub fn client_processes(connections: &[Ends]) -> Vec<Option<u32>> {
    vec![None; connections.len()]
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::io::Read as _;
    use std::net::{TcpListener, TcpStream};
    use std::process::{Command, Stdio};

    use super::*;

    /// The connection that is accepted next.
    fn accepted(listener: &TcpListener) -> (TcpStream, Ends) {
        let (stream, client) = listener.accept().unwrap();
        let server = stream.local_addr().unwrap();
        (stream, Ends { client, server })
    }

    #[test]
    fn processes_that_connected_are_told_apart() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let mine = TcpStream::connect(address).unwrap();
        let (_mine, my_ends) = accepted(&listener);
        let script = format!("exec 3<>/dev/tcp/127.0.0.1/{} && echo . >&3 && read -r line", address.port());
        let child =
            Command::new("bash").args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
        let mut child = child.unwrap();
        let (mut childs, child_ends) = accepted(&listener);
        childs.read_exact(&mut [0]).unwrap();
        let us = std::process::id();
        assert_eq!(client_processes(&[my_ends, child_ends, my_ends]), [Some(us), Some(child.id()), Some(us)]);
        drop(mine);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(client_processes(&[my_ends, child_ends]), [None, None]);
    }

    #[test]
    fn both_families_of_addresses_are_looked_up() {
        for address in ["[::1]:0", "0.0.0.0:0"] {
            let Ok(listener) = TcpListener::bind(address) else {
                return alongside_testing::skip("this machine has no IPv6");
            };
            let port = listener.local_addr().unwrap().port();
            let host = if address.starts_with('[') { "::1" } else { "127.0.0.1" };
            let _client = TcpStream::connect((host, port)).unwrap();
            let (_server, ends) = accepted(&listener);
            assert_eq!(client_processes(&[ends]), [Some(std::process::id())], "{address}");
        }
    }
}
