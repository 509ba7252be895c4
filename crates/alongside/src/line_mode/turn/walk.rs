//! The person's way through the files of a turn: where they are, and where they go next. Without a terminal
//! and without the companion.

use alongside_desk::review_model::OpenReview;
use alongside_desk::{
    Author, Changed, FileChange, Hunk, HunkState, Lines, Marked, OpenedTurnFile, Request, Turn, TurnFile,
};

/// The list of changes, the person's place in it, and the texts of the file there.
#[derive(Debug, Default)]
pub(super) struct Walk {
    turn: Turn,
    /// The index of the file where the person is; the number of files at the end.
    file: usize,
    /// Absent while no file is open, or its texts cannot be shown.
    open: Option<OpenReview>,
    /// The lines of the open file that are new since the last round; `None` where all are, or nobody knows.
    new: Option<Vec<Lines>>,
    /// The lines of the open file whose change the person accepted before the write.
    accepted: Vec<Lines>,
}

/// The person's place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place<'a> {
    /// A hunk of a file, which can be undone by itself.
    Hunk(&'a TurnFile, &'a OpenReview, &'a Hunk),
    /// A file that is undone as a whole or not at all, with its texts if they can be shown.
    Whole(&'a TurnFile, Option<&'a OpenReview>),
    /// Behind the last file.
    End,
}

/// The change of a file to which the person comes: its first or its last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    First,
    Last,
}

/// The step to another place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Another hunk of the same file: the person is there.
    Within,
    /// Another file, which is to be opened.
    To(usize, Edge),
    /// The end.
    End,
    /// There is nothing in this direction.
    Nowhere,
}

/// The person's wish for a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// It stays as it is on disk.
    Stay,
    /// It is undone.
    Undo,
}

/// How much a wish is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The change where the person is.
    Change,
    /// That, and all behind it in its file.
    Rest,
    /// The whole file.
    File,
}

/// The way to fulfil a wish.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Marking {
    /// The marks are as the person wishes already.
    IsSo,
    /// The companion is to be asked.
    Ask(Request),
    /// There is no change here, or the file takes no mark.
    Impossible,
}

/// The difference between two lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    /// None that the person sees where they are.
    Nothing,
    /// Another desk has marked something in the file where the person is, or anywhere if they are at the end.
    Marks,
    /// It is another list.
    List,
}

impl Walk {
    pub(super) fn turn(&self) -> &Turn {
        &self.turn
    }

    /// The index of the person's file; the number of files at the end.
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

    /// Whether a hunk of the open file is new since the last round; `None` where all are, or nobody knows.
    pub(super) fn is_new(&self, hunk: &Hunk) -> Option<bool> {
        self.new.as_ref().map(|new| OpenedTurnFile::is_new(new, hunk))
    }

    /// Whether the person accepted a hunk of the open file before it was written.
    pub(super) fn is_accepted(&self, hunk: &Hunk) -> bool {
        OpenedTurnFile::is_accepted(&self.accepted, hunk)
    }

    /// How many hunks of the open file the person accepted before the write, so that the way leads past them;
    /// 0 if they accepted all of it.
    pub(super) fn accepted_hunks(&self) -> usize {
        let hunks = self.open.iter().flat_map(|open| &open.review().hunks);
        let accepted = hunks.clone().filter(|hunk| self.is_accepted(hunk)).count();
        if accepted == hunks.count() { 0 } else { accepted }
    }

    /// The first hunk of the open file from this one on that the way leads to.
    fn hunk_on_the_way(&self, from: usize) -> Option<usize> {
        let (open, passes) = (self.open.as_ref()?, self.accepted_hunks() > 0);
        let mut hunks = open.review().hunks.iter().enumerate().skip(from);
        hunks.find(|(_, hunk)| !(passes && self.is_accepted(hunk))).map(|(at, _)| at)
    }

    /// The number of files, and of lines that were added and removed.
    pub(super) fn totals(&self) -> (usize, usize, usize) {
        let files = &self.turn.files;
        let sum = |lines: fn(&TurnFile) -> usize| files.iter().map(lines).sum();
        (files.len(), sum(|file| file.added), sum(|file| file.removed))
    }

    /// The files with a mark, in their order.
    pub(super) fn marked(&self) -> impl Iterator<Item = &TurnFile> {
        self.turn.files.iter().filter(|file| !file.marked.is_nothing())
    }

    /// Whether anything is to be undone.
    pub(super) fn has_marks(&self) -> bool {
        self.marked().next().is_some()
    }

    /// The files that the way leads past, where it leads to others: they are not the agent's, or the person
    /// accepted them before the write.
    pub(super) fn passed_over(&self) -> impl Iterator<Item = &TurnFile> {
        let files = self.turn.files.iter().enumerate();
        files.filter(|(at, _)| !self.is_on_the_way(*at)).map(|(_, file)| file)
    }

