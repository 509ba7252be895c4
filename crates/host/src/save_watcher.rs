//! Provides context without an editor: the person works on the file that was saved last in the workspace.
//!
//! The watcher skips `.git` and folders that git ignores. Some writes are not saves of a person: a write of
//! an agent after the person accepted it here, which the last word of its review shows; a write while an
//! agent is at work in its turn, unless no other file is written; a write of git or of one of our undos; and
//! a burst of files from a build.

mod filter;
mod git_writes;
#[cfg(test)]
mod tests;
mod turn_saves;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use alongside_contract::context::MAX_OPEN_FILES;
use alongside_desk::{
    ActiveFile, Closing, ContextReport, Desk, Event, LastWord, OpenFile, Problem, Request, ReviewId,
};
use alongside_platform::Os;
use alongside_platform::paths::Canonical as _;
use alongside_platform::watch::watches_whole_trees;
use alongside_turns::{TurnDirs, own_writes};
use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::Instant;

pub(crate) use filter::SaveFilter;
use turn_saves::TurnSaves;

/// Writes within this time count as one save: editors write a file in several steps.
const SETTLE_TIME: Duration = Duration::from_millis(100);

/// The largest number of files that a person saves at once.
const MAX_SAVED_AT_ONCE: usize = 10;

/// The longest time for which the watcher waits for a running git before changed files count as saved: git
/// may have been killed, and have left its lock.
const MAX_GIT_WAIT: Duration = Duration::from_secs(5);

/// The time in which an agent writes a change that a rule has accepted.
const WRITTEN_WITHIN: Duration = Duration::from_secs(10);

/// Watches `roots` and reports saved files to `desk`'s companion, until the companion stops or the task is
/// aborted. Also reports why it cannot watch. `dirs`: the directories of the store with the undos.
pub(crate) fn start(desk: Desk, roots: Vec<PathBuf>, filter: SaveFilter, dirs: TurnDirs) -> AbortHandle {
    let (sender, changes) = mpsc::unbounded_channel();
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // The system also reports every file that is only opened, and companions open many files.
        if event.as_ref().map_or(true, |event| may_save(event.kind)) {
            let _ = sender.send(event);
        }
    });
    let mut save_watcher = SaveWatcher {
        desk,
        filter,
        dirs,
        watcher: None,
        is_limit_reported: false,
        files: Vec::new(),
        reviews: HashMap::new(),
        awaited: HashMap::new(),
        held: HashSet::new(),
        written: HashMap::new(),
        by_rule: HashMap::new(),
        turns: TurnSaves::default(),
    };
    match watcher {
        Ok(watcher) => save_watcher.watcher = Some(watcher),
        Err(error) => save_watcher.watch_failed(&error),
    }
    let watching = tokio::spawn(async move {
        for root in &roots {
            save_watcher.watch_below(root).await;
        }
        save_watcher.run(changes).await;
    });
    watching.abort_handle()
}

struct SaveWatcher {
    desk: Desk,
    filter: SaveFilter,
    dirs: TurnDirs,
    watcher: Option<RecommendedWatcher>,
    is_limit_reported: bool,
    /// The saved files, newest first.
    files: Vec<PathBuf>,
    /// The files of open reviews.
    reviews: HashMap<ReviewId, String>,
    /// The files of accepted reviews without a last word, which their agents are to write.
    awaited: HashMap<ReviewId, PathBuf>,
    /// The awaited files that were written, by an unknown program so far.
    held: HashSet<PathBuf>,
    /// The modification time of each file that an agent has written.
    written: HashMap<PathBuf, SystemTime>,
    /// The time at which a rule last accepted a change of each file, which its agent then writes.
    by_rule: HashMap<PathBuf, Instant>,
    /// The files that are written while an agent is at work.
    turns: TurnSaves,
}

