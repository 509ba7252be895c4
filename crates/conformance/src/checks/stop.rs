//! Checks of the end of the editor: the messages to agents, and the files that remain. They are made last.

use std::path::PathBuf;
use std::time::Duration;

use crate::action::Action;
use crate::check::Clause::{Shipped, Spec};
use crate::check::Level::Must;
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure, fail, skip};
use crate::checks::published_files;
use crate::harness::case::Case;
use crate::harness::connect;
use crate::harness::diff_calls;
use crate::harness::received_outcomes::OUTCOMES;
use crate::harness::scenes::Ended;
use crate::http::stream_listener::Listener;
use crate::time::clock::{Patience, within};
use alongside_agent::wire::Connection;

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "stop.rejects",
        title: "Undecided diffs are rejected before the streams end",
        clause: Shipped {
            says: "an agent whose diff is open when the companion goes waits for its outcome",
            breaks: "every release: neither Enter nor Esc is heard in its prompt",
        },
        harm: "the agent's prompt is wedged, and it has to be killed",
        needs: &["stop"],
        ..Check::of(Group::Stop, When::Last, |case| Box::pin(rejects(case)))
    },
    Check {
        id: "stop.streams-end",
        title: "Streams end properly",
        clause: Shipped {
            says: "a stream that breaks is an error, one that ends is opened again",
            breaks: "releases with a TypeScript SDK newer than 1.17: disconnected until /ide enable",
        },
        harm: "the agent does not come back when the editor does",
        needs: &["stop"],
        ..Check::of(Group::Stop, When::Last, |case| Box::pin(streams_end(case)))
    },
    Check {
        id: "stop.server",
        title: "The server stops",
        clause: Spec(Must, "on deactivation: stop the MCP server"),
        harm: "agents go on talking to an editor that is not there",
        needs: &["stop"],
        ..Check::of(Group::Stop, When::Last, |case| Box::pin(server(case)))
    },
    Check {
        id: "stop.files",
        title: "The discovery files are deleted",
        clause: Spec(Must, "on deactivation: delete the discovery file"),
        harm: "the next agent tries a companion that is gone, and no other",
        needs: &["stop"],
        ..Check::of(Group::Stop, When::Last, |case| Box::pin(files(case)))
    },
];

async fn ended(case: &Case<'_>) -> Checked<Ended> {
    case.scene(&case.fixture.scenes.ended, async {
        let (one, other) = (connect::join(case).await?, connect::join(case).await?);
        let listeners = [Listener::of(&one).await?, Listener::of(&other).await?];
        let files = published_files::of(case.fixture.target).len();
        let had_files = files > 0;
        // Both agents open a diff, because some companions answer only the agent that joined last. The other
        // checks of this scene need no diff.
        let first = diff_calls::open_diff(case, &one, &case.proposal("undecided.txt"), "Undecided.\n").await;
        let last =
            diff_calls::open_diff(case, &other, &case.proposal("undecided-too.txt"), "Undecided.\n").await;
        let opened = [first.is_ok(), last.is_ok()];
        if opened == [false; 2] {
            case.evidence.note("→ (no diff could be opened)");
        }
        case.act(Action::Stop).await?;
        let mut patience = Patience::new(case.timeouts().stop);
        let mut ends = [None; 2];
        for (end, listener) in ends.iter_mut().zip(&listeners) {
            *end = patience.wait_for(listener.ended()).await.flatten();
        }
        let asked = listeners.iter().zip(opened).filter(|(_, opened)| *opened);
        let told = |listener: &Listener| listener.messages(0, &OUTCOMES).into_iter().next();
        let outcomes = asked.map(|(listener, _)| told(listener).map(|(_, message)| message)).collect();
        let mut serves = true;
        let left = loop {
            if serves {
                let target = case.fixture.target;
                let endpoint = target.endpoint();
                let dialled = Connection::dial(&endpoint);
                let dialled = within(Duration::from_secs(2), dialled).await;
                serves = matches!(dialled, Some(Ok(_)));
            }
            let left: Vec<PathBuf> =
                published_files::of(case.fixture.target).into_iter().map(|file| file.path).collect();
            let is_over = !serves && left.is_empty();
            if is_over || !patience.sleep(Duration::from_millis(20)).await {
                break left;
            }
        };
        if serves && ends == [None; 2] && left.len() == files {
            // If the driver is a program, the editor has certainly ended, and the checks judge the rest.
            case.certain("the editor still runs")?;
        }
        Ok(Ended { outcomes, ends, serves, left, had_files })
    })
    .await
}

async fn rejects(case: &Case<'_>) -> Checked {
    let seen = ended(case).await?;
    if seen.outcomes.is_empty() {
        return skip("no diff could be opened");
    }
    for outcome in seen.outcomes {
        match outcome {
            Some(outcome) => ensure(outcome["method"] != "ide/diffAccepted", || {
                "an undecided proposal was reported as accepted".into()
            })?,
            None => return fail("the stream ended without an outcome of the open diff"),
        }
    }
    Ok(())
}

async fn streams_end(case: &Case<'_>) -> Checked {
    for end in ended(case).await?.ends {
        match end {
            Some(true) => {}
            Some(false) => return fail("a stream broke off instead of ending"),
            None => {
                return fail(format!(
                    "{} s later a stream was still open",
                    case.timeouts().stop.as_secs_f32()
                ));
            }
        }
    }
    Ok(())
}

async fn server(case: &Case<'_>) -> Checked {
    let seen = ended(case).await?;
    ensure(!seen.serves, || {
        format!("{} s later it still accepts connections", case.timeouts().stop.as_secs_f32())
    })
}

async fn files(case: &Case<'_>) -> Checked {
    let seen = ended(case).await?;
    if !seen.had_files {
        return skip("there were no files");
    }
    let left: Vec<String> = seen.left.iter().map(|path| path.display().to_string()).collect();
    ensure(left.is_empty(), || format!("these files are left: {}", left.join(", ")))
}
