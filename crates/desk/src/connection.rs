//! The two ends of a connection within one process. A socket carries the same messages.

use tokio::sync::{mpsc, oneshot};

use crate::protocol_messages::{Event, Request};
use crate::review::decision::{Refusal, Revised};

/// The desk's end.
#[derive(Debug)]
pub struct Desk {
    calls: mpsc::UnboundedSender<Call>,
    events: mpsc::UnboundedReceiver<Event>,
    /// An event that was received while searching for a newer status.
    ahead: Option<Event>,
}

/// The companion's end.
#[derive(Debug)]
pub struct Seat {
    /// Requests, in the order they were made; closed when the desk is dropped.
    pub calls: mpsc::UnboundedReceiver<Call>,
    /// Events for the desk.
    pub events: mpsc::UnboundedSender<Event>,
}

/// The channel for the reply to a request; without a receiver, the reply is dropped.
pub type CallAnswer = oneshot::Sender<Result<Revised, Refusal>>;

/// A request, and the channel for its reply.
#[derive(Debug)]
pub struct Call {
    /// The request.
    pub request: Request,
    /// The channel for the reply.
    pub answer: CallAnswer,
}

/// The companion has stopped, and all its events have been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the companion has stopped")]
pub struct Gone;

/// Returns a connection within this process.
pub fn pair() -> (Desk, Seat) {
    let (calls, calls_in) = mpsc::unbounded_channel();
    let (events, events_in) = mpsc::unbounded_channel();
    (Desk { calls, events: events_in, ahead: None }, Seat { calls: calls_in, events })
}

impl Desk {
    /// Sends a request and waits for the reply. The companion carries requests out in their order.
    ///
    /// # Errors
    /// The companion's [`Refusal`].
    pub async fn request(&self, request: Request) -> Result<Revised, Refusal> {
        self.send(request).await.unwrap_or(Err(Refusal::Stopped))
    }

    /// Sends a request; the caller may await the reply later, or drop it.
    pub fn send(&self, request: Request) -> oneshot::Receiver<Result<Revised, Refusal>> {
        let (answer, answered) = oneshot::channel();
        // A call to a stopped companion is dropped, and with it `answer`: the receiver says so.
        let _ = self.calls.send(Call { request, answer });
        answered
    }

    /// Passes on a call of another connection, with the channel for its reply.
    pub fn pass_on(&self, call: Call) {
        // As in `send`.
        let _ = self.calls.send(call);
    }

    /// Leaves; returns when the companion has removed the desk, or has ended with it. A desk that is dropped
    /// instead counts as lost, and the host waits for it for a while.
    pub async fn leave(mut self) {
        // A stopped companion needs no message.
        let _ = self.request(Request::Leave).await;
        while self.next().await.is_ok() {}
    }

    /// Returns the next event; of consecutive statuses, only the last. Cancel safe.
    ///
    /// # Errors
    /// [`Gone`] once the companion has stopped.
    pub async fn next(&mut self) -> Result<Event, Gone> {
        let event = match self.ahead.take() {
            Some(event) => event,
            None => self.events.recv().await.ok_or(Gone)?,
        };
        Ok(self.newest(event))
    }

    /// Returns an event that has already arrived. The companion sends the events of a request before its
    /// reply, so a caller that gets the reply from another channel reads these events first.
    pub fn try_next(&mut self) -> Option<Event> {
        let event = self.ahead.take().or_else(|| self.events.try_recv().ok())?;
        Some(self.newest(event))
    }

    /// Skips to the newest of consecutive statuses: each status names every agent, so a slow desk needs only
    /// the last.
    fn newest(&mut self, mut event: Event) -> Event {
        while matches!(event, Event::Status(_))
            && let Ok(later) = self.events.try_recv()
        {
            if !matches!(later, Event::Status(_)) {
                self.ahead = Some(later);
                break;
            }
            event = later;
        }
        event
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Problem, Status};

    #[tokio::test]
    async fn only_the_last_of_consecutive_statuses_is_delivered() {
        let (mut desk, seat) = pair();
        let status = |reviews| Event::Status(Status { reviews, ..Status::default() });
        let problem = |what: &str| Event::Problem(Problem::without_hint(what));
        let told = [status(1), status(2), status(3), problem("a"), problem("b"), status(4), problem("c")];
        for event in told {
            seat.events.send(event).unwrap();
        }
        assert_eq!(desk.next().await, Ok(status(3)));
        assert_eq!(desk.try_next(), Some(problem("a")));
        assert_eq!(desk.next().await, Ok(problem("b")));
        assert_eq!(desk.try_next(), Some(status(4)));
        seat.events.send(status(5)).unwrap();
        drop(seat);
        assert_eq!(desk.next().await, Ok(problem("c")));
        assert_eq!(desk.next().await, Ok(status(5)));
        assert_eq!(desk.next().await, Err(Gone));
    }
}
