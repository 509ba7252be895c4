//! What an editor sends of the document that a proposal is shown as, while other desks and the agent go on.
//! Such documents are files, so that this is slower than [`lsp`]; it is fastest with `TMPDIR` in memory.

use super::lsp;

/// What an input calls the place where proposals are written.
const OWN: &str = "file:///own";

/// The input is one of [`lsp::holds`].
pub fn holds(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let own = std::env::temp_dir().join(format!("alongside-fuzz-{}", std::process::id()));
    lsp::is_conversed(text.replace(OWN, &format!("file://{}", own.display())).as_bytes(), Some(&own));
    // An editor that was shown a proposal leaves nothing of it behind.
    let left = std::fs::remove_dir(&own);
    assert!(!own.exists(), "{}: {left:?}", own.display());
}
