//! Checks of cursors and selections in updates, and of how often updates are sent.

use std::path::Path;
use std::time::{Duration, Instant};

use alongside_contract::context::CONTEXT_UPDATE;
use serde_json::{Value, json};

use crate::action::Action;
use crate::check::Clause::{Advice, Shipped, Spec};
use crate::check::Level::{Must, Should};
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure, skip, unseen};
use crate::checks::all_stream_events::over_all;
use crate::checks::context;
use crate::checks::context::{active, lines};
use crate::harness::case::Case;
use crate::harness::scenes::Moving;
use crate::http::stream_listener::Listener;
use crate::http::stream_rules::Rule;
use crate::time::clock::{Measuring, lateness};

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "context.cursor",
        title: "The cursor is reported, counted from 1",
        clause: Spec(Must, "cursor has a 1-based line number and a 1-based character number"),
        harm: "“this line” means another one to the agent than to the person",
        needs: &["open", "cursor"],
        ..Check::of(Group::Context, When::InTurn, |case| Box::pin(cursor(case)))
    },
    Check {
        id: "context.utf16",
        title: "Columns count UTF-16 units",
        clause: Advice("character counts as in VS Code, for which agents are made: a 😀 is two"),
        harm: "behind some characters, the cursor is told beside where it is",
        needs: &["open", "cursor"],
        ..Check::of(Group::Context, When::InTurn, |case| Box::pin(utf16(case)))
    },
    Check {
        id: "context.prompt",
        title: "A movement is reported at once",
        clause: Spec(
            Should,
            "the notification should be sent when the cursor moves, with a recommended debounce of 50ms",
        ),
        harm: "the agent answers about the line before",
        needs: &["open", "cursor"],
        ..Check::of(Group::Context, When::InTurn, |case| Box::pin(prompt(case)))
    },
    Check {
        id: "context.selection",
        title: "The selected text is reported",
        clause: Spec(
            Should,
            "selectedText is the text currently selected; the notification should be sent when the \
                selection changes",
        ),
        harm: "the agent does not know what “this” is",
        needs: &["open", "select"],
        ..Check::of(Group::Context, When::InTurn, |case| Box::pin(selection(case)))
    },
    Check {
        id: "context.short-selection",
        title: "A long selection is cut between two characters",
        clause: Spec(
            Should,
            "agents truncate selectedText to 16KB; it is highly recommended that the extension limits it \
                as well",
        ),
        harm: "with a large file selected every movement costs time, or half a character breaks the message",
        needs: &["open", "select"],
        ..Check::of(Group::Context, When::InTurn, |case| Box::pin(short_selection(case)))
    },
    Check {
        id: "context.steady",
        title: "A cursor that moves without a pause is reported all the same",
        clause: Shipped {
            says: "an update is what the next prompt goes with",
            breaks: "every release, with companions that only wait for silence: 100 movements in 3 \
                seconds gave none",
        },
        harm: "the agent answers about where the person was when they last paused",
        needs: &["open", "wander"],
        ..Check::of(Group::Context, When::InTurn, |case| Box::pin(steady(case)))
    },
    Check {
        id: "context.debounce",
        title: "Many movements cause few updates",
        clause: Spec(Should, "the notification is sent with a recommended debounce of 50ms"),
        harm: "typing makes the agent work all the time",
        needs: &["open", "wander"],
        ..Check::of(Group::Context, When::InTurn, |case| Box::pin(debounce(case)))
    },
];

/// Returns the cursor of the active file.
fn place(context: &Value) -> Option<&Value> {
    active(context)?.get("cursor")
}

async fn puts(case: &Case<'_>, listener: &Listener, action: Action, at: (u32, u32)) -> Checked {
    let mark = listener.mark();
    case.act(action).await?;
    let wanted = json!({ "line": at.0, "character": at.1 });
    let is_there = |context: &Value| place(context) == Some(&wanted);
    context::expect_update(
        case,
        listener,
        mark,
        is_there,
        &format!("with the cursor on line {}, column {}, ", at.0, at.1),
    )
    .await
}

