//! The tasks that the main loop starts: they wait for a disk or a clock, and send their result as an event.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use alongside_platform::watch::Watch;
use tokio::sync::oneshot;

use crate::context::privacy::Privacy;
use crate::context::tracker::FileScan;
use crate::desks::diagnostics::FoundDiagnostics;
use crate::desks::notifications::DraftVersion;
use crate::events::{Event, Events, Mention};
use crate::persistence::drafts::NewDraft;
use crate::reviews::registry::TargetToRead;
use crate::reviews::target;

/// How long the end of a review waits for its draft to be written. Then desks are told without its path.
const DRAFT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long an agent that was answered in its own prompt has to write the text. Gemini CLI needs a moment.
const TIME_TO_WRITE: Duration = Duration::from_secs(2);

/// Reads a target again.
pub(crate) fn read_target(events: Events, target: TargetToRead) {
    tokio::task::spawn_blocking(move || {
        let TargetToRead { review, file_path } = target;
        events.send(Event::TargetRead { review, fingerprint: target::fingerprint(&file_path) });
    });
}

/// Waits for this version of a draft to be written, for a limited time. The writer gets the other end.
pub(crate) fn await_draft(events: Events, draft: DraftVersion) -> oneshot::Sender<()> {
    let (written, is_written) = oneshot::channel();
    tokio::spawn(async move {
        // The writer reports its result before this ends.
        let _ = tokio::time::timeout(DRAFT_TIMEOUT, is_written).await;
        events.send(Event::DraftAwaited(draft));
    });
    written
}

/// Looks whether the agent that was answered in its own prompt writes the text of this draft into the file.
pub(crate) fn look_for_edits(events: Events, draft: NewDraft) {
    tokio::spawn(async move {
        tokio::time::sleep(TIME_TO_WRITE).await;
        let (file, agent) = (draft.file.clone(), draft.agent.clone());
        let holds_them = tokio::task::spawn_blocking(move || draft.is_settled()).await;
        if holds_them.is_ok_and(|holds_them| !holds_them) {
            events.send(Event::EditsLeftOut { file, agent });
        }
    });
}

/// Answers an agent with the problems in files that it may know of.
pub(crate) fn tell_diagnostics(privacy: Arc<Mutex<Privacy>>, found: FoundDiagnostics) {
    tokio::task::spawn_blocking(move || {
        let FoundDiagnostics { mut files, answer } = found;
        let mut privacy = privacy.lock().unwrap_or_else(PoisonError::into_inner);
        files.retain(|file| privacy.allows(Path::new(&file.path)));
        // The agent may be gone.
        let _ = answer.send(files);
    });
}

/// Looks whether agents may know of the mentioned file.
pub(crate) fn check_mention(events: Events, privacy: Arc<Mutex<Privacy>>, mention: Mention) {
    tokio::task::spawn_blocking(move || {
        let mut privacy = privacy.lock().unwrap_or_else(PoisonError::into_inner);
        let is_allowed = privacy.allows(Path::new(&mention.path));
        events.send(Event::MentionChecked { mention, is_allowed });
    });
}

/// Looks which files agents may know of, and watches their directories and `own_directories`.
pub(crate) fn scan_files(
    events: Events,
    scan: FileScan,
    roots: Vec<PathBuf>,
    (watch, own_directories): (Arc<Watch>, Vec<PathBuf>),
) {
    tokio::task::spawn_blocking(move || {
        let result = scan.run();
        let mut watched = result.depends_on(&roots);
        watched.extend(roots.into_iter().chain(own_directories));
        // Before the result is sent: the next scan, which that may begin, sets the watch after this one.
        let is_new = watch.set(watched);
        events.send(Event::FilesScanned(Box::new(result)));
        // A directory that was not watched before may have changed since the scan.
        if is_new {
            events.send(Event::DiskChanged);
        }
    });
}
