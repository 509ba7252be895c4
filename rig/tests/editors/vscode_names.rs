//! VS Code makes a link of `[text](target)` and an icon of `$(name)`. No name and no text of an agent becomes
//! a link or an icon, and no settings of a repository switch on what the person has switched off.

use std::fs;
use std::path::Path;
use std::process::Command;

use alongside_desk::harmless;
use alongside_rig::agent_cli;
use alongside_rig::hostile::{self, Row};
use alongside_rig::program::companions;
use alongside_rig::tmux::Tmux;
use alongside_rig::wait::{self, PATIENCE};
use alongside_rig::{CodeServer, Proposer, Sandbox, install_code_server, or_skip};
use alongside_testing::hostile::{NAMES, TEXTS, file_name};
use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::vscode::{change_setting, open};
use crate::vscode_selectors::{ALERT, MESSAGE, MESSAGES, PROPOSAL, QUICK_ROW, ROW, STATE, STATUS};

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    plain_text_is_no_link_and_no_icon_of_vscode: plain_text_is_no_link_and_no_icon(),
    #[ignore = "cargo xtask test --all"]
    vscode_makes_no_link_or_icon_of_a_name: makes_no_link_or_icon_of_a_name(),
}

/// Prints texts as the extension shows them, and the number of links and icons that VS Code finds in them
/// before and after. The regular expressions are VS Code's own: `linkedText.ts` and `iconLabels.ts` in its
/// `src/vs/base`.
const PLAIN_SCRIPT: &str = r#"
const [file, given] = process.argv.slice(1);
const { escapeMarkup } = await import(file);
const link = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^\)\s]+)(?: (["'])(.+?)(\3))?\)/gi;
const icon = /(\\)?\$\(([A-Za-z0-9-]+(?:~[A-Za-z]+)?)\)/g;
const found = (texts) => texts.flatMap((text) => [...text.matchAll(link), ...text.matchAll(icon)]).length;
const texts = JSON.parse(given);
const shown = texts.map(escapeMarkup);
const after = found([...shown, ...shown.map(escapeMarkup)]);
console.log(JSON.stringify({ shown, before: found(texts), after }));
"#;

/// The selector of the elements that VS Code would make of a row of the table. It draws no such elements of
/// its own in this story.
const OBEYED_ELEMENTS: &str = "[href*='sendSequence'], [data-href*='sendSequence'], [href*='etc/passwd'], \
     [data-href*='etc/passwd'], [src*='127.0.0.1:9/'], [href*='127.0.0.1:9/'], [src='x'], .codicon-zap";

fn plain_text_is_no_link_and_no_icon() -> Result<()> {
    let Some(code_server) = or_skip(install_code_server()) else { return Ok(()) };
    let sandbox = Sandbox::new();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/vscode/src/messages/escapeMarkup.ts");
    let texts: Vec<_> = NAMES.iter().chain(&TEXTS).map(|(_, text)| *text).collect();
    let mut node = Command::new(code_server.node());
    node.env_clear().envs(sandbox.env()).args(["--input-type=module", "--eval", PLAIN_SCRIPT]);
    let output = node.arg(file).arg(json!(texts).to_string()).output()?;
    let answer: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    assert!(answer["before"].as_u64() > Some(3) && answer["after"] == 0, "{answer}");
    assert_eq!(answer["shown"], json!(texts.iter().map(plain).collect::<Vec<_>>()));
    Ok(())
}

fn makes_no_link_or_icon_of_a_name() -> Result<()> {
    let Some(code_server) = or_skip(install_code_server()) else { return Ok(()) };
    let sandbox = Sandbox::new();
    put_settings(&code_server, &sandbox)?;
    hostile::set_traps(&sandbox)?;
    sandbox.write("notes.md", "");
    let terminal = Tmux::new(&sandbox, [agent_cli::path_variable(&sandbox)?]);
    let (_server, window) = open(&sandbox, &terminal, &code_server)?;
    window.open_file("notes.md")?;
    window.wait(STATUS, "no agent")?;
    window.watch(OBEYED_ELEMENTS)?;
    window.run("View: Show Alongside")?;

    let (waiting, refused) = hostile::propose(&sandbox, rows(&sandbox))?;
    assert_eq!(refused, [""; 0]);
    // Several agents propose changes to one file.
    let names = NAMES[..3].iter().map(|(_, name)| *name);
    let agents: Vec<_> = names.map(|name| Proposer::stranger(&sandbox, name, name)).collect::<Result<_>>()?;
    let last = sandbox.project().join("last.md");
    let _proposals = agents.iter().map(|agent| agent.propose(&last, "one\n")).collect::<Result<Vec<_>>>()?;
    window.wait(STATUS, &format!("{} proposals", waiting.len() + agents.len()))?;

    // The announcements, newest first: one of the first proposal, and one of all others, which names the
    // agents.
    window.wait(ALERT, &plain(&NAMES[2].1))?;
    window.run("Notifications: Show Notifications")?;
    window.focus(&format!("{MESSAGES} .monaco-list"))?;
    window.press("Home")?;
    for text in NAMES[..3].iter().map(|(_, name)| plain(name)).chain([shown(&waiting[0].row.path)]) {
        wait::until(&format!("{text:?} further down"), PATIENCE, || match window.text(MESSAGES) {
            Ok(messages) if messages.contains(&text) => Ok(()),
            messages => {
                window.press("ArrowDown").and(messages).map_or_else(|error| Err(error.to_string()), Err)
            }
        })?;
    }
    assert_eq!(window.appeared()?, [""; 0], "in a notification, or in the view");

    // The view, with its tooltips, and the lists in which a person chooses.
    let link = shown(&waiting[0].row.path);
    window.hover(ROW, &link)?;
    window.wait(".monaco-hover", &link)?;
    window.press("F1")?;
    window.type_text("Alongside: Show Proposal")?;
    window.click(QUICK_ROW, "Alongside: Show Proposal")?;
    window.wait(QUICK_ROW, &link)?;
    (0..waiting.len() / 4).try_for_each(|_| window.press("PageDown"))?;
    window.press("Escape")?;
    assert_eq!(window.appeared()?, [""; 0], "in a tooltip, or in a list");

    // Every proposal, with its tab and its notes.
    for hostile in &waiting {
        window.run("Alongside: Show Next Proposal")?;
        window.wait_for_lines(PROPOSAL, &hostile.row.unique_line)?;
    }
    let outside = &waiting.last().context("the table has no rows")?.row;
    // The line has room only for the beginning of the note.
    let note = format!("This file is outside the project: {}", plain(&outside.path.display()));
    window.wait(STATE, &note.chars().take(46).collect::<String>())?;
    window.run("Alongside: Accept Proposal")?;
    window.click(".monaco-dialog-box .monaco-button", "Accept")?;
    window.wait(MESSAGE, "accepted")?;
    window.run("Alongside: Show Next Proposal")?;
    window.wait_for_lines(PROPOSAL, &waiting[0].row.unique_line)?;
    window.run("View: Close Editor")?;
    window.wait(MESSAGE, &format!("The proposal for {link} waits on."))?;
    window.click(&format!("{MESSAGE} .monaco-button"), "Show")?;
    window.wait_for_lines(PROPOSAL, &waiting[0].row.unique_line)?;
    window.run("Alongside: Reject Proposal")?;
    window.wait(MESSAGE, &format!("{link}: rejected"))?;
    assert_eq!(window.appeared()?, [""; 0], "in a proposal, a question or an answer");

    assert_eq!(companions(&sandbox)?[0]["context"], json!([]), "the repository switched the reports on");
    hostile::assert_nothing_obeyed(&sandbox)
}

/// Writes settings by which the person reports no files, and settings of the repository that switch the
/// reports on and name a program of its own.
fn put_settings(code_server: &CodeServer, sandbox: &Sandbox) -> Result<()> {
    code_server.put_on_path(sandbox)?;
    change_setting(sandbox, "alongside.reportFiles", false)?;
    let program =
        sandbox.write("alongside", format!("#!/bin/sh\ntouch '{}/PWNED'\n", sandbox.home().display()));
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let repository_settings = json!({
        "alongside.reportFiles": true,
        "alongside.showReviews": true,
        "alongside.program": program,
        "alongside.agents": [program],
    });
    sandbox.write(".vscode/settings.json", repository_settings.to_string());
    Ok(())
}

/// Returns the rows of the table, and one more whose name appears in a note above the text, because its file
/// is outside the project.
fn rows(sandbox: &Sandbox) -> Vec<Row> {
    let mut rows = hostile::rows(sandbox);
    let path =
        sandbox.home().join(NAMES[..3].iter().map(|(_, name)| file_name(name)).collect::<Vec<_>>().join(" "));
    let unique_line = "outside the project".to_owned();
    rows.push(Row {
        path,
        original: None,
        proposed: format!("{unique_line}\n"),
        unique_line,
        ..rows[0].clone()
    });
    rows
}

/// Returns a file's name as VS Code shows it. The extension puts a backslash into what VS Code would
/// interpret.
fn shown(path: &Path) -> String {
    plain(&path.file_name().unwrap_or_default().to_string_lossy())
}

/// Returns a text as the extension shows it.
fn plain(text: &impl ToString) -> String {
    harmless::name(&text.to_string()).replace("](", r"]\(").replace("$(", r"$\(")
}
