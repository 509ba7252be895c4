//! The people of a round: their desks, each in a process of its own, and their requests in the record.

use std::collections::BTreeSet;
use std::time::Duration;

use alongside_desk::{Decision as DecisionKind, Hunk, HunkState, Lines, Request, Review, ReviewId};
use tokio::task::JoinSet;

use super::desk::{Desk, DeskReply};
use super::plan::Plan;
use super::record::{Decision, Edit, Reply, push};
use super::shared_record::SharedRecord;

/// The time after which the reply to a desk counts as missing.
pub(super) const REPLY_TIMEOUT: Duration = Duration::from_secs(20);

/// The longest time until a new desk holds the port of its companion, in milliseconds.
const MAX_HOLD_DELAY: u64 = 1_000;

/// The index of the line of a proposal that is its marker.
const MARKER_LINE: usize = 1;

pub(super) struct People {
    record: SharedRecord,
    /// The desks by number; `None` while a desk is away.
    desks: Vec<Option<Desk>>,
    /// The time at which each desk was started.
    joined_at: Vec<u64>,
    /// The requests that wait for a reply.
    requests: JoinSet<()>,
    seed: u64,
    /// The number of unique texts so far.
    texts: usize,
}

impl People {
    pub(super) fn new(plan: &Plan, record: &SharedRecord) -> Self {
        Self {
            record: record.clone(),
            desks: vec![None; plan.desks],
            joined_at: vec![0; plan.desks],
            requests: JoinSet::new(),
            seed: plan.seed,
            texts: 0,
        }
    }

    /// Adds the started desk of this number. The number after the last one adds another desk.
    pub(super) fn join(&mut self, number: usize, desk: Desk) -> Desk {
        self.desks.resize(self.desks.len().max(number + 1), None);
        self.joined_at.resize(self.desks.len(), 0);
        self.desks[number] = Some(desk.clone());
        self.joined_at[number] = self.record.now();
        desk
    }

    /// Removes and returns a desk, if it runs. The desk then counts as away.
    pub(super) fn leave(&mut self, number: usize) -> Option<Desk> {
        self.desk(number)?;
        self.desks[number].take()
    }

    /// The number of desks, including the desks that are away.
    pub(super) fn desks(&self) -> usize {
        self.desks.len()
    }

    /// Returns every desk that is not away, whether it runs or has ended.
    pub(super) fn all(&self) -> impl Iterator<Item = &Desk> {
        self.desks.iter().flatten()
    }

    /// Returns the desks that run, with their numbers.
    pub(super) fn present(&self) -> impl Iterator<Item = (usize, &Desk)> {
        let desks = self.desks.iter().enumerate();
        desks.filter_map(|(number, desk)| {
            Some((number, desk.as_ref().filter(|desk| !desk.state().has_ended)?))
        })
    }

    /// Returns a desk, if it runs.
    pub(super) fn desk(&self, number: usize) -> Option<&Desk> {
        self.present().find(|(present, _)| *present == number).map(|(_, desk)| desk)
    }

    /// Whether a running desk knows a companion.
    pub(super) fn have_companion(&self) -> bool {
        self.present().any(|(_, desk)| desk.state().host.is_some())
    }

    /// Whether a desk certainly holds the port of a companion: a new desk may not hold it yet.
    pub(super) fn have_port_hold(&self) -> bool {
        let latest = self.record.now().saturating_sub(MAX_HOLD_DELAY);
        self.present().any(|(number, desk)| self.joined_at[number] <= latest && desk.state().host.is_some())
    }

    /// Returns the number of the next unique text.
    pub(super) fn next_text(&mut self) -> usize {
        self.texts += 1;
        self.texts
    }

    /// Returns review number `pick` of a desk, modulo the number of reviews.
    fn review(&self, desk: usize, pick: usize) -> Option<(Desk, Review)> {
        let desk = self.desk(desk)?;
        let reviews = desk.state().reviews;
        let review = reviews.values().nth(pick % reviews.len().max(1))?.clone();
        Some((desk.clone(), review))
    }

