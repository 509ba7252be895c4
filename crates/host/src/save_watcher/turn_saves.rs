//! Determines which of the files that are written during a turn a person has saved. Most of them are written
//! by the agent. But most agents do not report Esc, so a stopped turn counts as going on until the next
//! prompt, and the files that a person saves until then would be lost to the context.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_desk::{AtWork, Turn, TurnId};
use tokio::time::Instant;

/// The time without another write, before and after a write, from which on the file counts as saved by the
/// person. An agent that works longer on one answer, or waits for a long command, normally writes more than
/// one file afterwards.
pub(super) const QUIET_TIME: Duration = Duration::from_secs(60);

/// The files that are written during turns.
#[derive(Debug, Default)]
pub(super) struct TurnSaves {
    trees: HashMap<TurnId, WorkingTree>,
    /// The files that count as saved and were not drained yet.
    saved: BTreeSet<PathBuf>,
}

/// A working tree in which an agent is at work.
#[derive(Debug)]
struct WorkingTree {
    root: PathBuf,
    at_work: Vec<AtWork>,
    last_write: Instant,
    /// Whether no file was written for [`QUIET_TIME`] at some time since the turn began.
    was_quiet: bool,
    /// The files that were written since that time.
    written: BTreeSet<PathBuf>,
}

impl WorkingTree {
    fn is_quiet(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.last_write) >= QUIET_TIME
    }

    /// Whether an agent of this tree has begun a new turn without ending its last one.
    fn was_interrupted(&self, at_work: &[AtWork]) -> bool {
        let mut gone = self.at_work.iter().filter(|known| !at_work.contains(known));
        let begun: Vec<_> = at_work.iter().filter(|turn| !self.at_work.contains(turn)).collect();
        let is_next = |known: &AtWork, turn: &AtWork| known.agent == turn.agent && known.since < turn.since;
        gone.any(|known| begun.iter().any(|turn| is_next(known, turn)))
    }
}

impl TurnSaves {
    /// Whether an agent is at work in any tree.
    pub(super) fn has_agent_at_work(&self) -> bool {
        !self.trees.is_empty()
    }

    /// Handles that a turn has begun or ended in the working tree with the canonical path `root`, or that it
    /// has changed.
    pub(super) fn on_turn(&mut self, turn: &Turn, root: PathBuf, now: Instant) {
        let known = self.trees.remove(&turn.id);
        let at_work = turn.at_work.clone();
        if at_work.is_empty() {
            // The turn has ended, so the agent was at work until now, and the written files are its own.
            return;
        }
        let tree = match known {
            Some(known) if known.at_work.iter().all(|agent| at_work.contains(agent)) => {
                WorkingTree { at_work, ..known }
            }
            known => {
                if let Some(known) = known.filter(|known| known.was_interrupted(&at_work)) {
                    self.saved.extend(known.written);
                }
                WorkingTree { root, at_work, last_write: now, was_quiet: false, written: BTreeSet::new() }
            }
        };
        self.trees.insert(turn.id, tree);
    }

    /// Handles a write to `file`, whose path with links resolved is `real`. Returns whether an agent is at
    /// work in its tree.
    pub(super) fn on_write(&mut self, file: &Path, real: &Path, now: Instant) -> bool {
        self.settle(now);
        let mut is_within = false;
        for tree in self.trees.values_mut().filter(|tree| real.starts_with(&tree.root)) {
            is_within = true;
            tree.was_quiet |= tree.is_quiet(now);
            tree.last_write = now;
            if tree.was_quiet {
                tree.written.insert(file.to_owned());
            }
        }
        is_within
    }

    /// Returns the time at which a file may next count as saved without another event.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let waiting = self.trees.values().filter(|tree| !tree.written.is_empty());
        waiting.map(|tree| tree.last_write + QUIET_TIME).min()
    }

    /// Removes and returns the files that count as saved.
    pub(super) fn drain_saved(&mut self, now: Instant) -> BTreeSet<PathBuf> {
        self.settle(now);
        std::mem::take(&mut self.saved)
    }

    /// Settles the writes whose quiet time has passed: a single written file counts as saved, and several
    /// written files do not.
    fn settle(&mut self, now: Instant) {
        for tree in self.trees.values_mut().filter(|tree| tree.is_quiet(now)) {
            let written = std::mem::take(&mut tree.written);
            if written.len() == 1 {
                self.saved.extend(written);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree in which an agent is at work, with the current time.
    struct Scene {
        saves: TurnSaves,
        now: Instant,
    }

    impl Scene {
        fn new() -> Self {
            let mut scene = Self { saves: TurnSaves::default(), now: Instant::now() };
            scene.tell(&[1]);
            scene
        }

        /// Reports the turns of one agent, by the times of their beginning.
        fn tell(&mut self, since: &[u64]) {
            let at_work = |since: &u64| AtWork { agent: "Codex".into(), since: *since };
            let at_work = since.iter().map(at_work).collect();
            let turn = Turn { id: TurnId(1), at_work, ..Turn::default() };
            self.saves.on_turn(&turn, "/project".into(), self.now);
        }

        fn write(&mut self, file: &str) {
            let file = Path::new("/project").join(file);
            assert!(self.saves.on_write(&file, &file, self.now));
        }

        fn saved_after(&mut self, seconds: u64) -> Vec<String> {
            self.now += Duration::from_secs(seconds);
            let saved = self.saves.drain_saved(self.now);
            let name = |path: &PathBuf| path.strip_prefix("/project").unwrap().display().to_string();
            saved.iter().map(name).collect()
        }
    }

    #[test]
    fn a_file_that_is_written_alone_within_a_turn_counts_as_saved() {
        let mut scene = Scene::new();
        scene.write("agent.rs");
        assert_eq!(scene.saved_after(60), [""; 0], "it came right after the prompt");
        scene.write("mine.rs");
        assert_eq!(scene.saved_after(20), [""; 0], "more may come");
        scene.write("mine.rs");
        assert_eq!(scene.saves.deadline(), Some(scene.now + QUIET_TIME));
        assert_eq!(scene.saved_after(60), ["mine.rs"]);
        assert_eq!((scene.saved_after(60), scene.saves.deadline()), (Vec::new(), None), "once");
    }

    #[test]
    fn files_written_together_within_a_turn_do_not_count_as_saved() {
        let mut scene = Scene::new();
        scene.saved_after(60);
        scene.write("one.rs");
        scene.saved_after(10);
        scene.write("two.rs");
        assert_eq!(scene.saved_after(60), [""; 0]);
        scene.write("one.rs");
        assert_eq!(scene.saved_after(60), ["one.rs"]);
    }

    #[test]
    fn files_of_a_stopped_turn_count_as_saved_at_the_next_prompt() {
        let mut scene = Scene::new();
        scene.write("agent.rs");
        scene.saved_after(60);
        scene.write("one.rs");
        scene.saved_after(10);
        scene.write("two.rs");
        scene.tell(&[1, 2]);
        assert_eq!(scene.saved_after(0), [""; 0], "another session began");
        scene.tell(&[2, 3]);
        assert_eq!(scene.saved_after(0), ["one.rs", "two.rs"]);
        scene.write("agent.rs");
        scene.saved_after(60);
        scene.write("agent.rs");
        scene.tell(&[]);
        assert_eq!(scene.saved_after(60), [""; 0], "the turn has ended");
        assert!(!scene.saves.has_agent_at_work());
        let elsewhere = Path::new("/project/a");
        assert!(!scene.saves.on_write(elsewhere, elsewhere, scene.now));
    }
}
