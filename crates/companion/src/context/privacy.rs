//! The privacy rules: agents never learn about excluded or git-ignored files. The rules read the disk.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use alongside_platform::Os;
use alongside_platform::paths::{Canonical as _, below_top};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::config::{BadGlob, Workspace};
use crate::persistence::app_dirs::AppDirs;
use alongside_platform::untrusted::{self, Whose};

/// The globs that are excluded everywhere, whatever the settings: such files mostly hold secrets.
pub const DEFAULT_EXCLUDES: &[&str] = &[
    ".env",
    ".env.*",
    "!.env.example",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.ppk",
    "*.kdbx",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".envrc",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".htpasswd",
    ".git-credentials",
    "*.tfstate",
    "*.tfstate.*",
    ".ssh/",
    ".gnupg/",
    ".aws/",
];

/// The largest ignore file that is read, in bytes. A larger file hides everything.
const MAX_IGNORE_FILE_BYTES: u64 = 1 << 20;

/// The rules that decide which files agents may know.
#[derive(Debug)]
pub(crate) struct Privacy {
    shows_git_ignored: bool,
    /// The exclusions by root, under the path that was opened and under the real path.
    by_root: Vec<(PathBuf, Gitignore)>,
    /// The exclusions for files outside every root.
    elsewhere: Gitignore,
    /// Directories of which agents learn nothing, our own among them.
    untold: BTreeSet<PathBuf>,
    /// The user's ignore file for every repository.
    global: Option<PathBuf>,
    /// The parsed ignore files, as a cache.
    parsed: RefCell<ParsedFiles>,
}

/// The parsed ignore files by path, each with its stamp.
type ParsedFiles = HashMap<PathBuf, (Stamp, Gitignore)>;

/// Length and modification time of a file, to detect a change; `None` for a file that does not exist.
type Stamp = Option<(u64, Option<SystemTime>)>;

impl Privacy {
    /// Creates the rules. Fails for the first exclusion that is not a valid glob.
    pub(crate) fn new(
        workspace: &Workspace,
        shows_git_ignored: bool,
        dirs: &AppDirs,
    ) -> Result<Self, BadGlob> {
        let built_in = DEFAULT_EXCLUDES.iter().copied();
        let globs: Vec<&str> = built_in.chain(workspace.excludes.iter().map(String::as_str)).collect();
        let roots: BTreeSet<PathBuf> = workspace.roots.iter().flat_map(|root| spellings(root)).collect();
        let untold = workspace.untold.iter().chain([&dirs.state]).flat_map(|root| spellings(root)).collect();
        let by_root = roots.into_iter().map(|root| exclusions(&root, &globs).map(|globs| (root, globs)));
        Ok(Self {
            shows_git_ignored,
            by_root: by_root.collect::<Result<_, _>>()?,
            elsewhere: exclusions(Path::new(""), &globs)?,
            untold,
            global: super::git_ignore_file::ignore_file(dirs),
            parsed: RefCell::default(),
        })
    }

    /// Whether agents may know that this file is open, by its name and by the target of a link.
    pub(crate) fn allows(&self, path: &Path) -> bool {
        let real = path.canonical().ok().filter(|real| real != path);
        self.allows_name(path) && real.is_none_or(|real| self.allows_name(&real))
    }

    /// Applies the exclusions of every root that holds the file, because one project may lie in another.
    fn allows_name(&self, path: &Path) -> bool {
        if self.untold.iter().any(|root| path.starts_with(root)) || is_review_edit(path) {
            return false;
        }
        // `Gitignore` panics at a path with a root, and compares roots as strings: to it, `//a` is not in
        // `/a`.
        let below = |root: &PathBuf| path.strip_prefix(root).ok();
        let mut holding =
            self.by_root.iter().filter_map(|(root, globs)| Some((below(root)?, globs))).peekable();
        let excluded = match holding.peek() {
            Some(_) => holding.any(|(path, globs)| is_excluded(globs, path)),
            // The globs of `elsewhere` begin at the top of the file system, which every drive of Windows has.
            None => is_excluded(&self.elsewhere, &below_top(Os::HERE, path)),
        };
        !excluded && (self.shows_git_ignored || !self.matches_gitignore(path))
    }

