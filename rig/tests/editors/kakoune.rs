//! Kakoune in a fresh home, and agents unaware of it: from the installation to its removal.

use std::fs;

use alongside_agent::Outcome;
use alongside_rig::agent_cli::Cli;
use alongside_rig::sandbox::files_below;
use alongside_rig::tmux::Pane;
use alongside_rig::{Generation, Proposer, kakoune_or_skip};
use anyhow::Result;

use crate::neovim::decided;
use crate::script::{DONE, REQUEST_AGAIN, SHOUTED};
use crate::stage::Stage;

/// A person's settings: the keys of the page, and no question where a file has changed on disk.
const SETTINGS: &str = "\
set-option global modelinefmt \"%%opt{alongside_modeline}%opt{modelinefmt}\"
set-option global autoreload yes
hook global BufWritePost .* %{ echo saved }
";

alongside_rig::tests! {
    kakoune_and_gemini: from_installation_to_removal(Cli::Gemini),
    #[ignore = "cargo xtask editors"]
    kakoune_and_qwen: from_installation_to_removal(Cli::Qwen),
}

fn from_installation_to_removal(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::set(Generation::Newest)? else { return Ok(()) };
    let Some(kakoune) = kakoune_or_skip() else { return Ok(()) };
    kakoune.put_on_path(&stage.sandbox)?;
    let configuration = stage.sandbox.home().join(".config/kak");
    fs::create_dir_all(&configuration)?;
    fs::write(configuration.join("kakrc"), SETTINGS)?;
    let shell = stage.terminal.window("shell", (100, 30))?;
    shell.enter("alongside install kakoune --yes")?;
    shell.wait_for("the installation", |screen| screen.contains("Installed. Restart Kakoune"))?;

    let other = stage.sandbox.write("other.md", "");
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
    runs(&pane, "edit other.md")?;
    pane.wait_for("the other file", |screen| screen.contains("other.md 1:1"))?;
    pane.type_text("ia line of my own")?;
    pane.wait_for("the typed text", |screen| screen.contains("a line of my own"))?;
    runs(&pane, "write")?;
    pane.wait_for("the file to be written", |screen| screen.contains("saved"))?;
    assert_eq!(fs::read_to_string(other)?.trim_end(), "a line of my own");
    // No proposal is decided by a command that is given elsewhere.
    runs(&pane, "alongside-accept")?;
    pane.wait_for("the refusal", |screen| screen.contains("this is no proposal"))?;

    // Its first change is dropped, its last one edited, and the rest is accepted.
    runs(&pane, "alongside-review")?;
    pane.wait_for("the review", |screen| screen.contains("before: two"))?;
    runs(&pane, "alongside-drop")?;
    pane.wait_for("a dropped change", |screen| screen.contains("two") && !screen.contains("TWO "))?;
    for line in ["8:1", "14:1"] {
        runs(&pane, "alongside-next")?;
        pane.wait_for("the next change", |screen| screen.contains(&format!("notes.md {line}")))?;
    }
    pane.type_text("xHc14")?;
    pane.wait_for("the edited change", |screen| screen.contains("edited; proposed"))?;
    runs(&pane, "alongside-accept")?;
    pane.wait_for("the review to be over", |screen| screen.contains("notes.md: accepted"))?;
    agent.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), decided());
    runs(&pane, "edit notes.md")?;
    pane.wait_for("the file as it is now", |screen| screen.lines().any(|line| line.trim() == "14"))?;

    // A rejected proposal leaves a draft with the text that the person typed.
    agent.ask_for_change(REQUEST_AGAIN)?;
    pane.wait_for("the next proposal", |screen| screen.contains("[1 proposal]"))?;
    runs(&pane, "alongside-review")?;
    pane.wait_for("the review", |screen| screen.contains("before: "))?;
    pane.type_text("xHctyped by me")?;
    pane.wait_for("the edited change", |screen| screen.contains("edited; proposed"))?;
    runs(&pane, "alongside-reject")?;
    pane.wait_for("the rejection", |screen| screen.contains("notes.md: rejected"))?;
    stage.wait_for_draft(&shell, "typed by me")?;
    assert_eq!(stage.on_disk(), decided());
    agent.wait_until_free()?;

    // Kakoune ends while a proposal waits. The text that was typed is in a draft.
    let proposer = Proposer::gemini(&stage.sandbox)?;
    let proposal = proposer.propose(&stage.file, SHOUTED)?;
    pane.wait_for("the last proposal", |screen| screen.contains("[1 proposal]"))?;
    runs(&pane, "alongside-review")?;
    pane.wait_for("the review", |screen| screen.contains("before: "))?;
    pane.type_text("ityped at the end ")?;
    pane.wait_for("the edited change", |screen| screen.contains("edited; proposed"))?;
    runs(&pane, "quit!")?;
    stage.wait_until_closed(&pane)?;
    assert_eq!(proposal.outcome()?, Outcome::Rejected);
    stage.wait_for_draft(&shell, "typed at the end")?;

    agent.pane.kill()?;
    stage.uninstall(&shell)?;
    let kakrc = configuration.join("kakrc");
    assert_eq!(files_below(&configuration), std::slice::from_ref(&kakrc), "{}", shell.history()?);
    assert_eq!(fs::read_to_string(kakrc)?, SETTINGS);
    Ok(())
}

/// Types a command. In insert mode Escape comes first: with the next key right behind it, it would be Alt.
fn runs(pane: &Pane, command: &str) -> Result<()> {
    if pane.screen()?.contains(" insert ") {
        pane.press("Escape")?;
        pane.wait_for("normal mode", |screen| !screen.contains(" insert "))?;
    }
    pane.type_text(&format!(":{command}"))?;
    pane.press("Enter")
}
