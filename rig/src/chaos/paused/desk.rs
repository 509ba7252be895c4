//! A desk: it shows the reviews that the companion sent, and a person acts on exactly those.

use std::collections::BTreeMap;

use alongside_desk::{
    ActiveFile, Change, ContextReport, Decision as Verdict, Desk as Seat, Event, Position, Range, Refusal,
    Request, Review, ReviewId, Revised,
};
use tokio::sync::oneshot::{self, error::TryRecvError};

use crate::chaos::record::{Attention, Decision, Edit, Record, Reply, ToldWord, push};

type PendingReply = oneshot::Receiver<Result<Revised, Refusal>>;

#[derive(Debug)]
pub(super) struct Desk {
    number: usize,
    seat: Option<Seat>,
    reviews: BTreeMap<ReviewId, Review>,
    /// The marks of all reviews of this companion, also of those that ended.
    marks: BTreeMap<ReviewId, String>,
    /// When it had heard everything.
    heard: u64,
    /// Its present span in the record.
    attention: Option<usize>,
    pub(super) frozen_until: Option<u64>,
    /// The requests without a reply.
    calls: Vec<(Call, PendingReply)>,
    /// Number of events and replies received.
    pub(super) activity: usize,
}

/// A request, by its index in the record.
#[derive(Debug, Clone, Copy)]
enum Call {
    Edit(usize),
    Decision(usize),
}

impl Desk {
    pub(super) fn new(number: usize) -> Self {
        Self {
            number,
            seat: None,
            reviews: BTreeMap::new(),
            marks: BTreeMap::new(),
            heard: 0,
            attention: None,
            frozen_until: None,
            calls: Vec::new(),
            activity: 0,
        }
    }

    pub(super) fn has_joined(&self) -> bool {
        self.seat.is_some()
    }

    pub(super) fn join(&mut self, seat: Seat, now: u64, record: &mut Record) {
        self.reviews.clear();
        self.marks.clear();
        self.heard = now;
        self.seat = Some(seat);
        self.attend(now, record);
    }

    /// It hears from now on, if it has joined and is not frozen.
    fn attend(&mut self, now: u64, record: &mut Record) {
        if self.seat.is_some() && self.frozen_until.is_none() {
            let attention = Attention { desk: self.number, from: now, until: u64::MAX };
            self.attention = Some(push(&mut record.attention, attention));
        }
    }

    fn end_attention(&mut self, now: u64, record: &mut Record) {
        if let Some(span) = self.attention.take() {
            record.attention[span].until = now;
        }
    }

    /// Neither hears nor acts until this time; false if it is frozen already.
    pub(super) fn freeze(&mut self, until: u64, now: u64, record: &mut Record) -> bool {
        let freezes = self.frozen_until.is_none();
        self.frozen_until.get_or_insert(until);
        self.end_attention(now, record);
        freezes
    }

    /// Continues if its time has come; false otherwise.
    pub(super) fn thaw(&mut self, now: u64, record: &mut Record) -> bool {
        let thaws = self.frozen_until.take_if(|until| *until <= now).is_some();
        if thaws {
            self.attend(now, record);
        }
        thaws
    }

    /// Leaves; false if it had not joined. The companion may still take its last requests.
    pub(super) fn leave(&mut self, says_so: bool, now: u64, record: &mut Record) -> bool {
        let Some(seat) = self.seat.take() else { return false };
        self.end_attention(now, record);
        if says_so {
            drop(seat.send(Request::Leave));
        }
        for (call, _) in self.calls.drain(..) {
            call.note(record, now, Reply::Missing);
        }
        true
    }

