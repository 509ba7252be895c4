//! Kakoune in a fresh home, and agents unaware of it: from the installation to its removal.

use std::fs;

use alongside_rig::agent_cli::Cli;
use alongside_rig::hostile::{self as table, Row};
use alongside_rig::sandbox::files_below;
use alongside_rig::tmux::Pane;
use alongside_rig::{Generation, Proposer, adapters, alongside_bin, install_kakoune, or_skip};
use anyhow::Result;

use crate::hostile;
use crate::script::{REQUEST_AGAIN, SHOUTED};
use crate::stage::{ROOMY, Stage};

/// A person's settings: the keys of the page, and no question where a file has changed on disk.
const SETTINGS: &str = "\
set-option global modelinefmt \"%%opt{alongside_modeline}%opt{modelinefmt}\"
set-option global autoreload yes
hook global BufWritePost .* %{ echo saved }
";

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    kakoune_and_gemini: from_installation_to_removal(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    kakoune_and_qwen: from_installation_to_removal(Cli::Qwen),
}

fn from_installation_to_removal(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::set(Generation::Newest)? else { return Ok(()) };
    let Some(kakoune) = or_skip(install_kakoune()) else { return Ok(()) };
    kakoune.put_on_path(&stage.sandbox)?;
    let kakrc = stage.sandbox.write_home(".config/kak/kakrc", SETTINGS);
    let (shell, other) = stage.install("kakoune", "Installed. Restart Kakoune")?;
    let pane = stage.terminal.window("kakoune", (100, 30))?;
    pane.enter("clear; kak notes.md")?;
    pane.wait_for("the file", |screen| screen.contains("fifteen") && screen.contains("notes.md 1:1"))?;
    let Some(agent) = stage.start_agent(cli)? else { return Ok(()) };

    // The selection reaches the model.
    pane.type_text("jxJJ")?;
    stage.wait_until_selected("two\nthree\nfour".len())?;
    stage.ask_with_context(&agent, &["two"])?;

    // The proposal is announced, and the person goes on in another file.
    pane.wait_for("the proposal", |screen| screen.contains("proposes notes.md: :alongside-review"))?;
    pane.wait_for("the count of proposals", |screen| screen.contains("[1 proposal]"))?;
    agent.wait_until_it_asks()?;
    runs_and_sees(&pane, "edit other.md", "the other file", "other.md 1:1")?;
    pane.type_and_see("ia line of my own", "the typed text", "a line of my own")?;
    runs_and_sees(&pane, "write", "the file to be written", "saved")?;
    assert_eq!(fs::read_to_string(other)?.trim_end(), "a line of my own");
    // No proposal is decided by a command that is given elsewhere.
    runs_and_sees(&pane, "alongside-accept", "the refusal", "this is no proposal")?;

    // Its first change is dropped, its last one edited, and the rest is accepted.
    runs_and_sees(&pane, "alongside-review", "the review", "before: two")?;
    runs(&pane, "alongside-drop")?;
    pane.wait_for("a dropped change", |screen| screen.contains("two") && !screen.contains("TWO "))?;
    for line in ["8:1", "14:1"] {
        runs_and_sees(&pane, "alongside-next", "the next change", &format!("notes.md {line}"))?;
    }
    pane.type_and_see("xHc14", "the edited change", "edited; proposed")?;
    runs_and_sees(&pane, "alongside-accept", "the review to be over", "notes.md: accepted")?;
    stage.sees_acceptance(&agent)?;
    runs(&pane, "edit notes.md")?;
    pane.wait_for("the file as it is now", |screen| screen.lines().any(|line| line.trim() == "14"))?;

    // A rejected proposal leaves a draft with the text that the person typed.
    agent.ask_for_change(REQUEST_AGAIN)?;
    pane.wait_for("the next proposal", |screen| screen.contains("[1 proposal]"))?;
    runs_and_sees(&pane, "alongside-review", "the review", "before: ")?;
    pane.type_and_see("xHctyped by me", "the edited change", "edited; proposed")?;
    runs_and_sees(&pane, "alongside-reject", "the rejection", "notes.md: rejected")?;
    stage.sees_rejection(&shell, &agent)?;

    // Kakoune ends while a proposal waits. The text that was typed is in a draft.
    let proposer = Proposer::gemini(&stage.sandbox)?;
    let proposal = proposer.propose(&stage.file, SHOUTED)?;
    pane.wait_for("the last proposal", |screen| screen.contains("[1 proposal]"))?;
    runs_and_sees(&pane, "alongside-review", "the review", "before: ")?;
    pane.type_and_see("ityped at the end ", "the edited change", "edited; proposed")?;
    runs(&pane, "quit!")?;
    stage.wait_until_closed(&pane)?;
    stage.sees_end(proposal, &agent, &shell)?;
    let left = files_below(kakrc.parent().unwrap());
    assert_eq!(left, std::slice::from_ref(&kakrc), "{}", shell.history()?);
    assert_eq!(fs::read_to_string(kakrc)?, SETTINGS);
    Ok(())
}

/// From the first version on: the adapter's own declaration came second, and took the path back.
const OLD_STAMP: &str = "declare-option -docstring 'the program alongside' str alongside_program";

