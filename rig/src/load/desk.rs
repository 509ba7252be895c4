//! The person at the one desk: works on without a pause, and answers each proposal as its text says.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use alongside_desk::{
    ActiveFile, Change, Closing, ContextReport, Decision, Desk, Event, OpenFile, Position, Request, Review,
    ReviewId,
};

use super::counters::Counters;
use super::proposal::{self, Fate};
use super::world::{Phase, World};

/// The time between two changes that the desk reports, in milliseconds, at least and at most.
const BETWEEN: [u64; 2] = [30, 50];
/// The views of an agent that is gone close after 10 s; it may be noticed twice as late.
const CLOSED_WITHIN: Duration = Duration::from_secs(20);
/// The number of files that are open.
const FILES: u32 = 8;

/// The files of the project that are open at the desk.
pub(super) fn files(project: &Path) -> Vec<PathBuf> {
    (0..FILES).map(|number| project.join(format!("open{number}.txt"))).collect()
}

/// Sits at the desk until all agents are gone.
pub(super) async fn sit(mut desk: Desk, world: Arc<World>) -> Desk {
    let mut phase = world.phase.subscribe();
    let mut open: HashMap<ReviewId, (Fate, Instant)> = HashMap::new();
    let next = tokio::time::sleep(Duration::ZERO);
    tokio::pin!(next);
    loop {
        let works = *phase.borrow_and_update() <= Phase::Settle;
        tokio::select! {
            event = desk.next() => match event {
                Ok(Event::Opened(review)) => {
                    if let Some(fate) = proposal::fate(&review.proposed) {
                        open.insert(review.id, (fate, Instant::now()));
                        answer(&desk, &review, fate, &world);
                    }
                }
                Ok(Event::Closed(closed)) => {
                    let Some((fate, since)) = open.remove(&closed.id) else { continue };
                    if let Err(error) = ended(fate, closed.closing, since.elapsed(), &world.counters) {
                        world.counters.error(error);
                    }
                }
                Ok(Event::FlushReview { id }) => drop(desk.send(Request::Flushed { id })),
                Ok(Event::Status(status)) => world.agents.store(status.agents.len(), Relaxed),
                Ok(Event::Problem(problem)) => world.counters.error(format!("the host says: {problem}")),
                Ok(
                    Event::Changed(_)
                    | Event::AcceptedByRule(_)
                    | Event::LastWord(_)
                    | Event::Notice { .. }
                    | Event::Turn(_)
                    | Event::TurnFile(_) | Event::TurnFinished(_)
                    | Event::DiagnosticsWanted { .. },
                ) => {}
                Err(_) => {
                    world.counters.error("the companion has stopped".into());
                    return desk;
                }
            },
            () = &mut next, if works => {
                report(&desk, &world);
                let pause = BETWEEN[0] + world.chance(BETWEEN[1] - BETWEEN[0] + 1);
                next.as_mut().reset(tokio::time::Instant::now() + Duration::from_millis(pause));
            }
            _ = phase.changed() => {}
        }
        if *phase.borrow() == Phase::Over {
            return desk;
        }
    }
}

/// Reports a move of the cursor; now and then another file is in front, or something is selected.
fn report(desk: &Desk, world: &World) {
    let number = world.reports.add();
    let file = |number: u32| files(&world.project)[(number % FILES) as usize].display().to_string();
    let selected = match number {
        number if number % 100 == 0 => Some("s".repeat(16_384)),
        number if number % 10 == 0 => Some("selected ".repeat(20)),
        _ => None,
    };
    let cursor = Some(Position { line: number, character: 0 });
    let active = ActiveFile { path: file(number / 20), cursor, anchor: None, selected_text: selected };
    let open_files = (0..FILES).map(|number| OpenFile { path: file(number), dirty: false });
    let report = ContextReport {
        active: Some(active),
        open_files: Some(open_files.collect()),
        ..ContextReport::default()
    };
    drop(desk.send(Request::ChangeContext(report)));
}

/// Decides as the text of the proposal says.
fn answer(desk: &Desk, review: &Review, fate: Fate, world: &Arc<World>) {
    let (id, revision) = (review.id, review.revision);
    let decide = |revision, decision| desk.send(Request::DecideReview { id, revision, decision });
    let answered = match fate {
        Fate::TakenBack => return,
        Fate::Accepted => decide(revision, Decision::Accept),
        Fate::Rejected => decide(revision, Decision::Reject),
        Fate::Edited => {
            let changes = vec![Change { range: None, text: proposal::edited(&review.proposed) }];
            drop(desk.send(Request::EditReview { id, revision, changes }));
            // Each edit is a revision.
            decide(revision + 1, Decision::Accept)
        }
    };
    let world = Arc::clone(world);
    tokio::spawn(async move {
        if let Ok(Err(refusal)) = answered.await {
            world.counters.error(format!("{fate:?} is refused: {refusal}"));
        }
    });
}

/// Checks that a review has ended as the text of its proposal says.
fn ended(fate: Fate, closing: Closing, after: Duration, tally: &Counters) -> Result<(), String> {
    match (fate, closing) {
        (Fate::Accepted | Fate::Edited, Closing::Accepted)
        | (Fate::Rejected, Closing::Rejected)
        | (Fate::TakenBack, Closing::AnsweredInAgent) => Ok(()),
        (Fate::TakenBack, Closing::AgentGone) => {
            Counters::count(&tally.given_up);
            let late = || format!("a view closed {} s after its agent was gone", after.as_secs());
            (after <= CLOSED_WITHIN).then_some(()).ok_or_else(late)
        }
        _ => Err(format!("what should be {fate:?} ended as {closing:?}")),
    }
}
