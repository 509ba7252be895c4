//! The person's edits of a review, each by a letter: they keep, drop and split changes, give reasons, and
//! undo and redo steps. After each edit, the person is shown the change where they go on.

use alongside_desk::{HunkState, Refusal, Request, ReviewId, messages};

use super::keeping::{changed_rest, is_changed_by, reason_sentence};
use super::prompts;
use super::undo::{Step, brings_back_with_reason, changes_nothing, first_difference};
use super::work::ReviewWork;

/// Keeps or drops a change, and goes to the next one.
pub(super) async fn keep(work: &mut ReviewWork, id: ReviewId, place: usize, keep: bool) {
    let Some(review) = work.reading().review(id) else { return };
    let Some(hunk) = review.hunks.get(place) else { return };
    // To keep a kept hunk changes nothing, and the companion has no step to undo.
    let is_changed = is_changed_by(hunk, keep);
    let (revision, after) = (review.revision, review.hunks.len() - place - 1);
    let request = Request::KeepHunks { id, revision, hunks: vec![place], keep };
    if !is_changed || work.ask(id, request).await.is_some() {
        let reading = work.reading();
        reading.push_step(id, place, is_changed);
        reading.mark_kept(id, place..place + 1, keep);
        // The next hunk is counted from the end, because a dropped edit may leave no hunk or join its
        // neighbour.
        let now = reading.review(id).map_or(0, |review| review.hunks.len());
        reading.show_hunk(now.saturating_sub(after));
    }
}

/// Keeps or drops a change and all later ones in one step, and goes to the end.
pub(super) async fn keep_rest(work: &mut ReviewWork, id: ReviewId, place: usize, keep: bool) {
    let Some(review) = work.reading().review(id) else { return };
    let (hunks, revision) = (changed_rest(review, place, keep), review.revision);
    let (is_changed, decided) = (!hunks.is_empty(), review.hunks.len().saturating_sub(place));
    if !is_changed || work.ask(id, Request::KeepHunks { id, revision, hunks, keep }).await.is_some() {
        let reading = work.reading();
        reading.push_step(id, place, is_changed);
        reading.mark_kept(id, place..place + decided, keep);
        reading.say(&prompts::rest_decided(place..place + decided, keep));
        reading.show_hunk(usize::MAX);
    }
}

/// Splits a change into smaller ones, and shows the first of them.
pub(super) async fn split(work: &mut ReviewWork, id: ReviewId, hunk: usize) {
    let Some(review) = work.reading().review(id) else { return };
    if review.hunks.get(hunk).is_some_and(|hunk| hunk.state == HunkState::Edited) {
        return work.reading().say(messages::EDITED_NOT_SPLIT);
    }
    let (revision, before) = (review.revision, review.hunks.len());
    if work.ask(id, Request::split(id, revision, hunk)).await.is_some() {
        let reading = work.reading();
        reading.push_step(id, hunk, true);
        let now = reading.review(id).map_or(before, |review| review.hunks.len());
        reading.say(&messages::split(before, now));
        reading.show_hunk(hunk);
    }
}

/// Undoes or redoes a step, and shows the first hunk that differs now, or else the hunk of the step.
pub(super) async fn take_step(work: &mut ReviewWork, id: ReviewId, to: Step) {
    let Some(open) = work.reading().open(id) else { return };
    let before = open.review().clone();
    let revision = before.revision;
    let (step, request, report) = match to {
        Step::Undo => (open.last_step(), Request::UndoReview { id, revision }, messages::UNDONE),
        Step::Redo => (open.last_undone(), Request::RedoReview { id, revision }, messages::REDONE),
    };
    let reply = match changes_nothing(step) {
        true => Ok(()),
        false => work.try_request(id, request).await.map(drop),
    };
    let reading = work.reading();
    let Some(open) = reading.open_mut(id) else { return };
    match (to, reply) {
        (Step::Undo, Ok(())) => _ = open.mark_undone(),
        (Step::Redo, Ok(())) => _ = open.mark_redone(),
        (Step::Redo, Err(Refusal::NothingToRedo)) => return open.forget_undone(),
        (Step::Undo | Step::Redo, Err(_)) => return,
    }
    let hunk = first_difference(&before, open.review()).or(step.map(|step| step.hunk)).unwrap_or(0);
    let now = open.review();
    let (revision, has_old_reason) = (now.revision, brings_back_with_reason(to, &before, now, hunk));
    reading.mark_kept(id, hunk..hunk + 1, matches!(to, Step::Redo));
    reading.say(report);
    if has_old_reason {
        let request = Request::SetReason { id, revision, hunk: Some(hunk), reason: String::new() };
        if work.ask(id, request).await.is_some() {
            work.reading().say(messages::REASON_REMOVED);
        }
    }
    work.reading().show_hunk(hunk);
}

/// Sends a reason for a change, and drops the change if it is kept. Without a `place`, the reason is for the
/// decision on the whole review.
pub(super) async fn give_reason(work: &mut ReviewWork, id: ReviewId, place: Option<usize>, text: &str) {
    let Some(review) = work.reading().review(id).cloned() else { return };
    if review.reasons.are_lost() {
        let why = messages::no_reason(&review.agent, true);
        return work.reading().say(&why);
    }
    let hunk = place.and_then(|place| review.hunks.get(place));
    let known =
        if place.is_some() { hunk.and_then(|hunk| hunk.reason.as_ref()) } else { review.reason.as_ref() };
    let unsent = work.unsent_reasons().text_for(&review, hunk).map(str::to_owned);
    let text = unsent.as_deref().filter(|_| text.is_empty()).unwrap_or(text);
    if text.is_empty() {
        let help = prompts::reason(known.map(String::as_str), place.is_some());
        return work.reading().say(&help);
    }
    let is_kept = hunk.is_some_and(|hunk| hunk.state == HunkState::Kept);
    let removes = text == prompts::REMOVE_REASON;
    let reason = if removes { String::new() } else { text.to_owned() };
    work.unsent_reasons().set(&review, hunk, &reason);
    let request = Request::SetReason { id, revision: review.revision, hunk: place, reason };
    if work.ask(id, request).await.is_none() {
        let answer = if removes { prompts::REASON_NOT_REMOVED } else { prompts::REASON_COMES_BACK };
        return work.reading().say(answer);
    }
    work.unsent_reasons().set(&review, hunk, "");
    work.reading().say(reason_sentence(review.reasons, (removes, place.is_some(), is_kept)));
    if let Some(place) = place.filter(|_| is_kept && !removes) {
        keep(work, id, place, false).await;
    }
}
