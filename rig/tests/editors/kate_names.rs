//! Kate with the table of hostile names: Kate announces and shows every row, the person decides in its menus,
//! and no program obeys a row.

use alongside_rig::hostile::{self as table, Row};
use alongside_rig::{Generation, KateScreen, install_kate, or_skip};
use anyhow::Result;

use crate::hostile;
use crate::kate::{PROPOSAL, choose, start_screen_and_install};
use crate::stage::Stage;

/// A setting by which the *Output* view opens for every message, so that Kate draws the message.
const SHOW_MESSAGES: &str = "Show output view for message type=3\n";

#[test]
#[ignore = "cargo xtask test --all"]
fn kate_obeys_no_row_of_the_table() -> Result<()> {
    let Some(mut stage) = Stage::new_or_skip(Generation::Newest)? else { return Ok(()) };
    let Some(kate) = or_skip(install_kate()) else { return Ok(()) };
    table::set_traps(&stage.sandbox)?;
    let (screen, _shell, _) = start_screen_and_install(&mut stage, &kate, SHOW_MESSAGES)?;
    let pane = stage.terminal.window("kate", (100, 30))?;
    pane.enter("clear; kate notes.md")?;
    screen.allow_server("notes.md")?;
    stage.wait_until_served(1)?;

    let mut number = 0;
    hostile::decide_each(&stage.sandbox, table::rows(&stage.sandbox), |row| {
        number += 1;
        show(&screen, number)?;
        decide(&screen, row)?;
        screen.wait_for_no_other_window()
    })?;
    screen.press(&["ctrl+q"])?;
    screen.wait_for_windows(0)?;
    table::assert_nothing_obeyed(&stage.sandbox)
}

/// Opens the proposal of this number, from the file that happens to be in front.
fn show(screen: &KateScreen, number: u32) -> Result<()> {
    choose(screen, 1, 1)?;
    let name = format!("-{number}  ");
    screen.wait_for_title("the proposal", |title| title.contains(PROPOSAL) && title.contains(&name)).map(drop)
}

/// Accepts or rejects the proposal in front. A proposal of an existing file has more actions.
fn decide(screen: &KateScreen, row: &Row) -> Result<()> {
    let entries = if row.original.is_some() { 5 } else { 3 };
    choose(screen, entries, if hostile::is_accepted(row) { 2 } else { 3 })?;
    screen.wait_for_title("the file", |title| !title.contains(PROPOSAL)).map(drop)
}
