//! Neovim with the plugin, and agents that are not set up for it: from the selection to the written file.

use std::fs;

use alongside_rig::agent::Agent;
use alongside_rig::agent_cli::Cli;
use alongside_rig::model::{ModelReply, Script};
use alongside_rig::procfs::command_line;
use alongside_rig::tmux::Pane;
use alongside_rig::{Generation, adapters};
use anyhow::Result;
use serde_json::json;

use crate::script::{CLOSING_LINE, REQUEST, capitalise_three_lines};
use crate::stage::{AGENT_WINDOW, Stage, decided_text};

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    the_oldest_neovim_and_gemini: from_selection_to_file(Generation::Oldest, Cli::Gemini),
    the_newest_neovim_and_gemini: from_selection_to_file(Generation::Newest, Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    the_newest_neovim_and_qwen: from_selection_to_file(Generation::Newest, Cli::Qwen),
    #[ignore = "cargo xtask test --all"]
    the_newest_neovim_and_claude: from_selection_to_file(Generation::Newest, Cli::Claude),
}

fn from_selection_to_file(generation: Generation, cli: Cli) -> Result<()> {
    let Some(stage) = Stage::new_or_skip(generation)? else { return Ok(()) };
    adapters::neovim(&stage.sandbox, "")?;
    let other_file = stage.sandbox.write("other.md", "");
    let neovim = stage.open(&stage.editors.neovim(generation))?;
    let Some(agent) = stage.start_agent(cli)? else { return Ok(()) };

    // The selection reaches the model.
    neovim.type_and_see("2GVjj", "the selection", "-- VISUAL LINE --")?;
    stage.wait_until_selected("two\nthree\nfour".len())?;
    stage.ask_with_selection(&agent, cli, 4)?;

    // The proposal announces itself and does not disturb a person in another file.
    wait_until_announced(&neovim)?;
    agent.wait_until_it_asks()?;
    neovim.type_text(":")?;
    neovim.wait_for("the selection, as a range", |screen| screen.ends_with(":'<,'>"))?;
    neovim.press("Escape")?;
    neovim.enter(":edit other.md")?;
    neovim.type_and_see("ia line of my own", "what was typed", "a line of my own")?;
    neovim.press("Escape")?;
    neovim.enter_and_see(":write", "the file to be written", "written")?;
    assert_eq!(fs::read_to_string(other_file)?, "a line of my own\n");

    decide_in_neovim(&neovim)?;
    agent.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), decided_text());
    neovim.enter(":buffer notes.md")?;
    neovim
        .wait_for("the file as it is now", |screen| screen.contains("\nEIGHT") && screen.contains("\n14"))?;
    assert!(!neovim.screen()?.contains("original"), "the review is still there:\n{}", neovim.screen()?);
    Ok(())
}

/// Waits until Neovim itself announces the proposal, which the host and the agent have earlier. In Normal
/// mode the message stays for only a few seconds, so a test must not wait for anything else before.
fn wait_until_announced(neovim: &Pane) -> Result<()> {
    neovim
        .wait_for("the proposal to be announced", |screen| screen.contains("notes.md (3 changes)"))
        .map(drop)
}

/// Goes to the review, drops its first change, edits its last one, and accepts the result.
pub(crate) fn decide_in_neovim(neovim: &Pane) -> Result<()> {
    neovim.enter_and_see(":Alongside", "the review", "3 kept")?;
    neovim.type_and_see("do", "a change to be dropped", "1 of 3: dropped")?;
    neovim.type_text("]c]c")?;
    neovim.enter(":s/FOURTEEN/14/")?;
    // The note after the line, because a narrow bar has no room for three states.
    neovim.wait_for("a change to be edited", |screen| screen.contains("  edited"))?;
    neovim.type_text("\\a")?;
    neovim.wait_for("the review to be over", |screen| !screen.contains("  edited")).map(drop)
}

