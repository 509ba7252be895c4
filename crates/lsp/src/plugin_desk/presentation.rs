//! The desk of a plugin that only presents reviews: the server adds the sentences, notes and diffs that such
//! a plugin shows, and keeps its texts equal to the companion's.

use std::collections::BTreeMap;
use std::path::PathBuf;

use alongside_desk::review_model::{CompanionState, Message as Sentence};
use alongside_desk::{Event, Refusal, Request, ReviewId, Revised, Status, messages};
use lsp_server::{Message, RequestId};
use serde_json::{Value, json};

use super::presented_review::PresentedReview;
use super::text_requests::{TextParams, TextRequests};
use crate::io::Io;

/// The reviews as the plugin has them.
#[derive(Debug, Default)]
pub(super) struct Presentation {
    companion: CompanionState,
    reviews: BTreeMap<ReviewId, PresentedReview>,
    texts: TextRequests,
    /// Requests of the plugin that change a review, until their answers.
    changing: Vec<(RequestId, ReviewId)>,
}

impl Presentation {
    /// The plugin sends a text.
    pub(super) fn text_sent(&mut self, io: &mut Io, id: Option<RequestId>, params: TextParams) {
        let review = self.reviews.get(&params.id);
        self.texts.push(io, id, params, review);
    }

    /// The plugin changes a review.
    pub(super) fn change_sent(&mut self, id: &RequestId, request: &Request) {
        if let Some(review) = changed_review(request) {
            self.changing.push((id.clone(), review));
        }
    }

    /// The companion has replied to a request of the plugin.
    pub(super) fn change_replied(&mut self, id: &RequestId) {
        self.changing.retain(|(request, _)| request != id);
    }

    /// The companion has replied to a text.
    pub(super) fn replied(&mut self, io: &mut Io, id: ReviewId, reply: Result<Revised, Refusal>) {
        self.texts.replied(io, id, reply, self.reviews.get(&id));
    }

    /// The plugin has sent every text of a review.
    pub(super) fn flushed(&mut self, io: &mut Io, id: ReviewId) {
        self.texts.flush(io, id);
    }

    /// Sends an event to the plugin, with its words.
    pub(super) fn present(&mut self, io: &mut Io, event: Event, message: Message) {
        let Message::Notification(mut notification) = message else { return io.send(message) };
        let params = &mut notification.params;
        let display = match event {
            Event::Opened(review) => {
                let id = review.id;
                // Editors may show equal messages once.
                let is_alike = |other: &PresentedReview| {
                    let other = other.review();
                    other.file != review.file && messages::short_name(other) == messages::short_name(&review)
                };
                let said = match self.reviews.values().any(is_alike) {
                    true => messages::proposes_for(&review, &messages::file_name(&review.file, self.roots())),
                    false => messages::proposes(&review),
                };
                let said = vec![said];
                let review = PresentedReview::new(review);
                review.show_texts(params);
                let display = with_messages(review.display(self.roots()), said);
                self.reviews.insert(id, review);
                display
            }
            Event::Changed(changed) => {
                let (id, roots) = (changed.id, self.roots().to_vec());
                let Some(review) = self.reviews.get_mut(&id) else { return };
                let is_changed_here = self.changing.iter().any(|(_, changing)| *changing == id);
                let is_own = is_changed_here || self.texts.is_on_its_way(id);
                let said = review.take(changed, &roots, is_own);
                review.show_texts(params);
                with_messages(review.display(&roots), said)
            }
            Event::Closed(closed) => {
                let review = self.reviews.remove(&closed.id);
                self.texts.advance(io, closed.id, None);
                let said = review
                    .map(|review| self.companion.review_closed(review.review(), &closed, self.roots()).text);
                with_messages(json!({}), said.into_iter().collect())
            }
            Event::Status(status) => {
                let line = status_line(&status);
                let said = self.companion.take_status(status).into_iter().map(|Sentence { text, .. }| text);
                let said = said.collect();
                let stays = self.companion.stays_open(self.reviews.len());
                with_messages(json!({ "line": line, "leaving": stays }), said)
            }
            Event::Problem(problem) => {
                with_messages(json!({}), vec![self.companion.take_problem(&problem).text])
            }
            Event::Notice { message } => with_messages(json!({}), vec![message]),
            Event::FlushReview { .. } | Event::DiagnosticsWanted { .. } => Value::Null,
        };
        params["display"] = display;
        io.send(notification);
    }

    fn roots(&self) -> &[PathBuf] {
        &self.companion.status().roots
    }
}

/// The review that a request changes, if it does.
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

fn with_messages(mut display: Value, messages: Vec<String>) -> Value {
    display["messages"] = json!(messages);
    display
}

/// The companion in a few words, for a mode line: its reviews, else its agents.
fn status_line(status: &Status) -> String {
    let listening = status.agents.iter().filter(|agent| agent.listening).count();
    match (status.reviews, listening) {
        (1, _) => "1 review".into(),
        (0, 0) => "no agent".into(),
        (0, 1) => "1 agent".into(),
        (0, agents) => format!("{agents} agents"),
        (reviews, _) => format!("{reviews} reviews"),
    }
}
