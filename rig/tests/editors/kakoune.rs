//! Kakoune in a new home, with agents that are not set up for it: from the installation of the adapter to its
//! removal.

use std::fs;

use alongside_rig::agent_cli::Cli;
use alongside_rig::hostile::{self as table, Row};
use alongside_rig::sandbox::files_below;
use alongside_rig::tmux::Pane;
use alongside_rig::{Generation, Proposer, adapters, alongside_bin, install_kakoune, or_skip};
use anyhow::Result;

use crate::hostile;
use crate::script::{IN_CAPITALS, REQUEST_AGAIN};
use crate::stage::{AGENT_WINDOW, Stage};

/// A person's settings: the mode line of the adapter's page, a message after each save, and no question where
/// a file has changed on disk.
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
    let Some(stage) = Stage::new_or_skip(Generation::Newest)? else { return Ok(()) };
    let Some(kakoune) = or_skip(install_kakoune()) else { return Ok(()) };
    kakoune.put_on_path(&stage.sandbox)?;
    let kakrc = stage.sandbox.write_home(".config/kak/kakrc", SETTINGS);
    let (shell, other_file) = stage.install("kakoune", "Installed. Restart Kakoune")?;
    let pane = stage.terminal.window("kakoune", (100, 30))?;
    pane.enter("clear; kak notes.md")?;
    pane.wait_for("the file", |screen| screen.contains("fifteen") && screen.contains("notes.md 1:1"))?;
    let Some(agent) = stage.start_agent(cli)? else { return Ok(()) };

    // The selection reaches the model.
    pane.type_text("jxJJ")?;
    stage.wait_until_selected("two\nthree\nfour".len())?;
    stage.ask_with_context(&agent, &["two"])?;

    // The proposal is announced, and the person continues in another file.
    pane.wait_for("the proposal", |screen| screen.contains("proposes notes.md: :alongside-review"))?;
    pane.wait_for("the count of proposals", |screen| screen.contains("[1 proposal]"))?;
    agent.wait_until_it_asks()?;
    run_and_see(&pane, "edit other.md", "the other file", "other.md 1:1")?;
    pane.type_and_see("ia line of my own", "the typed text", "a line of my own")?;
    run_and_see(&pane, "write", "the file to be written", "saved")?;
    assert_eq!(fs::read_to_string(other_file)?.trim_end(), "a line of my own");
    // A command decides no proposal if it is given in another buffer.
    run_and_see(&pane, "alongside-accept", "the refusal", "this is not a proposal")?;

    // The person drops the first change, edits the last one, and accepts the result.
    run_and_see(&pane, "alongside-review", "the review", "before: two")?;
    run_command(&pane, "alongside-drop")?;
    pane.wait_for("a dropped change", |screen| screen.contains("two") && !screen.contains("TWO "))?;
    for line in ["8:1", "14:1"] {
        run_and_see(&pane, "alongside-next", "the next change", &format!("notes.md {line}"))?;
    }
    pane.type_and_see("xHc14", "the edited change", "edited; proposed")?;
    run_and_see(&pane, "alongside-accept", "the review to be over", "notes.md: accepted")?;
    stage.assert_accepted(&agent)?;
    run_command(&pane, "edit notes.md")?;
    pane.wait_for("the file as it is now", |screen| screen.lines().any(|line| line.trim() == "14"))?;

    // A rejected proposal leaves a draft with the text that the person typed.
    agent.ask_for_change(REQUEST_AGAIN)?;
    pane.wait_for("the next proposal", |screen| screen.contains("[1 proposal]"))?;
    run_and_see(&pane, "alongside-review", "the review", "before: ")?;
    pane.type_and_see("xHctyped by me", "the edited change", "edited; proposed")?;
    run_and_see(&pane, "alongside-reject", "the rejection", "notes.md: rejected")?;
    stage.assert_rejected(&shell, &agent)?;

    // Kakoune ends while a proposal waits. The text that was typed is in a draft.
    let proposer = Proposer::gemini(&stage.sandbox)?;
    let proposal = proposer.propose(&stage.file, IN_CAPITALS)?;
    pane.wait_for("the last proposal", |screen| screen.contains("[1 proposal]"))?;
    run_and_see(&pane, "alongside-review", "the review", "before: ")?;
    pane.type_and_see("ityped at the end ", "the edited change", "edited; proposed")?;
    run_command(&pane, "quit!")?;
    stage.wait_until_closed(&pane)?;
    stage.assert_ended_and_uninstall(proposal, &agent, &shell)?;
    let files = files_below(kakrc.parent().unwrap());
    assert_eq!(files, std::slice::from_ref(&kakrc), "{}", shell.history()?);
    assert_eq!(fs::read_to_string(kakrc)?, SETTINGS);
    Ok(())
}

/// A line of `installed.kak` since the first version. At that time the adapter declared the option once more,
/// after this file, and so removed the path.
const PROGRAM_OPTION: &str = "declare-option -docstring 'the program alongside' str alongside_program";

