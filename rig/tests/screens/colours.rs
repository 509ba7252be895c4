//! Colours: the desk queries the terminal's colours, and no meaning depends on colours alone.

use std::collections::BTreeSet;
use std::time::Duration;

use alongside_rig::screen::{Answers, Screen, Terminal};
use anyhow::{Result, bail};

use crate::stage::{Stage, text_after_silence};

/// The time for which the desk waits for the terminal's answer.
const QUERY_TIMEOUT: Duration = Duration::from_millis(500);

/// Returns the pairs of text and background colour that occur on the screen.
fn colours(screen: &Screen) -> Result<BTreeSet<String>> {
    let picture = screen.picture()?;
    let (rows, columns) = picture.size();
    let cells = (0..rows.get()).flat_map(|row| (0..columns.get()).map(move |column| (row, column)));
    let cells = cells.filter_map(|(row, column)| picture.cell(row, column));
    Ok(cells.map(|cell| format!("{:?} on {:?}", cell.fgcolor(), cell.bgcolor())).collect())
}

/// The text of a screen, and its colours.
type Drawing = (String, BTreeSet<String>);

/// Draws a review at a desk whose queries the terminal has answered in time. Tries again on a busy machine,
/// where the answer may be late.
fn draw(terminal: &Terminal) -> Result<Drawing> {
    let mut delay = Duration::ZERO;
    for _ in 0..5 {
        let drawing;
        (drawing, delay) = draw_once(terminal)?;
        if delay < QUERY_TIMEOUT {
            return Ok(drawing);
        }
    }
    bail!("the terminal never answers in time, but within {delay:?}")
}

/// Draws a review. Also returns the longest time for which the desk may have waited for an answer.
fn draw_once(terminal: &Terminal) -> Result<(Drawing, Duration)> {
    let stage = Stage::new();
    let desk = stage.idle_desk(terminal)?;
    // The desk shows no message about events before its first picture.
    text_after_silence(&desk)?;
    let (_agent, _proposal) = stage.propose()?;
    desk.wait_for_text("New review: ")?;
    desk.wait_for_text("line five")?;
    let text = text_after_silence(&desk)?;
    Ok(((text, colours(&desk)?), desk.longest_answer_delay()?))
}

fn terminal() -> Terminal {
    Terminal::new(120, 30).with("COLORTERM", "truecolor")
}

#[test]
fn light_and_dark_are_asked_of_the_terminal() -> Result<()> {
    let (text, dark) = draw(&terminal().answering(Answers::Dark))?;
    let (same, light) = draw(&terminal().answering(Answers::Light))?;
    assert_eq!(text, same);
    assert_ne!(dark, light);
    assert!(dark.len() > 4 && light.len() > 4, "{dark:?} {light:?}");
    Ok(())
}

#[test]
fn a_terminal_that_answers_nothing_is_no_obstacle() -> Result<()> {
    let (_, plain) = draw(&terminal().answering(Answers::TypeOnly))?;
    let (_, silent) = draw(&terminal().answering(Answers::Nothing))?;
    assert_eq!(plain, silent);
    Ok(())
}

#[test]
fn without_colours_the_text_says_the_same() -> Result<()> {
    let (coloured, _) = draw(&terminal())?;
    let (text, colours) = draw(&terminal().with("NO_COLOR", "1"))?;
    assert_eq!(text, coloured);
    assert_eq!(colours.into_iter().collect::<Vec<_>>(), ["Default on Default"]);
    Ok(())
}

#[test]
fn sixteen_colours_are_enough() -> Result<()> {
    let (_, colours) = draw(&Terminal::new(120, 30).with("TERM", "xterm"))?;
    assert!(colours.len() > 3, "{colours:?}");
    let others: Vec<_> = colours
        .iter()
        .filter(|colour| {
            let indices =
                colour.split("Idx(").skip(1).filter_map(|rest| rest.split(')').next()?.parse::<u8>().ok());
            colour.contains("Rgb") || indices.into_iter().any(|index| index > 15)
        })
        .collect();
    assert!(others.is_empty(), "{others:?}");
    Ok(())
}
