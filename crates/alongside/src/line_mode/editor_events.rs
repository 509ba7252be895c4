//! The person's own editor at the line desk. The companion takes its text as an edit like any other, or the
//! desk keeps it; it is never lost.

use std::io;
use std::process::ExitStatus;

use alongside_desk::{Request, ReviewId, messages};
use alongside_terminal::{EditOutcome, Editing, editor_command};

use super::desk::{Activity, Due, LineDesk};

impl LineDesk {
    /// Gives the text of the current review to the person's editor.
    pub(super) fn edit(&mut self) {
        let Some(open) = self.current() else { return };
        match Editing::start(&editor_command(), open.review(), open.hunk()) {
            Ok(editing) => {
                self.printer.hold();
                self.activity = Activity::Editor(Box::new(editing));
            }
            Err(error) => self.printer.say(&crate::failure::lines(&error).join("\n")),
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
                editing.taken_over(text, revised.revision);
            }
        }
    }

    /// The editor has ended.
    pub(super) async fn editor_ended(&mut self, status: io::Result<ExitStatus>) {
        let Some(editing) = self.activity.take_editor() else { return };
        let (id, revision, hunk) = (editing.id, editing.revision, editing.hunk);
        let (file, agent) = (editing.file.clone(), editing.agent.clone());
        self.printer.release();
        self.input.prompt_changed();
        let drafts = self.drafts.clone().unwrap_or_default();
        match editing.finish(status, self.review(id).is_some(), &drafts, &self.roots) {
            EditOutcome::Taken => self.say_taken(id),
            EditOutcome::Message(message) => self.printer.say(&message.text),
            EditOutcome::Text(text) => {
                if self.ask(id, Request::replace_text(id, revision, text.clone())).await.is_some() {
                    if let Some(open) = self.open_mut(id) {
                        open.push_step(hunk, true);
                    }
                    self.say_taken(id);
                } else {
                    self.keep_text((&file, &agent), &text, "the companion refused your text");
                }
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

    fn say_taken(&mut self, id: ReviewId) {
        let hunks = self.review(id).map_or(0, |review| review.hunks.len());
        self.printer.say(&messages::edit_taken(hunks));
    }

    fn keep_text(&mut self, whose: (&str, &str), text: &str, why: &str) {
        let drafts = self.drafts.clone().unwrap_or_default();
        self.printer.say(&drafts.keep(whose, why, text, &self.roots));
    }
}
