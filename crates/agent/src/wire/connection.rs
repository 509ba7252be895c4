//! A connection for requests one after the other.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;

use bytes::{Buf as _, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use super::{Body, Head};
use crate::endpoint::Endpoint;

/// A connection to a companion. Dropping it closes it.
#[derive(Debug)]
pub struct Connection {
    tcp: TcpStream,
    unread: BytesMut,
    body: Body,
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    /// If the connection is refused.
    pub async fn dial(endpoint: &Endpoint) -> io::Result<Self> {
        Self::over(TcpStream::connect(endpoint.parts()).await?)
    }

    /// Connects to this machine with a receive buffer of about `bytes` bytes: a peer that writes more has to
    /// wait until they are read.
    ///
    /// # Errors
    /// If the connection is refused.
    pub async fn dial_with_receive_buffer(port: u16, bytes: u32) -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(bytes)?;
        Self::over(socket.connect(([127, 0, 0, 1], port).into()).await?)
    }

    fn over(tcp: TcpStream) -> io::Result<Self> {
        tcp.set_nodelay(true)?;
        Ok(Self { tcp, unread: BytesMut::new(), body: Body::none() })
    }

    /// Returns the address of the peer.
    ///
    /// # Errors
    /// If the connection is closed.
    pub fn peer_address(&self) -> io::Result<SocketAddr> {
        self.tcp.peer_addr()
    }

    /// Sends bytes.
    ///
    /// # Errors
    /// If the peer has closed the connection.
    pub async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.tcp.write_all(bytes).await
    }

    /// Closes only the sending direction. Responses can still be read.
    ///
    /// # Errors
    /// If the connection is closed.
    pub async fn close_sending(&mut self) -> io::Result<()> {
        self.tcp.shutdown().await
    }

    /// Makes the peer receive an error in place of an end when this is dropped.
    pub fn reset(self) {
        let _ = self.tcp.set_zero_linger();
    }

    /// Sends a request and reads the head of its response. The head may arrive before the request is sent,
    /// because a companion that refuses a body does not read it.
    ///
    /// # Errors
    /// If there is no response.
    pub async fn exchange(&mut self, request: &[u8]) -> io::Result<Head> {
        let (mut reader, mut writer) = self.tcp.split();
        let mut sending = pin!(writer.write_all(request));
        let head = {
            let mut reading = pin!(read_head(&mut reader, &mut self.unread));
            tokio::select! {
                biased;
                head = &mut reading => {
                    if head.as_ref().is_ok_and(Head::is_success) {
                        let _ = sending.await;
                    }
                    head
                }
                // The response is more informative than the error of sending.
                sent = &mut sending => reading.await.map_err(|error| sent.err().unwrap_or(error)),
            }
        }?;
        self.body = Body::after(&head);
        Ok(head)
    }

    /// Reads the head of a response.
    ///
    /// # Errors
    /// If the connection ends first, or the bytes are not HTTP.
    pub async fn head(&mut self) -> io::Result<Head> {
        let head = read_head(&mut self.tcp, &mut self.unread).await?;
        self.body = Body::after(&head);
        Ok(head)
    }

    /// Reads the next part of the body. Returns `None` at its proper end. Cancel safe.
    ///
    /// # Errors
    /// If the connection ends first, or the bytes are not HTTP.
    pub async fn part(&mut self) -> io::Result<Option<BytesMut>> {
        loop {
            if let Some(part) = self.body.decode(&mut self.unread)? {
                return Ok(Some(part));
            }
            if self.body.is_complete() {
                return Ok(None);
            }
            if self.tcp.read_buf(&mut self.unread).await? == 0 {
                self.body.close()?;
            }
        }
    }

    /// Reads the whole body, or its beginning up to the first part that exceeds `most` bytes.
    ///
    /// # Errors
    /// As [`part`](Self::part).
    pub async fn body(&mut self, most: usize) -> io::Result<BytesMut> {
        let mut body = BytesMut::new();
        while body.len() <= most {
            let Some(part) = self.part().await? else { break };
            match body.is_empty() {
                true => body = part,
                false => body.extend_from_slice(&part),
            }
        }
        Ok(body)
    }

    /// Reads bytes as they arrive, without decoding them. Returns their number, which is 0 at the end.
    ///
    /// # Errors
    /// If the connection fails.
    pub async fn read_raw(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.tcp.read(bytes).await
    }

    /// Waits for more bytes and keeps them. Returns their number, which is 0 at the end. Cancel safe.
    ///
    /// # Errors
    /// If the connection fails.
    pub async fn fill(&mut self) -> io::Result<usize> {
        self.tcp.read_buf(&mut self.unread).await
    }

    /// Returns the bytes that are read and not yet decoded.
    pub fn unread(&self) -> &[u8] {
        &self.unread
    }
}

async fn read_head(reader: &mut (impl AsyncRead + Unpin), unread: &mut BytesMut) -> io::Result<Head> {
    loop {
        if let Some((head, length)) = Head::parse(unread)? {
            unread.advance(length);
            // Interim responses such as 100 Continue come before the response.
            if head.status >= 200 {
                return Ok(head);
            }
            continue;
        }
        if reader.read_buf(unread).await? == 0 {
            return Err(io::Error::other("the connection closed before a response"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a response that arrives in these pieces.
    async fn read(pieces: &'static [&'static str]) -> (Head, Vec<u8>, io::Result<()>) {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = async {
            let (mut tcp, _) = listener.accept().await.unwrap();
            for piece in pieces {
                tcp.write_all(piece.as_bytes()).await.unwrap();
                tokio::task::yield_now().await;
            }
        };
        let client = async {
            let mut connection = Connection::dial(&Endpoint::local(port)).await.unwrap();
            let head = connection.head().await.unwrap();
            let mut body = Vec::new();
            loop {
                match connection.part().await {
                    Ok(Some(part)) => body.extend(part),
                    Ok(None) => return (head, body, Ok(())),
                    Err(error) => return (head, body, Err(error)),
                }
            }
        };
        tokio::join!(server, client).1
    }

    #[tokio::test]
    async fn a_body_ends_by_length_last_chunk_or_close() {
        let pieces =
            &["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-", "Length: 4\r\n\r\nab", "cd"];
        let (head, body, end) = read(pieces).await;
        assert_eq!((head.status, body, end.is_ok()), (200, b"abcd".to_vec(), true));
        const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r";
        let (_, body, end) = read(&[CHUNKED, "\nabc\r\n1\r\nd", "\r\n0\r\n\r\n"]).await;
        assert_eq!((body, end.is_ok()), (b"abcd".to_vec(), true));
        let (_, body, end) = read(&["HTTP/1.1 200 OK\r\n\r\nab", "cd"]).await;
        assert_eq!((body, end.is_ok()), (b"abcd".to_vec(), true));
    }

    #[tokio::test]
    async fn a_body_that_breaks_off_has_no_end() {
        let (_, body, end) =
            read(&["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"]).await;
        assert_eq!((body, end.is_err()), (b"abc".to_vec(), true));
        let (_, _, end) = read(&["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"]).await;
        assert!(end.is_err());
    }

    #[tokio::test]
    async fn a_refusal_is_read_while_the_body_is_sent() {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = async {
            let (mut tcp, _) = listener.accept().await.unwrap();
            tcp.write_all(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n").await.unwrap();
            tcp
        };
        let client = async {
            let mut connection = Connection::dial(&Endpoint::local(port)).await.unwrap();
            connection.exchange(&vec![b'x'; 64 << 20]).await.unwrap().status
        };
        assert_eq!(tokio::join!(server, client).1, 413);
    }
}
