//! A companion that holds the texts of a turn in memory and writes no file.

use std::sync::Arc;

use alongside_desk::{
    Call, Event, FileChange, Hunk, Lines, OpenedTurnFile, Refusal, Request, Review, ReviewId, Revised, Seat,
    Turn, TurnFile, TurnId,
};
use tokio::sync::mpsc::UnboundedSender;

/// See the module.
pub(super) struct Companion {
    pub(super) turn: Turn,
    /// The texts of each file, if they can be shown.
    reviews: Vec<Option<Review>>,
    /// The events that come before the list.
    pub(super) news: Vec<Event>,
    /// Why a look tells nothing.
    pub(super) unknown: Option<String>,
}

/// A changed file of nine lines, of which lines 2 and 8 differ.
pub(super) fn modified(path: &str) -> (TurnFile, Option<Review>) {
    let original = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let hunk = |line: usize| {
        let lines = Lines { start: line, end: line + 1 };
        Hunk { original: lines, proposed: lines, current: lines, ..Hunk::default() }
    };
    let proposed = original.replace('2', "two").replace('8', "eight\x1b[2J");
    let review = review(Some(original), &proposed, vec![hunk(1), hunk(7)]);
    (TurnFile { path: path.into(), added: 2, removed: 2, ..TurnFile::default() }, Some(review))
}

/// A new file of two lines.
pub(super) fn added(path: &str) -> (TurnFile, Option<Review>) {
    let lines = Lines { start: 0, end: 2 };
    let hunk = Hunk { proposed: lines, current: lines, ..Hunk::default() };
    let change = FileChange::Added;
    let file = TurnFile { path: path.into(), change, added: 2, ..TurnFile::default() };
    (file, Some(review(None, "new\nlines\n", vec![hunk])))
}

/// A file whose texts cannot be shown.
pub(super) fn binary(path: &str) -> (TurnFile, Option<Review>) {
    let without_text = Some("it is binary".into());
    (TurnFile { path: path.into(), without_text, ..TurnFile::default() }, None)
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
    pub(super) fn new(files: Vec<(TurnFile, Option<Review>)>) -> Self {
        let (files, mut reviews): (Vec<_>, Vec<_>) = files.into_iter().unzip();
        for (review, id) in reviews.iter_mut().zip(100..) {
            if let Some(review) = review {
                review.id = ReviewId(id);
            }
        }
        let mut turn = Turn { id: TurnId(7), revision: 3, files, ..Turn::default() };
        turn.baseline.asked = Some("HEAD".into());
        turn.baseline.name = "the end of the last turn of Codex".into();
        Self { turn, reviews, news: Vec::new(), unknown: None }
    }

    /// Answers until the desk leaves. Returns the requests.
    pub(super) async fn serve(mut self, mut seat: Seat) -> Vec<Request> {
        let mut asked = Vec::new();
        while let Some(Call { request, answer }) = seat.calls.recv().await {
            let is_last = request == Request::Leave;
            asked.push(request.clone());
            // A desk that has gone needs no answer.
            let _ = answer.send(self.take(request, &seat.events));
            if is_last {
                break;
            }
        }
        asked
    }

    fn take(&mut self, request: Request, to: &UnboundedSender<Event>) -> Result<Revised, Refusal> {
        let tell = |event| drop(to.send(event));
        match request {
            Request::ReviewTurn { .. } => {
                self.news.drain(..).for_each(tell);
                if let Some(reason) = self.unknown.clone() {
                    return Err(Refusal::TurnUnknown { reason });
                }
                tell(Event::Turn(self.turn.clone()));
            }
            Request::OpenTurnFile { turn, revision, file } => {
                self.check(turn, revision)?;
                let review = self.reviews[file].clone().expect("a text");
                tell(Event::TurnFile(OpenedTurnFile { turn, revision, file, review }));
            }
            _ => {}
        }
        Ok(Revised { revision: self.turn.revision })
    }

    fn check(&self, turn: TurnId, revision: u64) -> Result<(), Refusal> {
        let is_now = (turn, revision) == (self.turn.id, self.turn.revision);
        if is_now { Ok(()) } else { Err(Refusal::NoSuchTurn) }
    }
}
