//! Requests to the companion that leave the current review as it is: decisions by the desk's policy or by a
//! list, grants, and the pause of the context.

use alongside_desk::review_model::Acceptances;
use alongside_desk::{Decision, Desk, Refusal, Request, ReviewId, harmless, messages};

use super::accept_all::AcceptAll;
use super::letters;
use super::reading::Reading;

/// Decides on a review by the desk's policy, without a question.
pub(super) async fn decide_at_once(
    desk: &mut Desk,
    reading: &mut Reading,
    id: ReviewId,
    mut decision: Decision,
) {
    reading.set_current(id);
    let Some(review) = reading.review(id) else { return };
    let (mut revision, name) = (review.revision, messages::file_name(&review.file, reading.roots()));
    // A review that changes more often than this is left to another desk.
    for _ in 0..5 {
        match desk.request(Request::DecideReview { id, revision, decision }).await {
            Ok(_) | Err(Refusal::NoSuchReview | Refusal::Stopped) => return,
            Err(Refusal::Stale { revision: now }) => revision = now,
            Err(refusal) => {
                reading.say(&format!("{name}: {}", harmless::text(&refusal.to_string())));
                decision = Decision::Reject;
            }
        }
    }
}

/// Accepts the reviews of a list at their listed revisions. A review that changes or arrives later keeps
/// waiting.
pub(super) async fn accept_listed(desk: &mut Desk, reading: &mut Reading, list: AcceptAll) -> Acceptances {
    let AcceptAll { ready, ids } = list;
    let mut acceptances = Acceptances::of(ids.into_iter());
    let mut answers = Vec::new();
    for listed in ready {
        let (id, revision) = (listed.id, listed.revision);
        if acceptances.begin(&listed, reading.review(id).map(|review| review.revision)) {
            let request = Request::DecideReview { id, revision, decision: Decision::Accept };
            answers.push((id, desk.request(request).await));
        }
    }
    for (id, answer) in answers {
        if let Err(refusal) = answer {
            let review = reading.review(id);
            let name = review.map(|review| messages::file_name(&review.file, reading.roots()));
            acceptances.refused(id, name, &refusal);
        }
    }
    acceptances
}

/// Sends a request for a grant, or for the withdrawal of all grants. A notice of the companion reports a
/// grant.
pub(super) async fn accept_ahead(desk: &mut Desk, reading: &mut Reading, request: Request) {
    let withdraws = request == Request::WithdrawGrants {};
    match desk.request(request).await {
        Ok(_) if withdraws => reading.say(messages::GRANTS_WITHDRAWN),
        Ok(_) => {}
        Err(refusal) => reading.say(&messages::refusal(&refusal)),
    }
}

/// Pauses the context, or resumes it.
pub(super) async fn pause(desk: &mut Desk, reading: &mut Reading) {
    let paused = !reading.companion().status().paused;
    match desk.request(Request::PauseContext { paused }).await {
        Ok(_) => {
            let message = reading.companion().set_paused(paused, letters::PAUSE);
            reading.say(&message.text);
        }
        Err(refusal) => reading.say(&messages::refusal(&refusal)),
    }
}
