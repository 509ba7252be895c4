//! The texts that a plugin sends for a review, each based on a revision that the plugin has. They are merged
//! with the changes of other desks and sent to the companion one after the other. A plugin that has not shown
//! the merged text edits the one that it sent: the next text of the same revision is based on that one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use alongside_desk::{Decision, Refusal, Request, ReviewId, Revised, replacement};
use serde::Deserialize;
use serde_json::Value;

use crate::effect::Effect;
use crate::merge::merge;
use crate::presented_review::PresentedReview;
use crate::replacement::Replacement;

/// The most merges of a text: each follows a faster change of another desk.
const MAX_ATTEMPTS: usize = 8;

/// The parameters of `alongside/setReviewText`, and of `alongside/decideReview` with a text.
#[derive(Debug, Deserialize)]
pub struct TextParams {
    pub(super) id: ReviewId,
    /// The revision on which the plugin's text is based.
    pub(super) revision: u64,
    /// The newest revision that the plugin has.
    from: u64,
    /// The plugin's text, as it differs from that of the newest revision; absent if it is the same.
    replacement: Option<Replacement>,
    /// The decision, which applies only if the review then has exactly this text.
    decision: Option<Decision>,
}

impl TextParams {
    /// Reads the parameters of a request of the plugin; `None` if it has no text.
    pub fn read(method: &str, params: &Value) -> Option<Result<Self, serde_json::Error>> {
        let has_text = match method {
            "alongside/setReviewText" => true,
            // A text in an older form is refused: the decision would not be about it.
            "alongside/decideReview" => ["from", "text"].iter().any(|name| params.get(name).is_some()),
            _ => false,
        };
        has_text.then(|| Self::deserialize(params))
    }

    /// Returns the text that the plugin's text was made of, and the plugin's text in the form of the review;
    /// `None` if a revision is too old.
    fn texts(&self, review: &PresentedReview, taken: Option<&TakenText>) -> Option<(Arc<str>, Arc<str>)> {
        let taken = taken.filter(|taken| taken.revision == self.revision).map(|taken| taken.text.clone());
        let (base, newest) = (taken.or_else(|| review.text_at(self.revision))?, review.text_at(self.from)?);
        let Some(replacement) = &self.replacement else { return Some((base, newest)) };
        let text = replacement.applied(review.form.shown(&newest));
        // A text that the plugin returns as it was shown has not changed in the form of the review either.
        let is_base = *review.form.shown(&base) == *text;
        let text = if is_base { base.clone() } else { review.form.restored(&text) };
        Some((base, text))
    }
}

/// A text that is queued, or in flight.
#[derive(Debug)]
struct TextRequest<Id> {
    /// The plugin's request; `None` if the plugin expects no answer.
    id: Option<Id>,
    revision: u64,
    /// The text that the plugin's text was made of, and the plugin's text; absent if a revision is too old.
    texts: Option<(Arc<str>, Arc<str>)>,
    decision: Option<Decision>,
    attempts: usize,
}

impl<Id> TextRequest<Id> {
    /// Returns the text that the request is based on, and the text to merge. Returns a decision's texts only
    /// if the person sees them: no other desk has changed the text, and the person knows of every change of
    /// the file that accepting would undo.
    fn basis(&self, review: &PresentedReview) -> Option<(&Arc<str>, &Arc<str>)> {
        let (base, text) = self.texts.as_ref().filter(|_| self.attempts <= MAX_ATTEMPTS)?;
        let current = &review.review().current;
        let is_seen = (base == current || text == current) && self.is_warned(review);
        (self.decision.is_none() || is_seen).then_some((base, text))
    }

    /// Whether the person knows of every change of the file that accepting would undo.
    fn is_warned(&self, review: &PresentedReview) -> bool {
        self.decision == Some(Decision::Reject) || self.revision >= review.warned_at
    }
}

/// The last text of the plugin that a review has taken.
#[derive(Debug)]
struct TakenText {
    /// The revision of the text that this text was made of.
    revision: u64,
    text: Arc<str>,
}

/// The texts of every review, in the order in which they came.
#[derive(Debug)]
pub(super) struct TextRequests<Id> {
    waiting: BTreeMap<ReviewId, VecDeque<TextRequest<Id>>>,
    taken: BTreeMap<ReviewId, TakenText>,
    /// The reviews whose first text the companion has not answered.
    in_flight: BTreeSet<ReviewId>,
    /// The reviews that the companion asked to flush, until no text of them is left.
    flushing: BTreeSet<ReviewId>,
    effects: Vec<Effect<Id>>,
}

impl<Id> Default for TextRequests<Id> {
    fn default() -> Self {
        let (waiting, taken, in_flight, flushing) = Default::default();
        Self { waiting, taken, in_flight, flushing, effects: Vec::new() }
    }
}

