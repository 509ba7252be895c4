//! The list of changes that rules and grants have accepted. Each entry shows its diff on demand. Above the
//! entries are the person's grants.

use std::collections::BTreeSet;
use std::ops::Range;

use alongside_desk::{Grant, RuleAcceptance};

/// The list of accepted changes. Changes that are accepted later do not change the open list.
#[derive(Debug)]
pub(crate) struct AcceptedByRule {
    grants: Vec<Grant>,
    /// The accepted changes, the newest first.
    entries: Vec<RuleAcceptance>,
    /// The indices of the entries that show their diff.
    open: BTreeSet<usize>,
    /// The selected row.
    at: usize,
}

/// One row of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AcceptedRow<'a> {
    Blank,
    Heading(&'static str),
    Grant(&'a Grant),
    /// An entry, and whether it shows its diff.
    Entry(&'a RuleAcceptance, bool),
    /// A line of a diff.
    Line(&'a str),
    /// The note that the end of the diff is missing.
    Cut,
}

impl AcceptedByRule {
    /// Creates the list; `None` if there are no grants and no accepted changes.
    pub(crate) fn new(grants: &[Grant], entries: &[RuleAcceptance]) -> Option<Self> {
        let entries: Vec<_> = entries.iter().rev().cloned().collect();
        let list = Self { grants: grants.to_vec(), entries, open: BTreeSet::new(), at: 0 };
        let first = list.rows().iter().position(|(of, _)| of.is_some());
        let is_empty = list.grants.is_empty() && list.entries.is_empty();
        (!is_empty).then_some(Self { at: first.unwrap_or_default(), ..list })
    }

    /// Whether there are grants to take back.
    pub(crate) fn has_grants(&self) -> bool {
        !self.grants.is_empty()
    }

    /// All rows, each with the index of its entry, if it belongs to one.
    pub(crate) fn rows(&self) -> Vec<(Option<usize>, AcceptedRow<'_>)> {
        let mut rows = Vec::new();
        if !self.grants.is_empty() {
            rows.push((None, AcceptedRow::Heading("Accepted ahead, until the agent ends:")));
            rows.extend(self.grants.iter().map(|grant| (None, AcceptedRow::Grant(grant))));
            rows.push((None, AcceptedRow::Blank));
        }
        if !self.entries.is_empty() {
            rows.push((None, AcceptedRow::Heading("Accepted without you, the newest first:")));
        }
        for (place, entry) in self.entries.iter().enumerate() {
            let is_open = self.open.contains(&place);
            rows.push((Some(place), AcceptedRow::Entry(entry, is_open)));
            if is_open {
                rows.extend(entry.diff.lines().map(|line| (Some(place), AcceptedRow::Line(line))));
                rows.extend(entry.is_cut.then_some((Some(place), AcceptedRow::Cut)));
            }
        }
        rows
    }

    /// The selected row.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The rows that are on a screen of this height. The selected row is one of them.
    pub(crate) fn rows_on_screen(&self, height: u16) -> Range<usize> {
        let (height, rows) = (usize::from(height), self.rows().len());
        let top = (self.at + 1).saturating_sub(height.div_ceil(2)).min(rows.saturating_sub(height));
        top..(top + height).min(rows)
    }

    /// Moves the selection by rows.
    pub(crate) fn scroll(&mut self, by: isize) {
        let last = self.rows().len().saturating_sub(1);
        self.at = self.at.saturating_add_signed(by).min(last);
    }

    /// Shows or hides the diff of the selected entry.
    pub(crate) fn toggle(&mut self) {
        let place = self.rows().get(self.at).and_then(|(place, _)| *place);
        let Some(place) = place else { return };
        if !self.open.remove(&place) {
            self.open.insert(place);
            return;
        }
        // The selected row may have been a line of the hidden diff, so the entry's own row is selected.
        let at = self.rows().iter().position(|(of, _)| *of == Some(place));
        self.at = at.unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u64) -> RuleAcceptance {
        RuleAcceptance { number, diff: "@@ -1,1 +1,1 @@\n-a\n+b\n".into(), ..RuleAcceptance::default() }
    }

    #[test]
    fn an_entry_shows_its_diff_and_hides_it() {
        assert!(AcceptedByRule::new(&[], &[]).is_none());
        let mut list = AcceptedByRule::new(&[], &[entry(1), entry(2)]).unwrap();
        assert!(matches!(list.rows()[1].1, AcceptedRow::Entry(newest, false) if newest.number == 2));
        assert_eq!((list.at(), list.rows().len()), (1, 3));
        list.toggle();
        assert_eq!((list.at(), list.rows().len()), (1, 6));
        assert_eq!(list.rows()[3].1, AcceptedRow::Line("-a"));
        list.scroll(2);
        list.toggle();
        assert_eq!((list.at(), list.rows().len()), (1, 3), "the entry stays selected");
        list.scroll(9);
        assert_eq!(list.at(), 2);
        list.scroll(-9);
        list.toggle();
        assert_eq!((list.at(), list.rows().len()), (0, 3), "a heading has nothing to open");
    }

    #[test]
    fn the_persons_row_is_on_the_screen() {
        let entries: Vec<_> = (0..50).map(entry).collect();
        let mut list = AcceptedByRule::new(&[], &entries).unwrap();
        for by in [0, 7, 20, 40, -30, -90] {
            list.scroll(by);
            let shown = list.rows_on_screen(10);
            assert!(shown.contains(&list.at()) && shown.len() == 10, "{shown:?} {}", list.at());
        }
        assert_eq!(list.rows_on_screen(200), 0..51);
    }
}
