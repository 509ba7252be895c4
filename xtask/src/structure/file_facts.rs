//! The facts about every Rust file that the rules of structure compare, gathered once for all tests: a parsed
//! file cannot leave its thread, and each test has one.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use super::agent_comparisons::comparisons;
use super::control_flow::disguised;
use super::imports::Imports;
use super::method_names::changing_questions;
use crate::rust_sources::{is_test, parse, place, read_text, rust_files, shown, without_tests};

/// The most lines of a Rust file.
pub(super) const MAX_LINES: usize = 500;

/// The longest line of Rust, in characters, as in rustfmt.toml.
pub(super) const MAX_WIDTH: usize = 110;

pub(super) struct Facts {
    /// The path of the file from the top of the repository.
    path: String,
    /// The number of lines, if it is too large.
    pub(super) too_many_lines: Vec<String>,
    pub(super) long_lines: Vec<String>,
    pub(super) changing_questions: Vec<String>,
    pub(super) disguised: Vec<String>,
    /// Comparisons with the identifier of an agent, outside tests.
    pub(super) comparisons: Vec<String>,
    /// None for a test, and for a program of one file.
    imports: Option<Imports>,
}

static ALL: LazyLock<Vec<Facts>> =
    LazyLock::new(|| rust_files().iter().map(|path| Facts::read(path)).collect());

impl Facts {
    fn read(path: &Path) -> Self {
        let (text, shown) = (read_text(path), shown(path));
        let lines = Some(text.lines().count()).filter(|lines| *lines > MAX_LINES);
        let too_many_lines = lines.map(|lines| format!("{lines} lines")).into_iter().collect();
        let long = text.lines().enumerate().filter(|(_, line)| line.chars().count() > MAX_WIDTH);
        let long_lines = long.map(|(number, _)| format!("line {}", number + 1)).collect();
        let file = parse(path, &text);
        let (changing_questions, disguised) = (changing_questions(&file), disguised(&file));
        let file = without_tests(file);
        let comparisons = if is_test(&shown) { Vec::new() } else { comparisons(&file) };
        let imports = place(&shown).map(|(_, module)| Imports::of(module, &file));
        Self { path: shown, too_many_lines, long_lines, changing_questions, disguised, comparisons, imports }
    }
}

/// One kind of fact about all files, each as `file: fact`.
pub(super) fn found(facts: impl Fn(&Facts) -> &Vec<String>) -> Vec<String> {
    let found = ALL.iter().flat_map(|file| facts(file).iter().map(|fact| format!("{}: {fact}", file.path)));
    found.collect()
}

/// Returns the imports of the files of each package and program.
pub(super) fn imports() -> BTreeMap<&'static str, Vec<&'static Imports>> {
    let mut packages: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for file in &*ALL {
        if let (Some((package, _)), Some(imports)) = (place(&file.path), &file.imports) {
            packages.entry(package).or_default().push(imports);
        }
    }
    assert!(packages.len() > 15, "only {:?} were read", packages.keys());
    packages
}
