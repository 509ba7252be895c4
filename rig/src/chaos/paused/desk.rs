//! A desk of a round, with the reviews that it has received. A person acts on these reviews only.

use std::collections::BTreeMap;

use alongside_desk::{
    ActiveFile, Change, ContextReport, Decision as DecisionKind, Desk as DeskConnection, Event, Position,
    Range, Refusal, Request, Review, ReviewId, Revised,
};
use tokio::sync::oneshot::{self, error::TryRecvError};

use crate::chaos::record::{Decision, Edit, Presence, Record, Reply, ReportedWord, push};

type PendingReply = oneshot::Receiver<Result<Revised, Refusal>>;

#[derive(Debug)]
pub(super) struct Desk {
    number: usize,
    connection: Option<DeskConnection>,
    reviews: BTreeMap<ReviewId, Review>,
    /// The markers of all reviews of this companion, including ended reviews.
    markers: BTreeMap<ReviewId, String>,
    /// The latest time at which the desk had received everything.
    up_to_date_at: u64,
    /// The index of its present time span in the record.
    presence: Option<usize>,
    pub(super) frozen_until: Option<u64>,
    /// The requests without a reply.
    requests: Vec<(RecordedRequest, PendingReply)>,
    /// The number of received events and replies.
    pub(super) activity: usize,
}

/// A request, by its index in the record.
#[derive(Debug, Clone, Copy)]
enum RecordedRequest {
    Edit(usize),
    Decision(usize),
}

impl Desk {
    pub(super) fn new(number: usize) -> Self {
        Self {
            number,
            connection: None,
            reviews: BTreeMap::new(),
            markers: BTreeMap::new(),
            up_to_date_at: 0,
            presence: None,
            frozen_until: None,
            requests: Vec::new(),
            activity: 0,
        }
    }

    pub(super) fn has_joined(&self) -> bool {
        self.connection.is_some()
    }

    pub(super) fn join(&mut self, connection: DeskConnection, now: u64, record: &mut Record) {
        self.reviews.clear();
        self.markers.clear();
        self.up_to_date_at = now;
        self.connection = Some(connection);
        self.begin_presence(now, record);
    }

    /// Begins a time span in which the desk receives messages, if it has joined and is not frozen.
    fn begin_presence(&mut self, now: u64, record: &mut Record) {
        if self.connection.is_some() && self.frozen_until.is_none() {
            let presence = Presence { desk: self.number, from: now, until: u64::MAX };
            self.presence = Some(push(&mut record.presences, presence));
        }
    }

    fn end_presence(&mut self, now: u64, record: &mut Record) {
        if let Some(index) = self.presence.take() {
            record.presences[index].until = now;
        }
    }

    /// Freezes the desk until this time. Returns false if it is frozen already.
    pub(super) fn freeze(&mut self, until: u64, now: u64, record: &mut Record) -> bool {
        let freezes = self.frozen_until.is_none();
        self.frozen_until.get_or_insert(until);
        self.end_presence(now, record);
        freezes
    }

    /// Thaws the desk if its freeze is over. Returns whether it was thawed.
    pub(super) fn thaw(&mut self, now: u64, record: &mut Record) -> bool {
        let thaws = self.frozen_until.take_if(|until| *until <= now).is_some();
        if thaws {
            self.begin_presence(now, record);
        }
        thaws
    }

    /// Leaves the companion, which may still accept the last requests. Returns false if the desk had not
    /// joined.
    pub(super) fn leave(&mut self, says_so: bool, now: u64, record: &mut Record) -> bool {
        let Some(connection) = self.connection.take() else { return false };
        self.end_presence(now, record);
        if says_so {
            drop(connection.send(Request::Leave));
        }
        for (request, _) in self.requests.drain(..) {
            request.set_reply(record, now, Reply::Missing);
        }
        true
    }

