//! VS Code can do all that the terminal desk can: reasons, splitting, undo, the proposed text of a dropped
//! change, descriptions of differences that are hard to see, acceptance of all seen proposals together,
//! drafts, and the next step in every state. The agent proposes by its hook, which returns reasons.

use std::fs;
use std::path::Path;

use alongside_rig::agent_cli;
use alongside_rig::tmux::{Pane, Tmux};
use alongside_rig::{Sandbox, VscodeWindow, install_code_server, or_skip};
use anyhow::Result;
use serde_json::json;

use crate::vscode::{change_setting, open};
use crate::vscode_selectors::{
    DIALOG, EDITOR, HOVER, LENS, MESSAGE, PROPOSAL, QUICK, QUICK_ROW, ROW, STATE, STATUS, TAB, TERMINAL,
    TITLE, VIEW, WELCOME,
};

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    vscode_does_what_the_desk_does: does_what_the_desk_does(),
    #[ignore = "cargo xtask test --all"]
    vscode_says_the_next_step_without_a_program: says_the_next_step_without_a_program(),
}

/// Returns a text of sixty lines, and a proposal that changes three lines, adds two, and changes one more
/// line below the visible part.
fn texts() -> (String, String) {
    let lines: Vec<_> = (1..=60).map(|number| format!("line {number}\n")).collect();
    let mut proposed = lines.clone();
    proposed[1] = "TWO\n".into();
    proposed[2] = "THREE\n".into();
    proposed[3] = "FOUR\n".into();
    proposed[55] = "FIFTY-SIX\n".into();
    proposed.insert(19, "added 2\n".into());
    proposed.insert(19, "added 1\n".into());
    (lines.concat(), proposed.concat())
}

