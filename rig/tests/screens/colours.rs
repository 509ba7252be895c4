//! Colours: the desk asks the terminal for them, and text never relies on them alone.

use std::collections::BTreeSet;
use std::time::Duration;

use alongside_rig::screen::{Answers, Screen, Terminal};
use anyhow::{Result, bail};

use crate::stage::{Stage, settled};

/// How long the desk waits for the terminal's colours.
const ASKS_FOR: Duration = Duration::from_millis(500);

/// Text and background colours that occur on the screen.
fn colours(screen: &Screen) -> Result<BTreeSet<String>> {
    let picture = screen.picture()?;
    let (rows, columns) = picture.size();
    let cells = (0..rows.get()).flat_map(|row| (0..columns.get()).map(move |column| (row, column)));
    let cells = cells.filter_map(|(row, column)| picture.cell(row, column));
    Ok(cells.map(|cell| format!("{:?} on {:?}", cell.fgcolor(), cell.bgcolor())).collect())
}

/// The text of a review, and its colours.
type Drawn = (String, BTreeSet<String>);

/// The screen of a desk whose queries the terminal answered in time, which a busy machine may prevent.
fn drawn(terminal: &Terminal) -> Result<Drawn> {
    let mut within = Duration::ZERO;
    for _ in 0..5 {
        let drawn;
        (drawn, within) = drawn_once(terminal)?;
        if within < ASKS_FOR {
            return Ok(drawn);
        }
    }
    bail!("the terminal never answers in time, but within {within:?}")
}

/// Also returns how long the desk may have waited for an answer.
fn drawn_once(terminal: &Terminal) -> Result<(Drawn, Duration)> {
    let stage = Stage::new();
    let desk = stage.idle_desk(terminal)?;
    // Events before the first picture are no news for the desk.
    settled(&desk)?;
    let (_agent, _proposal) = stage.propose()?;
    desk.wait_for_text("New review: ")?;
    desk.wait_for_text("line five")?;
    let text = settled(&desk)?;
    Ok(((text, colours(&desk)?), desk.longest_answer_delay()?))
}

fn terminal() -> Terminal {
    Terminal::new(120, 30).with("COLORTERM", "truecolor")
}

#[test]
fn light_and_dark_are_asked_of_the_terminal() -> Result<()> {
    let (text, dark) = drawn(&terminal().answering(Answers::Dark))?;
    let (same, light) = drawn(&terminal().answering(Answers::Light))?;
    assert_eq!(text, same);
    assert_ne!(dark, light);
    assert!(dark.len() > 4 && light.len() > 4, "{dark:?} {light:?}");
    Ok(())
}

#[test]
fn a_terminal_that_answers_nothing_is_no_obstacle() -> Result<()> {
    let (_, plain) = drawn(&terminal().answering(Answers::TypeOnly))?;
    let (_, silent) = drawn(&terminal().answering(Answers::Nothing))?;
    assert_eq!(plain, silent);
    Ok(())
}

#[test]
fn without_colours_the_text_says_the_same() -> Result<()> {
    let (coloured, _) = drawn(&terminal())?;
    let (text, colours) = drawn(&terminal().with("NO_COLOR", "1"))?;
    assert_eq!(text, coloured);
    assert_eq!(colours.into_iter().collect::<Vec<_>>(), ["Default on Default"]);
    Ok(())
}

#[test]
fn sixteen_colours_are_enough() -> Result<()> {
    let (_, colours) = drawn(&Terminal::new(120, 30).with("TERM", "xterm"))?;
    assert!(colours.len() > 3, "{colours:?}");
    let beyond: Vec<_> = colours
        .iter()
        .filter(|colour| {
            let indices =
                colour.split("Idx(").skip(1).filter_map(|rest| rest.split(')').next()?.parse::<u8>().ok());
            colour.contains("Rgb") || indices.into_iter().any(|index| index > 15)
        })
        .collect();
    assert!(beyond.is_empty(), "{beyond:?}");
    Ok(())
}
