//! Holds the sizes of the plugins in docs/desk-protocol.md to the tree: a figure is off by a tenth at most.

use std::collections::BTreeMap;

use alongside_rig::sandbox::files_below;
use alongside_testing::chores::checkout;

use super::sources::read_text;

/// Each plugin by its name on the page, with the places of its code; its tests are elsewhere.
const PLUGINS: [(&str, &[&str], &str); 5] = [
    ("Emacs", &["editors/emacs/alongside.el"], "el"),
    ("Kakoune", &["editors/kakoune/alongside.kak"], "kak"),
    ("Neovim", &["editors/neovim/lua", "editors/neovim/plugin"], "lua"),
    ("VS Code", &["editors/vscode/src"], "ts"),
    ("Vim", &["editors/vim/autoload", "editors/vim/plugin"], "vim"),
];

/// The lines of a plugin, comments and blank ones among them.
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
    let page = read_text(&checkout().join("docs/desk-protocol.md"));
    let (_, table) = page.split_once("\n## The size of a plugin\n").unwrap();
    let (table, _) = table.split_once("\n## ").unwrap();
    let rows = table.lines().filter_map(|row| {
        let mut cells = row.strip_prefix('|')?.split('|').map(str::trim);
        let name = cells.next()?;
        Some((name, cells.next()?.replace(',', "").parse::<usize>().ok()?))
    });
    let told: BTreeMap<&str, usize> = rows.collect();
    let counted: BTreeMap<&str, usize> =
        PLUGINS.iter().map(|(name, places, extension)| (*name, lines(places, extension))).collect();
    assert_eq!(told.keys().collect::<Vec<_>>(), counted.keys().collect::<Vec<_>>());
    let is_off = |(name, lines): &(&&str, &usize)| told[**name].abs_diff(**lines) * 10 > **lines;
    let wrong: Vec<_> = counted.iter().filter(is_off).collect();
    assert!(wrong.is_empty(), "lines of plugins beside {told:?}: {wrong:?}");
}
