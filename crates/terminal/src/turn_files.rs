//! The files of a turn review at a desk: the file on the screen, the texts of opened files, and the parts of
//! the files that have been on the screen.

use std::collections::{HashMap, HashSet};

use alongside_desk::review_model::comment_place::is_on;
use alongside_desk::{
    Comment, Hunk, HunkState, Lines, Marked, OpenedTurnFile, Review, ReviewId, Turn, TurnFile,
};

use crate::review_view::ReviewView;
use crate::words::comment_words;

/// The files of a turn review.
pub(crate) struct TurnFiles {
    turn: Turn,
    /// The file on the screen, as an index.
    at: usize,
    /// The texts of opened files, or the reason why they cannot be read. The key is the path, because an
    /// index may mean another file in a newer list. The companion sends the texts of an open file again when
    /// they change.
    texts: HashMap<String, Result<Box<ReviewView>, String>>,
    /// The lines of opened files that are new since the last round, by path. A file is absent if all its
    /// changes are new.
    new: HashMap<String, Vec<Lines>>,
    /// The lines of opened files whose change the person accepted as a proposal, by path.
    accepted: HashMap<String, Vec<Lines>>,
    /// The files without text that have been on the screen, by path.
    seen: HashSet<String>,
}

/// The differences between a new list and the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListNews {
    /// The number of files that were not in the list before.
    pub(crate) added: usize,
    /// Whether the file that was on the screen has left the list, so that another file is on the screen.
    pub(crate) is_elsewhere: bool,
    /// Whether a finish would do something else now: its list, its marks, its comments or its agent differ.
    pub(crate) has_other_finish: bool,
    /// Whether an agent has read the message since the previous list.
    pub(crate) is_read: bool,
}

impl TurnFiles {
    pub(crate) fn new(turn: Turn) -> Self {
        let (texts, new, accepted) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { turn, at: 0, texts, new, accepted, seen: HashSet::new() }
    }

    pub(crate) fn turn(&self) -> &Turn {
        &self.turn
    }

    pub(crate) fn all(&self) -> &[TurnFile] {
        &self.turn.files
    }

    /// The file on the screen, as an index.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The file on the screen; `None` if the list is empty.
    pub(crate) fn file(&self) -> Option<&TurnFile> {
        self.turn.files.get(self.at)
    }

    /// Takes a new list. The file on the screen stays, or the file at its index replaces it.
    pub(crate) fn take(&mut self, turn: Turn) -> ListNews {
        let known: HashSet<&str> = self.turn.files.iter().map(|file| &*file.path).collect();
        let added = turn.files.iter().filter(|file| !known.contains(&*file.path)).count();
        let marks = |turn: &Turn| -> Vec<_> {
            let marked = turn.files.iter().filter(|file| !file.marked.is_nothing());
            marked.map(|file| (file.path.clone(), file.marked)).collect()
        };
        let is_same = self.turn.id == turn.id && self.turn.revision == turn.revision;
        let unsent = |turn: &Turn| -> Vec<_> {
            turn.unsent_comments().map(|comment| (comment.id, comment.text.clone())).collect()
        };
        // Of a route only the agent counts here: the rest of a route changes with each prompt.
        let agent = |turn: &Turn| turn.route.as_ref().map(|route| route.agent.clone());
        let has_other_finish = !is_same
            || marks(&self.turn) != marks(&turn)
            || unsent(&self.turn) != unsent(&turn)
            || agent(&self.turn) != agent(&turn);
        let read = |turn: &Turn| turn.message.as_ref().map(|message| (message.at, message.read.is_some()));
        let is_read =
            read(&turn).is_some_and(|(at, is_read)| is_read && read(&self.turn) == Some((at, false)));
        let has_other_comments = self.turn.comments != turn.comments || read(&self.turn) != read(&turn);
        let path = self.file().map(|file| file.path.clone());
        let at = turn.files.iter().position(|file| Some(&file.path) == path.as_ref());
        self.at = at.unwrap_or(self.at).min(turn.files.len().saturating_sub(1));
        if self.turn.id != turn.id {
            self.texts.clear();
            self.seen.clear();
        }
        self.turn = turn;
        let listed: HashSet<&str> = self.turn.files.iter().map(|file| &*file.path).collect();
        self.texts.retain(|path, _| listed.contains(&**path));
        self.seen.retain(|path| listed.contains(&**path));
        if has_other_comments {
            for (path, view) in &mut self.texts {
                if let Ok(view) = view {
                    view.set_notes(&comment_words::notes(&self.turn, path));
                }
            }
        }
        ListNews { added, is_elsewhere: path.is_some() && at.is_none(), has_other_finish, is_read }
    }

