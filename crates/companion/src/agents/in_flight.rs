//! The requests of an agent that have begun and are not read yet. Requests on different connections overtake
//! each other. A proposal whose connection broke off during a stall is still read later, and must not replace
//! a newer proposal.

use std::collections::BTreeMap;

/// The requests in flight of one agent.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    /// The number of the newest request.
    newest: u64,
    /// The number of requests that are not read yet.
    unread: usize,
    /// The newest request that proposed for each file, as long as older requests may still be in flight.
    newest_proposals: BTreeMap<String, u64>,
}

impl InFlight {
    /// Counts a new request as in flight. Returns its number, which is higher than all earlier ones.
    pub(crate) fn begin(&mut self) -> u64 {
        self.unread += 1;
        self.newest += 1;
        self.newest
    }

    /// Counts a request as read, with all its messages.
    pub(crate) fn end(&mut self) {
        self.unread = self.unread.saturating_sub(1);
        if self.are_read() {
            // No older request is in flight any more.
            self.newest_proposals.clear();
        }
    }

    /// Counts no request as in flight any more, because none will be read.
    pub(crate) fn give_up(&mut self) {
        self.unread = 0;
    }

    /// Whether every request is read.
    pub(crate) fn are_read(&self) -> bool {
        self.unread == 0
    }

    /// Records that a request proposes for a file. Returns false if a later request has proposed for it
    /// already.
    pub(crate) fn propose(&mut self, request: u64, file_path: &str) -> bool {
        let last = self.newest_proposals.entry(file_path.to_owned()).or_insert(request);
        let is_last = *last <= request;
        *last = request.max(*last);
        is_last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overtaken_proposal_is_refused_until_all_requests_are_read() {
        let mut in_flight = InFlight::default();
        let (first, second) = (in_flight.begin(), in_flight.begin());
        assert!(in_flight.propose(second, "/a"));
        in_flight.end();
        assert!(!in_flight.propose(first, "/a"));
        assert!(in_flight.propose(first, "/b"), "another file");
        assert!(in_flight.propose(second, "/a"), "a batch proposes twice");
        in_flight.end();
        assert!(in_flight.are_read());
        assert!(in_flight.newest_proposals.is_empty());
        let third = in_flight.begin();
        assert!(in_flight.propose(third, "/a"));
    }
}
