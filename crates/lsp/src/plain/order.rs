//! Changes that come in the wrong order. Helix 25.01 sends each from a task of its own, so that of three keys
//! typed at once the first may come last; its number still says where it belongs. What came before it is
//! taken back, and done again after it.

use std::collections::VecDeque;

use alongside_desk::Text;
use serde_json::Value;

/// How many changes are remembered, and how many bytes of text for them; never fewer than [`FEWEST`].
const MOST: usize = 16;
const ROOM: usize = 4 << 20;
const FEWEST: usize = 2;

/// The last changes of a document, in the order of their numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct Order(VecDeque<Done>);

/// A change that was made.
#[derive(Debug, Clone)]
struct Done {
    /// The document's number before.
    after: i32,
    number: i32,
    before: Text,
    changes: Vec<Value>,
}

/// Where a change was missing.
#[derive(Debug)]
pub(super) struct Gap {
    /// The text it belongs to.
    pub(super) before: Text,
    /// The number of that.
    pub(super) after: i32,
    /// The changes after it, and their numbers.
    pub(super) later: Vec<(i32, Vec<Value>)>,
}

impl Order {
    /// Where a change with this number belongs, if that is before some that were made: they are to be made
    /// again after it. Editors that count otherwise, as those that begin anew, have no such gap.
    pub(super) fn gap(&mut self, number: i32) -> Option<Gap> {
        let at = self.0.iter().position(|done| done.after < number && number < done.number)?;
        let later = self.0.split_off(at);
        let (before, after) = later.front().map(|done| (done.before.clone(), done.after))?;
        Some(Gap {
            before,
            after,
            later: later.into_iter().map(|done| (done.number, done.changes)).collect(),
        })
    }

    /// A change is made.
    pub(super) fn done(&mut self, after: i32, number: i32, before: Text, changes: &[Value]) {
        let size = before.text().len().max(1);
        self.0.push_back(Done { after, number, before, changes: changes.to_vec() });
        while self.0.len() > FEWEST && (self.0.len() > MOST || self.0.len() * size > ROOM) {
            self.0.pop_front();
        }
    }
}
