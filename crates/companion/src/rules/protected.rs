//! The files that no rule and no grant covers: the files by which a project or the person controls agents,
//! git or alongside. A change of such a file could make every later change pass without a person.
//!
//! This module identifies protected files by their names. The targets of links, and the files that git's
//! settings name, are found on disk by [`destination`](crate::reviews::destination).

use std::path::Path;

use alongside_contract::agents::is_agent_file;

use crate::folded_name::fold_leniently;
use crate::rule::{GIT_REASON, PROJECT_SETTINGS};

/// The last two components of the path of the person's settings. The directory above them differs.
const PERSON_SETTINGS_SUFFIX: [&str; 2] = ["alongside", "config.toml"];

/// The files that git obeys in every directory, and the settings of Git hook managers.
const GIT_FILES: [&str; 6] = [
    ".gitattributes",
    ".gitmodules",
    ".overcommit.yml",
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    "prek.toml",
];

/// The beginnings of the names of lefthook's files, which have several endings, as in `lefthook.yml` and
/// `lefthook-local.toml`.
const LEFTHOOK_PREFIXES: [&str; 4] = ["lefthook.", "lefthook-local.", ".lefthook.", ".lefthook-local."];

/// Returns the names of a path as the most lenient file system takes them.
pub(super) fn folded_names(path: &Path) -> Vec<String> {
    path.components().map(|part| fold_leniently(part.as_os_str())).collect()
}

/// Returns why a path is protected; `None` if it is not. `settings_files`: the [names](folded_names) of
/// alongside's own that were read.
pub(super) fn why_protected(path: &Path, settings_files: &[Vec<String>]) -> Option<&'static str> {
    let parts = folded_names(path);
    let name = parts.last().map_or("", String::as_str);
    let is_settings = parts.ends_with(&PERSON_SETTINGS_SUFFIX.map(str::to_owned))
        || name == PROJECT_SETTINGS
        || settings_files.contains(&parts);
    if is_settings {
        return Some("no rule covers the settings of alongside");
    }
    if parts.iter().any(|part| part == ".git") {
        return Some("no rule covers git's own directory");
    }
    if GIT_FILES.contains(&name) || LEFTHOOK_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
        return Some(GIT_REASON);
    }
    let is_agent_part = |part: &String| is_agent_file(part);
    parts.iter().any(is_agent_part).then_some("no rule covers the settings and instructions of agents")
}
