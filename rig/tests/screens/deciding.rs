//! Reading and deciding with keys and mouse.

use alongside_agent::Outcome;
use alongside_rig::screen::{Terminal, Wheel};
use alongside_rig::{Proposer, Sandbox};
use anyhow::Result;

use crate::stage::{Stage, proposed_text, read_and_press, text_after_silence};

#[test]
fn a_new_desk_says_what_to_do_and_is_left_with_q() -> Result<()> {
    let stage = Stage::new();
    let mut desk = stage.idle_desk(&Terminal::new(80, 24))?;
    let agent = Proposer::gemini(&stage.sandbox)?;
    desk.wait_for_text("Gemini CLI")?;
    drop(agent);
    desk.press("q")?;
    assert_eq!(desk.wait_for_exit()?.code(), Some(0));
    assert_eq!(desk.unrestored_state()?, Vec::<String>::new());
    stage.wait_until_empty(std::time::Duration::from_secs(10))
}

#[test]
fn proposal_is_decided_by_hunk_and_written_as_shown() -> Result<()> {
    let (_stage, desk, _agent, proposal) = Stage::with_proposal(&Terminal::new(80, 24))?;
    desk.wait_for_text("notes.txt")?;
    // Drop the second change.
    read_and_press(&desk, "line five", "j")?;
    read_and_press(&desk, "line thirty", " ")?;
    read_and_press(&desk, "1 dropped", "j")?;
    read_and_press(&desk, "fifty-five", "a")?;
    let content = proposed_text().replace("line thirty\n", "line 30\n");
    assert_eq!(proposal.outcome()?, Outcome::Accepted { content });
    desk.wait_for_text("notes.txt: accepted; Gemini CLI writes it.")?;
    Ok(())
}

#[test]
fn a_proposal_is_rejected_by_r() -> Result<()> {
    let stage = Stage::new();
    let desk = stage.desk(&Terminal::new(120, 40))?;
    let agent = Proposer::qwen(&stage.sandbox)?;
    let proposal = agent.propose(&stage.file, &proposed_text())?;
    read_and_press(&desk, "line five", "r")?;
    assert_eq!(proposal.outcome()?, Outcome::Rejected);
    desk.wait_for_text("notes.txt: rejected")?;
    Ok(())
}

#[test]
fn keys_before_a_proposal_decide_nothing() -> Result<()> {
    let stage = Stage::new();
    let desk = stage.idle_desk(&Terminal::new(80, 24))?;
    let (agent, first) = stage.propose()?;
    let other = stage.sandbox.write("other.txt", "one\n");
    let second = agent.propose(&other, "two\n")?;
    desk.wait_for_text("line five")?;
    // `a` is pressed three times. The first press accepts the first review, and the second review is shown
    // before the other presses.
    read_and_press(&desk, "line five", "jj")?;
    read_and_press(&desk, "fifty-five", "aaa")?;
    assert_eq!(first.outcome()?, Outcome::Accepted { content: proposed_text() });
    desk.wait_for_text("two")?;
    text_after_silence(&desk)?;
    assert!(desk.text()?.contains("two"), "the review was decided:\n{}", desk.text()?);
    read_and_press(&desk, "two", "r")?;
    assert_eq!(second.outcome()?, Outcome::Rejected);
    Ok(())
}

#[test]
fn a_paste_decides_nothing() -> Result<()> {
    let (_stage, desk, _agent, proposal) = Stage::with_proposal(&Terminal::new(80, 24))?;
    desk.wait_for_text("line five")?;
    text_after_silence(&desk)?;
    desk.paste("all right, accept: a\ny\n")?;
    text_after_silence(&desk)?;
    assert!(desk.text()?.contains("line five"), "the review was decided:\n{}", desk.text()?);
    read_and_press(&desk, "line five", "r")?;
    assert_eq!(proposal.outcome()?, Outcome::Rejected);
    Ok(())
}

