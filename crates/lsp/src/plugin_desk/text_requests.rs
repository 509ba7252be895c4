//! Whole texts that a plugin sends for a review, each based on a revision that the plugin has. They are
//! merged with the changes of other desks and sent to the companion one after the other.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use alongside_desk::{Decision, Refusal, Request, ReviewId, Revised, replacement};
use lsp_server::RequestId;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answers::refuse;
use super::presented_review::PresentedReview;
use crate::io::{Io, RequestOrigin};
use crate::merge::merged;

/// How often a text is merged again after another desk was faster.
const MAX_ATTEMPTS: usize = 8;

/// The parameters of `alongside/setReviewText`, and of `alongside/decideReview` with a text.
#[derive(Debug, Deserialize)]
pub(super) struct TextParams {
    pub(super) id: ReviewId,
    /// The revision of the text that the plugin's text was made of.
    revision: u64,
    text: String,
    /// Decides, if the review has exactly this text then.
    #[serde(default)]
    decision: Option<Decision>,
}

/// A text that waits, or is on its way.
#[derive(Debug)]
struct TextRequest {
    /// The plugin's request; without one, nobody waits for the answer.
    id: Option<RequestId>,
    revision: u64,
    text: Arc<str>,
    decision: Option<Decision>,
    attempts: usize,
}

impl TextRequest {
    /// Whether the person knows of every change of the file that accepting would undo.
    fn is_warned(&self, review: &PresentedReview) -> bool {
        self.decision == Some(Decision::Reject) || self.revision >= review.warned_at
    }
}

/// The texts of every review, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct TextRequests {
    waiting: BTreeMap<ReviewId, VecDeque<TextRequest>>,
    /// Reviews whose first text the companion has not answered.
    in_flight: BTreeSet<ReviewId>,
    /// Reviews of which the companion wants to hear once they have no text left.
    flushing: Vec<ReviewId>,
}

/// An answer to the plugin.
#[derive(Debug)]
enum Answer {
    /// The review has this text now.
    Set,
    Refused(Refusal),
}

impl TextRequests {
    /// Whether a text of a review is on its way to the companion.
    pub(super) fn is_on_its_way(&self, id: ReviewId) -> bool {
        self.in_flight.contains(&id)
    }

    /// The plugin sends a text.
    pub(super) fn push(
        &mut self,
        io: &mut Io,
        id: Option<RequestId>,
        params: TextParams,
        review: Option<&PresentedReview>,
    ) {
        let TextParams { id: of, revision, text, decision } = params;
        // A text that is as it was shown is as it was.
        let shown = review.and_then(|review| Some((review, review.text_at(revision)?)));
        let same = shown.filter(|(review, base)| *review.form.shown(base) == *text).map(|(_, base)| base);
        let restored = || review.map_or_else(|| text.as_str().into(), |review| review.form.restored(&text));
        let text = same.cloned().unwrap_or_else(restored);
        let request = TextRequest { id, revision, text, decision, attempts: 0 };
        self.waiting.entry(of).or_default().push_back(request);
        self.advance(io, of, review);
    }

    /// The companion asks for every text of a review.
    pub(super) fn flush(&mut self, io: &mut Io, id: ReviewId) {
        self.flushing.push(id);
        self.finish_flush(io, id);
    }

    /// The companion has replied to a text.
    pub(super) fn replied(
        &mut self,
        io: &mut Io,
        id: ReviewId,
        reply: Result<Revised, Refusal>,
        review: Option<&PresentedReview>,
    ) {
        self.in_flight.remove(&id);
        match reply {
            Ok(_) => match review {
                Some(review) => self.was_set(io, id, review),
                None => self.answer(io, id, Answer::Refused(Refusal::NoSuchReview), None),
            },
            Err(Refusal::Stale { .. }) => {}
            Err(refusal) => self.answer(io, id, Answer::Refused(refusal), review),
        }
        self.advance(io, id, review);
    }

