//! Context without an editor: a file that is saved in the workspace is the file the person works on.
//!
//! Only folders are watched that git does not ignore, and `.git` never. What an agent wrote because the
//! person accepted it here is no sign of where the person is, nor is a burst of files from a build or a
//! checkout.

mod filter;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_contract::context::MAX_OPEN_FILES;
use alongside_desk::{
    ActiveFile, Closing, ContextReport, Desk, Event, OpenFile, Problem, Request, Review, ReviewId,
};
use alongside_platform::untrusted::{self, Whose};
use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

pub(crate) use filter::SaveFilter;

/// Saves that come this close together are one: editors write a file in several steps.
const TOGETHER: Duration = Duration::from_millis(100);

/// More files than this at once are not a person saving.
const BURST: usize = 10;

/// A file that is larger than this is compared with nothing: it is not what somebody has just reviewed.
const LARGEST_COMPARED: u64 = 64 << 20;

/// Watches `roots` and reports to `desk`'s companion until it stops, or until it is aborted. What keeps it
/// from watching is reported, too.
pub(crate) fn start(desk: Desk, roots: Vec<PathBuf>, filter: SaveFilter) -> AbortHandle {
    let (tell, told) = mpsc::unbounded_channel();
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // It also tells of every file that is only opened, which companions do a lot.
        if event.as_ref().map_or(true, |event| saves(event.kind)) {
            // Nobody listens any more when the companion has stopped.
            let _ = tell.send(event);
        }
    });
    let mut saved = SaveWatcher {
        desk,
        filter,
        watcher: None,
        limit_told: false,
        files: Vec::new(),
        reviews: HashMap::new(),
        accepted: HashMap::new(),
    };
    match watcher {
        Ok(watcher) => saved.watcher = Some(watcher),
        Err(error) => saved.trouble(&error),
    }
    let watching = tokio::spawn(async move {
        for root in &roots {
            saved.watch_below(root).await;
        }
        saved.run(told).await;
    });
    watching.abort_handle()
}

struct SaveWatcher {
    desk: Desk,
    filter: SaveFilter,
    watcher: Option<RecommendedWatcher>,
    limit_told: bool,
    /// SaveWatcher files, newest first.
    files: Vec<PathBuf>,
    /// Reviews that wait, to know what was accepted.
    reviews: HashMap<ReviewId, Review>,
    /// The last accepted text of each file.
    accepted: HashMap<PathBuf, String>,
}

