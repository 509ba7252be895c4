//! Checks that every test named in `docs/contract-rules.md` and in the pages with promises exists.

use std::fs;

use alongside_testing::chores::checkout;

use super::markdown_page::MarkdownPage;
use crate::rust_sources::files_below;

const CONTRACT: &str = "docs/contract-rules.md";

/// Returns the code of these directories.
fn code(directories: &[&str]) -> String {
    let files = directories.iter().flat_map(|directory| files_below(&checkout().join(directory)));
    files.map(|file| fs::read_to_string(file).unwrap()).collect()
}

/// Whether the code has a test of this name: a function, an imported one, or a row of a macro.
fn has_test(code: &str, test: &str) -> bool {
    let forms = [format!("fn {test}("), format!(" as {test},"), format!(" {test}: "), format!(" {test}:\n")];
    forms.iter().any(|form| code.contains(form))
}

/// Returns the names in backticks in a text.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn every_test_named_in_the_contract_exists() {
    let page = MarkdownPage::read(CONTRACT);
    let code = code(&["crates", "rig"]);
    // The tests stand in the last column.
    let named: Vec<&str> = page.all_rows().filter_map(|row| row.last().copied()).flat_map(quoted).collect();
    assert!(named.len() > 80, "found only {} tests in the tables", named.len());
    let missing: Vec<_> = named.iter().filter(|test| !has_test(&code, test)).collect();
    assert!(missing.is_empty(), "{CONTRACT} names tests that do not exist: {missing:#?}");
}

#[test]
fn every_test_that_a_page_promises_exists() {
    let code = code(&["crates", "rig", "xtask"]);
    for page in ["ARCHITECTURE.md", "SECURITY.md", "docs/reliability.md"] {
        let text = fs::read_to_string(checkout().join(page)).unwrap();
        let is_test = |word: &&str| {
            word.matches('_').count() > 2
                && word.chars().all(|c| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit())
        };
        let named: Vec<&str> = quoted(&text).filter(is_test).collect();
        assert!(named.len() > 10, "found too few tests in {page}: {named:?}");
        let missing: Vec<_> = named.iter().filter(|test| !has_test(&code, test)).collect();
        assert!(missing.is_empty(), "{page} names tests that do not exist: {missing:#?}");
    }
}

#[test]
fn every_contract_rule_names_a_test() {
    let page = MarkdownPage::read(CONTRACT);
    let rules = page.all_rows().filter(|row| row[0] != "rule");
    let without: Vec<_> = rules.filter(|row| !row.last().is_some_and(|tests| tests.contains('`'))).collect();
    assert!(without.is_empty(), "{without:#?}");
}
