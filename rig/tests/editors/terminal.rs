//! An agent in the terminal of `:Alongside terminal`: it connects by itself, and gets the selected lines.

use alongside_rig::agent_cli::Cli;
use alongside_rig::model::Script;
use alongside_rig::wait::{self, PATIENCE};
use alongside_rig::{Generation, adapters};
use anyhow::Result;

use crate::neovim::{decide_in_neovim, leave_terminal_mode};
use crate::script::{DONE, REQUEST, SHOUTED};
use crate::stage::{Stage, decided};

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    gemini_in_a_terminal_of_the_oldest_neovim: in_terminal(Generation::Oldest, Cli::Gemini),
    gemini_in_a_terminal_of_the_newest_neovim: in_terminal(Generation::Newest, Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    qwen_in_a_terminal_of_the_newest_neovim: in_terminal(Generation::Newest, Cli::Qwen),
}

/// The end of a prompt with a file: agents add the file after the words of the person.
const END_OF_FILE: &str = "--- End of content ---";

fn in_terminal(generation: Generation, cli: Cli) -> Result<()> {
    let Some(stage) = Stage::set(generation)? else { return Ok(()) };
    adapters::neovim(&stage.sandbox, "")?;
    let editor = stage.editors.neovim(generation);
    let pane = stage.terminal.window(editor.command(), (200, 50))?;
    let script = Script::new().on(END_OF_FILE, cli.overwrite(&stage.file, SHOUTED, DONE));
    let Some(agent) = stage.install_agent(cli, script, pane)? else { return Ok(()) };
    let neovim = &agent.pane;
    let is_terminal = |screen: &str| screen.contains("-- TERMINAL --");
    neovim.enter(&format!("clear; {} notes.md", editor.command()))?;
    neovim.wait_for("the file", |screen| screen.contains("\nfifteen"))?;

    // At once: the terminal waits for the companion.
    neovim.enter(&format!(":Alongside terminal {}", cli.command()))?;
    agent.wait_until_free()?;
    stage.wait_until_connected(1)?;

    // Hidden and shown again, it is the same agent.
    neovim.wait_for("terminal mode", is_terminal)?;
    leave_terminal_mode(&agent)?;
    neovim.enter(":Alongside terminal")?;
    neovim.wait_for("the file alone", |screen| !screen.contains("Type your message"))?;
    neovim.type_and_see("2GVjj", "the selection", "-- VISUAL LINE --")?;
    neovim.enter_and_see(":Alongside send", "the lines in the prompt", "@notes.md lines 2-4")?;
    assert!(agent.model.requests().iter().all(|request| !request.prompt().contains("@notes.md")));

    // The person types on, and the agent reads the file.
    agent.ask(REQUEST)?;
    let asked = agent.model.wait_for_prompt(END_OF_FILE, PATIENCE)?.prompt();
    assert!(asked.contains(&format!("lines 2-4 {REQUEST}")) && asked.contains("thirteen"), "{asked}");
    agent.wait_until_it_asks()?;
    neovim.wait_for("terminal mode", is_terminal)?;
    leave_terminal_mode(&agent)?;
    decide_in_neovim(neovim)?;
    stage.wait_until_on_disk(&decided())?;

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
