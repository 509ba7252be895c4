//! Holds the structure that CONTRIBUTING.md asks for: no circle of imports, no state of the main loop outside
//! its file, no question that changes something, no line that is too long, no comparison with the identifier
//! of an agent, no desk that differs from its row in the table of messages.

#![cfg(test)]

mod agents;
mod desk_messages;
mod desks;
mod imports;
mod sources;
mod vscode;

use std::path::Path;

use imports::{Graph, circles};
use sources::{Source, crate_sources, rust_files};

use alongside_testing::chores::checkout;
pub(crate) use sources::files_below;

/// Crates in which no two files import each other, directly or by way of others.
const WITHOUT_CIRCLES: [&str; 12] = [
    "adapters",
    "agent",
    "common",
    "companion",
    "conformance",
    "contract",
    "desk",
    "hook",
    "host",
    "lsp",
    "presentation",
    "terminal",
];

/// The longest line of Rust, in characters, as in rustfmt.toml.
const MAX_WIDTH: usize = 110;

/// Methods that are asked like questions and fill a cache: `file: method`.
const CACHES: [&str; 0] = [];

#[test]
fn no_files_of_a_library_import_each_other() {
    let mut found = Vec::new();
    for name in WITHOUT_CIRCLES {
        let graph = Graph::of_files(&crate_sources(name));
        assert!(!graph.is_empty(), "crates/{name} has no imports: it was not read");
        found.extend(circles(&graph).iter().map(|circle| format!("crates/{name}: {circle}")));
    }
    assert!(found.is_empty(), "files import each other:\n{}", found.join("\n"));
}

#[test]
fn no_parts_of_the_program_or_the_companion_import_each_other() {
    for name in ["alongside", "companion"] {
        let found = circles(&Graph::of_top_level(&crate_sources(name)));
        let found: Vec<_> = found.iter().map(ToString::to_string).collect();
        assert!(found.is_empty(), "modules of crates/{name} import each other:\n{}", found.join("\n"));
    }
}

/// Holds that a module is the only one of a crate with methods of a type.
fn assert_implemented_in(name: &str, type_name: &str, module: &[&str]) {
    let elsewhere: Vec<_> = crate_sources(name)
        .into_iter()
        .filter(|source| source.implements(type_name) != (source.module == module))
        .map(|source| source.path)
        .collect();
    assert!(elsewhere.is_empty(), "{type_name} is implemented in: {elsewhere:?}");
}

#[test]
fn only_its_own_file_implements_the_main_loop() {
    assert_implemented_in("companion", "MainLoop", &["main_loop"]);
}

#[test]
fn only_its_own_file_implements_the_lsp_desk() {
    assert_implemented_in("lsp", "LspDesk", &["without_plugin", "lsp_desk"]);
}

#[test]
fn no_question_changes_the_value_it_asks() {
    let mut found = Vec::new();
    for path in rust_files() {
        let mut methods = Source::read(&path).mutating_methods();
        methods.retain(|method| method.starts_with("is_") || method.starts_with("has_"));
        found.extend(methods.into_iter().map(|method| format!("{}: {method}", shown(&path))));
    }
    found.retain(|method| !CACHES.contains(&method.as_str()));
    assert!(found.is_empty(), "methods that take &mut self are named like questions:\n{}", found.join("\n"));
}

#[test]
fn no_line_of_rust_is_too_long() {
    let mut found = Vec::new();
    for path in rust_files() {
        let text = std::fs::read_to_string(&path).expect("a source that can be read");
        let long = text.lines().enumerate().filter(|(_, line)| line.chars().count() > MAX_WIDTH);
        found.extend(long.map(|(number, _)| format!("{}:{}", shown(&path), number + 1)));
    }
    assert!(found.is_empty(), "lines over {MAX_WIDTH} columns:\n{}", found.join("\n"));
}

fn shown(path: &Path) -> String {
    path.strip_prefix(checkout()).unwrap_or(path).display().to_string()
}
