//! The person's actions on a turn: marks, comments and finishes, the steps that one key takes back or makes
//! again, and the keys of its lists.

use crossterm::event::KeyEvent;

use super::comments::TurnComments;
use super::pending_requests::TurnRequests;
use super::steps::TurnSteps;
use crate::keys::{Action, Answer};
use crate::options::TurnOptions;
use crate::output::{Effect, Output, TurnRequest};
use crate::overlays::Overlay;
use crate::overlays::comment_input::About;
use crate::overlays::turn_list::TurnList;
use crate::turn_files::TurnFiles;
use crate::words::turn_words as words;

/// The person's actions on a turn, and the requests that carry them out.
pub(super) struct TurnActions {
    pub(super) requests: TurnRequests,
    pub(super) comments: TurnComments,
    pub(super) steps: TurnSteps,
}

impl TurnActions {
    pub(super) fn new(options: TurnOptions) -> Self {
        let requests = TurnRequests::new(options);
        Self { requests, comments: TurnComments::default(), steps: TurnSteps::default() }
    }

    /// Marks files, comments, finishes, or takes a step back. Returns false for an action on a hunk of the
    /// file on the screen.
    pub(super) fn carry_out(&mut self, action: Action, files: &mut TurnFiles, out: &mut Output) -> bool {
        let has_hunks = files.view().is_some_and(|view| !view.review().hunks.is_empty());
        let is_step = match action {
            Action::Undo => self.steps.undo(files, (&mut self.requests, &mut self.comments), out),
            Action::Redo => self.steps.redo(files, (&mut self.requests, &mut self.comments), out),
            Action::Comment | Action::CommentAll | Action::Finish => false,
            _ => {
                self.steps.forget(&mut self.comments);
                false
            }
        };
        if is_step {
            return true;
        }
        match action {
            Action::Comment if has_hunks => self.comments.open(files, About::Change, None, out),
            Action::Comment => self.comments.open(files, About::File, None, out),
            Action::CommentAll => self.comments.open(files, About::Whole, None, out),
            Action::MarkFile => self.requests.mark_file(files, out),
            Action::MarkRest => self.steps.mark_rest(files, &mut self.requests, out),
            Action::Finish => match TurnList::finish(files) {
                Some(list) => out.overlays.open(Overlay::Turn(list)),
                None => out.say(words::NOTHING_MARKED),
            },
            // A file without hunks can only be marked as a whole.
            Action::KeepOrDrop if !has_hunks => self.requests.mark_file(files, out),
            _ if files.view().is_none() => match files.file().and_then(words::no_undo) {
                Some(why) => out.say(why),
                None => out.say(words::WHOLE_ONLY),
            },
            _ => return false,
        }
        true
    }

    /// Handles a key while the person types a comment. `counts`: whether the person had seen the screen
    /// before the key.
    pub(super) fn type_comment(
        &mut self,
        key: KeyEvent,
        counts: bool,
        files: &mut TurnFiles,
        out: &mut Output,
    ) {
        if let Some(request) = self.comments.take_key(key, counts, files, out) {
            self.requests.ask(request, TurnRequest::Comment, out);
        }
    }

    /// Handles a key of a list: copies or pastes the message, begins a comment, or asks or closes a comment.
    pub(super) fn take_list_key(&mut self, answer: Answer, files: &mut TurnFiles, out: &mut Output) {
        let Some(Overlay::Turn(list)) = out.overlays.cover() else { return };
        let (path, message) = (list.chosen().map(str::to_owned), list.message().map(str::to_owned));
        let comment = list.chosen_comment();
        match (answer, message) {
            (Answer::Copy, Some(message)) => {
                out.say(words::COPIED);
                out.add_effect(Effect::Copy(message));
            }
            (Answer::Paste, Some(_)) => out.add_effect(Effect::Paste(files.turn().root.clone())),
            (Answer::Comment, _) => self.comments.open(files, About::File, path.as_deref(), out),
            (Answer::CommentAll, _) => self.comments.open(files, About::Whole, path.as_deref(), out),
            (Answer::AskAgain | Answer::CloseComment, _) => {
                let asks = answer == Answer::AskAgain;
                let Some(id) = comment else { return out.say(words::NO_READ_COMMENT) };
                if let Some(request) = self.comments.ask_again(files, id, asks) {
                    self.requests.ask(request, TurnRequest::Comment, out);
                }
            }
            _ => {}
        }
    }
}