async fn cursor(case: &Case<'_>) -> Checked {
    let (listener, file) = context::listen_and_open(case, "cursor.txt").await?;
    for (line, column) in [(3, 5), (1, 1)] {
        let action = Action::Cursor { file: file.clone(), line, column };
        puts(case, &listener, action, (line, column)).await?;
    }
    Ok(())
}

async fn utf16(case: &Case<'_>) -> Checked {
    let listener = context::join_and_listen(case).await?;
    let file = case.file("utf16.txt", "The next line is short.\n\u{1f600}\u{1f600} and more\n")?;
    case.act(Action::Open { file: file.clone() }).await?;
    let mark = listener.mark();
    // After both characters.
    case.act(Action::Cursor { file, line: 2, column: 5 }).await?;
    let on_line = |context: &Value| {
        place(context).is_some_and(|cursor| cursor["line"].as_u64().is_some_and(|line| line <= 2))
    };
    let moved = |context: &Value| {
        on_line(context) && place(context).is_some_and(|cursor| cursor["character"].as_u64() > Some(1))
    };
    let Ok(told) = context::wait_for_update(&listener, mark, case.timeouts().answer, moved).await else {
        return skip("no update reports the cursor");
    };
    // Counted from 0 it is 4, which is another check's business; in characters it is 3, in bytes 9.
    let character = place(&told).map(|cursor| cursor["character"].clone()).unwrap_or_default();
    ensure(character == 5 || character == 4, || {
        format!("behind two \u{1f600} the cursor is reported at {character}; in UTF-16 units it is at 5")
    })
}

async fn prompt(case: &Case<'_>) -> Checked {
    let (listener, file) = context::listen_and_open(case, "prompt.txt").await?;
    let soon = Duration::from_millis(1500);
    let mut measuring = Measuring::default();
    let mut line = 30;
    loop {
        line += 1;
        let moved = moves_to(case, &listener, Action::Cursor { file: file.clone(), line, column: 3 });
        let (took, late) = lateness(moved).await;
        let took = took?;
        if took > soon && !measuring.counts(late)? {
            continue;
        }
        return ensure(took <= soon, || format!("the update came more than {} s later", soon.as_secs_f32()));
    }
}

/// Moves the cursor. Returns the time until an update had the new position.
async fn moves_to(case: &Case<'_>, listener: &Listener, action: Action) -> Checked<Duration> {
    case.quiet().await;
    let last = listener.messages(0, &[CONTEXT_UPDATE]).pop().map(|(_, message)| message["params"].clone());
    let before = last.as_ref().and_then(place);
    let mark = listener.mark();
    case.act(action).await?;
    let begun = Instant::now();
    let moved = |context: &Value| place(context).is_some() && place(context) != before;
    match context::wait_for_update(listener, mark, case.timeouts().answer, moved).await {
        Ok(_) => Ok(begun.elapsed()),
        Err(_) => skip("no update reports the cursor"),
    }
}

async fn selection(case: &Case<'_>) -> Checked {
    let listener = context::join_and_listen(case).await?;
    let file = context::open_file(case, "selection.txt").await?;
    let mark = listener.mark();
    case.act(Action::Select { file, from: (2, 6), to: (3, 5) }).await?;
    let text = lines();
    let mut all = text.lines();
    let (second, third) = (all.nth(1).unwrap_or_default(), all.next().unwrap_or_default());
    let wanted = format!("{}\n{}", &second[5..], &third[..4]);
    let told = |context: &Value| {
        let told = active(context).and_then(|file| file["selectedText"].as_str());
        // The editor may use other line endings.
        told.is_some_and(|told| told.replace("\r\n", "\n") == wanted)
    };
    context::expect_update(case, &listener, mark, told, &format!("with {wanted:?} selected, ")).await
}