    /// Takes all waiting events and replies.
    pub(super) fn receive(&mut self, now: u64, record: &mut Record) {
        let Some(seat) = self.seat.as_mut().filter(|_| self.frozen_until.is_none()) else { return };
        while let Some(event) = seat.try_next() {
            self.activity += 1;
            match event {
                Event::Opened(review) => {
                    self.marks.insert(review.id, mark_of(&review.proposed));
                    self.reviews.insert(review.id, review);
                }
                Event::LastWord(told) => {
                    let proposal = self.marks.get(&told.id).cloned().unwrap_or_default();
                    let (desk, since) = (self.number, self.heard);
                    // A desk that joined after the decision does not know the review.
                    if !proposal.is_empty() {
                        record.words.push(ToldWord { desk, proposal, word: told.word, since, at: now });
                    }
                }
                Event::Changed(changed) => {
                    let review = self.reviews.get_mut(&changed.id);
                    if let Some(review) = review {
                        review.take(changed).expect("changes arrive in order");
                    }
                }
                Event::Closed(closed) => drop(self.reviews.remove(&closed.id)),
                Event::FlushReview { id } => drop(seat.send(Request::Flushed { id })),
                Event::Status(_)
                | Event::Problem(_)
                | Event::Notice { .. }
                | Event::AcceptedByRule(_)
                | Event::Turn(_)
                | Event::TurnFile(_)
                | Event::TurnFinished(_)
                | Event::DiagnosticsWanted { .. } => {}
            }
        }
        self.heard = now;
        let before = self.calls.len();
        self.calls.retain_mut(|(call, reply)| {
            let reply = match reply.try_recv() {
                Ok(Ok(_)) => Reply::Taken,
                Ok(Err(Refusal::Stopped)) | Err(TryRecvError::Closed) => Reply::Missing,
                Ok(Err(refusal)) => Reply::Refused(refusal.to_string()),
                Err(TryRecvError::Empty) => return true,
            };
            call.note(record, now, reply);
            false
        });
        self.activity += before - self.calls.len();
    }

    fn pick(&self, pick: usize) -> Option<(&Seat, &Review)> {
        let seat = self.seat.as_ref().filter(|_| self.frozen_until.is_none())?;
        let review = self.reviews.values().nth(pick.checked_rem(self.reviews.len())?)?;
        Some((seat, review))
    }

    /// Types a line that occurs nowhere else in the round.
    pub(super) fn edit(&mut self, pick: usize, mark: &str, now: u64, record: &mut Record) -> bool {
        let Some((seat, review)) = self.pick(pick) else { return false };
        let at = Position { line: (pick % 3) as u32, character: 0 };
        let changes = vec![Change { range: Some(Range { start: at, end: at }), text: format!("{mark}\n") }];
        let answer = seat.send(Request::EditReview { id: review.id, revision: review.revision, changes });
        let edit = Edit {
            desk: self.number,
            proposal: mark_of(&review.proposed),
            typed: mark.to_owned(),
            asked: now,
            answered: (now, Reply::Missing),
        };
        self.calls.push((Call::Edit(push(&mut record.edits, edit)), answer));
        true
    }

    pub(super) fn decide(&mut self, pick: usize, accept: bool, now: u64, record: &mut Record) -> bool {
        let Some((seat, review)) = self.pick(pick) else { return false };
        let decision = if accept { Verdict::Accept } else { Verdict::Reject };
        let answer = seat.send(Request::DecideReview { id: review.id, revision: review.revision, decision });
        let decision = Decision {
            desk: self.number,
            proposal: mark_of(&review.proposed),
            text: review.current.to_string(),
            accept,
            asked: now,
            answered: (now, Reply::Missing),
        };
        self.calls.push((Call::Decision(push(&mut record.decisions, decision)), answer));
        true
    }

    /// Number of reviews that it shows.
    pub(super) fn review_count(&self) -> usize {
        self.reviews.len()
    }

    pub(super) fn open_file(&self, path: &str) -> bool {
        let Some(seat) = self.seat.as_ref().filter(|_| self.frozen_until.is_none()) else { return false };
        let active = Some(ActiveFile { path: path.to_owned(), ..ActiveFile::default() });
        drop(seat.send(Request::ChangeContext(ContextReport { active, ..ContextReport::default() })));
        true
    }
}

impl Call {
    fn note(self, record: &mut Record, now: u64, reply: Reply) {
        match self {
            Self::Edit(at) => record.edits[at].answered = (now, reply),
            Self::Decision(at) => record.decisions[at].answered = (now, reply),
        }
    }
}

/// The line of a text that identifies its proposal.
fn mark_of(text: &str) -> String {
    text.lines().find(|line| line.starts_with("proposal ")).unwrap_or_default().to_owned()
}