    /// Types a line at the end of a review's text.
    pub(super) fn edit(&mut self, number: usize, pick: usize) -> bool {
        let Some((desk, review)) = self.review(number, pick) else { return false };
        let typed = format!("typed {} in round {}", self.next_text(), self.seed);
        let text = format!("{}{typed}\n", review.current);
        let index = self.record_edit(number, &review, typed);
        let record = self.record.clone();
        self.requests.spawn(async move {
            let reply = desk.edit(&review, &text, REPLY_TIMEOUT).await;
            let now = record.now();
            record.lock().edits[index].set_reply(now, recorded(reply));
        });
        true
    }

    /// Drops the last hunk without typed text, unless it has the marker of the proposal. In the record, this
    /// is an edit without a typed line.
    pub(super) fn drop_last_change(&mut self, number: usize, pick: usize) -> bool {
        let Some((desk, review)) = self.review(number, pick) else { return false };
        let has_marker = |lines: Lines| (lines.start..lines.end).contains(&MARKER_LINE);
        let is_droppable = |hunk: &Hunk| hunk.state == HunkState::Kept && !has_marker(hunk.proposed);
        let Some(hunk) = review.hunks.iter().rposition(is_droppable) else { return false };
        let index = self.record_edit(number, &review, String::new());
        let (record, id, revision) = (self.record.clone(), review.id, review.revision);
        self.requests.spawn(async move {
            let drop = Request::KeepHunks { id, revision, hunks: vec![hunk], keep: false };
            let reply = desk.ask(&drop, REPLY_TIMEOUT).await;
            let now = record.now();
            record.lock().edits[index].set_reply(now, recorded(reply));
        });
        true
    }

    pub(super) fn decide(&mut self, number: usize, pick: usize, accept: bool) -> bool {
        let Some((desk, review)) = self.review(number, pick) else { return false };
        self.decide_on(number, desk, &review, accept);
        true
    }

    /// Rejects each review of this desk, once in each revision. Returns the number of reviews.
    pub(super) fn reject_all(
        &mut self,
        number: usize,
        desk: &Desk,
        rejected: &mut BTreeSet<(ReviewId, u64)>,
    ) -> usize {
        let reviews = desk.state().reviews;
        for review in reviews.values().filter(|review| rejected.insert((review.id, review.revision))) {
            self.decide_on(number, desk.clone(), review, false);
        }
        reviews.len()
    }

    /// Decides on a review in its present revision.
    fn decide_on(&mut self, number: usize, desk: Desk, review: &Review, accept: bool) {
        let asked = self.record.now();
        let decision = Decision {
            desk: number,
            proposal: marker_of(review),
            text: review.current.to_string(),
            accept,
            asked,
            replied_at: asked,
            reply: Reply::Missing,
        };
        let index = push(&mut self.record.lock().decisions, decision);
        let (record, id, revision) = (self.record.clone(), review.id, review.revision);
        let kind = if accept { DecisionKind::Accept } else { DecisionKind::Reject };
        self.requests.spawn(async move {
            let reply = desk.decide(id, revision, kind, REPLY_TIMEOUT).await;
            let now = record.now();
            record.lock().decisions[index].set_reply(now, recorded(reply));
        });
    }

    fn record_edit(&self, desk: usize, review: &Review, typed: String) -> usize {
        let asked = self.record.now();
        let proposal = marker_of(review);
        let edit = Edit { desk, proposal, typed, asked, replied_at: asked, reply: Reply::Missing };
        push(&mut self.record.lock().edits, edit)
    }

    /// Ends the tasks that wait for replies.
    pub(super) async fn shut_down(&mut self) {
        self.requests.shutdown().await;
    }
}

/// Returns the line that identifies a proposal.
fn marker_of(review: &Review) -> String {
    review.proposed.lines().nth(MARKER_LINE).unwrap_or_default().to_owned()
}

/// Converts a desk's reply for the record.
fn recorded(reply: DeskReply) -> Reply {
    match reply {
        DeskReply::Done => Reply::Taken,
        // The host has ended, and may have accepted the request before.
        DeskReply::Refused(why) if why == "interrupted" || why == "stopped" => Reply::Missing,
        DeskReply::Refused(why) => Reply::Refused(why),
        DeskReply::Missing => Reply::Missing,
    }
}
