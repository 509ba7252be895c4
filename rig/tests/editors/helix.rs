//! Helix, which has no plugins and needs two lines of configuration, and what each release lacks.

use alongside_agent::Outcome;
use alongside_rig::agent_cli::Cli;
use alongside_rig::hostile::{self as table, Row};
use alongside_rig::tmux::Pane;
use alongside_rig::{Generation, Proposer, adapters};
use anyhow::Result;

use crate::hostile;
use crate::script::{CLOSING_LINE, ORIGINAL};
use crate::stage::{Stage, decided_text};

/// Lines two to four, which Helix selects with their line ends.
const SELECTED: &str = "two\nthree\nfour\n";

alongside_rig::tests! {
    the_newest_helix_and_gemini: from_selection_to_file(Generation::Newest, Cli::Gemini, "xxx"),
    #[ignore = "cargo xtask test --all"]
    the_newest_helix_and_qwen: from_selection_to_file(Generation::Newest, Cli::Qwen, "xxx"),
    #[ignore = "cargo xtask test --all"]
    the_newest_helix_and_claude: from_selection_to_file(Generation::Newest, Cli::Claude, "xxx"),
    /// 25.01 reports the selection only when it requests code actions.
    #[ignore = "cargo xtask test --all"]
    helix_25_01_and_gemini: from_selection_to_file(Generation::Oldest, Cli::Gemini, "xxx a"),
}

fn from_selection_to_file(generation: Generation, cli: Cli, keys_that_select: &str) -> Result<()> {
    let Some((stage, helix)) = Stage::with_helix(generation)? else { return Ok(()) };
    let Some(agent) = stage.start_agent(cli)? else { return Ok(()) };
    helix.enter(":goto 2")?;
    helix.type_text(keys_that_select)?;
    stage.wait_until_selected(SELECTED.len())?;
    stage.ask_with_selection(&agent, cli, 5)?;

    // The proposal does not disturb the typing person.
    helix.type_text("ge")?;
    helix.type_and_see("o", "insert mode", " INS ")?;
    helix.type_text("a line of ")?;
    agent.wait_until_it_asks()?;
    // A key removes the announcement from the screen, but not the mark at the changed lines.
    helix.wait_for("the announcement or the mark", |screen| is_announced(screen) || screen.contains("●"))?;
    helix.type_and_see("my own", "what was typed", "a line of my own")?;
    to_normal_mode(&helix)?;
    helix.type_text("u")?;
    helix.wait_for("the typed text to be undone", |screen| !screen.contains("a line of my own"))?;

    decide_in_helix(&helix)?;
    agent.wait_until_it_says(CLOSING_LINE)?;
    assert_eq!(stage.on_disk(), decided_text());

    // Helix shows the file again, and reads it again only on demand.
    helix.wait_for("the file", |screen| screen.contains("notes.md") && !screen.contains("reviews/"))?;
    helix.enter(":reload")?;
    helix
        .wait_for("the file as it is now", |screen| screen.contains("8  EIGHT") && screen.contains("14  14"))
        .map(drop)
}

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    helix_25_01_shows_removed_text: show_removed_text(Generation::Oldest),
    the_newest_helix_shows_removed_text: show_removed_text(Generation::Newest),
}

/// A proposal holds only the new text. The hover shows the removed text, and the original is a file.
fn show_removed_text(generation: Generation) -> Result<()> {
    let Some((stage, helix)) = Stage::with_helix(generation)? else { return Ok(()) };
    let agent = Proposer::gemini(&stage.sandbox)?;
    let proposal = agent.propose(&stage.file, &ORIGINAL.replace("two\nthree\nfour\n", ""))?;
    wait_until_announced(&helix)?;
    helix.wait_for("the keys", |screen| screen.lines().any(|line| line.ends_with("notes.md: space a")))?;
    open_proposal(&helix)?;
    helix.wait_for("the proposal", |screen| screen.contains("2  five"))?;
    for line in [1, 2] {
        helix.enter(&format!(":goto {line}"))?;
        helix.type_text(" k")?;
        helix.wait_for("every removed line", |screen| {
            ["Change 1 of 1: kept.", "-two", "-three", "-four"].iter().all(|part| screen.contains(part))
        })?;
        helix.press_and_miss("Escape", "the hover to go", "-three")?;
    }
    helix.enter(":lsp-workspace-command alongside.original")?;
    helix.wait_for("the original", |screen| screen.contains("3  three") && screen.contains("original/"))?;
    helix.enter(":lsp-workspace-command alongside.accept")?;
    let content = ORIGINAL.replace("two\nthree\nfour\n", "");
    assert_eq!(proposal.outcome()?, Outcome::Accepted { content });
    Ok(())
}

