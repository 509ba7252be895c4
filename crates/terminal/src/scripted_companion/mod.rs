//! The scripted companion of the tests. Its reviews are made of given pieces, and it has no files and no
//! agents.

mod comments;

use std::collections::HashMap;
use std::path::PathBuf;

use alongside_desk::{
    Agent, Call, Change, Changed, Closed, Closing, Decision, Event, Follows, Hunk, HunkState, Lines, Marked,
    OpenedTurnFile, Refusal, Request, Review, ReviewId, Revised, Seat, SharedFile, Status, Turn,
    TurnFinished, UndoneFile,
};

/// A piece of a proposal.
#[derive(Debug, Clone)]
pub(crate) enum Piece {
    /// Lines that stay.
    Same(String),
    /// Lines that the proposal changes, with the state of the hunk and its text now.
    Differs { old: String, new: String, state: HunkState, now: String },
}

/// Creates a piece of lines that stay.
pub(crate) fn same(text: &str) -> Piece {
    Piece::Same(text.into())
}

/// Creates a piece of lines that the proposal changes.
pub(crate) fn differs(old: &str, new: &str) -> Piece {
    Piece::Differs { old: old.into(), new: new.into(), state: HunkState::Kept, now: new.into() }
}

/// A connected agent.
pub(crate) fn agent(number: u64, name: &str, version: &str, since: u64) -> Agent {
    Agent {
        number,
        name: name.into(),
        version: version.into(),
        since,
        listening: true,
        asks_itself: false,
        takes_files: false,
        by_hook: false,
    }
}

/// A review of a file made of pieces.
pub(crate) fn review(id: u64, agent: &Agent, file: &str, pieces: &[Piece]) -> Review {
    let mut review = Review {
        id: ReviewId(id),
        agent: agent.clone(),
        file: file.into(),
        original: Some("".into()),
        proposed: "".into(),
        current: "".into(),
        revision: 1,
        ..Review::default()
    };
    compose(&mut review, pieces);
    review
}

fn compose(review: &mut Review, pieces: &[Piece]) {
    // Each text with the number of its lines.
    let mut texts: [(String, usize); 3] = Default::default();
    review.hunks.clear();
    for piece in pieces {
        let of_piece = match piece {
            Piece::Same(text) => [text; 3],
            Piece::Differs { old, new, now, .. } => [old, new, now],
        };
        let mut lines = [Lines::default(); 3];
        for (((text, count), more), lines) in texts.iter_mut().zip(of_piece).zip(&mut lines) {
            text.push_str(more);
            let start = *count;
            *count += more.lines().count();
            *lines = Lines { start, end: *count };
        }
        if let Piece::Differs { state, .. } = piece {
            let [original, proposed, current] = lines;
            review.hunks.push(Hunk { original, proposed, current, state: *state, ..Hunk::default() });
        }
    }
    let [original, proposed, current] = texts.map(|(text, _)| text);
    if review.original.is_some() {
        review.original = Some(original.into());
    }
    (review.proposed, review.current) = (proposed.into(), current.into());
}

pub(crate) struct Companion {
    seat: Seat,
    pub(crate) status: Status,
    reviews: HashMap<ReviewId, (Review, Vec<Piece>)>,
    before: HashMap<ReviewId, Vec<Vec<Piece>>>,
    undone: HashMap<ReviewId, Vec<Vec<Piece>>>,
    /// All requests, in order.
    pub(crate) requests: Vec<Request>,
    /// The refusal of the next request that changes or decides.
    pub(crate) refuse: Option<Refusal>,
    /// The turn review; without it, requests about turns are refused.
    pub(crate) turn: Option<Turn>,
    /// The pieces of the turn's files, by path.
    pub(crate) turn_files: HashMap<String, Vec<Piece>>,
    /// The lines of each file that the person accepted before the write.
    pub(crate) accepted: Vec<Lines>,
    /// The files whose undo is refused, by path, with the reasons.
    pub(crate) not_undone: HashMap<String, String>,
    /// The files for which setting (true) or removing (false) a mark is refused once.
    pub(crate) not_marked: Vec<(usize, bool)>,
    /// The present time in ms since the Unix epoch.
    pub(crate) now: u64,
}

/// The review id of the first file of a turn.
const FIRST_TURN_FILE_ID: u64 = 1000;

