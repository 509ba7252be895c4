//! The leftovers of a round: drafts, files that must not be left, and diagnostics for violations.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use super::discovery_files::all_published;
use super::round::Round;
use crate::sandbox::files_below;

impl Round<'_> {
    /// Returns the state of the agents' connections, a line for each.
    pub(super) fn connections(&self) -> Vec<String> {
        let slots = self.slots.iter().enumerate();
        let agents = slots.filter_map(|(number, slot)| Some((number, slot, slot.agent.as_ref()?)));
        let lines = agents.flat_map(|(number, slot, agent)| {
            let lost = slot.link.lock().lost_at;
            let name =
                format!("agent {number} ({}, process {:?}, lost {lost})", agent.release(), agent.pid());
            agent.proxies().into_iter().map(move |proxy| format!("{name}: {proxy:?}"))
        });
        lines.collect()
    }

    /// Returns the files that must not be left.
    pub(super) fn strays(&self) -> Vec<String> {
        let sandbox = &self.machine.sandbox;
        let records = all_published(sandbox).map(|(path, _)| path);
        let state = sandbox.home().join(".local/state/alongside");
        let registry = files_below(sandbox.hosts());
        let registry = registry.into_iter().filter(|path| !path.ends_with("start.lock"));
        let journal = files_below(state.join("journal"));
        let is_lock = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "lock");
        let journal = journal.into_iter().filter(|path| !is_lock(path));
        let all = records.chain(registry).chain(journal).chain(files_below(sandbox.tmp()));
        let all: BTreeSet<_> = all.map(|path| format!("a file: {}", path.display())).collect();
        all.into_iter().collect()
    }

    /// Returns the texts of all drafts. Adds parts of drafts that `alongside drafts` cannot find to the
    /// strays.
    pub(super) fn drafts(&self, strays: &mut Vec<String>) -> Vec<String> {
        let mut texts = Vec::new();
        let all = self.machine.sandbox.home().join(".local/state/alongside/drafts");
        for directory in fs::read_dir(all).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let inside = files_below(directory);
            let is_listed = inside.iter().any(|path| path.ends_with("draft.json"));
            for path in inside.iter().filter(|path| !path.ends_with("draft.json")) {
                if !is_listed || path.extension().is_none_or(|extension| extension != "txt") {
                    strays.push(format!("a part of a draft: {}", path.display()));
                }
                texts.extend(fs::read_to_string(path).ok());
            }
        }
        texts
    }
}
