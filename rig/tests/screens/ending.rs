//! After every kind of end, the terminal is as before and no process remains.

use std::time::Duration;

use alongside_agent::Outcome;
use alongside_rig::screen::{Screen, Terminal, key};
use alongside_rig::wait;
use anyhow::Result;
use rustix::process::Signal;

use crate::stage::{Stage, proposed_text, read_and_press, text_after_silence};

/// The time limit for the end of a host without a desk: twice the 30 s for which it waits for a desk.
const HOST_END_TIMEOUT: Duration = Duration::from_secs(60);

fn small() -> Terminal {
    Terminal::new(80, 24)
}

/// Fails unless the desk has restored the terminal.
fn assert_terminal_restored(desk: &Screen) -> Result<()> {
    assert_eq!(desk.unrestored_state()?, Vec::<String>::new());
    Ok(())
}

#[test]
fn leaving_as_the_last_desk_asks_and_rejects_what_waits() -> Result<()> {
    let (stage, mut desk, _agent, proposal) = Stage::with_proposal(&small())?;
    read_and_press(&desk, "line five", "q")?;
    read_and_press(&desk, "Leave?", "n")?;
    desk.wait_for("the question before leaving to go", |screen| !screen.contains("Leave?"))?;
    read_and_press(&desk, "line five", "q")?;
    read_and_press(&desk, "Leave?", "y")?;
    assert_eq!(desk.wait_for_exit()?.code(), Some(0));
    assert_terminal_restored(&desk)?;
    assert_eq!(proposal.outcome()?, Outcome::Rejected);
    stage.wait_until_empty(Duration::from_secs(10))
}

#[test]
fn signals_end_the_desk_which_gives_the_terminal_back() -> Result<()> {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
        let stage = Stage::new();
        let mut desk = stage.idle_desk(&small())?;
        desk.signal(signal)?;
        assert_eq!(desk.wait_for_exit()?.code(), Some(code), "{signal:?}");
        assert_terminal_restored(&desk)?;
    }
    Ok(())
}

#[test]
fn a_desk_whose_agent_has_ended_leaves_no_companion() -> Result<()> {
    // The agent ends before the desk starts, while it joins, or afterwards.
    for lasts in ["0", "0.02", "0.05", "0.1", "1"] {
        let stage = Stage::new();
        let mut shell = stage.shell(&small())?;
        let wait_first = if lasts == "0" { "wait; " } else { "" };
        shell.press(&format!("sleep {lasts} & {wait_first}alongside --until $!; echo ov''er; exit\r"))?;
        shell.wait_for_text("over")?;
        shell.wait_for_exit()?;
        // A companion whose desk was killed would wait for 30 s.
        stage.wait_until_empty(Duration::from_secs(10))?;
    }
    Ok(())
}

#[test]
fn a_closed_window_ends_the_desk() -> Result<()> {
    let stage = Stage::new();
    let mut desk = stage.idle_desk(&small())?;
    desk.hang_up();
    assert_eq!(desk.wait_for_exit()?.code(), Some(129));
    Ok(())
}

#[test]
fn ctrl_c_asks_while_a_review_waits_and_leaves_when_repeated() -> Result<()> {
    let (_stage, mut desk, _agent, _proposal) = Stage::with_proposal(&small())?;
    let ctrl_c = key::ctrl('c').to_string();
    read_and_press(&desk, "line five", &ctrl_c)?;
    read_and_press(&desk, "Leave?", &ctrl_c)?;
    desk.wait_for_exit()?;
    assert_terminal_restored(&desk)
}

#[test]
fn killed_desk_ends_its_processes_and_keeps_the_review() -> Result<()> {
    let (stage, mut desk, agent, proposal) = Stage::with_proposal(&small())?;
    read_and_press(&desk, "line five", " ")?;
    desk.wait_for_text("1 dropped")?;
    desk.signal(Signal::KILL)?;
    desk.wait_for_exit()?;
    // The next desk shows the decisions that the person has made so far.
    let mut desk = stage.desk(&small())?;
    read_and_press(&desk, "1 dropped", "jj")?;
    read_and_press(&desk, "fifty-five", "a")?;
    let content = proposed_text().replace("line five\n", "line 5\n");
    assert_eq!(proposal.outcome()?, Outcome::Accepted { content });
    desk.signal(Signal::KILL)?;
    desk.wait_for_exit()?;
    drop(agent);
    stage.wait_until_empty(HOST_END_TIMEOUT)
}

#[test]
fn ctrl_z_restores_the_terminal_and_fg_redraws() -> Result<()> {
    let stage = Stage::new();
    let shell = stage.shell(&small())?;
    shell.press_and_see("echo before; alongside\r", "No agent is connected yet.")?;
    let (_agent, proposal) = stage.propose()?;
    read_and_press(&shell, "line five", &key::ctrl('z').to_string())?;
    let screen = shell.wait_for("the shell's prompt", |screen| {
        screen.contains("Stopped") && screen.trim_end().ends_with("rig$")
    })?;
    assert!(screen.contains("\nbefore\n"), "what was there before is back:\n{screen}");
    let modes = shell.picture()?;
    assert!(!modes.hide_cursor() && !modes.alternate_screen());
    assert_eq!(modes.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    // The shell can still edit lines, at another size, too.
    shell.press("echo $((6 * 7))\r")?;
    shell.wait_for_text("\n42\n")?;
    shell.resize(100, 30)?;
    shell.press_and_see("fg\r", "line five")?;
    let screen = text_after_silence(&shell)?;
    assert!(!screen.contains("rig$"), "the whole screen is drawn anew:\n{screen}");
    read_and_press(&shell, "line five", "a")?;
    assert_eq!(proposal.outcome()?, Outcome::Accepted { content: proposed_text() });
    read_and_press(&shell, "Nothing to review.", "q")?;
    shell.wait_for("the shell's prompt", |screen| screen.trim_end().ends_with("rig$"))?;
    wait::until("the terminal as it was", wait::PATIENCE, || {
        let unrestored = shell.unrestored_state().map_err(|error| error.to_string())?;
        // The shell itself requests paste marks and reads single keys.
        let is_of_desk =
            |state: &&String| *state != "bracketed paste" && !state.starts_with("terminal settings");
        unrestored.iter().find(is_of_desk).map_or(Ok(()), |state| Err(state.clone()))
    })
}

#[test]
fn stopped_desk_continues_by_itself() -> Result<()> {
    let stage = Stage::new();
    let desk = stage.idle_desk(&small())?;
    desk.signal(Signal::STOP)?;
    desk.signal(Signal::CONT)?;
    // No key is pressed meanwhile.
    let (_agent, proposal) = stage.propose()?;
    read_and_press(&desk, "line five", "r")?;
    assert_eq!(proposal.outcome()?, Outcome::Rejected);
    Ok(())
}
