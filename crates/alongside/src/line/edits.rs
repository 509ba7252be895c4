//! What follows from the person's own editor. What was typed is taken over as an edit like any other, or kept
//! where it can be found; it is never lost.

use std::process::ExitStatus;

use alongside_desk::ReviewId;
use alongside_terminal::editor::{self, Edited, Editing};

use super::told::whole_text;
use super::{Due, LineDesk};
use crate::recovery_store::recovery_store;
use alongside_desk::harmless;
use alongside_terminal::words;

impl LineDesk {
    /// Gives the text that is shown to the person's editor.
    pub(super) fn edit(&mut self) {
        let Some(waiting) = self.current() else { return };
        match Editing::start(&editor::command(), &waiting.review, waiting.place) {
            Ok(editing) => {
                self.paper.hold();
                self.editing = Some(editing);
            }
            Err(error) => self.paper.say(&crate::failure::lines(&error).join("\n")),
        }
    }

    /// Takes over what was saved in an editor that is still open. From then on it is in the drafts, whatever
    /// happens.
    pub(super) async fn take_over_saved(&mut self) {
        let Some(editing) = &self.editing else { return };
        let Some(text) = editing.unsent() else { return };
        let (id, revision, place) = (editing.id, editing.revision, editing.hunk);
        // What is refused stays in the file, and is offered again when the editor ends.
        if let Ok(revised) = self.desk.request(whole_text(id, revision, text.clone())).await {
            self.made(id, revised.revision);
            self.step(id, place, true);
            if let Some(editing) = &mut self.editing {
                editing.taken_over(text, revised.revision);
            }
        }
    }

    /// The editor has ended.
    pub(super) async fn edited(&mut self, status: std::io::Result<ExitStatus>) {
        let Some(editing) = self.editing.take() else {
            return;
        };
        let (id, revision, place, sent) = (editing.id, editing.revision, editing.hunk, editing.sent);
        let file = self.review(id).map(|review| review.file.clone());
        let whose = (editing.file.clone(), editing.agent.clone());
        self.paper.release();
        self.answers.question_changed();
        match (editing.finish(status), file) {
            (Edited::Same, Some(_)) if sent => self.say_taken_over(id),
            (Edited::Same, None) if sent => {
                self.paper.say("What you saved was taken over before the review ended.")
            }
            (Edited::Same, _) => self.paper.say("Nothing was changed in the editor."),
            (Edited::Failed { why, kept: None }, _) => {
                self.paper.say(&format!("Nothing was taken over: {}.", harmless::name(&why)));
            }
            (Edited::Failed { why, kept: Some(path) }, _) => {
                let path = harmless::path(&path);
                self.paper.say(&format!(
                    "Nothing was taken over: {}. Your text is in {path}.",
                    harmless::name(&why)
                ));
            }
            (Edited::Text(text), None) => {
                self.set_aside((&whose.0, &whose.1), &text, "the review has ended meanwhile");
            }
            (Edited::Text(text), Some(file)) => {
                if self.ask(id, whole_text(id, revision, text.clone())).await.is_some() {
                    self.step(id, place, true);
                    self.say_taken_over(id);
                } else {
                    self.set_aside((&file, &whose.1), &text, "your text could not be taken over");
                }
            }
        }
        match self.at {
            Some(_) => self.due = self.due.max(Due::Place),
            None => self.next_review(),
        }
    }

    fn say_taken_over(&mut self, id: ReviewId) {
        let after = self.review(id).map_or(0, |review| review.hunks.len());
        let changes = if after == 1 { "is 1 change" } else { &format!("are {after} changes") };
        self.paper.say(&format!("Your text is taken over; there {changes} now."));
    }

    /// Keeps what the person typed where it can be found. `whose` are the file and the agent.
    pub(super) fn set_aside(&mut self, (file, agent): (&str, &str), text: &str, why: &str) {
        let name = words::file_name(file, &self.roots);
        let kept = recovery_store().keep(file, agent, why, text);
        self.paper.say(&match kept {
            Ok(place) => format!("{name}: {why}; what you typed is in {place}."),
            // The last resort is the screen: it must not be lost.
            Err(_) => format!("{name}: {why}; this is what you typed:\n{}", harmless::text(text)),
        });
    }
}
