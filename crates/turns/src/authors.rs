//! Whose change it is: what changed between a prompt and the end of its turn is the agent's, what changed
//! outside of turns is the person's, and where an end is missing it cannot be told.

use std::collections::{BTreeMap, BTreeSet};

use alongside_desk::Author;

use crate::fault::Fault;
use crate::git::Git;
use crate::log::{Kind, Record};
use crate::tree_diff;

/// Above so many snapshots since the baseline, they are not told apart.
const MAX_SNAPSHOTS: usize = 400;

/// A stretch of time between two snapshots.
#[derive(Debug, PartialEq, Eq)]
struct Stretch<'a> {
    before: &'a str,
    after: &'a str,
    author: Author,
}

/// Whose the changes since a baseline are, by path.
#[derive(Debug, Default)]
pub(crate) struct Authors {
    by_path: BTreeMap<Vec<u8>, Author>,
    /// Whose changes are that no stretch knows, such as those of ignored files.
    last: Author,
}

impl Authors {
    /// Of the changes since the snapshot at `baseline` in the log, up to this tree.
    ///
    /// # Errors
    /// When git fails.
    pub(crate) fn since(git: &Git, log: &[Record], baseline: usize, now: &str) -> Result<Self, Fault> {
        let stretches = stretches(log, baseline, now);
        let last = stretches.last().map_or(Author::Unknown, |stretch| stretch.author);
        if stretches.len() > MAX_SNAPSHOTS {
            return Ok(Self { by_path: BTreeMap::new(), last: Author::Unknown });
        }
        let pairs: Vec<_> = stretches.iter().map(|stretch| (stretch.before, stretch.after)).collect();
        let mut by_path = BTreeMap::new();
        for (stretch, paths) in stretches.iter().zip(tree_diff::paths(git, &pairs)?) {
            for path in paths {
                let author = by_path.entry(path).or_insert(stretch.author);
                *author = both(*author, stretch.author);
            }
        }
        Ok(Self { by_path, last })
    }

    /// Where nothing is known of turns.
    pub(crate) fn unknown() -> Self {
        Self { by_path: BTreeMap::new(), last: Author::Unknown }
    }

    /// Whose the change of a file is, which had another path if it was renamed.
    pub(crate) fn of(&self, path: &[u8], from: Option<&[u8]>) -> Author {
        let found = [Some(path), from].into_iter().flatten().filter_map(|path| self.by_path.get(path));
        found.copied().reduce(both).unwrap_or(self.last)
    }
}

/// Of a file that both have changed, the agent's change counts.
fn both(one: Author, other: Author) -> Author {
    match (one, other) {
        (Author::Agent, _) | (_, Author::Agent) => Author::Agent,
        (Author::Unknown, _) | (_, Author::Unknown) => Author::Unknown,
        (Author::Person, Author::Person) => Author::Person,
    }
}

/// The stretches from a baseline to now. A session whose turn has no end before its next prompt leaves the
/// time since the earlier prompt unknown.
fn stretches<'a>(log: &'a [Record], baseline: usize, now: &'a str) -> Vec<Stretch<'a>> {
    let (mut open, mut found): (BTreeMap<(&str, &str), usize>, Vec<Stretch<'a>>) = Default::default();
    let mut before = None;
    for (at, record) in log.iter().enumerate() {
        let is_since = at >= baseline;
        if is_since && let Some(tree) = record.tree.as_deref() {
            if let Some(before) = before {
                found.push(Stretch { before, after: tree, author: author(&open) });
            }
            before = Some(tree);
        }
        let session = (&*record.agent, &*record.session);
        match record.kind {
            Kind::Prompt => {
                if let Some(begun) = open.insert(session, found.len()) {
                    for stretch in found.iter_mut().skip(begun) {
                        stretch.author = Author::Unknown;
                    }
                }
            }
            Kind::End => drop(open.remove(&session)),
            Kind::Finish | Kind::Undo | Kind::Other => {}
        }
    }
    if let Some(before) = before {
        found.push(Stretch { before, after: now, author: author(&open) });
    }
    found
}

fn author(open: &BTreeMap<(&str, &str), usize>) -> Author {
    if open.is_empty() { Author::Person } else { Author::Agent }
}

/// The agents whose turns since a baseline have no end before their next prompt, for people.
pub(crate) fn without_end(log: &[Record], baseline: usize) -> BTreeSet<&str> {
    let mut open = BTreeSet::new();
    let mut found = BTreeSet::new();
    for record in log.iter().skip(baseline) {
        let session = (&*record.agent, &*record.session);
        match record.kind {
            Kind::Prompt if !open.insert(session) => {
                found.insert(&*record.agent);
            }
            Kind::End => drop(open.remove(&session)),
            Kind::Prompt | Kind::Finish | Kind::Undo | Kind::Other => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: Kind, session: &str, tree: &str) -> Record {
        Record { session: session.into(), tree: Some(tree.into()), ..Record::new(kind, 1) }
    }

    fn authors(log: &[Record], baseline: usize) -> Vec<(String, Author)> {
        let found = stretches(log, baseline, "now");
        found.iter().map(|it| (format!("{}{}", it.before, it.after), it.author)).collect()
    }

    #[test]
    fn turns_are_the_agents_and_the_time_between_is_the_persons() {
        let log = [
            record(Kind::Prompt, "s", "1"),
            record(Kind::End, "s", "2"),
            record(Kind::Finish, "", "3"),
            record(Kind::Prompt, "s", "4"),
            record(Kind::End, "s", "5"),
        ];
        let all = [("12", Author::Agent), ("23", Author::Person), ("34", Author::Person)];
        let all = all.into_iter().chain([("45", Author::Agent), ("5now", Author::Person)]);
        let all: Vec<_> = all.map(|(pair, author)| (pair.to_owned(), author)).collect();
        assert_eq!(authors(&log, 0), all);
        assert_eq!(authors(&log, 2), all[2..]);
        assert!(without_end(&log, 0).is_empty());
    }

    #[test]
    fn a_missing_end_leaves_its_time_unknown() {
        let mut log = vec![record(Kind::Prompt, "s", "1"), record(Kind::Prompt, "s", "2")];
        let unknown = [("12".to_owned(), Author::Unknown), ("2now".to_owned(), Author::Agent)];
        assert_eq!(authors(&log, 0), unknown);
        assert_eq!(without_end(&log, 0).len(), 1);
        // Another session ends nothing of this one, and a review that is finished within a turn neither.
        log.insert(1, record(Kind::Prompt, "t", "a"));
        log.insert(2, record(Kind::End, "t", "b"));
        log.insert(3, record(Kind::Finish, "", "c"));
        let found = authors(&log, 0);
        assert!(found[..4].iter().all(|(_, author)| *author == Author::Unknown), "{found:?}");
        assert_eq!(authors(&log, 3)[0], ("c2".to_owned(), Author::Unknown));
    }
}
