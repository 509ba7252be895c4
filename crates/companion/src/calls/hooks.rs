//! The calls of hooks that wait for a review, and their deadlines.
//!
//! An agent goes on without a review when its hook does not answer in time. So the companion answers every
//! call before its patience is over, and soon after the last desk has left.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use alongside_desk::{Closing, ReviewId, Verdict};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::reviews::decisions::REPEATED_CALL_TIMEOUT;
use crate::reviews::review::PendingReview;

/// The message to a hook when no desk has been open for a while.
const NO_DESK_MESSAGE: &str = "No desk of alongside is open, so nobody can review this change. Ask the \
                               person to run `alongside` in the project.";

/// The message to an agent after the most equal calls in a row: it asks the agent to end its turn.
const END_TURN_MESSAGE: &str = "The review of this change is still open. Do not call the tool again now: \
                                end your turn, and tell the person that the change waits at the desk of \
                                alongside. Once the person asks you to go on, call the tool again with the \
                                same arguments: that call gets its outcome.";

/// The largest number of equal calls in a row that an agent is asked to make. Qwen Code (read in 0.5.2,
/// 0.12.0 and 0.24.4) takes the fifth equal call for a loop: it ends the turn, and offers the person to
/// disable that check.
const MAX_EQUAL_CALLS: u32 = 4;

/// The time for which a review waits while no desk shows reviews. A desk that vanished may come back.
const NO_DESK_TIMEOUT: Duration = Duration::from_secs(30);

/// The reviews that hooks have asked for.
#[derive(Debug, Default)]
pub(crate) struct Hooks {
    calls: BTreeMap<ReviewId, AskedReview>,
    /// The time since which no desk shows reviews; `None` while a desk does.
    without_desk_since: Option<Instant>,
}

/// A review that a hook has asked for.
#[derive(Debug)]
struct AskedReview {
    calls_again: bool,
    /// The number of calls since the agent was last asked to end its turn.
    calls: u32,
    /// The number of the call, and its answer; `None` between two calls.
    waiting: Option<(u64, oneshot::Sender<Verdict>)>,
    /// The deadline of the decision or, between two calls, of the next call.
    until: Instant,
}

/// The call of a hook.
#[derive(Debug)]
pub(crate) struct HookCall {
    pub(crate) number: u64,
    /// The time by which the call must be answered.
    pub(crate) until: Instant,
    pub(crate) calls_again: bool,
    pub(crate) answer: oneshot::Sender<Verdict>,
}

/// The reviews whose deadline has come.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct DueReviews {
    /// The reviews that stay open for the next call.
    pub(crate) left_open: Vec<ReviewId>,
    /// The reviews that stay open for the next call, but whose agent is asked to end its turn before.
    pub(crate) turn_over: Vec<ReviewId>,
    /// The reviews that end.
    pub(crate) over: Vec<ReviewId>,
}

impl Hooks {
    /// Begins the wait of a call for the review that was opened for it.
    pub(crate) fn begin(&mut self, review: ReviewId, call: HookCall) {
        let HookCall { number, until, calls_again, answer } = call;
        let waiting = Some((number, answer));
        self.calls.insert(review, AskedReview { calls_again, calls: 1, waiting, until });
    }

    /// Returns the first of these reviews that has stayed open for a repeated call.
    pub(crate) fn left_open(&self, reviews: &[ReviewId]) -> Option<ReviewId> {
        let is_left = |review: &ReviewId| self.calls.get(review).is_some_and(|call| call.waiting.is_none());
        reviews.iter().copied().find(is_left)
    }

    /// Continues the wait for a review with its next call.
    pub(crate) fn resume(&mut self, review: ReviewId, call: HookCall) {
        if let Some(open) = self.calls.get_mut(&review) {
            open.waiting = Some((call.number, call.answer));
            open.until = call.until;
            open.calls += 1;
        }
    }

