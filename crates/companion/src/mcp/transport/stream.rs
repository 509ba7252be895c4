//! The stream to an agent: server-sent events, as fast as the agent reads them. Clients give up on a body
//! without data for minutes, so a comment keeps the stream alive.

use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::stream;
use tokio::time::timeout;

use crate::events::{Event, OpenStream};

/// The longest pause on an open stream; the contract allows 20 s.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// Returns the response that carries a stream. It ends, or is cut, when the sender of its frames is dropped.
pub(super) fn response(open: OpenStream) -> Response {
    // The first comment makes the server send the headers.
    let body = stream::unfold(
        (open, Some(Bytes::from_static(b": alongside\n\n"))),
        |(mut open, first)| async move {
            if let Some(first) = first {
                return Some((Ok::<_, io::Error>(first), (open, None)));
            }
            let frame = match timeout(KEEP_ALIVE_INTERVAL, open.frames.recv()).await {
                Ok(Some(frame)) => frame,
                Ok(None) if open.cut.load(Ordering::Acquire) => {
                    // The client sees a broken connection.
                    return Some((Err(io::ErrorKind::ConnectionAborted.into()), (open, None)));
                }
                Ok(None) => return None,
                Err(_) => Bytes::from_static(b": keep-alive\n\n"),
            };
            open.events.send(Event::StreamDrained { session: open.session.clone() });
            Some((Ok(frame), (open, None)))
        },
    );
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache, no-transform")];
    (headers, Body::from_stream(body)).into_response()
}

#[cfg(test)]
mod tests {
    use crate::events::Events;
    use futures_util::StreamExt as _;
    use std::sync::Arc;
    use tokio::sync::mpsc;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_stream_without_frames_gets_a_comment_within_twenty_seconds() {
        let (events, _inbox) = Events::channel();
        let (sender, frames) = mpsc::channel(1);
        let _ended = events.queue_on_drop(Event::StreamEnded { session: "s".into(), number: 1 });
        let open = OpenStream { session: "s".into(), frames, events, cut: Arc::default(), _ended };
        let mut body = response(open).into_body().into_data_stream();
        assert_eq!(body.next().await.unwrap().unwrap(), ": alongside\n\n");
        let before = tokio::time::Instant::now();
        assert_eq!(body.next().await.unwrap().unwrap(), ": keep-alive\n\n");
        assert!(before.elapsed() <= Duration::from_secs(20));
        sender.send("data: x\n\n".into()).await.unwrap();
        assert_eq!(body.next().await.unwrap().unwrap(), "data: x\n\n");
        drop(sender);
        assert!(body.next().await.is_none());
    }
}
