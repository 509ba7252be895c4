//! The GET stream: the only way in which a companion says anything by itself.

use std::time::Duration;

use futures_util::stream::{BoxStream, StreamExt};
use reqwest::Response;
use sse_stream::SseByteStream;

use crate::Error;
use crate::http::Wire;

/// Whether a session hears its companion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamState {
    /// The stream is being opened, for the first time or again.
    Connecting,
    /// The stream is open.
    Open,
    /// It could not be opened again; nothing will be heard any more.
    Lost,
}

/// How long to wait before the stream is opened again, as the TypeScript SDK does, which is what every agent
/// runs on: twice, and then no more.
pub(crate) const RETRIES: [Duration; 2] = [Duration::from_millis(1000), Duration::from_millis(1500)];

/// The same of somebody who does not give up for half a minute.
pub(crate) const PATIENT_RETRIES: [Duration; 30] = [Duration::from_secs(1); 30];

/// Opens the stream. Its messages end when the connection does, gracefully or not: agents make no difference
/// either.
pub(crate) async fn open(wire: &Wire) -> Result<BoxStream<'static, String>, Error> {
    const WHAT: &str = "open the stream";
    let answer = wire.get(WHAT).await?;
    if !crate::http::is_stream(&answer) {
        let why = "the answer to GET is no event stream".into();
        return Err(Error::OffContract { what: WHAT, url: wire.url.clone(), why });
    }
    Ok(messages(answer))
}

/// The messages in a stream of events. Comments, and events of other types or without data, are none.
pub(crate) fn messages(answer: Response) -> BoxStream<'static, String> {
    SseByteStream::new(answer.bytes_stream())
        .take_while(|event| {
            if let Err(error) = event {
                tracing::debug!(%error, "the stream broke");
            }
            std::future::ready(event.is_ok())
        })
        .filter_map(|event| {
            let message =
                event.ok().filter(|event| event.event.as_deref().is_none_or(|kind| kind == "message"));
            std::future::ready(message.and_then(|event| event.data).filter(|data| !data.is_empty()))
        })
        .boxed()
}