    fn matches_gitignore(&self, path: &Path) -> bool {
        let top = path.ancestors().skip(1).find(|directory| directory.join(".git").exists());
        let root = self.by_root.iter().map(|(root, _)| root.as_path()).find(|root| path.starts_with(root));
        let top = top.or(root).or(path.ancestors().last()).unwrap_or(path).to_owned();
        let mut steps = path.ancestors().take_while(|step| *step != top);
        steps.any(|step| self.step_matches_gitignore(&top, step, step != path))
    }

    /// Whether git ignores one ancestor of a path, or the path. The deepest ignore file with a matching rule
    /// decides.
    fn step_matches_gitignore(&self, top: &Path, step: &Path, is_directory: bool) -> bool {
        let above = step.ancestors().skip(1).take_while(|directory| directory.starts_with(top));
        let mut sources: Vec<(PathBuf, &Path)> =
            above.map(|directory| (directory.join(".gitignore"), directory)).collect();
        sources.push((top.join(".git/info/exclude"), top));
        // The rules of the user's global file are relative to the repository.
        sources.extend(self.global.clone().map(|global| (global, Path::new(""))));
        let mut parsed = self.parsed.borrow_mut();
        for (source, base) in sources {
            let step = if base == Path::new("") { step.strip_prefix(top).unwrap_or(step) } else { step };
            match rules(&mut parsed, &source, base).matched(step, is_directory) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }
}

fn is_excluded(globs: &Gitignore, path: &Path) -> bool {
    // A path with a root of an unknown kind matches no glob reliably, and counts as excluded.
    path.has_root() || globs.matched_path_or_any_parents(path, false).is_ignore()
}

/// Returns the parsed rules of an ignore file, from the cache if the file is unchanged.
fn rules<'a>(parsed: &'a mut ParsedFiles, source: &Path, base: &Path) -> &'a Gitignore {
    let stamp = std::fs::metadata(source).ok().as_ref().map(stamp);
    let entry = parsed.entry(source.to_owned()).or_insert_with(|| (None, Gitignore::empty()));
    if entry.0 != stamp {
        *entry = (stamp, read_rules(source, base));
    }
    &entry.1
}

/// Whether a path is that of a temporary file in which the person edits a review.
fn is_review_edit(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"alongside-edit-"))
}

fn stamp(found: &Metadata) -> (u64, Option<SystemTime>) {
    (found.len(), found.modified().ok())
}

/// Returns the path of a directory as it is spelled, and its real path.
fn spellings(root: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let real = root.canonical().ok();
    [Some(root.to_owned()), real].into_iter().flatten()
}

fn exclusions(root: &Path, globs: &[&str]) -> Result<Gitignore, BadGlob> {
    let mut builder = GitignoreBuilder::new(root);
    // Case is ignored on every system, so that `.ENV` is excluded as well.
    builder
        .case_insensitive(true)
        .map_err(|error| BadGlob { glob: String::new(), why: error.to_string() })?;
    for glob in globs {
        let bad = |error: ignore::Error| BadGlob { glob: (*glob).to_owned(), why: error.to_string() };
        builder.add_line(None, glob).map_err(bad)?;
    }
    builder.build().map_err(|error| BadGlob { glob: String::new(), why: error.to_string() })
}

/// Parses an ignore file. A file that exists but cannot be read hides everything.
fn read_rules(source: &Path, base: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(base);
    match untrusted::read(source, MAX_IGNORE_FILE_BYTES, Whose::Anybodys) {
        Ok(text) => {
            let text = String::from_utf8_lossy(&text);
            for line in text.trim_start_matches('\u{feff}').lines() {
                // Git skips invalid lines, too.
                let _ = builder.add_line(Some(source.to_owned()), line);
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => {
            let path = source.display();
            tracing::warn!(%path, %error, "cannot read an ignore file, so it hides everything");
            let _ = builder.add_line(None, "*");
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

#[cfg(test)]
mod tests;
