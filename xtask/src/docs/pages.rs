//! Holds the pages for people: links lead somewhere, commands exist, the book has every page, and each page
//! opens with its readers. The commands of the program itself are tested in its crate, those of the rig in
//! the rig.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use alongside_testing::chores::checkout;
use alongside_testing::pages::{Command, Page, pages};
use clap::Parser as _;
use clap::error::ErrorKind;

use crate::Cli;

/// The lines that README may have.
const LINES_OF_README: usize = 150;

/// Fails with the list of errors, if there are any.
fn assert_none(what: &str, wrong: &[String]) {
    assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let pages = pages();
    let anchors: BTreeMap<&str, &BTreeSet<String>> =
        pages.iter().map(|page| (page.path.as_str(), &page.anchors)).collect();
    let links = pages.iter().flat_map(|page| page.links.iter().map(move |link| (page, link)));
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (page, link) in links {
        let Some((path, anchor)) = page.target(link) else { continue };
        count += 1;
        let is_there = checkout().join(&path).is_file()
            && anchor.is_none_or(|anchor| anchors.get(path.as_str()).is_some_and(|all| all.contains(anchor)));
        if !is_there {
            wrong.push(format!("{}: {link}", page.path));
        }
    }
    assert!(count > 100, "only {count} links were found");
    assert_none("links that lead nowhere", &wrong);
}

#[test]
fn every_chore_of_a_page_exists() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for page in pages() {
        // A sentence may name the chores in general.
        let named = |command: &Command| command.is_line || !command.words.is_empty();
        for Command { words, .. } in page.commands("cargo xtask").into_iter().filter(named) {
            count += 1;
            let line = ["cargo xtask"].into_iter().chain(words.iter().map(String::as_str));
            if let Err(error) = Cli::try_parse_from(line)
                && !matches!(error.kind(), ErrorKind::DisplayHelp)
            {
                wrong.push(format!("{}: cargo xtask {}: {error}", page.path, words.join(" ")));
            }
        }
    }
    assert!(count > 50, "only {count} chores were found");
    assert_none("chores that do not exist", &wrong);
}

/// Returns the packages of the workspace, by the names of their manifests.
fn packages() -> BTreeSet<String> {
    let crates = fs::read_dir(checkout().join("crates")).unwrap().flatten().map(|entry| entry.path());
    let others = ["editors", "rig", "xtask"].map(|name| checkout().join(name));
    let manifests = crates.chain(others).filter_map(|path| fs::read_to_string(path.join("Cargo.toml")).ok());
    let name = |manifest: String| Some(manifest.split("name = \"").nth(1)?.split('"').next()?.to_owned());
    manifests.filter_map(name).collect()
}

#[test]
fn every_package_that_a_page_names_to_cargo_exists() {
    let packages = packages();
    let mut wrong = Vec::new();
    for page in pages() {
        for Command { words, .. } in page.commands("cargo") {
            let named = words.iter().zip(words.iter().skip(1)).filter(|(option, _)| *option == "-p");
            for (_, name) in named.filter(|(_, name)| *name != "CRATE" && !packages.contains(*name)) {
                wrong.push(format!("{}: cargo {}: no package {name}", page.path, words.join(" ")));
            }
        }
    }
    assert_none("packages that do not exist", &wrong);
}

/// Returns the pages of the table of contents, in its order, from the top of the repository.
fn contents() -> Vec<String> {
    let path = "docs/SUMMARY.md";
    let summary = Page::parse(path.to_owned(), fs::read_to_string(checkout().join(path)).unwrap());
    summary.links.iter().filter_map(|link| Some(summary.target(link)?.0)).collect()
}

#[test]
fn the_book_has_every_page_once() {
    let listed = contents();
    let pages: BTreeSet<String> = pages().into_iter().map(|page| page.path).collect();
    let unique: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(unique.len(), listed.len(), "docs/SUMMARY.md names a page twice");
    assert_eq!(unique, pages, "pages of docs/SUMMARY.md, and those that there are");
}

#[test]
fn every_page_opens_with_whom_it_is_for() {
    let is_without = |page: &&Page| page.path != "README.md" && !page.opening.starts_with("For ");
    let wrong: Vec<String> = pages().iter().filter(is_without).map(|page| page.path.clone()).collect();
    assert_none("pages whose first paragraph does not begin with `For`", &wrong);
}

#[test]
fn readme_is_a_page_and_no_book() {
    let lines = fs::read_to_string(checkout().join("README.md")).unwrap().lines().count();
    assert!(lines <= LINES_OF_README, "README has {lines} lines: move some to a page of docs/");
}
