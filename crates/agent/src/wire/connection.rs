//! A connection over which requests go one after the other.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;

use bytes::{Buf as _, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use super::{Body, Head};
use crate::endpoint::Endpoint;

/// See the module. Dropping it closes the connection.
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
    /// When nobody listens there.
    pub async fn dial(endpoint: &Endpoint) -> io::Result<Self> {
        Self::over(TcpStream::connect(endpoint.parts()).await?)
    }

    /// Connects to this machine with a receive buffer of about so many bytes: a peer that writes more has to
    /// wait until it is read.
    ///
    /// # Errors
    /// When nobody listens there.
    pub async fn dial_with_receive_buffer(port: u16, bytes: u32) -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(bytes)?;
        Self::over(socket.connect(([127, 0, 0, 1], port).into()).await?)
    }

    fn over(tcp: TcpStream) -> io::Result<Self> {
        tcp.set_nodelay(true)?;
        Ok(Self { tcp, unread: BytesMut::new(), body: Body::none() })
    }

    /// The address that was dialled.
    ///
    /// # Errors
    /// When the connection is gone.
    pub fn peer_address(&self) -> io::Result<SocketAddr> {
        self.tcp.peer_addr()
    }

    /// Sends bytes.
    ///
    /// # Errors
    /// When the peer has hung up.
    pub async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.tcp.write_all(bytes).await
    }

    /// Closes the sending direction only; responses can still be read.
    ///
    /// # Errors
    /// When the connection is gone.
    pub async fn close_sending(&mut self) -> io::Result<()> {
        self.tcp.shutdown().await
    }

    /// Makes the peer see an error when this is dropped, instead of an end.
    pub fn reset(self) {
        let _ = self.tcp.set_zero_linger();
    }

    /// Sends a request and reads the head of its response, which may come before all of the request is sent:
    /// a companion that refuses a body reads none of it.
    ///
    /// # Errors
    /// When there is no response.
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
                // The response says more than that it was not all sent.
                sent = &mut sending => reading.await.map_err(|error| sent.err().unwrap_or(error)),
            }
        }?;
        self.body = Body::after(&head);
        Ok(head)
    }

    /// Reads the head of a response.
    ///
    /// # Errors
    /// When the connection ends before, or this is no HTTP.
    pub async fn head(&mut self) -> io::Result<Head> {
        let head = read_head(&mut self.tcp, &mut self.unread).await?;
        self.body = Body::after(&head);
        Ok(head)
    }

    /// The next part of the body; `None` at its proper end. Cancel safe.
    ///
    /// # Errors
    /// When the connection breaks before, or this is no HTTP.
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

    /// The whole body, or its beginning up to the first part beyond so many bytes.
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

    /// Reads bytes as they come, understood or not: how many, and 0 at the end.
    ///
    /// # Errors
    /// When the connection breaks.
    pub async fn read_raw(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.tcp.read(bytes).await
    }

    /// Waits for more bytes and keeps them: how many, and 0 at the end. Cancel safe.
    ///
    /// # Errors
    /// When the connection breaks.
    pub async fn fill(&mut self) -> io::Result<usize> {
        self.tcp.read_buf(&mut self.unread).await
    }

    /// The bytes that were read and not understood yet.
    pub fn unread(&self) -> &[u8] {
        &self.unread
    }
}

async fn read_head(reader: &mut (impl AsyncRead + Unpin), unread: &mut BytesMut) -> io::Result<Head> {
    loop {
        if let Some((head, length)) = Head::parse(unread)? {
            unread.advance(length);
            // 100 Continue and the like come before the response.
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

    /// A response that comes in these pieces.
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
