//! Two desks decide the same change at the same moment: one decision counts, and everybody gets the same.

use alongside_rig::agent::Agent;
use alongside_rig::agent_cli::Cli;
use alongside_rig::tmux::Pane;
use anyhow::Result;

use crate::desk::WIDE;
use crate::script::{DONE, ORIGINAL, REQUEST, SHOUTED, shout};
use crate::stage::{READING, Stage, takes_the_next_message};

#[test]
fn of_two_decisions_at_two_desks_one_counts() -> Result<()> {
    let Some(stage) = Stage::set()? else { return Ok(()) };
    let (one, other) = (stage.open_desk(WIDE)?, stage.open_desk(WIDE)?);
    let gemini = stage.start_at(&one, Cli::Gemini, shout(Cli::Gemini, &stage.file))?;
    other.wait_until_connected(1)?;
    gemini.ask_for_change(REQUEST)?;

    // A change at one desk appears at the other.
    one.press_at("notes.txt", "Space")?;
    other.wait_until_shown("notes.txt: changed at another desk; this is how it stands now.")?;
    other.press_after("2 kept, 1 dropped", "u")?;
    one.wait_until_shown("notes.txt: changed at another desk; this is how it stands now.")?;
    one.wait_until_shown("3 kept")?;

    std::thread::sleep(READING);
    stage.terminal.press_at_once(&[(&one.pane, &["a"]), (&other.pane, &["r"])])?;
    one_decision_counts(&stage, &gemini, [&one.pane, &other.pane])
}

#[test]
#[ignore = "cargo xtask test --all"]
fn of_two_decisions_at_a_desk_and_in_line_mode_one_counts() -> Result<()> {
    let Some(stage) = Stage::set()? else {
        return Ok(());
    };
    let desk = stage.open_desk(WIDE)?;
    let reviewer = stage.start_review()?;
    let qwen = stage.start_at(&desk, Cli::Qwen, shout(Cli::Qwen, &stage.file))?;
    qwen.ask_for_change(REQUEST)?;
    reviewer.answer_about("TWO", "n")?;
    reviewer.wait_until_shown("+EIGHT")?;
    desk.press_after("2 kept, 1 dropped", "u")?;
    reviewer.wait_until_shown("changed at another desk")?;
    desk.wait_until_shown("3 kept")?;

    std::thread::sleep(READING);
    stage.terminal.press_at_once(&[(&reviewer.pane, &["r", "Enter"]), (&desk.pane, &["a"])])?;
    one_decision_counts(&stage, &qwen, [&desk.pane, &reviewer.pane])
}

/// Agent, file and both desks agree on the outcome.
fn one_decision_counts(stage: &Stage, agent: &Agent, desks: [&Pane; 2]) -> Result<()> {
    let outcome = |screen: &str| {
        let screen = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        let said = ["notes.txt: accepted", "notes.txt: rejected"].map(|said| screen.contains(said));
        (said != [false, false]).then_some(said)
    };
    let mut said = Vec::new();
    for desk in desks {
        let screen = desk.wait_for("an outcome", |screen| outcome(screen).is_some())?;
        said.extend(outcome(&screen));
    }
    if said[0] == [true, false] {
        agent.wait_until_it_says(DONE)?;
    }
    takes_the_next_message(agent)?;
    let now = [SHOUTED, ORIGINAL].map(|text| stage.on_disk() == text);
    assert_eq!(said, [now, now], "accepted or rejected, as one and the other desk say, and as the file is");
    Ok(())
}
