//! Checks of the open files that context updates list.

use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_contract::context::{CONTEXT_UPDATE, MAX_OPEN_FILES};
use serde_json::Value;

use crate::action::Action;
use crate::check::Clause::{Advice, Shipped, Spec};
use crate::check::Level::{Must, Should};
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure, fail, skip};
use crate::checks::all_stream_events::over_all;
use crate::harness::case::Case;
use crate::harness::connect;
use crate::http::stream_listener::{Listener, Received};
use crate::http::stream_rules::Rule;

const WRONG_FILE: &str = "“this file” means another one to the agent than to the person";

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "context.first",
        title: "A stream begins with the open files",
        clause: Shipped {
            says: "an agent knows no file before the first ide/contextUpdate",
            breaks: "every release: without one, it knows nothing until the person moves",
        },
        harm: "an agent that is started while the person reads knows of no file",
        needs: &["open"],
        ..Check::of(Group::Context, When::InTurn, |case| Box::pin(first(case)))
    },
    Check {
        id: "context.opened",
        title: "Every agent is told about a file that is opened",
        clause: Spec(Should, "the notification should be sent when a file is opened, closed, or focused"),
        harm: "the agent does not know which file the person looks at",
        needs: &["open"],
        ..Check::of(Group::Context, When::InTurn, |case| Box::pin(opened(case)))
    },
    Check {
        id: "context.focused",
        title: "The file in focus is the active one and has the newest timestamp",
        clause: Spec(
            Must,
            "an accurate timestamp for when a file was last focused; the most recent file is the active one",
        ),
        harm: WRONG_FILE,
        needs: &["open", "focus"],
        ..Check::of(Group::Context, When::InTurn, |case| Box::pin(focused(case)))
    },
    Check {
        id: "context.closed",
        title: "A closed file is no longer listed",
        clause: Spec(Should, "the notification should be sent when a file is opened, closed, or focused"),
        harm: "the agent takes a closed file for an open one",
        needs: &["open", "close"],
        ..Check::of(Group::Context, When::InTurn, |case| Box::pin(closed(case)))
    },
    Check {
        id: "context.vanished",
        title: "A deleted file is no longer listed",
        clause: Spec(Must, "openFiles only includes files that exist on disk"),
        harm: "the agent tries to read a file that is not there",
        needs: &["open"],
        ..Check::of(Group::Context, When::InTurn, |case| Box::pin(vanished(case)))
    },
    Check {
        id: "context.few-files",
        title: "At most ten files are listed",
        clause: Spec(
            Should,
            "agents truncate the list to 10 files; it is highly recommended that the extension limits it \
                as well",
        ),
        harm: "with many files open every movement costs time",
        needs: &["open"],
        ..Check::of(Group::Context, When::InTurn, |case| Box::pin(few_files(case)))
    },
    Check {
        id: "context.shape",
        title: "Every update is an IdeContext",
        clause: Spec(Must, "the notification parameters are an IdeContext object"),
        harm: "the agent disconnects",
        ..Check::of(Group::Context, When::Afterwards, |case| over_all(case, Rule::Shape))
    },
    Check {
        id: "context.absolute",
        title: "Paths are absolute",
        clause: Spec(Must, "path is the absolute path to the file"),
        harm: "the agent looks for the file in another place",
        ..Check::of(Group::Context, When::Afterwards, |case| over_all(case, Rule::AbsolutePaths))
    },
    Check {
        id: "context.on-disk",
        title: "Only files that exist are listed",
        clause: Spec(Must, "virtual files, such as unsaved files without a path, are excluded"),
        harm: "the agent tries to read a file that is not there",
        needs: &["open", "new"],
        ..Check::of(Group::Context, When::Afterwards, |case| Box::pin(on_disk(case)))
    },
    Check {
        id: "context.timestamps",
        title: "Every file has a timestamp in milliseconds",
        clause: Spec(
            Must,
            "the extension provides an accurate Unix timestamp for when a file was last focused",
        ),
        harm: WRONG_FILE,
        ..Check::of(Group::Context, When::Afterwards, |case| over_all(case, Rule::Timestamps))
    },
    Check {
        id: "context.active-newest",
        title: "The active file is always the newest",
        clause: Spec(
            Must,
            "the CLI considers only the most recent file to be the active one, and clears the cursor of \
                all others",
        ),
        harm: "the agent knows neither the cursor nor the selection",
        ..Check::of(Group::Context, When::Afterwards, |case| over_all(case, Rule::ActiveIsNewest))
    },
    Check {
        id: "context.one-active",
        title: "One file is active at most, and only that one has a cursor and a selection",
        clause: Spec(
            Should,
            "the extension should set isActive, cursor and selection only for the currently focused file",
        ),
        harm: WRONG_FILE,
        ..Check::of(Group::Context, When::Afterwards, |case| over_all(case, Rule::OneActive))
    },
    Check {
        id: "context.equal",
        title: "Equal updates are not repeated",
        clause: Advice("an update that equals the last one is not sent"),
        harm: "the agent works without anything having happened",
        needs: &["open", "focus"],
        ..Check::of(Group::Context, When::Afterwards, |case| Box::pin(equal(case)))
    },
];

