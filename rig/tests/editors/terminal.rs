//! An agent in the terminal of `:Alongside terminal`: it connects by itself, and gets the selected lines.

use alongside_rig::agent_cli::Cli;
use alongside_rig::model::Script;
use alongside_rig::wait::{self, PATIENCE};
use alongside_rig::{Generation, adapters};
use anyhow::Result;

use crate::neovim::{decide_in_neovim, leave_terminal_mode};
use crate::script::{CLOSING_LINE, IN_CAPITALS, REQUEST};
use crate::stage::{Stage, decided_text};

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    gemini_in_a_terminal_of_the_oldest_neovim: in_terminal(Generation::Oldest, Cli::Gemini),
    gemini_in_a_terminal_of_the_newest_neovim: in_terminal(Generation::Newest, Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    qwen_in_a_terminal_of_the_newest_neovim: in_terminal(Generation::Newest, Cli::Qwen),
}

/// The end of a prompt with a file, which agents append to the person's message.
const END_OF_FILE: &str = "--- End of content ---";

fn in_terminal(generation: Generation, cli: Cli) -> Result<()> {
    let Some(stage) = Stage::new_or_skip(generation)? else { return Ok(()) };
    adapters::neovim(&stage.sandbox, "")?;
    let editor = stage.editors.neovim(generation);
    let pane = stage.terminal.window(editor.command, (200, 50))?;
    let script = Script::new().on(END_OF_FILE, cli.overwrite(&stage.file, IN_CAPITALS, CLOSING_LINE));
    let Some(agent) = stage.install_agent(cli, script, pane)? else { return Ok(()) };
    let neovim = &agent.pane;
    let is_terminal = |screen: &str| screen.contains("-- TERMINAL --");
    neovim.enter(&format!("clear; {} notes.md", editor.command))?;
    neovim.wait_for("the file", |screen| screen.contains("\nfifteen"))?;

    // The terminal can be opened at once, because it waits for the companion.
    neovim.enter(&format!(":Alongside terminal {}", cli.command()))?;
    agent.wait_until_free()?;
    stage.wait_until_connected(1)?;

    // When the terminal is hidden and shown again, the same agent runs in it.
    neovim.wait_for("terminal mode", is_terminal)?;
    leave_terminal_mode(&agent)?;
    neovim.enter(":Alongside terminal")?;
    neovim.wait_for("the file alone", |screen| !screen.contains("Type your message"))?;
    neovim.type_and_see("2GVjj", "the selection", "-- VISUAL LINE --")?;
    neovim.enter_and_see(":Alongside send", "the lines in the prompt", "@notes.md lines 2-4")?;
    assert!(agent.model.requests().iter().all(|request| !request.prompt().contains("@notes.md")));

    // The person completes the message, and the agent reads the file.
    agent.ask(REQUEST)?;
    let prompt = agent.model.wait_for_prompt(END_OF_FILE, PATIENCE)?.prompt();
    assert!(prompt.contains(&format!("lines 2-4 {REQUEST}")) && prompt.contains("thirteen"), "{prompt}");
    agent.wait_until_it_asks()?;
    neovim.wait_for("terminal mode", is_terminal)?;
    leave_terminal_mode(&agent)?;
    decide_in_neovim(neovim)?;
    stage.wait_until_on_disk(&decided_text())?;

    // The agent ends, and its window with it.
    neovim.enter(":Alongside terminal")?;
    neovim.wait_for("the file alone", |screen| !screen.contains("Type your message"))?;
    neovim.enter(":Alongside terminal")?;
    agent.wait_until_free()?;
    agent.ask("/quit")?;
    wait::until("the agent's window to close", PATIENCE, || {
        let screen = neovim.screen().map_err(|error| error.to_string())?;
        let is_alone = screen.contains("\n14 ") || screen.contains("\n14\n");
        if is_alone && !screen.contains('│') && !screen.contains("TERMINAL") { Ok(()) } else { Err(screen) }
    })
}
