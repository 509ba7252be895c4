//! The messages that one agent has still to get: the newest context, and every outcome without a receipt.
//!
//! After each outcome, the same stream carries a `ping`, and the agent's reply to the ping is the receipt.
//! When a stream returns, only outcomes without a receipt are sent again. The agent may have opened a new
//! diff of the same file meanwhile, and would apply an older outcome to that diff, which is
//! undecided.
//!
//! A mention is sent once. The person sees in the prompt whether it has arrived, and can mention the file
//! again.
//!
//! The outbox does not grow with time: contexts replace each other, and an agent has one diff open at a time.

use std::collections::VecDeque;

use alongside_contract::family::Transport;
use alongside_contract::rpc::{self, Id};
use bytes::Bytes;

use super::frame::frame;
use super::outcome_messages::{self, Delivery};
use crate::reviews::outcome::Outcome;

/// The largest number of outcomes that are kept for one agent. An agent that opens thousands of diffs and
/// never reads loses the oldest.
const MAX_OUTCOMES: usize = 256;

/// The largest number of unread mentions that are kept for one agent.
const MAX_MENTIONS: usize = 32;

/// The outbox of one agent.
#[derive(Debug)]
pub(crate) struct Outbox {
    transport: Transport,
    /// The frame of the newest context, if it is not sent yet; all sessions share it.
    unsent_context: Option<Bytes>,
    sent_context: Option<Bytes>,
    outcomes: VecDeque<QueuedOutcome>,
    /// Frames that are sent once.
    mentions: VecDeque<Bytes>,
    /// The number of pings that were sent.
    pings: u64,
}

/// An outcome on its way to the agent.
#[derive(Debug)]
struct QueuedOutcome {
    path: String,
    outcome: Outcome,
    delivery: Delivery,
    /// The stream for which the outcome was queued, or on which it was last sent. On a later stream, the
    /// outcome is sent only with `resend`.
    stream: u64,
    /// The ping after the outcome, once both were sent on `stream`.
    ping: Option<Id>,
    recorded: Recorded,
}

/// The state of an outcome in the journal. Only a recorded outcome is sent: after a crash, the successor
/// rejects the reviews that the journal has as undecided.
#[derive(Debug, PartialEq, Eq)]
enum Recorded {
    No,
    Underway,
    Yes,
}

impl Outbox {
    pub(crate) fn new(transport: Transport) -> Self {
        let (unsent_context, sent_context, outcomes, mentions, pings) = Default::default();
        Self { transport, unsent_context, sent_context, outcomes, mentions, pings }
    }

    /// Replaces an unsent context by a newer one. A context that equals the last sent one is not sent.
    pub(crate) fn set_context(&mut self, frame: Bytes) {
        self.unsent_context = (self.sent_context.as_ref() != Some(&frame)).then_some(frame);
    }

    /// Queues a mention of a file. If there are too many unread mentions, drops the oldest.
    pub(crate) fn push_mention(&mut self, frame: Bytes) {
        if self.mentions.len() == MAX_MENTIONS {
            self.mentions.pop_front();
        }
        self.mentions.push_back(frame);
    }

    /// Queues an outcome about `path` for `stream`, if that stream is still open, or for a later stream.
    pub(crate) fn push_outcome(&mut self, path: &str, outcome: Outcome, delivery: Delivery, stream: u64) {
        self.forget(path);
        if self.outcomes.len() == MAX_OUTCOMES {
            self.outcomes.pop_front();
        }
        self.outcomes.push_back(QueuedOutcome {
            path: path.to_owned(),
            outcome,
            delivery,
            stream,
            ping: None,
            recorded: Recorded::Yes,
        });
    }

    /// Holds the newest outcome back until it is in the journal.
    pub(crate) fn delay_newest(&mut self) {
        if let Some(outcome) = self.outcomes.back_mut() {
            outcome.recorded = Recorded::No;
        }
    }

    /// Marks the outcomes that wait for the journal as being written into it.
    pub(crate) fn mark_recording(&mut self) {
        for queued in self.outcomes.iter_mut().filter(|queued| queued.recorded == Recorded::No) {
            queued.recorded = Recorded::Underway;
        }
    }