    /// Takes the texts of a file of this list.
    pub(crate) fn take_texts(&mut self, opened: OpenedTurnFile) {
        let OpenedTurnFile { turn, revision, file, review, new, accepted } = opened;
        let is_of_list = (turn, revision) == (self.turn.id, self.turn.revision);
        let Some(known) = self.turn.files.get(file).filter(|_| is_of_list) else { return };
        let path = known.path.clone();
        let mut view = Box::new(ReviewView::of_turn(review));
        // The view begins at the first hunk that is new and not accepted before.
        let is_new = |hunk: &Hunk| new.as_ref().is_none_or(|new| OpenedTurnFile::is_new(new, hunk));
        let is_unknown = |hunk: &Hunk| is_new(hunk) && !OpenedTurnFile::is_accepted(&accepted, hunk);
        if let Some(first) = view.review().hunks.iter().position(is_unknown).filter(|first| *first > 0) {
            view.go_to_hunk(first);
        }
        self.accepted.insert(path.clone(), accepted.clone());
        match new {
            Some(new) => drop(self.new.insert(path.clone(), new)),
            None => drop(self.new.remove(&path)),
        }
        if let Some(Ok(before)) = self.texts.remove(&path) {
            let identity = |view: &ReviewView| (view.review().id, view.review().revision);
            match identity(&before) == identity(&view) {
                true => view = before,
                // The new view begins at the hunk where the person was.
                false => view.go_to_hunk(before.hunk()),
            }
        }
        view.set_accepted(&accepted);
        view.set_notes(&comment_words::notes(&self.turn, &path));
        self.texts.insert(path, Ok(view));
    }

    /// Takes the reason why the texts of a file could not be read. Texts that were read before stay.
    pub(crate) fn take_refused(&mut self, path: String, why: String) {
        self.texts.entry(path).or_insert(Err(why));
    }

    /// Forgets the files whose texts could not be read, so that the desk requests the texts again.
    pub(crate) fn forget_refused(&mut self) {
        self.texts.retain(|_, view| view.is_ok());
    }

    /// Whether the texts of the file on the screen have to be read.
    pub(crate) fn wants_texts(&self) -> bool {
        self.file().is_some_and(|file| file.without_text.is_none() && !self.texts.contains_key(&file.path))
    }

    /// The texts of a file, once they are read.
    fn view_at(&self, path: &str) -> Option<&ReviewView> {
        self.texts.get(path)?.as_deref().ok()
    }

    /// The texts of the file on the screen, once they are read.
    pub(crate) fn view(&self) -> Option<&ReviewView> {
        self.view_at(&self.file()?.path)
    }

    pub(crate) fn view_mut(&mut self) -> Option<&mut ReviewView> {
        let path = &self.turn.files.get(self.at)?.path;
        self.texts.get_mut(path)?.as_deref_mut().ok()
    }

    /// Whether the hunk that keys act on has changed since the last round; `None` if the whole file has.
    pub(crate) fn is_hunk_new(&self) -> Option<bool> {
        let (view, new) = (self.view()?, self.new.get(&self.file()?.path)?);
        Some(OpenedTurnFile::is_new(new, view.review().hunks.get(view.hunk())?))
    }

    /// Whether the person accepted the hunk that keys act on as a proposal.
    pub(crate) fn is_hunk_accepted(&self) -> bool {
        let hunk = self.view().and_then(|view| view.review().hunks.get(view.hunk()));
        let accepted = self.file().and_then(|file| self.accepted.get(&file.path));
        hunk.zip(accepted).is_some_and(|(hunk, accepted)| OpenedTurnFile::is_accepted(accepted, hunk))
    }

    /// The reason why the texts of the file on the screen could not be read.
    pub(crate) fn refused(&self) -> Option<&str> {
        self.texts.get(&self.file()?.path)?.as_ref().err().map(String::as_str)
    }

    /// The opened file with this review id.
    pub(crate) fn view_of(&self, id: ReviewId) -> Option<&ReviewView> {
        let mut views = self.texts.values().filter_map(|view| view.as_deref().ok());
        views.find(|view| view.review().id == id)
    }

