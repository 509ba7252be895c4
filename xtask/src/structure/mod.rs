//! Checks the structure that CONTRIBUTING.md requires: no circular imports, no type in several files, no
//! question that changes a value, no control flow in disguise, no file and no line that is too long, no
//! comparison with the identifier of an agent. `layers.rs` checks the dependencies between crates.

#![cfg(test)]

mod agent_comparisons;
mod control_flow;
mod file_facts;
mod implementations;
mod imports;
mod layers;
mod method_names;
mod vscode_extension;
mod windows_rules;

use file_facts::found;
use implementations::types_in_several_files;
use imports::{Graph, circles};

/// Types that several files implement.
const IN_SEVERAL_FILES: [&str; 1] = [
    // Its last method starts what it configures; a start knows every part, and some parts know the builder.
    "crates/companion: Builder in config, startup",
];

/// Files that may have more than [`file_facts::MAX_LINES`] lines.
const LONG_FILES: [&str; 1] = [
    // The loop calls every component, and a type has its methods in one file.
    "crates/companion/src/main_loop.rs",
];

#[test]
fn no_files_import_each_other() {
    let mut found = Vec::new();
    for (package, files) in file_facts::imports() {
        let graph = Graph::of_files(&files);
        found.extend(circles(&graph).iter().map(|circle| format!("{package}: {circle}")));
    }
    assert!(found.is_empty(), "files import each other:\n{}", found.join("\n"));
}

#[test]
fn no_folders_import_each_other() {
    let mut found = Vec::new();
    for (package, files) in file_facts::imports() {
        let folders = Graph::of_files(&files).of_folders();
        found.extend(folders.iter().flat_map(circles).map(|circle| format!("{package}: {circle}")));
    }
    assert!(found.is_empty(), "folders import each other:\n{}", found.join("\n"));
}

#[test]
fn a_type_is_implemented_in_one_file() {
    let mut found = Vec::new();
    // A round or a bench of the rig is one long script, in several files.
    let ours = file_facts::imports().into_iter().filter(|(package, _)| package.starts_with("crates/"));
    for (package, files) in ours {
        let several =
            types_in_several_files(&files).into_iter().map(|several| format!("{package}: {several}"));
        found.extend(several);
    }
    assert_eq!(found, IN_SEVERAL_FILES, "types that several files implement");
}

#[test]
fn control_flow_is_written_as_such() {
    let found = found(|file| &file.disguised);
    assert!(found.is_empty(), "an `if let`, a `for` or a `match` says this plainly:\n{}", found.join("\n"));
}

#[test]
fn no_question_changes_the_value_it_asks() {
    let found = found(|file| &file.changing_questions);
    assert!(found.is_empty(), "methods that take &mut self are named like questions:\n{}", found.join("\n"));
}

#[test]
fn no_rust_file_has_too_many_lines() {
    let is_allowed = |fact: &String| LONG_FILES.iter().any(|path| fact.starts_with(&format!("{path}: ")));
    let (allowed, found): (Vec<_>, Vec<_>) =
        found(|file| &file.too_many_lines).into_iter().partition(is_allowed);
    assert!(
        found.is_empty(),
        "files over {} lines; split each by its subjects:\n{}",
        file_facts::MAX_LINES,
        found.join("\n")
    );
    assert_eq!(allowed.len(), LONG_FILES.len(), "LONG_FILES names a file that is short by now: {allowed:?}");
}

#[test]
fn no_line_of_rust_is_too_long() {
    let found = found(|file| &file.long_lines);
    assert!(found.is_empty(), "lines over {} columns:\n{}", file_facts::MAX_WIDTH, found.join("\n"));
}

#[test]
fn no_code_compares_the_identifier_of_an_agent() {
    let found = found(|file| &file.comparisons);
    assert!(found.is_empty(), "a field of the row should tell, not an identifier:\n{}", found.join("\n"));
}