impl SaveWatcher {
    async fn run(&mut self, mut told: mpsc::UnboundedReceiver<notify::Result<notify::Event>>) {
        let mut touched = BTreeSet::new();
        let mut first = None;
        loop {
            let complete = async {
                match first {
                    Some(first) => tokio::time::sleep_until(first + TOGETHER).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                event = self.desk.next() => match event {
                    Ok(event) => self.heard(event),
                    Err(alongside_desk::Gone) => return,
                },
                Some(event) = told.recv() => match event {
                    Ok(event) => self.seen(&event, &mut touched).await,
                    Err(error) => self.trouble(&error),
                },
                () = complete => self.report(std::mem::take(&mut touched)),
            }
            first =
                if touched.is_empty() { None } else { first.or_else(|| Some(tokio::time::Instant::now())) };
        }
    }

    fn heard(&mut self, event: Event) {
        match event {
            Event::Opened(review) => {
                self.reviews.insert(review.id, review);
            }
            Event::Changed(changed) => {
                // Out of step it would be compared with what was not accepted; then it counts as saved by the
                // person.
                self.reviews.get_mut(&changed.id).map(|review| review.take(changed));
            }
            Event::Closed(closed) => {
                if let Some(review) = self.reviews.remove(&closed.id)
                    && closed.closing == Closing::Accepted
                {
                    self.accepted.insert(real(Path::new(&review.file)), comparable(&review.current));
                }
            }
            Event::Problem(problem) => tracing::warn!(%problem, "the companion says"),
            // Nothing is ever typed here.
            Event::FlushReview { id } => drop(self.desk.send(Request::Flushed { id })),
            Event::Status(_) => {}
        }
    }

    async fn seen(&mut self, event: &notify::Event, touched: &mut BTreeSet<PathBuf>) {
        for path in &event.paths {
            let Ok(found) = path.symlink_metadata() else {
                continue;
            };
            if found.is_dir() {
                if self.filter.wants_folder(path) {
                    self.watch_below(path).await;
                    // What was saved in it before it was watched.
                    touched.extend(files_in(path).into_iter().filter(|file| self.filter.wants(file)));
                }
            } else if found.is_file() && self.filter.wants(path) {
                touched.insert(path.clone());
            }
        }
    }

    /// Reports what was saved, the file that was written last as the active one.
    fn report(&mut self, touched: BTreeSet<PathBuf>) {
        let mut touched: Vec<_> =
            touched.into_iter().filter(|path| !self.is_accepted_outcome(path)).collect();
        if touched.is_empty() || touched.len() > BURST {
            return;
        }
        touched.sort_by_key(|path| path.metadata().and_then(|found| found.modified()).ok());
        for path in touched {
            self.files.retain(|known| *known != path);
            self.files.insert(0, path);
        }
        self.files.retain(|path| path.is_file());
        self.files.truncate(MAX_OPEN_FILES);
        let text = |path: &PathBuf| path.to_str().map(str::to_owned);
        let open: Vec<_> =
            self.files.iter().filter_map(text).map(|path| OpenFile { path, dirty: false }).collect();
        let active = open.first().map(|file| ActiveFile { path: file.path.clone(), ..ActiveFile::default() });
        self.desk.send(Request::ChangeContext(ContextReport {
            active,
            open_files: Some(open),
            trusted: None,
        }));
    }

    /// Whether a file holds what was accepted for it here: then its agent wrote it.
    fn is_accepted_outcome(&self, path: &Path) -> bool {
        let Some(accepted) = self.accepted.get(&real(path)) else {
            return false;
        };
        let text = untrusted::read_text(path, LARGEST_COMPARED, Whose::Anybodys);
        text.is_ok_and(|text| comparable(&text) == *accepted)
    }

    /// Watches a folder and those below it.
    async fn watch_below(&mut self, folder: &Path) {
        let (filter, folder) = (self.filter.clone(), folder.to_owned());
        let folders =
            tokio::task::spawn_blocking(move || filter.folders_below(&folder)).await.unwrap_or_default();
        for folder in folders {
            let Some(watcher) = &mut self.watcher else { return };
            if let Err(error) = watcher.watch(&folder, RecursiveMode::NonRecursive) {
                self.trouble(&error);
                if self.limit_told {
                    return;
                }
            }
        }
    }

    /// Says once that the limit is reached; what vanished in between is no trouble.
    fn trouble(&mut self, error: &notify::Error) {
        let Some(problem) = problem(error) else {
            return tracing::debug!(%error, "cannot watch");
        };
        if !std::mem::replace(&mut self.limit_told, true) {
            self.desk.send(Request::Report(problem));
        }
    }
}

/// Whether a file may have been saved.
fn saves(what: EventKind) -> bool {
    match what {
        EventKind::Create(_) | EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Modify(what) => !matches!(what, ModifyKind::Metadata(_)),
        _ => false,
    }
}

/// What the person can do about an error of watching, if it is one of the system's limits.
fn problem(error: &notify::Error) -> Option<Problem> {
    // inotify_init fails with EMFILE (24) when this user has too many watchers, inotify_add_watch with ENOSPC
    // (28).
    let setting = match &error.kind {
        notify::ErrorKind::MaxFilesWatch => "fs.inotify.max_user_watches=524288",
        notify::ErrorKind::Io(io) if io.raw_os_error() == Some(28) => "fs.inotify.max_user_watches=524288",
        notify::ErrorKind::Io(io) if io.raw_os_error() == Some(24) => "fs.inotify.max_user_instances=512",
        _ => return None,
    };
    Some(Problem {
        what: "the system's limit of watched folders is reached: agents do not hear of files saved in the others".into(),
        hint: Some(format!("raise it with: sudo sysctl {setting}")),
    })
}

/// The text without what agents restore by themselves: line endings and a byte-order mark.
fn comparable(text: &str) -> String {
    text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n")
}

/// The path without links, also of a file that does not exist yet.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| {
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        folder.and_then(|folder| Some(folder.join(path.file_name()?))).unwrap_or_else(|| path.to_owned())
    })
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .map(|entry| entry.path())
        .collect()
}
