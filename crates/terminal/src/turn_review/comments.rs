//! The person's comments on a turn at this desk: the input of a comment, the request that keeps it, and the
//! comments that the companion does not have, none of which is lost.

use std::collections::VecDeque;

use alongside_desk::review_model::Message;
use alongside_desk::review_model::comment_place::lines_now;
use alongside_desk::{Comment, CommentId, Refusal, Request, Side, Turn};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::output::Output;
use crate::overlays::Overlay;
use crate::overlays::comment_input::{About, CommentInput, CommentPlace, Target, UnsentComment};
use crate::overlays::line_choice::LineChoice;
use crate::text::typing;
use crate::turn_files::TurnFiles;
use crate::unsaved_texts::UnsavedText;
use crate::words::comment_words as words;
use crate::words::turn_words;

/// The person's comments on a turn at this desk.
#[derive(Debug, Default)]
pub(crate) struct TurnComments {
    /// The comments that the companion does not have. The next input at the same location begins with the
    /// last one.
    unsent: Vec<UnsentComment>,
    /// The requests that are under way, in their order: the text of each, and the result of its success.
    pending: VecDeque<(Option<UnsentComment>, CommentResult)>,
    /// The comments that the person has written since their last mark. An undo removes the last one.
    written: Vec<CommentId>,
    /// The comments that the person has undone. A redo writes them again, with the texts in `unsent`.
    taken_back: Vec<Comment>,
    /// The number of marks that the person has undone since then, which a redo sets first.
    marks_since: usize,
}

/// The result of a request about a comment, if the companion accepts it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum CommentResult {
    New,
    Changed,
    Removed,
    /// The comment is undone. The next input at its location begins with its text.
    Back(Box<Comment>),
    /// The comment, which an agent has read, is asked again.
    Again,
    /// The comment is no longer to be asked again with this text.
    NotAgain(String),
    Closed,
}

impl TurnComments {
    /// Opens the input of a comment. `path`: the file of the comment, if it is not the file on the screen.
    pub(crate) fn open(&mut self, files: &mut TurnFiles, about: About, path: Option<&str>, out: &mut Output) {
        if about == About::Change
            && let Some(view) = files.view_mut()
            && !view.review().hunks.is_empty()
        {
            // The person must see the lines that the comment is about.
            view.unfold_hunk();
            if !view.hunk_on_screen() {
                view.show_hunk();
            }
        }
        for unsent in &mut self.unsent {
            // The text for a comment that is gone, or can no longer be changed, becomes a new comment.
            unsent.id = unsent.id.filter(|id| can_change(files, *id));
        }
        let input = CommentInput::new(place(files, path), about, &mut self.unsent);
        out.overlays.open(Overlay::Comment(Box::new(input)));
    }

    /// The comments that the companion does not have, the newest at the end.
    pub(crate) fn unsent(&self) -> &[UnsentComment] {
        &self.unsent
    }

