//! What one agent still has to be told: the newest context, and every outcome without a receipt.
//!
//! An outcome is followed on the same stream by a `ping`; the agent's reply is the receipt. Only an outcome
//! without one is sent again when a stream returns. Replaying more makes shipped agents accept what nobody
//! decided: after a cut, the returning stream and the next `openDiff` of the same file cross.
//!
//! The outbox never grows with time: contexts replace each other, and an agent has one diff open at a time.

use std::collections::VecDeque;
use std::sync::Arc;

use alongside_contract::context::{CONTEXT_UPDATE, IdeContext};
use alongside_contract::rpc::{self, Id};

/// Undelivered outcomes kept for one agent. Agents have one diff open at a time; a client that opens
/// thousands and never reads loses the oldest.
const MAX_OUTCOMES: usize = 256;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    /// All sessions have the same one.
    context: Option<Arc<IdeContext>>,
    context_sent: Option<Arc<IdeContext>>,
    outcomes: VecDeque<Outcome>,
    pings: u64,
}

/// A decision on its way to the agent.
#[derive(Debug)]
struct Outcome {
    path: String,
    /// The notifications that tell it, as JSON.
    messages: Arc<[String]>,
    /// The stream it was queued for or last sent on; a later stream must be careful with it.
    stream: u64,
    /// The ping that follows it, once it was sent on `stream`.
    ping: Option<Id>,
    recorded: Recorded,
}

/// Whether an outcome is in the journal. Nobody hears what a crash could still make otherwise.
#[derive(Debug, PartialEq, Eq)]
enum Recorded {
    No,
    Underway,
    Yes,
}

impl Outbox {
    /// The newest context replaces one that was not sent; one equal to the last sent is nothing new.
    pub(crate) fn set_context(&mut self, context: Arc<IdeContext>) {
        self.context = (self.context_sent.as_ref() != Some(&context)).then_some(context);
    }

    /// A decision about `path`, to be told on `stream` if that one is open, or on a later one.
    pub(crate) fn push(&mut self, path: &str, messages: Vec<String>, stream: u64) {
        self.forget(path);
        if self.outcomes.len() == MAX_OUTCOMES {
            self.outcomes.pop_front();
        }
        self.outcomes.push_back(Outcome {
            path: path.to_owned(),
            messages: messages.into(),
            stream,
            ping: None,
            recorded: Recorded::Yes,
        });
    }

    /// The newest outcome is not told before it is in the journal.
    pub(crate) fn hold_newest(&mut self) {
        if let Some(outcome) = self.outcomes.back_mut() {
            outcome.recorded = Recorded::No;
        }
    }

    /// What is held is being written into the journal.
    pub(crate) fn mark_recording(&mut self) {
        for outcome in self.outcomes.iter_mut().filter(|outcome| outcome.recorded == Recorded::No) {
            outcome.recorded = Recorded::Underway;
        }
    }

    /// What was being written is there, or cannot be: it may be told.
    pub(crate) fn mark_recorded(&mut self) {
        for outcome in self.outcomes.iter_mut().filter(|outcome| outcome.recorded == Recorded::Underway) {
            outcome.recorded = Recorded::Yes;
        }
    }

    /// The agent has moved on with this file: whatever was not delivered about it must not be, any more.
    pub(crate) fn forget(&mut self, path: &str) {
        self.outcomes.retain(|outcome| outcome.path != path);
    }

    /// The agent answered a ping: the outcome before it has arrived. Returns its path.
    pub(crate) fn settle(&mut self, ping: &Id) -> Option<String> {
        let at = self.outcomes.iter().position(|outcome| outcome.ping.as_ref() == Some(ping))?;
        self.outcomes.remove(at).map(|outcome| outcome.path)
    }

    /// A new stream opened: it begins with the current context, whatever was sent before.
    pub(crate) fn stream_opened(&mut self) {
        self.context_sent = None;
    }

    /// Whether something waits that was decided or sent before this stream opened.
    pub(crate) fn holds_older_than(&self, stream: u64) -> bool {
        self.outcomes.iter().any(|outcome| outcome.stream != stream && outcome.recorded == Recorded::Yes)
    }

    /// Whether an outcome about this file has no receipt.
    pub(crate) fn holds(&self, path: &str) -> bool {
        self.outcomes.iter().any(|outcome| outcome.path == path)
    }

