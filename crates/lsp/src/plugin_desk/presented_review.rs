//! A review as a plugin presents it: with its name, size, notes and diffs, and the texts of its last
//! revisions, on which the plugin's own text is based.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use alongside_desk::review_model::{OpenReview, notes};
use alongside_desk::{Changed, Review, messages};
use serde_json::{Value, json};

use super::text_form::TextForm;
use crate::hunk_diff::review_diff;

/// The most texts that a plugin may be behind.
const MAX_TEXTS: usize = 64;

/// A review that waits.
#[derive(Debug)]
pub(super) struct PresentedReview {
    pub(super) open: OpenReview,
    pub(super) form: TextForm,
    /// The revision at which the person last had to be warned of the file's own changes.
    pub(super) warned_at: u64,
    /// The newest texts, each with the revision that brought it.
    texts: VecDeque<(u64, Arc<str>)>,
}

impl PresentedReview {
    pub(super) fn new(review: Review) -> Self {
        let texts = [(review.revision, review.current.clone())].into();
        Self { form: TextForm::of(&review), warned_at: 0, open: OpenReview::new(review), texts }
    }

    pub(super) fn review(&self) -> &Review {
        self.open.review()
    }

    /// Takes a new revision. Returns the messages for the person.
    pub(super) fn take(&mut self, changed: Changed, roots: &[PathBuf], is_own: bool) -> Vec<String> {
        if is_own {
            self.open.mark_own(changed.revision);
        }
        let Ok(news) = self.open.take(changed) else {
            tracing::error!(review = self.review().id.0, "a change does not follow on the review");
            return Vec::new();
        };
        let review = self.open.review();
        if news.became_stale || news.became_dirty {
            self.warned_at = news.revision;
        }
        if self.texts.back().is_none_or(|(_, text)| *text != review.current) {
            self.texts.push_back((review.revision, review.current.clone()));
            if self.texts.len() > MAX_TEXTS {
                self.texts.pop_front();
            }
        }
        let name = messages::file_name(&review.file, roots);
        let foreign = self.open.is_foreign(news);
        news.messages(&name, foreign).into_iter().map(|message| message.text).collect()
    }

    /// The text at a revision; `None` if that is too long ago, or has not come yet.
    pub(super) fn text_at(&self, revision: u64) -> Option<&Arc<str>> {
        let known = self.texts.iter().rev().find(|(since, _)| *since <= revision);
        known.filter(|_| revision <= self.review().revision).map(|(_, text)| text)
    }

    /// Everything that the plugin shows of it beside its texts.
    pub(super) fn display(&self, roots: &[PathBuf]) -> Value {
        let review = self.review();
        let name = messages::file_name(&review.file, roots);
        let (agent, size) = (messages::agent_name(&review.agent), messages::size(review));
        let notes = notes(review, roots).into_iter();
        let notes = notes.map(|note| json!({ "text": note.text, "warning": note.warning }));
        json!({
            "title": format!("{name} ({agent}, {size})"),
            "name": name,
            "agent": agent,
            "states": messages::hunk_states(review),
            "notes": notes.collect::<Vec<_>>(),
            "diff": review_diff(review),
        })
    }

    /// The texts of a message in the plugin's form.
    pub(super) fn show_texts(&self, params: &mut Value) {
        let review = self.review();
        params["current"] = json!(self.form.shown(&review.current));
        if params.get("proposed").is_some() {
            params["proposed"] = json!(self.form.shown(&review.proposed));
        }
        if let Some(original) = review.original.as_ref().filter(|_| params.get("original").is_some()) {
            params["original"] = json!(self.form.shown(original));
        }
    }
}
