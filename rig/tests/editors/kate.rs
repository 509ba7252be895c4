//! Kate in a new home, on a screen in memory, with agents that are not set up for it: from the installation
//! of the adapter to its removal.

use std::fs;
use std::path::PathBuf;

use alongside_rig::agent_cli::{self, Cli};
use alongside_rig::program::companions;
use alongside_rig::sandbox::files_below;
use alongside_rig::tmux::{Pane, Tmux};
use alongside_rig::wait::{self, PATIENCE};
use alongside_rig::{Generation, Kate, KateScreen, Proposer, install_kate, or_skip};
use anyhow::{Context as _, Result};

use crate::script::{IN_CAPITALS, REQUEST_AGAIN};
use crate::stage::Stage;

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    kate_and_gemini: from_installation_to_removal(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    kate_and_qwen: from_installation_to_removal(Cli::Qwen),
}

/// The number of code actions in the file.
const FILE_ACTIONS: u32 = 3;
/// The number of code actions on a kept change of a proposal.
const KEPT_ACTIONS: u32 = 5;
/// The number of code actions on an edited change.
const EDITED_ACTIONS: u32 = 6;

/// A part of the title of a proposal's window.
pub(crate) const PROPOSAL: &str = "/alongside/reviews/";

fn from_installation_to_removal(cli: Cli) -> Result<()> {
    let Some(mut stage) = Stage::new_or_skip(Generation::Newest)? else { return Ok(()) };
    let Some(kate) = or_skip(install_kate()) else { return Ok(()) };
    let config = stage.sandbox.home().join(".config");
    let (screen, shell, other_file) = start_screen_and_install(&mut stage, &kate, "")?;

    let pane = stage.terminal.window("kate", (100, 30))?;
    pane.enter("clear; kate notes.md")?;
    screen.allow_server("notes.md")?;
    let Some(agent) = stage.start_agent(cli)? else { return Ok(()) };

    // The cursor reaches the model. Kate does not report the selection.
    screen.press(&["Down", "Down"])?;
    wait::until("the cursor", PATIENCE, || match cursor(&stage) {
        Some((2, 0)) => Ok(()),
        cursor => Err(format!("{cursor:?}")),
    })?;
    let line = match cli {
        Cli::Gemini => r#""line": 3"#,
        Cli::Qwen => "Cursor: line 3, character 1",
        // The context of these agents has only the file.
        Cli::Claude | Cli::OpenCode | Cli::Codex => "notes.md",
    };
    stage.ask_with_context(&agent, &[line])?;

    // The proposal is announced, and the person continues in another file.
    agent.wait_until_it_asks()?;
    let open = format!("clear; kate --pid {}", process(&stage)?);
    shell.enter(&format!("{open} other.md"))?;
    screen.wait_for_title("the other file", |title| title.starts_with("other.md"))?;
    screen.type_text("a line of my own")?;
    screen.press(&["ctrl+s"])?;
    wait::until("the other file to be saved", PATIENCE, || match fs::read_to_string(&other_file) {
        Ok(text) if text.trim() == "a line of my own" => Ok(()),
        text => Err(format!("{text:?}")),
    })?;

    // The person drops the first change, edits the last one, and accepts the result.
    shell.enter(&format!("{open} notes.md"))?;
    screen.wait_for_title("the file", is_file)?;
    open_proposal(&screen, 1)?;
    choose(&screen, KEPT_ACTIONS, 1)?;
    screen.wait_for_title("the dropped change", |title| title.contains(PROPOSAL) && title.contains('*'))?;
    screen.press(&["ctrl+End", "Up", "Up", "Home", "shift+End"])?;
    screen.type_text("14")?;
    choose(&screen, EDITED_ACTIONS, 2)?;
    stage.assert_accepted(&agent)?;
    screen.wait_for_title("the file", is_file)?;
    // Key 71 is F5, which reloads the file; xdotool does not know that name.
    screen.press(&["71"])?;
    wait::until("the file as it is now", PATIENCE, || {
        screen.press(&["ctrl+End", "Up", "Up", "End"]).map_err(|error| error.to_string())?;
        match cursor(&stage) {
            Some((13, 2)) => Ok(()),
            cursor => Err(format!("{cursor:?}")),
        }
    })?;

    // A rejected proposal leaves a draft with the text that the person typed.
    screen.press(&["ctrl+Home"])?;
    agent.ask_for_change(REQUEST_AGAIN)?;
    agent.wait_until_it_asks()?;
    open_proposal(&screen, 2)?;
    screen.type_text("typed by me ")?;
    choose(&screen, EDITED_ACTIONS, 3)?;
    stage.assert_rejected(&shell, &agent)?;

    // Kate ends while a proposal waits. The text that was typed just before is in a draft.
    screen.wait_for_title("the file", is_file)?;
    screen.press(&["ctrl+Home"])?;
    let proposer = Proposer::gemini(&stage.sandbox)?;
    let proposal = proposer.propose(&stage.file, IN_CAPITALS)?;
    open_proposal(&screen, 3)?;
    screen.type_text("typed at the end ")?;
    // Kate sends what a person types half a second later.
    screen.open_menu(EDITED_ACTIONS)?;
    screen.press(&["Escape"])?;
    screen.wait_for_windows(1)?;
    screen.press(&["ctrl+q"])?;
    // The tabs of the first two proposals are still open, with text that Kate has not saved.
    let question = screen.wait_for_title("the question", |title| title.starts_with("Save Documents"))?;
    screen.focus(&question, false)?;
    screen.press(&["alt+d"])?;
    screen.wait_for_windows(0)?;
    stage.assert_ended_and_uninstall(proposal, &agent, &shell)?;
    let files = files_below(&config);
    assert!(files.iter().all(|file| !file.ends_with("lspclient/settings.json")), "{files:?}");
    Ok(())
}