    pub(crate) fn view_of_mut(&mut self, id: ReviewId) -> Option<&mut ReviewView> {
        let mut views = self.texts.values_mut().filter_map(|view| view.as_deref_mut().ok());
        views.find(|view| view.review().id == id)
    }

    /// The path of the opened file with this review id.
    pub(crate) fn path_of(&self, id: ReviewId) -> Option<&str> {
        let is_it =
            |view: &Result<Box<ReviewView>, String>| view.as_ref().is_ok_and(|view| view.review().id == id);
        self.texts.iter().find(|(_, view)| is_it(view)).map(|(path, _)| &**path)
    }

    /// Goes to the file at this index, or to the last file if the index is too large. Returns false if that
    /// file is on the screen already.
    pub(crate) fn go_to(&mut self, file: usize) -> bool {
        let to = file.min(self.turn.files.len().saturating_sub(1));
        std::mem::replace(&mut self.at, to) != to
    }

    /// The index of a path.
    pub(crate) fn position(&self, path: &str) -> Option<usize> {
        self.turn.files.iter().position(|file| file.path == path)
    }

    /// The part of a file that is marked to be undone. The texts of an open file are newer than the list.
    pub(crate) fn marked(&self, file: &TurnFile) -> Marked {
        match (file.marked, self.view_at(&file.path)) {
            (Marked::Whole, _) | (_, None) => file.marked,
            (Marked::Nothing | Marked::Hunks(_), Some(view)) => {
                let hunks = &view.review().hunks;
                match hunks.iter().filter(|hunk| hunk.state == HunkState::Dropped).count() {
                    0 => Marked::Nothing,
                    marked => Marked::Hunks(marked),
                }
            }
        }
    }

    /// The number of hunks of an opened file.
    pub(crate) fn hunk_count(&self, file: &TurnFile) -> Option<usize> {
        Some(self.view_at(&file.path)?.review().hunks.len())
    }

    /// The marked hunks of an opened file, each with the review; empty if the whole file is marked.
    pub(crate) fn marked_hunks(&self, file: &TurnFile) -> Vec<(&Hunk, &Review)> {
        let view = self.view_at(&file.path).filter(|_| !matches!(file.marked, Marked::Whole));
        let Some(review) = view.map(ReviewView::review) else { return Vec::new() };
        let marked = review.hunks.iter().filter(|hunk| hunk.state == HunkState::Dropped);
        marked.map(|hunk| (hunk, review)).collect()
    }

    /// The marked files, each with the part that is marked.
    pub(crate) fn all_marked(&self) -> impl Iterator<Item = (&TurnFile, Marked)> {
        let files = self.turn.files.iter().map(|file| (file, self.marked(file)));
        files.filter(|(_, marked)| !marked.is_nothing())
    }

    /// Whether a finish undoes a rename that is also in git's index.
    pub(crate) fn has_marked_git_mv(&self) -> bool {
        self.all_marked().any(|(file, marked)| file.staged && marked == Marked::Whole)
    }

    /// The number of comments on a file.
    pub(crate) fn comment_count(&self, file: &TurnFile) -> usize {
        self.turn.comments_on(Some(&file.path)).count()
    }

    /// The hunk that a comment is about, as an index, in the file on the screen.
    pub(crate) fn hunk_of(&self, comment: &Comment) -> Option<usize> {
        self.view()?.review().hunks.iter().position(|hunk| is_on(comment, hunk))
    }

    /// Whether all of a file has been on the screen.
    pub(crate) fn is_seen(&self, file: &TurnFile) -> bool {
        match self.view_at(&file.path) {
            Some(view) => view.seen_part().is_all(),
            None => self.seen.contains(&file.path),
        }
    }

    /// Whether the file on the screen has been shown, so that keys can act on it.
    pub(crate) fn is_shown(&self) -> bool {
        match (self.view(), self.file()) {
            (Some(view), _) => view.seen_revision.is_some(),
            (None, Some(file)) => self.seen.contains(&file.path),
            (None, None) => true,
        }
    }

    /// Notes that this file without text is on the screen.
    pub(crate) fn mark_shown(&mut self, path: &str) {
        if !self.seen.contains(path) {
            self.seen.insert(path.to_owned());
        }
    }
}