/// Returns the files of an update.
fn files(context: &Value) -> &[Value] {
    context["workspaceState"]["openFiles"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Returns a file of an update.
pub(crate) fn find<'a>(context: &'a Value, path: &Path) -> Option<&'a Value> {
    files(context).iter().find(|file| file["path"].as_str().is_some_and(|told| Path::new(told) == path))
}

/// Returns the active file of an update.
pub(crate) fn active(context: &Value) -> Option<&Value> {
    files(context).iter().find(|file| file["isActive"] == true)
}

/// Waits for an update that is as it has to be, since the mark.
///
/// # Errors
/// The last update of all instead, if there was any.
pub(crate) async fn wait_for_update(
    listener: &Listener,
    mark: usize,
    patience: Duration,
    fits: impl Fn(&Value) -> bool,
) -> Result<Value, Option<Value>> {
    let found = listener.wait(mark, patience, |received| match received {
        Received::Message(message) if message["method"] == CONTEXT_UPDATE && fits(&message["params"]) => {
            Some(message["params"].clone())
        }
        _ => None,
    });
    let last = || listener.messages(0, &[CONTEXT_UPDATE]).pop().map(|(_, message)| message["params"].clone());
    found.await.ok_or_else(last)
}

/// Describes the last update, for the verdict.
fn last_update(last: Option<Value>) -> String {
    match last {
        Some(last) => format!("the last update was {last}"),
        None => "there was no update at all".into(),
    }
}

/// Creates a file with many lines and opens it in the editor.
pub(crate) async fn open_file(case: &Case<'_>, name: &str) -> Checked<PathBuf> {
    let file = case.file(name, &lines())?;
    case.act(Action::Open { file: file.clone() }).await?;
    Ok(file)
}

/// Waits for an update that lists a file, or returns the last update.
async fn wait_for_listing(case: &Case<'_>, listener: &Listener, file: &Path) -> Result<Value, Option<Value>> {
    wait_for_update(listener, 0, case.timeouts().answer, |context| find(context, file).is_some()).await
}

/// Waits for an update since the mark. Without one the rule is broken, unless there was no update at all.
pub(crate) async fn expect_update(
    case: &Case<'_>,
    listener: &Listener,
    mark: usize,
    fits: impl Fn(&Value) -> bool,
    otherwise: &str,
) -> Checked {
    let Err(last) = wait_for_update(listener, mark, case.timeouts().answer, fits).await else {
        return Ok(());
    };
    let why = format!("{otherwise}{}", last_update(last));
    let updates = |mark| listener.messages(mark, &[CONTEXT_UPDATE]).len();
    // Every stream begins with an update, so a single update is not an effect of the action.
    if updates(mark) == 0 || updates(0) == 1 { case.nothing_came(why) } else { fail(why) }
}

/// Connects an agent that listens, and waits until a file that is opened is listed.
pub(crate) async fn listen_and_open(case: &Case<'_>, name: &str) -> Checked<(Listener, PathBuf)> {
    let listener = join_and_listen(case).await?;
    let file = open_file(case, name).await?;
    wait_for_listing(case, &listener, &file).await.or_else(|_| skip("no update lists the file"))?;
    Ok((listener, file))
}

/// Connects an agent and opens its stream.
pub(crate) async fn join_and_listen(case: &Case<'_>) -> Checked<Listener> {
    Listener::of(&connect::join(case).await?).await
}

/// Returns the text of the files that the editor opens.
pub(crate) fn lines() -> String {
    (1..=400)
        .map(|line| format!("This is line {line} of a file that is only there to be looked at.\n"))
        .collect()
}

async fn first(case: &Case<'_>) -> Checked {
    let earlier = join_and_listen(case).await?;
    let file = open_file(case, "open-before.txt").await?;
    // By then the companion has sent the update about the opened file, which must not be taken for the first
    // one of the stream.
    let soon = case.timeouts().answer.min(Duration::from_secs(2));
    let _ = wait_for_update(&earlier, 0, soon, |context| find(context, &file).is_some()).await;
    case.quiet().await;
    let listener = join_and_listen(case).await?;
    match wait_for_listing(case, &listener, &file).await {
        Ok(_) => Ok(()),
        Err(None) => case.nothing_came("no update comes on a new stream"),
        Err(last) => case.nothing_came(format!("no update lists {}: {}", file.display(), last_update(last))),
    }
}

