//! Checks the sizes of the plugins in docs/desk-protocol.md against the tree, and that of the program in
//! docs/performance.md against the release build: a figure differs by a tenth at most.

use std::collections::BTreeMap;

use alongside_rig::sandbox::files_below;
use alongside_testing::chores::{checkout, target_directory};
use alongside_testing::skip;

use super::markdown_page::MarkdownPage;
use crate::rust_sources::read_text;

/// Each plugin by its name on the page, with the places of its code; its tests are elsewhere.
const PLUGINS: [(&str, &[&str], &str); 5] = [
    ("Emacs", &["editors/emacs/alongside.el"], "el"),
    ("Kakoune", &["editors/kakoune/alongside.kak"], "kak"),
    ("Neovim", &["editors/neovim/lua", "editors/neovim/plugin"], "lua"),
    ("VS Code", &["editors/vscode/src"], "ts"),
    ("Vim", &["editors/vim/autoload", "editors/vim/plugin"], "vim"),
];

/// Whether a figure of a page differs from the counted value by more than a tenth.
fn is_off(figure: usize, counted: usize) -> bool {
    figure.abs_diff(counted) * 10 > counted
}

/// Returns the lines of a plugin, comments and blank ones among them.
fn lines(places: &[&str], extension: &str) -> usize {
    let files = places.iter().flat_map(|place| {
        let path = checkout().join(place);
        if path.is_file() { vec![path] } else { files_below(&path) }
    });
    let code = files.filter(|path| path.extension().is_some_and(|found| found == extension));
    code.map(|path| read_text(&path).lines().count()).sum()
}

#[test]
fn the_page_has_the_size_of_each_plugin() {
    let page = MarkdownPage::read("docs/desk-protocol.md");
    let rows = page.rows("## The size of a plugin");
    let rows =
        rows.filter_map(|cells| Some((cells[0], cells.get(1)?.replace(',', "").parse::<usize>().ok()?)));
    let figures: BTreeMap<&str, usize> = rows.collect();
    let counted: BTreeMap<&str, usize> =
        PLUGINS.iter().map(|(name, places, extension)| (*name, lines(places, extension))).collect();
    assert_eq!(figures.keys().collect::<Vec<_>>(), counted.keys().collect::<Vec<_>>());
    let wrong: Vec<_> = counted.iter().filter(|(name, lines)| is_off(figures[**name], **lines)).collect();
    assert!(wrong.is_empty(), "lines of plugins beside {figures:?}: {wrong:?}");
}

#[test]
fn the_page_has_the_size_of_the_program() {
    let program = target_directory().join("release/alongside");
    let Ok(built) = program.metadata() else {
        return skip(format!("cargo build --release has not made {}", program.display()));
    };
    let page = MarkdownPage::read("docs/performance.md");
    let section: String = page.section("## Size").collect();
    let figure = section.split("**").nth(1).and_then(|bytes| bytes.strip_suffix(" bytes")).unwrap();
    let figure = figure.replace(',', "").parse().unwrap();
    let bytes = usize::try_from(built.len()).unwrap();
    assert!(!is_off(figure, bytes), "{figure} bytes on the page, {bytes} in {}", program.display());
}
