//! The processes of agents at work in a working tree, whose ends the companion watches.

use std::collections::{BTreeMap, BTreeSet};

/// The watched processes, each with whether it has ended.
#[derive(Debug, Default)]
pub(super) struct AgentsAtWork(BTreeMap<u32, bool>);

impl AgentsAtWork {
    /// Takes the processes that a look has found. Returns those that are not watched yet.
    pub(super) fn take(&mut self, at_work: &BTreeSet<u32>) -> Vec<u32> {
        // Another process may have the number of an ended process. It is then watched again.
        self.0.retain(|pid, has_ended| !*has_ended || at_work.contains(pid));
        let mut new = Vec::new();
        for pid in at_work {
            if self.0.insert(*pid, false).is_none() {
                new.push(*pid);
            }
        }
        new
    }

    /// Notes that a process has ended. Returns false if it is not watched.
    pub(super) fn end(&mut self, pid: u32) -> bool {
        match self.0.get_mut(&pid) {
            Some(has_ended) => {
                *has_ended = true;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_watched_once_until_another_one_has_its_number() {
        let mut agents = AgentsAtWork::default();
        let both = BTreeSet::from([7, 9]);
        assert_eq!(agents.take(&both), [7, 9]);
        assert!(agents.take(&both).is_empty());
        assert!(agents.end(7) && !agents.end(8));
        assert!(agents.take(&BTreeSet::from([9])).is_empty(), "process 7 has ended");
        assert_eq!(agents.take(&both), [7], "another process has its number");
    }
}
