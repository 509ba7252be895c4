//! Messages on a byte stream, framed as in LSP: `Content-Length: N`, an empty line, N bytes of JSON.

use std::io;

use alongside_platform::memory;
use bytes::Buf;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// The largest message in bytes: three texts of a review as large as agents may propose, each byte escaped.
const MAX_MESSAGE: usize = 2 << 30;
/// The largest message in bytes that is copied behind its header.
const MAX_COPIED: usize = 64 << 10;
/// The longest header block, in bytes.
const MAX_HEADERS: u64 = 4 << 10;

/// Reads one message; `None` at the end of the stream.
///
/// # Errors
/// When the stream breaks off within a message, or what comes is not framed.
pub(crate) async fn read(stream: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    let mut headers = stream.take(MAX_HEADERS);
    loop {
        let mut line = Vec::new();
        headers.read_until(b'\n', &mut line).await?;
        if line.is_empty() && length.is_none() && headers.limit() == MAX_HEADERS {
            return Ok(None);
        }
        let Some(line) = line.strip_suffix(b"\n") else {
            return Err(invalid("the stream ends within a header, or the header is too long"));
        };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            break;
        }
        let text = std::str::from_utf8(line).map_err(|_| invalid("a header is not text"))?;
        let (name, value) = text.split_once(':').ok_or_else(|| invalid("a header has no colon"))?;
        if name.trim().eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse().map_err(|_| invalid("Content-Length is no number"))?);
        }
    }
    let length: usize = length.ok_or_else(|| invalid("there is no Content-Length"))?;
    if length > MAX_MESSAGE {
        return Err(invalid("a message is larger than any may be"));
    }
    let mut message = Vec::new();
    // The buffer grows with the received bytes: an announced length alone allocates nothing.
    let read = stream.take(length as u64).read_to_end(&mut message).await?;
    if read < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    memory::trim_after(read);
    Ok(Some(message))
}

/// Reads all messages in a task, which ends with the set: reading one is not cancel safe.
pub(super) fn read_all<R>(mut stream: R) -> (JoinSet<()>, mpsc::Receiver<Vec<u8>>)
where
    R: AsyncBufRead + Unpin + Send + 'static,
{
    let (received, messages) = mpsc::channel(16);
    let mut reading = JoinSet::new();
    reading.spawn(async move {
        while let Ok(Some(message)) = read(&mut stream).await {
            if received.send(message).await.is_err() {
                return;
            }
        }
    });
    (reading, messages)
}

/// Writes one message and flushes.
///
/// # Errors
/// When the stream is broken.
pub(crate) async fn write(stream: &mut (impl AsyncWrite + Unpin), message: &str) -> io::Result<()> {
    write_unflushed(stream, message).await?;
    stream.flush().await
}

/// Writes one message.
///
/// # Errors
/// When the stream is broken.
pub(super) async fn write_unflushed(stream: &mut (impl AsyncWrite + Unpin), message: &str) -> io::Result<()> {
    let mut begin = format!("Content-Length: {}\r\n\r\n", message.len());
    // Header and message are written at once, so that the reader is woken once. Copying a larger message
    // costs more than a second write.
    let rest = match message.len() <= MAX_COPIED {
        true => {
            begin.push_str(message);
            ""
        }
        false => message,
    };
    memory::trim_after(message.len());
    stream.write_all_buf(&mut Buf::chain(begin.as_bytes(), rest.as_bytes())).await
}

fn invalid(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(mut bytes: &[u8]) -> io::Result<Vec<Vec<u8>>> {
        let mut messages = Vec::new();
        while let Some(message) = read(&mut bytes).await? {
            messages.push(message);
        }
        Ok(messages)
    }

    #[tokio::test]
    async fn written_messages_are_read() {
        let mut stream = Vec::new();
        write(&mut stream, "{\"ü\":1}").await.unwrap();
        write(&mut stream, "{}").await.unwrap();
        let large = format!("\"{}\"", "x".repeat(MAX_COPIED));
        write(&mut stream, &large).await.unwrap();
        assert_eq!(all(&stream).await.unwrap(), ["{\"ü\":1}".as_bytes(), b"{}", large.as_bytes()]);
    }

    #[tokio::test]
    async fn other_headers_and_spellings_are_read_over() {
        let stream = b"content-length:2\nContent-Type: application/vscode-jsonrpc; charset=utf-8\n\n{}";
        assert_eq!(all(stream).await.unwrap(), [b"{}"]);
    }

    #[tokio::test]
    async fn an_unframed_stream_is_an_error_not_the_end() {
        let long = format!("X: {}\r\n\r\n", "x".repeat(5000));
        for stream in [
            "{}",
            "Content-Length: 2\r\n",
            "Content-Length: 3\r\n\r\n{}",
            "Content-Length: x\r\n\r\n",
            "X: 1\r\n\r\n{}",
            &long,
        ] {
            assert!(all(stream.as_bytes()).await.is_err(), "{stream:.40}");
        }
        let endless = format!("Content-Length: {}\r\n\r\n{{}}", usize::MAX);
        assert!(all(endless.as_bytes()).await.is_err());
    }
}
