//! A companion for tests, which keeps the texts of a turn in memory and writes no file.

use std::ops::Range;
use std::sync::Arc;

use alongside_desk::{
    Anchor, Call, Changed, Comment, CommentId, CommentState, Event, FileChange, Hunk, HunkState, Lines,
    Marked, OpenedTurnFile, Refusal, Request, Review, ReviewId, Revised, Seat, Turn, TurnFile, TurnFinished,
    TurnId, TurnMessage, UndoneFile,
};
use tokio::sync::mpsc::UnboundedSender;

/// The companion, with the faults that a test sets.
#[derive(Default)]
pub(super) struct Companion {
    pub(super) turn: Turn,
    /// The texts of each file, if they can be shown.
    reviews: Vec<Option<Review>>,
    /// The lines of the second file that the person accepted before the write.
    pub(super) accepted: Vec<Lines>,
    /// The events that are sent before the list.
    pub(super) news: Vec<Event>,
    /// The reason why the changes are unknown.
    pub(super) unknown: Option<String>,
    /// A file that is not undone, and the reason.
    pub(super) refused: Option<(usize, String)>,
    /// The files whose marks are refused once, and whether their setting or their removal is.
    pub(super) refused_marks: Vec<(usize, bool)>,
    /// The list that replaces the shown one at the first mark.
    pub(super) next: Option<Turn>,
    /// Whether an agent changes the file at the first mark of a hunk.
    pub(super) rewrites: bool,
    /// Whether comments are refused, because the disk is full.
    pub(super) refuses_comments: bool,
    /// Whether a comment on any revision is accepted, because a test has sent another list itself.
    pub(super) accepts_any_revision: bool,
    /// The hunks of files before each step, to undo it.
    undo_steps: Vec<(usize, Vec<Hunk>)>,
    /// The hunks of files before each undo, to redo the step.
    redo_steps: Vec<(usize, Vec<Hunk>)>,
    /// The channel for the time when the desk has handled all events before a [`Event::FlushReview`].
    pub(super) caught_up: Option<std::sync::mpsc::Sender<()>>,
}

/// The review whose [`Event::FlushReview`] ends the companion after its answer.
pub(super) const STOP: ReviewId = ReviewId(666);

/// Returns a changed file of nine lines, of which lines 2 and 8 differ.
pub(super) fn modified(path: &str) -> (TurnFile, Option<Review>) {
    let original = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let proposed = original.replace('2', "two").replace('8', "eight\x1b[2J");
    let review = review(Some(original), &proposed, vec![hunk(1..2, 1..2), hunk(7..8, 7..8)]);
    (TurnFile { path: path.into(), added: 2, removed: 2, ..TurnFile::default() }, Some(review))
}

/// Returns a changed file of two lines, both of which differ.
pub(super) fn rewritten(path: &str) -> (TurnFile, Option<Review>) {
    let review = review(Some("a\nb\n"), "A\nB\n", vec![hunk(0..2, 0..2)]);
    (TurnFile { path: path.into(), added: 2, removed: 2, ..TurnFile::default() }, Some(review))
}

/// Returns a new file of two lines.
pub(super) fn added(path: &str) -> (TurnFile, Option<Review>) {
    let change = FileChange::Added;
    let file = TurnFile { path: path.into(), change, added: 2, ..TurnFile::default() };
    (file, Some(review(None, "new\nlines\n", vec![hunk(0..0, 0..2)])))
}

/// Returns a new file of `count` lines.
pub(super) fn long(path: &str, count: usize) -> (TurnFile, Option<Review>) {
    let file = TurnFile { path: path.into(), change: FileChange::Added, added: count, ..TurnFile::default() };
    (file, Some(review(None, &"line\n".repeat(count), vec![hunk(0..0, 0..count)])))
}

/// Returns a file whose texts cannot be shown.
pub(super) fn binary(path: &str) -> (TurnFile, Option<Review>) {
    let without_text = Some("it is binary".into());
    (TurnFile { path: path.into(), without_text, ..TurnFile::default() }, None)
}

/// Returns a kept hunk of these lines.
fn hunk(original: Range<usize>, proposed: Range<usize>) -> Hunk {
    let (original, proposed) = (original.into(), proposed.into());
    Hunk { original, proposed, current: proposed, ..Hunk::default() }
}

fn review(original: Option<&str>, proposed: &str, hunks: Vec<Hunk>) -> Review {
    Review {
        original: original.map(Arc::from),
        proposed: proposed.into(),
        current: proposed.into(),
        revision: 1,
        hunks,
        ..Review::default()
    }
}

impl Companion {
    /// Returns the revision since which the desk requests the changes.
    pub(super) fn asked(&self) -> Option<String> {
        self.turn.baseline.asked.clone()
    }