    /// Returns the verdict on a proposal for which no review opens: its hook asks for earlier decisions only,
    /// or no desk shows reviews.
    pub(crate) fn verdict_without_review(&self, is_only_asked: bool) -> Option<Verdict> {
        match is_only_asked {
            true => Some(Verdict::NotReviewed),
            false if !self.is_without_desk(Instant::now()) => None,
            false => Some(Verdict::Refused { message: format!("Nothing was written. {NO_DESK_MESSAGE}") }),
        }
    }

    /// Returns the verdict for the hook that asked for a review. `closing` is the reason why the review has
    /// ended.
    pub(crate) fn verdict(&self, ended: &PendingReview, closing: Closing, draft: Option<PathBuf>) -> Verdict {
        if closing == Closing::TimedOut && self.is_without_desk(Instant::now()) {
            return Verdict::Undecided { message: NO_DESK_MESSAGE.into(), draft };
        }
        ended.verdict(closing, draft)
    }

    /// Answers the hook that asked for a review. Returns the verdict if no hook waits for the review now.
    pub(crate) fn end(&mut self, review: ReviewId, verdict: Verdict) -> Option<Verdict> {
        let call = self.calls.remove(&review)?;
        match call.waiting {
            Some((_, answer)) => answer.send(verdict).err(),
            None => Some(verdict),
        }
    }

    /// Returns the review of the call of this number, whose hook has ended without its answer.
    pub(crate) fn review_of_call(&self, number: u64) -> Option<ReviewId> {
        let waits = |call: &AskedReview| call.waiting.as_ref().is_some_and(|(waiting, _)| *waiting == number);
        self.calls.iter().find(|(_, call)| waits(call)).map(|(review, _)| *review)
    }

    /// Records whether a desk shows reviews now.
    pub(crate) fn mark_desks(&mut self, any_shows_reviews: bool, now: Instant) {
        self.without_desk_since =
            if any_shows_reviews { None } else { self.without_desk_since.or(Some(now)) };
    }

    /// Whether no desk has shown reviews for [`NO_DESK_TIMEOUT`].
    fn is_without_desk(&self, now: Instant) -> bool {
        self.without_desk_since.is_some_and(|since| since + NO_DESK_TIMEOUT <= now)
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        let desk_deadline = self.without_desk_since.map(|since| since + NO_DESK_TIMEOUT);
        self.calls.values().map(|call| desk_deadline.map_or(call.until, |until| until.min(call.until))).min()
    }

