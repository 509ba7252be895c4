//! Tests of the servers behind the sockets.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use axum::routing::get;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, ReadBuf};
use tokio::net::{UnixListener, UnixStream};

use super::*;

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

impl Accept for UnixListener {
    type Stream = UnixStream;

    async fn accept(&self) -> io::Result<UnixStream> {
        self.accept().await.map(|(stream, _)| stream)
    }

    async fn wait_for_data(stream: &UnixStream) {
        let _ = stream.readable().await;
    }
}

/// A stream that records the size of the largest buffer into which it was read.
struct RecordedStream {
    stream: UnixStream,
    largest_buffer: Arc<AtomicUsize>,
}

impl AsyncRead for RecordedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.largest_buffer.fetch_max(buffer.remaining(), Ordering::Relaxed);
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for RecordedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// A socket on which nobody connects. It has the type of recorded streams.
struct RecordedSocket;

impl Accept for RecordedSocket {
    type Stream = RecordedStream;

    async fn accept(&self) -> io::Result<RecordedStream> {
        std::future::pending().await
    }

    async fn wait_for_data(stream: &RecordedStream) {
        UnixListener::wait_for_data(&stream.stream).await;
    }
}

fn router() -> Router {
    Router::new().route("/", get(async || "here"))
}

async fn read_answer(agent: &mut UnixStream) {
    let mut answer = String::new();
    agent.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("here"), "{answer}");
}

#[tokio::test]
async fn agents_are_served_on_any_kind_of_socket() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agents");
    let mut listener = Listener::new();
    listener.serve(vec![UnixListener::bind(&path).unwrap()], &router());
    let mut agent = UnixStream::connect(&path).await.unwrap();
    agent.write_all(REQUEST).await.unwrap();
    read_answer(&mut agent).await;
    let silent = UnixStream::connect(&path).await.unwrap();
    listener.stop().await;
    drop(silent);
}

#[tokio::test]
async fn a_connection_reads_into_a_buffer_of_8_kib() {
    let (mut agent, stream) = UnixStream::pair().unwrap();
    let largest_buffer = Arc::<AtomicUsize>::default();
    let recorded = RecordedStream { stream, largest_buffer: largest_buffer.clone() };
    let (_stop, stopped) = watch::channel(false);
    let (_stranger, evicted) = oneshot::channel();
    let served = tokio::spawn(serve_connection::<RecordedSocket>(recorded, router(), stopped, evicted));
    agent.write_all(REQUEST).await.unwrap();
    read_answer(&mut agent).await;
    served.await.unwrap().unwrap();
    assert_eq!(largest_buffer.load(Ordering::Relaxed), 8 << 10);
}

#[tokio::test]
async fn the_task_of_a_connection_has_room_for_it_once() {
    let (one, other) = UnixStream::pair().unwrap();
    let (_stop, stopped) = watch::channel(false);
    let ((_one, evicted), (_other, other_evicted)) = (oneshot::channel(), oneshot::channel());
    let served = serve_connection::<UnixListener>(one, router(), stopped.clone(), evicted);
    let closed_strangers = ClosedStrangers::default();
    let logged = serve_and_log::<UnixListener>(other, router(), stopped, other_evicted, &closed_strangers);
    let (served, logged) = (size_of_val(&served), size_of_val(&logged));
    assert!(logged < served + served / 2, "{logged} bytes around {served}");
}
