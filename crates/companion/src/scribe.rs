//! The one task that writes our own files, in order, so that the loop never waits for a disk. What is written over
//! before it was written at all is skipped, and a draft that could not be written is kept and tried again.
//!
//! It writes on the runtime's threads for blocking work, one job after the other. So it ends with its runtime: one that is shut down
//! waits for what is being written and forgets what is still queued, as a crash would. A companion that is stopped, handed
//! over or dropped while its runtime goes on has everything written.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use alongside_desk::Problem;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::builder::Editor;
use crate::discovery::Publisher;
use crate::drafts::{Drafts, NewDraft};
use crate::hub::{Event, Events};
use crate::journal::{Journal, Keeper};
use crate::private;

/// How long until a draft that could not be written is tried again.
const AGAIN_AFTER: Duration = Duration::from_secs(2);

/// What came of writing a draft.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) id: String,
    pub(crate) number: u64,
    /// The reviewed file.
    pub(crate) file: String,
    /// Why it is not there.
    pub(crate) error: Option<String>,
}

/// A job for the scribe.
#[derive(Debug)]
pub(crate) enum Job {
    /// Says so when it was tried.
    SaveDraft(NewDraft, Option<oneshot::Sender<()>>),
    DeleteDraft(String),
    /// Writes the journal, then gives the answers that must not be given before.
    WriteJournal(Journal, Answers),
    /// Writes the discovery files for these roots; `focused` takes shared names over from other companions.
    Publish {
        roots: Vec<PathBuf>,
        focused: bool,
        done: Option<oneshot::Sender<Vec<Problem>>>,
    },
    /// Publishes as this editor's from now on.
    SetEditor(Editor),
    /// Removes the discovery files, then answers.
    Withdraw(oneshot::Sender<()>),
    /// Lets a successor have everything, then answers.
    LetGo(oneshot::Sender<()>),
    /// Removes everything that belongs to a running companion, then answers.
    Retire(oneshot::Sender<()>),
}

/// Answers that wait for the journal: an agent that has one and then loses us must be known to who comes after us.
#[derive(Default)]
pub(crate) struct Answers(Vec<Box<dyn FnOnce() + Send + Sync>>);

impl Answers {
    pub(crate) fn add<T: Send + Sync + 'static>(&mut self, to: oneshot::Sender<T>, answer: T) {
        // An asker that is gone needs no answer.
        self.0.push(Box::new(move || drop(to.send(answer))));
    }

    pub(crate) fn give(self) {
        self.0.into_iter().for_each(|give| give());
    }
}

impl std::fmt::Debug for Answers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} answers", self.0.len())
    }
}

/// Hands jobs to the task, which ends with the last handle.
#[derive(Debug, Clone)]
pub(crate) struct Scribe {
    jobs: UnboundedSender<Job>,
}

impl Scribe {
    /// Begins to work in the current runtime.
    pub(crate) fn start(
        drafts: Drafts,
        keeper: Option<Keeper>,
        publisher: Publisher,
        events: Events,
    ) -> Self {
        let (jobs, mut queue) = mpsc::unbounded_channel();
        let (unsaved, tried) = (BTreeMap::new(), Instant::now());
        let mut desk = Workplace { drafts, keeper, publisher, events, unsaved, tried };
        tokio::spawn(async move {
            while let Some(next) = desk.next(&mut queue).await {
                let batch = tokio::task::spawn_blocking(move || {
                    desk.work(next, &mut queue);
                    (desk, queue)
                });
                // Nobody but the end of the runtime interrupts it.
                let Ok(back) = batch.await else { return };
                (desk, queue) = back;
            }
        });
        Self { jobs }
    }

    /// Queues a job.
    pub(crate) fn send(&self, job: Job) {
        // The task ends only when every handle is gone.
        let _ = self.jobs.send(job);
    }
}

/// What there is to do.
enum Next {
    Do(Job),
    /// What could not be written is tried again.
    TryAgain,
}

fn skip_overwritten(jobs: &mut Vec<Job>) {
    let mut at = 0;
    while at < jobs.len() {
        let overwritten = jobs[at + 1..].iter().any(|later| match (&jobs[at], later) {
            (Job::SaveDraft(old, _), Job::SaveDraft(new, _)) => old.id == new.id,
            (Job::SaveDraft(old, _), Job::DeleteDraft(id)) => old.id == *id,
            (Job::WriteJournal(..), Job::WriteJournal(..)) => true,
            _ => false,
        });
        if overwritten {
            let answers = match jobs.remove(at) {
                Job::WriteJournal(_, answers) => answers,
                _ => continue,
            };
            // They wait for what they were promised or newer.
            let newer = jobs[at..].iter_mut().find_map(|job| match job {
                Job::WriteJournal(_, answers) => Some(answers),
                _ => None,
            });
            if let Some(newer) = newer {
                newer.0.splice(0..0, answers.0);
            }
        } else {
            at += 1;
        }
    }
}

