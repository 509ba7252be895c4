//! A slow link: the final picture is right, and nobody waits for outdated frames.

use std::time::Duration;

use alongside_agent::Outcome;
use alongside_rig::Proposer;
use alongside_rig::screen::Terminal;
use anyhow::Result;

use crate::stage::{Stage, proposed, read_and_press, settled};

/// A slow link: 19,200 baud.
const SLOW: u32 = 1920;

/// The repeat interval of a held key.
const REPEAT: Duration = Duration::from_millis(33);

/// A file with many changes, so that every key moves the whole page.
fn long() -> (String, String) {
    let original: String =
        (1..=2000).map(|number| format!("line {number} of a long text, as it was before\n")).collect();
    let proposed = original.lines().enumerate().map(|(index, line)| match index % 20 {
        7 => line.replace("as it was before", "as it shall be") + "\n",
        _ => line.to_owned() + "\n",
    });
    let proposed = proposed.collect();
    (original, proposed)
}

/// The picture after so many repeats of a held key, and the number of bytes drawn for it.
fn pressed_through(terminal: &Terminal, times: usize) -> Result<(String, u64)> {
    let stage = Stage::new();
    let (original, proposed) = long();
    let file = stage.sandbox.write("long.txt", original);
    let desk = stage.idle_desk(terminal)?;
    // Events before the first picture are no news for the desk.
    settled(&desk)?;
    let agent = Proposer::gemini(&stage.sandbox)?;
    desk.wait_for_text("Gemini CLI is connected.")?;
    let _proposal = agent.propose(&file, &proposed)?;
    desk.wait_for_text("line 8 of")?;
    settled(&desk)?;
    let before = desk.received()?;
    for _ in 0..times {
        desk.press("j")?;
        std::thread::sleep(REPEAT);
    }
    desk.wait_for_text("line 1808 of")?;
    settled(&desk)?;
    Ok((desk.text()?, desk.received()? - before))
}

#[test]
fn slow_link_skips_frames_and_ends_with_the_same_screen() -> Result<()> {
    let (fast, _) = pressed_through(&Terminal::new(80, 24), 90)?;
    let (slow, drawn) = pressed_through(&Terminal::new(80, 24).slow(SLOW), 90)?;
    assert_eq!(slow, fast);
    // All frames are 50,000 bytes; some ten thousand of them lie in the pty and cannot be skipped.
    assert!(drawn < 40_000, "{drawn} bytes: it drew what nobody could see any more");
    Ok(())
}

#[test]
fn keys_do_what_they_should_over_a_slow_link() -> Result<()> {
    let (_stage, desk, _agent, proposal) = Stage::with_proposal(&Terminal::new(80, 24).slow(SLOW))?;
    read_and_press(&desk, "line five", "j")?;
    settled(&desk)?;
    read_and_press(&desk, "line thirty", " ")?;
    read_and_press(&desk, "1 dropped", "j")?;
    read_and_press(&desk, "fifty-five", "a")?;
    let content = proposed().replace("line thirty\n", "line 30\n");
    assert_eq!(proposal.outcome()?, Outcome::Accepted { content });
    Ok(())
}