    /// Releases the outcomes that were being written: they are in the journal, or the journal cannot be
    /// written.
    pub(crate) fn mark_recorded(&mut self) {
        for queued in self.outcomes.iter_mut().filter(|queued| queued.recorded == Recorded::Underway) {
            queued.recorded = Recorded::Yes;
        }
    }

    /// Drops an undelivered outcome about a file, because the agent has since proposed or closed that file.
    pub(crate) fn forget(&mut self, path: &str) {
        self.outcomes.retain(|queued| queued.path != path);
    }

    /// Takes the agent's answer to a ping as the receipt of the outcome before it, and removes the outcome.
    /// Returns the path of its file.
    pub(crate) fn settle(&mut self, ping: &Id) -> Option<String> {
        let at = self.outcomes.iter().position(|queued| queued.ping.as_ref() == Some(ping))?;
        self.outcomes.remove(at).map(|queued| queued.path)
    }

    /// Forgets which context was sent, so that a new stream gets the current one.
    pub(crate) fn forget_sent_context(&mut self) {
        self.sent_context = None;
    }

    /// Whether an outcome waits that was decided or sent before this stream opened.
    pub(crate) fn has_older_than(&self, stream: u64) -> bool {
        self.outcomes.iter().any(|queued| queued.stream != stream && queued.recorded == Recorded::Yes)
    }

    /// Whether an outcome about this file has no receipt.
    pub(crate) fn contains(&self, path: &str) -> bool {
        self.outcomes.iter().any(|queued| queued.path == path)
    }