    fn is_on_the_way(&self, file: usize) -> bool {
        let is_open = |file: &TurnFile| file.author != Author::Person && !file.accepted;
        self.turn.files.get(file).is_some_and(is_open) || !self.turn.files.iter().any(is_open)
    }

    /// The paths of the files from here on that one step on all files marks: those that are news, have no
    /// mark, and can be undone.
    pub(super) fn rest_without_mark(&self) -> Vec<String> {
        let rest = self.turn.files.iter().skip(self.file);
        let rest = rest.filter(|file| file.is_of_rest());
        rest.map(|file| file.path.clone()).collect()
    }

    /// The first file on the way.
    pub(super) fn first(&self) -> Step {
        self.after(None)
    }

    fn after(&self, file: Option<usize>) -> Step {
        let next = (0..self.turn.files.len()).find(|at| Some(*at) > file && self.is_on_the_way(*at));
        next.map_or(Step::End, |next| Step::To(next, Edge::First))
    }

    /// Goes to the next change.
    pub(super) fn next(&mut self) -> Step {
        let is_at_hunk = matches!(self.place(), Place::Hunk(..));
        let next = self.open.as_ref().and_then(|open| self.hunk_on_the_way(open.hunk() + 1));
        match (&mut self.open, next) {
            (Some(open), Some(next)) if is_at_hunk => {
                open.look_at(next);
                Step::Within
            }
            _ => self.next_file(),
        }
    }

    /// The next file on the way.
    pub(super) fn next_file(&self) -> Step {
        self.after(Some(self.file))
    }

    /// Goes to the change before.
    pub(super) fn previous(&mut self) -> Step {
        let is_at_hunk = matches!(self.place(), Place::Hunk(..));
        match &mut self.open {
            Some(open) if is_at_hunk && open.hunk() > 0 => {
                open.look_at(open.hunk() - 1);
                Step::Within
            }
            _ => {
                let before = (0..self.file).rev().find(|at| self.is_on_the_way(*at));
                before.map_or(Step::Nowhere, |before| Step::To(before, Edge::Last))
            }
        }
    }

    /// Goes to the first change of the file; from the end, to the first file.
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

    /// The way to mark as much as the person says, or to take these marks back; and the number of changes.
    pub(super) fn marking(&self, reach: Reach, wish: Wish) -> (Marking, usize) {
        let Place::Hunk(file, open, _) = self.place() else { return (self.file_marking(wish), 1) };
        let (review, here) = (open.review(), open.hunk());
        let end = match reach {
            Reach::Change => here + 1,
            Reach::Rest => review.hunks.len(),
            Reach::File => return (self.file_marking(wish), 1),
        };
        let is_marked = |hunk: &Hunk| hunk.state == HunkState::Dropped || file.marked == Marked::Whole;
        let reached = review.hunks.iter().enumerate().take(end).skip(here);
        let differs = reached.filter(|(_, hunk)| is_marked(hunk) != (wish == Wish::Undo));
        let hunks: Vec<_> = differs.map(|(at, _)| at).collect();
        let (id, revision, keep) = (review.id, review.revision, wish == Wish::Stay);
        let marking = match hunks.is_empty() {
            true => Marking::IsSo,
            false => Marking::Ask(Request::KeepHunks { id, revision, hunks, keep }),
        };
        (marking, end - here)
    }

    /// The other of the two wishes for the whole file: all of it is undone, or nothing.
    pub(super) fn other_wish(&self) -> Wish {
        let is_marked = |file: &TurnFile| file.marked == Marked::Whole;
        match self.turn.files.get(self.file).is_some_and(is_marked) {
            true => Wish::Stay,
            false => Wish::Undo,
        }
    }

    /// The way to mark the whole file, or to take all its marks back.
    fn file_marking(&self, wish: Wish) -> Marking {
        let Some(file) = self.turn.files.get(self.file) else { return Marking::Impossible };
        let is_so = match wish {
            Wish::Stay => Marked::Nothing,
            Wish::Undo => Marked::Whole,
        };
        if file.marked == is_so {
            return Marking::IsSo;
        }
        if file.without_undo && wish == Wish::Undo {
            return Marking::Impossible;
        }
        let (turn, revision, undo) = (self.turn.id, self.turn.revision, wish == Wish::Undo);
        Marking::Ask(Request::MarkTurnFile { turn, revision, file: self.file, undo })
    }

    /// The person is at a file, whose texts are not here yet.
    pub(super) fn turn_to(&mut self, file: usize) {
        self.file = file.min(self.turn.files.len());
        self.open = None;
    }