    /// Keeps a text for the next input. Returns the sentence about that; empty if there is no text to keep.
    pub(crate) fn keep(&mut self, input: CommentInput) -> &'static str {
        match input.into_unsent() {
            Some(unsent) => {
                self.unsent.push(unsent);
                words::COMES_BACK
            }
            None => "",
        }
    }

    /// Handles a key while the person types a comment. `counts`: whether the person had seen the screen
    /// before the key. Returns the request that keeps the comment.
    pub(crate) fn take_key(
        &mut self,
        key: KeyEvent,
        counts: bool,
        files: &mut TurnFiles,
        out: &mut Output,
    ) -> Option<Request> {
        let Some(Overlay::Comment(input)) = out.overlays.front_mut() else { return None };
        let extends = key.modifiers.contains(KeyModifiers::SHIFT);
        if key.code != KeyCode::Enter {
            input.mark_typed();
        }
        match key.code {
            KeyCode::Enter if key.modifiers.contains(KeyModifiers::ALT) => input.text.push('\n'),
            // The comment must not be about lines that the person has not seen.
            KeyCode::Enter if !counts => out.show_too_soon(),
            KeyCode::Enter => return self.confirm(files, out),
            KeyCode::Esc => {
                if let Some(Overlay::Comment(input)) = out.close_input() {
                    let said = self.keep(*input);
                    if !said.is_empty() {
                        out.say(format!("{}{said}", words::NOT_KEPT));
                    }
                }
            }
            KeyCode::Tab | KeyCode::BackTab => {
                if !input.switch(key.code == KeyCode::Tab) && input.is_changed() {
                    input.show_hint(words::KEEP_FIRST);
                }
            }
            KeyCode::Up | KeyCode::Down => {
                if input.choose_lines(key.code == KeyCode::Down, extends)
                    && let (Some(lines), Some(view)) = (input.on_page(), files.view_mut())
                {
                    view.show_lines(&lines);
                }
            }
            _ => typing::edit_lines(&mut input.text, key),
        }
        None
    }

    /// Handles Enter. Returns the request that keeps, changes or removes the comment.
    fn confirm(&mut self, files: &mut TurnFiles, out: &mut Output) -> Option<Request> {
        let Some(Overlay::Comment(input)) = out.overlays.front_mut() else { return None };
        let now = files.view().map(|view| view.review().id);
        if input.review().is_some() && input.review() != now {
            // The text with the chosen lines has changed since the choice.
            input.replace_change(change(files));
            input.show_hint(words::CHOOSE_AGAIN);
            return None;
        }
        if input.confirm_removal() {
            input.show_hint(match input.target() {
                Target::Known(known) if known.again => words::ENTER_TAKES_BACK,
                _ => words::ENTER_REMOVES,
            });
            return None;
        }
        let Some(Overlay::Comment(input)) = out.close_input() else { return None };
        let (turn, revision) = (files.turn().id, files.turn().revision);
        let text = input.text.trim().to_owned();
        let file = input.path().map(|path| files.position(path));
        let (request, result) = match (input.target(), file) {
            (Target::Known(known), _) if text.is_empty() && !input.asks_again() => {
                let result = if known.again {
                    CommentResult::NotAgain(known.text.clone())
                } else {
                    CommentResult::Removed
                };
                (Request::ChangeComment { turn, id: known.id, text }, result)
            }
            _ if !input.is_changed() => return None,
            (Target::Known(known), _) => {
                (Request::ChangeComment { turn, id: known.id, text }, CommentResult::Changed)
            }
            (Target::Lines | Target::File, None | Some(None)) => {
                out.warn(format!("{}{}", words::FILE_GONE, self.keep(*input)));
                return None;
            }
            (Target::Lines | Target::File | Target::Whole, file) => {
                (self.taken_back, self.marks_since) = (Vec::new(), 0);
                let lines = input.lines();
                let side = lines.map(|(side, _)| side).unwrap_or_default();
                let lines = lines.map(|(_, lines)| lines);
                (
                    Request::AddComment { turn, revision, file: file.flatten(), lines, side, text },
                    CommentResult::New,
                )
            }
        };
        self.pending.push_back((input.into_unsent(), result));
        Some(request)
    }

    /// Asks a comment again that an agent has read, or closes it if `asks` is false. If the comment is
    /// already to be asked again, cancels that. Returns the request.
    pub(crate) fn ask_again(&mut self, files: &TurnFiles, id: CommentId, asks: bool) -> Option<Request> {
        let turn = files.turn();
        let comment = turn.comments.iter().find(|comment| comment.id == id)?;
        let (result, text) = match (comment.again, asks) {
            (true, _) => (CommentResult::NotAgain(comment.text.clone()), String::new()),
            (false, true) => (CommentResult::Again, comment.text.clone()),
            (false, false) => (CommentResult::Closed, String::new()),
        };
        self.pending.push_back((None, result));
        Some(Request::ChangeComment { turn: turn.id, id, text })
    }

    /// Returns the request that removes the last comment that the person has written. `None` if there is no
    /// such comment, or it was sent or is gone.
    pub(crate) fn take_back(&mut self, turn: &Turn) -> Option<Request> {
        while let Some(id) = self.written.pop() {
            let is_unsent =
                |comment: &&Comment| comment.id == id && comment.state.is_unsent() && !comment.again;
            if let Some(comment) = turn.comments.iter().find(is_unsent) {
                self.pending.push_back((None, CommentResult::Back(Box::new(comment.clone()))));
                return Some(Request::ChangeComment { turn: turn.id, id, text: String::new() });
            }
        }
        None
    }

    /// Returns the request that writes the comment again that the person has undone last. `None` if there is
    /// no such comment, its file or text is gone, or a mark was undone after it.
    pub(crate) fn write_again(&mut self, files: &TurnFiles) -> Option<Request> {
        if let Some(marks) = self.marks_since.checked_sub(1) {
            self.marks_since = marks;
            return None;
        }
        while let Some(comment) = self.taken_back.pop() {
            let file = comment.anchor.path.as_deref().map(|path| files.position(path));
            let words = as_unsent(&comment);
            // The text is gone from `unsent` if the person has begun another comment with it.
            let at = self.unsent.iter().rposition(|unsent| *unsent == words);
            let (Some(at), false) = (at, file == Some(None)) else { continue };
            self.pending.push_back((Some(self.unsent.remove(at)), CommentResult::New));
            let (turn, revision, lines) = (files.turn().id, files.turn().revision, lines_now(&comment));
            let side = if lines.is_some() { comment.anchor.side } else { Side::default() };
            let (file, text) = (file.flatten(), comment.text);
            return Some(Request::AddComment { turn, revision, file, lines, side, text });
        }
        None
    }

    /// Counts a mark that the person has undone.
    pub(crate) fn count_undone_mark(&mut self) {
        self.marks_since += usize::from(!self.taken_back.is_empty());
    }

    /// Forgets the written comments, because a later step is the next to undo.
    pub(crate) fn forget_written(&mut self) {
        self.written.clear();
    }

    /// Forgets the written comments and the undone comments.
    pub(crate) fn forget_steps(&mut self) {
        self.forget_written();
        self.taken_back.clear();
        self.marks_since = 0;
    }

    /// Handles the companion's reply. The next input begins with the text of a refused comment.
    pub(crate) fn take_reply(&mut self, reply: Result<(), &Refusal>, turn: &Turn, out: &mut Output) {
        let Some((text, result)) = self.pending.pop_front() else { return };
        match (reply, result) {
            (Ok(()), CommentResult::New) => {
                let newest = turn.unsent_comments().map(|comment| comment.id).max();
                self.written.extend(newest);
                out.say(words::kept(turn));
            }
            (Ok(()), CommentResult::Back(comment)) => {
                self.unsent.push(as_unsent(&comment));
                self.taken_back.push(*comment);
                self.marks_since = 0;
                out.say(words::TAKEN_BACK);
            }
            (Ok(()), CommentResult::Changed) => out.say(words::CHANGED),
            (Ok(()), CommentResult::Removed) => out.say(words::REMOVED),
            (Ok(()), CommentResult::Again) => out.say(words::ASKED_AGAIN),
            (Ok(()), CommentResult::NotAgain(again)) => out.say(words::not_asked_again(&again)),
            (Ok(()), CommentResult::Closed) => out.say(words::CLOSED),
            (Err(refusal), _) => {
                let comes_back = if text.is_some() { words::COMES_BACK } else { "" };
                self.unsent.extend(text);
                let said = turn_words::refusal(refusal, 'r');
                out.answer(Message::warning(format!("{said}{comes_back}")));
            }
        }
    }

    /// Removes and returns the comments that the companion does not have, as the desk ends. `open`: the open
    /// input.
    pub(crate) fn take_unsent(
        &mut self,
        open: Option<CommentInput>,
        turn: Option<&Turn>,
    ) -> Vec<UnsavedText> {
        let root = turn.map(|turn| turn.root.clone()).unwrap_or_default();
        let agent = turn.and_then(|turn| Some(turn.route.as_ref()?.agent.clone()));
        let agent = agent.filter(|agent| !agent.is_empty()).unwrap_or_else(|| "a turn".into());
        let unsaved = |unsent: UnsentComment| {
            let file = unsent.path.map_or_else(|| root.clone(), |path| format!("{root}/{path}"));
            UnsavedText { file, agent: agent.clone(), text: unsent.text, replaces: None }
        };
        let open = open.and_then(CommentInput::into_unsent);
        let pending = self.pending.drain(..).filter_map(|(text, _)| text);
        self.unsent.drain(..).chain(pending).chain(open).map(unsaved).collect()
    }
}

