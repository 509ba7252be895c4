//! The file in which the tests of one program record that they skipped themselves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::Context as _;

/// The file, removed at the end. One for each program: names are unique only within it.
#[derive(Debug)]
pub(super) struct Skips(PathBuf);

impl Skips {
    pub(super) fn new() -> anyhow::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("alongside-skips-{}-{number}", std::process::id()));
        std::fs::write(&path, "").with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the reasons recorded so far, by test.
    pub(super) fn read(&self) -> BTreeMap<String, String> {
        by_test(&std::fs::read_to_string(&self.0).unwrap_or_default())
    }
}

impl Drop for Skips {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Joins the reasons of a test that recorded several.
fn by_test(text: &str) -> BTreeMap<String, String> {
    let mut skips = BTreeMap::<String, String>::new();
    for (test, reason) in alongside_testing::parse_skips(text) {
        let reasons = skips.entry(test.to_owned()).or_default();
        if !reasons.is_empty() {
            reasons.push_str("; ");
        }
        reasons.push_str(reason);
    }
    skips
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_of_one_test_are_joined() {
        let skips = by_test("a\tno zsh\nb\tno fish\na\tno dash\n");
        assert_eq!(skips["a"], "no zsh; no dash");
        assert_eq!(skips.len(), 2);
    }
}
