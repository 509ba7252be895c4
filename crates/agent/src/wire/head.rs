//! Status line and headers of a response.

use std::io;

/// How many headers a response may have.
const MOST_HEADERS: usize = 100;

/// How long a head, or a line between chunks, may be, in bytes. Anybody may answer on a port.
pub(super) const LONGEST: usize = 256 << 10;

/// Status line and headers.
#[derive(Debug, Clone, Default)]
pub struct Head {
    /// The status code.
    pub status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    /// A header by its name, in any case.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Whether the body is a stream of events.
    pub fn is_event_stream(&self) -> bool {
        let kind = self.get("content-type").unwrap_or_default();
        kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/event-stream")
    }

    /// Whether the status says that the request succeeded.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The head at the beginning of these bytes, and its length in bytes; `None` until it is complete.
    ///
    /// # Errors
    /// When the bytes are no HTTP, or the head is too long.
    pub fn parse(bytes: &[u8]) -> io::Result<Option<(Self, usize)>> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        let invalid = |why: httparse::Error| io::Error::other(format!("the response is not HTTP ({why})"));
        let httparse::Status::Complete(length) = response.parse(bytes).map_err(invalid)? else {
            let is_too_long = bytes.len() > LONGEST;
            return if is_too_long {
                Err(io::Error::other("the response's head is too long"))
            } else {
                Ok(None)
            };
        };
        let headers = response
            .headers
            .iter()
            .map(|header| (header.name.to_owned(), String::from_utf8_lossy(header.value).trim().to_owned()))
            .collect();
        Ok(Some((Self { status: response.code.unwrap_or_default(), headers }, length)))
    }
}