    /// Answers the calls that the agent may repeat. Returns their reviews, and the reviews that end.
    pub(crate) fn on_deadline(&mut self, now: Instant) -> DueReviews {
        let is_without_desk = self.is_without_desk(now);
        let mut due = DueReviews::default();
        for (review, call) in self.calls.iter_mut().filter(|(_, call)| is_without_desk || call.until <= now) {
            match call.waiting.take_if(|_| call.calls_again && !is_without_desk) {
                Some((_, answer)) => {
                    call.until = now + REPEATED_CALL_TIMEOUT;
                    let (verdict, list) = match call.calls < MAX_EQUAL_CALLS {
                        true => (Verdict::StillOpen, &mut due.left_open),
                        false => {
                            call.calls = 0;
                            let message = END_TURN_MESSAGE.into();
                            (Verdict::Undecided { message, draft: None }, &mut due.turn_over)
                        }
                    };
                    list.push(*review);
                    // If the hook has ended, an event reports that.
                    let _ = answer.send(verdict);
                }
                None => due.over.push(*review),
            }
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(number: u64, calls_again: bool) -> (HookCall, oneshot::Receiver<Verdict>) {
        let (answer, answered) = oneshot::channel();
        let until = Instant::now() + Duration::from_secs(55);
        (HookCall { number, until, calls_again, answer }, answered)
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_is_answered_before_its_patience_is_over_and_again_from_the_same_review() {
        let (mut hooks, review, start) = (Hooks::default(), ReviewId(1), Instant::now());
        let (first, mut answered) = call(1, true);
        hooks.begin(review, first);
        assert_eq!(hooks.left_open(&[review]), None, "its hook waits");
        let until = hooks.deadline().unwrap();
        assert_eq!(until, start + Duration::from_secs(55));
        let left_open = DueReviews { left_open: vec![review], ..DueReviews::default() };
        assert_eq!((hooks.on_deadline(until), answered.try_recv()), (left_open, Ok(Verdict::StillOpen)));
        let other = ReviewId(2);
        assert_eq!((hooks.left_open(&[other, review]), hooks.left_open(&[other])), (Some(review), None));
        let (second, mut answered) = call(2, true);
        hooks.resume(review, second);
        assert_eq!((hooks.review_of_call(1), hooks.review_of_call(2)), (None, Some(review)));
        let rejected = Verdict::Rejected { message: "no".into() };
        assert_eq!(hooks.end(review, rejected.clone()), None);
        assert_eq!(answered.try_recv(), Ok(rejected));
        assert_eq!(hooks.deadline(), None);
    }

    /// Qwen Code takes the fifth equal call of a turn for a loop.
    #[tokio::test(start_paused = true)]
    async fn an_agent_is_asked_to_end_its_turn_before_it_detects_a_loop() {
        let (mut hooks, review) = (Hooks::default(), ReviewId(1));
        let mut asked = Vec::new();
        for number in 1..=8 {
            let (again, mut answered) = call(number, true);
            match number {
                1 => hooks.begin(review, again),
                _ => hooks.resume(review, again),
            }
            let due = hooks.on_deadline(hooks.deadline().unwrap());
            assert_eq!(due.over, [], "call {number}");
            asked.push(match answered.try_recv().unwrap() {
                Verdict::StillOpen => {
                    assert_eq!((due.left_open, due.turn_over), (vec![review], vec![]));
                    "call again"
                }
                Verdict::Undecided { message, .. } => {
                    assert!(message.contains("end your turn"), "{message}");
                    assert_eq!((due.left_open, due.turn_over), (vec![], vec![review]));
                    "end the turn"
                }
                other => panic!("{other:?}"),
            });
        }
        let of_a_turn = ["call again", "call again", "call again", "end the turn"];
        assert_eq!(asked, [of_a_turn, of_a_turn].concat());
        assert_eq!(hooks.left_open(&[review]), Some(review), "the next turn gets the decision");
    }

    #[tokio::test(start_paused = true)]
    async fn a_verdict_without_a_waiting_hook_is_returned_and_its_review_ends() {
        let (mut hooks, review) = (Hooks::default(), ReviewId(1));
        let (first, _answered) = call(1, true);
        hooks.begin(review, first);
        let until = hooks.deadline().unwrap();
        assert_eq!(hooks.on_deadline(until).over, []);
        assert_eq!(hooks.on_deadline(hooks.deadline().unwrap()).over, [review]);
        assert_eq!(hooks.end(review, Verdict::StillOpen), Some(Verdict::StillOpen));
    }

    #[tokio::test(start_paused = true)]
    async fn a_review_ends_when_its_hook_waits_no_longer_or_no_desk_is_there() {
        let (mut hooks, start) = (Hooks::default(), Instant::now());
        hooks.mark_desks(true, start);
        let (one, _answered) = call(1, false);
        hooks.begin(ReviewId(1), one);
        assert_eq!(hooks.on_deadline(start + Duration::from_secs(54)), DueReviews::default());
        assert_eq!(hooks.on_deadline(start + Duration::from_secs(55)).over, [ReviewId(1)]);
        hooks.end(ReviewId(1), Verdict::StillOpen);
        let (two, _answered) = call(2, true);
        hooks.begin(ReviewId(2), two);
        hooks.mark_desks(false, start);
        hooks.mark_desks(false, start + Duration::from_secs(20));
        assert_eq!(hooks.deadline(), Some(start + NO_DESK_TIMEOUT));
        assert_eq!(hooks.on_deadline(start + NO_DESK_TIMEOUT).over, [ReviewId(2)]);
    }
}
