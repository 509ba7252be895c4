//! A desk: what its person sees is what the companion told it, and every request is made on that.

use std::collections::BTreeMap;

use alongside_desk::{
    ActiveFile, Change, ContextReport, Decision as Word, Desk as Seat, Event, Position, Range, Refusal,
    Request, Review, ReviewId, Revised,
};
use tokio::sync::oneshot::{self, error::TryRecvError};

use crate::chaos::record::{Answer, Decision, Edit};

type Answered = oneshot::Receiver<Result<Revised, Refusal>>;

#[derive(Debug)]
pub(super) struct Desk {
    number: usize,
    seat: Option<Seat>,
    reviews: BTreeMap<ReviewId, Review>,
    pub(super) frozen_until: Option<u64>,
    /// What was asked and not answered, by its place among all.
    calls: Vec<(Call, Answered)>,
    /// Counts what it has heard.
    pub(super) news: usize,
}

#[derive(Debug, Clone, Copy)]
enum Call {
    Edit(usize),
    Decision(usize),
}

/// What was done at all desks.
#[derive(Debug, Default)]
pub(super) struct Deeds {
    pub(super) edits: Vec<Edit>,
    pub(super) decisions: Vec<Decision>,
}

impl Desk {
    pub(super) fn new(number: usize) -> Self {
        let (seat, reviews, frozen_until) = (None, BTreeMap::new(), None);
        Self { number, seat, reviews, frozen_until, calls: Vec::new(), news: 0 }
    }

    pub(super) fn is_there(&self) -> bool {
        self.seat.is_some()
    }

    pub(super) fn sit(&mut self, seat: Seat) {
        self.reviews.clear();
        self.seat = Some(seat);
    }

    /// Goes; what it asked last may still be done.
    pub(super) fn leave(&mut self, says_so: bool, now: u64, deeds: &mut Deeds) -> bool {
        let Some(seat) = self.seat.take() else { return false };
        if says_so {
            drop(seat.send(Request::Leave));
        }
        for (call, _) in self.calls.drain(..) {
            call.note(deeds, now, Answer::Nothing);
        }
        true
    }

    /// Hears what there is to hear.
    pub(super) fn hear(&mut self, now: u64, deeds: &mut Deeds) {
        let Some(seat) = self.seat.as_mut().filter(|_| self.frozen_until.is_none()) else { return };
        while let Some(event) = seat.try_next() {
            self.news += 1;
            match event {
                Event::Opened(review) => drop(self.reviews.insert(review.id, review)),
                Event::Changed(changed) => {
                    let review = self.reviews.get_mut(&changed.id);
                    if let Some(review) = review {
                        review.take(changed).expect("a desk is told of changes in order");
                    }
                }
                Event::Closed(closed) => drop(self.reviews.remove(&closed.id)),
                Event::FlushReview { id } => drop(seat.send(Request::Flushed { id })),
                Event::Status(_) | Event::Problem(_) => {}
            }
        }
        let mut answered = 0;
        self.calls.retain_mut(|(call, answer)| {
            let answer = match answer.try_recv() {
                Ok(Ok(_)) => Answer::Taken,
                Ok(Err(Refusal::Stopped)) | Err(TryRecvError::Closed) => Answer::Nothing,
                Ok(Err(refusal)) => Answer::Refused(refusal.to_string()),
                Err(TryRecvError::Empty) => return true,
            };
            call.note(deeds, now, answer);
            answered += 1;
            false
        });
        self.news += answered;
    }

    fn pick(&self, pick: usize) -> Option<(&Seat, &Review)> {
        let seat = self.seat.as_ref().filter(|_| self.frozen_until.is_none())?;
        let review = self.reviews.values().nth(pick.checked_rem(self.reviews.len())?)?;
        Some((seat, review))
    }

    /// Types a line, which stands nowhere else.
    pub(super) fn edit(&mut self, pick: usize, mark: &str, now: u64, deeds: &mut Deeds) -> bool {
        let Some((seat, review)) = self.pick(pick) else { return false };
        let at = Position { line: (pick % 3) as u32, character: 0 };
        let changes = vec![Change { range: Some(Range { start: at, end: at }), text: format!("{mark}\n") }];
        let answer = seat.send(Request::EditReview { id: review.id, revision: review.revision, changes });
        let edit = Edit {
            desk: self.number,
            proposal: mark_in(&review.proposed),
            typed: mark.to_owned(),
            asked: now,
            answered: (now, Answer::Nothing),
        };
        self.calls.push((Call::Edit(deeds.edits.len()), answer));
        deeds.edits.push(edit);
        true
    }

    pub(super) fn decide(&mut self, pick: usize, accept: bool, now: u64, deeds: &mut Deeds) -> bool {
        let Some((seat, review)) = self.pick(pick) else { return false };
        let decision = if accept { Word::Accept } else { Word::Reject };
        let answer = seat.send(Request::DecideReview { id: review.id, revision: review.revision, decision });
        let decision = Decision {
            desk: self.number,
            proposal: mark_in(&review.proposed),
            text: review.current.to_string(),
            accept,
            asked: now,
            answered: (now, Answer::Nothing),
        };
        self.calls.push((Call::Decision(deeds.decisions.len()), answer));
        deeds.decisions.push(decision);
        true
    }

    /// How many reviews it shows.
    pub(super) fn shows(&self) -> usize {
        self.reviews.len()
    }

    pub(super) fn look_at(&self, path: &str) -> bool {
        let Some(seat) = self.seat.as_ref().filter(|_| self.frozen_until.is_none()) else { return false };
        let active = Some(ActiveFile { path: path.to_owned(), ..ActiveFile::default() });
        drop(seat.send(Request::ChangeContext(ContextReport { active, ..ContextReport::default() })));
        true
    }
}

impl Call {
    fn note(self, deeds: &mut Deeds, now: u64, answer: Answer) {
        match self {
            Self::Edit(at) => deeds.edits[at].answered = (now, answer),
            Self::Decision(at) => deeds.decisions[at].answered = (now, answer),
        }
    }
}

/// The line that names a proposal.
fn mark_in(text: &str) -> String {
    text.lines().find(|line| line.starts_with("proposal ")).unwrap_or_default().to_owned()
}
