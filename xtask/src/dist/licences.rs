//! The licences of the crates in the program: most require that their text is in every copy.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use alongside_testing::chores::{cargo, checkout};
use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::linked_crates::{self, Crates};
use super::tools;

/// The name of the file with the licences of other crates, in every package.
pub(super) const FILE: &str = "THIRD-PARTY-LICENSES.txt";

/// The files with the program's own licences, in every package.
pub(super) const OWN: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// The beginnings of the names of files with terms of a licence, in capitals.
const TERMS: [&str; 5] = ["COPYING", "COPYRIGHT", "LICEN", "NOTICE", "UNLICEN"];

const ABOUT: &str = "\
The program alongside is made of the crates below, besides its own. The texts of their licences follow, each
with the crates that carry it.

The standard library of Rust is part of it, too: MIT OR Apache-2.0, by the Rust Project contributors.
";

/// Returns the licences of all crates of others among these, and their texts. A crate without a text has that
/// of another crate of its repository: `winapi` packs its texts, and its import libraries do not.
///
/// # Errors
/// When a repository has no text of a licence: a person has to find it.
pub(super) fn of_crates(crates: &Crates) -> anyhow::Result<String> {
    let mut list = String::from(ABOUT) + "\n";
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let others = || crates.packages.iter().filter(|package| !package["source"].is_null());
    for package in others() {
        let said = |field: &str| package[field].as_str().unwrap_or_default();
        let name = linked_crates::name_of(package);
        list += &format!("{name}: {}\n", said("license"));
        let mut terms = terms_of(package)?;
        for sibling in others()
            .filter(|other| package["repository"].is_string() && other["repository"] == package["repository"])
        {
            if terms.is_empty() {
                terms = terms_of(sibling)?;
            }
        }
        ensure!(!terms.is_empty(), "the crate {name} has no text of its licence, {}", said("license"));
        for text in terms {
            texts.entry(text).or_default().push(name.clone());
        }
    }
    for (text, crates) in texts {
        list += &format!("\n{}\n{}\n\n{text}\n", "=".repeat(80), crates.join(", "));
    }
    Ok(list)
}

/// Returns the licences of the syntaxes of the desk, which one crate holds and no file of it tells.
///
/// # Errors
/// When the program that prints them cannot be built.
pub(super) fn of_syntaxes() -> anyhow::Result<String> {
    let mut print = cargo();
    print.args("run --quiet --locked --package alongside-terminal --example syntax_licences".split(' '));
    let said = tools::output(print.current_dir(checkout()))?;
    Ok(format!("\n{}\nThe syntaxes of the highlighter\n\n{said}", "=".repeat(80)))
}

/// Returns the texts of a package's licence.
fn terms_of(package: &Value) -> anyhow::Result<Vec<String>> {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    let directory = manifest.parent().unwrap_or(Path::new("."));
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        if path.is_file() && TERMS.iter().any(|terms| name.starts_with(terms)) {
            found.push(String::from_utf8_lossy(&fs::read(&path)?).trim().replace("\r\n", "\n"));
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_for_windows_has_the_text_of_each_licence() {
        // A build here needs no crates for Windows, so they may have to be fetched first.
        let crates = match Crates::of("x86_64-pc-windows-gnu") {
            Ok(crates) => crates,
            Err(why) => return println!("SKIPPED: the crates for Windows: {why:#}"),
        };
        let text = of_crates(&crates).unwrap();
        assert!(text.contains(", winapi-x86_64-pc-windows-gnu 0."), "it has the texts of winapi\n{text}");
    }

    #[test]
    fn every_crate_is_listed_with_the_text_of_its_licence() {
        let text = of_crates(&Crates::of(&super::super::targets::host().unwrap()).unwrap()).unwrap();
        assert!(text.lines().any(|line| line.starts_with("tokio 1.") && line.ends_with(": MIT")), "{text}");
        assert!(text.contains("Copyright (c) Tokio Contributors"), "{text}");
        assert!(!text.contains("alongside-companion"), "our own are no third parties");
        assert!(!text.contains("\ninsta "), "crates for tests are in no program");
    }
}
