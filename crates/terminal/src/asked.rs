//! What follows from the companion's answers. The screen shows what the companion says, never what is hoped
//! for: a key that would touch a review waits until the change before it has been told.

use std::process::ExitStatus;

use alongside_desk::{Change, Decision, Refusal, Request, ReviewId, Revised, harmless};
use tokio::time::Instant;

use crate::app::{App, Purpose, Question, What};
use crate::editor::Edited;
use crate::texts;

/// A change that was asked for.
pub(crate) struct Asked {
    pub(crate) id: ReviewId,
    what: What,
    /// The revision it made, once it is known; it is told apart from the answer.
    made: Option<u64>,
    /// Changes that came before the answer: whose they are is not known yet.
    pub(crate) unjudged: Vec<News>,
    /// A text from the editor, which must not be lost if it is refused: the file it is for, and the text.
    text: Option<(String, String)>,
}

impl Asked {
    pub(crate) fn is_unanswered(&self) -> bool {
        self.made.is_none()
    }
}

/// What a change brought that the person may not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct News {
    pub(crate) id: ReviewId,
    pub(crate) revision: u64,
    /// The text or the hunks are others.
    pub(crate) content: bool,
    /// The file on disk has changed.
    pub(crate) stale: bool,
    /// An editor holds unsaved changes to it.
    pub(crate) dirty: bool,
}

/// The edit that replaces the whole text.
pub(crate) fn whole_text(id: ReviewId, revision: u64, text: String) -> Request {
    Request::EditReview { id, revision, changes: vec![Change { range: None, text }] }
}

impl App {
    /// Asks for a change; keys that touch the review wait for it.
    pub(crate) fn change(&mut self, id: ReviewId, what: What, request: Request) {
        self.asked = Some(Asked { id, what, made: None, unjudged: Vec::new(), text: None });
        self.ask(request, Purpose::Change(id, what));
    }

    /// Decides on the revision that was on the screen.
    pub(crate) fn decide(&mut self, decision: Decision) {
        let Some(reading) = self.reading() else { return };
        let (id, revision) = (reading.review.id, reading.meant());
        self.deciding = Some(id);
        self.ask(Request::DecideReview { id, revision, decision }, Purpose::Decide(id));
    }

    /// Takes an answer.
    pub(crate) fn answered(&mut self, purpose: Purpose, answer: Result<Revised, Refusal>) {
        self.due = true;
        match (purpose, answer) {
            (Purpose::Change(id, _), Ok(Revised { revision })) => {
                self.made(id, revision);
                let unjudged = match &mut self.asked {
                    Some(asked) if asked.id == id => {
                        asked.made = Some(revision);
                        asked.text = None;
                        std::mem::take(&mut asked.unjudged)
                    }
                    _ => Vec::new(),
                };
                unjudged.into_iter().for_each(|news| self.news(news));
                self.settle();
            }
            (Purpose::Change(..), Err(refusal)) => {
                self.held.clear();
                if let Some(asked) = self.asked.take() {
                    asked.unjudged.into_iter().for_each(|news| self.news(news));
                    if let Some((file, text)) = asked.text {
                        let agent = self.review(asked.id).map(|reading| reading.review.agent.name.clone());
                        let agent = agent.unwrap_or_default();
                        self.set_aside((&file, &agent), &text, "your text could not be taken over");
                    }
                }
                self.refused(&refusal);
            }
            (Purpose::Decide(_), Ok(_)) | (Purpose::Nothing, _) => {}
            // How it ended is said already.
            (Purpose::Decide(id), Err(Refusal::NoSuchReview))
                if self.reviews.iter().all(|reading| reading.review.id != id) => {}
            (Purpose::Decide(id), Err(refusal)) => {
                self.deciding.take_if(|deciding| *deciding == id);
                self.refused(&refusal);
            }
            (Purpose::Saved(id), answer) => self.saved(id, answer.ok()),
            (Purpose::Pause(paused), Ok(_)) => {
                self.status.paused = paused;
                self.say(if paused {
                    "Agents are told nothing about your files from now on (p resumes)."
                } else {
                    "Agents are told about your files again."
                });
            }
            (Purpose::Pause(_), Err(refusal)) => self.refused(&refusal),
        }
    }

