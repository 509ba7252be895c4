//! The person's own editor at the line desk. The companion takes its text as an edit like any other, or the
//! desk keeps it; it is never lost.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use alongside_desk::{Refusal, Request, ReviewId, messages};
use alongside_terminal::{EditOutcome, Editing, editor_command};

use super::desk::{Activity, Due, LineDesk};

impl LineDesk {
    /// Gives the text of the current review to the person's editor.
    pub(super) fn edit(&mut self) {
        let Some(open) = self.current() else { return };
        match Editing::start(&editor_command(), open) {
            Ok(editing) => {
                if let Some(open) = self.open_mut(editing.id) {
                    open.refused = None;
                }
                self.printer.hold();
                self.activity = Activity::Editor(Box::new(editing));
            }
            Err(error) => self.printer.say(&alongside_common::failure::lines(&error).join("\n")),
        }
    }

    /// Sends the text that was saved in the open editor. From then on it is in the drafts, whatever happens.
    pub(super) async fn upload_saved_text(&mut self) {
        let Activity::Editor(editing) = &self.activity else { return };
        let Some(text) = editing.unsent() else { return };
        let (id, revision, hunk) = (editing.id, editing.revision, editing.hunk);
        // A refused text stays in the file, and is offered again when the editor ends.
        if let Ok(revised) = self.desk.request(Request::replace_text(id, revision, text.clone())).await {
            if let Some(open) = self.open_mut(id) {
                open.mark_own(revised.revision);
                open.push_step(hunk, true);
            }
            if let Activity::Editor(editing) = &mut self.activity {
                let replaced = editing.taken_over(text, revised.revision);
                self.discard(replaced);
            }
        }
    }

    /// The editor has ended.
    pub(super) async fn editor_ended(&mut self, status: io::Result<ExitStatus>) {
        let Some(editing) = self.activity.take_editor() else { return };
        let (id, hunk, replaces) = (editing.id, editing.hunk, editing.reopened());
        let (file, agent) = (editing.file.clone(), editing.agent.clone());
        let revision = self.review(id).map_or(editing.revision, |review| editing.revision_in(review));
        self.printer.release();
        self.input.prompt_changed();
        let drafts = self.drafts.clone().unwrap_or_default();
        match editing.finish(status, self.review(id).is_some(), &drafts, &self.roots) {
            EditOutcome::Taken => self.say_taken(id),
            EditOutcome::Message(message) => self.printer.say(&message.text),
            EditOutcome::Text(text) => {
                match self.desk.request(Request::replace_text(id, revision, text.clone())).await {
                    Ok(revised) => {
                        self.catch_up(id, revised.revision).await;
                        if let Some(open) = self.open_mut(id) {
                            open.push_step(hunk, true);
                        }
                        self.say_taken(id);
                    }
                    Err(refusal) => self.text_refused(id, (&file, &agent), text, &refusal).await,
                }
                self.discard(replaces);
            }
        }
        match self.at {
            Some(_) => self.due = self.due.max(Due::Place),
            None => self.next_review(),
        }
    }

    /// The desk is left: ends the editor, and keeps a text that the companion does not have.
    pub(super) async fn end_editor(&mut self) {
        let Some(mut editing) = self.activity.take_editor() else { return };
        editing.end().await;
        match editing.unsent() {
            Some(text) => self.keep_text((&editing.file, &editing.agent), &text, "the desk was closed"),
            None if editing.sent => self.printer.say(messages::SAVED_TEXT_IN_DRAFTS),
            None => {}
        }
    }

    /// The companion refused a text from the editor. The text is kept; if the review changed, `e` opens the
    /// text again.
    async fn text_refused(&mut self, id: ReviewId, whose: (&str, &str), text: String, refusal: &Refusal) {
        let Refusal::Stale { revision } = *refusal else {
            return self.keep_text(whose, &text, &refusal.to_string());
        };
        self.catch_up(id, revision).await;
        let drafts = self.drafts.clone().unwrap_or_default();
        let roots = self.roots.clone();
        let Some(open) = self.open_mut(id) else {
            return self.keep_text(whose, &text, "the review has ended");
        };
        let (refused, said) = drafts.keep_refused(whose, text, &roots);
        open.refused = Some(refused);
        self.printer.say(&said);
        self.due = Due::Review;
    }

    /// A text that was kept in this file is elsewhere by now.
    fn discard(&self, file: Option<PathBuf>) {
        self.drafts.clone().unwrap_or_default().discard(file);
    }

    fn say_taken(&mut self, id: ReviewId) {
        let hunks = self.review(id).map_or(0, |review| review.hunks.len());
        self.printer.say(&messages::edit_taken(hunks));
    }

    fn keep_text(&mut self, whose: (&str, &str), text: &str, why: &str) {
        let drafts = self.drafts.clone().unwrap_or_default();
        self.printer.say(&drafts.keep(whose, why, text, &self.roots));
    }
}
