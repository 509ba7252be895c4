//! Checks of the active file and its selection, as the agent learns them.

use std::path::Path;
use std::time::Duration;

use alongside_contract::websocket::SELECTION_CHANGED;
use serde_json::{Value, json};

use super::agent::{Agent, Received};
use super::rule_source::measured;
use crate::action::Action;
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure, fail, skip};
use crate::checks::context;
use crate::claude::connecting;
use crate::harness::case::Case;

/// The time after `notifications/initialized` in which the agent drops notifications.
const IGNORED_AFTER_START: Duration = Duration::from_millis(500);

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "claude-context.greeting",
        title: "Nothing is told before notifications/initialized",
        clause: measured("notifications before notifications/initialized are dropped"),
        harm: "the agent does not know which file the person looks at",
        needs: &["open"],
        ..Check::of(Group::ClaudeContext, When::InTurn, |case| Box::pin(greeting(case)))
    },
    Check {
        id: "claude-context.first",
        title: "An agent that connects learns of the active file, half a second later",
        clause: measured("notifications of the first 500 ms after the greeting are dropped"),
        harm: "an agent that is started while the person reads knows of no file",
        needs: &["open"],
        ..Check::of(Group::ClaudeContext, When::InTurn, |case| Box::pin(first(case)))
    },
    Check {
        id: "claude-context.cursor",
        title: "A cursor is an empty selection, counted from 0",
        clause: measured("selection_changed has filePath, and a selection with start, end and isEmpty"),
        harm: "“this line” means another one to the agent than to the person",
        needs: &["open", "cursor"],
        ..Check::of(Group::ClaudeContext, When::InTurn, |case| Box::pin(cursor(case)))
    },
    Check {
        id: "claude-context.selection",
        title: "The selected text is told, with its range counted from 0",
        clause: measured("selection_changed has filePath, text, and a selection with start, end and isEmpty"),
        harm: "the agent does not know what “this” is",
        needs: &["open", "select"],
        ..Check::of(Group::ClaudeContext, When::InTurn, |case| Box::pin(selection(case)))
    },
];

/// Whether a message reports a selection in this file.
fn is_about((_, message): &Received, file: &Path) -> bool {
    let told = message["params"]["filePath"].as_str();
    message["method"] == SELECTION_CHANGED && told.is_some_and(|told| Path::new(told) == file)
}

/// Waits for a selection in this file that meets the condition.
async fn expect_selection(
    case: &Case<'_>,
    agent: &Agent,
    file: &Path,
    fits: impl Fn(&Value) -> bool,
) -> Checked {
    let is_it = |received: &Received| (is_about(received, file) && fits(&received.1["params"])).then_some(());
    if agent.wait(case.timeouts().answer, is_it).await.is_some() {
        return Ok(());
    }
    match agent.notifications().pop() {
        Some((_, last)) => fail(format!("no such selection was told; the last message was {last}")),
        None => case.nothing_came("no selection was told"),
    }
}

async fn greeting(case: &Case<'_>) -> Checked {
    let (silent, _) = connecting::claude_greets(case).await?;
    let listener = connecting::claude_joins(case).await?;
    let file = context::open_file(case, "claude-greeting.txt").await?;
    // By then, the companion has sent the context that follows from the open file.
    let told = expect_selection(case, &listener, &file, |_| true).await;
    told.or_else(|_| skip("no selection was told to another agent"))?;
    case.quiet().await;
    match silent.notifications().first() {
        Some((_, message)) => fail(format!("an agent that has not greeted was told {message}")),
        None => Ok(()),
    }
}

async fn first(case: &Case<'_>) -> Checked {
    let file = context::open_file(case, "claude-first.txt").await?;
    case.quiet().await;
    let agent = connecting::claude_joins(case).await?;
    let from = agent.initialized_at + IGNORED_AFTER_START;
    let is_received = |received: &Received| (received.0 >= from && is_about(received, &file)).then_some(());
    if agent.wait(case.timeouts().answer, is_received).await.is_some() {
        return Ok(());
    }
    match agent.notifications().into_iter().rfind(|received| is_about(received, &file)) {
        Some((at, _)) => {
            let after = at.saturating_duration_since(agent.initialized_at).as_millis();
            fail(format!("the file was told {after} ms after the greeting, when agents still drop it"))
        }
        None => case.nothing_came("the open file was not told"),
    }
}

async fn cursor(case: &Case<'_>) -> Checked {
    let agent = connecting::claude_joins(case).await?;
    let file = context::open_file(case, "claude-cursor.txt").await?;
    case.act(Action::Cursor { file: file.clone(), line: 5, column: 3 }).await?;
    let at = json!({ "line": 4, "character": 2 });
    let is_there = |told: &Value| {
        let selection = &told["selection"];
        selection["start"] == at && selection["end"] == at && selection["isEmpty"] == true
    };
    expect_selection(case, &agent, &file, is_there).await
}

async fn selection(case: &Case<'_>) -> Checked {
    let agent = connecting::claude_joins(case).await?;
    let file = context::open_file(case, "claude-selection.txt").await?;
    case.act(Action::Select { file: file.clone(), from: (3, 9), to: (3, 15) }).await?;
    let range = json!({
        "start": { "line": 2, "character": 8 }, "end": { "line": 2, "character": 14 }, "isEmpty": false,
    });
    let is_there = |told: &Value| {
        let selection = &told["selection"];
        let fields = ["start", "end", "isEmpty"];
        told["text"] == "line 3" && fields.iter().all(|field| selection[*field] == range[*field])
    };
    expect_selection(case, &agent, &file, is_there).await?;
    // The agent keeps the last selection that was sent.
    let last = agent.notifications().into_iter().rfind(|received| is_about(received, &file));
    ensure(last.is_some_and(|(_, last)| is_there(&last["params"])), || "another selection followed".into())
}