    /// Handles all events and replies that have arrived.
    pub(super) fn receive(&mut self, now: u64, record: &mut Record) {
        let Some(connection) = self.connection.as_mut().filter(|_| self.frozen_until.is_none()) else {
            return;
        };
        while let Some(event) = connection.try_next() {
            self.activity += 1;
            match event {
                Event::Opened(review) => {
                    self.markers.insert(review.id, marker_of(&review.proposed));
                    self.reviews.insert(review.id, review);
                }
                Event::LastWord(last) => {
                    let proposal = self.markers.get(&last.id).cloned().unwrap_or_default();
                    let (desk, since) = (self.number, self.up_to_date_at);
                    // A desk that joined after the decision does not know the review.
                    if !proposal.is_empty() {
                        let reported = ReportedWord { desk, proposal, word: last.word, since, at: now };
                        record.last_words.push(reported);
                    }
                }
                Event::Changed(changed) => {
                    let review = self.reviews.get_mut(&changed.id);
                    if let Some(review) = review {
                        review.take(changed).expect("changes arrive in order");
                    }
                }
                Event::Closed(closed) => drop(self.reviews.remove(&closed.id)),
                Event::FlushReview { id } => drop(connection.send(Request::Flushed { id })),
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
        self.up_to_date_at = now;
        let before = self.requests.len();
        self.requests.retain_mut(|(request, reply)| {
            let reply = match reply.try_recv() {
                Ok(Ok(_)) => Reply::Taken,
                Ok(Err(Refusal::Stopped)) | Err(TryRecvError::Closed) => Reply::Missing,
                Ok(Err(refusal)) => Reply::Refused(refusal.to_string()),
                Err(TryRecvError::Empty) => return true,
            };
            request.set_reply(record, now, reply);
            false
        });
        self.activity += before - self.requests.len();
    }

    fn pick(&self, pick: usize) -> Option<(&DeskConnection, &Review)> {
        let connection = self.connection.as_ref().filter(|_| self.frozen_until.is_none())?;
        let review = self.reviews.values().nth(pick.checked_rem(self.reviews.len())?)?;
        Some((connection, review))
    }

    /// Types a line that occurs nowhere else in the round.
    pub(super) fn edit(&mut self, pick: usize, typed: &str, now: u64, record: &mut Record) -> bool {
        let Some((connection, review)) = self.pick(pick) else { return false };
        let at = Position { line: (pick % 3) as u32, character: 0 };
        let changes = vec![Change { range: Some(Range { start: at, end: at }), text: format!("{typed}\n") }];
        let reply =
            connection.send(Request::EditReview { id: review.id, revision: review.revision, changes });
        let edit = Edit {
            desk: self.number,
            proposal: marker_of(&review.proposed),
            typed: typed.to_owned(),
            asked: now,
            replied_at: now,
            reply: Reply::Missing,
        };
        self.requests.push((RecordedRequest::Edit(push(&mut record.edits, edit)), reply));
        true
    }

    pub(super) fn decide(&mut self, pick: usize, accept: bool, now: u64, record: &mut Record) -> bool {
        let Some((connection, review)) = self.pick(pick) else { return false };
        let decision = if accept { DecisionKind::Accept } else { DecisionKind::Reject };
        let reply =
            connection.send(Request::DecideReview { id: review.id, revision: review.revision, decision });
        let decision = Decision {
            desk: self.number,
            proposal: marker_of(&review.proposed),
            text: review.current.to_string(),
            accept,
            asked: now,
            replied_at: now,
            reply: Reply::Missing,
        };
        let index = push(&mut record.decisions, decision);
        self.requests.push((RecordedRequest::Decision(index), reply));
        true
    }

    /// The number of reviews at the desk.
    pub(super) fn review_count(&self) -> usize {
        self.reviews.len()
    }

    pub(super) fn open_file(&self, path: &str) -> bool {
        let Some(connection) = self.connection.as_ref().filter(|_| self.frozen_until.is_none()) else {
            return false;
        };
        let active = Some(ActiveFile { path: path.to_owned(), ..ActiveFile::default() });
        drop(connection.send(Request::ChangeContext(ContextReport { active, ..ContextReport::default() })));
        true
    }
}

impl RecordedRequest {
    fn set_reply(self, record: &mut Record, now: u64, reply: Reply) {
        match self {
            Self::Edit(index) => record.edits[index].set_reply(now, reply),
            Self::Decision(index) => record.decisions[index].set_reply(now, reply),
        }
    }
}

/// Returns the line of a text that identifies its proposal.
fn marker_of(text: &str) -> String {
    text.lines().find(|line| line.starts_with("proposal ")).unwrap_or_default().to_owned()
}
