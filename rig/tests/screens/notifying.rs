//! A review is announced if it arrives while another window has the focus, and not otherwise.

use std::path::Path;

use alongside_rig::screen::{Screen, Terminal};
use alongside_rig::{alongside_bin, wait};
use anyhow::Result;

use crate::stage::{Stage, text_after_silence};

/// A file name that tries to end an announcement and to begin another one.
const HOSTILE: &str = "evil;4;1\u{7}\u{1b}]0;x.txt";

/// Starts a desk with these arguments, and waits for its first picture.
fn desk(stage: &Stage, terminal: &Terminal, arguments: &[&str]) -> Result<Screen> {
    let program = alongside_bin()?;
    let command = std::iter::once(program.as_os_str()).chain(arguments.iter().map(AsRef::as_ref));
    let desk = Screen::start(&stage.sandbox, terminal, command)?;
    desk.wait_for_text("No agent is connected yet.")?;
    Ok(desk)
}

/// Returns the output of the desk from this byte on.
fn output_from(desk: &Screen, start: usize) -> Result<String> {
    Ok(String::from_utf8_lossy(&desk.output()?[start..]).into_owned())
}

/// Proposes one file while the window has the focus, a second one while another window has it, and a third
/// one after that. Fails unless only the second one makes the desk print `expected`. Returns the output about
/// the second one.
fn announce(terminal: &Terminal, settings: &str, arguments: &[&str], expected: &str) -> Result<String> {
    let stage = Stage::new();
    stage.sandbox.write_home(".config/alongside/config.toml", settings);
    let desk = desk(&stage, terminal, arguments)?;
    text_after_silence(&desk)?;
    let start = desk.output()?.len();
    let (agent, _first) = stage.propose()?;
    desk.wait_for_text("line five")?;
    text_after_silence(&desk)?;
    assert!(!output_from(&desk, start)?.contains(expected), "the window has the focus");
    desk.focus(false)?;
    text_after_silence(&desk)?;
    let start = desk.output()?.len();
    let file = stage.sandbox.project().join(Path::new(HOSTILE));
    let _second = agent.propose(&file, "text\n")?;
    desk.wait_for_text("New review: evil;4;1")?;
    let output = || output_from(&desk, start).map_err(|error| error.to_string());
    let has_arrived =
        || output().and_then(|output| if output.contains(expected) { Ok(output) } else { Err(output) });
    let output = wait::until("the announcement", wait::PATIENCE, has_arrived)?;
    desk.focus(true)?;
    text_after_silence(&desk)?;
    let start = desk.output()?.len();
    let _third = agent.propose(&stage.sandbox.project().join("third.txt"), "text\n")?;
    desk.wait_for_text("New review: third.txt")?;
    text_after_silence(&desk)?;
    assert!(!output_from(&desk, start)?.contains(expected), "the window has the focus again");
    Ok(output)
}

#[test]
fn a_bell_rings_only_while_another_window_has_the_focus() -> Result<()> {
    let output = announce(&Terminal::new(100, 30), "[desk]\nnotify = 'bell'\n", &[], "\x07")?;
    assert_eq!(output.matches('\x07').count(), 1, "{output:?}");
    Ok(())
}

#[test]
fn a_notification_names_the_file_and_obeys_nothing_in_its_name() -> Result<()> {
    let expected = "\x1b]9;alongside: evil_4_1__]0_x.txt waits for review\x07";
    let output = announce(&Terminal::new(100, 30), "", &["--notify", "osc9"], expected)?;
    assert_eq!(output.matches("\x1b]").count(), 1, "{output:?}");
    Ok(())
}

#[test]
fn tmux_is_asked_to_pass_a_notification_on() -> Result<()> {
    let terminal = Terminal::new(100, 30).with("TMUX", "/tmp/tmux,1,0");
    let inner = "\x1b\x1b]777;notify;alongside;evil_4_1__]0_x.txt waits for review\x07";
    let expected = format!("\x1bPtmux;{inner}\x1b\\");
    // The option overrides the setting.
    announce(&terminal, "[desk]\nnotify = 'bell'\n", &["--notify", "osc777"], &expected).map(drop)
}

#[test]
fn by_default_nothing_is_announced() -> Result<()> {
    let stage = Stage::new();
    let desk = desk(&stage, &Terminal::new(100, 30), &[])?;
    desk.focus(false)?;
    text_after_silence(&desk)?;
    let start = desk.output()?.len();
    let (_agent, _proposal) = stage.propose()?;
    desk.wait_for_text("line five")?;
    text_after_silence(&desk)?;
    let output = output_from(&desk, start)?;
    assert!(!output.contains('\x07') && !output.contains("\x1b]"), "{output:?}");
    Ok(())
}
