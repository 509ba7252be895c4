//! Checks of the end of the editor for an agent with a WebSocket: its last messages, and the files that
//! remain.

use std::time::Duration;

use super::agent::is_accepting;
use super::lock_file;
use super::rule_source::measured;
use crate::action::Action;
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure, skip};
use crate::claude::connecting;
use crate::harness::case::Case;
use crate::harness::scenes::ClaudeEnded;
use crate::time::clock::Patience;

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "claude-stop.undecided",
        title: "A diff that nobody decided is not accepted at the end",
        clause: measured("FILE_SAVED and TAB_CLOSED accept; an error and a broken connection do not"),
        harm: "a proposal is written though nobody accepted it",
        needs: &["stop"],
        ..Check::of(Group::ClaudeStop, When::Last, |case| Box::pin(undecided(case)))
    },
    Check {
        id: "claude-stop.ends",
        title: "Connections end, and nobody listens any more",
        clause: measured("where the connection is gone, the agent asks in its own prompt"),
        harm: "the agent waits for ever for the outcome of its diff",
        needs: &["stop"],
        ..Check::of(Group::ClaudeStop, When::Last, |case| Box::pin(ends(case)))
    },
    Check {
        id: "claude-stop.lock",
        title: "The lock is removed",
        clause: measured("an agent connects only where exactly one lock holds its directory"),
        harm: "the next agent tries a companion that is gone, or takes none of two",
        needs: &["stop"],
        ..Check::of(Group::ClaudeStop, When::Last, |case| Box::pin(lock(case)))
    },
];

async fn ended(case: &Case<'_>) -> Checked<ClaudeEnded> {
    case.scene(&case.fixture.scenes.claude_ended, async {
        let agent = connecting::claude_joins(case).await?;
        let lock = lock_file::path(case);
        // The other checks need no diff.
        let proposal =
            connecting::claude_proposes(case, &agent, "claude-undecided.txt", "Undecided.\n").await;
        let had_lock = lock.exists();
        case.act(Action::Stop).await?;
        let mut patience = Patience::new(case.timeouts().stop);
        let ended = patience.wait_for(agent.ended()).await.is_some();
        let mut serves = true;
        while serves || lock.exists() {
            serves = serves && case.fixture.target.is_there().await;
            if !patience.sleep(Duration::from_millis(20)).await {
                break;
            }
        }
        let answer = match proposal {
            Ok(proposal) => Ok(agent.wait_for_response(proposal.call, Duration::ZERO).await),
            Err(why) => Err(why),
        };
        let locks = [had_lock, lock.exists()];
        if serves && !ended && locks == [true; 2] {
            case.certain("the editor still runs")?;
        }
        Ok(ClaudeEnded { answer, ended, serves, locks })
    })
    .await
}

async fn undecided(case: &Case<'_>) -> Checked {
    let seen = ended(case).await?;
    match seen.answer? {
        Some(answer) => ensure(!is_accepting(&answer), || format!("openDiff was answered with {answer}")),
        None if seen.ended => Ok(()),
        None => skip("openDiff was not answered, and the connection stayed"),
    }
}

async fn ends(case: &Case<'_>) -> Checked {
    let seen = ended(case).await?;
    let later = case.timeouts().stop.as_secs_f32();
    ensure(seen.ended, || format!("{later} s later, the connection was still there"))?;
    ensure(!seen.serves, || format!("{later} s later it still accepts connections"))
}

async fn lock(case: &Case<'_>) -> Checked {
    let seen = ended(case).await?;
    match seen.locks {
        [false, _] => skip("there was no lock"),
        [true, is_left] => ensure(!is_left, || format!("{} is left", lock_file::path(case).display())),
    }
}
