//! The requests of an agent that are on their way. Those on different connections overtake each other: a
//! proposal that was broken off while the companion was held up is still read afterwards, and must not take
//! the place of the one that came after it.

use std::collections::BTreeMap;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    begun: u64,
    unread: usize,
    /// Which request proposed for a file last, of those that others may still come behind.
    proposed: BTreeMap<String, u64>,
}

impl InFlight {
    /// One has begun. Returns its number: later ones have larger ones.
    pub(crate) fn begin(&mut self) -> u64 {
        self.unread += 1;
        self.begun += 1;
        self.begun
    }

    /// What one says is known.
    pub(crate) fn end(&mut self) {
        self.unread = self.unread.saturating_sub(1);
        if self.are_read() {
            // Nothing that began before is on its way any more.
            self.proposed.clear();
        }
    }

    /// Nothing that is still on its way will be read.
    pub(crate) fn give_up(&mut self) {
        self.unread = 0;
    }

    /// Whether nothing is on its way.
    pub(crate) fn are_read(&self) -> bool {
        self.unread == 0
    }

    /// A request proposes for a file. False if a later one has done so already.
    pub(crate) fn propose(&mut self, post: u64, file_path: &str) -> bool {
        let last = self.proposed.entry(file_path.to_owned()).or_insert(post);
        let is_last = *last <= post;
        *last = post.max(*last);
        is_last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proposal_that_was_overtaken_is_not_the_last_until_all_is_read() {
        let mut in_flight = InFlight::default();
        let (first, second) = (in_flight.begin(), in_flight.begin());
        assert!(in_flight.propose(second, "/a"));
        in_flight.end();
        assert!(!in_flight.propose(first, "/a"));
        assert!(in_flight.propose(first, "/b"), "another file");
        assert!(in_flight.propose(second, "/a"), "a batch proposes twice");
        in_flight.end();
        assert!(in_flight.are_read());
        assert!(in_flight.proposed.is_empty());
        let third = in_flight.begin();
        assert!(in_flight.propose(third, "/a"));
    }
}
