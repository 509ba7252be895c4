//! An agent's name, files and proposals reach the terminal as text, never as control sequences, and no
//! program obeys them. The tests check the output's bytes, because an emulator does not report the sequences
//! that it obeys.

use std::io::Write as _;

use alongside_agent::Outcome;
use alongside_rig::hostile::{Hostile, assert_nothing_obeyed, propose, rows, set_traps, write};
use alongside_rig::screen::{Screen, Terminal, key};
use alongside_rig::wait::{self, PATIENCE};
use alongside_rig::{Proposer, agent_cli};
use anyhow::{Context as _, Result};

use crate::stage::{Stage, original_text, read_and_press, text_after_silence};

/// Control sequences, each with a word of its own.
const SEQUENCES: [&str; 9] = [
    "\x1b[2;7Hmoved",
    "\x1b]52;c;c3RvbGVu\x07",
    "\x1b]8;;http://evil\x1b\\",
    "\x1b]0;titled\x07",
    "\x1bPqsixel\x1b\\",
    "\x1b[8;1;1tsized",
    "\x1b[6nasked",
    "\u{9b}31mcoloured",
    "\u{9d}0;titled\u{9c}",
];

/// Characters that hide or reorder text, or move the cursor.
const INVISIBLE: &str = "\u{202e}\u{2066}\u{200b}\u{feff}\
    \u{ad}\u{3164}\u{2028}\u{2029}\u{e0041}\u{85}\u{7f}\u{8}\u{c}\u{0b}\u{0e}\
    \u{fe0f}\u{e0100}\u{2800}\u{13430}\u{16fe4}\u{1d159}\u{fff0}";

#[test]
fn nothing_that_an_agent_says_is_obeyed_by_the_terminal() -> Result<()> {
    let stage = Stage::new();
    let nasty = format!("{}{INVISIBLE}", SEQUENCES.concat());
    // The length of a name is limited, so one half is in the directory's name, and the other in the file's.
    let file = stage
        .sandbox
        .write(format!("{}/{INVISIBLE}\n.txt", SEQUENCES.concat().replace('/', ":")), original_text());
    let mut desk = stage.idle_desk(&Terminal::new(600, 24))?;
    let agent = Proposer::named(&stage.sandbox, &format!("gemini-cli-{nasty}"), &nasty)?;
    let proposed = original_text().replace("line 5\n", &format!("five {nasty}\r\n")).replace("line 30\n", "");
    let proposal = agent.propose(&file, &proposed)?;
    read_and_press(&desk, "five", "?")?;
    // The desk shows the agent's text in every way: side by side, unified, dropped, scrolled, copied,
    // searched, and in a refusal.
    for keys in [key::ESCAPE, "v", "j", "k", " ", " ", key::RIGHT, key::LEFT, "y", "/five\r", "v"] {
        text_after_silence(&desk)?;
        desk.press(keys)?;
    }
    text_after_silence(&desk)?;
    read_and_press(&desk, "five", "r")?;
    proposal.outcome()?;
    desk.wait_for_text("rejected")?;
    drop(agent);
    desk.press("q")?;
    desk.wait_for_exit()?;

    let output = String::from_utf8(desk.output()?)?;
    for sequence in SEQUENCES {
        assert!(!output.contains(sequence), "{sequence:?} reached the terminal");
        // The words are shown, so the desk has drawn the text with the sequences.
        let words: String = sequence.chars().filter(char::is_ascii_graphic).collect();
        let end = words.get(words.len() - 4..).unwrap_or(&words);
        assert!(output.contains(end), "{sequence:?} is not shown");
    }
    for character in INVISIBLE.chars() {
        assert!(!output.contains(character), "{character:?} reached the terminal");
    }
    Ok(())
}

/// Fails if a control sequence or an invisible character of the table has reached the terminal.
fn assert_harmless(desk: &Screen) -> Result<()> {
    let output = String::from_utf8(desk.output()?)?;
    for sequence in ["\x1b]0;PWNED", "\u{9b}", "\u{202e}", "\u{2066}"] {
        assert!(!output.contains(sequence), "{sequence:?} reached the terminal");
    }
    assert!(output.contains("PWNED"), "the names are shown");
    Ok(())
}

/// Accepts every second row, and writes it as its agent does. The answers come from a pipe: line mode accepts
/// them without the delay for a reading person, and prints the same.
#[test]
fn line_mode_obeys_no_name_and_no_text() -> Result<()> {
    let stage = Stage::new();
    set_traps(&stage.sandbox)?;
    let (path, value) = agent_cli::path_variable(&stage.sandbox)?;
    let script = "mkfifo answers && exec alongside review < answers";
    let terminal = Terminal::new(300, 40).with(path, value);
    let desk = Screen::start(&stage.sandbox, &terminal, ["sh", "-c", script])?;
    let pipe = stage.sandbox.project().join("answers");
    wait::until("the pipe", PATIENCE, || if pipe.exists() { Ok(()) } else { Err(String::new()) })?;
    let mut answers = std::fs::File::options().write(true).open(pipe)?;
    desk.wait_for_text("Waiting for proposals.")?;
    let (waiting, refused) = propose(&stage.sandbox, rows(&stage.sandbox))?;
    assert_eq!(refused, Vec::<String>::new());
    answers.write_all(b"l\n")?;
    for (index, Hostile { row, proposal, .. }) in waiting.into_iter().enumerate() {
        // The first change is on the screen; `j` shows the last one.
        if row.original.is_some() {
            answers.write_all(b"j\n")?;
        }
        desk.wait_for_text(&row.unique_line)?;
        let accepts = index % 2 == 0;
        answers.write_all(if accepts { b"a\n" } else { b"r\n" })?;
        match proposal.outcome().with_context(|| desk.text().unwrap_or_default())? {
            Outcome::Accepted { content } if accepts => write(&row.path, &content)?,
            Outcome::Rejected if !accepts => {}
            other => panic!("{row:?}: {other:?}"),
        }
    }
    assert_harmless(&desk)?;
    assert_nothing_obeyed(&stage.sandbox)
}

#[test]
fn the_desk_obeys_no_name_and_no_text() -> Result<()> {
    let stage = Stage::new();
    set_traps(&stage.sandbox)?;
    let (path, value) = agent_cli::path_variable(&stage.sandbox)?;
    let desk = stage.idle_desk(&Terminal::new(300, 40).with(path, value))?;
    let (waiting, refused) = propose(&stage.sandbox, rows(&stage.sandbox))?;
    assert_eq!(refused, Vec::<String>::new());
    for Hostile { row, .. } in &waiting {
        desk.wait_for_text(&row.unique_line)?;
        desk.press("\t")?;
    }
    assert_harmless(&desk)?;
    assert_nothing_obeyed(&stage.sandbox)
}