impl<Id> TextRequests<Id> {
    /// Whether a text of a review is in flight to the companion.
    pub(super) fn is_on_its_way(&self, id: ReviewId) -> bool {
        self.in_flight.contains(&id)
    }

    /// Takes the effects of all calls since the last call of this method.
    pub(super) fn take_effects(&mut self) -> Vec<Effect<Id>> {
        std::mem::take(&mut self.effects)
    }

    /// Queues a text of the plugin.
    pub(super) fn push(&mut self, id: Option<Id>, params: &TextParams, review: Option<&PresentedReview>) {
        let &TextParams { id: of, revision, decision, .. } = params;
        let texts = review.and_then(|review| params.texts(review, self.taken.get(&of)));
        let request = TextRequest { id, revision, texts, decision, attempts: 0 };
        self.waiting.entry(of).or_default().push_back(request);
        self.advance(of, review);
    }

    /// Records that the companion asks for every text of a review.
    pub(super) fn flush(&mut self, id: ReviewId) {
        self.flushing.insert(id);
        self.finish_flush(id);
    }

    /// Handles the companion's reply to a text.
    pub(super) fn replied(
        &mut self,
        id: ReviewId,
        reply: Result<Revised, Refusal>,
        review: Option<&PresentedReview>,
    ) {
        self.in_flight.remove(&id);
        match (reply, review) {
            (Ok(_), Some(review)) => self.was_set(id, review),
            (Ok(_), None) => self.answer(id, Err(Refusal::NoSuchReview)),
            // The text is merged again.
            (Err(Refusal::Stale { .. }), _) => {}
            (Err(refusal), _) => self.answer(id, Err(refusal)),
        }
        self.advance(id, review);
    }

    /// Sends the next text of a review, if none is in flight.
    pub(super) fn advance(&mut self, id: ReviewId, review: Option<&PresentedReview>) {
        if review.is_none() {
            self.taken.remove(&id);
        }
        while !self.in_flight.contains(&id) {
            let Some(first) = self.waiting.get_mut(&id).and_then(VecDeque::front_mut) else { break };
            let Some(known) = review else {
                self.answer(id, Err(Refusal::NoSuchReview));
                continue;
            };
            let (revision, current) = (known.review().revision, &known.review().current);
            first.attempts += 1;
            let Some((base, text)) = first.basis(known) else {
                self.answer(id, Err(Refusal::Stale { revision }));
                continue;
            };
            match replacement(current, &merge(base, text, current)) {
                None => self.was_set(id, known),
                Some(change) => {
                    let request = Request::EditReview { id, revision, changes: vec![change] };
                    self.in_flight.insert(id);
                    self.effects.push(Effect::SendText(id, request));
                }
            }
        }
        self.finish_flush(id);
    }

    /// Handles the acceptance of the first text, which may include changes of other desks.
    fn was_set(&mut self, id: ReviewId, review: &PresentedReview) {
        let Some(waiting) = self.waiting.get_mut(&id) else { return };
        let Some((request, later)) = waiting.make_contiguous().split_first_mut() else { return };
        let revision = review.review().revision;
        let text = request.texts.as_ref().map(|(_, text)| text);
        if let Some(text) = text {
            for next in later.iter_mut().filter(|next| next.revision == request.revision) {
                if let Some((base, _)) = &mut next.texts {
                    *base = text.clone();
                }
            }
            self.taken.insert(id, TakenText { revision: request.revision, text: text.clone() });
        }
        let is_exact = text == Some(&review.review().current) && request.is_warned(review);
        match request.decision {
            Some(decision) if is_exact => {
                let request = self.pop(id).and_then(|request| request.id);
                let decide = Request::DecideReview { id, revision, decision };
                self.effects.push(Effect::PassOn(request, decide));
            }
            Some(_) => self.answer(id, Err(Refusal::Stale { revision })),
            None => self.answer(id, Ok(Revised { revision })),
        }
    }

    /// Removes the first text of a review.
    fn pop(&mut self, id: ReviewId) -> Option<TextRequest<Id>> {
        let first = self.waiting.get_mut(&id).and_then(VecDeque::pop_front);
        if self.waiting.get(&id).is_some_and(VecDeque::is_empty) {
            self.waiting.remove(&id);
        }
        first
    }

    /// Answers the first text of a review.
    fn answer(&mut self, id: ReviewId, answer: Result<Revised, Refusal>) {
        if let Some(request) = self.pop(id).and_then(|request| request.id) {
            self.effects.push(Effect::Answer(request, answer));
        }
    }

    fn finish_flush(&mut self, id: ReviewId) {
        let is_empty = !self.waiting.contains_key(&id) && !self.in_flight.contains(&id);
        if is_empty && self.flushing.remove(&id) {
            self.effects.push(Effect::PassOn(None, Request::Flushed { id }));
        }
    }
}
