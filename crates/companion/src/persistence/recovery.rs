//! The part of the recovery journal in the main loop: the sessions whose entries are out of date, and the
//! answers that wait for a write.

use std::collections::BTreeSet;
use std::path::PathBuf;

use alongside_desk::Problem;
use tokio::sync::oneshot;

/// The state of the journal for the main loop.
#[derive(Debug, Default)]
pub(crate) struct Recovery {
    /// Whether the companion keeps a journal.
    keeps_journal: bool,
    /// The directory of drafts and journal.
    state_directory: PathBuf,
    outdated: Outdated,
    /// The sessions whose entries the writer is writing. Later changes are in the next write.
    underway: Option<Outdated>,
    /// The reported problem, while the journal cannot be written.
    journal_problem: Option<Problem>,
    /// The reported problem, while the disk is full.
    disk_problem: Option<Problem>,
    /// The answers that wait until the changes that they confirm are on disk, and so survive a crash.
    pending_answers: PendingAnswers,
}

/// The sessions whose entries in the journal are out of date.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Outdated {
    /// Whether all sessions are out of date, because the content of the journal is unknown.
    pub(crate) all: bool,
    pub(crate) sessions: BTreeSet<String>,
}

/// A write that has to begin.
#[derive(Debug)]
pub(crate) struct NextWrite {
    /// The entries to write; `None` if only answers wait for the writer.
    pub(crate) outdated: Option<Outdated>,
    pub(crate) answers: PendingAnswers,
}

/// Answers that wait for the disk: after a crash, the journal must have the sessions and edits that they
/// confirm.
#[derive(Default)]
pub(crate) struct PendingAnswers(Vec<Box<dyn FnOnce() + Send + Sync>>);

impl PendingAnswers {
    pub(crate) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    fn add<T: Send + Sync + 'static>(&mut self, to: oneshot::Sender<T>, answer: T) {
        // A receiver that was dropped needs no answer.
        self.0.push(Box::new(move || drop(to.send(answer))));
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn send(self) {
        for send in self.0 {
            send();
        }
    }
}

impl std::fmt::Debug for PendingAnswers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} answers", self.0.len())
    }
}

impl Recovery {
    pub(crate) fn new(keeps_journal: bool, state_directory: PathBuf) -> Self {
        Self { keeps_journal, state_directory, ..Self::default() }
    }

    /// Marks the entry of a session as out of date.
    pub(crate) fn mark_outdated(&mut self, session: &str) {
        if !self.outdated.sessions.contains(session) {
            self.outdated.sessions.insert(session.to_owned());
        }
    }

    /// Marks the entries of all sessions as out of date, because the content of the journal is unknown.
    pub(crate) fn mark_all_outdated(&mut self) {
        self.outdated.all = true;
    }