    pub(super) fn new(files: Vec<(TurnFile, Option<Review>)>) -> Self {
        let (files, mut reviews): (Vec<_>, Vec<_>) = files.into_iter().unzip();
        for (review, id) in reviews.iter_mut().zip(100..) {
            if let Some(review) = review {
                review.id = ReviewId(id);
            }
        }
        let mut turn = Turn { id: TurnId(7), revision: 3, files, root: "/p".into(), ..Turn::default() };
        turn.baseline.asked = Some("HEAD".into());
        turn.baseline.name = "the end of the last turn of Codex".into();
        Self { turn, reviews, ..Self::default() }
    }

    /// Answers requests until the desk leaves, and returns them.
    pub(super) async fn serve(mut self, mut seat: Seat) -> Vec<Request> {
        let mut requests = Vec::new();
        while let Some(Call { request, answer }) = seat.calls.recv().await {
            let is_last = [Request::Leave, Request::Flushed { id: STOP }].contains(&request);
            requests.push(request.clone());
            // A desk that has gone needs no answer.
            let _ = answer.send(self.answer(request, &seat.events));
            if is_last {
                break;
            }
        }
        requests
    }

    fn answer(&mut self, request: Request, to: &UnboundedSender<Event>) -> Result<Revised, Refusal> {
        let emit = |event| drop(to.send(event));
        match request {
            Request::ReviewTurn { .. } => {
                self.news.drain(..).for_each(emit);
                if let Some(reason) = self.unknown.clone() {
                    return Err(Refusal::TurnUnknown { reason });
                }
                emit(Event::Turn(self.turn.clone()));
            }
            Request::OpenTurnFile { turn, revision, file } => {
                self.check(turn, revision)?;
                let review = self.reviews[file].clone().expect("a text");
                let accepted = if file == 1 { self.accepted.clone() } else { Vec::new() };
                emit(Event::TurnFile(OpenedTurnFile { turn, revision, file, review, new: None, accepted }));
            }
            Request::MarkTurnFile { turn, revision, file, undo } => {
                self.check(turn, revision)?;
                if let Some(at) = self.refused_marks.iter().position(|mark| *mark == (file, undo)) {
                    self.refused_marks.remove(at);
                    return Err(Refusal::Interrupted);
                }
                let (state, marked) = match undo {
                    true => (HunkState::Dropped, Marked::Whole),
                    false => (HunkState::Kept, Marked::Nothing),
                };
                self.turn.files[file].marked = marked;
                if let Some(review) = &mut self.reviews[file] {
                    emit(changed(review, |hunks| hunks.iter_mut().for_each(|hunk| hunk.state = state)));
                }
                self.turn.revision += 1;
                emit(Event::Turn(self.turn.clone()));
            }
            Request::KeepHunks { id, hunks: marked, keep, .. } => {
                if let Some(next) = self.next.take() {
                    self.turn = next;
                    return Err(Refusal::NoSuchTurn);
                }
                if std::mem::take(&mut self.rewrites) {
                    return Err(self.rewrite(id, to));
                }
                let (file, review) = self.review(id);
                let before = (file, review.hunks.clone());
                let state = if keep { HunkState::Kept } else { HunkState::Dropped };
                emit(changed(review, |hunks| marked.iter().for_each(|at| hunks[*at].state = state)));
                let revision = review.revision;
                self.count_marks(file);
                self.turn.revision += 1;
                self.undo_steps.push(before);
                emit(Event::Turn(self.turn.clone()));
                return Ok(Revised { revision });
            }
            Request::UndoReview { id, .. } | Request::RedoReview { id, .. } => {
                let undoes = matches!(request, Request::UndoReview { .. });
                let last = if undoes { self.undo_steps.pop() } else { self.redo_steps.pop() };
                let (file, hunks) = last.ok_or(Refusal::NothingToUndo)?;
                let review = self.reviews[file].as_mut().filter(|review| review.id == id).expect("its file");
                let before = (file, review.hunks.clone());
                emit(changed(review, |all| *all = hunks));
                self.count_marks(file);
                let steps = if undoes { &mut self.redo_steps } else { &mut self.undo_steps };
                steps.push(before);
                self.turn.revision += 1;
                emit(Event::Turn(self.turn.clone()));
            }
            Request::SplitHunk { id, hunk, .. } => {
                let (_, review) = self.review(id);
                emit(changed(review, |hunks| {
                    let [first, second] = halves(&hunks[hunk]);
                    hunks[hunk] = first;
                    hunks.insert(hunk + 1, second);
                }));
                return Ok(Revised { revision: review.revision });
            }
            Request::AddComment { .. } | Request::ChangeComment { .. } if self.refuses_comments => {
                return Err(Refusal::CommentNotKept { reason: "the disk is full".into() });
            }
            Request::AddComment { turn, revision, file, lines, side, text } => {
                if !self.accepts_any_revision {
                    self.check(turn, revision)?;
                }
                let path = file.map(|file| self.turn.files[file].path.clone());
                let anchor = Anchor { path, lines, side, code: "its code".into() };
                let id = CommentId(self.turn.comments.len() as u64 + 1);
                self.turn.comments.push(Comment { id, anchor, text, now: lines, ..Comment::default() });
                emit(Event::Turn(self.turn.clone()));
            }
            Request::ChangeComment { id, text, .. } => {
                let has_id = |comment: &Comment| comment.id == id;
                let at = self.turn.comments.iter().position(has_id).ok_or(Refusal::NoSuchComment)?;
                let comment = &mut self.turn.comments[at];
                match text.is_empty() {
                    true if comment.again => (comment.state, comment.again) = (CommentState::Open, false),
                    true => _ = self.turn.comments.remove(at),
                    false if comment.state.is_read() => {
                        (comment.state, comment.again, comment.text) = (CommentState::Unsent, true, text);
                    }
                    false => comment.text = text,
                }
                emit(Event::Turn(self.turn.clone()));
            }
            Request::Flushed { .. } => {
                if let Some(caught_up) = &self.caught_up {
                    caught_up.send(()).expect("a reader");
                }
            }
            Request::FinishTurn { turn, revision, send, ask_to_undo } => {
                self.check(turn, revision)?;
                let files = self.turn.files.iter().enumerate().filter(|(_, file)| !file.marked.is_nothing());
                let undone = files.map(|(at, file)| {
                    let refused = self.refused.clone().filter(|(refused, _)| *refused == at);
                    let draft = refused.is_none().then(|| format!("/drafts/{at}"));
                    UndoneFile { path: file.path.clone(), refused: refused.map(|(_, why)| why), draft }
                });
                let mut finished = TurnFinished { turn, files: undone.collect(), ..TurnFinished::default() };
                if ask_to_undo {
                    finished.asked = finished.files.drain(..).map(|file| file.path).collect();
                }
                if let Some(route) = self.turn.route.clone().filter(|_| send) {
                    let message = TurnMessage { words: route.words, ..TurnMessage::default() };
                    finished.sent = Some(message);
                }
                emit(Event::TurnFinished(finished));
                self.turn.revision += 1;
                self.turn.files.clear();
                emit(Event::Turn(self.turn.clone()));
            }
            _ => {}
        }
        Ok(Revised { revision: self.turn.revision })
    }

