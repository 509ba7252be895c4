//! Finds the repository of a working tree by its files, without git. So no setting of the repository is
//! obeyed, and no program that it names is run.

use std::path::{Path, PathBuf};

use alongside_companion::git_config;
use alongside_platform::paths;
use alongside_platform::paths::Canonical as _;
use alongside_platform::untrusted::{self, Whose};

/// The largest file of a few lines, in bytes.
const MAX_LINES: u64 = 64 << 10;
/// The largest settings file, in bytes.
const MAX_SETTINGS: u64 = 1 << 20;
/// The largest file with the names of commits, in bytes.
const MAX_REFS: u64 = 4 << 20;

/// The directories of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Repository {
    /// The directory of this working tree, with its `HEAD` and index.
    pub(crate) directory: PathBuf,
    /// The directory that all working trees of the repository share, with objects and settings.
    pub(crate) common: PathBuf,
    /// The hash format of the objects, `sha1` or `sha256`.
    pub(crate) format: String,
    /// Whether the repository has no working tree, by its setting `core.bare`.
    pub(crate) is_bare: bool,
}

impl Repository {
    /// Finds the repository of the working tree with this top. Returns `None` if there is none that git would
    /// accept.
    pub(crate) fn of_top(top: &Path) -> Option<Self> {
        let name = top.join(".git");
        let found = name.metadata().ok()?;
        let directory = if found.is_file() { named_in(&name, top)? } else { name };
        Self::in_directory(&directory.canonical().ok()?)
    }

    /// Finds the repository whose files are in a directory: a bare one, or that of a working tree.
    pub(crate) fn in_directory(directory: &Path) -> Option<Self> {
        directory.join("HEAD").symlink_metadata().ok()?;
        let common = match read(&directory.join("commondir"), MAX_LINES) {
            Some(line) => directory.join(paths::from_bytes(trimmed(&line))?).canonical().ok()?,
            None => directory.to_owned(),
        };
        if !common.join("objects").is_dir() || !common.join("refs").is_dir() {
            return None;
        }
        let settings = read(&common.join("config"), MAX_SETTINGS).unwrap_or_default();
        let settings = git_config::settings(&String::from_utf8_lossy(&settings));
        let value = |section: &str, key: &str| {
            let is_it =
                |one: &&git_config::Setting| one.section == section && !one.has_subsection && one.key == key;
            settings.iter().rfind(is_it).map(|one| one.value.to_ascii_lowercase())
        };
        let format = value("extensions", "objectformat").filter(|format| format == "sha256");
        // A linked working tree of a bare repository is a working tree.
        let is_bare = common == directory && value("core", "bare").as_deref() == Some("true");
        let (directory, format) = (directory.to_owned(), format.unwrap_or_else(|| "sha1".into()));
        Some(Self { directory, common, format, is_bare })
    }

    /// Returns the branch that is checked out, as in `HEAD`. Returns `None` if `HEAD` contains a commit or
    /// cannot be read.
    pub(crate) fn branch(&self) -> Option<String> {
        let head = read(&self.directory.join("HEAD"), MAX_LINES)?;
        let name = trimmed(&head).strip_prefix(b"ref:")?;
        Some(String::from_utf8_lossy(name.trim_ascii()).into_owned())
    }

    /// Returns the commit that is checked out, read without git from the files of the repository. Returns
    /// `None` if there is no commit, or its files have another form.
    pub(crate) fn commit(&self) -> Option<String> {
        let text = |path: &Path| {
            let bytes = read(path, MAX_REFS)?;
            Some(String::from_utf8_lossy(&bytes).trim().to_owned())
        };
        let head = text(&self.directory.join("HEAD"))?;
        let found = match head.strip_prefix("ref:").map(str::trim) {
            None => Some(head),
            Some(name) if name.split('/').any(|part| part == "..") || name.starts_with('/') => None,
            Some(name) => text(&self.common.join(name)).or_else(|| {
                let packed = text(&self.common.join("packed-refs"))?;
                let found = packed.lines().find_map(|line| line.strip_suffix(name)?.strip_suffix(' '));
                found.map(str::to_owned)
            }),
        };
        let length = if self.format == "sha256" { 64 } else { 40 };
        found.filter(|found| found.len() == length && found.bytes().all(|byte| byte.is_ascii_hexdigit()))
    }
}

/// Returns the directory in a `.git` file.
fn named_in(file: &Path, top: &Path) -> Option<PathBuf> {
    let line = read(file, MAX_LINES)?;
    let named = trimmed(&line).strip_prefix(b"gitdir:")?;
    Some(top.join(paths::from_bytes(named.strip_prefix(b" ").unwrap_or(named))?))
}

fn read(path: &Path, limit: u64) -> Option<Vec<u8>> {
    untrusted::read(path, limit, Whose::Anybodys).ok()
}

fn trimmed(line: &[u8]) -> &[u8] {
    let mut line = line;
    while let Some(shorter) = line.strip_suffix(b"\n").or_else(|| line.strip_suffix(b"\r")) {
        line = shorter;
    }
    line
}
