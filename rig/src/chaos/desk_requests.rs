//! The requests of people at desks in processes of their own, and how they stand in the record.

use std::time::Duration;

use alongside_desk::{Decision as Verdict, Request, Review};
use tokio::task::JoinSet;

use super::desk::{Desk, DeskReply};
use super::record::{Decision, Edit, Reply, push};
use super::shared_record::SharedRecord;

/// How long a desk waits for a reply before it counts as missing.
pub(super) const REPLY_TIMEOUT: Duration = Duration::from_secs(20);

/// A person types a line, the last one, at the desk of this number.
pub(super) fn edit(
    record: &SharedRecord,
    tasks: &mut JoinSet<()>,
    (number, desk): (usize, Desk),
    review: Review,
    typed: String,
) {
    let text = format!("{}{typed}\n", review.current);
    let index = note_edit(record, number, &review, typed);
    let record = record.clone();
    tasks.spawn(async move {
        let reply = desk.edit(&review, &text, REPLY_TIMEOUT).await;
        let now = record.now();
        record.lock().edits[index].answered = (now, recorded(reply));
    });
}

/// A person drops a change of a review: an edit without a typed line.
pub(super) fn drop_change(
    record: &SharedRecord,
    tasks: &mut JoinSet<()>,
    (number, desk): (usize, Desk),
    review: &Review,
    hunk: usize,
) {
    let index = note_edit(record, number, review, String::new());
    let (record, id, revision) = (record.clone(), review.id, review.revision);
    tasks.spawn(async move {
        let drop = Request::KeepHunks { id, revision, hunks: vec![hunk], keep: false };
        let reply = desk.ask(&drop, REPLY_TIMEOUT).await;
        let now = record.now();
        record.lock().edits[index].answered = (now, recorded(reply));
    });
}

/// A person decides on a review as it is shown.
pub(super) fn decide(
    record: &SharedRecord,
    tasks: &mut JoinSet<()>,
    (number, desk): (usize, Desk),
    review: &Review,
    accept: bool,
) {
    let asked = record.now();
    let decision = Decision {
        desk: number,
        proposal: mark_of(review),
        text: review.current.to_string(),
        accept,
        asked,
        answered: (asked, Reply::Missing),
    };
    let index = push(&mut record.lock().decisions, decision);
    let (record, id, revision) = (record.clone(), review.id, review.revision);
    let verdict = if accept { Verdict::Accept } else { Verdict::Reject };
    tasks.spawn(async move {
        let reply = desk.decide(id, revision, verdict, REPLY_TIMEOUT).await;
        let now = record.now();
        record.lock().decisions[index].answered = (now, recorded(reply));
    });
}

fn note_edit(record: &SharedRecord, desk: usize, review: &Review, typed: String) -> usize {
    let asked = record.now();
    let proposal = mark_of(review);
    let edit = Edit { desk, proposal, typed, asked, answered: (asked, Reply::Missing) };
    push(&mut record.lock().edits, edit)
}

/// The line that identifies a proposal.
fn mark_of(review: &Review) -> String {
    review.proposed.lines().nth(1).unwrap_or_default().to_owned()
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
