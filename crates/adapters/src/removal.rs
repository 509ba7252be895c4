//! Removes an adapter from a file, whichever editor or agent it belongs to.

use std::borrow::Cow;

use alongside_desk::harmless;

use super::editor::Editor;
use super::installed::InstalledFile;
use super::plan::Remainder;
use super::{agents, helix, kakoune, kate};

/// The name, for people, of an adapter that the ledger lists under `id`.
pub fn display_name(id: &str) -> Cow<'_, str> {
    let editor = Editor::named(id).map(Editor::name);
    let name = editor.or_else(|| agents::display_name_of(id));
    harmless::name(name.unwrap_or(id))
}

/// The rest of a file of the adapter `id`. The file holds `now`.
///
/// # Errors
/// When the adapter's part of `now` cannot be told from the rest.
pub fn remove_adapter(id: &str, file: &InstalledFile, now: &str) -> anyhow::Result<Remainder> {
    if now == file.after {
        let restored = |before| Remainder::Text(agents::without_older_hook(id, before));
        return Ok(file.before.clone().map_or(Remainder::Nothing, restored));
    }
    match Editor::named(id) {
        Some(Editor::Neovim | Editor::Emacs | Editor::Vim | Editor::Vscode(_)) => {
            Ok(Remainder::Unchanged("it was changed after the installation".into()))
        }
        Some(Editor::Kakoune) => Ok(kakoune::remove_adapter(file, now)),
        Some(Editor::Kate) => kate::remove_adapter(file, now),
        Some(Editor::Helix) => helix::remove_adapter(file, now),
        None => agents::remove_adapter(id, file, now),
    }
}
