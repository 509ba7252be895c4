//! The people of a round: their desks, in processes of their own, and their requests, as they stand in the
//! record.

use std::collections::BTreeSet;
use std::time::Duration;

use alongside_desk::{Decision as Verdict, Hunk, HunkState, Lines, Request, Review, ReviewId};
use tokio::task::JoinSet;

use super::desk::{Desk, DeskReply};
use super::plan::Plan;
use super::record::{Decision, Edit, Reply, push};
use super::shared_record::SharedRecord;

/// How long a desk waits for a reply before it counts as missing.
pub(super) const REPLY_TIMEOUT: Duration = Duration::from_secs(20);

/// How long a desk may take to hold the port of its companion, in milliseconds.
const HOLD_DELAY: u64 = 1_000;

/// The line of a proposal with its mark.
const MARKED_LINE: usize = 1;

pub(super) struct People {
    record: SharedRecord,
    /// By number; none while that one is away.
    desks: Vec<Option<Desk>>,
    /// When each desk was started.
    joined: Vec<u64>,
    /// The requests that wait for a reply.
    requests: JoinSet<()>,
    seed: u64,
    /// Number of unique texts made so far.
    texts: usize,
}

impl People {
    pub(super) fn new(plan: &Plan, record: &SharedRecord) -> Self {
        Self {
            record: record.clone(),
            desks: vec![None; plan.desks],
            joined: vec![0; plan.desks],
            requests: JoinSet::new(),
            seed: plan.seed,
            texts: 0,
        }
    }

    /// The desk of this number was started. The number after the last is one more desk.
    pub(super) fn join(&mut self, number: usize, desk: Desk) -> Desk {
        self.desks.resize(self.desks.len().max(number + 1), None);
        self.joined.resize(self.desks.len(), 0);
        self.desks[number] = Some(desk.clone());
        self.joined[number] = self.record.now();
        desk
    }

    /// A desk, if it runs; it is away from here on.
    pub(super) fn leave(&mut self, number: usize) -> Option<Desk> {
        self.desk(number)?;
        self.desks[number].take()
    }

    /// How many desks there are, those that are away included.
    pub(super) fn desks(&self) -> usize {
        self.desks.len()
    }

    /// Every desk that is not away, whether it runs or has ended.
    pub(super) fn all(&self) -> impl Iterator<Item = &Desk> {
        self.desks.iter().flatten()
    }

    /// The desks that run.
    pub(super) fn present(&self) -> impl Iterator<Item = (usize, &Desk)> {
        let desks = self.desks.iter().enumerate();
        desks.filter_map(|(number, desk)| Some((number, desk.as_ref().filter(|desk| !desk.seen().ended)?)))
    }

    /// A desk, if it runs.
    pub(super) fn desk(&self, number: usize) -> Option<&Desk> {
        self.present().find(|(present, _)| *present == number).map(|(_, desk)| desk)
    }

    /// Whether a desk that runs knows a companion.
    pub(super) fn are_served(&self) -> bool {
        self.present().any(|(_, desk)| desk.seen().host.is_some())
    }

    /// Whether a desk holds the port of a companion. A new one may not yet.
    pub(super) fn hold_port(&self) -> bool {
        let since = self.record.now().saturating_sub(HOLD_DELAY);
        self.present().any(|(number, desk)| self.joined[number] <= since && desk.seen().host.is_some())
    }

    /// The number of the next unique text.
    pub(super) fn next_text(&mut self) -> usize {
        self.texts += 1;
        self.texts
    }

    /// Review number `pick` of a desk, modulo the number of reviews.
    fn review(&self, desk: usize, pick: usize) -> Option<(Desk, Review)> {
        let desk = self.desk(desk)?;
        let reviews = desk.seen().reviews;
        let review = reviews.values().nth(pick % reviews.len().max(1))?.clone();
        Some((desk.clone(), review))
    }

