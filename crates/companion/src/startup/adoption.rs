//! Takes over from a companion that has crashed: continues its sessions, rejects undecided proposals, and
//! reports this to people.

use alongside_desk::Problem;

use crate::agents::registry::{self, Agents};
use crate::discovery::presence::Presence;
use crate::persistence::drafts::{Draft, Drafts, NewDraft};
use crate::persistence::journal::{Journal, KnownSession, Undecided};
use crate::reviews::registry::Reviews;

/// Takes over the sessions of the journal. Returns news for the first desk, and the edits that are in the
/// journal but in no draft.
pub(super) fn adopt(
    journal: Journal,
    presence: &Presence,
    drafts: &Drafts,
    reviews: &mut Reviews,
    agents: &mut Agents,
) -> (Vec<Problem>, Vec<NewDraft>) {
    let (mut news, mut lost) = (Vec::new(), Vec::new());
    reviews.continue_ids_after(journal.last_review);
    if journal.is_damaged {
        news.push(unusable_journal("it is damaged, or of another release", drafts));
    }
    for known in &journal.sessions {
        lost.extend(lost_drafts(known, drafts));
        for id in known.undecided.iter().filter_map(|open| open.draft.as_deref()) {
            // If this fails, the draft counts as interrupted once its process has ended.
            let _ = drafts.mark_interrupted(id);
        }
    }
    let hint = edits_hint(&journal, drafts);
    if *journal.token != *presence.endpoint().token {
        news.extend(lost_sessions(&journal, presence, hint));
        return (news, lost);
    }
    if !journal.sessions.is_empty() {
        news.push(continued_sessions(&journal, hint));
    }
    for known in journal.sessions {
        agents.adopt(known, journal.handed_over);
    }
    (news, lost)
}

/// Returns the edits of a session that are in the journal but in no draft.
fn lost_drafts(known: &KnownSession, drafts: &Drafts) -> Vec<NewDraft> {
    let is_lost = |id: &String| drafts.read(id).is_err();
    let draft = |open: &Undecided| {
        Some(NewDraft {
            id: open.draft.clone().filter(is_lost)?,
            file: open.file_path.clone(),
            agent: known.client.name.clone(),
            why: "the companion was interrupted".into(),
            text: open.text.clone()?,
            ..NewDraft::default()
        })
    };
    known.undecided.iter().filter_map(draft).collect()
}

/// Returns the end of a hint that says where edits from before the crash are; empty without such edits.
fn edits_hint(journal: &Journal, drafts: &Drafts) -> &'static str {
    // The last edit may be in its draft and not yet in the journal.
    let mut drafts = drafts.list().unwrap_or_default();
    drafts.retain(Draft::is_orphaned);
    let has_draft =
        |open: &Undecided| open.draft.is_some() || drafts.iter().any(|draft| draft.file == open.file_path);
    match journal.sessions.iter().flat_map(|known| &known.undecided).any(has_draft) {
        true => " Your edits are in `alongside drafts`.",
        false => "",
    }
}

/// Returns the news that sessions continue. Port and token are unchanged, so agents stay connected.
fn continued_sessions(journal: &Journal, hint: &str) -> Problem {
    let happened = if journal.handed_over { "was replaced by a newer one" } else { "was interrupted" };
    let undecided = journal.sessions.iter().flat_map(|known| &known.undecided);
    let rejected: Vec<_> = undecided.map(|open| open.file_path.as_str()).collect();
    let what = match rejected.as_slice() {
        [] => format!("the companion {happened} while agents were connected, and is back"),
        files => format!("the companion {happened}, and its open reviews are rejected: {}", files.join(", ")),
    };
    Problem::new(
        what,
        format!("An agent that calls itself disconnected comes back with `/ide enable`.{hint}"),
    )
}

/// Returns the problem that sessions are lost: the port is another one, or another user may know the old
/// token.
fn lost_sessions(journal: &Journal, presence: &Presence, hint: &str) -> Option<Problem> {
    let undecided = journal.sessions.iter().flat_map(|known| &known.undecided).map(|open| &open.file_path);
    let untold = journal.sessions.iter().flat_map(|known| &known.unsettled).map(|untold| &untold.file_path);
    let waited: Vec<_> = undecided.chain(untold).map(String::as_str).collect();
    let agents = registry::names(&journal.sessions);
    if agents.is_empty() {
        return None;
    }
    let why = match journal.port == presence.endpoint().port() {
        true => "no desk was left to hold its port, so it has a new token".to_owned(),
        false => format!("it could not get its port {} back", journal.port),
    };
    let what =
        format!("the companion was interrupted and {why}: {} cannot reach it any more", agents.join(" and "));
    let unanswered = match waited.as_slice() {
        [] => String::new(),
        waited => format!(" Unanswered: {}.", waited.join(", ")),
    };
    Some(Problem::new(what, format!("`/ide enable` connects an agent again.{unanswered}{hint}")))
}

/// Returns the problem that the journal cannot be read, so that the connected agents are unknown.
pub(super) fn unusable_journal(why: &str, drafts: &Drafts) -> Problem {
    // Without the journal, no draft can be assigned to an interrupted review.
    let hint = match drafts.list() {
        Ok(drafts) if drafts.is_empty() => "",
        _ => " Your edits, if any, are in `alongside drafts`.",
    };
    Problem::new(
        format!("the companion was interrupted, and its recovery journal cannot be used: {why}"),
        format!("Agents that were connected come back with `/ide enable`.{hint}"),
    )
}
