//! The desk of a plugin that only presents reviews: adds the sentences, notes and diffs that such a plugin
//! shows, and keeps its texts equal to the companion's. A plugin that shows texts side by side gets exact
//! ones and no diffs.

use std::collections::BTreeMap;
use std::path::PathBuf;

use alongside_desk::review_model::{CompanionState, Message as Sentence};
use alongside_desk::socket::wire;
use alongside_desk::{Changed, Event, Refusal, Request, Review, ReviewId, Revised, messages};
use serde_json::{Value, json};

use crate::effect::Effect;
use crate::presented_review::PresentedReview;
use crate::text_form::TextForm;
use crate::text_requests::{TextParams, TextRequests};

/// The reviews as the plugin has them. `Id` names a request of the plugin.
#[derive(Debug)]
pub struct Presentation<Id> {
    companion: CompanionState,
    reviews: BTreeMap<ReviewId, PresentedReview>,
    texts: TextRequests<Id>,
    /// Requests of the plugin that change a review, until their answers.
    changing: Vec<(Id, ReviewId)>,
    /// The plugin shows texts side by side, byte for byte.
    has_exact_texts: bool,
}

impl<Id> Default for Presentation<Id> {
    fn default() -> Self {
        let (companion, reviews, texts, changing) = Default::default();
        Self { companion, reviews, texts, changing, has_exact_texts: false }
    }
}

impl<Id: Clone + PartialEq> Presentation<Id> {
    /// Returns the presentation for a plugin that shows texts side by side.
    pub fn of_exact_texts() -> Self {
        Self { has_exact_texts: true, ..Self::default() }
    }

    /// Handles a text of the plugin. Without `id`, the plugin expects no answer.
    #[must_use]
    pub fn on_plugin_text(&mut self, id: Option<Id>, params: &TextParams) -> Vec<Effect<Id>> {
        self.texts.push(id, params, whole(&mut self.reviews, params.id));
        self.texts.take_effects()
    }

    /// Handles the companion's reply to a text.
    #[must_use]
    pub fn on_text_reply(&mut self, id: ReviewId, reply: Result<Revised, Refusal>) -> Vec<Effect<Id>> {
        self.texts.replied(id, reply, whole(&mut self.reviews, id));
        self.texts.take_effects()
    }

    /// Handles the plugin's report that it has sent every text of a review.
    #[must_use]
    pub fn on_flushed(&mut self, id: ReviewId) -> Vec<Effect<Id>> {
        self.texts.flush(id);
        self.texts.take_effects()
    }

    /// Records a request of the plugin that the relay passes on.
    pub fn on_plugin_request(&mut self, id: &Id, request: &Request) {
        if let Some(review) = changed_review(request) {
            self.changing.push((id.clone(), review));
        }
    }

    /// Records the companion's reply to a request that the relay passed on.
    pub fn on_request_reply(&mut self, id: &Id) {
        self.changing.retain(|(request, _)| request != id);
    }

    /// Returns an event of the companion with the labels and sentences for the plugin.
    #[must_use]
    pub fn present(&mut self, event: Event) -> Vec<Effect<Id>> {
        let mut message = as_json(&event);
        let params = &mut message["params"];
        match event {
            Event::Opened(review) => self.opened(review, params),
            Event::Changed(changed) => {
                if !self.changed(changed, params) {
                    return Vec::new();
                }
            }
            Event::Closed(closed) => {
                let review = self.reviews.remove(&closed.id);
                self.texts.advance(closed.id, None);
                let sentence = review
                    .map(|review| self.companion.review_closed(review.review(), &closed, self.roots()).text);
                params["display"] = json!({ "messages": Vec::from_iter(sentence) });
            }
            Event::Status(status) => {
                let sentences =
                    self.companion.take_status(status).into_iter().map(|Sentence { text, .. }| text);
                let sentences: Vec<_> = sentences.collect();
                let line = status_line(&self.companion);
                let leaving = self
                    .companion
                    .stays_open(self.reviews.values().map(|review| &review.review().agent).collect());
                let status = self.companion.status();
                let places = status.grants.iter().map(|grant| messages::granted_place(grant, &status.roots));
                let granted: Vec<_> = places.collect();
                params["display"] =
                    json!({ "messages": sentences, "line": line, "leaving": leaving, "granted": granted });
            }
            Event::Problem(problem) => {
                params["display"] = json!({ "messages": [self.companion.take_problem(&problem).text] });
            }
            Event::Notice { message } => params["display"] = json!({ "messages": [message] }),
            // The person opens these lists themselves, and the plugins show no turns, so nothing interrupts
            // the person.
            Event::AcceptedByRule(_) | Event::Turn(_) | Event::TurnFile(_) | Event::TurnFinished(_) => {}
            Event::LastWord(last_word) => {
                // The line may say that another proposal waits, which is more than that all is well.
                let is_shown = !last_word.word.is_as_decided() || self.reviews.is_empty();
                let sentence = is_shown.then_some(last_word.message);
                params["display"] = json!({ "messages": Vec::from_iter(sentence) });
            }
            Event::FlushReview { .. } | Event::DiagnosticsWanted { .. } => {}
        }
        let mut effects = self.texts.take_effects();
        effects.push(Effect::Tell(message));
        effects
    }

    fn opened(&mut self, review: Review, params: &mut Value) {
        self.companion.note_review(&review);
        // Editors may show equal messages once.
        let is_alike = |other: &PresentedReview| {
            let other = other.review();
            other.file != review.file && messages::short_name(other) == messages::short_name(&review)
        };
        let sentence = match self.reviews.values().any(is_alike) {
            true => messages::proposes_for(&review, &messages::file_name(&review.file, self.roots())),
            false => messages::proposes(&review),
        };
        let form = if self.has_exact_texts { TextForm::default() } else { TextForm::of(&review) };
        let mut review = PresentedReview::new(review, form);
        review.show_texts(params);
        params["display"] = self.display(&mut review, vec![sentence]);
        self.reviews.insert(review.review().id, review);
    }

