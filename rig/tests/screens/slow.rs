//! A slow link: the final picture is right, and the person does not wait for outdated frames.

use std::time::Duration;

use alongside_agent::Outcome;
use alongside_rig::Proposer;
use alongside_rig::screen::Terminal;
use anyhow::Result;

use crate::stage::{Stage, proposed_text, read_and_press, text_after_silence};

/// The rate of a slow link, in bytes per second: 19,200 baud.
const SLOW_RATE: u32 = 1920;

/// The interval in which a held key repeats.
const KEY_REPEAT_INTERVAL: Duration = Duration::from_millis(33);

/// Returns a text, and a proposal with so many changes that every key moves the whole page.
fn texts() -> (String, String) {
    let original: String =
        (1..=2000).map(|number| format!("line {number} of a long text, as it was before\n")).collect();
    let proposed = original.lines().enumerate().map(|(index, line)| match index % 20 {
        7 => line.replace("as it was before", "as it shall be") + "\n",
        _ => line.to_owned() + "\n",
    });
    let proposed = proposed.collect();
    (original, proposed)
}

/// Holds the key for the next change until it has repeated `times` times. Returns the final screen, and the
/// number of bytes that the desk has sent for it.
fn hold_key(terminal: &Terminal, times: usize) -> Result<(String, u64)> {
    let stage = Stage::new();
    let (original, proposed) = texts();
    let file = stage.sandbox.write("long.txt", original);
    let desk = stage.idle_desk(terminal)?;
    // The desk shows no message about events before its first picture.
    text_after_silence(&desk)?;
    let agent = Proposer::gemini(&stage.sandbox)?;
    desk.wait_for_text("Gemini CLI is connected.")?;
    let _proposal = agent.propose(&file, &proposed)?;
    desk.wait_for_text("line 8 of")?;
    text_after_silence(&desk)?;
    let before = desk.received()?;
    for _ in 0..times {
        desk.press("j")?;
        std::thread::sleep(KEY_REPEAT_INTERVAL);
    }
    desk.wait_for_text("line 1808 of")?;
    text_after_silence(&desk)?;
    Ok((desk.text()?, desk.received()? - before))
}

#[test]
fn slow_link_skips_frames_and_ends_with_the_same_screen() -> Result<()> {
    let (fast, _) = hold_key(&Terminal::new(80, 24), 90)?;
    let (slow, bytes) = hold_key(&Terminal::new(80, 24).slow(SLOW_RATE), 90)?;
    assert_eq!(slow, fast);
    // All frames together have 50,000 bytes. Some 10,000 bytes are in the pty's buffer, and cannot be
    // skipped.
    assert!(bytes < 40_000, "{bytes} bytes: it drew what nobody could see any more");
    Ok(())
}

#[test]
fn keys_do_what_they_should_over_a_slow_link() -> Result<()> {
    let (_stage, desk, _agent, proposal) = Stage::with_proposal(&Terminal::new(80, 24).slow(SLOW_RATE))?;
    read_and_press(&desk, "line five", "j")?;
    text_after_silence(&desk)?;
    read_and_press(&desk, "line thirty", " ")?;
    read_and_press(&desk, "1 dropped", "j")?;
    read_and_press(&desk, "fifty-five", "a")?;
    let content = proposed_text().replace("line thirty\n", "line 30\n");
    assert_eq!(proposal.outcome()?, Outcome::Accepted { content });
    Ok(())
}
