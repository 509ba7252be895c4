//! `cargo xtask book`: builds the pages as a book with search. `docs/SUMMARY.md` is its table of contents.
//!
//! mdBook reads all pages from one folder. So they are copied there with the files that they show or link to,
//! at the same relative paths, and a link works in the repository and in the book.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use alongside_testing::chores::{cargo_program, checkout, run_to_success, target_directory};
use alongside_testing::files_below;
use alongside_testing::pages::pages;
use anyhow::{Context as _, bail};

/// The pinned release of mdBook, of which we build no more than a book needs.
const MDBOOK: &str = "0.5.4";

/// Builds the book, and checks that each of its links leads somewhere.
pub(crate) fn book() -> anyhow::Result<ExitCode> {
    let mdbook = cargo_program("mdbook", MDBOOK, &["--no-default-features", "--features", "search"])?;
    let (stage, book) = (target_directory().join("book-pages"), target_directory().join("book"));
    copy(&stage)?;
    run_to_success(Command::new(mdbook).arg("build").arg(&stage).arg("--dest-dir").arg(&book))?;
    let dead = dead_links(&book)?;
    if !dead.is_empty() {
        bail!("links of the book that lead nowhere:\n{}", dead.join("\n"));
    }
    println!("{}", book.join("index.html").display());
    Ok(ExitCode::SUCCESS)
}

/// Copies the pages, and all that they show or link to.
fn copy(stage: &Path) -> anyhow::Result<()> {
    if stage.exists() {
        fs::remove_dir_all(stage).with_context(|| format!("cannot remove {}", stage.display()))?;
    }
    let pages = pages();
    let links = pages.iter().flat_map(|page| page.links.iter().filter_map(|link| Some(page.target(link)?.0)));
    let mut files: BTreeSet<String> = links.collect();
    for page in &pages {
        files.remove(&page.path);
        let to = place(stage, &page.path.replace(README, INDEX))?;
        fs::write(&to, in_book(&page.text)).with_context(|| format!("cannot write {}", to.display()))?;
    }
    for file in files {
        fs::copy(checkout().join(&file), place(stage, &file)?)
            .with_context(|| format!("cannot copy {file}"))?;
    }
    let summary = fs::read_to_string(checkout().join("docs/SUMMARY.md"))?;
    // SUMMARY.md is at the top of the copies, not in docs/.
    let summary = summary.replace("](", "](docs/").replace("](docs/../", "](");
    fs::write(stage.join("src/SUMMARY.md"), in_book(&summary))?;
    fs::copy(checkout().join("docs/book.toml"), stage.join("book.toml"))?;
    Ok(())
}

/// The name of a folder's page on a forge, and in a book.
const README: &str = "README.md";
const INDEX: &str = "index.md";

/// Returns the text of a page with the names that pages have in the book.
fn in_book(text: &str) -> String {
    text.replace("README.md)", "index.md)").replace("README.md#", "index.md#")
}

/// Returns the place of a copy, in a folder that is there.
fn place(stage: &Path, file: &str) -> anyhow::Result<PathBuf> {
    let place = stage.join("src").join(file);
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    Ok(place)
}

/// Returns the links of the pages of a book that lead to no file of it, or to no place in its page.
fn dead_links(book: &Path) -> anyhow::Result<Vec<String>> {
    let mut dead = Vec::new();
    // The page for printing repeats all others.
    let is_page = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "html") && !path.ends_with("print.html")
    };
    for page in files_below(book).into_iter().filter(is_page) {
        let html = fs::read_to_string(&page)?;
        let links = ["href=\"", "src=\"", "srcset=\""].into_iter().flat_map(|name| html.split(name).skip(1));
        for link in links.filter_map(|link| link.split('"').next()).filter(|link| !link.contains(':')) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let folder = page.parent().unwrap_or(book);
            let target = if file.is_empty() { page.clone() } else { folder.join(file) };
            let leads = match anchor {
                "" => target.exists(),
                _ => fs::read_to_string(&target).is_ok_and(|html| html.contains(&format!("id=\"{anchor}\""))),
            };
            if !leads {
                dead.push(format!("{}: {link}", page.strip_prefix(book).unwrap_or(&page).display()));
            }
        }
    }
    dead.sort();
    dead.dedup();
    Ok(dead)
}