    /// A person types a line, the last one.
    pub(super) fn edit(&mut self, number: usize, pick: usize) -> bool {
        let Some((desk, review)) = self.review(number, pick) else { return false };
        let typed = format!("typed {} in round {}", self.next_text(), self.seed);
        let text = format!("{}{typed}\n", review.current);
        let index = self.note_edit(number, &review, typed);
        let record = self.record.clone();
        self.requests.spawn(async move {
            let reply = desk.edit(&review, &text, REPLY_TIMEOUT).await;
            let now = record.now();
            record.lock().edits[index].answered = (now, recorded(reply));
        });
        true
    }

    /// A person drops the last change that nobody typed into, unless that one has the mark: an edit without a
    /// typed line.
    pub(super) fn drop_last_change(&mut self, number: usize, pick: usize) -> bool {
        let Some((desk, review)) = self.review(number, pick) else { return false };
        let is_marked = |lines: Lines| (lines.start..lines.end).contains(&MARKED_LINE);
        let is_plain = |hunk: &Hunk| hunk.state == HunkState::Kept && !is_marked(hunk.proposed);
        let Some(hunk) = review.hunks.iter().rposition(is_plain) else { return false };
        let index = self.note_edit(number, &review, String::new());
        let (record, id, revision) = (self.record.clone(), review.id, review.revision);
        self.requests.spawn(async move {
            let drop = Request::KeepHunks { id, revision, hunks: vec![hunk], keep: false };
            let reply = desk.ask(&drop, REPLY_TIMEOUT).await;
            let now = record.now();
            record.lock().edits[index].answered = (now, recorded(reply));
        });
        true
    }

    pub(super) fn decide(&mut self, number: usize, pick: usize, accept: bool) -> bool {
        let Some((desk, review)) = self.review(number, pick) else { return false };
        self.decide_on(number, desk, &review, accept);
        true
    }

    /// Rejects each review that this desk shows, once in each revision. Returns how many it shows.
    pub(super) fn reject_all(
        &mut self,
        number: usize,
        desk: &Desk,
        rejected: &mut BTreeSet<(ReviewId, u64)>,
    ) -> usize {
        let reviews = desk.seen().reviews;
        for review in reviews.values().filter(|review| rejected.insert((review.id, review.revision))) {
            self.decide_on(number, desk.clone(), review, false);
        }
        reviews.len()
    }

    /// A person decides on a review as it is shown.
    fn decide_on(&mut self, number: usize, desk: Desk, review: &Review, accept: bool) {
        let asked = self.record.now();
        let decision = Decision {
            desk: number,
            proposal: mark_of(review),
            text: review.current.to_string(),
            accept,
            asked,
            answered: (asked, Reply::Missing),
        };
        let index = push(&mut self.record.lock().decisions, decision);
        let (record, id, revision) = (self.record.clone(), review.id, review.revision);
        let verdict = if accept { Verdict::Accept } else { Verdict::Reject };
        self.requests.spawn(async move {
            let reply = desk.decide(id, revision, verdict, REPLY_TIMEOUT).await;
            let now = record.now();
            record.lock().decisions[index].answered = (now, recorded(reply));
        });
    }

    fn note_edit(&self, desk: usize, review: &Review, typed: String) -> usize {
        let asked = self.record.now();
        let proposal = mark_of(review);
        let edit = Edit { desk, proposal, typed, asked, answered: (asked, Reply::Missing) };
        push(&mut self.record.lock().edits, edit)
    }

    /// Nobody waits for a reply any longer.
    pub(super) async fn shut_down(&mut self) {
        self.requests.shutdown().await;
    }
}

/// The line that identifies a proposal.
fn mark_of(review: &Review) -> String {
    review.proposed.lines().nth(MARKED_LINE).unwrap_or_default().to_owned()
}

fn recorded(reply: DeskReply) -> Reply {
    match reply {
        DeskReply::Done => Reply::Taken,
        // The host is gone and may have taken the request before.
        DeskReply::Refused(why) if why == "interrupted" || why == "stopped" => Reply::Missing,
        DeskReply::Refused(why) => Reply::Refused(why),
        DeskReply::Missing => Reply::Missing,
    }
}
