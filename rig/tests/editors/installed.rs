//! A newcomer: from nothing to the first reviewed change by `alongside install` and one restart of the
//! editor, and then the removal.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use alongside_rig::Generation;
use alongside_rig::agent::Agent;
use alongside_rig::agent_cli::{Cli, write_program};
use alongside_rig::sandbox::files_below;
use alongside_rig::tmux::Pane;
use alongside_rig::wait::{self, PATIENCE};
use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::helix::{decide_in_helix, wait_until_announced};
use crate::neovim::decide_in_neovim;
use crate::script::{CLOSING_LINE, capitalise_three_lines};
use crate::stage::{Stage, decided_text};

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    a_newcomer_with_the_oldest_neovim: with_neovim(Generation::Oldest),
    a_newcomer_with_the_newest_neovim: with_neovim(Generation::Newest),
    #[ignore = "cargo xtask test --all"]
    a_newcomer_with_helix_25_01: with_helix(Generation::Oldest),
    #[ignore = "cargo xtask test --all"]
    a_newcomer_with_the_newest_helix: with_helix(Generation::Newest),
}

fn with_neovim(generation: Generation) -> Result<()> {
    let Some(stage) = Stage::new_or_skip(generation)? else { return Ok(()) };
    // The person's configuration, without alongside.
    stage.sandbox.write_home(".config/nvim/init.lua", "vim.o.number = true -- mine\n");
    let before = configuration(&stage);
    let shell = stage.terminal.window("shell", (80, 24))?;
    install_and_agree(&shell, "neovim", "Installed. Restart Neovim")?;
    assert!(shell.screen()?.lines().all(|line| line.chars().count() <= 80), "{}", shell.screen()?);
    let Some(agent) = set_up_gemini(&stage, &shell)? else { return Ok(()) };

    // Neovim's own PATH lacks the program.
    let editor = stage.editors.neovim(generation);
    let neovim = stage.terminal.window(editor.command, (100, 30))?;
    let bin = stage.sandbox.home().join("bin");
    neovim.enter(&format!("PATH={}:/usr/bin:/bin nvim notes.md", bin.display()))?;
    neovim.wait_for("the file", |screen| screen.contains("15 fifteen"))?;
    connect_and_ask(&stage, &agent, &neovim)?;
    neovim.wait_for("the proposal to be announced", |screen| screen.contains("notes.md (3 changes)"))?;
    decide_in_neovim(&neovim)?;
    agent.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), decided_text());

    // Neovim finds the help.
    let package = stage.sandbox.home().join(".local/share/nvim/site/pack/alongside/start/alongside");
    let tags = fs::read_to_string(package.join("doc/tags"))?;
    neovim.enter(":helptags ALL")?;
    neovim.enter_and_see(":help alongside-options", "the help", "alongside-options")?;
    assert_eq!(fs::read_to_string(package.join("doc/tags"))?, tags);
    neovim.enter(":qa")?;
    assert_leaves_nothing(&stage, &agent, &neovim, &shell, &before)
}

fn with_helix(generation: Generation) -> Result<()> {
    let Some(stage) = Stage::new_or_skip(generation)? else { return Ok(()) };
    // Stand-ins for Helix's own server for Markdown and for a server of the person. Each reports its start by
    // a file.
    for server in ["marksman", "mine-ls"] {
        let mark = stage.sandbox.run().join(server);
        write_program(&stage.sandbox, server, &format!("touch '{}'\nexec cat >/dev/null", mark.display()))?;
    }
    let languages = "\
# my languages
[language-server.mine]
command = \"mine-ls\" # by hand

[[language]]
name = \"python\"   # slow
language-servers = [
  \"mine\", # first
]
auto-format = false
";
    stage.sandbox.write_home(".config/helix/languages.toml", languages);
    stage.sandbox.write_home(".config/helix/config.toml", "[editor]\nmouse = false # mine\n");
    stage.sandbox.write("a.py", "x = 1\n");
    let before = configuration(&stage);
    let shell = stage.terminal.window("shell", (80, 24))?;
    install_and_agree(&shell, "helix", "Installed. Restart Helix")?;
    let Some(agent) = set_up_gemini(&stage, &shell)? else { return Ok(()) };

    let editor = stage.editors.helix(generation);
    let helix = stage.open_beside(&editor, "a.py")?;
    wait_until_started(&stage, &helix, "marksman")?;
    wait_until_started(&stage, &helix, "mine-ls")?;
    connect_and_ask(&stage, &agent, &helix)?;
    wait_until_announced(&helix)?;
    decide_in_helix(&helix)?;
    agent.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), decided_text());
    helix.enter(":qa!")?;
    assert_leaves_nothing(&stage, &agent, &helix, &shell, &before)
}

