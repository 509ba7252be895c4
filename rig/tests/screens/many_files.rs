//! A turn with 2,000 changed files, as after a formatter: on the screen, and in the list of files.

use std::fs;

use alongside_rig::program::turn_hook;
use alongside_rig::screen::Terminal;
use alongside_rig::{Sandbox, Screen, alongside_bin};
use anyhow::{Result, ensure};

use crate::stage::{Stage, read_and_press};

/// The number of changed files.
const FILES: usize = 2000;

#[test]
#[ignore = "cargo xtask test --all"]
fn two_thousand_files_of_a_turn_are_on_the_screen() -> Result<()> {
    let stage = Stage::new();
    let sandbox = &stage.sandbox;
    let path = |number: usize| format!("src/{:02}/file-{number:04}.rs", number / 100);
    let write = |indent: &str| {
        for number in 0..FILES {
            sandbox.write(path(number), format!("fn f{number}() {{\n{indent}a();\n}}\n"));
        }
    };
    write("    ");
    sandbox.commit()?;
    take_snapshot(sandbox, "UserPromptSubmit")?;
    write("\t");
    take_snapshot(sandbox, "Stop")?;

    let desk = Screen::start(sandbox, &Terminal::new(100, 30), [alongside_bin()?, "--since".into()])?;
    desk.wait_for_text("file 1 of 2000  +2000 -2000")?;
    read_and_press(&desk, "a();", "L")?;
    read_and_press(&desk, "2000 files changed since the first prompt to Codex", "\x1b[F")?;
    // The person goes to the last file of the list, and opens it.
    read_and_press(&desk, "▸ M src/19/file-1999.rs", "\r")?;
    read_and_press(&desk, "file 2000 of 2000", "X")?;
    read_and_press(&desk, "1 file marked", "f")?;
    read_and_press(&desk, "To be undone:", "y")?;
    read_and_press(&desk, "Undone:", "\x1b")?;
    let text = |number: usize| fs::read_to_string(sandbox.project().join(path(number)));
    ensure!(text(1999)?.contains("\n    a();"), "{}", text(1999)?);
    for number in 0..FILES - 1 {
        ensure!(text(number)?.contains("\n\ta();"), "{} is undone", path(number));
    }
    Ok(())
}

/// Runs the hook of an agent for this event, which takes a snapshot.
fn take_snapshot(sandbox: &Sandbox, event: &str) -> Result<()> {
    let output = turn_hook(sandbox, "codex", "s", event)?.wait_with_output()?;
    ensure!(output.status.success(), "{event}: {output:?}");
    Ok(())
}
