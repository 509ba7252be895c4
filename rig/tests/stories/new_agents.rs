//! New agents: signed in, IDE mode off, and no word on whether they ask. Two commands, a look at each change
//! and a choice or a yes connect them, and no dialog of the agent's own comes between.

use std::fs;

use alongside_rig::agent::Agent;
use alongside_rig::agent_cli::Cli;
use alongside_rig::tmux::Pane;
use anyhow::Result;

use crate::desk::{Desk, SMALL};
use crate::script::{DONE, REQUEST, SHOUTED, shout};
use crate::stage::Stage;

alongside_rig::tests! {
    new_gemini_is_set_up_by_install_and_connected_by_run: install_then_run(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    new_qwen_is_set_up_by_install_and_connected_by_run: install_then_run(Cli::Qwen),
    new_claude_is_set_up_by_install_and_connected_by_run: install_then_run(Cli::Claude),
    #[ignore = "cargo xtask test --all"]
    new_gemini_is_set_up_by_run: run_alone(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    new_qwen_is_set_up_by_run: run_alone(Cli::Qwen),
    #[ignore = "cargo xtask test --all"]
    new_gemini_is_set_up_by_the_desk: desk_then_agent(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    new_qwen_is_set_up_by_the_desk: desk_then_agent(Cli::Qwen),
}

/// The questions about an agent. Qwen edits without asking as it comes.
fn questions(cli: Cli) -> &'static [&'static str] {
    match cli {
        Cli::Gemini => &["Switch on IDE mode in Gemini CLI?"],
        Cli::Qwen => &["Switch on IDE mode in Qwen Code?", "Make Qwen Code ask before it edits?"],
        Cli::Claude => {
            &["Switch on auto-connect to IDE in Claude Code?", "Make Claude Code ask before it edits?"]
        }
        Cli::OpenCode | Cli::Codex => &[],
    }
}

fn install_then_run(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::set_for(cli)? else { return Ok(()) };
    let agent = stage.install_as_new(cli, shout(cli, &stage.file))?;
    agent.pane.enter("clear; alongside install agent")?;
    agent.pane.wait_for("the choice", |screen| screen.ends_with("Number (Enter for 1):"))?;
    if cli == Cli::Gemini {
        agent.pane.enter("1")?;
        agent.pane.wait_for("the changes", |screen| screen.ends_with("Make these changes? [y/N]"))?;
        agent.pane.enter("y")?;
    } else {
        agent.pane.enter("3")?;
        agrees(&agent.pane, cli)?;
        for question in ["Review after each turn of", "Ask at your desk before each write of"] {
            let asks = |screen: &str| screen.contains(question) && screen.ends_with("? [y/N]");
            agent.pane.wait_for(question, asks)?;
            agent.pane.enter("n")?;
        }
    }
    agent.pane.wait_for("the shell", |screen| {
        screen.contains("Next, in your project: ") && screen.ends_with(alongside_rig::tmux::SHELL_PROMPT)
    })?;
    let command = format!("clear; alongside run -- {}", cli.command());
    if cli == Cli::Claude {
        // It may offer to take the mode back.
        agent.pane.enter(&command)?;
        let no = "No, keep manual mode";
        let offers = |screen: &str| screen.contains(no);
        let is_there = |screen: &str| offers(screen) || screen.contains("? for shortcuts");
        if offers(&agent.pane.wait_for("its first screen", is_there)?) {
            agent.pane.press_and_see("Down", "the choice", "❯ No, keep manual mode")?;
            agent.answer(no)?;
        }
        agent.wait_until_free()?;
    } else {
        agent.start_with(&command)?;
    }
    let desk = Desk::new(stage.terminal.opened_beside(&agent.pane, "the desk beside it")?);
    proposes_and_is_accepted(&stage, &agent, &desk)
}

fn run_alone(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::set()? else { return Ok(()) };
    let agent = stage.install_as_new(cli, shout(cli, &stage.file))?;
    agent.pane.enter(&format!("clear; alongside run -- {}", cli.command()))?;
    agrees(&agent.pane, cli)?;
    agent.wait_until_free()?;
    let desk = Desk::new(stage.terminal.opened_beside(&agent.pane, "the desk beside it")?);
    proposes_and_is_accepted(&stage, &agent, &desk)
}

/// Reads each change at the terminal, and agrees.
fn agrees(pane: &Pane, cli: Cli) -> Result<()> {
    for question in questions(cli) {
        pane.wait_for(question, |screen| screen.ends_with(&format!("{question} [y/N]")))?;
        pane.enter("y")?;
    }
    Ok(())
}

fn desk_then_agent(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::set()? else { return Ok(()) };
    let agent = stage.install_as_new(cli, shout(cli, &stage.file))?;
    let desk = stage.open_desk(SMALL)?;
    desk.press_after("IDE mode is off in", "i")?;
    desk.wait_until_shown(questions(cli)[0])?;
    assert!(!agent_settings(&stage, cli)?.contains("\"ide\""), "nothing is written before the yes");
    for question in questions(cli) {
        desk.press_after(question, "y")?;
    }
    desk.wait_until_shown("No agent is connected yet.")?;
    agent.start()?;
    proposes_and_is_accepted(&stage, &agent, &desk)
}

/// The person's request, a proposal at the desk, and the file as decided. The agent asks nothing before.
fn proposes_and_is_accepted(stage: &Stage, agent: &Agent, desk: &Desk) -> Result<()> {
    desk.wait_until_connected(1)?;
    asks_nothing(&agent.pane)?;
    agent.ask(REQUEST)?;
    desk.press_at("notes.txt", "Space")?;
    desk.press_after("2 kept, 1 dropped", "a")?;
    agent.wait_until_it_says(DONE)?;
    assert_eq!(stage.on_disk(), SHOUTED.replace("TWO", "two"));
    Ok(())
}

/// A dialog of either agent about an editor ends in a question mark or offers to dismiss it.
fn asks_nothing(pane: &Pane) -> Result<()> {
    let screen = pane.screen()?;
    for words in ["Do you want to connect", "install", "No installer", "(esc)"] {
        assert!(!screen.contains(words), "{words:?}\n{screen}");
    }
    Ok(())
}

fn agent_settings(stage: &Stage, cli: Cli) -> Result<String> {
    let directory = stage.sandbox.home().join(format!(".{}", cli.command()));
    Ok(fs::read_to_string(directory.join("settings.json"))?)
}