    fn refused(&mut self, refusal: &Refusal) {
        self.warn(texts::refusal(refusal));
        if *refusal == Refusal::Empty {
            self.open_question(Question::SingleNewline);
        }
    }

    /// A revision that is no news to the person at this desk.
    pub(crate) fn made(&mut self, id: ReviewId, revision: u64) {
        if let Some(reading) = self.review_mut(id) {
            reading.mine = reading.mine.max(revision);
        }
    }

    /// Once the change that was asked for has been told, what follows from it follows, and the keys that
    /// waited count.
    pub(crate) fn settle(&mut self) {
        let told = |asked: &mut Asked, app: &Self| {
            asked.made.is_some_and(|made| {
                app.review(asked.id).is_none_or(|reading| reading.review.revision >= made)
            })
        };
        let Some(mut asked) = self.asked.take() else { return };
        if !told(&mut asked, self) {
            self.asked = Some(asked);
            return;
        }
        self.follows(asked.id, asked.what);
        while self.asked.is_none()
            && let Some((key, at)) = self.held.pop_front()
        {
            self.key(key, at);
        }
    }

    fn follows(&mut self, id: ReviewId, what: What) {
        let Some(reading) = self.review_mut(id) else {
            if what == What::Edited {
                self.say("Your text was taken over before the review ended.");
            }
            return;
        };
        let hunks = reading.review.hunks.len();
        match what {
            What::Hunk => {}
            What::Undo(place) => {
                if let Some(place) = place {
                    reading.go_to_hunk(place);
                }
                self.say("The last edit is taken back.");
            }
            What::Split(before) => {
                self.say(format!("Split into {} changes.", (hunks + 1).saturating_sub(before)));
            }
            What::SingleNewline => {
                if self.at == Some(id) {
                    self.decide(Decision::Accept);
                }
            }
            What::Edited => {
                let changes = if hunks == 1 { "is 1 change" } else { &format!("are {hunks} changes") };
                self.say(format!("Your text is taken over; there {changes} now."));
            }
        }
    }

    /// Sends what was saved in an editor that is still open. From then on it is in the drafts, whatever
    /// happens.
    pub(crate) fn take_over_saved(&mut self) {
        let Some(editing) = &self.editing else { return };
        if self.sending.is_some() {
            return;
        }
        if let Some(text) = editing.unsent() {
            let (id, revision) = (editing.id, editing.revision);
            self.sending = Some(text.clone());
            self.ask(whole_text(id, revision, text), Purpose::Saved(id));
        }
    }

    /// The companion has what was saved; or it refused it, and it stays in the file, to be offered again when
    /// the editor ends.
    fn saved(&mut self, id: ReviewId, revised: Option<Revised>) {
        let text = self.sending.take();
        if let Some(Revised { revision }) = revised {
            self.made(id, revision);
            if let (Some(editing), Some(text)) = (&mut self.editing, text) {
                editing.taken_over(text, revision);
            }
        }
        if let Some(status) = self.ended.take() {
            self.editor_ended(status);
        } else if let Some(id) = self.flushing.take() {
            self.flush(id);
        }
    }

    /// The agent is about to take the text: what was saved in an open editor is sent before it does.
    pub(crate) fn flush(&mut self, id: ReviewId) {
        if self.editing.as_ref().is_some_and(|editing| editing.id == id) {
            if self.sending.is_some() {
                // The answer is on its way, and more may have been saved since.
                self.flushing = Some(id);
                return;
            }
            self.take_over_saved();
        }
        self.ask(Request::Flushed { id }, Purpose::Nothing);
    }