#[test]
fn the_mouse_scrolls_and_selects() -> Result<()> {
    let stage = Stage::new();
    let desk = stage.desk(&Terminal::new(150, 22))?;
    let agent = Proposer::gemini(&stage.sandbox)?;
    let other = stage.sandbox.write("other.txt", "one\n");
    let proposal = agent.propose(&stage.file, &proposed_text())?;
    let _other = agent.propose(&other, "two\n")?;
    desk.wait_for_text("other.txt")?;
    text_after_silence(&desk)?;
    // A click opens the other review, and another click the first one again.
    desk.click(desk.position_of("other.txt")?)?;
    desk.wait_for_text("two")?;
    desk.click(desk.position_of("notes.txt")?)?;
    desk.wait_for_text("line five")?;
    text_after_silence(&desk)?;
    let before = desk.text()?;
    desk.wheel(Wheel::Down, (12, 80))?;
    desk.wait_for("another picture after the wheel", |screen| screen != before)?;
    read_and_press(&desk, "line thirty", "")?;
    desk.click(desk.position_of("line thirty")?)?;
    text_after_silence(&desk)?;
    desk.press(" ")?;
    read_and_press(&desk, "1 dropped", "a")?;
    let content = proposed_text().replace("line thirty\n", "line 30\n");
    assert_eq!(proposal.outcome()?, Outcome::Accepted { content });
    Ok(())
}

#[test]
fn wide_windows_show_both_sides_and_narrow_ones_one_column() -> Result<()> {
    let (_stage, desk, _agent, _proposal) = Stage::with_proposal(&Terminal::new(130, 40))?;
    desk.wait_for_text("line five")?;
    // Waits until old and new text are in one row, or in two rows.
    let wait_for_layout = |side_by_side: bool| {
        let (what, row) = (format!("side by side: {side_by_side}"), |line: &str| {
            line.contains("line 5") && line.contains("line five")
        });
        let both = |screen: &str| screen.contains("line 5") && screen.contains("line five");
        desk.wait_for(&what, |screen| both(screen) && screen.lines().any(row) == side_by_side)
    };
    wait_for_layout(true)?;
    desk.resize(80, 24)?;
    wait_for_layout(false)?;
    desk.resize(30, 5)?;
    desk.wait_for_text("Too small")?;
    desk.resize(200, 60)?;
    wait_for_layout(true)?;
    // The person's choice remains at any width.
    desk.press("v")?;
    wait_for_layout(false)?;
    desk.resize(130, 40)?;
    desk.wait_for("the narrower picture", |screen| screen.lines().count() <= 40)?;
    wait_for_layout(false)?;
    desk.press("v")?;
    desk.resize(90, 24)?;
    wait_for_layout(true)?;
    Ok(())
}

#[test]
fn accepting_all_takes_what_was_listed_and_nothing_later() -> Result<()> {
    let (stage, desk, agent, first) = Stage::with_proposal(&Terminal::new(150, 30))?;
    desk.wait_for_text("line five")?;
    let propose = |name: &str| agent.propose(&stage.sandbox.project().join(name), "text of a new file\n");
    let (second, unseen) = (propose("second.txt")?, propose("unseen.txt")?);
    read_and_press(&desk, "Reviews (3)", "\t")?;
    read_and_press(&desk, "text of a new file", "A")?;
    desk.wait_for_text("not seen yet")?;
    let later = propose("later.txt")?;
    desk.wait_for_text("Reviews (4)")?;
    read_and_press(&desk, "Accept these 2 reviews?", "y")?;
    desk.wait_for_text("2 accepted; 1 arrived meanwhile and waits; 1 other waits.")?;
    assert_eq!(first.outcome()?, Outcome::Accepted { content: proposed_text() });
    assert_eq!(second.outcome()?, Outcome::Accepted { content: "text of a new file\n".into() });
    desk.wait_for_text("Reviews (2)")?;
    for (waiting, key) in [(unseen, "r"), (later, "r")] {
        read_and_press(&desk, "text of a new file", key)?;
        assert_eq!(waiting.outcome()?, Outcome::Rejected);
    }
    Ok(())
}

#[test]
fn the_help_names_every_key_at_80_by_24() -> Result<()> {
    let stage = Stage::new();
    let desk = stage.idle_desk(&Terminal::new(80, 24))?;
    desk.press_and_see("?", "accept the file")?;
    // The whole help fits on the screen.
    let help = text_after_silence(&desk)?;
    for key in ["space", "Tab", "PgUp", "Ctrl-Z", "Ctrl-L", "two columns", "undo", "pause", "quit"] {
        assert!(help.contains(key), "{key} is not explained:\n{help}");
    }
    Ok(())
}

#[test]
fn without_a_terminal_it_says_what_to_use_instead() -> Result<()> {
    let sandbox = Sandbox::new();
    let program = alongside_rig::alongside_bin()?;
    let mut command = std::process::Command::new(program);
    command.env_clear().envs(sandbox.env()).current_dir(sandbox.project());
    let output = command.stdin(std::process::Stdio::null()).output()?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("alongside review") && stderr.contains("alongside status"), "{stderr}");
    assert!(sandbox.processes().is_empty(), "it started something all the same");
    Ok(())
}
