//! A review as a plugin presents it: with its name, size, counts and notes, with diffs, and in the plugin's
//! form. A plugin that shows the texts side by side gets in place of the diffs what those do not show.

use std::path::PathBuf;
use std::sync::Arc;

use alongside_desk::review_model::{Note, Obstacle, OpenReview, notes};
use alongside_desk::{Changed, PackedTexts, Review, look_alikes, messages};
use serde_json::{Value, json};

use crate::hunk_diff::review_diff;
use crate::hunk_words::HunkWords;
use crate::replacement::Replacement;
use crate::text_form::TextForm;
use crate::text_history::TextHistory;

/// The least size, in bytes, of a proposed text that is packed. Tests pack each one.
const MIN_PACKED_BYTES: usize = if cfg!(test) { 1 } else { 1 << 20 };

/// A review that waits.
#[derive(Debug)]
pub(super) struct PresentedReview {
    open: OpenReview,
    /// The texts of a review that nobody has changed yet: the plugin has them.
    packed: Option<PackedTexts>,
    /// Whether the texts stay whole, because more is done with them, or because they cannot be packed.
    stay_whole: bool,
    pub(super) form: TextForm,
    history: TextHistory,
    /// The revision at which the person last had to be warned of the file's own changes.
    pub(super) warned_at: u64,
    hunk_words: HunkWords,
}

impl PresentedReview {
    pub(super) fn new(review: Review, form: TextForm) -> Self {
        let history = TextHistory::new(review.revision);
        let open = OpenReview::new(review);
        let hunk_words = HunkWords::default();
        Self { form, history, warned_at: 0, hunk_words, open, packed: None, stay_whole: false }
    }

    /// Packs large texts of which only the plugin has made use.
    pub(super) fn pack_texts(&mut self) {
        let is_large = self.review().proposed.len() >= MIN_PACKED_BYTES;
        if is_large && !self.stay_whole && self.packed.is_none() {
            self.packed = self.open.take_texts();
            self.stay_whole = self.packed.is_none();
        }
    }

    /// Makes the texts whole, for good: more is done with them soon.
    pub(super) fn unpack_texts(&mut self) {
        self.stay_whole = true;
        if let Some(texts) = self.packed.take() {
            self.open.restore_texts(texts);
        }
    }

    /// Returns the review, without its texts while these are packed.
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
        let name = messages::file_name(&review.file, roots);
        let sentences = news.messages(&name, self.open.is_foreign(news)).into_iter();
        sentences.map(|message| message.text).collect()
    }

    /// Records the text before the newest revision. Returns the change of the plugin's text.
    pub(super) fn note_text(&mut self, before: &Arc<str>) -> Option<Replacement> {
        let Review { revision, current, .. } = self.open.review();
        self.history.push(*revision, before, current);
        let shown = [before, current].map(|text| self.form.shown(text));
        Replacement::between(&shown[0], &shown[1])
    }

    /// Returns the text at a revision; `None` if that is too long ago, or has not come yet.
    pub(super) fn text_at(&self, revision: u64) -> Option<Arc<str>> {
        let Review { revision: newest, current, .. } = self.review();
        if revision <= *newest { self.history.text_at(revision, current) } else { None }
    }

    /// Returns the labels and sentences that every plugin gets.
    pub(super) fn words(&self, roots: &[PathBuf], sentences: Vec<String>) -> Value {
        let review = self.review();
        let name = messages::file_name(&review.file, roots);
        let (agent, size) = (messages::agent_name(&review.agent), messages::size(review));
        let (added, removed) = messages::line_counts(review);
        json!({
            "messages": sentences,
            "title": format!("{name} ({agent}, {size})"),
            "name": name,
            "agent": agent,
            "size": size,
            "counts": format!("+{added} -{removed}"),
            "states": messages::states(review),
        })
    }

    /// Returns the hunks for a plugin that shows diffs: these, and what they do not show.
    pub(super) fn diffs(&self, roots: &[PathBuf]) -> Value {
        let review = self.review();
        let unseen = look_alikes::hard_to_see_in(review).map(Note::info);
        let unseen_lines = look_alikes::lines_hard_to_see(review).into_iter();
        let unseen_lines = unseen_lines.map(|(line, words)| json!({ "line": line, "words": words }));
        let notes = notes(review, roots).into_iter().chain(unseen).map(note_value);
        // The person knows this revision, as far as it goes: a plugin adds whether they have seen it.
        let obstacle = Obstacle::of(review, Some(review.revision), roots);
        json!({
            "obstacle": obstacle.map(Obstacle::text),
            "notes": notes.collect::<Vec<_>>(),
            "hardToSee": unseen_lines.collect::<Vec<_>>(),
            "diff": review_diff(review),
        })
    }

    /// Returns the hunks for a plugin that shows the texts side by side: the parts of them that these do not
    /// show.
    pub(super) fn hunk_words(&mut self, roots: &[PathBuf]) -> Value {
        let review = self.open.review();
        let notes = notes(review, roots).into_iter().map(note_value);
        let (hunks, unseen) = self.hunk_words.of(review);
        let mut words = json!({
            "notes": notes.collect::<Vec<_>>(),
            "empties": messages::empties(review),
            "hunks": hunks,
        });
        if let Some(unseen) = unseen {
            words["unseen"] = unseen.into();
        }
        words
    }

    /// Brings the texts of a new review into the plugin's form.
    pub(super) fn show_texts(&self, params: &mut Value) {
        let Review { original, proposed, current, .. } = self.review();
        let texts =
            [("original", original.as_ref()), ("proposed", Some(proposed)), ("current", Some(current))];
        for (name, text) in texts {
            if let Some(text) = text {
                params[name] = json!(self.form.shown(text));
            }
        }
    }
}

/// Returns a note as a plugin gets it.
fn note_value(note: Note) -> Value {
    let Note { text, brief, warning } = note;
    match brief {
        Some(brief) => json!({ "text": text, "brief": brief, "warning": warning }),
        None => json!({ "text": text, "warning": warning }),
    }
}