fn does_what_the_desk_does() -> Result<()> {
    let Some(code_server) = or_skip(install_code_server()) else { return Ok(()) };
    let sandbox = Sandbox::new();
    let (original, proposed) = texts();
    let notes = sandbox.write("notes.md", &original);
    let spaces = sandbox.write("blanks.txt", "    const c = 1\n");
    let terminal = Tmux::new(&sandbox, [agent_cli::path_variable(&sandbox)?]);
    code_server.put_on_path(&sandbox)?;
    // The person's setting is VS Code's own default, and not the default that the extension brings.
    change_setting(&sandbox, "diffEditor.ignoreTrimWhitespace", true)?;
    let (_server, window) = open(&sandbox, &terminal, &code_server)?;
    window.open_file("notes.md")?;
    window.wait(STATUS, "no agent")?;
    window.run("View: Show Alongside")?;
    window.wait(WELCOME, "No agent is connected yet.")?;
    // The palette offers nothing about proposals.
    window.press("F1")?;
    window.type_text("Alongside: ")?;
    window.wait(QUICK_ROW, "Alongside: Set Up Agents")?;
    let offered = window.text(".quick-input-list")?;
    let about_proposals = ["Show Proposal", "Accept Proposal", "Reject Proposal", "Undo"];
    assert!(about_proposals.iter().all(|title| !offered.contains(title)), "{offered}");
    window.press("Escape")?;

    // The list shows the hook's agent, with its counts before its name.
    let first = hook(&sandbox, &terminal, "first", &notes, &proposed)?;
    window.wait(MESSAGE, "proposes 3 changes")?;
    window.wait(ROW, "+6 -4, Claude Code, by its hook")?;
    window.run("Alongside: Show Proposal")?;
    window.wait(STATE, "change 1 of 3: kept")?;
    window.wait(TITLE, "Accept")?;

    // A change that is dropped with a reason can show what was proposed.
    window.click(LENS, "Drop with a reason")?;
    window.wait(QUICK, "why not change 1 of 3?")?;
    window.type_text("keep the names")?;
    window.press("Enter")?;
    window.wait(STATE, "change 1 of 3: dropped")?;
    window.wait(STATE, "Why: keep the names")?;
    window.wait_for_lines(PROPOSAL, "line 4\n")?;
    window.click(LENS, "Show what was proposed")?;
    window.wait(HOVER, "+FOUR")?;
    window.press("Escape")?;

    // The next change is split, and whole again.
    window.click(LENS, "Split")?;
    window.wait(STATE, "change 3 of 4: kept")?;
    window.run("Alongside: Undo the Last Edit of a Proposal")?;
    window.wait(STATE, "change 2 of 3: kept")?;

    // Where two lines look the same, a message describes the difference: a tab and a Cyrillic letter.
    let second = hook(&sandbox, &terminal, "second", &spaces, "\t\u{441}onst c = 1\n")?;
    let differ = "Hard to see: Cyrillic \u{441} (U+0441) in place of c, a tab in place of blanks.";
    window.wait(MESSAGE, &format!("blanks.txt: Claude Code proposes 1 change. {differ}"))?;
    window.click(ROW, "blanks.txt")?;
    window.hover(&format!("{PROPOSAL} .view-lines:not(.line-delete) .view-line"), "onst")?;
    window.wait(HOVER, differ)?;
    window.hover(STATUS, "")?;
    window.wait_until_gone(HOVER, differ)?;
    // By the person's setting, VS Code hides changes of whitespace. Such a change counts as seen only when it
    // is shown.
    window.click(LENS, "Show hidden blanks")?;
    window.wait_until_gone(LENS, "Show hidden blanks")?;
    window.wait(&format!("{ROW}:has-text('blanks.txt') .codicon-diff"), "")?;

    // A proposal that was not seen completely is accepted only after a question.
    window.click(ROW, "notes.md")?;
    window.wait(STATE, "change 1 of 3: dropped")?;
    window.focus(&format!("{PROPOSAL} .native-edit-context"))?;
    window.wait(ROW, "seen 2 of 3")?;
    accept(&window)?;
    window.wait(DIALOG, "notes.md: 1 of 3 changes not seen.")?;
    window.press("Escape")?;
    window.wait_until_gone(DIALOG, "")?;

    // Only completely seen proposals are accepted together. The last change of the other proposal was not
    // seen.
    window.run("Alongside: Accept All Proposals That You Have Seen…")?;
    window.wait(DIALOG, "Accept this proposal?")?;
    window.wait(DIALOG, "blanks.txt: +1 -1, Claude Code, 1 kept")?;
    window.wait(DIALOG, "notes.md: +3 -1, Claude Code, 2 kept, 1 dropped: seen 2 of 3 changes")?;
    window.click(&format!("{DIALOG} .monaco-button"), "Accept")?;
    window.wait(MESSAGE, "1 accepted; 1 other waits.")?;
    second.wait_for("the acceptance", |screen| screen.contains(r#""allow""#))?;

    // While reports are paused, a message above the list says so.
    window.wait(TAB, "notes.md (Claude Code")?;
    window.run("Alongside: Pause or Resume Reports About Files")?;
    window.wait(VIEW, "Paused: agents learn nothing")?;
    window.run("Alongside: Pause or Resume Reports About Files")?;
    window.wait_until_gone(VIEW, "Paused: agents learn nothing")?;

    // The person types, and rejects with a reason. The agent's model reads both reasons, and a draft holds
    // the text.
    window.focus(&format!("{PROPOSAL} .native-edit-context"))?;
    window.press("Control+Home")?;
    window.type_text("typed by me ")?;
    window.wait(STATE, "edited")?;
    choose(&window, "Alongside: Reject Proposal With a Reason…")?;
    window.wait(QUICK, "notes.md: why?")?;
    window.wait(QUICK, "Your edits go to the drafts.")?;
    window.type_text("not now")?;
    window.press("Enter")?;
    let answer = first.wait_for("the rejection", |screen| screen.contains(r#""deny""#))?;
    let answer = answer.replace('\n', "");
    assert!(answer.contains("not now") && answer.contains("keep the names"), "{answer}");
    window.wait(WELCOME, "Nothing to review.")?;
    window.wait(STATUS, "Claude Code by its hook")?;
    window.wait(ROW, "by its hook")?;
    choose(&window, "Alongside: Show Drafts")?;
    window.click(QUICK_ROW, "notes.md")?;
    window.wait(TAB, "notes.md: the file, and your draft")?;
    window.click(TITLE, "Take Into the File")?;
    window.wait_for_lines(EDITOR, "typed by me ")?;

    // Two halves of a deletion are at the same line. Their descriptions differ, and the key acts on the half
    // that the person has moved to.
    let gone = sandbox.write("gone.txt", "a\nb\nc\nd\n");
    let _third = hook(&sandbox, &terminal, "third", &gone, "a\nd\n")?;
    window.click(ROW, "gone.txt")?;
    window.click(LENS, "Split")?;
    window.wait(STATE, "deletes line 2: change 1 of 2: kept")?;
    window.focus(&format!("{PROPOSAL} .native-edit-context"))?;
    window.press("Control+Home")?;
    window.press("Alt+F5")?;
    window.press("Alt+F5")?;
    window.press("Alt+K")?;
    window.wait(STATE, "change 2 of 2: dropped")?;
    window.wait(STATE, "change 1 of 2: kept")?;

    // The set-up of agents and the doctor run in a terminal, where the person can read and answer.
    window.run("Alongside: Set Up Agents")?;
    window.wait(TERMINAL, "install agent")?;
    window.run("Alongside: Show Why an Agent Does Not Find This Window")?;
    window.wait(TERMINAL, "doctor")?;
    assert_eq!(fs::read_to_string(&notes)?, original, "nothing was accepted");
    Ok(())
}

/// The person's setting names a program that does not exist.
fn says_the_next_step_without_a_program() -> Result<()> {
    let Some(code_server) = or_skip(install_code_server()) else { return Ok(()) };
    let sandbox = Sandbox::new();
    sandbox.write("notes.md", "one\n");
    let nowhere = json!({ "alongside.program": "/nowhere/alongside" });
    let settings = sandbox.write_home(".local/share/code-server/Machine/settings.json", nowhere.to_string());
    let terminal = Tmux::new(&sandbox, [agent_cli::path_variable(&sandbox)?]);
    code_server.put_on_path(&sandbox)?;
    let (_server, window) = open(&sandbox, &terminal, &code_server)?;
    window.wait(MESSAGE, "VS Code does not find the program /nowhere/alongside")?;
    window.run("View: Show Alongside")?;
    window.wait(WELCOME, "How to Install It")?;
    fs::write(settings, "{}")?;
    window.wait(WELCOME, "No agent is connected yet.")
}

/// Runs the hook of Claude Code in a pane, which shows its answer.
fn hook(sandbox: &Sandbox, terminal: &Tmux, name: &str, file: &Path, text: &str) -> Result<Pane> {
    let call = json!({
        "session_id": "s", "transcript_path": "/tmp/t", "cwd": sandbox.project(),
        "permission_mode": "acceptEdits", "hook_event_name": "PreToolUse",
        "tool_name": "Write", "tool_use_id": name, "tool_input": { "file_path": file, "content": text },
    });
    let path = sandbox.run().join(format!("{name}.json"));
    fs::write(&path, call.to_string())?;
    let pane = terminal.window(name, (500, 20))?;
    pane.enter(&format!("clear; alongside hook claude <{}", path.display()))?;
    Ok(pane)
}

/// Presses the key that accepts until the question appears. A key that comes too early after the proposal
/// decides nothing.
fn accept(window: &VscodeWindow) -> Result<()> {
    let early = "has just come to the front";
    loop {
        window.press("Control+S")?;
        window.wait(&format!("{DIALOG}, .statusbar-item:has-text('{early}')"), "")?;
        if !window.screen()?.contains(early) {
            return Ok(());
        }
        window.wait_until_gone(".statusbar-item", early)?;
    }
}

/// Chooses a command of the palette that asks a question.
fn choose(window: &VscodeWindow, title: &str) -> Result<()> {
    window.press("F1")?;
    window.type_text(title)?;
    window.click(QUICK_ROW, title)
}
