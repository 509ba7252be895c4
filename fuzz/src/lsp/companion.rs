//! A companion with one review at a time. It is as strict as the real one, and computes the same hunks.

use alongside_companion::fuzzing::ReviewComposition;
use alongside_desk::{
    Agent, Changed, Closed, Closing, Decision, Event, Refusal, Request, Review, ReviewId, Revised, Seat,
    replacement,
};
use serde::Deserialize;
use serde_json::Value;

/// An event at the companion that the editor did not cause.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Elsewhere {
    /// Another desk sends a request.
    Desk(Request),
    /// An agent proposes a change, which replaces the open review.
    Proposal { original: String, proposed: String, outside: Option<String> },
    /// The agent takes the text.
    Flush,
    /// The review ends.
    Closed(Closing),
}

/// A companion with at most one open review.
pub(crate) struct Companion {
    /// The text of the open review, and the review as it was sent last.
    open: Option<(ReviewComposition, Review)>,
    /// The number of the newest review.
    last: u64,
    /// Whether the desk is a plugin, which may send invalid edits. Plain LSP must not send them.
    is_plugin: bool,
}

impl Companion {
    pub(crate) fn new(initialize: &Value) -> Self {
        let is_plugin = initialize.pointer("/initializationOptions/alongside/protocol").is_some();
        Self { open: None, last: 0, is_plugin }
    }

    /// Carries out an event from elsewhere, or else answers the next request. Returns false if there is
    /// neither.
    pub(crate) fn serve(&mut self, seat: &mut Seat, elsewhere: Option<Elsewhere>) -> bool {
        let tell = |event| seat.events.send(event).expect("the desk is there");
        if self.last == 0 {
            self.propose("one\ntwo\nthree\n", "ONE\ntwo\nTHREE\nfour", None, tell);
            return true;
        }
        match elsewhere {
            Some(Elsewhere::Desk(request)) => drop(self.carry_out(request, false, tell)),
            Some(Elsewhere::Proposal { original, proposed, outside }) => {
                self.close(Closing::Replaced, false, tell);
                self.propose(&original, &proposed, outside, tell);
            }
            Some(Elsewhere::Flush) => {
                self.open.iter().for_each(|(_, review)| tell(Event::FlushReview { id: review.id }));
            }
            Some(Elsewhere::Closed(why)) => self.close(why, false, tell),
            None => {
                let Ok(call) = seat.calls.try_recv() else { return false };
                let answer = self.carry_out(call.request, true, tell);
                // The desk may not wait for the reply.
                let _ = call.answer.send(answer);
            }
        }
        true
    }

    fn propose(&mut self, original: &str, proposed: &str, outside: Option<String>, tell: impl Fn(Event)) {
        let Some(composition) = ReviewComposition::new(original.as_bytes(), proposed) else { return };
        self.last += 1;
        let review = Review {
            id: ReviewId(self.last),
            agent: Agent::default(),
            file: "/nowhere/a.rs".into(),
            original: Some(composition.original().into()),
            proposed: proposed.into(),
            current: composition.current().into(),
            revision: 1,
            hunks: composition.hunks(),
            whole_file_only: None,
            file_line_ending: None,
            file_has_bom: None,
            stale: false,
            dirty: false,
            outside,
            in_git: None,
            ..Review::default()
        };
        tell(Event::Opened(review.clone()));
        self.open = Some((composition, review));
    }

    fn close(&mut self, closing: Closing, decided_here: bool, tell: impl Fn(Event)) {
        if let Some((_, review)) = self.open.take() {
            tell(Event::Closed(Closed { decided_here, ..Closed::of(review.id, closing) }));
        }
    }

    fn carry_out(
        &mut self,
        request: Request,
        is_here: bool,
        tell: impl Fn(Event),
    ) -> Result<Revised, Refusal> {
        let named = match &request {
            Request::EditReview { id, revision, .. }
            | Request::KeepHunks { id, revision, .. }
            | Request::SplitHunk { id, revision, .. }
            | Request::UndoReview { id, revision }
            | Request::RedoReview { id, revision }
            | Request::DecideReview { id, revision, .. } => (*id, *revision),
            _ => return Ok(Revised::default()),
        };
        let open = self.open.as_mut().filter(|(_, review)| review.id == named.0);
        let (composition, review) = open.ok_or(Refusal::NoSuchReview)?;
        if named.1 != review.revision {
            return Err(Refusal::Stale { revision: review.revision });
        }
        match request {
            Request::EditReview { changes, .. } => {
                let edited = composition.edit(&changes);
                assert!(edited.is_ok() || self.is_plugin || !is_here, "{edited:?}: {changes:?}");
                edited?;
            }
            Request::KeepHunks { hunks, keep, .. } => {
                let kept = composition.keep(&hunks, keep);
                assert!(kept.is_ok() || self.is_plugin || !is_here, "{kept:?}: {hunks:?}");
                kept?;
            }
            Request::SplitHunk { hunk, .. } => composition.split(hunk)?,
            Request::UndoReview { .. } => composition.undo()?,
            Request::RedoReview { .. } => composition.redo()?,
            Request::DecideReview { decision, .. } => {
                let accepted = decision == Decision::Accept;
                let closing = if accepted { Closing::Accepted } else { Closing::Rejected };
                self.close(closing, is_here, tell);
                return Ok(Revised { revision: named.1 });
            }
            _ => {}
        }
        let (hunks, changes) = (composition.hunks(), replacement(&review.current, composition.current()));
        let changed = Changed {
            id: review.id,
            from: named.1,
            revision: named.1 + 1,
            changes: changes.into_iter().collect(),
            hunks,
            stale: false,
            dirty: false,
            reason: None,
            unawaited: None,
        };
        tell(Event::Changed(changed.clone()));
        review.take(changed).expect("the change follows the last revision");
        assert_eq!(&*review.current, composition.current(), "the desk has the companion's text");
        Ok(Revised { revision: review.revision })
    }
}
