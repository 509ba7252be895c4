//! The person's walk through the files of a turn: the current place, and the next one. The walk knows neither
//! the terminal nor the companion.

use alongside_desk::review_model::OpenReview;
use alongside_desk::{
    Author, Changed, FileChange, Hunk, HunkState, Lines, Marked, OpenedTurnFile, Request, Turn, TurnFile,
};

/// The list of changes, the person's place in it, and the texts of the person's file.
#[derive(Debug, Default)]
pub(super) struct Walk {
    turn: Turn,
    /// The index of the person's file; the number of files at the end.
    file: usize,
    /// The texts of the person's file; `None` while they are not open, or if they cannot be shown.
    open: Option<OpenReview>,
    /// The lines of the open file that are new since the last round; `None` if all are new, or it is unknown.
    new: Option<Vec<Lines>>,
    /// The lines of the open file that the person accepted before the write.
    accepted: Vec<Lines>,
}

/// The person's place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place<'a> {
    /// A hunk of a file. The hunk can be undone alone.
    Hunk(&'a TurnFile, &'a OpenReview, &'a Hunk),
    /// A file that is undone as a whole or not at all, with its texts if they can be shown.
    Whole(&'a TurnFile, Option<&'a OpenReview>),
    /// The end, after the last file.
    End,
}

/// The end of a file from which the person enters it: at its first or its last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    First,
    Last,
}

/// A step to another place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A step to another hunk of the same file, which is already made.
    Within,
    /// A step to another file, which is to be opened.
    To(usize, Edge),
    /// A step to the end.
    End,
    /// No step: no place follows in this direction.
    Nowhere,
}

/// The person's wish for a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// The change stays as it is on disk.
    Stay,
    /// The change is undone.
    Undo,
}

/// The changes that a wish is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The change where the person is.
    Change,
    /// The change where the person is, and all later ones in the file.
    Rest,
    /// The whole file.
    File,
}

/// The action that fulfils a wish.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Marking {
    /// No action: the marks are as the person wishes already.
    Unchanged,
    /// A request to the companion.
    Ask(Request),
    /// No possible action: there is no change here, or the file takes no mark.
    Impossible,
}

/// The difference between two lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    /// No difference at the person's place.
    Nothing,
    /// Other marks in the person's file, or in any file if the person is at the end.
    Marks,
    /// Another list.
    List,
}

impl Walk {
    pub(super) fn turn(&self) -> &Turn {
        &self.turn
    }

    /// Returns the index of the person's file, or the number of files at the end.
    pub(super) fn file(&self) -> usize {
        self.file
    }