impl SaveWatcher {
    async fn run(&mut self, mut changes: mpsc::UnboundedReceiver<notify::Result<notify::Event>>) {
        let mut touched = BTreeSet::new();
        let mut first = None;
        let mut report_at = None;
        loop {
            let (complete, quiet) = (until(report_at), until(self.turns.deadline()));
            tokio::select! {
                event = self.desk.next() => match event {
                    Ok(event) => {
                        // No other task waits for this desk.
                        tokio::task::yield_now().await;
                        self.desk_event(event);
                    }
                    Err(alongside_desk::Gone) => return,
                },
                Some(event) = changes.recv() => match event {
                    Ok(event) => self.file_event(&event, &mut touched).await,
                    Err(error) => self.watch_failed(&error),
                },
                () = complete => {
                    let waits = first.is_some_and(|first: Instant| first.elapsed() < MAX_GIT_WAIT);
                    report_at = None;
                    if let Some(saved) = saved(touched.clone(), self.dirs.clone(), waits).await {
                        touched.clear();
                        self.report(saved);
                    }
                }
                () = quiet => {}
            }
            touched.extend(self.turns.drain_saved(Instant::now()));
            if touched.is_empty() {
                (first, report_at) = (None, None);
            } else {
                let now = Instant::now();
                first = first.or(Some(now));
                report_at = report_at.or(Some(now + SETTLE_TIME));
            }
        }
    }

    fn desk_event(&mut self, event: Event) {
        match event {
            Event::Opened(review) => {
                self.reviews.insert(review.id, review.file);
            }
            Event::Closed(closed) => {
                if let Some(file) = self.reviews.remove(&closed.id)
                    && closed.closing == Closing::Accepted
                {
                    self.awaited.insert(closed.id, real(Path::new(&file)));
                }
            }
            Event::LastWord(told) => self.take_last_word(&told),
            Event::Problem(problem) => tracing::warn!(%problem, "the companion says"),
            // This desk never holds unsent text.
            Event::FlushReview { id } => drop(self.desk.send(Request::Flushed { id })),
            Event::AcceptedByRule(accepted) if accepted.is_broken_off => {
                self.by_rule.remove(&real(Path::new(&accepted.file)));
            }
            Event::AcceptedByRule(accepted) => {
                self.by_rule.retain(|_, at| at.elapsed() < WRITTEN_WITHIN);
                self.by_rule.insert(real(Path::new(&accepted.file)), Instant::now());
            }
            Event::Turn(turn) => {
                self.turns.on_turn(&turn, real(Path::new(&turn.root)), Instant::now());
            }
            Event::Changed(_)
            | Event::Status(_)
            | Event::Notice { .. }
            | Event::TurnFile(_)
            | Event::TurnFinished(_)
            | Event::DiagnosticsWanted { .. } => {}
        }
    }

    /// Handles the last word of an accepted review: its agent has written the file, or another program has.
    fn take_last_word(&mut self, told: &LastWord) {
        let Some(file) = self.awaited.remove(&told.id) else { return };
        let held: Vec<_> = self.held.extract_if(|path| real(path) == file).collect();
        if !told.word.is_as_decided() {
            return self.report(held.into_iter().collect());
        }
        if let Some(modified) = modified(&file) {
            self.written.insert(file, modified);
        }
    }

    async fn file_event(&mut self, event: &notify::Event, touched: &mut BTreeSet<PathBuf>) {
        for path in &event.paths {
            let Ok(found) = path.symlink_metadata() else {
                continue;
            };
            if found.is_dir() {
                if may_create(event.kind) && self.filter.wants_folder(path) {
                    self.watch_below(path).await;
                    // Files may have been saved in the folder before it was watched.
                    for file in files_in(path) {
                        if self.filter.wants(&file) {
                            self.on_write(&file, touched);
                        }
                    }
                }
            } else if found.is_file() && self.wants(path) {
                self.on_write(path, touched);
            }
        }
    }

    /// Handles that a file was written, by the agent if one is at work in its tree.
    fn on_write(&mut self, path: &Path, touched: &mut BTreeSet<PathBuf>) {
        let is_within_turn =
            self.turns.has_agent_at_work() && self.turns.on_write(path, &real(path), Instant::now());
        if !is_within_turn {
            touched.insert(path.to_owned());
        }
    }

    /// Whether a saved file counts. The watch of a whole tree also reports folders that are not worth
    /// watching.
    fn wants(&self, path: &Path) -> bool {
        (!watches_whole_trees(Os::HERE) || self.filter.wants_folders_of(path)) && self.filter.wants(path)
    }

