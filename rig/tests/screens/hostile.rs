//! An agent's name, files and proposals reach the terminal as text, never as control sequences, and no
//! program obeys them. The tests check the raw bytes, because an emulator does not report what it has obeyed.

use std::io::Write as _;

use alongside_agent::Outcome;
use alongside_rig::hostile::{Hostile, assert_nothing_obeyed, propose, rows, set_traps, write};
use alongside_rig::screen::{Screen, Terminal, key};
use alongside_rig::wait::{self, PATIENCE};
use alongside_rig::{Proposer, agent_cli};
use anyhow::{Context as _, Result};

use crate::stage::{Stage, original, read_and_press, settled};

/// Control sequences, each with a word of its own.
const OBEYED: [&str; 9] = [
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
const HIDING: &str = "\u{202e}\u{2066}\u{200b}\u{feff}\
    \u{ad}\u{3164}\u{2028}\u{2029}\u{e0041}\u{85}\u{7f}\u{8}\u{c}\u{0b}\u{0e}\
    \u{fe0f}\u{e0100}\u{2800}\u{13430}\u{16fe4}\u{1d159}\u{fff0}";

#[test]
fn nothing_that_an_agent_says_is_obeyed_by_the_terminal() -> Result<()> {
    let stage = Stage::new();
    let nasty = format!("{}{HIDING}", OBEYED.concat());
    // Names are limited in length: half is in the directory, half in the file.
    let file =
        stage.sandbox.write(format!("{}/{HIDING}\n.txt", OBEYED.concat().replace('/', ":")), original());
    let mut desk = stage.idle_desk(&Terminal::new(600, 24))?;
    let agent = Proposer::named(&stage.sandbox, &format!("gemini-cli-{nasty}"), &nasty)?;
    let proposed = original().replace("line 5\n", &format!("five {nasty}\r\n")).replace("line 30\n", "");
    let proposal = agent.propose(&file, &proposed)?;
    read_and_press(&desk, "five", "?")?;
    // Every place of the agent's text: side by side, unified, dropped, scrolled, copied, searched, and in a
    // refusal.
    for keys in [key::ESCAPE, "v", "j", "k", " ", " ", key::RIGHT, key::LEFT, "y", "/five\r", "v"] {
        settled(&desk)?;
        desk.press(keys)?;
    }
    settled(&desk)?;
    read_and_press(&desk, "five", "r")?;
    proposal.outcome()?;
    desk.wait_for_text("rejected")?;
    drop(agent);
    desk.press("q")?;
    desk.wait_for_exit()?;

    let written = desk.written()?;
    let said = String::from_utf8(written)?;
    for obeyed in OBEYED {
        assert!(!said.contains(obeyed), "{obeyed:?} reached the terminal");
        // The words are shown, so the sequences have passed here.
        let words: String = obeyed.chars().filter(char::is_ascii_graphic).collect();
        assert!(said.contains(words.get(words.len() - 4..).unwrap_or(&words)), "{obeyed:?} is not shown");
    }
    for hiding in HIDING.chars() {
        assert!(!said.contains(hiding), "{hiding:?} reached the terminal");
    }
    Ok(())
}

fn assert_harmless(desk: &Screen) -> Result<()> {
    let said = String::from_utf8(desk.written()?)?;
    for obeyed in ["\x1b]0;PWNED", "\u{9b}", "\u{202e}", "\u{2066}"] {
        assert!(!said.contains(obeyed), "{obeyed:?} reached the terminal");
    }
    assert!(said.contains("PWNED"), "the names are shown");
    Ok(())
}

/// Every second row is accepted, and its agent writes it. The answers come from a pipe, for which line mode
/// needs no time to read; what it prints is the same.
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
    for (at, Hostile { row, proposal, .. }) in waiting.into_iter().enumerate() {
        // The first change is on the screen, and then the last one.
        if row.original.is_some() {
            answers.write_all(b"j\n")?;
        }
        desk.wait_for_text(&row.unique_line)?;
        let accepts = at % 2 == 0;
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
