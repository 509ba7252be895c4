//! Requests the status of a companion of ours without sending its token to any other program.
//!
//! A discovery file remains when its companion is killed, and then any program may listen on its port. The
//! listener has to [prove](alongside_contract::token_proof) first that it knows the token; the token follows
//! on the same connection.

use std::net::SocketAddr;
use std::time::Duration;

use crate::Error;
use crate::endpoint::Endpoint;
use crate::wire::{Connection, Head, Request};
use alongside_contract::token_proof;
use alongside_platform::listener::{self, ListenerOwner};
use alongside_platform::random;

const WHAT: &str = "ask for the status";

/// The longest time for the whole request.
const STATUS_TIMEOUT: Duration = Duration::from_secs(5);

/// The largest status, in bytes. It contains a file and an agent for each review.
const MAX_STATUS_BYTES: usize = 64 << 20;

/// Returns the state of a companion of ours as JSON (`alongside_desk::Status`), from `/status` next to its
/// MCP endpoint.
///
/// # Errors
/// [`Unproven`](Error::Unproven) if the listener does not know the token; another error if the companion
/// cannot be reached, or gives an unexpected answer.
pub async fn get_status(endpoint: &Endpoint, token: &str) -> Result<serde_json::Value, Error> {
    within(endpoint, async {
        let mut proven = Proven::connect(endpoint, token).await?;
        let head = proven.get("authorization", &format!("Bearer {token}")).await?;
        let body =
            proven.connection.body(MAX_STATUS_BYTES).await.map_err(|error| unreachable(endpoint, &error))?;
        let url = endpoint.status_url();
        if head.status != 200 {
            let message = String::from_utf8_lossy(&body).into_owned();
            return Err(Error::Status { what: WHAT, url, status: head.status, message });
        }
        serde_json::from_slice(&body).map_err(|error| Error::OffContract {
            what: WHAT,
            url,
            why: error.to_string(),
        })
    })
    .await
}

/// Checks that the companion with this token listens there. Sends nothing of the token.
///
/// # Errors
/// As [`get_status`].
pub async fn prove(endpoint: &Endpoint, token: &str) -> Result<(), Error> {
    within(endpoint, async { Proven::connect(endpoint, token).await.map(drop) }).await
}

async fn within<T>(endpoint: &Endpoint, asked: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let timeout =
        |_| Error::Timeout { what: WHAT, url: endpoint.status_url(), seconds: STATUS_TIMEOUT.as_secs() };
    tokio::time::timeout(STATUS_TIMEOUT, asked).await.map_err(timeout)?
}

/// A connection to a listener that has proven to know the token.
struct Proven<'a> {
    endpoint: &'a Endpoint,
    connection: Connection,
}

impl<'a> Proven<'a> {
    async fn connect(endpoint: &'a Endpoint, token: &str) -> Result<Self, Error> {
        let failed = |error: std::io::Error| unreachable(endpoint, &error);
        let connection = Connection::dial(endpoint).await.map_err(failed)?;
        let dialled = connection.peer_address().map_err(failed)?;
        let mut connected = Self { endpoint, connection };
        let nonce = random::hex::<32>().map_err(failed)?;
        let head = connected.get(token_proof::NONCE_HEADER, &nonce).await?;
        let given = head.get(token_proof::PROOF_HEADER);
        let is_proven = head.status == 204
            && given.is_some_and(|given| token_proof::is_proven(token, &nonce, dialled, given));
        // A proof can be relayed from another machine or network namespace where a companion has the same
        // address, so the listener on a loopback address has to belong to this user. For other addresses, the
        // system does not know the listener's user.
        let is_ours = !dialled.ip().is_loopback() || listener_of(dialled).await.may_be_us();
        (is_proven && is_ours)
            .then_some(connected)
            .ok_or(Error::Unproven { what: WHAT, url: endpoint.status_url() })
    }

    async fn get(&mut self, header: &str, value: &str) -> Result<Head, Error> {
        let request = Request::new("GET", "/status").with("host", self.endpoint.authority());
        let head = self.connection.exchange(&request.with(header, value).bytes()).await;
        head.map_err(|error| unreachable(self.endpoint, &error))
    }
}

async fn listener_of(address: SocketAddr) -> ListenerOwner {
    let asked = tokio::task::spawn_blocking(move || listener::owner(address)).await;
    asked.unwrap_or(ListenerOwner::Nobody)
}

fn unreachable(endpoint: &Endpoint, error: &std::io::Error) -> Error {
    Error::Unreachable { what: WHAT, url: endpoint.status_url(), why: error.to_string() }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::sync::mpsc;

    use super::*;

    /// Answers every request with `answer`, and sends on what it receives.
    fn stranger(answer: &'static str) -> (u16, mpsc::Receiver<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (heard, hears) = mpsc::channel();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut all = String::new();
            let mut piece = [0; 4096];
            while let Ok(read @ 1..) = stream.read(&mut piece) {
                all += &String::from_utf8_lossy(&piece[..read]);
                if all.ends_with("\r\n\r\n") && stream.write_all(answer.as_bytes()).is_err() {
                    break;
                }
            }
            heard.send(all).unwrap();
        });
        (port, hears)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_listener_without_the_token_does_not_receive_it() {
        for answer in [
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
            "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 204 No Content\r\nAlongside-Proof: 00\r\n\r\n",
            "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: /status\r\nContent-Length: 0\r\n\r\n",
        ] {
            let (port, hears) = stranger(answer);
            let refused = get_status(&Endpoint::local(port), "5ec3e7.gemini").await.unwrap_err();
            assert!(matches!(refused, Error::Unproven { .. }), "{answer}: {refused}");
            let heard = hears.recv().unwrap();
            let heard = heard.to_lowercase();
            assert!(heard.contains(&token_proof::NONCE_HEADER.to_lowercase()), "{heard}");
            assert!(!heard.contains("5ec3e7") && !heard.contains("authorization"), "{heard}");
        }
    }
}
