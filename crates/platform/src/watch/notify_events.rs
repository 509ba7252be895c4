//! Changes of directories as macOS and Windows report them, through `notify`: one stream of events for all
//! watches on macOS, one handle for each on Windows.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use notify::event::ModifyKind;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;

use crate::paths::Canonical as _;

/// The changes in one directory that count.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Counted {
    /// These entries come or go: home has much that does.
    These(BTreeSet<OsString>),
    /// Every change of an entry.
    Entries,
}

/// By the directory, as the system spells it in its reports.
type Watches = BTreeMap<PathBuf, Counted>;

/// Listens to the reports.
pub(super) struct Listener {
    watcher: Mutex<(RecommendedWatcher, BTreeSet<PathBuf>)>,
    told: Arc<Told>,
}

/// Shared with the thread that hears the reports.
#[derive(Debug, Default)]
struct Told {
    watches: Mutex<Watches>,
    /// Those directories of them that went or came: what a watch of them still hears is another one.
    replaced: Mutex<BTreeSet<PathBuf>>,
    change: Notify,
    /// The directories may have come or gone.
    is_stale: AtomicBool,
    is_deaf: AtomicBool,
}

impl Told {
    fn hear(&self, event: notify::Result<Event>) {
        let counts = match &event {
            Ok(event) => {
                let watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
                let mut replaced = self.replaced.lock().unwrap_or_else(PoisonError::into_inner);
                replaced.extend(replaced_by(&watches, event).cloned());
                counts(&watches, event)
            }
            // Reports were lost: anything may have changed.
            Err(_) => true,
        };
        if counts {
            self.is_stale.store(true, Ordering::Release);
            self.change.notify_one();
        }
    }
}

/// Whether an event counts.
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

/// The watched directories that an event says have gone or come.
fn replaced_by<'a>(watches: &'a Watches, event: &'a Event) -> impl Iterator<Item = &'a PathBuf> {
    let is_such = matches!(
        event.kind,
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
    );
    event.paths.iter().filter(move |path| is_such && watches.contains_key(*path))
}

/// The watches for these directories: of a missing one, its appearance; of each, its end.
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
        let told = Arc::new(Told { is_stale: AtomicBool::new(true), ..Told::default() });
        let hears = Arc::clone(&told);
        let watcher = notify::recommended_watcher(move |event| hears.hear(event))?;
        Ok(Self { watcher: Mutex::new((watcher, BTreeSet::new())), told })
    }

    pub(super) fn set(&self, directories: BTreeSet<PathBuf>) -> bool {
        let mut watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        let (watcher, known) = &mut *watcher;
        if !self.told.is_stale.swap(false, Ordering::AcqRel) && directories == *known {
            return false;
        }
        // Taken first: one that is replaced from here on is watched anew the next time.
        let replaced =
            std::mem::take(&mut *self.told.replaced.lock().unwrap_or_else(PoisonError::into_inner));
        let wanted = wanted(&directories);
        let mut before = {
            let mut watches = self.told.watches.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *watches, wanted.clone())
        };
        let mut is_deaf = false;
        // All changes of watches at once: macOS starts its stream again after each.
        let mut paths = watcher.paths_mut();
        for gone in before.extract_if(.., |path, _| !wanted.contains_key(path) || replaced.contains(path)) {
            // It fails for a directory that has gone.
            let _ = paths.remove(&gone.0);
        }
        for new in wanted.keys().filter(|path| !before.contains_key(*path)) {
            is_deaf |= paths.add(new, RecursiveMode::NonRecursive).is_err();
        }
        is_deaf |= paths.commit().is_err();
        let is_more = wanted.iter().any(|(path, counted)| before.get(path) != Some(counted));
        *known = directories;
        self.told.is_stale.fetch_or(is_deaf, Ordering::AcqRel);
        self.told.is_deaf.store(is_deaf, Ordering::Release);
        is_more
    }

    pub(super) fn is_deaf(&self) -> bool {
        self.told.is_deaf.load(Ordering::Acquire)
    }

    /// Waits for a report that counts. Cancel safe.
    pub(super) async fn changed(&self) -> std::io::Result<()> {
        self.told.change.notified().await;
        Ok(())
    }
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listener").field("told", &self.told).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;

    /// Longer than any step takes.
    const SOON: Duration = Duration::from_secs(30);

    async fn hears(listener: &Listener, what: &str) {
        assert!(tokio::time::timeout(SOON, listener.changed()).await.is_ok(), "{what} is not heard");
    }

    #[tokio::test]
    async fn entries_and_the_end_of_a_directory_are_reported() {
        let ground = tempfile::tempdir().unwrap();
        let directory = ground.path().join("here");
        fs::create_dir(&directory).unwrap();
        let listener = Listener::open().unwrap();
        let set = || listener.set(BTreeSet::from([directory.clone()]));
        assert!(set() && !listener.is_deaf());
        assert!(!set(), "it is watched already");
        fs::write(directory.join("file"), "").unwrap();
        hears(&listener, "a file that comes").await;
        set();
        fs::remove_file(directory.join("file")).unwrap();
        hears(&listener, "a file that goes").await;
    }

    #[tokio::test]
    async fn a_missing_directory_is_reported_when_it_appears() {
        let ground = tempfile::tempdir().unwrap();
        let directory = ground.path().join("one").join("two");
        let listener = Listener::open().unwrap();
        let set = || listener.set(BTreeSet::from([directory.clone()]));
        set();
        fs::create_dir_all(&directory).unwrap();
        hears(&listener, "the first step of its way").await;
        set();
        fs::write(directory.join("file"), "").unwrap();
        hears(&listener, "a file in it").await;
    }

    /// On Windows, a watch is of the directory that there was, and not of its path.
    #[tokio::test]
    async fn a_directory_that_is_made_again_is_watched_again() {
        let ground = tempfile::tempdir().unwrap();
        let directory = ground.path().join("here");
        fs::create_dir(&directory).unwrap();
        let listener = Listener::open().unwrap();
        let set = || listener.set(BTreeSet::from([directory.clone()]));
        set();
        fs::remove_dir(&directory).unwrap();
        // Windows gives the name free once the watch of the old one has ended.
        let made = async {
            while fs::create_dir(&directory).is_err() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(SOON, made).await.expect("its name is free");
        hears(&listener, "that it goes").await;
        assert!(set() && !listener.is_deaf(), "it is another one");
    }

    #[test]
    fn only_an_end_or_a_beginning_replaces_a_watched_directory() {
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
    fn only_what_is_asked_for_counts() {
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