#[test]
#[ignore = "cargo xtask test --all"]
fn kakoune_starts_a_program_that_is_not_on_its_path() -> Result<()> {
    let Some(stage) = Stage::set(Generation::Newest)? else { return Ok(()) };
    let Some(kakoune) = or_skip(install_kakoune()) else { return Ok(()) };
    kakoune.put_on_path(&stage.sandbox)?;
    let (program, elsewhere) = (alongside_bin()?, stage.sandbox.home().join("else where"));
    fs::create_dir_all(&elsewhere)?;
    fs::copy(&program, elsewhere.join("alongside"))?;
    let shell = stage.terminal.window("shell", ROOMY)?;
    // A link would be the program itself, which is on the PATH.
    let without = "PATH=~/bin:/usr/bin:/bin; clear";
    shell.enter(without)?;
    shell.enter("~/'else where'/alongside install kakoune --yes")?;
    shell.wait_for("the installation", |screen| screen.contains("Installed. Restart Kakoune"))?;
    let stamp = stage.sandbox.home().join(".config/kak/alongside/installed.kak");
    assert!(fs::read_to_string(&stamp)?.contains(OLD_STAMP), "an old installation is no longer tried");

    let pane = stage.terminal.window("kakoune", ROOMY)?;
    pane.enter(without)?;
    pane.enter("kak notes.md")?;
    pane.wait_for("the file", |screen| screen.contains("fifteen") && screen.contains("notes.md 1:1"))?;
    stage.wait_until_served(1)?;
    runs(&pane, "quit!")?;
    stage.wait_until_closed(&pane)?;

    // Without the program, Kakoune says so, at once and where a command needs it.
    fs::remove_dir_all(&elsewhere)?;
    pane.enter("clear; kak notes.md")?;
    let is_said = |screen: &str| screen.contains("else where/alongside is missing: run alongside install");
    pane.wait_for("the problem", |screen| screen.contains("fifteen") && is_said(screen))?;
    pane.press("Escape")?;
    runs(&pane, "edit other.md")?;
    pane.wait_for("another file", |screen| screen.contains("other.md 1:1") && !is_said(screen))?;
    runs(&pane, "alongside-review")?;
    pane.wait_for("the problem again", is_said)?;
    Ok(())
}

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    kakoune_obeys_no_name_and_no_text_of_an_agent: obeys_nothing(hostile::some),
    #[ignore = "cargo xtask test --all"]
    kakoune_obeys_no_row_of_the_table: obeys_nothing(std::convert::identity),
}

/// Kakoune shows each row, the menu about it and its diff, and decides.
fn obeys_nothing(rows: fn(Vec<Row>) -> Vec<Row>) -> Result<()> {
    let Some(stage) = Stage::set(Generation::Newest)? else { return Ok(()) };
    let Some(kakoune) = or_skip(install_kakoune()) else { return Ok(()) };
    let sandbox = &stage.sandbox;
    kakoune.put_on_path(sandbox)?;
    adapters::kakoune(sandbox)?;
    let kakrc = sandbox.home().join(".config/kak/kakrc");
    fs::write(&kakrc, fs::read_to_string(&kakrc)? + "set-option global autoreload yes\n")?;
    table::set_traps(sandbox)?;
    let pane = stage.terminal.window("kakoune", ROOMY)?;
    pane.enter("clear; kak notes.md")?;
    pane.wait_for("the file", |screen| screen.contains("fifteen") && screen.contains("notes.md 1:1"))?;

    hostile::decide_each(sandbox, rows(table::rows(sandbox)), |row| {
        // The message that the last file is loaded again may take the place of the announcement.
        let is_over = |screen: &str| screen.contains(" proposes ") || screen.contains("' reloaded ");
        if !pane.wait_for("the announcement", is_over)?.contains(" proposes ") {
            stage.port(|companion| companion["reviews"] == 1)?;
        }
        runs_and_sees(&pane, "alongside-review", "the proposal", &row.unique_line)?;
        runs_and_sees(&pane, "alongside-diff", "the diff", "Change 1 of")?;
        pane.press_and_miss("Escape", "the diff to go", "Change 1 of")?;
        runs_and_sees(&pane, "alongside-actions", "the menu", "alongside: Reject")?;
        pane.press_and_miss("Escape", "the menu to go", "alongside: Reject")?;
        // A buffer without a file: then the last one counts, whatever its name is.
        runs(&pane, "buffer *debug*")?;
        let is_away = |screen: &str| screen.contains("*debug*") && !screen.contains(&row.unique_line);
        pane.wait_for("another buffer", is_away)?;
        runs_and_sees(&pane, "alongside-review", "the proposal again", &row.unique_line)?;
        let decision = if hostile::is_accepted(row) { "accept" } else { "reject" };
        runs(&pane, &format!("alongside-{decision}"))?;
        let said = format!(": {decision}ed");
        pane.wait_for("the decision", |screen| screen.contains(&said)).map(drop)
    })
}

/// Types a command line, and waits until the screen shows `shown`.
fn runs_and_sees(pane: &Pane, command: &str, what: &str, shown: &str) -> Result<String> {
    runs(pane, command)?;
    pane.wait_for(what, |screen| screen.contains(shown))
}

/// Types a command. In insert mode Escape comes first: with the next key right behind it, it would be Alt.
fn runs(pane: &Pane, command: &str) -> Result<()> {
    if pane.screen()?.contains(" insert ") {
        pane.press_and_miss("Escape", "normal mode", " insert ")?;
    }
    pane.type_text(&format!(":{command}"))?;
    pane.press("Enter")
}
