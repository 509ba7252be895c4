//! Two desks decide the same change at the same moment: one decision
//! counts, and both desks, the agent and the file agree on it.

use alongside_rig::agent::Agent;
use alongside_rig::agent_cli::Cli;
use alongside_rig::tmux::Pane;
use anyhow::Result;

use crate::desk::WIDE;
use crate::script::{CLOSING_LINE, IN_CAPITALS, ORIGINAL, REQUEST, capitalise_three_lines};
use crate::stage::{READING_TIME, Stage, assert_takes_next_prompt};

#[test]
fn of_two_decisions_at_two_desks_one_counts() -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else { return Ok(()) };
    let (first, second) = (stage.open_desk(WIDE)?, stage.open_desk(WIDE)?);
    let gemini = stage.start_at(&first, Cli::Gemini, capitalise_three_lines(Cli::Gemini, &stage.file))?;
    second.wait_until_connected(1)?;
    gemini.ask_for_change(REQUEST)?;

    // A change at one desk appears at the other.
    first.press_when_review_open("notes.txt", "Space")?;
    second.wait_until_shown("notes.txt: changed at another desk; this is how it stands now.")?;
    second.press_when_shown("2 kept, 1 dropped", "u")?;
    first.wait_until_shown("notes.txt: changed at another desk; this is how it stands now.")?;
    first.wait_until_shown("3 kept")?;

    std::thread::sleep(READING_TIME);
    stage.terminal.press_at_once(&[(&first.pane, &["a"]), (&second.pane, &["r"])])?;
    assert_one_decision_counts(&stage, &gemini, [&first.pane, &second.pane])
}

#[test]
#[ignore = "cargo xtask test --all"]
fn of_two_decisions_at_a_desk_and_in_line_mode_one_counts() -> Result<()> {
    let Some(stage) = Stage::new_or_skip()? else {
        return Ok(());
    };
    let desk = stage.open_desk(WIDE)?;
    let line_mode = stage.start_review()?;
    let qwen = stage.start_at(&desk, Cli::Qwen, capitalise_three_lines(Cli::Qwen, &stage.file))?;
    qwen.ask_for_change(REQUEST)?;
    line_mode.answer_when_asked_about("TWO", "n")?;
    line_mode.wait_until_shown("+EIGHT")?;
    desk.press_when_shown("2 kept, 1 dropped", "u")?;
    line_mode.wait_until_shown("changed at another desk")?;
    desk.wait_until_shown("3 kept")?;

    std::thread::sleep(READING_TIME);
    stage.terminal.press_at_once(&[(&line_mode.pane, &["r", "Enter"]), (&desk.pane, &["a"])])?;
    assert_one_decision_counts(&stage, &qwen, [&desk.pane, &line_mode.pane])
}

/// Fails unless the agent, the file and both desks agree on the decision.
fn assert_one_decision_counts(stage: &Stage, agent: &Agent, desks: [&Pane; 2]) -> Result<()> {
    let decision = |screen: &str| {
        let screen = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        // The second message of an acceptance may already have replaced the first.
        let accepted = ["notes.txt: accepted", "notes.txt: written as accepted"];
        let shown = [&accepted[..], &["notes.txt: rejected"]]
            .map(|messages| messages.iter().any(|message| screen.contains(message)));
        (shown != [false, false]).then_some(shown)
    };
    let mut decisions = Vec::new();
    for desk in desks {
        let screen = desk.wait_for("an outcome", |screen| decision(screen).is_some())?;
        decisions.extend(decision(&screen));
    }
    if decisions[0] == [true, false] {
        agent.wait_until_it_says(CLOSING_LINE)?;
    }
    assert_takes_next_prompt(agent)?;
    let written = [IN_CAPITALS, ORIGINAL].map(|text| stage.on_disk() == text);
    assert_eq!(
        decisions,
        [written, written],
        "accepted or rejected, as one and the other desk say, and as the file is"
    );
    Ok(())
}
