//! The input of the language server about the document of a proposal, while other desks and the agent
//! continue. These documents are files, so this target is slower than [`lsp`]. It is fastest with `TMPDIR` in
//! memory.

use super::lsp;

/// The URI that stands for the directory of proposals in an input.
const OWN: &str = "file:///own";

/// Checks one conversation. The input has the form of [`lsp::check`].
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let own = std::env::temp_dir().join(format!("alongside-fuzz-{}", std::process::id()));
    lsp::check_with_files(text.replace(OWN, &format!("file://{}", own.display())).as_bytes(), Some(&own));
    // No file of a proposal remains.
    let left = std::fs::remove_dir(&own);
    assert!(!own.exists(), "{}: {left:?}", own.display());
}
