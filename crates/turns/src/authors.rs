//! Whose change it is: what changed between a prompt and the end of its turn is the agent's, what changed
//! outside of turns is the person's, and where an end is missing it cannot be told. An undo and the way back
//! from it make no change of the person: the change stays whose it was.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use alongside_desk::Author;
use alongside_platform::paths;

use crate::blobs;
use crate::escaped::unescape;
use crate::fault::Fault;
use crate::hash::hash;
use crate::log::{AgentProcess, Kind, Record, Undone};
use crate::tree_diff;
use crate::workbench::Workbench;

/// Above so many snapshots since the baseline, they are not told apart.
const MAX_SNAPSHOTS: usize = 400;

/// A stretch of time between two snapshots.
#[derive(Debug, PartialEq, Eq)]
struct Stretch<'a> {
    before: &'a str,
    after: &'a str,
    author: Author,
    /// The undos within it, and the ways back from them.
    undone: Vec<&'a Undone>,
}

impl Stretch<'_> {
    /// Whose the files are that an undo has written within, by path: where nothing else has changed one, its
    /// change stays whose it was.
    fn by_undo(&self, bench: &Workbench) -> Result<BTreeMap<Vec<u8>, Author>, Fault> {
        let mut steps: BTreeMap<Vec<u8>, (&Undone, &Undone)> = BTreeMap::new();
        for &undone in &self.undone {
            steps.entry(unescape(&undone.path)).or_insert((undone, undone)).1 = undone;
        }
        let files: Vec<_> = steps.keys().filter_map(|path| paths::from_bytes(path)).collect();
        let files: Vec<&Path> = files.iter().map(|path| &**path).collect();
        let before = blobs::read_all(bench, self.before, &files)?;
        let after = blobs::read_all(bench, self.after, &files)?;
        let is = |found: &BTreeMap<Vec<u8>, Option<blobs::Blob>>, path: &[u8], content: &Option<String>| {
            found.get(path).and_then(|blob| Some(hash(&blob.as_ref()?.bytes))) == *content
        };
        let author = |(path, (first, last)): (Vec<u8>, (&Undone, &Undone))| {
            let author = last.author?;
            let is_all = is(&before, &path, &first.before) && is(&after, &path, &last.after);
            let author = if is_all { author } else { both(author, self.author) };
            Some((path, author))
        };
        Ok(steps.into_iter().filter_map(author).collect())
    }
}

/// Whose the changes since a baseline are, by path.
#[derive(Debug, Default)]
pub(crate) struct Authors {
    by_path: BTreeMap<Vec<u8>, Author>,
    /// The times of turns, from the prompt to the end, in milliseconds since the Unix epoch.
    turns: Vec<(u64, u64)>,
}

impl Authors {
    /// Of the changes since the snapshot at `baseline` in the log, up to this tree.
    ///
    /// # Errors
    /// When git fails.
    pub(crate) fn since(
        bench: &Workbench,
        log: &[Record],
        baseline: usize,
        now: &str,
    ) -> Result<Self, Fault> {
        let stretches = stretches(log, baseline, now);
        if stretches.len() > MAX_SNAPSHOTS {
            return Ok(Self::unknown());
        }
        let pairs: Vec<_> = stretches.iter().map(|stretch| (stretch.before, stretch.after)).collect();
        let mut by_path = BTreeMap::new();
        for (stretch, paths) in stretches.iter().zip(tree_diff::paths(&bench.git, &pairs)?) {
            let by_undo = stretch.by_undo(bench)?;
            for path in paths {
                let new = by_undo.get(&path).copied().unwrap_or(stretch.author);
                let author = by_path.entry(path).or_insert(new);
                *author = both(*author, new);
            }
        }
        Ok(Self { by_path, turns: turns(log) })
    }

    /// Where nothing is known of turns.
    pub(crate) fn unknown() -> Self {
        Self { by_path: BTreeMap::new(), turns: Vec::new() }
    }

    /// Whose the change of a file is that snapshots hold, and that had another path if it was renamed.
    pub(crate) fn known(&self, path: &[u8], from: Option<&[u8]>) -> Option<Author> {
        let found = [Some(path), from].into_iter().flatten().filter_map(|path| self.by_path.get(path));
        found.copied().reduce(both)
    }

    /// Whose the change of a file is that no snapshot holds, by the time of its last change. An earlier one
    /// may have been another's, so that it is never said to be the person's alone.
    pub(crate) fn at(&self, at: Option<SystemTime>) -> Author {
        let since = at.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        let is_within = |at: Duration| {
            let at = at.as_millis();
            self.turns.iter().any(|(begin, end)| u128::from(*begin) <= at && at <= u128::from(*end))
        };
        if since.is_some_and(is_within) { Author::Agent } else { Author::Unknown }
    }
}

/// Whose a file is that was changed twice.
fn both(one: Author, other: Author) -> Author {
    match (one, other) {
        (one, other) if one == other => one,
        (Author::Both, _) | (_, Author::Both) => Author::Both,
        (Author::Unknown, _) | (_, Author::Unknown) => Author::Unknown,
        (Author::Agent | Author::Person, _) => Author::Both,
    }
}

