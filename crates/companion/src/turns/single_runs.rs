//! Work of which only one run at a time is under way for each key. A request during a run waits for the next
//! run: the one under way may have missed the change that the request is about.

use std::collections::BTreeMap;

#[derive(Debug)]
pub(super) struct SingleRuns<Key, Asker>(BTreeMap<Key, Run<Asker>>);

#[derive(Debug)]
struct Run<Asker> {
    askers: Vec<Asker>,
    /// The askers since the run began; `None` if nobody has asked since. Otherwise another run follows.
    later: Option<Vec<Asker>>,
}

impl<Key, Asker> Default for SingleRuns<Key, Asker> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<Key: Clone + Ord, Asker> SingleRuns<Key, Asker> {
    /// Asks for a run for these askers, of whom there may be none. True if the caller has to begin it now.
    pub(super) fn ask(&mut self, key: &Key, askers: Vec<Asker>) -> bool {
        if let Some(run) = self.0.get_mut(key) {
            run.later.get_or_insert_default().extend(askers);
            return false;
        }
        self.0.insert(key.clone(), Run { askers, later: None });
        true
    }

    /// Notes that a run has ended. Returns its askers, and whether the caller has to begin another run now.
    pub(super) fn end(&mut self, key: &Key) -> (Vec<Asker>, bool) {
        let Some(Run { askers, later }) = self.0.remove(key) else { return (Vec::new(), false) };
        let again = later.map(|later| self.ask(key, later)).unwrap_or_default();
        (askers, again)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_during_a_run_waits_for_the_next_run() {
        let mut runs = SingleRuns::default();
        assert!(runs.ask(&'a', vec![1]));
        assert!(!runs.ask(&'a', vec![2]) && !runs.ask(&'a', vec![3]));
        assert!(runs.ask(&'b', vec![4]), "another key");
        assert_eq!(runs.end(&'a'), (vec![1], true));
        assert_eq!(runs.end(&'a'), (vec![2, 3], false));
        assert_eq!(runs.end(&'a'), (vec![], false));
        assert!(!runs.ask(&'b', vec![]));
        assert_eq!(runs.end(&'b'), (vec![4], true), "nobody in particular has asked as well");
    }
}
