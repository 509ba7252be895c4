//! Removes the adapter of any editor or agent from a file.

use std::borrow::Cow;

use alongside_desk::harmless;

use super::agents;
use super::editor::Editor;
use super::installation::InstalledFile;
use super::plan::Remainder;

/// Returns the name, for people, of the editor or agent that the ledger lists under `id`.
pub fn display_name(id: &str) -> Cow<'_, str> {
    let editor = Editor::named(id).map(|editor| editor.name);
    let name = editor.or_else(|| agents::row_of(id).map(|row| row.display_name));
    harmless::name(name.unwrap_or(id))
}

/// Returns the rest of a file of the adapter `id`. The file holds `now`.
///
/// # Errors
/// When the adapter's part of `now` cannot be found.
pub fn remove_adapter(id: &str, file: &InstalledFile, now: &str) -> anyhow::Result<Remainder> {
    if now == file.after {
        let restored = |before| Remainder::Text(agents::without_older_hook(id, before));
        return Ok(file.before.clone().map_or(Remainder::Nothing, restored));
    }
    match Editor::named(id) {
        Some(editor) => (editor.remove)(file, now),
        None => agents::remove_adapter(id, file, now),
    }
}
