//! Asks whether the companion of a discovery file still listens.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use alongside_contract::token_proof;
use alongside_platform::random;

const TIMEOUT: Duration = Duration::from_millis(500);

/// The longest head of an answer in bytes. A proof's has some two hundred.
const MAX_HEAD: usize = 4 << 10;

/// The port and the token of a companion, by which it is reached and recognised.
pub(super) type CompanionKey = (u16, Option<String>);

/// Whether this companion listens on its port: the listener has to [prove](token_proof) that it knows the
/// token, for anybody may have the port by now. Blocks for half a second at most.
pub(super) fn answers((port, token): &CompanionKey) -> bool {
    token.as_deref().is_some_and(|token| ask(*port, token).unwrap_or(false))
}

fn ask(port: u16, token: &str) -> io::Result<bool> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let nonce = random::hex::<32>()?;
    let deadline = Instant::now() + TIMEOUT;
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    write!(
        stream,
        "GET /status HTTP/1.1\r\nHost: {address}\r\n{}: {nonce}\r\nConnection: close\r\n\r\n",
        token_proof::NONCE_HEADER
    )?;
    let mut head = Vec::new();
    // The listener may send a few bytes at a time.
    while !head.ends_with(b"\r\n\r\n") && head.len() < MAX_HEAD {
        let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        stream.set_read_timeout(Some(left))?;
        let mut piece = [0; 512];
        match stream.read(&mut piece)? {
            0 => break,
            read if deadline > Instant::now() => head.extend_from_slice(&piece[..read]),
            _ => return Ok(false),
        }
    }
    let head = String::from_utf8_lossy(&head);
    let mut headers = head.lines().filter_map(|line| line.split_once(": "));
    let given = headers.find(|(name, _)| name.eq_ignore_ascii_case(token_proof::PROOF_HEADER));
    Ok(given.is_some_and(|(_, given)| token_proof::is_proven(token, &nonce, address, given)))
}
