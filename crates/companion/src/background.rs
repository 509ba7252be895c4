//! The tasks beside the main loop: the writer, and tasks that wait for a disk or a clock and send their
//! result as an event.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use alongside_desk::Closing;
use alongside_platform::process;
use alongside_platform::watch::Watch;
use tokio::sync::oneshot;

use crate::calls::registry::{DiagnosticsCall, Mention};
use crate::context::privacy::Privacy;
use crate::context::tracker::FileScan;
use crate::desks::notifications::DraftVersion;
use crate::events::{Event, Events};
use crate::last_words::look::Look;
use crate::persistence::drafts::NewDraft;
use crate::reviews::registry::TargetToRead;
use crate::reviews::target;
use crate::turns::job::TurnJob;
use crate::writer::job::WriteJob;
use crate::writer::task::WriterTask;

/// The longest wait for the draft of an ended review. Desks then get the end without the path of the draft.
const DRAFT_TIMEOUT: Duration = Duration::from_secs(1);

/// The starter of the tasks beside the main loop.
#[derive(Debug)]
pub(crate) struct Background {
    pub(crate) events: Events,
    pub(crate) writer: WriterTask,
}

impl Background {
    /// Runs work that blocks on a thread of its own, and sends its result.
    fn run(&self, work: impl FnOnce() -> Event + Send + 'static) {
        let events = self.events.clone();
        tokio::task::spawn_blocking(move || events.send(work()));
    }

    pub(crate) fn read_target(&self, TargetToRead { review, file_path }: TargetToRead) {
        self.run(move || Event::TargetRead { review, fingerprint: target::fingerprint(&file_path) });
    }

    /// Saves the draft of a review. `closing` is the reason why the review has ended; `None` while it is
    /// open. Returns the version whose path desks get with the end of the review.
    pub(crate) fn save_draft(&self, draft: NewDraft, closing: Option<Closing>) -> Option<DraftVersion> {
        // The agent writes an accepted text, so the end of its review names no draft.
        let is_reported = closing.is_some_and(|closing| closing != Closing::Accepted);
        let version = is_reported.then(|| (draft.id.clone(), draft.number));
        let written = version.clone().map(|version| self.await_draft(version));
        self.writer.send(WriteJob::SaveDraft(draft, written));
        version
    }

    /// Limits the wait for this version of a draft. Returns the sender with which the writer ends the wait.
    fn await_draft(&self, draft: DraftVersion) -> oneshot::Sender<()> {
        let (written_sender, written_receiver) = oneshot::channel();
        let events = self.events.clone();
        tokio::spawn(async move {
            // The writer sends its result before it ends the wait.
            let _ = tokio::time::timeout(DRAFT_TIMEOUT, written_receiver).await;
            events.send(Event::DraftWaitEnded(draft));
        });
        written_sender
    }

    /// Looks at the files of decided reviews.
    pub(crate) fn look_at_decided(&self, look: Look) {
        self.run(move || Event::DecidedFilesChecked(look.run()));
    }

    /// Runs a job of turn reviews on a thread of its own, and sends its result.
    pub(crate) fn run_turn_job(&self, job: TurnJob) {
        self.run(move || Event::TurnJobDone(Box::new(job.run())));
    }

    /// Waits for the end of an agent's process.
    pub(crate) fn watch_agent(&self, pid: u32) {
        let events = self.events.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = process::ended(pid) => events.send(Event::AgentEnded(pid)),
                () = events.wait_for_end() => {}
            }
        });
    }

    /// Checks whether agents may know of the file of a mention.
    pub(crate) fn check_mention(&self, privacy: Arc<Mutex<Privacy>>, mention: Mention) {
        self.run(move || {
            let privacy = privacy.lock().unwrap_or_else(PoisonError::into_inner);
            let is_allowed = privacy.allows(Path::new(&mention.path));
            Event::MentionChecked { mention, is_allowed }
        });
    }

    /// Finds the files that agents may know of, and watches their directories and `own_directories`.
    pub(crate) fn scan_files(
        &self,
        scan: FileScan,
        roots: Vec<PathBuf>,
        watch: Arc<Watch>,
        own_directories: Vec<PathBuf>,
    ) {
        let events = self.events.clone();
        tokio::task::spawn_blocking(move || {
            let result = scan.run();
            let mut watched = result.depends_on(&roots);
            watched.extend(roots.into_iter().chain(own_directories));
            // The watch is set before the result is sent: the result may begin the next scan, which sets the
            // watch again.
            let watches_more = watch.set(watched);
            events.send(Event::FilesScanned(Box::new(result)));
            // A directory that is watched only now may have changed since the scan.
            if watches_more {
                events.send(Event::DiskChanged);
            }
        });
    }
}

/// Answers agents with the problems in files that they may know of.
pub(crate) fn answer_diagnostics(privacy: Arc<Mutex<Privacy>>, call: DiagnosticsCall) {
    tokio::task::spawn_blocking(move || {
        let DiagnosticsCall { mut files, answers, .. } = call;
        let privacy = privacy.lock().unwrap_or_else(PoisonError::into_inner);
        files.retain(|file| privacy.allows(Path::new(&file.path)));
        let count = answers.len();
        for (answer, files) in answers.into_iter().zip(std::iter::repeat_n(files, count)) {
            // The receiver is dropped if the agent has left.
            let _ = answer.send(files);
        }
    });
}