#[test]
#[ignore = "cargo xtask test --all"]
fn kakoune_starts_a_program_that_is_not_on_its_path() -> Result<()> {
    let Some(stage) = Stage::new_or_skip(Generation::Newest)? else { return Ok(()) };
    let Some(kakoune) = or_skip(install_kakoune()) else { return Ok(()) };
    kakoune.put_on_path(&stage.sandbox)?;
    let (program, elsewhere) = (alongside_bin()?, stage.sandbox.home().join("else where"));
    fs::create_dir_all(&elsewhere)?;
    fs::copy(&program, elsewhere.join("alongside"))?;
    let shell = stage.terminal.window("shell", AGENT_WINDOW)?;
    // A copy, because a link would lead to the program in the PATH.
    let path_without_program = "PATH=~/bin:/usr/bin:/bin; clear";
    shell.enter(path_without_program)?;
    shell.enter("~/'else where'/alongside install kakoune --yes")?;
    shell.wait_for("the installation", |screen| screen.contains("Installed. Restart Kakoune"))?;
    let stamp = stage.sandbox.home().join(".config/kak/alongside/installed.kak");
    assert!(fs::read_to_string(&stamp)?.contains(PROGRAM_OPTION), "an old installation is no longer tried");

    let pane = stage.terminal.window("kakoune", AGENT_WINDOW)?;
    pane.enter(path_without_program)?;
    pane.enter("kak notes.md")?;
    pane.wait_for("the file", |screen| screen.contains("fifteen") && screen.contains("notes.md 1:1"))?;
    stage.wait_until_served(1)?;
    run_command(&pane, "quit!")?;
    stage.wait_until_closed(&pane)?;

    // If the program is missing, Kakoune says so at its start and when a command needs the program.
    fs::remove_dir_all(&elsewhere)?;
    pane.enter("clear; kak notes.md")?;
    let is_said = |screen: &str| screen.contains("else where/alongside is missing: run `alongside install");
    pane.wait_for("the problem", |screen| screen.contains("fifteen") && is_said(screen))?;
    pane.press("Escape")?;
    run_command(&pane, "edit other.md")?;
    pane.wait_for("another file", |screen| screen.contains("other.md 1:1") && !is_said(screen))?;
    run_command(&pane, "alongside-review")?;
    pane.wait_for("the problem again", is_said)?;
    Ok(())
}

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    kakoune_obeys_no_name_and_no_text_of_an_agent: assert_obeys_nothing(hostile::every_fourth),
    #[ignore = "cargo xtask test --all"]
    kakoune_obeys_no_row_of_the_table: assert_obeys_nothing(std::convert::identity),
}

/// Shows each row in Kakoune, with its menu and its diff, and decides.
fn assert_obeys_nothing(rows: fn(Vec<Row>) -> Vec<Row>) -> Result<()> {
    let Some(stage) = Stage::new_or_skip(Generation::Newest)? else { return Ok(()) };
    let Some(kakoune) = or_skip(install_kakoune()) else { return Ok(()) };
    let sandbox = &stage.sandbox;
    kakoune.put_on_path(sandbox)?;
    adapters::kakoune(sandbox)?;
    let kakrc = sandbox.home().join(".config/kak/kakrc");
    fs::write(&kakrc, fs::read_to_string(&kakrc)? + "set-option global autoreload yes\n")?;
    table::set_traps(sandbox)?;
    let pane = stage.terminal.window("kakoune", AGENT_WINDOW)?;
    pane.enter("clear; kak notes.md")?;
    pane.wait_for("the file", |screen| screen.contains("fifteen") && screen.contains("notes.md 1:1"))?;

    hostile::decide_each(sandbox, rows(table::rows(sandbox)), |row| {
        // The message that the last file was reloaded may have replaced the announcement.
        let is_message = |screen: &str| screen.contains(" proposes ") || screen.contains("' reloaded ");
        if !pane.wait_for("the announcement", is_message)?.contains(" proposes ") {
            stage.port(|companion| companion["reviews"] == 1)?;
        }
        run_and_see(&pane, "alongside-review", "the proposal", &row.unique_line)?;
        run_and_see(&pane, "alongside-diff", "the diff", "Change 1 of")?;
        pane.press_and_miss("Escape", "the diff to go", "Change 1 of")?;
        run_and_see(&pane, "alongside-actions", "the menu", "alongside: Reject")?;
        pane.press_and_miss("Escape", "the menu to go", "alongside: Reject")?;
        // In a buffer without a file, the command refers to the last file, whatever its name is.
        run_command(&pane, "buffer *debug*")?;
        let is_away = |screen: &str| screen.contains("*debug*") && !screen.contains(&row.unique_line);
        pane.wait_for("another buffer", is_away)?;
        run_and_see(&pane, "alongside-review", "the proposal again", &row.unique_line)?;
        let decision = if hostile::is_accepted(row) { "accept" } else { "reject" };
        run_command(&pane, &format!("alongside-{decision}"))?;
        let message = format!(": {decision}ed");
        pane.wait_for("the decision", |screen| screen.contains(&message)).map(drop)
    })
}

/// Types a command line, and waits until the screen shows `shown`.
fn run_and_see(pane: &Pane, command: &str, what: &str, shown: &str) -> Result<String> {
    run_command(pane, command)?;
    pane.wait_for(what, |screen| screen.contains(shown))
}

/// Types a command. In insert mode, presses Escape first, and waits for its effect: together with the next
/// key, it would mean Alt.
fn run_command(pane: &Pane, command: &str) -> Result<()> {
    if pane.screen()?.contains(" insert ") {
        pane.press_and_miss("Escape", "normal mode", " insert ")?;
    }
    pane.type_text(&format!(":{command}"))?;
    pane.press("Enter")
}
