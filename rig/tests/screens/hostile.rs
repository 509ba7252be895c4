//! What an agent calls itself, its files and what it proposes reaches the terminal as something to read,
//! never as something to obey: held byte by byte, for an emulator does not tell what it has obeyed.

use alongside_rig::Proposer;
use alongside_rig::screen::{Terminal, key};
use anyhow::Result;

use crate::stage::{Stage, original, read_and_press, settled};

/// What terminals obey, each with words of its own in it.
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

/// What hides or reorders what is shown, or moves the cursor.
const HIDING: &str = "\u{202e}\u{2066}\u{200b}\u{feff}\
    \u{ad}\u{3164}\u{2028}\u{2029}\u{e0041}\u{85}\u{7f}\u{8}\u{c}\u{0b}\u{0e}\
    \u{fe0f}\u{e0100}\u{2800}\u{13430}\u{16fe4}\u{1d159}\u{fff0}";

#[test]
fn nothing_that_an_agent_says_is_obeyed_by_the_terminal() -> Result<()> {
    let stage = Stage::new();
    let nasty = format!("{}{HIDING}", OBEYED.concat());
    // A name has its limits: half of it in the directory, half in the file.
    let file =
        stage.sandbox.write(format!("{}/{HIDING}\n.txt", OBEYED.concat().replace('/', ":")), original());
    let mut desk = stage.desk(&Terminal::new(600, 24))?;
    desk.shows("No agent is connected yet.")?;
    let agent = Proposer::named(&stage.sandbox, &format!("gemini-cli-{nasty}"), &nasty)?;
    let proposed = original().replace("line 5\n", &format!("five {nasty}\r\n")).replace("line 30\n", "");
    let proposal = agent.propose(&file, &proposed)?;
    read_and_press(&desk, "five", "?")?;
    // Everywhere its words can stand: aside, unified, dropped, scrolled, copied, searched for, and in a
    // refusal's place.
    for keys in [key::ESCAPE, "v", "j", "k", " ", " ", key::RIGHT, key::LEFT, "y", "/five\r", "v"] {
        settled(&desk)?;
        desk.press(keys)?;
    }
    settled(&desk)?;
    read_and_press(&desk, "five", "r")?;
    proposal.outcome()?;
    desk.shows("rejected")?;
    drop(agent);
    desk.press("q")?;
    desk.ends()?;

    let written = desk.written()?;
    let said = String::from_utf8(written)?;
    for obeyed in OBEYED {
        assert!(!said.contains(obeyed), "{obeyed:?} reached the terminal");
        // Its words are shown, so that this test has seen them pass.
        let words: String = obeyed.chars().filter(char::is_ascii_graphic).collect();
        assert!(said.contains(words.get(words.len() - 4..).unwrap_or(&words)), "{obeyed:?} is not shown");
    }
    for hiding in HIDING.chars() {
        assert!(!said.contains(hiding), "{hiding:?} reached the terminal");
    }
    Ok(())
}
