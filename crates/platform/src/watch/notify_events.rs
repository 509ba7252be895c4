//! Changes of directories on macOS and Windows, which `notify` reports: with one stream of events for all
//! watches on macOS, and with one handle for each watch on Windows.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use notify::event::ModifyKind;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;

use crate::paths::Canonical as _;

/// The changes in one directory that are reported.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Counted {
    /// The appearance and removal of these entries. Many entries of a home directory come and go.
    These(BTreeSet<OsString>),
    /// Every change of an entry.
    Entries,
}

/// The watches by directory, in the system's spelling.
type Watches = BTreeMap<PathBuf, Counted>;

/// A listener for changes.
pub(super) struct Listener {
    watcher: Mutex<(RecommendedWatcher, BTreeSet<PathBuf>)>,
    state: Arc<State>,
}

/// The state that is shared with the thread that receives the events.
#[derive(Debug, Default)]
struct State {
    watches: Mutex<Watches>,
    /// The watched directories that were removed or created again: their watches may apply to the old
    /// directory.
    replaced: Mutex<BTreeSet<PathBuf>>,
    change: Notify,
    /// Whether the directories may have been created or removed.
    is_stale: AtomicBool,
    may_miss_changes: AtomicBool,
}

impl State {
    fn receive(&self, event: notify::Result<Event>) {
        let counts = match &event {
            Ok(event) => {
                let watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
                let mut replaced = self.replaced.lock().unwrap_or_else(PoisonError::into_inner);
                replaced.extend(replaced_by(&watches, event).cloned());
                counts(&watches, event)
            }
            // Events were lost, so anything may have changed.
            Err(_) => true,
        };
        if counts {
            self.is_stale.store(true, Ordering::Release);
            self.change.notify_one();
        }
    }
}

/// Whether an event is reported.
fn counts(watches: &Watches, event: &Event) -> bool {
    if matches!(event.kind, EventKind::Access(_)) {
        return false;
    }
    let is_counted = |path: &PathBuf| {
        let in_its_directory = path.parent().and_then(|directory| watches.get(directory));
        let is_watched = watches.get(path) == Some(&Counted::Entries);
        is_watched
            || match (in_its_directory, path.file_name()) {
                (Some(Counted::Entries), _) => true,
                (Some(Counted::These(names)), Some(name)) => names.contains(name),
                _ => false,
            }
    };
    event.need_rescan() || event.paths.is_empty() || event.paths.iter().any(is_counted)
}

/// Returns the watched directories that this event creates or removes.
fn replaced_by<'a>(watches: &'a Watches, event: &'a Event) -> impl Iterator<Item = &'a PathBuf> {
    let is_such = matches!(
        event.kind,
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
    );
    event.paths.iter().filter(move |path| is_such && watches.contains_key(*path))
}

/// Returns the watches for these directories: their changes and their removal; for a missing one, its
/// appearance.
fn wanted(directories: &BTreeSet<PathBuf>) -> Watches {
    let mut watches = Watches::new();
    for directory in directories {
        let Some((above, there)) =
            directory.ancestors().find_map(|above| Some((above, above.canonical().ok()?)))
        else {
            continue;
        };
        match directory.strip_prefix(above).ok().and_then(|missing| missing.iter().next()) {
            Some(next) => want_one(&mut watches, &there, next.to_owned()),
            None => {
                if let (Some(parent), Some(name)) = (there.parent(), there.file_name()) {
                    want_one(&mut watches, parent, name.to_owned());
                }
                watches.insert(there, Counted::Entries);
            }
        }
    }
    watches
}

fn want_one(watches: &mut Watches, directory: &Path, name: OsString) {
    let counted = watches.entry(directory.to_owned()).or_insert_with(|| Counted::These(BTreeSet::new()));
    if let Counted::These(names) = counted {
        names.insert(name);
    }
}

impl Listener {
    pub(super) fn open() -> notify::Result<Self> {
        let state = Arc::new(State { is_stale: AtomicBool::new(true), ..State::default() });
        let receiver = Arc::clone(&state);
        let watcher = notify::recommended_watcher(move |event| receiver.receive(event))?;
        Ok(Self { watcher: Mutex::new((watcher, BTreeSet::new())), state })
    }

