//! The check whether the companion of a discovery file still listens.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use alongside_contract::token_proof;
use alongside_platform::random;

const PROBE_TIMEOUT: Duration = Duration::from_millis(500);

/// The longest header of a response, in bytes. A proof has some two hundred.
const MAX_HEADER_BYTES: usize = 4 << 10;

/// The port and the token of a companion, which identify it.
pub(super) type CompanionKey = (u16, Option<String>);

/// Whether this companion listens on its port. The listener has to [prove](token_proof) that it knows the
/// token, because any program may have the port by now. Blocks for half a second at most.
pub(super) fn is_listening((port, token): &CompanionKey) -> bool {
    token.as_deref().is_some_and(|token| probe(*port, token).unwrap_or(false))
}

fn probe(port: u16, token: &str) -> io::Result<bool> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let nonce = random::hex::<32>()?;
    let deadline = Instant::now() + PROBE_TIMEOUT;
    let mut stream = TcpStream::connect_timeout(&address, PROBE_TIMEOUT)?;
    stream.set_write_timeout(Some(PROBE_TIMEOUT))?;
    write!(
        stream,
        "GET /status HTTP/1.1\r\nHost: {address}\r\n{}: {nonce}\r\nConnection: close\r\n\r\n",
        token_proof::NONCE_HEADER
    )?;
    let mut head = Vec::new();
    // The listener may send a few bytes at a time.
    while !head.ends_with(b"\r\n\r\n") && head.len() < MAX_HEADER_BYTES {
        let remaining = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        stream.set_read_timeout(Some(remaining))?;
        let mut chunk = [0; 512];
        match stream.read(&mut chunk)? {
            0 => break,
            read if deadline > Instant::now() => head.extend_from_slice(&chunk[..read]),
            _ => return Ok(false),
        }
    }
    let head = String::from_utf8_lossy(&head);
    let mut headers = head.lines().filter_map(|line| line.split_once(": "));
    let proof = headers.find(|(name, _)| name.eq_ignore_ascii_case(token_proof::PROOF_HEADER));
    Ok(proof.is_some_and(|(_, proof)| token_proof::is_proven(token, &nonce, address, proof)))
}
