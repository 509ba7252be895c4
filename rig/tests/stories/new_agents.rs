//! New agents: signed in, with IDE mode off, and without a setting for whether they ask before edits. Two
//! commands, and a choice or a yes for each change of their settings, connect them. They show no dialog of
//! their own meanwhile.

use std::fs;

use alongside_rig::agent::Agent;
use alongside_rig::agent_cli::Cli;
use alongside_rig::tmux::Pane;
use anyhow::Result;

use crate::desk::{Desk, SMALL};
use crate::script::{CLOSING_LINE, IN_CAPITALS, REQUEST, capitalise_three_lines};
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

/// Returns the questions about an agent's settings. By default, Qwen edits without asking.
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
    let Some(stage) = Stage::new_or_skip_for(cli)? else { return Ok(()) };
    let agent = stage.install_as_new(cli, capitalise_three_lines(cli, &stage.file))?;
    agent.pane.enter("clear; alongside install agent")?;
    agent.pane.wait_for("the choice", |screen| screen.ends_with("Number (Enter for 1):"))?;
    if cli == Cli::Gemini {
        agent.pane.enter("1")?;
        agent.pane.wait_for("the changes", |screen| screen.ends_with("Make these changes? [y/N]"))?;
        agent.pane.enter("y")?;
    } else {
        agent.pane.enter("3")?;
        agree_to_each_question(&agent.pane, cli)?;
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
        // Claude Code may offer another mode.
        agent.pane.enter(&command)?;
        let refusal = "No, keep manual mode";
        let offers_mode = |screen: &str| screen.contains(refusal);
        let is_there = |screen: &str| offers_mode(screen) || screen.contains("? for shortcuts");
        if offers_mode(&agent.pane.wait_for("its first screen", is_there)?) {
            agent.pane.press_and_see("Down", "the choice", "❯ No, keep manual mode")?;
            agent.answer(refusal)?;
        }
        agent.wait_until_free()?;
    } else {
        agent.start_with(&command)?;
    }
    let desk = Desk::new(stage.terminal.opened_beside(&agent.pane, "the desk beside it")?);
    request_and_accept(&stage, &agent, &desk)
}

fn run_alone(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    let agent = stage.install_as_new(cli, capitalise_three_lines(cli, &stage.file))?;
    agent.pane.enter(&format!("clear; alongside run -- {}", cli.command()))?;
    agree_to_each_question(&agent.pane, cli)?;
    agent.wait_until_free()?;
    let desk = Desk::new(stage.terminal.opened_beside(&agent.pane, "the desk beside it")?);
    request_and_accept(&stage, &agent, &desk)
}

/// Answers yes to each question at the terminal.
fn agree_to_each_question(pane: &Pane, cli: Cli) -> Result<()> {
    for question in questions(cli) {
        pane.wait_for(question, |screen| screen.ends_with(&format!("{question} [y/N]")))?;
        pane.enter("y")?;
    }
    Ok(())
}

fn desk_then_agent(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    let agent = stage.install_as_new(cli, capitalise_three_lines(cli, &stage.file))?;
    let desk = stage.open_desk(SMALL)?;
    desk.press_when_shown("IDE mode is off in", "i")?;
    desk.wait_until_shown(questions(cli)[0])?;
    assert!(!agent_settings(&stage, cli)?.contains("\"ide\""), "nothing is written before the yes");
    for question in questions(cli) {
        desk.press_when_shown(question, "y")?;
    }
    desk.wait_until_shown("No agent is connected yet.")?;
    agent.start()?;
    request_and_accept(&stage, &agent, &desk)
}

/// Sends the person's request, and accepts the proposal without its first change. Fails if the agent has
/// asked anything before.
fn request_and_accept(stage: &Stage, agent: &Agent, desk: &Desk) -> Result<()> {
    desk.wait_until_connected(1)?;
    assert_asks_nothing(&agent.pane)?;
    agent.ask(REQUEST)?;
    desk.press_when_review_open("notes.txt", "Space")?;
    desk.press_when_shown("2 kept, 1 dropped", "a")?;
    agent.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), IN_CAPITALS.replace("TWO", "two"));
    Ok(())
}

/// Fails if the agent shows a dialog or a hint about an editor.
fn assert_asks_nothing(pane: &Pane) -> Result<()> {
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
