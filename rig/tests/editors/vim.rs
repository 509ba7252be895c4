//! Vim in a new home, with agents that are not set up for it: from the installation of the adapter to its
//! removal.

use std::fs;
use std::path::Path;
use std::process::Command;

use alongside_rig::agent_cli::Cli;
use alongside_rig::sandbox::files_below;
use alongside_rig::{Generation, Proposer, Sandbox, install_vim, or_skip};
use anyhow::Result;

use crate::script::{IN_CAPITALS, REQUEST_AGAIN};
use crate::stage::Stage;

alongside_rig::tests! {
    vim_and_gemini: from_installation_to_removal(Cli::Gemini, Generation::Newest),
    #[ignore = "cargo xtask test --all"]
    vim_and_qwen: from_installation_to_removal(Cli::Qwen, Generation::Oldest),
}

fn from_installation_to_removal(cli: Cli, generation: Generation) -> Result<()> {
    let Some(stage) = Stage::new_or_skip(Generation::Newest)? else { return Ok(()) };
    let Some(vim) = or_skip(install_vim(generation)) else { return Ok(()) };
    vim.put_on_path(&stage.sandbox)?;
    let statusline = "set laststatus=2 statusline=%f%=%{alongside#Statusline()}\n";
    let vimrc = stage.sandbox.write_home(".vim/vimrc", statusline);
    let (shell, other_file) = stage.install("vim", "Installed. Restart Vim")?;
    let pane = stage.terminal.window("vim", (100, 30))?;
    pane.enter("clear; vim notes.md")?;
    pane.wait_for("the file", |screen| screen.contains("fifteen") && screen.contains("no agent"))?;
    let Some(agent) = stage.start_agent(cli)? else { return Ok(()) };

    // The selection reaches the model.
    pane.type_text("jVjj")?;
    stage.wait_until_selected("two\nthree\nfour\n".len())?;
    stage.ask_with_selection(&agent, cli, 4)?;

    // The proposal is announced, and the person continues in another file.
    pane.wait_for("the proposal", |screen| screen.contains("proposes 3 changes"))?;
    agent.wait_until_it_asks()?;
    pane.press("Escape")?;
    pane.enter_and_see(":edit other.md", "the other file", "other.md  ")?;
    pane.type_and_see("ia line of my own", "the typed text", "a line of my own")?;
    pane.press("Escape")?;
    pane.enter_and_see(":write", "the file to be written", "written")?;
    assert_eq!(fs::read_to_string(other_file)?, "a line of my own\n");

    // The person drops the first change, edits the last one, and accepts the result.
    pane.enter_and_see(":Alongside", "the review", "3 kept")?;
    pane.type_and_see("do", "a dropped change", "2 kept, 1 dropped")?;
    pane.type_text("]c]ccc14")?;
    pane.press_and_see("Escape", "the edited change", "1 kept, 1 dropped, 1 edited")?;
    // Only a write of this buffer that the person types accepts the proposal.
    pane.enter_and_see(":wall", "the refusal", "not accepted. To accept, type :w")?;
    pane.enter(":w")?;
    pane.wait_for("the review to be over", |screen| !screen.contains("1 edited"))?;
    stage.assert_accepted(&agent)?;
    pane.enter(":buffer notes.md")?;
    pane.wait_for("the file as it is now", |screen| screen.contains("\nEIGHT") && screen.contains("\n14"))?;

    // A rejected proposal leaves a draft with the text that the person typed.
    agent.ask_for_change(REQUEST_AGAIN)?;
    pane.wait_for("the next proposal", |screen| screen.contains("proposes 2 changes"))?;
    pane.enter_and_see(":Alongside", "the review", "2 kept")?;
    pane.type_text("cctyped by me")?;
    pane.press_and_see("Escape", "the edited change", "1 kept, 1 edited")?;
    pane.enter_and_see(":q", "the question", "notes.md has your edits")?;
    pane.type_and_see("r", "the rejection", "notes.md: rejected")?;
    stage.assert_rejected(&shell, &agent)?;

    // Vim ends while a proposal waits. The text that was typed just before is in a draft.
    let proposer = Proposer::gemini(&stage.sandbox)?;
    let proposal = proposer.propose(&stage.file, IN_CAPITALS)?;
    pane.wait_for("the last proposal", |screen| screen.contains("proposes 2 changes"))?;
    pane.enter_and_see(":Alongside", "the review", "2 kept")?;
    pane.type_text("Ityped at the end ")?;
    pane.press("Escape")?;
    pane.enter(":qall!")?;
    stage.wait_until_closed(&pane)?;
    stage.assert_ended_and_uninstall(proposal, &agent, &shell)?;
    assert_eq!(files_below(vimrc.parent().unwrap()), [vimrc], "{}", shell.history()?);
    Ok(())
}

#[test]
fn the_adapters_own_tests_pass() -> Result<()> {
    for generation in [Generation::Oldest, Generation::Newest] {
        let Some(vim) = or_skip(install_vim(generation)) else { return Ok(()) };
        let sandbox = Sandbox::new();
        let adapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/vim").canonicalize()?;
        let mut command = Command::new(&vim.program);
        command
            .env_clear()
            .envs(sandbox.env())
            .envs(vim.environment.iter().map(|(name, value)| (name, value)));
        command.current_dir(adapter).args(["--clean", "--not-a-term", "-es", "-N", "-S", "tests/run.vim"]);
        let output = command.output()?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        let has_passed = output.status.success() && stdout.contains(" passed, 0 failed");
        assert!(has_passed, "{}: {stdout}", vim.version);
    }
    Ok(())
}