/// The text of an undone comment, for the next input.
fn as_unsent(comment: &Comment) -> UnsentComment {
    UnsentComment { id: None, path: comment.anchor.path.clone(), text: comment.text.clone() }
}

/// Whether a comment exists and can be changed.
fn can_change(files: &TurnFiles, id: CommentId) -> bool {
    changeable(files).any(|comment| comment.id == id)
}

/// The comments that can be changed. A comment that an agent has read is asked again with the new text, once
/// the agent's answer is known.
fn changeable(files: &TurnFiles) -> impl Iterator<Item = &Comment> {
    let is_read = files.turn().message.as_ref().is_some_and(|message| message.read.is_some());
    let takes_words =
        move |comment: &&Comment| comment.state.is_unsent() || comment.state.is_read() || !is_read;
    files.turn().comments.iter().filter(takes_words)
}

/// The location of a new comment: on the file with this path or, without a path, on the file on the screen.
fn place(files: &TurnFiles, path: Option<&str>) -> CommentPlace {
    let on_screen = files.file().map(|file| &*file.path);
    let path = path.or(on_screen);
    let change = change(files).filter(|_| path == on_screen);
    let hunk = files.view().map_or(0, |view| view.hunk());
    let hunks = files.view().map_or(0, |view| view.review().hunks.len());
    let mut known: [Vec<Comment>; 3] = Default::default();
    for comment in changeable(files) {
        let at = match &comment.anchor.path {
            None => 2,
            Some(of) if Some(&**of) != path => continue,
            Some(_) => match files.hunk_of(comment).filter(|_| change.is_some()) {
                Some(of) if of == hunk => 0,
                Some(_) => continue,
                None => 1,
            },
        };
        // After the agent's answer, another text on a file or a turn becomes a new comment.
        if at == 0 || !comment.state.is_read() {
            known[at].push(comment.clone());
        }
    }
    let change_words =
        if hunks > 1 { format!("change {} of {hunks}", hunk + 1) } else { "the change".into() };
    CommentPlace { path: path.map(str::to_owned), change, change_words, known }
}

/// The change that keys act on, with the id of its file.
fn change(files: &TurnFiles) -> Option<(alongside_desk::ReviewId, LineChoice)> {
    let view = files.view()?;
    Some((view.review().id, LineChoice::of(view.review().hunks.get(view.hunk())?)?))
}
