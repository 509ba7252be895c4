//! What agents are never told about: files the user excludes, and files that git ignores.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Excluded everywhere, whatever the settings: files that mostly hold secrets.
pub const DEFAULT_EXCLUDES: &[&str] = &[
    ".env",
    ".env.*",
    "!.env.example",
    "*.pem",
    "*.key",
    "*.p12",
    "id_rsa*",
    "id_ed25519*",
    ".netrc",
    ".npmrc",
];

/// An exclusion that is no glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read the exclusion `{glob}`: {why}")]
pub struct BadGlob {
    /// The glob.
    pub glob: String,
    /// What is wrong with it.
    pub why: String,
}

/// Decides which files may be told about.
#[derive(Debug)]
pub(crate) struct Privacy {
    excludes: Vec<String>,
    tell_git_ignored: bool,
    /// Exclusions by the root they are relative to; `/` for files outside every root.
    by_root: Vec<(PathBuf, Gitignore)>,
    global: Gitignore,
    /// `.gitignore` files by path, as of their modification time.
    read: HashMap<PathBuf, (Option<SystemTime>, Gitignore)>,
}

impl Privacy {
    /// # Errors
    /// The first exclusion that cannot be read.
    pub(crate) fn new(
        excludes: &[String],
        tell_git_ignored: bool,
        roots: &[PathBuf],
    ) -> Result<Self, BadGlob> {
        let excludes: Vec<String> =
            DEFAULT_EXCLUDES.iter().map(|glob| (*glob).to_owned()).chain(excludes.iter().cloned()).collect();
        let global = if tell_git_ignored { Gitignore::empty() } else { Gitignore::global().0 };
        let mut privacy =
            Self { excludes, tell_git_ignored, by_root: Vec::new(), global, read: HashMap::new() };
        privacy.set_roots(roots)?;
        Ok(privacy)
    }

    pub(crate) fn set_roots(&mut self, roots: &[PathBuf]) -> Result<(), BadGlob> {
        let roots = roots.iter().map(PathBuf::as_path).chain([Path::new("/")]);
        self.by_root = roots
            .map(|root| {
                let mut builder = GitignoreBuilder::new(root);
                for glob in &self.excludes {
                    let bad = |error: ignore::Error| BadGlob { glob: glob.clone(), why: error.to_string() };
                    builder.add_line(None, glob).map_err(bad)?;
                }
                let built = builder
                    .build()
                    .map_err(|error| BadGlob { glob: String::new(), why: error.to_string() })?;
                Ok((root.to_owned(), built))
            })
            .collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Whether agents may know that this file is open. A link is judged by its own name and by what it leads to.
    pub(crate) fn allows(&mut self, path: &Path) -> bool {
        let real = path.canonicalize().ok().filter(|real| real != path);
        self.allows_name(path) && real.is_none_or(|real| self.allows_name(&real))
    }

    fn allows_name(&mut self, path: &Path) -> bool {
        let excluded = self
            .by_root
            .iter()
            .find(|(root, _)| path.starts_with(root))
            .is_some_and(|(_, globs)| globs.matched_path_or_any_parents(path, false).is_ignore());
        !excluded && (self.tell_git_ignored || !self.is_git_ignored(path))
    }

    fn is_git_ignored(&mut self, path: &Path) -> bool {
        let top = path.ancestors().skip(1).find(|directory| directory.join(".git").exists());
        let root = self.by_root.iter().map(|(root, _)| root.as_path()).find(|root| path.starts_with(root));
        let Some(top) = top.or(root).map(Path::to_owned) else {
            return false;
        };
        let mut steps: Vec<PathBuf> =
            path.ancestors().take_while(|step| *step != top).map(Path::to_owned).collect();
        steps.reverse();
        steps.iter().any(|step| {
            let is_directory = step != path;
            self.verdict(&top, step, is_directory)
        })
    }

    /// What git says of one step of a path: the deepest file with an opinion counts.
    fn verdict(&mut self, top: &Path, step: &Path, is_directory: bool) -> bool {
        let above = step.ancestors().skip(1).take_while(|directory| directory.starts_with(top));
        let mut sources: Vec<PathBuf> = above.map(|directory| directory.join(".gitignore")).collect();
        sources.push(top.join(".git/info/exclude"));
        for source in sources {
            match self.rules(&source, top).matched(step, is_directory) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        let below_top = step.strip_prefix(top).unwrap_or(step);
        self.global.matched(below_top, is_directory).is_ignore()
    }

    fn rules(&mut self, source: &Path, top: &Path) -> &Gitignore {
        let modified = std::fs::metadata(source).and_then(|found| found.modified()).ok();
        let entry = self.read.entry(source.to_owned()).or_insert_with(|| (None, Gitignore::empty()));
        if entry.0 != modified {
            let base = if source.ends_with(".git/info/exclude") { Some(top) } else { source.parent() };
            let mut builder = GitignoreBuilder::new(base.unwrap_or(top));
            // Lines that git itself could not read do not exclude anything for git either.
            let _ = builder.add(source);
            *entry = (modified, builder.build().unwrap_or_else(|_| Gitignore::empty()));
        }
        &entry.1
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn project() -> tempfile::TempDir {
        let project = tempfile::tempdir().unwrap();
        for (path, content) in [
            (".git/HEAD", ""),
            (".gitignore", "*.log\nbuild/\n"),
            ("sub/.gitignore", "!keep.log\n"),
            ("a.rs", ""),
            (".env", ""),
            ("x.log", ""),
            ("sub/keep.log", ""),
            ("build/out.rs", ""),
            ("private/plan.md", ""),
        ] {
            let path = project.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        project
    }

    #[test]
    fn secrets_ignored_files_and_exclusions_stay_here() {
        let project = project();
        let root = project.path().to_owned();
        let mut privacy = Privacy::new(&["private/".into()], false, std::slice::from_ref(&root)).unwrap();
        for (path, allowed) in [
            ("a.rs", true),
            (".env", false),
            ("x.log", false),
            ("sub/keep.log", true),
            ("build/out.rs", false),
            ("private/plan.md", false),
        ] {
            assert_eq!(privacy.allows(&root.join(path)), allowed, "{path}");
        }
        let mut open = Privacy::new(&[], true, std::slice::from_ref(&root)).unwrap();
        assert!(open.allows(&root.join("x.log")));
        assert!(!open.allows(&root.join(".env")));
    }

    #[test]
    fn a_changed_gitignore_counts_at_once_and_a_link_hides_nothing() {
        let project = project();
        let root = project.path().to_owned();
        let mut privacy = Privacy::new(&[], false, std::slice::from_ref(&root)).unwrap();
        assert!(privacy.allows(&root.join("a.rs")));
        fs::write(root.join(".gitignore"), "*.rs\n").unwrap();
        let later = SystemTime::now() + std::time::Duration::from_secs(5);
        fs::File::open(root.join(".gitignore")).unwrap().set_modified(later).unwrap();
        assert!(!privacy.allows(&root.join("a.rs")));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(root.join(".env"), root.join("harmless.txt")).unwrap();
            assert!(!privacy.allows(&root.join("harmless.txt")));
        }
    }

    #[test]
    fn a_bad_glob_is_named() {
        let bad = Privacy::new(&["a{b".into()], false, &[]).unwrap_err();
        assert_eq!(bad.glob, "a{b");
    }
}