impl Companion {
    pub(crate) fn new(seat: Seat, roots: Vec<PathBuf>) -> Self {
        let status = Status { port: 1, pid: 1, roots, desks: 1, ..Status::default() };
        Self {
            seat,
            status,
            reviews: HashMap::new(),
            before: HashMap::new(),
            undone: HashMap::new(),
            requests: Vec::new(),
            refuse: None,
            turn: None,
            turn_files: HashMap::new(),
            accepted: Vec::new(),
            not_undone: HashMap::new(),
            not_marked: Vec::new(),
            now: 0,
        }
    }

    pub(crate) fn send(&self, event: Event) {
        // A desk that has left gets no events.
        let _ = self.seat.events.send(event);
    }

    pub(crate) fn send_status(&self) {
        self.send(Event::Status(self.status.clone()));
    }

    /// Sets the files that agents see. The first file is active.
    pub(crate) fn set_shown_files(&mut self, files: &[&str]) {
        let file = |(index, path): (usize, &&str)| SharedFile {
            path: (*path).into(),
            active: index == 0,
            ..SharedFile::default()
        };
        self.status.context = files.iter().enumerate().map(file).collect();
    }

    pub(crate) fn open(&mut self, id: u64, agent: &Agent, file: &str, pieces: &[Piece]) -> Review {
        let review = review(id, agent, file, pieces);
        self.open_as(review.clone(), pieces);
        review
    }

    pub(crate) fn open_as(&mut self, review: Review, pieces: &[Piece]) {
        self.send(Event::Opened(review.clone()));
        self.reviews.insert(review.id, (review, pieces.to_vec()));
    }

    /// Ends a review for a reason other than this desk's decision.
    pub(crate) fn close(&mut self, id: u64, closing: Closing, draft: Option<PathBuf>) {
        self.end(Closed { draft, ..closed(ReviewId(id), closing) });
    }

    /// Ends a review by a decision at another desk of this name.
    pub(crate) fn decide_in(&mut self, desk: &str, id: u64, closing: Closing) {
        self.end(Closed { decided_in: Some(desk.to_owned()), ..closed(ReviewId(id), closing) });
    }

    fn end(&mut self, closed: Closed) {
        self.reviews.remove(&closed.id);
        self.send(Event::Closed(closed));
    }

    /// Drops changes of a review, as another desk does.
    pub(crate) fn drop_elsewhere(&mut self, id: u64, hunks: &[usize]) {
        self.change(id, |_, pieces| keep_hunks(pieces, hunks, false));
    }

    /// Changes a review, as another desk or a change on disk does.
    pub(crate) fn change(&mut self, id: u64, change: impl FnOnce(&mut Review, &mut Vec<Piece>)) {
        self.undone.remove(&ReviewId(id));
        self.revise(id, change);
    }

    fn revise(&mut self, id: u64, change: impl FnOnce(&mut Review, &mut Vec<Piece>)) {
        let Some((review, pieces)) = self.reviews.get_mut(&ReviewId(id)) else { return };
        let (from, before) = (review.revision, review.current.clone());
        change(review, pieces);
        let reasons: Vec<_> = review.hunks.iter().map(|hunk| hunk.reason.clone()).collect();
        compose(review, pieces);
        review.hunks.iter_mut().zip(reasons).for_each(|(hunk, reason)| hunk.reason = reason);
        review.revision += 1;
        let changes = match before == review.current {
            true => Vec::new(),
            false => vec![Change { range: None, text: review.current.to_string() }],
        };
        let changed = Changed {
            id: review.id,
            from,
            revision: review.revision,
            changes,
            hunks: review.hunks.clone(),
            stale: review.stale,
            dirty: review.dirty,
            reason: review.reason.clone(),
            unawaited: review.unawaited,
        };
        self.send(Event::Changed(changed));
    }

    /// Sets the reason of a hunk, or of the whole review. An empty reason removes it.
    fn set_reason(&mut self, id: ReviewId, hunk: Option<usize>, reason: String) {
        let reason = Some(reason).filter(|reason| !reason.is_empty());
        self.revise(id.0, |review, _| match hunk {
            Some(hunk) => {
                if let Some(hunk) = review.hunks.get_mut(hunk) {
                    hunk.reason = reason;
                }
            }
            None => review.reason = reason,
        });
    }

