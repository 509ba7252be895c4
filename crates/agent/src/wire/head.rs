//! The status line and the headers of a response.

use std::io;

/// The largest number of headers in a response.
const MAX_HEADERS: usize = 100;

/// The largest head, or line between chunks, in bytes. Any program may answer on a port.
pub(super) const MAX_LINE_BYTES: usize = 256 << 10;

/// The status line and the headers.
#[derive(Debug, Clone, Default)]
pub struct Head {
    /// The status code.
    pub status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    /// Returns a header by its name, without regard to case.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Whether the body is a stream of events.
    pub fn is_event_stream(&self) -> bool {
        let kind = self.get("content-type").unwrap_or_default();
        kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/event-stream")
    }

    /// Whether the status reports success.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Parses the head at the start of these bytes. Returns it with its length in bytes, or `None` if it is
    /// incomplete.
    ///
    /// # Errors
    /// If the bytes are not HTTP, or the head is too long.
    pub fn parse(bytes: &[u8]) -> io::Result<Option<(Self, usize)>> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        let invalid = |why: httparse::Error| io::Error::other(format!("the response is not HTTP ({why})"));
        let httparse::Status::Complete(length) = response.parse(bytes).map_err(invalid)? else {
            let is_too_long = bytes.len() > MAX_LINE_BYTES;
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
