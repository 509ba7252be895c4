//! The two ends of a connection within one process. A socket carries the same messages.

use tokio::sync::{mpsc, oneshot};

use crate::decision::{Refusal, Revised};
use crate::protocol::{Event, Request};

/// The desk's end.
#[derive(Debug)]
pub struct Desk {
    calls: mpsc::UnboundedSender<Call>,
    events: mpsc::UnboundedReceiver<Event>,
    /// What was taken out to see whether it is a newer status.
    ahead: Option<Event>,
}

/// The companion's end.
#[derive(Debug)]
pub struct Seat {
    /// Requests, in the order they were made; closed when the desk is dropped.
    pub calls: mpsc::UnboundedReceiver<Call>,
    /// Where to tell the desk.
    pub events: mpsc::UnboundedSender<Event>,
}

/// A request and where its answer goes.
#[derive(Debug)]
pub struct Call {
    /// What is asked.
    pub request: Request,
    /// Where the answer goes; an answer nobody waits for is dropped.
    pub answer: oneshot::Sender<Result<Revised, Refusal>>,
}

/// The companion has stopped and everything it said has been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the companion has stopped")]
pub struct Gone;

/// A connection within this process.
pub fn pair() -> (Desk, Seat) {
    let (calls, calls_in) = mpsc::unbounded_channel();
    let (events, events_in) = mpsc::unbounded_channel();
    (Desk { calls, events: events_in, ahead: None }, Seat { calls: calls_in, events })
}

impl Desk {
    /// Asks, and waits for the answer. Requests are carried out in the order they are made.
    ///
    /// # Errors
    /// The companion's [`Refusal`].
    pub async fn request(&self, request: Request) -> Result<Revised, Refusal> {
        self.send(request).await.unwrap_or(Err(Refusal::Stopped))
    }

    /// Asks at once; the answer may be awaited later or dropped.
    pub fn send(&self, request: Request) -> oneshot::Receiver<Result<Revised, Refusal>> {
        let (answer, answered) = oneshot::channel();
        // A call to a stopped companion is dropped, and with it `answer`: the receiver says so.
        let _ = self.calls.send(Call { request, answer });
        answered
    }

    /// Hands on a call of another connection; the answer goes where it was to go.
    pub fn pass_on(&self, call: Call) {
        // As in `send`.
        let _ = self.calls.send(call);
    }

    /// Leaves for good; returns when that is done, and all is over if the companion ends with this desk. A
    /// desk that is dropped instead counts as lost, which a host puts up with for a while.
    pub async fn leave(mut self) {
        // A companion that has stopped need not be told.
        let _ = self.request(Request::Leave).await;
        while self.next().await.is_ok() {}
    }

    /// The next thing this desk is told; of statuses that follow each other, the last. Cancel safe.
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

    /// What has been told already and was not heard yet. A request is answered after what it changed has been
    /// told: whoever gets an answer from elsewhere hears this first.
    pub fn try_next(&mut self) -> Option<Event> {
        let event = self.ahead.take().or_else(|| self.events.try_recv().ok())?;
        Some(self.newest(event))
    }

    /// A status names every agent: a desk that was slow need not hear of each that came or went meanwhile.
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
        let problem = |what: &str| Event::Problem(Problem { what: what.into(), hint: None });
        let told = [status(1), status(2), status(3), problem("a"), problem("b"), status(4), problem("c")];
        told.into_iter().for_each(|event| seat.events.send(event).unwrap());
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
