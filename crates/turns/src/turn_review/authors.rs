//! Determines the author of each change. The agent is the author of a change between a prompt and the end of
//! its turn, and the person that of a change outside of turns. Where an end is missing, the author is
//! unknown. An undo, or taking it back, keeps the author of the change.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use alongside_desk::Author;
use alongside_platform::paths;

use crate::error::Error;
use crate::git::tree_diff;
use crate::snapshots::blobs;
use crate::snapshots::tree_access::TreeAccess;
use crate::store::escaped_path::unescape;
use crate::store::hash::hash;
use crate::store::turn_log::{AgentProcess, Kind, Record, Undone};

/// The largest number of snapshots since the baseline that are compared. With more, every author is unknown.
const MAX_SNAPSHOTS: usize = 400;

/// The time between two snapshots, and the author of changes in that time.
#[derive(Debug, PartialEq, Eq)]
struct Stretch<'a> {
    before: &'a str,
    after: &'a str,
    author: Author,
    /// The undos in that time, and the undos that were taken back.
    undone: Vec<&'a Undone>,
}

impl Stretch<'_> {
    /// Returns the authors of the files that an undo has written in that time, by path. If nothing else has
    /// changed such a file, its change keeps its author.
    fn by_undo(&self, access: &TreeAccess) -> Result<BTreeMap<Vec<u8>, Author>, Error> {
        let mut steps: BTreeMap<Vec<u8>, (&Undone, &Undone)> = BTreeMap::new();
        for &undone in &self.undone {
            steps.entry(unescape(&undone.path)).or_insert((undone, undone)).1 = undone;
        }
        let files: Vec<_> = steps.keys().filter_map(|path| paths::from_bytes(path)).collect();
        let files: Vec<&Path> = files.iter().map(|path| &**path).collect();
        let before = blobs::read_all(access, self.before, &files)?;
        let after = blobs::read_all(access, self.after, &files)?;
        let is = |found: &BTreeMap<Vec<u8>, Option<blobs::Blob>>, path: &[u8], content: &Option<String>| {
            found.get(path).and_then(|blob| Some(hash(&blob.as_ref()?.bytes))) == *content
        };
        let author = |(path, (first, last)): (Vec<u8>, (&Undone, &Undone))| {
            let author = last.author?;
            let is_all = is(&before, &path, &first.before) && is(&after, &path, &last.after);
            let author = if is_all { author } else { combined(author, self.author) };
            Some((path, author))
        };
        Ok(steps.into_iter().filter_map(author).collect())
    }
}

/// The authors of the changes since a baseline, by path.
#[derive(Debug, Default)]
pub(crate) struct Authors {
    by_path: BTreeMap<Vec<u8>, Author>,
    /// The times of turns, from the prompt to the end, in milliseconds since the Unix epoch.
    turns: Vec<(u64, u64)>,
}

impl Authors {
    /// Determines the authors of the changes from the snapshot at `baseline` in the log up to the tree `now`.
    ///
    /// # Errors
    /// When git fails.
    pub(crate) fn since(
        access: &TreeAccess,
        log: &[Record],
        baseline: usize,
        now: &str,
    ) -> Result<Self, Error> {
        let stretches = stretches(log, baseline, now);
        if stretches.len() > MAX_SNAPSHOTS {
            return Ok(Self::unknown());
        }
        let pairs: Vec<_> = stretches.iter().map(|stretch| (stretch.before, stretch.after)).collect();
        let mut by_path = BTreeMap::new();
        for (stretch, paths) in stretches.iter().zip(tree_diff::paths(&access.git, &pairs)?) {
            let by_undo = stretch.by_undo(access)?;
            for path in paths {
                let new = by_undo.get(&path).copied().unwrap_or(stretch.author);
                let author = by_path.entry(path).or_insert(new);
                *author = combined(*author, new);
            }
        }
        Ok(Self { by_path, turns: turns(log) })
    }