/// Starts a screen, and installs the adapter in a shell. Titles of windows have whole paths, and `settings`
/// are further general settings of the person. Returns the screen, the shell and the path of an empty file.
pub(crate) fn start_screen_and_install(
    stage: &mut Stage,
    kate: &Kate,
    settings: &str,
) -> Result<(KateScreen, Pane, PathBuf)> {
    kate.put_on_path(&stage.sandbox)?;
    let screen = kate.screen(&stage.sandbox)?;
    let variables = screen.variables().into_iter().chain([agent_cli::path_variable(&stage.sandbox)?]);
    stage.terminal = Tmux::new(&stage.sandbox, variables);
    fs::create_dir(stage.sandbox.project().join(".git"))?;
    let settings = format!("[General]\nShow Full Path in Title=true\n{settings}");
    stage.sandbox.write_home(".config/katerc", settings);
    let (shell, other_file) = stage.install("kate", "Installed. Restart Kate")?;
    Ok((screen, shell, other_file))
}

/// Whether a window shows the file. The whole path in the title differs from that of the proposal.
fn is_file(title: &str) -> bool {
    title.starts_with("notes.md @ ") && !title.contains(PROPOSAL)
}

/// Returns Kate's process.
fn process(stage: &Stage) -> Result<i32> {
    let all = stage.sandbox.processes().into_iter().map(|pid| pid.as_raw_nonzero().get());
    let is_kate =
        |pid: &i32| fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|program| program.ends_with("kate"));
    all.into_iter().find(is_kate).context("Kate does not run")
}

/// Opens the proposal of the file in front at its first change.
fn open_proposal(screen: &KateScreen, number: u32) -> Result<()> {
    choose(screen, FILE_ACTIONS, 1)?;
    let name = format!("-{number}  ");
    let is_proposal = |title: &str| title.contains(PROPOSAL) && title.contains(&name);
    screen.wait_for_title("the proposal", is_proposal)?;
    // Kate moves the cursor to the change only after it has shown the proposal.
    screen.open_menu(KEPT_ACTIONS)?;
    screen.press(&["Escape"])?;
    screen.wait_for_windows(1)
}

/// Opens the menu of code actions, and chooses an entry.
pub(crate) fn choose(screen: &KateScreen, entries: u32, choice: usize) -> Result<()> {
    screen.open_menu(entries)?;
    screen.wait_until_still()?;
    for _ in 0..choice {
        screen.press_and_see("Down")?;
    }
    screen.press(&["Return"])?;
    screen.wait_for_windows(1)
}

/// Returns the 0-based line and character of the cursor in the active file of the context.
fn cursor(stage: &Stage) -> Option<(u64, u64)> {
    let status = companions(&stage.sandbox).ok()?;
    let cursor = &status[0]["context"][0]["cursor"];
    Some((cursor["line"].as_u64()?, cursor["character"].as_u64()?))
}