    /// Delays an answer until all changes so far are on disk.
    pub(crate) fn answer_after_write<T: Send + Sync + 'static>(&mut self, to: oneshot::Sender<T>, answer: T) {
        self.pending_answers.add(to, answer);
    }

    /// Whether the companion keeps a journal. Outcomes then wait for it.
    pub(crate) fn keeps_journal(&self) -> bool {
        self.keeps_journal
    }

    /// Returns the write that has to begin, if one is due and none is under way.
    pub(crate) fn next_write(&mut self) -> Option<NextWrite> {
        let has_changes = self.outdated.all || !self.outdated.sessions.is_empty();
        let is_due = self.keeps_journal && has_changes;
        let has_work = is_due || !self.pending_answers.is_empty();
        (has_work && self.underway.is_none()).then(|| self.begin_write(is_due))
    }

    /// Returns the last write, which does not wait for an earlier one. Only a companion that hands over
    /// writes its journal; any other one removes it.
    pub(crate) fn last_write(&mut self, hands_over: bool) -> NextWrite {
        self.outdated.all = true;
        self.begin_write(hands_over && self.keeps_journal)
    }

    fn begin_write(&mut self, writes_journal: bool) -> NextWrite {
        self.underway = writes_journal.then(|| std::mem::take(&mut self.outdated));
        NextWrite { outdated: self.underway.clone(), answers: std::mem::take(&mut self.pending_answers) }
    }

    /// Ends a write, which may have failed. Returns the sessions that waited for it, and the report for
    /// desks: a new problem, or the end of the problem.
    pub(crate) fn end_write(&mut self, error: Option<String>) -> (Outdated, Option<Problem>) {
        let news = match (error, self.journal_problem.is_some()) {
            (Some(error), false) => {
                let problem = journal_unwritable(&error);
                self.journal_problem = Some(problem.clone());
                Some(problem)
            }
            (None, true) => {
                self.journal_problem = None;
                Some(Problem::without_hint("the recovery journal is written again"))
            }
            _ => None,
        };
        (self.underway.take().unwrap_or_default(), news)
    }

    /// Whether the journal cannot be written. The caller retries the write, because the system does not
    /// report new room.
    pub(crate) fn is_failing(&self) -> bool {
        self.journal_problem.is_some()
    }

    /// Records that the disk is full, with this many bytes reserved for edits, or with `None` that it has
    /// room again. Returns the report for desks.
    pub(crate) fn mark_disk_short(&mut self, reserved: Option<u64>) -> Problem {
        self.disk_problem = reserved.map(|reserved| {
            let what = format!(
                "the disk is full: your edits are saved in the room that was reserved in {}, of which {} KiB \
                 are left",
                self.state_directory.display(),
                reserved >> 10
            );
            let hint =
                "Make room there. Without a reserve, edits are in memory only, and a crash loses them.";
            Problem::new(what, hint)
        });
        let over = "there is room on the disk again, and some of it is reserved for your edits";
        self.disk_problem.clone().unwrap_or_else(|| Problem::without_hint(over))
    }

    /// Iterates over the problems for a desk that joins.
    pub(crate) fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.journal_problem.iter().chain(&self.disk_problem)
    }
}

fn journal_unwritable(error: &str) -> Problem {
    Problem::new(
        format!("the recovery journal cannot be written: {error}"),
        "After a crash, an agent with an open proposal would wait until you type `/ide enable` in it. Make \
         sure that the state directory exists, is writable and has room; the companion retries every second.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recovery() -> Recovery {
        let mut recovery = Recovery::new(true, "/state".into());
        recovery.mark_outdated("one");
        recovery
    }

    #[test]
    fn changes_during_a_write_are_in_the_next_write() {
        let mut recovery = recovery();
        let only = |session: &str| Outdated { all: false, sessions: [session.to_owned()].into() };
        assert_eq!(recovery.next_write().unwrap().outdated, Some(only("one")));
        recovery.mark_outdated("two");
        assert!(recovery.next_write().is_none(), "one write runs at a time");
        assert_eq!(recovery.end_write(None).0, only("one"));
        assert_eq!(recovery.next_write().unwrap().outdated, Some(only("two")));
    }

    #[test]
    fn answers_wait_for_the_writer_without_a_journal() {
        let mut recovery = Recovery::new(false, "/state".into());
        recovery.mark_outdated("one");
        assert!(recovery.next_write().is_none());
        recovery.answer_after_write(oneshot::channel().0, ());
        let next = recovery.next_write().unwrap();
        assert!(next.outdated.is_none() && !next.answers.is_empty());
    }

    #[test]
    fn an_unwritable_journal_is_reported_once_and_its_end_too() {
        let mut recovery = recovery();
        assert!(recovery.end_write(Some("full".into())).1.unwrap().what.ends_with("full"));
        assert!(recovery.end_write(Some("full".into())).1.is_none());
        assert!(recovery.is_failing() && recovery.problems().count() == 1);
        assert!(recovery.end_write(None).1.unwrap().what.contains("again"));
        assert!(!recovery.is_failing() && recovery.problems().count() == 0);
    }

    #[test]
    fn only_a_companion_that_hands_over_leaves_a_journal() {
        assert!(recovery().last_write(true).outdated.unwrap().all);
        assert!(recovery().last_write(false).outdated.is_none());
    }
}