    /// Waits for a request; `None` if the desk is gone. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<Call> {
        self.seat.calls.recv().await
    }

    /// Carries out a request. Returns false if the desk leaves.
    pub(crate) fn answer(&mut self, call: Call) -> bool {
        let Call { request, answer } = call;
        self.requests.push(request.clone());
        let leaves = request == Request::Leave;
        // The desk may no longer wait for the reply.
        let _ = answer.send(self.carry_out(request));
        !leaves
    }

    fn carry_out(&mut self, request: Request) -> Result<Revised, Refusal> {
        let (id, revision) = match &request {
            Request::EditReview { id, revision, .. }
            | Request::KeepHunks { id, revision, .. }
            | Request::SplitHunk { id, revision, .. }
            | Request::SetReason { id, revision, .. }
            | Request::UndoReview { id, revision }
            | Request::RedoReview { id, revision }
            | Request::DecideReview { id, revision, .. } => (*id, *revision),
            Request::PauseContext { paused } => {
                self.status.paused = *paused;
                self.send_status();
                return Ok(Revised::default());
            }
            Request::ReviewTurn { .. }
            | Request::OpenTurnFile { .. }
            | Request::MarkTurnFile { .. }
            | Request::AddComment { .. }
            | Request::ChangeComment { .. }
            | Request::FinishTurn { .. } => return self.carry_out_turn(&request),
            _ => return Ok(Revised::default()),
        };
        if let Some(refusal) = self.refuse.take() {
            return Err(refusal);
        }
        let (review, pieces) = self.reviews.get(&id).ok_or(Refusal::NoSuchReview)?;
        if review.revision != revision {
            return Err(Refusal::Stale { revision: review.revision });
        }
        if let Request::DecideReview { decision, .. } = request {
            let closing = if decision == Decision::Accept { Closing::Accepted } else { Closing::Rejected };
            if decision == Decision::Accept && review.current.is_empty() && !review.proposed.is_empty() {
                return Err(Refusal::Empty);
            }
            self.end(Closed { decided_here: true, ..closed(id, closing) });
            return Ok(Revised { revision });
        }
        if let Request::SetReason { hunk, reason, .. } = request {
            if review.reasons.are_lost() {
                return Err(Refusal::NoReason);
            }
            self.set_reason(id, hunk, reason);
            return Ok(Revised { revision: revision + 1 });
        }
        let history = self.before.entry(id).or_default();
        let now = pieces.clone();
        let undone = self.undone.entry(id).or_default();
        let (undoes, redoes) =
            (matches!(request, Request::UndoReview { .. }), matches!(request, Request::RedoReview { .. }));
        let mut next = now.clone();
        match request {
            Request::KeepHunks { hunks, keep, .. } => keep_hunks(&mut next, &hunks, keep),
            Request::EditReview { changes, .. } => {
                let text = changes.into_iter().last().map(|change| change.text).unwrap_or_default();
                let old = review.original.as_deref().unwrap_or_default().to_owned();
                let new = review.proposed.to_string();
                next = vec![Piece::Differs { old, new, state: HunkState::Edited, now: text }];
            }
            Request::UndoReview { .. } => next = history.pop().ok_or(Refusal::NothingToUndo)?,
            Request::RedoReview { .. } => next = undone.pop().ok_or(Refusal::NothingToRedo)?,
            _ => return Err(Refusal::CannotSplit),
        }
        if !undoes && !redoes {
            undone.clear();
        }
        if undoes { undone } else { history }.push(now);
        self.revise(id.0, |_, pieces| *pieces = next);
        self.note_marks(id);
        Ok(Revised { revision: revision + 1 })
    }

    pub(crate) fn send_turn(&self) {
        if let Some(turn) = &self.turn {
            self.send(Event::Turn(turn.clone()));
        }
    }

    /// Sends the list again with a new revision.
    pub(crate) fn renew_turn(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.revision += 1;
        }
        self.send_turn();
    }

    /// Updates the mark of a turn's file after a change of its hunks.
    fn note_marks(&mut self, id: ReviewId) {
        let file = id.0.checked_sub(FIRST_TURN_FILE_ID).and_then(|file| usize::try_from(file).ok());
        let file = file.and_then(|file| self.turn.as_mut()?.files.get_mut(file));
        if let (Some(file), Some((review, _))) = (file, self.reviews.get(&id)) {
            let marked = review.hunks.iter().filter(|hunk| hunk.state == HunkState::Dropped).count();
            file.marked = if marked == 0 { Marked::Nothing } else { Marked::Hunks(marked) };
            self.renew_turn();
        }
    }

    fn carry_out_turn(&mut self, request: &Request) -> Result<Revised, Refusal> {
        if let Some(refusal) = self.refuse.take() {
            return Err(refusal);
        }
        let unknown = || Refusal::TurnUnknown { reason: "there is no repository".into() };
        let turn = self.turn.clone().ok_or_else(unknown)?;
        let revised = Ok(Revised { revision: turn.revision });
        match *request {
            Request::OpenTurnFile { revision, file, .. } => {
                let turn_file = turn.files.get(file).ok_or(Refusal::NoSuchTurn)?;
                let pieces = self.turn_files.get(&turn_file.path).cloned().ok_or_else(unknown)?;
                let id = FIRST_TURN_FILE_ID + file as u64;
                let path = format!("{}/{}", turn.root, turn_file.path);
                let review = match self.reviews.get(&ReviewId(id)) {
                    Some((review, _)) => review.clone(),
                    None => review(id, &Agent::default(), &path, &pieces),
                };
                self.reviews.entry(review.id).or_insert_with(|| (review.clone(), pieces));
                self.send(Event::TurnFile(OpenedTurnFile {
                    turn: turn.id,
                    revision,
                    file,
                    review,
                    new: None,
                    accepted: self.accepted.clone(),
                }));
            }
            Request::MarkTurnFile { file, undo, .. } => {
                if let Some(at) = self.not_marked.iter().position(|mark| *mark == (file, undo)) {
                    self.not_marked.remove(at);
                    return Err(Refusal::Interrupted);
                }
                let id = FIRST_TURN_FILE_ID + file as u64;
                let hunks = self.reviews.get(&ReviewId(id)).map_or(0, |(review, _)| review.hunks.len());
                let all: Vec<_> = (0..hunks).collect();
                self.revise(id, |_, pieces| keep_hunks(pieces, &all, !undo));
                if let Some(file) = self.turn.as_mut().and_then(|turn| turn.files.get_mut(file)) {
                    file.marked = if undo { Marked::Whole } else { Marked::Nothing };
                }
                self.renew_turn();
            }
            Request::AddComment { .. } | Request::ChangeComment { .. } => {
                if let Some(turn) = &mut self.turn {
                    comments::comment(turn, request, self.now)?;
                }
                self.send_turn();
            }
            Request::FinishTurn { send, ask_to_undo, .. } => {
                let marked = turn.files.iter().filter(|file| !file.marked.is_nothing());
                let files = marked.map(|file| UndoneFile {
                    path: file.path.clone(),
                    refused: self.not_undone.get(&file.path).cloned(),
                    draft: Some(format!("/drafts/{}", file.path)),
                });
                let mut finished =
                    TurnFinished { turn: turn.id, files: files.collect(), ..TurnFinished::default() };
                if let Some(turn) = self.turn.as_mut().filter(|_| send) {
                    comments::send(turn, &mut finished, ask_to_undo, self.now);
                }
                let is_undone = |path: &String| {
                    finished.files.iter().any(|file| file.path == *path && file.refused.is_none())
                };
                if let Some(turn) = &mut self.turn {
                    turn.files.retain(|file| !is_undone(&file.path));
                    turn.revision += 1;
                }
                self.reviews.retain(|id, _| id.0 < FIRST_TURN_FILE_ID);
                self.send(Event::TurnFinished(finished));
                self.send_turn();
            }
            _ => self.send_turn(),
        }
        revised
    }
}

/// The end of a review in which the agent writes next.
fn closed(id: ReviewId, closing: Closing) -> Closed {
    Closed { id, closing, decided_here: false, decided_in: None, draft: None, follows: Follows::Write }
}

/// Keeps or drops some hunks.
pub(crate) fn keep_hunks(pieces: &mut [Piece], hunks: &[usize], keep: bool) {
    let differing = pieces.iter_mut().filter(|piece| matches!(piece, Piece::Differs { .. }));
    for (index, piece) in differing.enumerate() {
        if let Piece::Differs { old, new, state, now } = piece
            && hunks.contains(&index)
        {
            *state = if keep { HunkState::Kept } else { HunkState::Dropped };
            *now = if keep { new.clone() } else { old.clone() };
        }
    }
}
