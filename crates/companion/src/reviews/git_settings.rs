//! The paths that git runs or obeys because of its settings: directories of hooks, settings files, and every
//! file that a setting names. Settings count under any condition, because the condition may hold in another
//! branch.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use alongside_platform::untrusted::{self, Whose};

use super::ground::Ground;
use super::link_targets;
use crate::git_config::{self, Setting};
use crate::real_path;

/// The largest settings file that is read, in bytes. Settings of a repository are far smaller.
const MAX_BYTES: u64 = 1 << 20;
/// The largest number of settings files of a repository, with the included ones.
const MAX_FILES: usize = 64;
/// The largest number of words of settings that may name a file.
const MAX_WORDS: usize = 4096;
/// The largest depth of included settings, as in git itself.
const MAX_INCLUDE_DEPTH: usize = 10;
/// The settings file for all users of the machine.
const SYSTEM_SETTINGS: &str = "/etc/gitconfig";

/// The files and directories in a directory of git that may be links.
const POSSIBLE_LINKS: [&str; 12] = [
    "HEAD",
    "commondir",
    "config",
    "config.worktree",
    "info",
    "info/attributes",
    "info/exclude",
    "info/sparse-checkout",
    "modules",
    "objects",
    "refs",
    "worktrees",
];

/// The paths that git obeys in the working tree of one repository.
#[derive(Debug)]
pub(super) struct ObeyedPaths<'a> {
    repository: &'a Path,
    home: Option<&'a Path>,
    /// Files and directories that git obeys, with everything below them.
    below: Vec<PathBuf>,
    /// The files that a value names. For a directory that a value names, git need not obey its files.
    named: BTreeSet<PathBuf>,
    /// The directories of hooks: the usual one, and every value of `core.hooksPath`.
    hooks: Vec<PathBuf>,
    /// The number of settings files so far.
    files: usize,
    /// The words of values that were already taken for file names.
    words: BTreeSet<String>,
    /// Whether some settings could not be read, so that every file counts as obeyed.
    is_incomplete: bool,
}

impl<'a> ObeyedPaths<'a> {
    /// Reads the settings of the repository at this path, of the user and of the machine.
    pub(super) fn of(repository: &'a Path, ground: &Ground<'a>) -> Self {
        let home = ground.home();
        let mut obeyed = Self {
            repository,
            home,
            below: Vec::new(),
            named: BTreeSet::new(),
            hooks: Vec::new(),
            files: 0,
            words: BTreeSet::new(),
            is_incomplete: false,
        };
        for config in user_files(ground).into_iter().chain(home.map(|_| PathBuf::from(SYSTEM_SETTINGS))) {
            obeyed.read(&config, 0);
        }
        obeyed.read_repository(ground.roots);
        obeyed
    }

    /// Whether git runs or obeys this file, whose path has no links.
    pub(super) fn contain(&self, file: &Path) -> bool {
        self.is_incomplete || link_targets::cover(&self.below, file) || self.named.contains(file)
    }

    fn read_repository(&mut self, roots: &[PathBuf]) {
        let git = self.repository.join(".git");
        // In a linked working tree, `.git` names a directory. Its `commondir` names the directory of the
        // settings.
        let own = match read_text(&git) {
            Some(text) => match text.trim().strip_prefix("gitdir:") {
                Some(named) => self.repository.join(named.trim()),
                None => return,
            },
            None => git.clone(),
        };
        let common =
            read_text(&own.join("commondir")).map_or_else(|| own.clone(), |text| own.join(text.trim()));
        for config in [common.join("config"), own.join("config.worktree")] {
            self.read(&config, 0);
        }
        self.hooks.push(common.join("hooks"));
        for hooks in &self.hooks {
            self.below.extend(real_path::steps(hooks));
            self.is_incomplete |= !link_targets::add_below(hooks, 1, &mut self.below);
        }
        for directory in [&own, &common] {
            for name in POSSIBLE_LINKS {
                link_targets::add_of(&directory.join(name), &mut self.below);
            }
        }
        // A person may work in a directory of git, as in the working trees of a bare repository.
        let directories = [git, own, common].map(|directory| real_path::steps(&directory));
        let is_around = |directory: &PathBuf| roots.iter().any(|root| root.starts_with(directory));
        self.below.extend(directories.into_iter().flatten().filter(|directory| !is_around(directory)));
    }

    /// Reads a settings file and the files that it includes, under any condition.
    fn read(&mut self, config: &Path, depth: usize) {
        self.below.extend(real_path::steps(config));
        self.files += 1;
        self.is_incomplete |= self.files > MAX_FILES;
        if depth > MAX_INCLUDE_DEPTH || self.is_incomplete {
            return;
        }
        let Some(text) = read_text(config) else {
            self.is_incomplete = config.exists();
            return;
        };
        for Setting { section, has_subsection, key, value } in git_config::settings(&text) {
            match (section.as_str(), key.as_str()) {
                ("core", "hookspath") if !has_subsection && !value.is_empty() => {
                    self.hooks.extend(self.expand(&value, self.repository));
                }
                ("include" | "includeif", "path") => {
                    let above = config.parent().unwrap_or(config);
                    if let Some(included) = self.expand(&value, above) {
                        self.read(&included, depth + 1);
                    }
                }
                _ => self.add_named_files(&value),
            }
        }
    }

    /// Adds the files that a value may name: a program or a file, alone or as a word of a command.
    fn add_named_files(&mut self, value: &str) {
        let is_end = |c: char| c.is_whitespace() || "\"'`=;|&()<>!,$".contains(c);
        for word in value.split(is_end).chain([value]) {
            let is_name = !word.is_empty() && !word.starts_with("refs/");
            if self.is_incomplete || !is_name || !self.words.insert(word.to_owned()) {
                continue;
            }
            self.is_incomplete = self.words.len() > MAX_WORDS;
            if let Some(path) = self.expand(word, self.repository).filter(|path| !path.is_dir()) {
                self.named.extend(real_path::steps(&path));
            }
        }
    }

    /// Expands a path of the settings as git does, relative to a directory.
    fn expand(&self, named: &str, directory: &Path) -> Option<PathBuf> {
        let Some(below) = named.strip_prefix('~') else { return Some(directory.join(named)) };
        let (user, below) = below.split_once('/').unwrap_or((below, ""));
        match user {
            "" => Some(self.home?.join(below)),
            // The homes of users are in one directory.
            user => Some(self.home?.parent()?.join(user).join(below)),
        }
    }
}

/// Returns the user's settings files, which count in every repository.
pub(super) fn user_files(ground: &Ground<'_>) -> Vec<PathBuf> {
    ground.dirs.map(|dirs| dirs.git_settings().into()).unwrap_or_default()
}

/// Reads the text of a file, with U+FFFD for bytes that are not UTF-8.
fn read_text(path: &Path) -> Option<String> {
    let bytes = untrusted::read(path, MAX_BYTES, Whose::Anybodys).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
