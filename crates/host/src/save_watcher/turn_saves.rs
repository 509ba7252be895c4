//! The files that are written while an agent is at work in its turn. Most are the agent's. But most agents
//! tell nothing of Esc, so that a turn that was stopped counts as going on until the next prompt, and what a
//! person saves until then would be lost to the context.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_desk::{AtWork, Turn, TurnId};
use tokio::time::Instant;

/// How long nothing else may be written around a file that counts as saved by the person. An agent that works
/// for longer on one answer, or waits for a long command, mostly writes more than one file then.
pub(super) const QUIET: Duration = Duration::from_secs(60);

/// See the module.
#[derive(Debug, Default)]
pub(super) struct TurnSaves {
    trees: HashMap<TurnId, Tree>,
    /// The files that count as saved, and that nobody has taken yet.
    saved: BTreeSet<PathBuf>,
}

/// A working tree in which an agent is at work.
#[derive(Debug)]
struct Tree {
    root: PathBuf,
    at_work: Vec<AtWork>,
    last_write: Instant,
    /// Whether nothing was written for a while since the turn began.
    was_quiet: bool,
    /// The files that were written since then.
    written: BTreeSet<PathBuf>,
}

impl Tree {
    fn is_quiet(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.last_write) >= QUIET
    }

    /// Whether an agent has begun another turn, and this one had no end.
    fn is_stopped(&self, at_work: &[AtWork]) -> bool {
        let mut gone = self.at_work.iter().filter(|known| !at_work.contains(known));
        let begun: Vec<_> = at_work.iter().filter(|turn| !self.at_work.contains(turn)).collect();
        let is_next = |known: &AtWork, turn: &AtWork| known.agent == turn.agent && known.since < turn.since;
        gone.any(|known| begun.iter().any(|turn| is_next(known, turn)))
    }
}

impl TurnSaves {
    /// Whether no agent is at work.
    pub(super) fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// A turn has begun or ended in the working tree with this real path, or something has changed in it.
    pub(super) fn take_turn(&mut self, turn: &Turn, root: PathBuf, now: Instant) {
        let known = self.trees.remove(&turn.id);
        let at_work = turn.at_work.clone();
        if at_work.is_empty() {
            // The end of a turn tells that the agent was at work until now.
            return;
        }
        let tree = match known {
            Some(known) if known.at_work.iter().all(|agent| at_work.contains(agent)) => {
                Tree { at_work, ..known }
            }
            known => {
                if let Some(known) = known.filter(|known| known.is_stopped(&at_work)) {
                    self.saved.extend(known.written);
                }
                Tree { root, at_work, last_write: now, was_quiet: false, written: BTreeSet::new() }
            }
        };
        self.trees.insert(turn.id, tree);
    }

    /// A file was written, whose path without links is `real`. False if no agent is at work around it.
    pub(super) fn take_write(&mut self, file: &Path, real: &Path, now: Instant) -> bool {
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

    /// When a file may next count as saved without another event.
    pub(super) fn due(&self) -> Option<Instant> {
        let waiting = self.trees.values().filter(|tree| !tree.written.is_empty());
        waiting.map(|tree| tree.last_write + QUIET).min()
    }

    /// The files that count as saved by now.
    pub(super) fn take_saved(&mut self, now: Instant) -> BTreeSet<PathBuf> {
        self.settle(now);
        std::mem::take(&mut self.saved)
    }

    /// A file around which nothing else was written for a while was saved; several were not.
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

    /// A tree in which an agent is at work, at a time.
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

        /// The companion tells of turns of one agent, by the times of their beginning.
        fn tell(&mut self, since: &[u64]) {
            let at_work = |since: &u64| AtWork { agent: "Codex".into(), since: *since };
            let at_work = since.iter().map(at_work).collect();
            let turn = Turn { id: TurnId(1), at_work, ..Turn::default() };
            self.saves.take_turn(&turn, "/project".into(), self.now);
        }

        fn write(&mut self, file: &str) {
            let file = Path::new("/project").join(file);
            assert!(self.saves.take_write(&file, &file, self.now));
        }

        fn saved_after(&mut self, seconds: u64) -> Vec<String> {
            self.now += Duration::from_secs(seconds);
            let saved = self.saves.take_saved(self.now);
            let name = |path: &PathBuf| path.strip_prefix("/project").unwrap().display().to_string();
            saved.iter().map(name).collect()
        }
    }

    #[test]
    fn a_file_that_is_written_alone_within_a_turn_was_saved() {
        let mut scene = Scene::new();
        scene.write("agent.rs");
        assert_eq!(scene.saved_after(60), [""; 0], "it came right after the prompt");
        scene.write("mine.rs");
        assert_eq!(scene.saved_after(20), [""; 0], "more may come");
        scene.write("mine.rs");
        assert_eq!(scene.saves.due(), Some(scene.now + QUIET));
        assert_eq!(scene.saved_after(60), ["mine.rs"]);
        assert_eq!((scene.saved_after(60), scene.saves.due()), (Vec::new(), None), "once");
    }

    #[test]
    fn files_that_are_written_together_within_a_turn_were_not_saved() {
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
    fn a_prompt_without_an_end_before_it_tells_that_files_were_saved() {
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
        assert!(scene.saves.is_empty());
        let elsewhere = Path::new("/project/a");
        assert!(!scene.saves.take_write(elsewhere, elsewhere, scene.now));
    }
}
