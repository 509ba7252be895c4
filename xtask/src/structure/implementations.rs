//! Finds types with inherent methods in several files. Neither implementations of traits nor functions
//! without `self`, such as a look-up beside a table, count.

use std::collections::{BTreeMap, BTreeSet};

use super::imports::{Crate, Imports};
use crate::rust_sources::Module;

/// Returns the types of a crate that several files implement: the name of each, and the files.
pub(super) fn types_in_several_files(files: &[&Imports]) -> Vec<String> {
    let krate = Crate::of(files);
    let mut implementing: BTreeMap<(Module, String), BTreeSet<String>> = BTreeMap::new();
    for file in files {
        for path in &file.implemented {
            if let Some(implemented) = krate.resolve(path) {
                implementing.entry(implemented).or_default().insert(file.module.join("/"));
            }
        }
    }
    let several = implementing.into_iter().filter(|(_, files)| files.len() > 1);
    several.map(|((_, name), files)| format!("{name} in {}", Vec::from_iter(files).join(", "))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn re_exports_are_one_type_and_traits_do_not_count() {
        let files = [
            ("", "mod a; mod b;"),
            ("a", "mod c; pub use c::One; pub struct Two; impl Two { fn f(&self) {} }"),
            (
                "a/c",
                "pub struct One; impl<T> One<T> { fn f(&self) {} } impl super::Two { fn g(&mut self) {} }",
            ),
            ("b", "use crate::a::One; impl One { fn g(self) {} } struct Two; impl Two { fn f(&self) {} }"),
            ("b/d", "#[cfg(test)] impl super::Two { fn f(&self) {} }"),
            ("e", "impl Drop for crate::a::One { fn drop(&mut self) {} } impl crate::a::One { fn new() {} }"),
        ];
        let files = files.map(|(module, text)| Imports::of_text(module, text));
        assert_eq!(types_in_several_files(&files.each_ref()), ["Two in a, a/c", "One in a/c, b"]);
    }
}