    pub(super) fn set(&self, directories: BTreeSet<PathBuf>) -> bool {
        let mut watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        let (watcher, known) = &mut *watcher;
        if !self.state.is_stale.swap(false, Ordering::AcqRel) && directories == *known {
            return false;
        }
        // The set is taken first: a directory that is replaced from here on is watched again by the next
        // call.
        let replaced =
            std::mem::take(&mut *self.state.replaced.lock().unwrap_or_else(PoisonError::into_inner));
        let wanted = wanted(&directories);
        let mut before = {
            let mut watches = self.state.watches.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *watches, wanted.clone())
        };
        let mut may_miss_changes = false;
        // All changes of watches are made together, because macOS restarts its stream after each change.
        let mut paths = watcher.paths_mut();
        for gone in before.extract_if(.., |path, _| !wanted.contains_key(path) || replaced.contains(path)) {
            // The call fails for a directory that was removed.
            let _ = paths.remove(&gone.0);
        }
        for new in wanted.keys().filter(|path| !before.contains_key(*path)) {
            may_miss_changes |= paths.add(new, RecursiveMode::NonRecursive).is_err();
        }
        may_miss_changes |= paths.commit().is_err();
        let is_more = wanted.iter().any(|(path, counted)| before.get(path) != Some(counted));
        *known = directories;
        self.state.is_stale.fetch_or(may_miss_changes, Ordering::AcqRel);
        self.state.may_miss_changes.store(may_miss_changes, Ordering::Release);
        is_more
    }

    pub(super) fn may_miss_changes(&self) -> bool {
        self.state.may_miss_changes.load(Ordering::Acquire)
    }

    /// Waits for an event that is reported. Cancel safe.
    pub(super) async fn changed(&self) -> std::io::Result<()> {
        self.state.change.notified().await;
        Ok(())
    }
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listener").field("state", &self.state).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;

    /// A time limit that is longer than any step takes.
    const STEP_TIMEOUT: Duration = Duration::from_secs(30);

    async fn expect_report(listener: &Listener, what: &str) {
        assert!(tokio::time::timeout(STEP_TIMEOUT, listener.changed()).await.is_ok(), "{what} is not heard");
    }

    #[tokio::test]
    async fn entries_and_the_end_of_a_directory_are_reported() {
        let ground = tempfile::tempdir().unwrap();
        let directory = ground.path().join("here");
        fs::create_dir(&directory).unwrap();
        let listener = Listener::open().unwrap();
        let set = || listener.set(BTreeSet::from([directory.clone()]));
        assert!(set() && !listener.may_miss_changes());
        assert!(!set(), "it is watched already");
        fs::write(directory.join("file"), "").unwrap();
        expect_report(&listener, "a file that comes").await;
        set();
        fs::remove_file(directory.join("file")).unwrap();
        expect_report(&listener, "a file that goes").await;
    }

    #[tokio::test]
    async fn a_missing_directory_is_reported_when_it_appears() {
        let ground = tempfile::tempdir().unwrap();
        let directory = ground.path().join("one").join("two");
        let listener = Listener::open().unwrap();
        let set = || listener.set(BTreeSet::from([directory.clone()]));
        set();
        fs::create_dir_all(&directory).unwrap();
        expect_report(&listener, "the first step of its way").await;
        set();
        fs::write(directory.join("file"), "").unwrap();
        expect_report(&listener, "a file in it").await;
    }

    /// On Windows, a watch applies to the directory that existed, and not to its path.
    #[tokio::test]
    async fn a_directory_that_is_made_again_is_watched_again() {
        let ground = tempfile::tempdir().unwrap();
        let directory = ground.path().join("here");
        fs::create_dir(&directory).unwrap();
        let listener = Listener::open().unwrap();
        let set = || listener.set(BTreeSet::from([directory.clone()]));
        set();
        fs::remove_dir(&directory).unwrap();
        // Windows frees the name once the watch of the old directory has ended.
        let made = async {
            while fs::create_dir(&directory).is_err() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(STEP_TIMEOUT, made).await.expect("its name is free");
        expect_report(&listener, "that it goes").await;
        assert!(set() && !listener.may_miss_changes(), "it is another one");
    }

    #[test]
    fn only_a_removal_or_creation_replaces_a_watched_directory() {
        use notify::event::{CreateKind, DataChange, RemoveKind, RenameMode};

        let there = Path::new("/there");
        let watches = Watches::from([(there.to_owned(), Counted::Entries)]);
        let replaces = |kind, path: &Path| {
            replaced_by(&watches, &Event::new(kind).add_path(path.to_owned())).next().is_some()
        };
        for kind in [
            EventKind::Create(CreateKind::Folder),
            EventKind::Remove(RemoveKind::Any),
            EventKind::Modify(ModifyKind::Name(RenameMode::Any)),
        ] {
            assert!(replaces(kind, there) && !replaces(kind, &there.join("file")), "{kind:?}");
        }
        for kind in [ModifyKind::Any, ModifyKind::Data(DataChange::Any)] {
            assert!(!replaces(EventKind::Modify(kind), there), "{kind:?}");
        }
    }

    #[test]
    fn only_requested_changes_are_reported() {
        let there = Path::new("/there");
        let mut watches = Watches::from([(there.join("open"), Counted::Entries)]);
        want_one(&mut watches, there, "missing".into());
        want_one(&mut watches, there, "open".into());
        let event = |path: &str| Event::new(EventKind::Any).add_path(there.join(path));
        for path in ["missing", "open", "open/file"] {
            assert!(counts(&watches, &event(path)), "{path}");
        }
        for path in ["beside", "missing/file", "open/deeper/file"] {
            assert!(!counts(&watches, &event(path)), "{path}");
        }
        assert!(counts(&watches, &Event::new(EventKind::Any)), "one that names nothing");
    }
}
