//! The report at the end of the demo: compares the files with the decisions, and prints the project as a
//! diff.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::Path;

use alongside_adapters::agents;
use alongside_adapters::user_environment::UserEnvironment;
use alongside_common::unified::hunks;
use alongside_desk::harmless;
use anyhow::Context;

use super::project::{self, NEW_FILE};
use crate::line_mode::{Ink, Inks};

/// Returns each file of the project with its text at the start, and the new file with an empty text.
fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    project::FILES.iter().copied().chain([(NEW_FILE, "")])
}

/// Returns the files whose text differs from the decision. `decided`: the accepted text by path, `None` after
/// a rejection.
pub(super) fn wrong_files(
    root: &Path,
    decided: &HashMap<String, Option<String>>,
) -> anyhow::Result<Vec<&'static str>> {
    let mut wrong = Vec::new();
    for (file, before) in files() {
        let path = root.join(file);
        let accepted = decided.get(path.to_string_lossy().as_ref()).cloned().flatten();
        // An empty text at the start means that the file did not exist.
        let expected = accepted.or_else(|| Some(before.to_owned()).filter(|text| !text.is_empty()));
        if read(&path)? != expected {
            wrong.push(file);
        }
    }
    Ok(wrong)
}

/// Returns the report: the changes as a diff, whether they are as decided, and the next steps.
pub(super) fn text(root: &Path, wrong: &[&str]) -> anyhow::Result<String> {
    let inks = Inks::for_stdout();
    let mut text = format!("\n{}\n", inks.ink(Ink::Heading, "The project now, compared with the start:"));
    let mut has_changes = false;
    for (file, before) in files() {
        let after = read(&root.join(file))?.unwrap_or_default();
        if after != before {
            has_changes = true;
            text += &unified_diff(file, before, &after, &inks);
        }
    }
    if !has_changes {
        text += "Nothing has changed.\n";
    }
    text += &match wrong {
        [] => "Every file is as you decided.\n".to_owned(),
        wrong => format!("NOT as you decided: {}. This is a defect; please report it.\n", wrong.join(", ")),
    };
    let user = UserEnvironment::of_this_process().ok();
    let agent = user.and_then(|user| agents::first_command(&user)).unwrap_or("AGENT");
    text += &format!(
        "\nNow set your agents up: alongside install agent\n\
         Then, in a project of yours: alongside run -- {agent}\n"
    );
    Ok(text)
}

fn unified_diff(file: &str, before: &str, after: &str, inks: &Inks) -> String {
    let mut diff = format!("--- {file}\n+++ {file}\n");
    for hunk in hunks(before, after, 1) {
        diff += &format!("{}\n", hunk.header);
        diff.extend(hunk.lines.iter().map(|line| format!("{}{}", line.tag(), line.value())));
    }
    let colour = |line: &str| {
        let line = harmless::line(line);
        let line = match line.as_bytes().first() {
            Some(b'+') => inks.ink(Ink::Added, &line),
            Some(b'-') => inks.ink(Ink::Removed, &line),
            _ => line.into_owned(),
        };
        line + "\n"
    };
    diff.lines().map(colour).collect()
}

fn read(path: &Path) -> anyhow::Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}