async fn short_selection(case: &Case<'_>) -> Checked {
    // The limit falls into the middle of a character.
    let line = format!("a{}", "\u{1f600}".repeat(9000));
    let end = u32::try_from(line.encode_utf16().count()).unwrap_or(u32::MAX) + 1;
    let listener = context::join_and_listen(case).await?;
    let file = case.file("long-selection.txt", &format!("{line}\n"))?;
    case.act(Action::Open { file: file.clone() }).await?;
    let mark = listener.mark();
    case.act(Action::Select { file: file.clone(), from: (1, 1), to: (1, end) }).await?;
    let path = file.to_string_lossy().into_owned();
    let selected = |context: &Value| {
        let long = |file: &Value| file["selectedText"].as_str().is_some_and(|text| text.len() > 1);
        active(context).is_some_and(|file| file["path"] == path.as_str() && long(file))
    };
    let Ok(told) = context::wait_for_update(&listener, mark, case.timeouts().answer, selected).await else {
        return skip("no update reports the selection");
    };
    let text = active(&told).and_then(|file| file["selectedText"].as_str()).unwrap_or_default();
    ensure(line.starts_with(text), || {
        let tail: String = text.chars().rev().take(3).collect();
        format!("the reported text does not begin the selection; read backwards, it ends in {tail:?}")
    })?;
    over_all(case, Rule::ShortSelection).await
}

async fn moving(case: &Case<'_>) -> Checked<Moving> {
    case.scene(&case.fixture.scenes.moving, async {
        let listener = context::join_and_listen(case).await?;
        let file = context::open_file(case, "wander.txt").await?;
        case.quiet().await;
        // A person moves the cursor for a longer time, in which any machine is sometimes late.
        let is_person = case.certain("").is_err();
        let mut measuring = Measuring::default();
        loop {
            let (seen, late) = lateness(wandering(case, &listener, &file)).await;
            let seen = seen?;
            if !is_person && !measuring.counts(late)? {
                continue;
            }
            if seen.updates.is_empty() {
                return unseen("no update came: the cursor did not move, or cursors are not reported");
            }
            return Ok(seen);
        }
    })
    .await
}

async fn wandering(case: &Case<'_>, listener: &Listener, file: &Path) -> Checked<Moving> {
    let mark = listener.mark();
    let begun = Instant::now();
    case.act(Action::Wander { file: file.to_owned(), time: Duration::from_secs(2) }).await?;
    let span = begun.elapsed();
    // A companion that waits for a pause sends its update now.
    case.quiet().await;
    listener.message(mark, case.timeouts().answer, &[CONTEXT_UPDATE]).await;
    let updates: Vec<Duration> = listener
        .messages(mark, &[CONTEXT_UPDATE])
        .into_iter()
        .map(|(at, _)| at.saturating_duration_since(begun))
        .collect();
    case.evidence.note(format!("← {} updates in {:.1} s of movement", updates.len(), span.as_secs_f32()));
    Ok(Moving { span, updates })
}

async fn steady(case: &Case<'_>) -> Checked {
    let seen = moving(case).await?;
    if seen.span < Duration::from_secs(1) {
        return unseen("the cursor moved for too short a time");
    }
    // The end of the movement is not a pause within it.
    let during = seen.updates.iter().filter(|at| **at + Duration::from_millis(100) < seen.span).count();
    ensure(during >= 3, || {
        format!(
            "only {during} updates came in {:.1} s of movement, and the rest after it",
            seen.span.as_secs_f32()
        )
    })
}

async fn debounce(case: &Case<'_>) -> Checked {
    let seen = moving(case).await?;
    let most = seen.span.as_millis() / 45;
    let came = u128::try_from(seen.updates.len()).unwrap_or(u128::MAX);
    ensure(came <= most.max(3), || {
        format!("{came} updates came in {:.1} s; one in 50 ms would be enough", seen.span.as_secs_f32())
    })
}
