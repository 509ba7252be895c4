//! `config.toml`: the two settings with which newer releases tell a language server where the cursor is and
//! what is selected. A release that does not know them would refuse the whole file, so Helix itself is asked.

use std::io::Write as _;

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

use super::lists;
use crate::adapters::Found;
use crate::adapters::machine::{Machine, said_by};

const GUTTER: &str = "code-action-hint";
const HIGHLIGHT: &str = "auto-document-highlight";

/// The gutters that Helix has by itself.
const GUTTERS: [&str; 5] = ["diagnostics", "spacer", "line-numbers", "spacer", "diff"];

/// The text with both settings. What the person has switched off stays off.
pub(super) fn merged(document: &DocumentMut) -> String {
    let mut edited = document.clone();
    let Some(editor) = edited.entry("editor").or_insert_with(table).as_table_like_mut() else {
        return document.to_string();
    };
    let are_said = editor.get("gutters").is_some();
    match gutters(editor) {
        Some(gutters) if gutters.iter().any(|gutter| gutter.as_str() == Some(GUTTER)) => {}
        Some(gutters) => lists::push_first(gutters, GUTTER.into()),
        None if are_said => {}
        None => {
            let all = Array::from_iter([GUTTER].into_iter().chain(GUTTERS));
            editor.insert("gutters", Item::Value(Value::Array(all)));
        }
    }
    let lsp = editor.entry("lsp").or_insert_with(dotted_table);
    if let Some(lsp) = lsp.as_table_like_mut().filter(|lsp| lsp.get(HIGHLIGHT).is_none()) {
        lsp.insert(HIGHLIGHT, Item::Value(true.into()));
    }
    edited.to_string()
}

/// Takes both settings out again, where they were not before.
pub(super) fn take_out(before: &DocumentMut, now: &mut DocumentMut) {
    let had_header = before.get("editor").and_then(Item::as_table).is_none_or(|editor| !editor.is_implicit());
    let before = before.get("editor").and_then(Item::as_table_like);
    let Some(editor) = now.get_mut("editor").and_then(Item::as_table_like_mut) else { return };
    let had_lsp = before.and_then(|editor| editor.get("lsp"));
    if had_lsp.and_then(|lsp| lsp.get(HIGHLIGHT)).is_none()
        && let Some(lsp) = editor.get_mut("lsp").and_then(Item::as_table_like_mut)
    {
        lsp.remove(HIGHLIGHT);
        if lsp.is_empty() && had_lsp.is_none() {
            editor.remove("lsp");
        }
    }
    let had_gutters = before.and_then(|editor| editor.get("gutters"));
    let had_hint = had_gutters.is_some_and(|gutters| gutters.to_string().contains(GUTTER));
    if let Some(gutters) = gutters(editor).filter(|_| !had_hint) {
        lists::remove(gutters, |gutter| gutter.as_str() == Some(GUTTER));
        let are_helix_own = gutters.iter().filter_map(Value::as_str).eq(GUTTERS);
        if are_helix_own && had_gutters.is_none() {
            editor.remove("gutters");
        }
    }
    if editor.is_empty() && before.is_none() {
        now.remove("editor");
    } else if let (false, Some(editor)) = (had_header, now.get_mut("editor").and_then(Item::as_table_mut)) {
        editor.set_implicit(true);
    }
}

/// The list of gutters, in either of its two places.
fn gutters(editor: &mut dyn TableLike) -> Option<&mut Array> {
    let gutters = editor.get_mut("gutters")?;
    if gutters.is_array() { gutters.as_array_mut() } else { gutters.get_mut("layout")?.as_array_mut() }
}

/// Whether this Helix takes both settings; `None` if that cannot be found out. It is started with them,
/// without a terminal: it complains about settings before it looks for one.
pub(super) async fn are_known(machine: &Machine, helix: &Found) -> Option<bool> {
    // Without a session of its own it would find the person's terminal.
    let setsid = machine.find(&["setsid"])?;
    let mut file = tempfile::Builder::new().suffix(".toml").tempfile().ok()?;
    file.write_all(merged(&DocumentMut::new()).as_bytes()).ok()?;
    let (helix, config) = (helix.program.to_str()?, file.path().to_str()?);
    let said = said_by(&setsid, &[helix, "--log", "/dev/null", "--config", config]).await?;
    Some(!said.contains("Bad config"))
}

fn table() -> Item {
    Item::Table(Table::new())
}

fn dotted_table() -> Item {
    let mut table = Table::new();
    table.set_dotted(true);
    Item::Table(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> DocumentMut {
        text.parse().unwrap()
    }

    #[test]
    fn both_settings_come_into_files_of_every_form_and_go_again() {
        let cases = [
            (
                "",
                "[editor]\ngutters = [\"code-action-hint\", \"diagnostics\", \"spacer\", \"line-numbers\", \"spacer\", \"diff\"]\nlsp.auto-document-highlight = true\n",
            ),
            (
                "theme = \"x\" # mine\n\n[editor]\n# short\ngutters = [ \"diff\" ]\n\n[editor.lsp]\nenable = true\n\n[keys.normal]\na = \"b\"\n",
                "theme = \"x\" # mine\n\n[editor]\n# short\ngutters = [ \"code-action-hint\", \"diff\" ]\n\n[editor.lsp]\nenable = true\nauto-document-highlight = true\n\n[keys.normal]\na = \"b\"\n",
            ),
            (
                "[editor.gutters]\nlayout = [\"diff\"]\n",
                "[editor.gutters]\nlayout = [\"code-action-hint\", \"diff\"]\n",
            ),
        ];
        for (before, after) in cases {
            let merged = merged(&parsed(before));
            if before.contains("layout") {
                assert!(
                    merged.contains(after.trim_end()) && merged.contains("auto-document-highlight = true"),
                    "{merged}"
                );
            } else {
                assert_eq!(merged, after);
            }
            assert_eq!(super::merged(&parsed(&merged)), merged, "a second time there is nothing to do");
            let mut now = parsed(&merged);
            take_out(&parsed(before), &mut now);
            assert_eq!(now.to_string().replace([' ', '\n'], ""), before.replace([' ', '\n'], ""));
        }
    }

    #[test]
    fn what_is_switched_off_stays_off() {
        let off = "[editor]\nlsp.auto-document-highlight = false\ngutters = [\"code-action-hint\"]\n";
        assert_eq!(merged(&parsed(off)), off);
    }
}
