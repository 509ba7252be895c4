//! The lists, wrapped lines, and a search that counts its matches, on a real screen.

use alongside_rig::Proposer;
use alongside_rig::screen::{Screen, Terminal, key};
use anyhow::Result;

use crate::stage::{Stage, text_after_silence};

/// Returns a text with lines that are wider than half of any usual window.
fn long_text(last: &str) -> String {
    let words = "a needle in a line that no column is wide enough for ".repeat(3);
    format!("first\n{words}{last}\nlast needle 👩\u{200d}👩\u{200d}👧 after the family\n")
}

/// Returns the texts in reverse video, as the search marks them, and whether each of them is bold.
fn matches_on_screen(desk: &Screen) -> Result<Vec<(String, bool)>> {
    let picture = desk.picture()?;
    let (rows, columns) = picture.size();
    let mut marked: Vec<(String, bool)> = Vec::new();
    let mut before = false;
    for row in 0..rows.get() {
        for column in 0..columns.get() {
            let cell = picture.cell(row, column).filter(|cell| cell.inverse());
            match (cell, marked.last_mut()) {
                (Some(cell), Some((text, _))) if before => text.push_str(cell.contents()),
                (Some(cell), _) => marked.push((cell.contents().to_owned(), cell.bold())),
                (None, _) => {}
            }
            before = cell.is_some();
        }
    }
    Ok(marked)
}

#[test]
fn lists_wrapped_lines_and_search_on_a_real_screen() -> Result<()> {
    let stage = Stage::new();
    let file = stage.sandbox.write("long.txt", long_text("before"));
    // Without colours, so that only attributes and signs mark a match.
    let desk = stage.idle_desk(&Terminal::new(120, 30).with("NO_COLOR", "1"))?;
    let agent = Proposer::gemini(&stage.sandbox)?;
    let _first = agent.propose(&file, &long_text("after"))?;
    let other = stage.sandbox.write("other.txt", "one\n");
    let _second = agent.propose(&other, "two\n")?;
    // The lists are lines at the top here, and name both reviews, too.
    desk.wait_for_text("▸long.txt")?;
    desk.wait_for_text("other.txt +1 -1")?;
    assert!(!text_after_silence(&desk)?.contains("Reviews (2)"), "{}", desk.text()?);
    desk.press_and_see("b", "Reviews (2)")?;
    desk.press_and_see("b", "review 1 of 2")?;
    // A changed line is wrapped without a key.
    let wrapped = text_after_silence(&desk)?;
    assert!(!wrapped.contains("other.txt +1 -1"), "{wrapped}");
    assert!(!wrapped.contains('…'), "{wrapped}");
    let rows: Vec<_> = wrapped.lines().filter(|line| line.matches('↳').count() == 2).collect();
    assert!(rows.len() >= 2, "both sides go on in the same rows:\n{wrapped}");
    let separators: Vec<_> = rows.iter().map(|row| row.chars().position(|c| c == '│')).collect();
    assert!(separators.windows(2).all(|pair| pair[0] == pair[1]), "{wrapped}");
    assert!(wrapped.contains("before") && wrapped.contains("after"), "{wrapped}");

    desk.press_and_see("/needle\r", "/needle 1/7")?;
    desk.press_and_see("nn", "/needle 3/7")?;
    text_after_silence(&desk)?;
    let matches = matches_on_screen(&desk)?;
    assert_eq!(matches.len(), 8, "an unchanged line is marked on both sides: {matches:?}\n{}", desk.text()?);
    let current = matches.iter().filter(|(text, bold)| text == "needle" && *bold);
    assert_eq!(current.count(), 1, "{matches:?}");
    assert!(desk.text()?.contains('▸'), "{}", desk.text()?);
    desk.press(key::ESCAPE)?;
    desk.wait_for("the search to end", |screen| !screen.contains("/needle"))?;
    assert_eq!(matches_on_screen(&desk)?, []);
    // The emoji of a family counts as two columns, even on a terminal that draws three people.
    text_after_silence(&desk)?;
    let (family, behind) = (desk.position_of("last needle")?, desk.position_of("after the family")?);
    assert_eq!(behind, (family.0, family.1 + 15), "{}", desk.text()?);
    Ok(())
}