    /// Reports the saved files. The file that was written last is the active one.
    fn report(&mut self, touched: BTreeSet<PathBuf>) {
        let (awaited, mut touched): (Vec<_>, Vec<_>) = touched
            .into_iter()
            .filter(|path| !self.is_written_by_agent(path))
            .partition(|path| self.is_awaited(path));
        self.held.extend(awaited);
        if touched.is_empty() || touched.len() > MAX_SAVED_AT_ONCE {
            return;
        }
        touched.sort_by_key(|path| modified(path));
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

    /// Whether an agent is to write this file.
    fn is_awaited(&self, path: &Path) -> bool {
        let real = real(path);
        self.awaited.values().any(|file| *file == real)
    }

    /// Whether the file is still as its agent wrote it, after the person, or a rule of theirs, accepted that.
    fn is_written_by_agent(&self, path: &Path) -> bool {
        let real = real(path);
        if self.by_rule.get(&real).is_some_and(|at| at.elapsed() < WRITTEN_WITHIN) {
            return true;
        }
        let written = self.written.get(&real);
        written.is_some_and(|written| modified(path) == Some(*written))
    }

    /// Watches a folder and all folders below it.
    async fn watch_below(&mut self, folder: &Path) {
        if watches_whole_trees(Os::HERE) {
            // The watch of a root includes all later folders.
            if self.filter.is_root(folder) {
                self.watch(folder, RecursiveMode::Recursive);
            }
            return;
        }
        let (filter, folder) = (self.filter.clone(), folder.to_owned());
        let folders =
            tokio::task::spawn_blocking(move || filter.folders_below(&folder)).await.unwrap_or_default();
        for folder in folders {
            self.watch(&folder, RecursiveMode::NonRecursive);
            if self.is_limit_reported {
                return;
            }
        }
    }

    fn watch(&mut self, folder: &Path, mode: RecursiveMode) {
        let Some(watcher) = &mut self.watcher else { return };
        if let Err(error) = watcher.watch(folder, mode) {
            self.watch_failed(&error);
        }
    }

    /// Reports once that a limit of the system is reached. Logs other errors, such as that a folder has
    /// vanished.
    fn watch_failed(&mut self, error: &notify::Error) {
        let Some(problem) = problem(error) else {
            return tracing::debug!(%error, "cannot watch");
        };
        if !std::mem::replace(&mut self.is_limit_reported, true) {
            self.desk.send(Request::Report(problem));
        }
    }
}

/// Waits until this time; forever if there is none.
async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Returns the files that neither git nor an undo has written; `None` if that is not known yet, and the
/// caller `waits`.
async fn saved(mut touched: BTreeSet<PathBuf>, dirs: TurnDirs, waits: bool) -> Option<BTreeSet<PathBuf>> {
    let look = tokio::task::spawn_blocking(move || {
        if waits && git_writes::is_at_work(&touched) {
            return None;
        }
        let written = git_writes::written(&touched);
        touched.retain(|file| !written.contains(file));
        let undone = own_writes(&dirs, &touched);
        touched.retain(|file| !undone.contains(file));
        Some(touched)
    });
    look.await.unwrap_or_default()
}

/// Whether the event may be the save of a file.
fn may_save(what: EventKind) -> bool {
    match what {
        EventKind::Create(_) | EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Modify(what) => !matches!(what, ModifyKind::Metadata(_)),
        _ => false,
    }
}

/// Whether the event may be the creation of a folder. Windows also reports that a folder was modified
/// whenever a file in it is saved. The other files in that folder were not saved.
fn may_create(what: EventKind) -> bool {
    matches!(what, EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_)))
}

/// Returns the problem to report if the error is a limit of the system.
fn problem(error: &notify::Error) -> Option<Problem> {
    // inotify_init fails with EMFILE (24) if this user has too many watchers, and inotify_add_watch fails
    // with ENOSPC (28) if there are too many watches.
    let setting = match &error.kind {
        notify::ErrorKind::MaxFilesWatch => "fs.inotify.max_user_watches=524288",
        notify::ErrorKind::Io(io) if io.raw_os_error() == Some(28) => "fs.inotify.max_user_watches=524288",
        notify::ErrorKind::Io(io) if io.raw_os_error() == Some(24) => "fs.inotify.max_user_instances=512",
        _ => return None,
    };
    Some(Problem::new(
        "the system's limit of watched folders is reached: agents do not hear of files saved in the others",
        format!("raise it with: sudo sysctl {setting}"),
    ))
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|found| found.modified()).ok()
}

/// Returns the path with links resolved, also for a file that does not exist yet.
fn real(path: &Path) -> PathBuf {
    path.canonical().unwrap_or_else(|_| {
        let folder = path.parent().and_then(|folder| folder.canonical().ok());
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
