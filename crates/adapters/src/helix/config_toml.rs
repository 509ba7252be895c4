//! `config.toml`: two settings make newer releases send cursor and selection to a language server. A release
//! that does not know them refuses the whole file, so alongside first starts Helix with a file of only these
//! settings.

use std::io::Write as _;

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

use super::toml_lists;
use crate::plan::EditorProgram;
use crate::user_environment::{UserEnvironment, output_of};

/// The gutter that makes Helix send the selection.
const GUTTER: &str = "code-action-hint";

/// The setting of `editor.lsp` that makes Helix send the cursor.
const HIGHLIGHT: &str = "auto-document-highlight";

/// Helix's default gutters.
const DEFAULT_GUTTERS: [&str; 5] = ["diagnostics", "spacer", "line-numbers", "spacer", "diff"];

/// Returns the text with both settings. A setting that the person has switched off stays off.
pub(super) fn merged(document: &DocumentMut) -> String {
    let mut edited = document.clone();
    let Some(editor) = edited.entry("editor").or_insert_with(table).as_table_like_mut() else {
        return document.to_string();
    };
    let has_gutters = editor.get("gutters").is_some();
    match gutters(editor) {
        Some(gutters) if gutters.iter().any(|gutter| gutter.as_str() == Some(GUTTER)) => {}
        Some(gutters) => toml_lists::push_first(gutters, GUTTER.into()),
        None if has_gutters => {}
        None => {
            let all = Array::from_iter([GUTTER].into_iter().chain(DEFAULT_GUTTERS));
            editor.insert("gutters", Item::Value(Value::Array(all)));
        }
    }
    let lsp = editor.entry("lsp").or_insert_with(dotted_table);
    if let Some(lsp) = lsp.as_table_like_mut().filter(|lsp| lsp.get(HIGHLIGHT).is_none()) {
        lsp.insert(HIGHLIGHT, Item::Value(true.into()));
    }
    edited.to_string()
}

/// Removes each setting from `now`, unless `before` has it. `before` is the file before the installation.
pub(super) fn remove(before: &DocumentMut, now: &mut DocumentMut) {
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
        toml_lists::remove(gutters, |gutter| gutter.as_str() == Some(GUTTER));
        let are_default = gutters.iter().filter_map(Value::as_str).eq(DEFAULT_GUTTERS);
        if are_default && had_gutters.is_none() {
            editor.remove("gutters");
        }
    }
    if editor.is_empty() && before.is_none() {
        now.remove("editor");
    } else if let (false, Some(editor)) = (had_header, now.get_mut("editor").and_then(Item::as_table_mut)) {
        editor.set_implicit(true);
    }
}

/// Returns the list of gutters: `gutters` itself, or `layout` in it.
fn gutters(editor: &mut dyn TableLike) -> Option<&mut Array> {
    let gutters = editor.get_mut("gutters")?;
    if gutters.is_array() { gutters.as_array_mut() } else { gutters.get_mut("layout")?.as_array_mut() }
}

/// Whether this Helix accepts both settings; `None` if Helix cannot be started. Helix runs without a
/// terminal, because it reports bad settings before it needs one.
pub(super) async fn are_accepted(user: &UserEnvironment, helix: &EditorProgram) -> Option<bool> {
    // In our session, Helix would open the person's terminal.
    let setsid = user.find(&["setsid"])?;
    let mut file = tempfile::Builder::new().suffix(".toml").tempfile().ok()?;
    file.write_all(merged(&DocumentMut::new()).as_bytes()).ok()?;
    let (helix, config) = (helix.path.to_str()?, file.path().to_str()?);
    let output = output_of(&setsid, &[helix, "--log", "/dev/null", "--config", config]).await?;
    Some(!output.contains("Bad config"))
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
    fn settings_are_added_and_removed_in_every_form() {
        let cases = [
            (
                "",
                "[editor]\ngutters = [\"code-action-hint\", \"diagnostics\", \"spacer\", \"line-numbers\", \
                 \"spacer\", \"diff\"]\nlsp.auto-document-highlight = true\n",
            ),
            (
                "theme = \"x\" # mine\n\n[editor]\n# short\ngutters = [ \"diff\" ]\n\n[editor.lsp]\nenable = \
                 true\n\n[keys.normal]\na = \"b\"\n",
                "theme = \"x\" # mine\n\n[editor]\n# short\ngutters = [ \"code-action-hint\", \"diff\" \
                 ]\n\n[editor.lsp]\nenable = true\nauto-document-highlight = true\n\n[keys.normal]\na = \
                 \"b\"\n",
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
            assert_eq!(super::merged(&parsed(&merged)), merged, "a second merge changes nothing");
            let mut now = parsed(&merged);
            remove(&parsed(before), &mut now);
            assert_eq!(now.to_string().replace([' ', '\n'], ""), before.replace([' ', '\n'], ""));
        }
    }

    #[test]
    fn settings_switched_off_stay_off() {
        let off = "[editor]\nlsp.auto-document-highlight = false\ngutters = [\"code-action-hint\"]\n";
        assert_eq!(merged(&parsed(off)), off);
    }
}