#[test]
#[ignore = "cargo xtask test --all"]
fn an_agent_in_neovims_own_terminal() -> Result<()> {
    let Some((stage, pane)) = Stage::with_neovim(Generation::Newest, "")? else { return Ok(()) };
    stage.wait_until_served(1)?;
    let script = capitalise_three_lines(Cli::Gemini, &stage.file);
    let Some(agent) = stage.install_agent(Cli::Gemini, script, pane)? else { return Ok(()) };
    agent.pane.enter(":vertical terminal")?;
    agent.pane.type_and_see("i", "the terminal", "-- TERMINAL --")?;
    agent.pane.enter("env | grep -c _IDE_SERVER_PORT")?;
    agent.start()?;
    stage.wait_until_connected(1)?;
    agent.ask(REQUEST)?;
    wait_until_announced(&agent.pane)?;
    agent.wait_until_it_asks()?;
    leave_terminal_mode(&agent)?;
    decide_in_neovim(&agent.pane)?;
    stage.wait_until_on_disk(&decided_text())?;
    // The file is in the window beside the terminal.
    agent
        .pane
        .wait_for("the file as it is now", |screen| screen.contains("│14 ") || screen.contains("│14\n"))
        .map(drop)
}

/// Leaves the mode in which keys go to the agent.
pub(crate) fn leave_terminal_mode(agent: &Agent) -> Result<()> {
    agent.pane.press("C-\\")?;
    agent.pane.press("C-n")?;
    agent.pane.wait_for("normal mode", |screen| !screen.contains("-- TERMINAL --")).map(drop)
}

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    agents_find_the_oldest_neovim_under_its_ui_process: assert_lock_names_the_interface(Generation::Oldest),
    agents_find_the_newest_neovim_under_its_ui_process: assert_lock_names_the_interface(Generation::Newest),
}

/// Neovim has two processes, and programs in its terminals regard the parent, its interface, as the editor.
fn assert_lock_names_the_interface(generation: Generation) -> Result<()> {
    let Some((stage, _pane)) = Stage::with_neovim(generation, "")? else { return Ok(()) };
    stage.wait_until_served(1)?;
    let neovim = stage.editors.neovim(generation);
    let processes = stage.processes_of(&neovim).into_iter();
    let (embedded, interface): (Vec<_>, Vec<_>) =
        processes.partition(|pid| command_line(pid).contains("--embed"));
    assert_eq!((embedded.len(), interface.len()), (1, 1));
    // Other agents compare the name of a file; Qwen's lock file names the process.
    let port = stage.port(|_| true)?;
    let lock = fs::read(stage.sandbox.home().join(format!(".qwen/ide/{port}.lock")))?;
    let lock: serde_json::Value = serde_json::from_slice(&lock)?;
    assert_eq!((&lock["ppid"], &lock["ideInfo"]["name"]), (&interface[0].into(), &"neovim".into()), "{lock}");
    Ok(())
}

/// The model asks for the problems in files, and reads Neovim's diagnostics.
#[test]
fn claude_gets_the_diagnostics_of_neovim() -> Result<()> {
    let Some((stage, neovim)) = Stage::with_neovim(Generation::Newest, "")? else { return Ok(()) };
    stage.wait_until_served(1)?;
    let pane = stage.terminal.window("claude", AGENT_WINDOW)?;
    let replies = [ModelReply::call("mcp__ide__getDiagnostics", json!({})), ModelReply::say(CLOSING_LINE)];
    let Some(claude) = stage.install_agent(Cli::Claude, Script::new().on(REQUEST, replies), pane)? else {
        return Ok(());
    };
    claude.start()?;
    stage.wait_until_connected(1)?;
    neovim.enter(
        ":lua vim.diagnostic.set(vim.api.nvim_create_namespace('lint'), 0, \
         {{ lnum = 1, col = 0, end_col = 3, severity = 2, message = 'two is too many', source = 'lint' }})",
    )?;
    neovim.wait_for("the diagnostic", |screen| screen.contains("W"))?;
    claude.ask(REQUEST)?;
    // Tools of an editor also need the person's permission.
    claude.wait_until_it_asks()?;
    claude.say_yes()?;
    claude.wait_until_it_says(CLOSING_LINE)?;
    let is_read =
        claude.model.requests().iter().any(|request| request.body.to_string().contains("two is too many"));
    assert!(is_read, "the model did not read it: {:#?}", claude.model.requests());
    Ok(())
}