    /// Whether every outcome has its receipt.
    pub(crate) fn is_settled(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// Iterates over the outcomes without a receipt, each with the path of its file.
    pub(crate) fn unsettled(&self) -> impl Iterator<Item = (&str, &Outcome)> {
        self.outcomes.iter().map(|queued| (queued.path.as_str(), &queued.outcome))
    }

    /// Returns the next frame for `stream`: an outcome and its ping, or a context. An outcome that is older
    /// than the stream is sent only with `resend`: once all older requests of the agent have been read.
    pub(crate) fn next_frame(&mut self, stream: u64, resend: bool) -> Option<Bytes> {
        let waiting = |queued: &&mut QueuedOutcome| match queued.stream == stream {
            _ if queued.recorded != Recorded::Yes => false,
            true => queued.ping.is_none(),
            false => resend,
        };
        if let Some(queued) = self.outcomes.iter_mut().find(waiting) {
            self.pings += 1;
            let ping = Id::Text(format!("alongside-{stream}-{}", self.pings));
            let mut messages = outcome_messages::messages(&queued.outcome, &queued.path, &queued.delivery);
            messages.push(rpc::bare_request(&ping, "ping"));
            queued.stream = stream;
            queued.ping = Some(ping);
            return Some(frame(self.transport, &messages));
        }
        self.mentions.pop_front().or_else(|| self.next_context())
    }

    /// Returns the frame of the newest context, if it was not sent yet.
    pub(crate) fn next_context(&mut self) -> Option<Bytes> {
        let frame = self.unsent_context.take()?;
        self.sent_context = Some(frame.clone());
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use alongside_contract::context::IdeContext;
    use alongside_contract::family::ContextForm;

    use super::super::context_frames::ContextFrames;
    use super::super::outcome_messages::OpenCall;
    use super::*;

    const NOTIFIED: Delivery = Delivery::Notified { closes: false };

    fn context_frame(context: &IdeContext) -> Bytes {
        ContextFrames::new(context).get(ContextForm::Update, Transport::Http)
    }

    /// Returns the next frame of the first stream.
    fn next(outbox: &mut Outbox) -> String {
        String::from_utf8(outbox.next_frame(1, false).unwrap().into()).unwrap()
    }

    fn outbox_with_outcome() -> Outbox {
        let mut outbox = Outbox::new(Transport::Http);
        outbox.push_outcome("/a", Outcome::Accepted("OUTCOME".into()), NOTIFIED, 1);
        outbox
    }

    #[test]
    fn outcome_is_followed_by_ping_and_settled_by_its_reply() {
        let mut outbox = outbox_with_outcome();
        let frame = next(&mut outbox);
        let accepted =
            outcome_messages::messages(&Outcome::Accepted("OUTCOME".into()), "/a", &NOTIFIED).concat();
        assert!(frame.starts_with(&format!("event: message\ndata: {accepted}\n\n")), "{frame}");
        assert!(frame.contains(r#""method":"ping""#));
        assert_eq!(outbox.next_frame(1, true), None);
        assert_eq!(outbox.settle(&Id::Text("other".into())), None);
        assert_eq!(outbox.settle(&Id::Text("alongside-1-1".into())), Some("/a".into()));
        assert!(outbox.is_settled());
        assert_eq!(outbox.next_frame(2, true), None);
    }

    #[test]
    fn unsettled_outcome_is_held_back_on_a_later_stream() {
        let mut outbox = outbox_with_outcome();
        outbox.next_frame(1, false).unwrap();
        assert_eq!(outbox.next_frame(2, false), None);
        assert!(outbox.next_frame(2, true).is_some());
        // The receipt for the first sending comes late and counts for nothing.
        assert_eq!(outbox.settle(&Id::Text("alongside-1-1".into())), None);
        assert_eq!(outbox.settle(&Id::Text("alongside-2-2".into())), Some("/a".into()));
    }

    #[test]
    fn outcome_is_not_sent_before_it_is_in_the_journal() {
        let mut outbox = outbox_with_outcome();
        outbox.delay_newest();
        assert_eq!((outbox.next_frame(1, true), outbox.has_older_than(2)), (None, false));
        outbox.mark_recording();
        outbox.push_outcome("/b", Outcome::Rejected, NOTIFIED, 1);
        outbox.delay_newest();
        assert_eq!(outbox.next_frame(1, true), None);
        outbox.mark_recorded();
        assert!(next(&mut outbox).contains("OUTCOME"));
        assert_eq!(outbox.next_frame(1, false), None, "the journal does not have the later outcome yet");
        assert!(!outbox.is_settled());
    }

    #[test]
    fn over_a_websocket_an_open_call_is_answered_and_a_ping_follows() {
        let mut outbox = Outbox::new(Transport::WebSocket);
        let call = |id| Delivery::Answered(OpenCall { id: Id::Number(id), tab: "TAB".into() });
        outbox.push_outcome("/a", Outcome::Accepted("OUTCOME".into()), call(3), 1);
        let frame = next(&mut outbox);
        let [answer, ping] = frame.lines().collect::<Vec<_>>().try_into().unwrap();
        assert!(answer.contains(r#""id":3"#) && answer.contains("FILE_SAVED") && answer.contains("OUTCOME"));
        assert!(ping.contains(r#""method":"ping""#));
        outbox.push_outcome("/b", Outcome::Rejected, call(4), 1);
        assert!(next(&mut outbox).contains(r#"DIFF_REJECTED"},{"type":"text","text":"TAB"#));
        outbox.push_outcome("/c", Outcome::Withdrawn, call(5), 1);
        let withdrawn = next(&mut outbox);
        assert!(withdrawn.contains(r#""id":5"#) && withdrawn.contains(r#""error""#), "{withdrawn}");
    }

    #[test]
    fn outcome_is_dropped_once_the_agent_has_moved_on() {
        let mut outbox = outbox_with_outcome();
        outbox.next_frame(1, false).unwrap();
        outbox.forget("/a");
        assert_eq!(outbox.next_frame(2, true), None);
    }

    #[test]
    fn newer_context_replaces_older_and_equal_one_is_not_repeated() {
        let mut outbox = Outbox::new(Transport::Http);
        let empty = context_frame(&IdeContext { workspace_state: Some(Default::default()) });
        outbox.set_context(context_frame(&IdeContext::default()));
        outbox.set_context(empty.clone());
        assert!(next(&mut outbox).contains("workspaceState"));
        outbox.set_context(empty.clone());
        assert_eq!(outbox.next_frame(1, false), None);
        outbox.forget_sent_context();
        outbox.set_context(empty);
        assert!(outbox.next_frame(2, false).is_some());
    }

    #[test]
    fn frames_have_no_id_no_retry_and_no_empty_data() {
        let mut outbox = outbox_with_outcome();
        outbox.set_context(context_frame(&IdeContext::default()));
        for frame in [next(&mut outbox), next(&mut outbox)] {
            for line in frame.lines().filter(|line| !line.is_empty()) {
                let data = line.strip_prefix("data: ");
                assert!(line == "event: message" || data.is_some_and(|data| !data.is_empty()), "{line}");
            }
        }
    }
}