    /// Whether every outcome has its receipt.
    pub(crate) fn is_settled(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// Outcomes without a receipt: path and notifications.
    pub(crate) fn unsettled(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.outcomes.iter().map(|outcome| (outcome.path.as_str(), &*outcome.messages))
    }

    /// What to send on `stream` next, as server-sent events: a context, or an outcome and its ping. Outcomes
    /// from before the stream are held back until `resend` says that the agent's in_flight have all been read.
    pub(crate) fn next_frame(&mut self, stream: u64, resend: bool) -> Option<String> {
        let waiting = |outcome: &&mut Outcome| match outcome.stream == stream {
            _ if outcome.recorded != Recorded::Yes => false,
            true => outcome.ping.is_none(),
            false => resend,
        };
        if let Some(outcome) = self.outcomes.iter_mut().find(waiting) {
            self.pings += 1;
            let ping = Id::Text(format!("alongside-{stream}-{}", self.pings));
            let mut frame = String::new();
            for message in outcome.messages.iter() {
                push_event(&mut frame, message);
            }
            push_event(&mut frame, &rpc::bare_request(&ping, "ping"));
            outcome.stream = stream;
            outcome.ping = Some(ping);
            return Some(frame);
        }
        self.next_context()
    }

    /// The newest context as a server-sent event, if it was not sent yet.
    pub(crate) fn next_context(&mut self) -> Option<String> {
        let context = self.context.take()?;
        let mut frame = String::new();
        push_event(&mut frame, &rpc::notification(CONTEXT_UPDATE, &*context));
        self.context_sent = Some(context);
        Some(frame)
    }
}

/// One server-sent event. JSON has no raw line breaks, so one `data:` line holds it; it has no id and no
/// retry hint, for old clients reopen their stream after each event with an id.
fn push_event(frame: &mut String, json: &str) {
    frame.push_str("event: message\ndata: ");
    frame.push_str(json);
    frame.push_str("\n\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pushed() -> Outbox {
        let mut outbox = Outbox::default();
        outbox.push("/a", vec!["OUTCOME".into()], 1);
        outbox
    }

    #[test]
    fn an_outcome_is_followed_by_a_ping_and_settled_by_its_reply() {
        let mut outbox = pushed();
        let frame = outbox.next_frame(1, false).unwrap();
        assert!(frame.starts_with("event: message\ndata: OUTCOME\n\n"), "{frame}");
        assert!(frame.contains(r#""method":"ping""#));
        assert_eq!(outbox.next_frame(1, true), None);
        assert_eq!(outbox.settle(&Id::Text("other".into())), None);
        assert_eq!(outbox.settle(&Id::Text("alongside-1-1".into())), Some("/a".into()));
        assert!(outbox.is_settled());
        assert_eq!(outbox.next_frame(2, true), None);
    }

    #[test]
    fn an_unsettled_outcome_waits_for_leave_on_a_later_stream() {
        let mut outbox = pushed();
        outbox.next_frame(1, false).unwrap();
        assert_eq!(outbox.next_frame(2, false), None);
        assert!(outbox.next_frame(2, true).unwrap().contains("OUTCOME"));
        // The receipt for the first sending comes late and counts for nothing.
        assert_eq!(outbox.settle(&Id::Text("alongside-1-1".into())), None);
        assert_eq!(outbox.settle(&Id::Text("alongside-2-2".into())), Some("/a".into()));
    }

    #[test]
    fn nothing_is_told_before_it_is_in_the_journal() {
        let mut outbox = pushed();
        outbox.hold_newest();
        assert_eq!((outbox.next_frame(1, true), outbox.holds_older_than(2)), (None, false));
        outbox.mark_recording();
        outbox.push("/b", vec!["LATER".into()], 1);
        outbox.hold_newest();
        assert_eq!(outbox.next_frame(1, true), None);
        outbox.mark_recorded();
        assert!(outbox.next_frame(1, false).unwrap().contains("OUTCOME"));
        assert_eq!(outbox.next_frame(1, false), None, "the later one is not there yet");
        assert!(!outbox.is_settled());
    }

    #[test]
    fn what_the_agent_moved_on_from_is_forgotten() {
        let mut outbox = pushed();
        outbox.next_frame(1, false).unwrap();
        outbox.forget("/a");
        assert_eq!(outbox.next_frame(2, true), None);
    }

    #[test]
    fn contexts_replace_each_other_and_equal_ones_are_not_repeated() {
        let mut outbox = Outbox::default();
        let empty = Arc::new(IdeContext { workspace_state: Some(Default::default()) });
        outbox.set_context(Arc::default());
        outbox.set_context(empty.clone());
        assert!(outbox.next_frame(1, false).unwrap().contains("workspaceState"));
        outbox.set_context(empty.clone());
        assert_eq!(outbox.next_frame(1, false), None);
        outbox.stream_opened();
        outbox.set_context(empty);
        assert!(outbox.next_frame(2, false).is_some());
    }

    #[test]
    fn frames_have_no_ids_no_retry_and_no_empty_data() {
        let mut outbox = pushed();
        outbox.set_context(Arc::default());
        for frame in [outbox.next_frame(1, false).unwrap(), outbox.next_frame(1, false).unwrap()] {
            for line in frame.lines().filter(|line| !line.is_empty()) {
                assert!(
                    line == "event: message"
                        || line.strip_prefix("data: ").is_some_and(|data| !data.is_empty())
                );
            }
        }
    }
}
