//! The files to which links of agents or of alongside lead, from the places of their settings and
//! instructions. For example, a `CLAUDE.md` is often a link to a page of the documentation.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use alongside_contract::agents::agent_files;

use super::ground::Ground;
use super::link_targets;
use crate::rule::PROJECT_SETTINGS;

/// The number of levels of an agent's directory that are searched for links.
const MAX_DEPTH: usize = 3;

/// Returns why one of these paths is protected by a link to it. The link has one of the names of agents and
/// alongside, or is in a directory with such a name: above the file, above a project, or in the home
/// directory. Reads the disk.
pub(super) fn reason(steps: &[PathBuf], ground: &Ground<'_>) -> Option<&'static str> {
    let projects = ground.roots.iter().flat_map(|root| root.ancestors());
    let above = steps.iter().flat_map(|step| step.ancestors().skip(1));
    let directories: BTreeSet<&Path> = projects.chain(above).chain(ground.home()).collect();
    let names: BTreeSet<&str> =
        agent_files().map(|name| name.trim_end_matches('*')).chain([PROJECT_SETTINGS]).collect();
    let mut targets = Vec::new();
    for directory in directories {
        for name in &names {
            let path = directory.join(name);
            let Ok(found) = path.symlink_metadata() else { continue };
            if found.is_symlink() {
                link_targets::add_of(&path, &mut targets);
            }
            // A person's own directory may hold thousands of notes. In a project's directory, they may hide a
            // link.
            let is_complete = link_targets::add_below(&path, MAX_DEPTH, &mut targets);
            if !is_complete && ground.is_in_project(directory) {
                return Some("a directory of agents holds too many files to look for links in it");
            }
        }
    }
    steps
        .iter()
        .any(|step| link_targets::cover(&targets, step))
        .then_some("no rule covers a file to which a link of agents or alongside leads")
}