    /// The person is behind the last file.
    pub(super) fn turn_to_end(&mut self) {
        self.turn_to(usize::MAX);
    }

    /// Whether the texts of the person's file are here.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The texts of the person's file, with their place in it.
    pub(super) fn open(&self) -> Option<&OpenReview> {
        self.open.as_ref()
    }

    /// Takes the texts of a file, if the person is at that file. Returns whether they replace other texts.
    pub(super) fn opened(&mut self, opened: OpenedTurnFile) -> bool {
        let is_of_list = (opened.turn, opened.revision) == (self.turn.id, self.turn.revision);
        if !is_of_list || opened.file != self.file || self.file >= self.turn.files.len() {
            return false;
        }
        (self.new, self.accepted) = (opened.new, opened.accepted);
        let before = self.open.replace(OpenReview::new(opened.review));
        if let Some(before) = &before {
            self.look_at_hunk(before.hunk());
        }
        before.is_some()
    }

    /// The person comes to the open file from one of its ends.
    pub(super) fn look_at(&mut self, edge: Edge) {
        self.look_at_hunk(match edge {
            Edge::First => self.hunk_on_the_way(0).unwrap_or(0),
            Edge::Last => usize::MAX,
        });
    }

    /// The person goes to a hunk of the open file. There is no place behind the last one, as a proposal has
    /// one.
    pub(super) fn look_at_hunk(&mut self, hunk: usize) {
        if let Some(open) = &mut self.open {
            open.look_at(hunk.min(open.review().hunks.len().saturating_sub(1)));
        }
    }

    /// Takes a new revision of a review, if it is that of the open file.
    pub(super) fn change(&mut self, changed: Changed) {
        let Some(open) = self.open.as_mut().filter(|open| open.review().id == changed.id) else { return };
        if let Err(out_of_step) = open.take(changed) {
            // The companion refuses a mark on the old revision as stale.
            tracing::error!(review = open.review().id.0, %out_of_step);
        }
        let hunk = open.hunk();
        self.look_at_hunk(hunk);
    }

    /// Takes the list as it is now. The person stays at their file, with its texts; if the file is gone, they
    /// are at the next one.
    pub(super) fn take(&mut self, turn: Turn) -> News {
        let before = std::mem::replace(&mut self.turn, turn);
        let now = &self.turn;
        let at = before.files.get(self.file).map(|file| &file.path);
        if before.id == now.id && is_same_list(&before, now) {
            let marks = |turn: &Turn| -> Vec<Marked> {
                let seen = turn.files.iter().filter(|file| at.is_none_or(|at| *at == file.path));
                seen.map(|file| file.marked).collect()
            };
            // At the end, comments are on the list that the person confirms.
            let sends = |turn: &Turn| match at {
                Some(_) => None,
                // Another time or way to read them is no other list.
                None => Some((unsent_texts(turn), turn.route.as_ref().map(|route| route.agent.clone()))),
            };
            let is_same = marks(&before) == marks(now) && sends(&before) == sends(now);
            return if is_same { News::Nothing } else { News::Marks };
        }
        // The list is not in the order of paths: the files that the person knows stand behind the others.
        let place = |at: &String| now.files.iter().position(|it| it.path == *at);
        let next = |at: &String| now.files.iter().take_while(|it| it.path < *at).count();
        let file = at.map_or(now.files.len(), |at| place(at).unwrap_or_else(|| next(at)));
        let stays = before.id == now.id && now.files.get(file).map(|file| &file.path) == at;
        let open = self.open.take().filter(|_| stays);
        self.turn_to(file);
        self.open = open;
        News::List
    }
}

/// The words of the comments that a finish would send.
fn unsent_texts(turn: &Turn) -> Vec<String> {
    let unsent = turn.comments.iter().filter(|comment| comment.state.is_unsent());
    unsent.map(|comment| comment.text.clone()).collect()
}

/// Whether two lists differ in nothing but the marks.
fn is_same_list(one: &Turn, other: &Turn) -> bool {
    let unmarked = |file: &TurnFile| TurnFile { marked: Marked::Nothing, ..file.clone() };
    one.baseline == other.baseline && one.files.iter().map(unmarked).eq(other.files.iter().map(unmarked))
}

/// Whether a file is undone as a whole or not at all.
fn is_whole(file: &TurnFile, open: &OpenReview) -> bool {
    let of_its_kind = match file.change {
        FileChange::Added
        | FileChange::Deleted
        | FileChange::Mode
        | FileChange::Kind
        | FileChange::Unknown => true,
        FileChange::Modified | FileChange::Renamed => false,
    };
    of_its_kind || file.without_text.is_some() || open.review().whole_file_only.is_some()
}