    pub(super) fn place(&self) -> Place<'_> {
        let Some(file) = self.turn.files.get(self.file) else { return Place::End };
        match &self.open {
            Some(open) if !is_whole(file, open) => match open.review().hunks.get(open.hunk()) {
                Some(hunk) => Place::Hunk(file, open, hunk),
                None => Place::Whole(file, Some(open)),
            },
            open => Place::Whole(file, open.as_ref()),
        }
    }

    /// Whether the person is at a file whose texts can be shown.
    pub(super) fn has_text(&self) -> bool {
        self.turn.files.get(self.file).is_some_and(|file| file.without_text.is_none())
    }

    /// Whether a hunk of the open file is new since the last round; `None` if all are new, or it is unknown.
    pub(super) fn is_new(&self, hunk: &Hunk) -> Option<bool> {
        self.new.as_ref().map(|new| OpenedTurnFile::is_new(new, hunk))
    }

    /// Whether the person accepted a hunk of the open file before it was written.
    pub(super) fn is_accepted(&self, hunk: &Hunk) -> bool {
        OpenedTurnFile::is_accepted(&self.accepted, hunk)
    }

    /// Returns the number of hunks of the open file that the walk skips, because the person accepted them
    /// before the write; 0 if the person accepted all of them.
    pub(super) fn skipped_hunks(&self) -> usize {
        let hunks = self.open.iter().flat_map(|open| &open.review().hunks);
        let accepted = hunks.clone().filter(|hunk| self.is_accepted(hunk)).count();
        if accepted == hunks.count() { 0 } else { accepted }
    }

    /// Returns the first hunk of the open file from this one on that the walk does not skip.
    fn hunk_from(&self, from: usize) -> Option<usize> {
        let (open, skips_accepted) = (self.open.as_ref()?, self.skipped_hunks() > 0);
        let mut hunks = open.review().hunks.iter().enumerate().skip(from);
        hunks.find(|(_, hunk)| !(skips_accepted && self.is_accepted(hunk))).map(|(at, _)| at)
    }

    /// Returns the numbers of files, added lines and removed lines.
    pub(super) fn totals(&self) -> (usize, usize, usize) {
        let files = &self.turn.files;
        let sum = |lines: fn(&TurnFile) -> usize| files.iter().map(lines).sum();
        (files.len(), sum(|file| file.added), sum(|file| file.removed))
    }

    /// Returns the files with a mark, in the order of the list.
    pub(super) fn marked(&self) -> impl Iterator<Item = &TurnFile> {
        self.turn.files.iter().filter(|file| !file.marked.is_nothing())
    }

    /// Whether a file has a mark.
    pub(super) fn has_marks(&self) -> bool {
        self.marked().next().is_some()
    }

    /// Returns the files that the walk skips: the agent has not changed them, or the person accepted them
    /// before the write. If this holds for all files, the walk skips none.
    pub(super) fn skipped(&self) -> impl Iterator<Item = &TurnFile> {
        let files = self.turn.files.iter().enumerate();
        files.filter(|(at, _)| !self.is_visited(*at)).map(|(_, file)| file)
    }

    fn is_visited(&self, file: usize) -> bool {
        let needs_review = |file: &TurnFile| file.author != Author::Person && !file.accepted;
        self.turn.files.get(file).is_some_and(needs_review) || !self.turn.files.iter().any(needs_review)
    }

    /// Returns the paths of the files from the person's file on that are news, have no mark, and can be
    /// undone: a step on all files marks them.
    pub(super) fn rest_without_mark(&self) -> Vec<String> {
        let rest = self.turn.files.iter().skip(self.file);
        let rest = rest.filter(|file| file.is_of_rest());
        rest.map(|file| file.path.clone()).collect()
    }

    /// Returns the step to the first visited file.
    pub(super) fn first(&self) -> Step {
        self.after(None)
    }

    fn after(&self, file: Option<usize>) -> Step {
        let next = (0..self.turn.files.len()).find(|at| Some(*at) > file && self.is_visited(*at));
        next.map_or(Step::End, |next| Step::To(next, Edge::First))
    }

    /// Goes to the next change in the file, or returns the step to the next file.
    pub(super) fn next(&mut self) -> Step {
        let is_at_hunk = matches!(self.place(), Place::Hunk(..));
        let next = self.open.as_ref().and_then(|open| self.hunk_from(open.hunk() + 1));
        match (&mut self.open, next) {
            (Some(open), Some(next)) if is_at_hunk => {
                open.look_at(next);
                Step::Within
            }
            _ => self.next_file(),
        }
    }

    /// Returns the step to the next visited file.
    pub(super) fn next_file(&self) -> Step {
        self.after(Some(self.file))
    }

    /// Goes to the previous change in the file, or returns the step to the previous file.
    pub(super) fn previous(&mut self) -> Step {
        let is_at_hunk = matches!(self.place(), Place::Hunk(..));
        match &mut self.open {
            Some(open) if is_at_hunk && open.hunk() > 0 => {
                open.look_at(open.hunk() - 1);
                Step::Within
            }
            _ => {
                let before = (0..self.file).rev().find(|at| self.is_visited(*at));
                before.map_or(Step::Nowhere, |before| Step::To(before, Edge::Last))
            }
        }
    }

    /// Goes to the first change of the file. At the end, returns the step to the first file.
    pub(super) fn back(&mut self) -> Step {
        match &mut self.open {
            Some(open) => {
                open.look_at(0);
                Step::Within
            }
            None if self.file >= self.turn.files.len() => self.first(),
            None => Step::Within,
        }
    }

    /// Returns the action that marks these changes or removes their marks, and the number of changes.
    pub(super) fn marking(&self, reach: Reach, wish: Wish) -> (Marking, usize) {
        let Place::Hunk(file, open, _) = self.place() else { return (self.file_marking(wish), 1) };
        let (review, current) = (open.review(), open.hunk());
        let end = match reach {
            Reach::Change => current + 1,
            Reach::Rest => review.hunks.len(),
            Reach::File => return (self.file_marking(wish), 1),
        };
        let is_marked = |hunk: &Hunk| hunk.state == HunkState::Dropped || file.marked == Marked::Whole;
        let reached = review.hunks.iter().enumerate().take(end).skip(current);
        let differs = reached.filter(|(_, hunk)| is_marked(hunk) != (wish == Wish::Undo));
        let hunks: Vec<_> = differs.map(|(at, _)| at).collect();
        let (id, revision, keep) = (review.id, review.revision, wish == Wish::Stay);
        let marking = match hunks.is_empty() {
            true => Marking::Unchanged,
            false => Marking::Ask(Request::KeepHunks { id, revision, hunks, keep }),
        };
        (marking, end - current)
    }

    /// Returns the wish for the whole file that its current mark does not fulfil.
    pub(super) fn other_wish(&self) -> Wish {
        let is_marked = |file: &TurnFile| file.marked == Marked::Whole;
        match self.turn.files.get(self.file).is_some_and(is_marked) {
            true => Wish::Stay,
            false => Wish::Undo,
        }
    }

    /// Returns the action that marks the whole file, or removes all its marks.
    fn file_marking(&self, wish: Wish) -> Marking {
        let Some(file) = self.turn.files.get(self.file) else { return Marking::Impossible };
        let wished = match wish {
            Wish::Stay => Marked::Nothing,
            Wish::Undo => Marked::Whole,
        };
        if file.marked == wished {
            return Marking::Unchanged;
        }
        if file.without_undo && wish == Wish::Undo {
            return Marking::Impossible;
        }
        let (turn, revision, undo) = (self.turn.id, self.turn.revision, wish == Wish::Undo);
        Marking::Ask(Request::MarkTurnFile { turn, revision, file: self.file, undo })
    }

    /// Goes to a file, whose texts are not open yet.
    pub(super) fn go_to_file(&mut self, file: usize) {
        self.file = file.min(self.turn.files.len());
        self.open = None;
    }

    /// Goes to the end, after the last file.
    pub(super) fn go_to_end(&mut self) {
        self.go_to_file(usize::MAX);
    }

    /// Whether the texts of the person's file are open.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Returns the texts of the person's file, with the person's place in them.
    pub(super) fn open(&self) -> Option<&OpenReview> {
        self.open.as_ref()
    }

    /// Takes the texts of a file, if the person is at that file. Returns whether they replace other texts.
    pub(super) fn take_texts(&mut self, opened: OpenedTurnFile) -> bool {
        let is_of_list = (opened.turn, opened.revision) == (self.turn.id, self.turn.revision);
        if !is_of_list || opened.file != self.file || self.file >= self.turn.files.len() {
            return false;
        }
        (self.new, self.accepted) = (opened.new, opened.accepted);
        let before = self.open.replace(OpenReview::new(opened.review));
        if let Some(before) = &before {
            self.go_to_hunk(before.hunk());
        }
        before.is_some()
    }

    /// Goes to the first or the last change of the open file.
    pub(super) fn go_to_edge(&mut self, edge: Edge) {
        self.go_to_hunk(match edge {
            Edge::First => self.hunk_from(0).unwrap_or(0),
            Edge::Last => usize::MAX,
        });
    }

    /// Goes to a hunk of the open file, or to the last one: unlike a proposal, the file has no place after
    /// it.
    pub(super) fn go_to_hunk(&mut self, hunk: usize) {
        if let Some(open) = &mut self.open {
            open.look_at(hunk.min(open.review().hunks.len().saturating_sub(1)));
        }
    }

    /// Takes a new revision of the open file's review. Ignores other reviews.
    pub(super) fn take_change(&mut self, changed: Changed) {
        let Some(open) = self.open.as_mut().filter(|open| open.review().id == changed.id) else { return };
        if let Err(out_of_step) = open.take(changed) {
            // The companion refuses a mark on the old revision as stale.
            tracing::error!(review = open.review().id.0, %out_of_step);
        }
        let hunk = open.hunk();
        self.go_to_hunk(hunk);
    }

    /// Takes the current list. The person stays at the file with its texts, or goes to the next one if the
    /// file is gone.
    pub(super) fn take(&mut self, turn: Turn) -> News {
        let before = std::mem::replace(&mut self.turn, turn);
        let now = &self.turn;
        let at = before.files.get(self.file).map(|file| &file.path);
        if before.id == now.id && is_same_list(&before, now) {
            let marks = |turn: &Turn| -> Vec<Marked> {
                let visible = turn.files.iter().filter(|file| at.is_none_or(|at| *at == file.path));
                visible.map(|file| file.marked).collect()
            };
            // At the end, the list that the person confirms has the comments.
            let sends = |turn: &Turn| match at {
                Some(_) => None,
                // Only the agent counts: a comment may be read at another time without a new confirmation.
                None => Some((unsent_texts(turn), turn.route.as_ref().map(|route| route.agent.clone()))),
            };
            let is_same = marks(&before) == marks(now) && sends(&before) == sends(now);
            return if is_same { News::Nothing } else { News::Marks };
        }
        // The list is not in the order of paths, because the files of the last round come after the others.
        let place = |at: &String| now.files.iter().position(|file| file.path == *at);
        let next = |at: &String| now.files.iter().take_while(|file| file.path < *at).count();
        let file = at.map_or(now.files.len(), |at| place(at).unwrap_or_else(|| next(at)));
        let stays = before.id == now.id && now.files.get(file).map(|file| &file.path) == at;
        let open = self.open.take().filter(|_| stays);
        self.go_to_file(file);
        self.open = open;
        News::List
    }
}

/// Returns the texts of the comments that a finish would send.
fn unsent_texts(turn: &Turn) -> Vec<String> {
    turn.unsent_comments().map(|comment| comment.text.clone()).collect()
}

/// Whether two lists are the same apart from the marks.
fn is_same_list(one: &Turn, other: &Turn) -> bool {
    let unmarked = |file: &TurnFile| TurnFile { marked: Marked::Nothing, ..file.clone() };
    one.baseline == other.baseline && one.files.iter().map(unmarked).eq(other.files.iter().map(unmarked))
}

/// Whether a file is undone as a whole or not at all.
fn is_whole(file: &TurnFile, open: &OpenReview) -> bool {
    let is_whole_change = match file.change {
        FileChange::Added
        | FileChange::Deleted
        | FileChange::Mode
        | FileChange::Kind
        | FileChange::Unknown => true,
        FileChange::Modified | FileChange::Renamed => false,
    };
    is_whole_change || file.without_text.is_some() || open.review().whole_file_only.is_some()
}