    /// Sets the mark of a file by the marks of its hunks.
    fn count_marks(&mut self, file: usize) {
        let hunks = self.reviews[file].iter().flat_map(|review| &review.hunks);
        self.turn.files[file].marked = match hunks.filter(|hunk| hunk.state == HunkState::Dropped).count() {
            0 => Marked::Nothing,
            dropped => Marked::Hunks(dropped),
        };
    }

    /// Removes the first hunk of a file, adds a remark to the list, and returns the refusal of the mark.
    fn rewrite(&mut self, id: ReviewId, to: &UnboundedSender<Event>) -> Refusal {
        let (file, review) = self.review(id);
        review.hunks.remove(0);
        review.id = ReviewId(id.0 + 100);
        let review = review.clone();
        self.turn.files[file].added = 1;
        self.turn.remarks.push("1 mark was lost: a file changed".into());
        self.turn.revision += 1;
        let (turn, revision) = (self.turn.id, self.turn.revision);
        let opened = OpenedTurnFile { turn, revision, file, review, new: None, accepted: Vec::new() };
        for event in [Event::Turn(self.turn.clone()), Event::TurnFile(opened)] {
            // As in `serve`.
            let _ = to.send(event);
        }
        Refusal::Stale { revision: 1 }
    }

    fn check(&self, turn: TurnId, revision: u64) -> Result<(), Refusal> {
        let is_current = (turn, revision) == (self.turn.id, self.turn.revision);
        if is_current { Ok(()) } else { Err(Refusal::NoSuchTurn) }
    }

    fn review(&mut self, id: ReviewId) -> (usize, &mut Review) {
        let mut reviews = self.reviews.iter_mut().enumerate();
        let found = reviews
            .find_map(|(file, review)| Some((file, review.as_mut().filter(|review| review.id == id)?)));
        found.expect("an open file")
    }
}

/// Splits a hunk of two lines into two.
fn halves(hunk: &Hunk) -> [Hunk; 2] {
    let line = |lines: Lines, at: usize| Lines { start: lines.start + at, end: lines.start + at + 1 };
    [0, 1].map(|at| Hunk {
        original: line(hunk.original, at),
        proposed: line(hunk.proposed, at),
        current: line(hunk.current, at),
        ..hunk.clone()
    })
}

/// Changes the hunks of a review, and returns the event of its new revision.
fn changed(review: &mut Review, change: impl FnOnce(&mut Vec<Hunk>)) -> Event {
    let from = review.revision;
    review.revision += 1;
    change(&mut review.hunks);
    let (id, revision, hunks) = (review.id, review.revision, review.hunks.clone());
    Event::Changed(Changed { id, from, revision, hunks, ..Changed::default() })
}
