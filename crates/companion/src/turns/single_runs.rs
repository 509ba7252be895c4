//! Work with at most one run under way for each key. A request during a run waits for the next run, because
//! the run under way may have missed the change that caused the request.

use std::collections::BTreeMap;

/// The runs under way, by key. A request waits for the end of a run.
#[derive(Debug)]
pub(super) struct SingleRuns<Key, Request>(BTreeMap<Key, Run<Request>>);

/// A run that is under way.
#[derive(Debug)]
struct Run<Request> {
    requests: Vec<Request>,
    /// The requests since the run began, for another run; `None` if no other run was requested.
    later: Option<Vec<Request>>,
}

impl<Key, Request> Default for SingleRuns<Key, Request> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<Key: Clone + Ord, Request> SingleRuns<Key, Request> {
    /// Begins a run for these requests, of which there may be none, or queues them for the next run. Returns
    /// whether the caller has to begin the run now.
    pub(super) fn begin_or_queue(&mut self, key: &Key, requests: Vec<Request>) -> bool {
        if let Some(run) = self.0.get_mut(key) {
            run.later.get_or_insert_default().extend(requests);
            return false;
        }
        self.0.insert(key.clone(), Run { requests, later: None });
        true
    }

    /// Ends a run. Returns its requests, and whether the caller has to begin another run now.
    pub(super) fn end(&mut self, key: &Key) -> (Vec<Request>, bool) {
        let Some(Run { requests, later }) = self.0.remove(key) else { return (Vec::new(), false) };
        let again = later.map(|later| self.begin_or_queue(key, later)).unwrap_or_default();
        (requests, again)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_during_a_run_waits_for_the_next_run() {
        let mut runs = SingleRuns::default();
        assert!(runs.begin_or_queue(&'a', vec![1]));
        assert!(!runs.begin_or_queue(&'a', vec![2]) && !runs.begin_or_queue(&'a', vec![3]));
        assert!(runs.begin_or_queue(&'b', vec![4]), "another key");
        assert_eq!(runs.end(&'a'), (vec![1], true));
        assert_eq!(runs.end(&'a'), (vec![2, 3], false));
        assert_eq!(runs.end(&'a'), (vec![], false));
        assert!(!runs.begin_or_queue(&'b', vec![]));
        assert_eq!(runs.end(&'b'), (vec![4], true), "an empty list of requests counts as well");
    }
}