    /// Replaces the change of the companion's text with that of the plugin's text. False for a review that
    /// the plugin does not have.
    fn changed(&mut self, changed: Changed, params: &mut Value) -> bool {
        let id = changed.id;
        let is_changed_here = self.changing.iter().any(|(_, changing)| *changing == id);
        let is_own = is_changed_here || self.texts.is_on_its_way(id);
        let Some(mut review) = self.reviews.remove(&id) else { return false };
        review.unpack_texts();
        let before = review.review().current.clone();
        let sentences = review.take(changed, self.roots(), is_own);
        if let Some(params) = params.as_object_mut() {
            params.remove("changes");
            let replacement = review.note_text(&before);
            params.extend(replacement.map(|replacement| ("replacement".to_owned(), json!(replacement))));
        }
        params["display"] = self.display(&mut review, sentences);
        self.reviews.insert(id, review);
        true
    }

    /// Packs the texts of large reviews that the plugin has, and that nobody has changed. Call this once the
    /// effects are carried out, so that the plugin does not wait for it.
    pub fn pack_texts(&mut self) {
        for review in self.reviews.values_mut() {
            review.pack_texts();
        }
    }

    /// Returns all that the plugin shows of a review beside its texts.
    fn display(&self, review: &mut PresentedReview, sentences: Vec<String>) -> Value {
        let mut display = review.words(self.roots(), sentences);
        let parts = match self.has_exact_texts {
            true => review.hunk_words(self.roots()),
            false => review.diffs(self.roots()),
        };
        if let (Some(display), Value::Object(parts)) = (display.as_object_mut(), parts) {
            display.extend(parts);
        }
        display
    }

    fn roots(&self) -> &[PathBuf] {
        &self.companion.status().roots
    }
}

/// Returns a review with its texts.
fn whole(reviews: &mut BTreeMap<ReviewId, PresentedReview>, id: ReviewId) -> Option<&PresentedReview> {
    let review = reviews.get_mut(&id)?;
    review.unpack_texts();
    Some(review)
}

/// Returns an event as JSON, that of a new review without the texts: the plugin gets these in its own form.
fn as_json(event: &Event) -> Value {
    let opened = match event {
        Event::Opened(review) => Some(Event::Opened(review.without_texts())),
        _ => None,
    };
    // An event is written without an error.
    serde_json::from_str(&wire::event(opened.as_ref().unwrap_or(event))).unwrap_or_default()
}

/// Returns the review that a request changes, if it does.
fn changed_review(request: &Request) -> Option<ReviewId> {
    match request {
        Request::EditReview { id, .. }
        | Request::KeepHunks { id, .. }
        | Request::SplitHunk { id, .. }
        | Request::UndoReview { id, .. }
        | Request::RedoReview { id, .. } => Some(*id),
        _ => None,
    }
}

/// Returns the companion in a few words, for a mode line: its reviews, else its agents. An agent that comes
/// by its hook has no connection, and is there all the same.
fn status_line(companion: &CompanionState) -> String {
    let status = companion.status();
    if status.reviews > 0 {
        return counted(status.reviews, "review");
    }
    let listening = status.agents.iter().filter(|agent| agent.listening).count();
    let connected = (listening > 0).then(|| counted(listening, "agent"));
    let by_hook = match companion.hook_agents().collect::<Vec<_>>().as_slice() {
        [] => None,
        [hook] => Some(format!("{} by its hook", hook.name)),
        hooks => Some(format!("{} by their hooks", counted(hooks.len(), "agent"))),
    };
    let parts: Vec<_> = connected.into_iter().chain(by_hook).collect();
    if parts.is_empty() { "no agent".into() } else { parts.join(", ") }
}

/// `1 agent`, `2 agents`.
fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use alongside_desk::Hunk;

    use super::*;

    #[test]
    fn a_new_review_is_written_without_its_texts_first() {
        let text = "a line of a large text\n".repeat(1_000);
        let (original, proposed, current) = (Some(text.as_str().into()), text.as_str().into(), text.into());
        let review = Review { original, proposed, current, revision: 7, ..Review::default() };
        let written = as_json(&Event::Opened(review)).to_string();
        assert!(written.contains("\"revision\":7") && written.len() < 1_000, "{written}");
    }

    #[test]
    fn an_untouched_review_holds_its_proposal_packed() {
        let (original, proposed): (Arc<str>, Arc<str>) = ("one\ntwo\n".into(), "ONE\ntwo\n".into());
        let line = (0..1).into();
        let hunks = vec![Hunk { original: line, proposed: line, current: line, ..Hunk::default() }];
        let held = Arc::downgrade(&proposed);
        let (original, current) = (Some(original), proposed.clone());
        let review = Review { original, proposed, current, hunks, ..Review::default() };
        let (id, mut presentation) = (review.id, Presentation::<u64>::of_exact_texts());
        let _effects = presentation.present(Event::Opened(review));
        presentation.pack_texts();
        assert_eq!(held.strong_count(), 0, "the text is there once, in the original");
        let proposed = whole(&mut presentation.reviews, id).map(|review| review.review().proposed.clone());
        assert_eq!(proposed.as_deref(), Some("ONE\ntwo\n"));
        presentation.pack_texts();
        assert_eq!(&*presentation.reviews[&id].review().proposed, "ONE\ntwo\n", "it is used soon again");
    }
}
