//! The waiting reviews of an editor: the one that a command concerns, and what a document shows of all of
//! them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use alongside_desk::{Review, ReviewId};
use serde_json::Value;
use tokio::time::Instant;

use super::waiting_review::WaitingReview;
use crate::io::Io;
use crate::without_plugin::commands::code_actions::{self, Named};
use crate::without_plugin::display::diagnostics::{on_target, target_line};
use crate::without_plugin::display::hover;
use crate::without_plugin::editor::Editor;
use crate::without_plugin::lsp_types as lsp;
use crate::without_plugin::messages;
use crate::without_plugin::messages::one_line_messages;
use crate::without_plugin::open_documents::document::DocumentKey;
use crate::without_plugin::proposal_document::document_phase::Due;

#[derive(Debug, Default)]
pub(crate) struct WaitingReviews {
    pub(crate) all: BTreeMap<ReviewId, WaitingReview>,
}

impl WaitingReviews {
    pub(crate) fn get_mut(&mut self, id: ReviewId) -> Option<&mut WaitingReview> {
        self.all.get_mut(&id)
    }

    /// Returns all waiting reviews, in the order in which they came.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &WaitingReview> {
        self.all.values()
    }

    /// Returns the review whose document is at this path.
    pub(crate) fn at_mut(&mut self, path: &Path) -> Option<&mut WaitingReview> {
        self.all.values_mut().find(|review| review.document.is_at(Some(path)))
    }

    /// Reports the number of waiting reviews to the editor's own program.
    pub(crate) fn tell_count(&self, io: &Io) {
        if let Some(remote) = io.remote() {
            remote.count(self.all.len());
        }
    }

    /// Returns the next time at which [`Self::take_due`] has a result.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.iter().filter_map(|review| review.document.phase.deadline()).min()
    }

    /// Removes and returns the events whose time has come.
    pub(crate) fn take_due(&mut self, now: Instant) -> Vec<(ReviewId, Due)> {
        let mut all = Vec::new();
        for (id, review) in &mut self.all {
            while let Some(due) = review.document.phase.take_due(now) {
                all.push((*id, due));
            }
        }
        all
    }

    /// Returns the review that a command is about: the named one, that of the document `here`, or the only
    /// one. Otherwise the person hears why it is about none.
    pub(crate) fn find(
        &self,
        io: &Io,
        editor: &Editor,
        named: Option<ReviewId>,
        here: Option<&DocumentKey>,
        command: &str,
    ) -> Option<ReviewId> {
        if named.is_some_and(|id| !self.all.contains_key(&id)) {
            editor.warn(io, messages::ENDED);
            return None;
        }
        if named.is_some() {
            return named;
        }
        let is_about = |review: &&WaitingReview| {
            here.is_some_and(|here| {
                review.document.copy.has(here) || *here == editor.documents.key_of(&review.review().file)
            })
        };
        let about: Vec<_> = self.iter().filter(is_about).collect();
        let all: Vec<_> = self.iter().collect();
        match (about.as_slice(), all.as_slice()) {
            ([one], _) | (_, [one]) => return Some(one.review().id),
            (_, []) => editor.inform(io, messages::NO_REVIEW),
            _ => {
                let reviews = self.iter().map(WaitingReview::review);
                let message = match editor.kind().actions_key {
                    Some(key) => one_line_messages::several(key),
                    None => messages::several(command, reviews, editor.roots()),
                };
                editor.inform(io, &message);
            }
        }
        None
    }

    /// Returns the parts of a review that the titles of its decisions name.
    fn named(&self, review: &Review) -> Named {
        let others = || self.iter().map(WaitingReview::review).filter(|other| other.id != review.id);
        let agent = messages::agent_name(review);
        let of_file = || others().filter(|other| other.file == review.file);
        match of_file().next() {
            Some(_) if of_file().any(|other| messages::agent_name(other) == agent) => {
                Named::FileAndAgentNumber
            }
            Some(_) => Named::FileAndAgent,
            None if others().next().is_some() => Named::File,
            None => Named::Nothing,
        }
    }

    /// Returns the code actions for a document and its selected lines. Those about the document come first,
    /// because editors run the first action by default.
    pub(crate) fn code_actions(
        &self,
        editor: &Editor,
        key: Option<&DocumentKey>,
        lines: (usize, usize),
    ) -> Vec<lsp::Command> {
        let roots = editor.roots();
        let (mut actions, mut about, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for waiting in self.iter() {
            let (review, named) = (waiting.review(), self.named(waiting.review()));
            let fitted = |command: lsp::Command| lsp::Command {
                title: editor.fitted_title(review, command.title),
                ..command
            };
            if waiting.document.is_at(key.map(DocumentKey::as_path)) {
                let here =
                    code_actions::in_proposal(review, roots, lines, named, editor.can_show_documents());
                actions.extend(here.into_iter().map(fitted));
                continue;
            }
            let is_about = key == Some(&editor.documents.key_of(&review.file));
            let here = if is_about { &mut about } else { &mut others };
            here.push(fitted(code_actions::show(review, roots, named)));
            if is_about || waiting.document.phase.is_shown_without_server() {
                here.extend(code_actions::decide(review, roots, named.max(Named::File)).map(fitted));
            }
        }
        actions.extend(about);
        actions.extend(others);
        actions
    }

    /// Returns the lenses of a document.
    pub(crate) fn lenses(&self, editor: &Editor, key: Option<&DocumentKey>) -> Vec<lsp::CodeLens> {
        let shown = self.iter().find(|review| review.document.is_at(key.map(DocumentKey::as_path)));
        let shown = shown.map(WaitingReview::review);
        let lenses = shown.map(|review| code_actions::lenses(review, editor.roots(), self.named(review)));
        let plain = |lens: lsp::CodeLens| {
            let command = editor.with_plain_title(lens.command);
            lsp::CodeLens { command, ..lens }
        };
        lenses.unwrap_or_default().into_iter().map(plain).collect()
    }

    /// Returns the original whose URI a request names.
    pub(crate) fn original(&self, params: &Value) -> Option<Arc<str>> {
        let uri = params.get("uri")?.as_str()?;
        let id = uri.strip_prefix("alongside:/original/")?.split('/').next()?.parse().ok()?;
        Some(self.all.get(&ReviewId(id))?.review().original.clone().unwrap_or_default())
    }

    /// Returns the hover at a line of a proposal, or at the line of a target that announces one.
    pub(crate) fn hover(&self, editor: &Editor, key: &Path, line: usize) -> Option<Value> {
        if let Some(shown) = self.iter().find(|review| review.document.is_at(Some(key))) {
            return hover::at(shown.review(), line, editor.client());
        }
        let is_announced =
            |review: &&Review| target_line(review) == line && editor.documents.key_of(&review.file) == key;
        let announced = self.iter().map(WaitingReview::review).find(is_announced);
        announced.map(|review| hover::on_target(review, editor.client()))
    }

    /// Marks a file with all reviews about it.
    pub(crate) fn mark_target(&self, io: &Io, editor: &Editor, key: &Path) {
        let about = self
            .iter()
            .map(WaitingReview::review)
            .filter(|review| editor.documents.key_of(&review.file) == key);
        // The person may be in a document for which this server offers nothing.
        let lacks_actions = editor.kind().language_command.is_some() && editor.documents.get(key).is_none();
        let marks: Vec<_> = about.map(|review| on_target(review, editor, lacks_actions)).collect();
        // An agent may have removed the file to write it again; its old marks must still go.
        if marks.is_empty() || key.is_file() {
            editor.documents.publish(io, key, &marks);
        }
    }

    /// Marks the file of a review that has ended with all other reviews about it.
    pub(crate) fn unmark_target(&self, io: &Io, editor: &Editor, target: &DocumentKey, file: &str) {
        self.mark_target(io, editor, target);
        // If the editor opened the file after the review, the mark is at its other name.
        let named: DocumentKey = Path::new(file).components().collect();
        if named != *target {
            self.mark_target(io, editor, &named);
        }
    }
}