async fn opened(case: &Case<'_>) -> Checked {
    let agents = [join_and_listen(case).await?, join_and_listen(case).await?];
    let file = open_file(case, "opened.txt").await?;
    let mut untold = Vec::new();
    for (listener, name) in agents.iter().zip(["first", "second"]) {
        if let Err(last) = wait_for_listing(case, listener, &file).await {
            let what = last_update(last);
            untold.push(format!("the {name} of two agents gets no update about the opened file: {what}"));
        }
    }
    match untold.as_slice() {
        [] => Ok(()),
        [one] => fail(one),
        [first, ..] => case.nothing_came(first),
    }
}

async fn focused(case: &Case<'_>) -> Checked {
    let listener = join_and_listen(case).await?;
    let one = open_file(case, "focus-one.txt").await?;
    let other = open_file(case, "focus-other.txt").await?;
    wait_for_listing(case, &listener, &other).await.or_else(|_| skip("no update lists the files"))?;
    let mark = listener.mark();
    case.act(Action::Focus { file: one.clone() }).await?;
    let timestamp =
        |context: &Value, path: &Path| find(context, path).and_then(|file| file["timestamp"].as_f64());
    let fits = |context: &Value| {
        let is_active = find(context, &one).is_some_and(|file| file["isActive"] == true);
        // Another check judges missing timestamps.
        let own = timestamp(context, &one);
        is_active && (own.is_none() || own > timestamp(context, &other))
    };
    expect_update(
        case,
        &listener,
        mark,
        fits,
        &format!("no update lists {} as active and newest: ", one.display()),
    )
    .await
}

async fn closed(case: &Case<'_>) -> Checked {
    let listener = join_and_listen(case).await?;
    open_file(case, "stays-open.txt").await?;
    let file = open_file(case, "is-closed.txt").await?;
    wait_for_listing(case, &listener, &file).await.or_else(|_| skip("no update lists the file"))?;
    let mark = listener.mark();
    case.act(Action::Close { file: file.clone() }).await?;
    let is_gone = |context: &Value| find(context, &file).is_none();
    expect_update(case, &listener, mark, is_gone, "a closed file is still listed: ").await
}

async fn vanished(case: &Case<'_>) -> Checked {
    let (listener, file) = listen_and_open(case, "vanishes.txt").await?;
    case.fixture.rules.expect_to_vanish(&file);
    if let Err(error) = std::fs::remove_file(&file) {
        return skip(format!("cannot delete {}: {error}", file.display()));
    }
    case.evidence.note(format!("→ {} is deleted", file.display()));
    let later = open_file(case, "opened-after-that.txt").await?;
    let is_gone = |context: &Value| find(context, &later).is_some() && find(context, &file).is_none();
    let told = wait_for_update(&listener, 0, case.timeouts().answer, is_gone).await;
    told.map(drop).or_else(|last| fail(format!("a deleted file is still listed: {}", last_update(last))))
}

async fn few_files(case: &Case<'_>) -> Checked {
    let listener = join_and_listen(case).await?;
    let mut last = PathBuf::new();
    for number in 1..=MAX_OPEN_FILES + 2 {
        last = open_file(case, &format!("many-{number}.txt")).await?;
    }
    wait_for_listing(case, &listener, &last).await.or_else(|_| skip("no update lists the files"))?;
    case.quiet().await;
    over_all(case, Rule::FewFiles).await
}

async fn on_disk(case: &Case<'_>) -> Checked {
    let listener = join_and_listen(case).await?;
    open_file(case, "beside-a-new-one.txt").await?;
    case.act(Action::New).await?;
    case.quiet().await;
    // An update about this file comes after those about earlier ones.
    let last = open_file(case, "after-a-new-one.txt").await?;
    let _ =
        wait_for_update(&listener, 0, Duration::from_secs(1), |context| find(context, &last).is_some()).await;
    drop(listener);
    over_all(case, Rule::OnDisk).await
}

async fn equal(case: &Case<'_>) -> Checked {
    let (listener, file) = listen_and_open(case, "again-and-again.txt").await?;
    for _ in 0..2 {
        case.act(Action::Focus { file: file.clone() }).await?;
        case.quiet().await;
    }
    over_all(case, Rule::Equal).await?;
    ensure(listener.wait_for_end(Duration::ZERO).await.is_none(), || "the stream ended".into())
}