struct Workplace {
    drafts: Drafts,
    keeper: Option<Keeper>,
    publisher: Publisher,
    events: Events,
    /// Drafts that could not be written, by their ids.
    unsaved: BTreeMap<String, NewDraft>,
    /// When they were tried last.
    tried: Instant,
}

impl Workplace {
    /// How long until what could not be written is tried again; `None` if there is nothing.
    fn until_again(&self) -> Option<Duration> {
        (!self.unsaved.is_empty()).then(|| AGAIN_AFTER.saturating_sub(self.tried.elapsed()))
    }

    /// Waits for something to do; `None` when nothing comes any more.
    async fn next(&self, queue: &mut UnboundedReceiver<Job>) -> Option<Next> {
        let job = match self.until_again() {
            None => queue.recv().await,
            Some(patience) => match tokio::time::timeout(patience, queue.recv()).await {
                Ok(job) => job,
                Err(_) => return Some(Next::TryAgain),
            },
        };
        job.map(Next::Do)
    }

    /// Does it, and whatever comes meanwhile. Blocks.
    fn work(&mut self, next: Next, queue: &mut UnboundedReceiver<Job>) {
        let mut waiting = match next {
            Next::Do(job) => vec![job],
            Next::TryAgain => {
                self.try_again();
                Vec::new()
            }
        };
        loop {
            while let Ok(job) = queue.try_recv() {
                waiting.push(job);
            }
            if waiting.is_empty() {
                return;
            }
            skip_overwritten(&mut waiting);
            waiting.drain(..).for_each(|job| self.carry_out(job));
        }
    }

    fn try_again(&mut self) {
        for draft in std::mem::take(&mut self.unsaved).into_values() {
            self.save(draft);
        }
    }

    /// What a person typed is kept in memory while it cannot be kept on disk.
    fn save(&mut self, draft: NewDraft) {
        let error = self.drafts.save(&draft).err().map(|error| error.to_string());
        let (id, number, file) = (draft.id.clone(), draft.number, draft.file.clone());
        match &error {
            Some(error) => {
                tracing::error!(draft = id, error, "cannot save the draft");
                self.unsaved.insert(id.clone(), draft);
                self.tried = Instant::now();
            }
            None => drop(self.unsaved.remove(&id)),
        }
        self.events.send(Event::DraftWritten(Written { id, number, file, error }));
    }

    fn carry_out(&mut self, job: Job) {
        match job {
            Job::SaveDraft(draft, written) => {
                self.save(draft);
                written.map(|written| written.send(()));
            }
            Job::DeleteDraft(id) => {
                self.unsaved.remove(&id);
                // A draft that was never saved need not be deleted.
                let _ = self.drafts.delete(&id);
            }
            Job::WriteJournal(journal, answers) => {
                self.write_journal(&journal);
                answers.give();
            }
            Job::Publish { roots, focused, done } => {
                let problems = self.publisher.publish(&roots, focused);
                done.map(|done| done.send(problems));
            }
            Job::SetEditor(editor) => {
                self.publisher.name = editor.name;
                self.publisher.display_name = editor.display_name;
                self.publisher.pid = editor.pid;
            }
            Job::Withdraw(done) => {
                self.publisher.withdraw();
                let _ = done.send(());
            }
            Job::LetGo(done) => {
                self.try_again();
                // Its lock goes with it.
                self.keeper = None;
                let _ = done.send(());
            }
            Job::Retire(done) => {
                self.try_again();
                self.publisher.withdraw();
                if let Some(keeper) = self.keeper.take() {
                    let _ = fs::remove_file(keeper.path());
                }
                let _ = done.send(());
            }
        }
    }

    fn write_journal(&self, journal: &Journal) {
        let Some(keeper) = &self.keeper else { return };
        let written = serde_json::to_vec(journal)
            .map_err(Into::into)
            .and_then(|json| private::write(keeper.path(), &json));
        if let Err(error) = written {
            tracing::error!(path = %keeper.path().display(), %error, "cannot write the journal");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_a_journal_that_is_skipped_wait_for_the_newer_one() {
        let (first, mut first_answered) = oneshot::channel();
        let (second, mut second_answered) = oneshot::channel();
        let (mut older, mut newer) = (Answers::default(), Answers::default());
        older.add(first, 1);
        newer.add(second, 2);
        let mut jobs = vec![
            Job::WriteJournal(Journal::default(), older),
            Job::DeleteDraft("d".into()),
            Job::WriteJournal(Journal::default(), newer),
        ];
        skip_overwritten(&mut jobs);
        assert!(matches!(jobs[..], [Job::DeleteDraft(_), Job::WriteJournal(..)]));
        assert!(first_answered.try_recv().is_err(), "answered before anything was written");
        let Some(Job::WriteJournal(_, answers)) = jobs.pop() else { unreachable!() };
        answers.give();
        assert_eq!((first_answered.try_recv(), second_answered.try_recv()), (Ok(1), Ok(2)));
    }
}