alongside_rig::tests! {
    helix_obeys_no_name_and_no_text_of_an_agent: assert_obeys_nothing(hostile::every_fourth),
    #[ignore = "cargo xtask test --all"]
    helix_obeys_no_row_of_the_table: assert_obeys_nothing(std::convert::identity),
}

/// Shows each row in Helix, with its menu, its diff and its original, and decides.
fn assert_obeys_nothing(rows: fn(Vec<Row>) -> Vec<Row>) -> Result<()> {
    let Some(stage) = Stage::new_or_skip(Generation::Newest)? else { return Ok(()) };
    let sandbox = &stage.sandbox;
    adapters::helix(sandbox, Generation::Newest);
    table::set_traps(sandbox)?;
    let helix = stage.open(&stage.editors.helix(Generation::Newest))?;
    hostile::decide_each(sandbox, rows(table::rows(sandbox)), |row| {
        wait_until_announced(&helix)?;
        helix.enter(":lsp-workspace-command alongside.review")?;
        let is_shown = |screen: &str| screen.contains(&row.unique_line);
        helix.wait_for("the proposal", is_shown)?;
        let decision = if hostile::is_accepted(row) { "accept" } else { "reject" };
        let decide = || -> Result<()> {
            helix.enter(&format!(":lsp-workspace-command alongside.{decision}"))?;
            let message = format!(": {decision}ed");
            helix.wait_for("the decision", |screen| screen.contains(&message)).map(drop)
        };
        // Helix determines the language from a name's extension, and asks no server about a file without a
        // language.
        if row.path.extension().is_none_or(|extension| extension != "md") {
            helix.wait_for("the remedy", |screen| screen.contains("has no actions here."))?;
            helix.enter_and_see(":open notes.md", "another file", "fifteen")?;
            return decide();
        }
        helix.type_and_see(" a", "the menu", "alongside: Reject")?;
        helix.press_and_miss("Escape", "the menu to go", "alongside: Reject")?;
        helix.type_and_see(" k", "the diff", "Change ")?;
        helix.press_and_miss("Escape", "the diff to go", "Change ")?;
        if row.original.is_some() {
            helix.enter(":lsp-workspace-command alongside.original")?;
            helix.wait_for("the original", |screen| screen.contains("  before") && !is_shown(screen))?;
        }
        decide()
    })
}

/// Waits until Helix itself announces the proposal, by a message or by the mark at the line: a key that is
/// typed at that moment clears the message. The host has the proposal earlier; until the announcement, Helix
/// answers with its old state.
pub(crate) fn wait_until_announced(helix: &Pane) -> Result<()> {
    helix.wait_for("the proposal to be announced", is_announced).map(drop)
}

fn is_announced(screen: &str) -> bool {
    screen.lines().any(|line| line.contains(" proposes ") && line.contains(": space a"))
}

/// Waits until Helix shows the proposal and has read the server's next messages. Releases after 25.07 close a
/// prompt when another document enters the window, shortly after they draw it.
pub(crate) fn wait_until_shown(helix: &Pane) -> Result<()> {
    helix
        .wait_for("the proposal", |screen| screen.contains("TWO") && screen.contains("before: two"))
        .map(drop)
}

/// Opens the proposal by a code action.
pub(crate) fn open_proposal(helix: &Pane) -> Result<()> {
    helix.type_and_see(" a", "the review among the code actions", "Review: notes.md (")?;
    helix.press("Enter")
}

/// Opens the proposal, drops its first change, edits its last one, and accepts the result.
pub(crate) fn decide_in_helix(helix: &Pane) -> Result<()> {
    open_proposal(helix)?;
    wait_until_shown(helix)?;
    helix.type_and_see(" a", "what can be done with it", "alongside: Drop this change")?;
    helix.press("Enter")?;
    helix.wait_for("a change to be dropped", |screen| {
        screen.contains("dropped") && !screen.contains("  TWO\n")
    })?;
    helix.enter(":goto 14")?;
    helix.type_text("ghvglc14")?;
    to_normal_mode(helix)?;
    helix.enter(":lsp-workspace-command alongside.accept")
}

/// Leaves insert mode and waits until the screen shows that: Escape together with the next key would mean
/// Alt.
pub(crate) fn to_normal_mode(helix: &Pane) -> Result<()> {
    // The screen shows nothing of a key that Helix has not read yet.
    helix.wait_for("insert mode", |screen| screen.contains(" INS "))?;
    helix.press("Escape")?;
    helix.wait_for("normal mode", |screen| screen.contains(" NOR ")).map(drop)
}
