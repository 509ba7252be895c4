//! The person at the one desk, who moves the cursor without a pause and decides each proposal as its text
//! demands.

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

/// The shortest and the longest time between two changes that the desk reports, in milliseconds.
const REPORT_PAUSE_MS: [u64; 2] = [30, 50];
/// The longest time until the reviews of an agent that is gone close. The host closes them after 10 s; under
/// load it may take twice as long.
const MAX_CLOSE_DELAY: Duration = Duration::from_secs(20);
/// The number of files that are open at the desk.
const OPEN_FILES: u32 = 8;

/// Returns the files of the project that are open at the desk.
pub(super) fn open_files(project: &Path) -> Vec<PathBuf> {
    (0..OPEN_FILES).map(|number| project.join(format!("open{number}.txt"))).collect()
}

/// Plays the person until all agents are gone.
pub(super) async fn play(mut desk: Desk, world: Arc<World>) -> Desk {
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
                        decide(&desk, &review, fate, &world);
                    }
                }
                Ok(Event::Closed(closed)) => {
                    let Some((fate, opened_at)) = open.remove(&closed.id) else { continue };
                    let delay = opened_at.elapsed();
                    if let Err(error) = check_closing(fate, closed.closing, delay, &world.counters) {
                        world.counters.record_error(error);
                    }
                }
                Ok(Event::FlushReview { id }) => drop(desk.send(Request::Flushed { id })),
                Ok(Event::Status(status)) => world.agents.store(status.agents.len(), Relaxed),
                Ok(Event::Problem(problem)) => {
                    world.counters.record_error(format!("the host says: {problem}"));
                }
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
                    world.counters.record_error("the companion has stopped".into());
                    return desk;
                }
            },
            () = &mut next, if works => {
                report_cursor(&desk, &world);
                let [shortest, longest] = REPORT_PAUSE_MS;
                let pause = shortest + world.random_below(longest - shortest + 1);
                next.as_mut().reset(tokio::time::Instant::now() + Duration::from_millis(pause));
            }
            _ = phase.changed() => {}
        }
        if *phase.borrow() == Phase::Over {
            return desk;
        }
    }
}

/// Reports a move of the cursor; now and then with another active file, or with a selection.
fn report_cursor(desk: &Desk, world: &World) {
    let number = world.reports.add();
    let file = |number: u32| open_files(&world.project)[(number % OPEN_FILES) as usize].display().to_string();
    let selected = match number {
        number if number % 100 == 0 => Some("s".repeat(16_384)),
        number if number % 10 == 0 => Some("selected ".repeat(20)),
        _ => None,
    };
    let cursor = Some(Position { line: number, character: 0 });
    let active = ActiveFile { path: file(number / 20), cursor, anchor: None, selected_text: selected };
    let open = (0..OPEN_FILES).map(|number| OpenFile { path: file(number), dirty: false });
    let report =
        ContextReport { active: Some(active), open_files: Some(open.collect()), ..ContextReport::default() };
    drop(desk.send(Request::ChangeContext(report)));
}

/// Sends the decision that the text of the proposal demands.
fn decide(desk: &Desk, review: &Review, fate: Fate, world: &Arc<World>) {
    let (id, revision) = (review.id, review.revision);
    let send = |revision, decision| desk.send(Request::DecideReview { id, revision, decision });
    let reply = match fate {
        Fate::TakenBack => return,
        Fate::Accepted => send(revision, Decision::Accept),
        Fate::Rejected => send(revision, Decision::Reject),
        Fate::Edited => {
            let changes = vec![Change { range: None, text: proposal::edited(&review.proposed) }];
            drop(desk.send(Request::EditReview { id, revision, changes }));
            // The edit makes a new revision.
            send(revision + 1, Decision::Accept)
        }
    };
    let world = Arc::clone(world);
    tokio::spawn(async move {
        if let Ok(Err(refusal)) = reply.await {
            world.counters.record_error(format!("{fate:?} is refused: {refusal}"));
        }
    });
}

/// Checks that a review has ended as the text of its proposal demands, `delay` after it was opened.
fn check_closing(fate: Fate, closing: Closing, delay: Duration, counters: &Counters) -> Result<(), String> {
    match (fate, closing) {
        (Fate::Accepted | Fate::Edited, Closing::Accepted)
        | (Fate::Rejected, Closing::Rejected)
        | (Fate::TakenBack, Closing::AnsweredInAgent) => Ok(()),
        (Fate::TakenBack, Closing::AgentGone) => {
            Counters::increment(&counters.reviews_closed);
            let late = || format!("a view closed {} s after its agent was gone", delay.as_secs());
            (delay <= MAX_CLOSE_DELAY).then_some(()).ok_or_else(late)
        }
        _ => Err(format!("what should be {fate:?} ended as {closing:?}")),
    }
}
