//! The paths that git runs or obeys because of its settings: directories of hooks, files of settings, and
//! every file that a setting names. Settings count under any condition: it may hold in another branch.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use alongside_platform::untrusted::{self, Whose};

use super::ground::Ground;
use super::link_targets;
use crate::git_config::{self, Setting};
use crate::real_path;

/// The largest settings file in bytes. Those of a repository are far smaller.
const MAX_BYTES: u64 = 1 << 20;
/// The most settings files of a repository, with those that others include.
const MAX_FILES: usize = 64;
/// The most words of settings that may name a file.
const MAX_WORDS: usize = 4096;
/// How deep settings may include others, as in git itself.
const MAX_INCLUDE_DEPTH: usize = 10;
/// The settings of every user of the machine.
const SYSTEM_SETTINGS: &str = "/etc/gitconfig";

/// The files and directories in a directory of git that may be links.
const GITS_FILES: [&str; 12] = [
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
pub(super) struct Obeyed<'a> {
    repository: &'a Path,
    home: Option<&'a Path>,
    /// Files and directories that git obeys, with everything below them.
    below: Vec<PathBuf>,
    /// The files that a value names. A directory that a value names says nothing about its files.
    named: BTreeSet<PathBuf>,
    /// The directories of hooks: the usual one, and every value of `core.hooksPath`.
    hooks: Vec<PathBuf>,
    files: usize,
    /// The words of values that were taken for names already.
    words: BTreeSet<String>,
    /// Whether some settings could not be read.
    is_unknown: bool,
}

impl<'a> Obeyed<'a> {
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
            is_unknown: false,
        };
        for config in of_user(ground).into_iter().chain(home.map(|_| PathBuf::from(SYSTEM_SETTINGS))) {
            obeyed.read(&config, 0);
        }
        obeyed.read_repository(ground.roots);
        obeyed
    }

    /// Whether git runs or obeys this file, which has no links.
    pub(super) fn has(&self, file: &Path) -> bool {
        self.is_unknown || link_targets::holds(&self.below, file) || self.named.contains(file)
    }

    fn read_repository(&mut self, roots: &[PathBuf]) {
        let git = self.repository.join(".git");
        // In a linked working tree, `.git` names a directory, whose `commondir` names that of the settings.
        let own = match text_of(&git) {
            Some(text) => match text.trim().strip_prefix("gitdir:") {
                Some(named) => self.repository.join(named.trim()),
                None => return,
            },
            None => git.clone(),
        };
        let common =
            text_of(&own.join("commondir")).map_or_else(|| own.clone(), |text| own.join(text.trim()));
        for config in [common.join("config"), own.join("config.worktree")] {
            self.read(&config, 0);
        }
        self.hooks.push(common.join("hooks"));
        for hooks in &self.hooks {
            self.below.extend(real_path::passed(hooks));
            self.is_unknown |= !link_targets::add_below(hooks, 1, &mut self.below);
        }
        for directory in [&own, &common] {
            for name in GITS_FILES {
                link_targets::add_of(&directory.join(name), &mut self.below);
            }
        }
        // A person may work in a directory of git, as in the working trees of a bare repository.
        let directories = [git, own, common].map(|directory| real_path::passed(&directory));
        let is_around = |directory: &PathBuf| roots.iter().any(|root| root.starts_with(directory));
        self.below.extend(directories.into_iter().flatten().filter(|directory| !is_around(directory)));
    }

    /// Reads a settings file and the files that it includes, under any condition.
    fn read(&mut self, config: &Path, depth: usize) {
        self.below.extend(real_path::passed(config));
        self.files += 1;
        self.is_unknown |= self.files > MAX_FILES;
        if depth > MAX_INCLUDE_DEPTH || self.is_unknown {
            return;
        }
        let Some(text) = text_of(config) else {
            self.is_unknown = config.exists();
            return;
        };
        for Setting { section, has_subsection, key, value } in git_config::settings(&text) {
            match (section.as_str(), key.as_str()) {
                ("core", "hookspath") if !has_subsection && !value.is_empty() => {
                    self.hooks.extend(self.expanded(&value, self.repository));
                }
                ("include" | "includeif", "path") => {
                    let above = config.parent().unwrap_or(config);
                    if let Some(included) = self.expanded(&value, above) {
                        self.read(&included, depth + 1);
                    }
                }
                _ => self.name(&value),
            }
        }
    }

    /// Adds the files that a value names. It may name a program or a file, alone or in words of a command.
    fn name(&mut self, value: &str) {
        let is_end = |c: char| c.is_whitespace() || "\"'`=;|&()<>!,$".contains(c);
        for word in value.split(is_end).chain([value]) {
            let is_name = !word.is_empty() && !word.starts_with("refs/");
            if self.is_unknown || !is_name || !self.words.insert(word.to_owned()) {
                continue;
            }
            self.is_unknown = self.words.len() > MAX_WORDS;
            if let Some(path) = self.expanded(word, self.repository).filter(|path| !path.is_dir()) {
                self.named.extend(real_path::passed(&path));
            }
        }
    }

    /// A path as git reads it in its settings, relative to a directory.
    fn expanded(&self, named: &str, directory: &Path) -> Option<PathBuf> {
        let Some(below) = named.strip_prefix('~') else { return Some(directory.join(named)) };
        let (user, below) = below.split_once('/').unwrap_or((below, ""));
        match user {
            "" => Some(self.home?.join(below)),
            // Homes lie beside each other.
            user => Some(self.home?.parent()?.join(user).join(below)),
        }
    }
}

/// The settings files of the user, which count in every repository.
pub(super) fn of_user(ground: &Ground<'_>) -> Vec<PathBuf> {
    ground.dirs.map(|dirs| dirs.git_settings().into()).unwrap_or_default()
}

/// The text of a file, with a replacement character for bytes that are no text.
fn text_of(path: &Path) -> Option<String> {
    let bytes = untrusted::read(path, MAX_BYTES, Whose::Anybodys).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