/// The times of turns whose end is known, and of those that go on.
fn turns(log: &[Record]) -> Vec<(u64, u64)> {
    let (mut open, mut found): (BTreeMap<(&str, &str), u64>, Vec<_>) = Default::default();
    for record in log {
        let session = (&*record.agent, &*record.session);
        match record.kind {
            Kind::Prompt => drop(open.insert(session, record.at)),
            Kind::End => found.extend(open.remove(&session).map(|begin| (begin, record.at))),
            Kind::Finish | Kind::Undo | Kind::Other => {}
        }
    }
    found.extend(open.into_values().map(|begin| (begin, u64::MAX)));
    found
}

/// The stretches from a baseline to now. A session whose turn has no end before its next prompt leaves the
/// time since the earlier prompt unknown.
fn stretches<'a>(log: &'a [Record], baseline: usize, now: &'a str) -> Vec<Stretch<'a>> {
    let (mut open, mut found): (BTreeMap<(&str, &str), usize>, Vec<Stretch<'a>>) = Default::default();
    let (mut before, mut undone) = (None, Vec::new());
    for (at, record) in log.iter().enumerate() {
        let is_since = at >= baseline;
        undone.extend(record.undone.as_ref().filter(|_| is_since));
        if is_since && let Some(tree) = record.tree.as_deref() {
            if let Some(before) = before {
                let undone = std::mem::take(&mut undone);
                found.push(Stretch { before, after: tree, author: author(&open), undone });
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
        found.push(Stretch { before, after: now, author: author(&open), undone });
    }
    if begins_within(log, baseline)
        && let Some(first) = found.first_mut()
    {
        first.author = Author::Unknown;
    }
    found
}

/// Whether a turn began or ended between the look of a finished review, whose tree the baseline is, and its
/// finish: whose the changes in between are is not known.
fn begins_within(log: &[Record], baseline: usize) -> bool {
    let Some(finish) = log.get(baseline).filter(|record| record.kind == Kind::Finish) else { return false };
    let is_of_turn = |record: &Record| matches!(record.kind, Kind::Prompt | Kind::End);
    log.iter().take(baseline).any(|record| is_of_turn(record) && record.at > finish.at)
}

fn author(open: &BTreeMap<(&str, &str), usize>) -> Author {
    if open.is_empty() { Author::Person } else { Author::Agent }
}

/// The agents whose turns have no end, for people, each with whether its last one may still go on. A turn
/// whose next prompt came before the baseline is none of them.
pub(crate) fn without_end(log: &[Record], baseline: usize) -> BTreeMap<&str, bool> {
    let mut open: BTreeMap<(&str, &str), Option<AgentProcess>> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for (at, record) in log.iter().enumerate() {
        let session = (&*record.agent, &*record.session);
        match record.kind {
            Kind::Prompt => {
                if open.insert(session, record.process).is_some() && at >= baseline {
                    found.insert(&*record.agent, false);
                }
            }
            Kind::End => drop(open.remove(&session)),
            Kind::Finish | Kind::Undo | Kind::Other => {}
        }
    }
    for ((agent, _), process) in open {
        let goes_on = process.is_none_or(|process| process.runs());
        found.entry(agent).and_modify(|known| *known &= goes_on).or_insert(goes_on);
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
    fn a_turn_that_ends_between_a_look_and_its_finish_leaves_that_time_unknown() {
        let at = |kind, at, tree| Record { at, ..record(kind, "s", tree) };
        let log = [
            at(Kind::Prompt, 1, "1"),
            at(Kind::End, 3, "2"),
            at(Kind::Finish, 2, "a"),
            at(Kind::Prompt, 4, "3"),
        ];
        assert_eq!(authors(&log, 2), [("a3".to_owned(), Author::Unknown), ("3now".into(), Author::Agent)]);
    }

    #[test]
    fn an_agent_that_has_ended_leaves_no_turn_that_goes_on() {
        let process = Some(AgentProcess { pid: std::process::id(), started: 1 });
        let log = [Record { process, ..record(Kind::Prompt, "s", "1") }];
        assert_eq!(without_end(&log, 0), BTreeMap::from([("", false)]));
    }

    #[test]
    fn a_missing_end_leaves_its_time_unknown() {
        let mut log = vec![record(Kind::Prompt, "s", "1"), record(Kind::Prompt, "s", "2")];
        let unknown = [("12".to_owned(), Author::Unknown), ("2now".to_owned(), Author::Agent)];
        assert_eq!(authors(&log, 0), unknown);
        assert_eq!(without_end(&log, 0), BTreeMap::from([("", false)]));
        // The one that is open may go on, or was stopped.
        assert_eq!(without_end(&log, 2), BTreeMap::from([("", true)]));
        // Another session ends nothing of this one, and a review that is finished within a turn neither.
        log.insert(1, record(Kind::Prompt, "t", "a"));
        log.insert(2, record(Kind::End, "t", "b"));
        log.insert(3, record(Kind::Finish, "", "c"));
        let found = authors(&log, 0);
        assert!(found[..4].iter().all(|(_, author)| *author == Author::Unknown), "{found:?}");
        assert_eq!(authors(&log, 3)[0], ("c2".to_owned(), Author::Unknown));
    }
}
