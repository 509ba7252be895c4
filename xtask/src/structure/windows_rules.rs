//! Rules of other systems that neither Linux nor Wine enforces, checked in the text of the code.

use crate::rust_sources::{rust_files, shown};

/// Returns the statements of our crates, without their tests, that are so.
fn found(is_wrong: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for path in rust_files() {
        let name = shown(&path);
        // The rig runs on Linux, and a test that appends locks nothing.
        let is_test = name.contains("/tests/") || name.ends_with("/tests.rs");
        if !name.starts_with("crates/") || name.starts_with("crates/testing/") || is_test {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a file that can be read");
        let statements = text.split(';').filter(|statement| is_wrong(statement));
        found.extend(statements.map(|statement| format!("{name}: {}", statement.trim())));
    }
    found
}

/// Windows locks no file that is open for appending alone, and Wine does.
#[test]
fn a_file_that_is_appended_to_can_be_locked() {
    let found = found(|statement| statement.contains(".append(true)") && !statement.contains(".read(true)"));
    assert!(found.is_empty(), "Windows could not lock it without `.read(true)`:\n{}", found.join("\n"));
}

/// The prefix `\\?\` of Windows' real paths stands in no URI, and few programs take it.
#[test]
fn real_paths_have_the_spelling_of_people() {
    let found = found(|statement| statement.contains("canonicalize(") && !statement.contains("dunce::"));
    assert!(found.is_empty(), "`Canonical::canonical` spells it as people do:\n{}", found.join("\n"));
}