    /// Returns a value without any author, for a log without a turn.
    pub(crate) fn unknown() -> Self {
        Self { by_path: BTreeMap::new(), turns: Vec::new() }
    }

    /// Returns the author of the change of a file that snapshots hold. `from` is its earlier path, if it was
    /// renamed.
    pub(crate) fn known(&self, path: &[u8], from: Option<&[u8]>) -> Option<Author> {
        let found = [Some(path), from].into_iter().flatten().filter_map(|path| self.by_path.get(path));
        found.copied().reduce(combined)
    }

    /// Returns the author of the change of a file that no snapshot holds, from the time of its last change.
    /// An agent may have changed the file before that, so the result is never the person.
    pub(crate) fn at(&self, at: Option<SystemTime>) -> Author {
        let since = at.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        let is_within = |at: Duration| {
            let at = at.as_millis();
            self.turns.iter().any(|(begin, end)| u128::from(*begin) <= at && at <= u128::from(*end))
        };
        if since.is_some_and(is_within) { Author::Agent } else { Author::Unknown }
    }
}

/// Returns the author of a file that two changes have touched.
fn combined(one: Author, other: Author) -> Author {
    match (one, other) {
        (one, other) if one == other => one,
        (Author::Both, _) | (_, Author::Both) => Author::Both,
        (Author::Unknown, _) | (_, Author::Unknown) => Author::Unknown,
        (Author::Agent | Author::Person, _) => Author::Both,
    }
}

/// Returns the beginning and end of each turn in the log. A turn without an end lasts forever.
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

/// Returns the times between the snapshots from a baseline to now. If a turn has no end before the next
/// prompt of its session, the author of changes between the two prompts is unknown.
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

/// Whether the baseline is a finish, and a turn began or ended between the look of that review and the
/// finish. Then the author of changes in between is unknown.
fn begins_within(log: &[Record], baseline: usize) -> bool {
    let Some(finish) = log.get(baseline).filter(|record| record.kind == Kind::Finish) else { return false };
    log.iter().take(baseline).any(|record| record.is_of_turn() && record.at > finish.at)
}

fn author(open: &BTreeMap<(&str, &str), usize>) -> Author {
    if open.is_empty() { Author::Person } else { Author::Agent }
}

/// Lists the agents with a turn that has no end, each with whether that turn may still go on. A turn whose
/// next prompt came before the baseline does not count.
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
    fn the_agent_is_author_in_turns_and_the_person_between_them() {
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
    fn a_turn_end_between_look_and_finish_leaves_the_author_unknown() {
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
    fn a_turn_of_an_ended_agent_does_not_go_on() {
        let process = Some(AgentProcess { pid: std::process::id(), started: 1 });
        let log = [Record { process, ..record(Kind::Prompt, "s", "1") }];
        assert_eq!(without_end(&log, 0), BTreeMap::from([("", false)]));
    }

    #[test]
    fn without_an_end_of_a_turn_the_author_is_unknown() {
        let mut log = vec![record(Kind::Prompt, "s", "1"), record(Kind::Prompt, "s", "2")];
        let unknown = [("12".to_owned(), Author::Unknown), ("2now".to_owned(), Author::Agent)];
        assert_eq!(authors(&log, 0), unknown);
        assert_eq!(without_end(&log, 0), BTreeMap::from([("", false)]));
        // The second turn may go on, or the person has stopped it with Esc.
        assert_eq!(without_end(&log, 2), BTreeMap::from([("", true)]));
        // Neither another session nor a finish of a review ends the turn of this session.
        log.insert(1, record(Kind::Prompt, "t", "a"));
        log.insert(2, record(Kind::End, "t", "b"));
        log.insert(3, record(Kind::Finish, "", "c"));
        let found = authors(&log, 0);
        assert!(found[..4].iter().all(|(_, author)| *author == Author::Unknown), "{found:?}");
        assert_eq!(authors(&log, 3)[0], ("c2".to_owned(), Author::Unknown));
    }
}