/// Waits until Helix has started one of the stand-ins for servers.
fn wait_until_started(stage: &Stage, helix: &Pane, server: &str) -> Result<()> {
    wait::until(&format!("{server} to be started"), PATIENCE, || {
        match stage.sandbox.run().join(server).exists() {
            true => Ok(()),
            false => Err(helix.screen().unwrap_or_default()),
        }
    })
}

/// Runs `alongside install`, agrees to the changes, and waits for the message `done`.
fn install_and_agree(shell: &Pane, what: &str, done: &str) -> Result<()> {
    shell.enter(&format!("clear; alongside install {what}"))?;
    shell.wait_for("the question before installing", |screen| screen.ends_with("[y/N]"))?;
    shell.enter("y")?;
    shell.wait_for(&format!("{done:?}"), |screen| screen.contains(done)).map(drop)
}

/// Installs Gemini CLI without IDE mode, and switches the mode on by `alongside install agent`.
fn set_up_gemini(stage: &Stage, shell: &Pane) -> Result<Option<Agent>> {
    let script = capitalise_three_lines(Cli::Gemini, &stage.file);
    let pane = stage.terminal.window("gemini", (100, 50))?;
    let Some(agent) = stage.install_agent(Cli::Gemini, script, pane)? else { return Ok(None) };
    let path = stage.sandbox.home().join(".gemini/settings.json");
    let mut settings: Value = serde_json::from_slice(&fs::read(&path)?)?;
    settings.as_object_mut().context("the settings are not an object")?.remove("ide");
    let text = format!("// mine\n{}\n", serde_json::to_string_pretty(&settings)?);
    fs::write(&path, &text)?;
    shell.enter("clear; alongside install agent")?;
    shell.wait_for("the choice", |screen| screen.ends_with("Number (Enter for 1):"))?;
    shell.enter("1")?;
    shell.wait_for("the changes", |screen| screen.ends_with("Make these changes? [y/N]"))?;
    shell.enter_and_see("y", "the next step", "Next, in your project: ")?;
    let now = fs::read_to_string(&path)?;
    assert!(now.starts_with("// mine\n") && now.contains("\"ide\": {\n    \"enabled\": true\n  }"), "{now}");
    Ok(Some(agent))
}

/// Starts the agent, and asks it for a change. Fails unless it finds the editor, gets the file as context,
/// and proposes.
fn connect_and_ask(stage: &Stage, agent: &Agent, editor: &Pane) -> Result<()> {
    stage.wait_until_served(1).with_context(|| editor.screen().unwrap_or_default())?;
    agent.start()?;
    stage.wait_until_connected(1)?;
    stage.ask_with_context(agent, &[])?;
    agent.wait_until_it_asks()
}

/// Ends the agent and uninstalls everything. Fails unless the person's files are as before.
fn assert_leaves_nothing(
    stage: &Stage,
    agent: &Agent,
    editor: &Pane,
    shell: &Pane,
    before: &BTreeMap<PathBuf, Vec<u8>>,
) -> Result<()> {
    stage.wait_until_closed(editor)?;
    agent.pane.kill()?;
    stage.uninstall(shell)?;
    assert_eq!(&configuration(stage), before, "\n{}", shell.history()?);
    let settings = fs::read_to_string(stage.sandbox.home().join(".gemini/settings.json"))?;
    assert!(!settings.contains("\"ide\"") && !settings.contains("alongside"), "{settings}");
    let state = stage.sandbox.home().join(".local/state/alongside");
    let leftovers = files_below(&state);
    assert!(!state.exists(), "{leftovers:?}\n{}", shell.history()?);
    let files = files_below(stage.sandbox.tmp());
    let leftovers = files.iter().filter(|path| path.to_string_lossy().contains("ide-server"));
    assert_eq!(leftovers.count(), 0, "discovery files are left");
    Ok(())
}

/// Returns the editors' configuration and installed files.
fn configuration(stage: &Stage) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = [".config", ".local/share"].map(|name| files_below(stage.sandbox.home().join(name)));
    files.concat().into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}
