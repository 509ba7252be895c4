//! The person's editor in the desk's terminal: afterwards, the shell's text is as before.

use alongside_agent::Outcome;
use alongside_rig::screen::Terminal;
use anyhow::Result;

use crate::stage::{Stage, read_and_press, text_after_silence};

/// The script of an editor that prints line by line on the present screen.
const PRINTING_EDITOR: &str = "echo 'typed in the editor'; read -r line";

/// The script of an editor that uses the alternate screen, as vi does.
const FULL_SCREEN_EDITOR: &str =
    r"printf '\033[?1049h\033[2J\033[H'; echo 'typed in the editor'; read -r line; printf '\033[?1049l'";

/// Opens the proposal in this editor, if any, and rejects it at the desk. Returns the shell's screen after
/// the desk.
fn shell_after(editor: Option<&str>) -> Result<String> {
    let stage = Stage::new();
    let script = stage.sandbox.write("editor.sh", editor.unwrap_or_default());
    let terminal = Terminal::new(80, 24).with("VISUAL", format!("sh {}", script.display()));
    let shell = stage.shell(&terminal)?;
    // The cursor is in the last row, where any output scrolls all other rows.
    shell.press_and_see("seq 40; alongside\r", "No agent is connected yet.")?;
    let (_agent, proposal) = stage.propose()?;
    shell.wait_for_text("line five")?;
    if editor.is_some() {
        read_and_press(&shell, "line five", "e")?;
        shell.wait_for_text("typed in the editor")?;
        if editor == Some(PRINTING_EDITOR) {
            shell.wait_for_text("notes.txt is open in your editor. Close it to come back.")?;
            assert!(!shell.text()?.contains("40"), "the shell's text is covered:\n{}", shell.text()?);
        }
        shell.press("\r")?;
    }
    read_and_press(&shell, "line five", "r")?;
    assert_eq!(proposal.outcome()?, Outcome::Rejected);
    read_and_press(&shell, "Nothing to review.", "q")?;
    shell.wait_for("the shell's prompt", |screen| screen.trim_end().ends_with("rig$"))?;
    text_after_silence(&shell)
}

#[test]
fn an_editor_leaves_nothing_in_the_shell() -> Result<()> {
    let without = shell_after(None)?;
    assert!(without.contains("\n40\nrig$"), "the shell's text is there:\n{without}");
    for editor in [PRINTING_EDITOR, FULL_SCREEN_EDITOR] {
        assert_eq!(shell_after(Some(editor))?, without, "{editor}");
    }
    Ok(())
}
