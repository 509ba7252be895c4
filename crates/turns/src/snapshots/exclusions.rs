//! The files of which a store holds only the names, because they mostly hold secrets. The built-in list and
//! the person's settings name them. A project's settings do not count, because an agent could write them.

use std::path::Path;

use alongside_companion::DEFAULT_EXCLUDES;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::store::hash::hash;

/// The globs of excluded files.
#[derive(Debug, Clone)]
pub(crate) struct Exclusions {
    globs: Gitignore,
    form: String,
}

impl Exclusions {
    /// Compiles the built-in globs and `further`. An invalid glob excludes nothing here; the companion
    /// refuses to start with it.
    pub(crate) fn new(further: &[String]) -> Self {
        let globs = || DEFAULT_EXCLUDES.iter().copied().chain(further.iter().map(String::as_str));
        let mut builder = GitignoreBuilder::new("");
        let _ = builder.case_insensitive(true);
        for glob in globs() {
            let _ = builder.add_line(None, glob);
        }
        let form = hash(globs().collect::<Vec<_>>().join("\n").as_bytes());
        Self { globs: builder.build().unwrap_or_else(|_| Gitignore::empty()), form }
    }

    /// Whether a path below the top, or a directory above it, is excluded.
    pub(crate) fn exclude(&self, path: &Path) -> bool {
        !path.has_root() && self.globs.matched_path_or_any_parents(path, false).is_ignore()
    }

    /// Returns a hash of the globs. It shows whether an index was made with the same globs.
    pub(crate) fn form(&self) -> &str {
        &self.form
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_excluded_wherever_they_are() {
        let exclusions = Exclusions::new(&["/private/".into(), "*.secret".into()]);
        for path in [".env", "a/.ENV.local", "deep/er/id_rsa", ".ssh/config", "private/x", "a.secret"] {
            assert!(exclusions.exclude(Path::new(path)), "{path}");
        }
        for path in ["a", ".env.example", "environment", "a/private/x"] {
            assert!(!exclusions.exclude(Path::new(path)), "{path}");
        }
        assert_ne!(exclusions.form(), Exclusions::new(&[]).form());
    }
}
