//! A whole turn of an agent that nobody asked about anything: its tools and its shell commands change files,
//! and the person reviews them afterwards, at a desk that is opened after the turn.

use std::fs;

use alongside_rig::agent::Agent;
use alongside_rig::agent_cli::Cli;
use alongside_rig::model::Turn;
use alongside_rig::{claude_or_skip, codex_or_skip};
use anyhow::{Result, ensure};
use serde_json::json;

use crate::desk::WIDE;
use crate::script::{DONE, ORIGINAL, REQUEST, SHOUTED, with};
use crate::stage::Stage;

/// What the model runs in a shell, where no hook before a write sees it.
const SHELL: &str = "sed -i s/apple/APPLE/ other.txt && echo new > places.txt";

alongside_rig::tests! {
    a_turn_of_claude_is_reviewed_afterwards_and_a_part_of_it_undone: reviewed_afterwards(Cli::Claude),
    a_turn_of_codex_is_reviewed_afterwards_and_a_part_of_it_undone: reviewed_afterwards(Cli::Codex),
}

fn reviewed_afterwards(cli: Cli) -> Result<()> {
    let Some((stage, agent)) = set(cli)? else { return Ok(()) };
    // The person's own change, from before the turn.
    stage.sandbox.write("mine.txt", "mine\n");
    run(&agent, cli)?;
    agent.wait_until_ended()?;
    assert_eq!(stage.on_disk(), SHOUTED);

    let desk = stage.open_desk_with("alongside --since", WIDE)?;
    desk.wait_until_shown("Changes (3 files)")?;
    let screen = desk.wait_until_shown("change 1 of 3")?;
    for file in ["notes.txt", "other.txt", "places.txt"] {
        assert!(screen.contains(file), "{file}\n{screen}");
    }
    assert!(!screen.contains("mine.txt"), "{screen}");
    desk.press_after("change 1 of 3", "Space")?;
    desk.press_after("1 marked", "f")?;
    desk.press_after("Undo 1 change?", "y")?;
    desk.wait_until_shown("Undone")?;
    assert_eq!(stage.on_disk(), SHOUTED.replace("TWO", "two"));
    let read = |name: &str| fs::read_to_string(stage.sandbox.project().join(name));
    assert_eq!((read("other.txt")?.as_str(), read("places.txt")?.as_str()), ("APPLE\npear\n", "new\n"));
    stage.wait_until_drafted(SHOUTED)
}

/// A repository, and an agent that notes its turns and is not started yet. `None` where it cannot be
/// installed.
fn set(cli: Cli) -> Result<Option<(Stage, Agent)>> {
    let is_missing = match cli {
        Cli::Codex => codex_or_skip().is_none(),
        _ => claude_or_skip().is_none(),
    };
    let Some(stage) = Stage::set()?.filter(|_| !is_missing) else { return Ok(None) };
    assert_eq!(stage.on_disk(), ORIGINAL);
    stage.sandbox.write("other.txt", "apple\npear\n");
    let identity = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"];
    for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "-m", "The beginning"]]
    {
        let mut git = stage.sandbox.command("git").into_std();
        let ran = git.args(identity).args(arguments).current_dir(stage.sandbox.project()).status()?;
        ensure!(ran.success(), "git {arguments:?}: {ran}");
    }
    let mut turns = cli.overwrite(&stage.file, SHOUTED, DONE);
    let last = turns.len() - 1;
    turns.insert(last, shell(cli));
    let agent = stage.install_as_new(cli, with(turns))?;
    agent.set_turns_up(&stage.sandbox)?;
    Ok(Some((stage, agent)))
}

/// The model's call of its shell.
fn shell(cli: Cli) -> Turn {
    match cli {
        Cli::Codex => Turn::call("exec_command", json!({ "cmd": SHELL })),
        _ => Turn::call("Bash", json!({ "command": SHELL, "description": "Change two files" })),
    }
}

/// Runs the agent on the request, in its automatic mode. The person has allowed the shell command before.
fn run(agent: &Agent, cli: Cli) -> Result<()> {
    match cli {
        Cli::Claude => agent.run_unattended_with("--allowedTools 'Bash(sed:*)' 'Bash(echo:*)'", REQUEST),
        _ => agent.run_unattended(REQUEST),
    }
}
