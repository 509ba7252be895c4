//! A response body as it arrives: with a length, in chunks, or until the connection ends.

use std::io;

use bytes::{Buf as _, BytesMut};

use super::Head;
use super::head::MAX_LINE_BYTES;

/// The part of a body that has not yet arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    Length(usize),
    /// A line with the size of the next chunk.
    Size,
    Chunk(usize),
    /// The line end after a chunk.
    ChunkEnd,
    /// Lines up to an empty one.
    Trailer,
    UntilClosed,
    Nothing,
}

/// Decodes a body. It does no I/O, and its caller may stop between any two bytes.
#[derive(Debug)]
pub struct Body(Rest);

impl Body {
    /// Makes the decoder of the body that follows a head.
    pub fn after(head: &Head) -> Self {
        let coding = head.get("transfer-encoding").unwrap_or_default();
        if coding.to_ascii_lowercase().contains("chunked") {
            return Self(Rest::Size);
        }
        match head.get("content-length").and_then(|length| length.parse().ok()) {
            Some(0) => Self(Rest::Nothing),
            Some(length) => Self(Rest::Length(length)),
            None if matches!(head.status, 204 | 304) => Self(Rest::Nothing),
            None => Self(Rest::UntilClosed),
        }
    }

    /// Makes the decoder of an absent body.
    pub fn none() -> Self {
        Self(Rest::Nothing)
    }

    /// Whether the whole body is decoded.
    pub fn is_complete(&self) -> bool {
        self.0 == Rest::Nothing
    }

    /// Whether the body ends only with the connection.
    pub fn ends_with_connection(&self) -> bool {
        self.0 == Rest::UntilClosed
    }

    /// Takes the next part from `unread`. Returns `None` if the body is complete or more bytes are needed.
    ///
    /// # Errors
    /// If the size of a chunk is malformed.
    pub fn decode(&mut self, unread: &mut BytesMut) -> io::Result<Option<BytesMut>> {
        loop {
            match self.0 {
                Rest::Nothing => return Ok(None),
                _ if unread.is_empty() => return Ok(None),
                Rest::UntilClosed => return Ok(Some(unread.split())),
                Rest::Length(left) | Rest::Chunk(left) => {
                    let part = unread.split_to(left.min(unread.len()));
                    self.0 = match (self.0, left - part.len()) {
                        (Rest::Chunk(_), 0) => Rest::ChunkEnd,
                        (Rest::Chunk(_), left) => Rest::Chunk(left),
                        (_, 0) => Rest::Nothing,
                        (_, left) => Rest::Length(left),
                    };
                    return Ok(Some(part));
                }
                Rest::Size => match httparse::parse_chunk_size(unread) {
                    Ok(httparse::Status::Complete((line, size))) => {
                        unread.advance(line);
                        let size = usize::try_from(size).unwrap_or(usize::MAX);
                        self.0 = if size == 0 { Rest::Trailer } else { Rest::Chunk(size) };
                    }
                    Ok(httparse::Status::Partial) if unread.len() <= MAX_LINE_BYTES => return Ok(None),
                    _ => return Err(io::Error::other("a chunk of the response has no proper size")),
                },
                Rest::ChunkEnd if unread.len() < 2 => return Ok(None),
                Rest::ChunkEnd => {
                    unread.advance(2);
                    self.0 = Rest::Size;
                }
                Rest::Trailer => match unread.windows(2).position(|pair| pair == b"\r\n") {
                    Some(at) => {
                        unread.advance(at + 2);
                        self.0 = if at == 0 { Rest::Nothing } else { Rest::Trailer };
                    }
                    None if unread.len() <= MAX_LINE_BYTES => return Ok(None),
                    None => return Err(io::Error::other("a trailer of the response is too long")),
                },
            }
        }
    }

    /// Accepts the end of the connection as the end of the body, if the body ends so.
    ///
    /// # Errors
    /// If the body is incomplete.
    pub fn close(&mut self) -> io::Result<()> {
        match self.0 {
            Rest::Nothing | Rest::UntilClosed => {
                self.0 = Rest::Nothing;
                Ok(())
            }
            _ => Err(io::Error::other("the connection broke off")),
        }
    }
}