    /// Sends the next text of a review, if none is on its way.
    pub(super) fn advance(&mut self, io: &mut Io, id: ReviewId, review: Option<&PresentedReview>) {
        while !self.in_flight.contains(&id) {
            let Some(first) = self.waiting.get_mut(&id).and_then(VecDeque::front_mut) else { break };
            let Some(known) = review else {
                self.answer(io, id, Answer::Refused(Refusal::NoSuchReview), None);
                continue;
            };
            let revision = known.review().revision;
            first.attempts += 1;
            let current = &known.review().current;
            // The person decides on the text that they see: another desk may have changed it.
            let is_seen = |base: &&Arc<str>| {
                let has_text = *base == current || first.text == *current;
                first.decision.is_none() || has_text && first.is_warned(known)
            };
            let base = known.text_at(first.revision).filter(|_| first.attempts <= MAX_ATTEMPTS);
            let base = base.filter(is_seen);
            let Some(base) = base else {
                self.answer(io, id, Answer::Refused(Refusal::Stale { revision }), review);
                continue;
            };
            let goal = merged(base, &first.text, current);
            match replacement(current, &goal) {
                None => self.was_set(io, id, known),
                Some(change) => {
                    let request = Request::EditReview { id, revision, changes: vec![change] };
                    self.in_flight.insert(id);
                    io.request(RequestOrigin::Edit(id), request);
                }
            }
        }
        self.finish_flush(io, id);
    }

    /// The review holds the first text, perhaps with changes of other desks.
    fn was_set(&mut self, io: &mut Io, id: ReviewId, review: &PresentedReview) {
        let Some(request) = self.waiting.get(&id).and_then(VecDeque::front) else { return };
        let revision = review.review().revision;
        let is_exact = review.review().current == request.text && request.is_warned(review);
        match request.decision.filter(|_| is_exact) {
            Some(decision) => {
                let request = self.pop(id).and_then(|request| request.id);
                let origin = request.map_or(RequestOrigin::Unawaited, RequestOrigin::Plugin);
                io.request(origin, Request::DecideReview { id, revision, decision });
            }
            None if request.decision.is_some() => {
                self.answer(io, id, Answer::Refused(Refusal::Stale { revision }), Some(review));
            }
            None => self.answer(io, id, Answer::Set, Some(review)),
        }
    }

    /// Removes the first text of a review.
    fn pop(&mut self, id: ReviewId) -> Option<TextRequest> {
        let first = self.waiting.get_mut(&id).and_then(VecDeque::pop_front);
        if self.waiting.get(&id).is_some_and(VecDeque::is_empty) {
            self.waiting.remove(&id);
        }
        first
    }

    /// Answers the first text of a review.
    fn answer(&mut self, io: &mut Io, id: ReviewId, answer: Answer, review: Option<&PresentedReview>) {
        let Some(TextRequest { id: Some(request), text, .. }) = self.pop(id) else { return };
        let now = review.map(|review| (review.review(), review.form));
        let other = now.filter(|(review, _)| review.current != text);
        let other = other.map(|(review, form)| form.shown(&review.current));
        match answer {
            Answer::Set => {
                let mut result = json!({ "revision": now.map_or(0, |(review, _)| review.revision) });
                if let Some(other) = other {
                    result["text"] = json!(other);
                }
                io.reply(request, result);
            }
            Answer::Refused(refusal) => refuse(io, request, &refusal, other.map(|text| json!(text))),
        }
    }

    fn finish_flush(&mut self, io: &mut Io, id: ReviewId) {
        let is_empty = !self.waiting.contains_key(&id) && !self.in_flight.contains(&id);
        if is_empty && self.flushing.contains(&id) {
            self.flushing.retain(|flushing| *flushing != id);
            io.request(RequestOrigin::Unawaited, Request::Flushed { id });
        }
    }
}

/// Reads the parameters of a request with a text; `None` if it has none.
pub(super) fn read(method: &str, params: &Value) -> Option<Result<TextParams, serde_json::Error>> {
    let has_text = match method {
        "alongside/setReviewText" => true,
        "alongside/decideReview" => params.get("text").is_some(),
        _ => false,
    };
    has_text.then(|| serde_json::from_value(params.clone()))
}