    /// The editor has ended and the terminal is ours again.
    pub(crate) fn editor_ended(&mut self, status: std::io::Result<ExitStatus>) {
        if self.sending.is_some() {
            self.ended = Some(status);
            return;
        }
        let Some(editing) = self.editing.take() else { return };
        // What was typed into the editor was not meant for us.
        self.unasked();
        let (id, revision, hunk, sent) = (editing.id, editing.revision, editing.hunk, editing.sent);
        let file = self.review(id).map(|reading| reading.review.file.clone());
        let whose = (editing.file.clone(), editing.agent.clone());
        match (editing.finish(status), file) {
            (Edited::Same, Some(_)) if sent => self.follows(id, What::Edited),
            (Edited::Same, None) if sent => {
                self.say("What you saved was taken over before the review ended.")
            }
            (Edited::Same, _) => self.say("Nothing was changed in the editor."),
            (Edited::Failed { why, kept: None }, _) => {
                self.warn(format!("Nothing was taken over: {}.", harmless::name(&why)));
            }
            (Edited::Failed { why, kept: Some(path) }, _) => {
                let (why, path) = (harmless::name(&why).into_owned(), harmless::path(&path));
                self.warn(format!("Nothing was taken over: {why}. Your text is in {path}."));
            }
            (Edited::Text(text), None) => {
                self.set_aside((&whose.0, &whose.1), &text, "the review has ended meanwhile");
            }
            (Edited::Text(text), Some(file)) => {
                self.change(id, What::Edited, whole_text(id, revision, text.clone()));
                if let Some(asked) = &mut self.asked {
                    asked.text = Some((file, text));
                }
                if let Some(reading) = self.review_mut(id) {
                    reading.steps.push(hunk);
                }
            }
        }
        if let Some(id) = self.flushing.take() {
            self.flush(id);
        }
    }

    /// Keeps what the person typed where it can be found. `whose` are the file and the agent.
    fn set_aside(&mut self, whose: (&str, &str), text: &str, why: &str) {
        let said = self.kept(whose, text, why);
        self.warn(said);
    }

    fn kept(&self, (file, agent): (&str, &str), text: &str, why: &str) -> String {
        let name = texts::file_name(file, self.roots());
        match self.options.keeping.keep(file, agent, why, text) {
            Ok(place) => format!("{name}: {why}; what you typed is in {place}."),
            // The last resort is the screen: it must not be lost.
            Err(_) => format!("{name}: {why}; this is what you typed: {}", harmless::name(text)),
        }
    }

    /// The desk is left: what was typed and not taken over is kept, and said where.
    pub(crate) async fn last_words(&mut self) -> Option<String> {
        if let Some(mut editing) = self.editing.take() {
            editing.end().await;
            if let Some(text) = editing.unsent() {
                return Some(self.kept((&editing.file, &editing.agent), &text, "the desk was left"));
            }
            return editing
                .sent
                .then(|| "What was saved in your editor is in `alongside drafts`.".to_owned());
        }
        let asked = self.asked.take()?;
        let agent =
            self.review(asked.id).map(|reading| reading.review.agent.name.clone()).unwrap_or_default();
        let (file, text) = asked.text?;
        Some(self.kept((&file, &agent), &text, "the desk was left"))
    }

    /// What a desk says that ends because the companion did: nobody asked for that here. `last` comes last.
    pub(crate) fn parting_words(&self, last: Option<String>) -> String {
        let said = self.messages.iter().map(|message| message.text.clone());
        let stopped = "The companion has stopped; what waited is rejected.".to_owned();
        std::iter::once(stopped).chain(said).chain(last).collect::<Vec<_>>().join("\r\n")
    }

    /// Whether a text that a person typed is on its way to the companion.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.sending.is_some() || self.asked.as_ref().is_some_and(|asked| asked.text.is_some())
    }

    /// Whether touching keys must wait.
    pub(crate) fn hold(&mut self, key: crossterm::event::KeyEvent, at: Instant) -> bool {
        if self.asked.is_some() {
            self.held.push_back((key, at));
        }
        self.asked.is_some()
    }
}
