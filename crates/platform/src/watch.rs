//! Notifications about changes in directories, so that an idle process can sleep.
//!
//! Systems report changes that programs on this machine make. Otherwise, or if the kernel has no watches
//! left, the caller must poll: see [`Watch::may_miss_changes`].
//!
//! macOS and Windows report through the crate `notify`. Linux does not: `notify` 8 asks the kernel for every
//! opening, write and change of attributes in a directory, and has no way to ask for less. The home directory
//! is one of the directories, so each program that opens a file there would wake an idle companion. `notify`
//! also runs its own thread.

#[cfg(any(test, not(target_os = "linux")))]
mod notify_events;

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Whether one watch of a directory covers all directories below it. On Linux, each directory needs its own
/// watch. Elsewhere each further watch would cost time, on macOS a restart of all watches.
pub const fn watches_whole_trees(os: crate::Os) -> bool {
    match os {
        crate::Os::Linux => false,
        crate::Os::MacOs | crate::Os::Windows => true,
    }
}

/// A watch of directories, but not of their subdirectories: new, removed and written entries, and moves of
/// the directories.
#[derive(Debug)]
pub struct Watch {
    /// The listener. Unset while the kernel gives this user no more listeners.
    listener: std::sync::OnceLock<Listener>,
}

#[cfg(target_os = "linux")]
use inotify::Listener;
#[cfg(not(target_os = "linux"))]
use notify_events::Listener;

impl Watch {
    /// Creates a watch without any directory. Needs a Tokio runtime.
    pub fn begin() -> Self {
        let watch = Self { listener: std::sync::OnceLock::new() };
        watch.listen();
        watch
    }

    /// Returns the listener. Opens it if that failed before.
    fn listen(&self) -> Option<&Listener> {
        if self.listener.get().is_none()
            && let Ok(listener) = Listener::open()
        {
            // Another thread may have set the listener first.
            let _ = self.listener.set(listener);
        }
        self.listener.get()
    }

    /// Watches exactly these directories, given by absolute paths; for a missing one, its appearance. Changes
    /// after this call are reported. Blocks while it checks that the directories exist. Needs a Tokio
    /// runtime. Returns whether the watch covers more than before.
    pub fn set(&self, directories: BTreeSet<PathBuf>) -> bool {
        self.listen().is_some_and(|listener| listener.set(directories))
    }

    /// Whether the watch may miss changes, so that the caller must poll.
    pub fn may_miss_changes(&self) -> bool {
        self.listener.get().is_none_or(Listener::may_miss_changes)
    }

    /// Waits until something may have changed. Never returns if the system reports nothing. Cancel safe.
    pub async fn changed(&self) {
        if let Some(listener) = self.listener.get()
            && listener.changed().await.is_ok()
        {
            return;
        }
        std::future::pending().await
    }
}

/// Ends a watch on a thread of its own: the kernel takes some ten milliseconds. Needs a Tokio runtime.
pub fn end(watch: impl Borrow<Watch> + Send + 'static) {
    tokio::task::spawn_blocking(move || drop(watch));
}

#[cfg(target_os = "linux")]
mod inotify {
    use std::collections::{BTreeMap, BTreeSet};
    use std::ffi::{OsStr, OsString};
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Mutex, PoisonError};

    use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init, remove_watch};
    use rustix::io::Errno;
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    /// The flags for a directory that is moved or removed.
    const ITSELF: WatchFlags = WatchFlags::DELETE_SELF.union(WatchFlags::MOVE_SELF);
    /// The flags for a change of a directory or an entry.
    const ENTRIES: WatchFlags = ITSELF
        .union(WatchFlags::CREATE)
        .union(WatchFlags::DELETE)
        .union(WatchFlags::MOVED_FROM)
        .union(WatchFlags::MOVED_TO)
        .union(WatchFlags::CLOSE_WRITE);
    /// The flags for the appearance of an entry.
    const APPEARANCE: WatchFlags = ITSELF.union(WatchFlags::CREATE).union(WatchFlags::MOVED_TO);

    /// The changes of one directory that are reported.
    #[derive(Debug, Clone, PartialEq, Eq)]
    enum Counted {
        /// Moves and the removal of the directory.
        Itself,
        /// Also the appearance of these entries. Many entries of a home directory come and go.
        Appearance(BTreeSet<OsString>),
        /// Also every change of an entry.
        Entries,
    }

    impl Counted {
        fn flags(&self) -> WatchFlags {
            match self {
                Self::Itself => ITSELF,
                Self::Appearance(_) => APPEARANCE,
                Self::Entries => ENTRIES,
            }
        }

        /// Returns the changes of both values.
        fn and(self, other: Self) -> Self {
            match (self, other) {
                (Self::Entries, _) | (_, Self::Entries) => Self::Entries,
                (Self::Appearance(mut names), Self::Appearance(more)) => {
                    names.extend(more);
                    Self::Appearance(names)
                }
                (Self::Itself, other) | (other, Self::Itself) => other,
            }
        }

        /// Whether an event is reported. `entry` is `None` for an event of the directory itself.
        fn counts(&self, entry: Option<&OsStr>) -> bool {
            match (self, entry) {
                (Self::Appearance(names), Some(entry)) => names.contains(entry),
                _ => true,
            }
        }
    }

    #[derive(Debug)]
    pub(super) struct Listener {
        inotify: AsyncFd<OwnedFd>,
        watched: Mutex<Watched>,
        /// Whether the directories may have moved.
        is_stale: AtomicBool,
        may_miss_changes: AtomicBool,
    }

    #[derive(Debug, Default)]
    struct Watched {
        directories: BTreeSet<PathBuf>,
        /// The watches by the kernel's number (watch descriptor).
        watches: BTreeMap<i32, Counted>,
    }

    impl Listener {
        #[expect(
            deprecated,
            reason = "its replacement is unsafe, for descriptors that are closed early; this one is owned"
        )]
        pub(super) fn open() -> io::Result<Self> {
            let inotify = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
            let inotify = AsyncFd::with_interest(inotify, Interest::READABLE)?;
            Ok(Self {
                inotify,
                watched: Mutex::default(),
                is_stale: AtomicBool::new(true),
                may_miss_changes: AtomicBool::new(false),
            })
        }

        pub(super) fn set(&self, directories: BTreeSet<PathBuf>) -> bool {
            let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
            if !self.is_stale.swap(false, Ordering::AcqRel) && directories == watched.directories {
                return false;
            }
            let mut wanted: BTreeMap<&Path, Counted> = BTreeMap::new();
            let mut want = |path, counted: Counted| {
                let before = wanted.remove(path).unwrap_or(Counted::Itself);
                wanted.insert(path, before.and(counted));
            };
            for directory in &directories {
                let there = directory.ancestors().find(|path| path.is_dir()).unwrap_or(directory);
                let next = directory.strip_prefix(there).ok().and_then(|missing| missing.iter().next());
                let appearance = |next: &OsStr| Counted::Appearance(BTreeSet::from([next.to_owned()]));
                want(there, next.map_or(Counted::Entries, appearance));
                for above in there.ancestors().skip(1) {
                    want(above, Counted::Itself);
                }
            }
            let mut now: BTreeMap<i32, Counted> = BTreeMap::new();
            let mut may_miss_changes = false;
            for (path, what) in wanted {
                let is_parent = what == Counted::Itself;
                match self.add(path, what, &now) {
                    Ok((number, what)) => drop(now.insert(number, what)),
                    // Only root moves a parent directory that this user cannot read.
                    Err(Errno::ACCESS) if is_parent => {}
                    // No watches are left, or the directory was just removed. The next call watches its
                    // parent.
                    Err(_) => may_miss_changes = true,
                }
            }
            for number in watched.watches.keys().filter(|number| !now.contains_key(number)) {
                // The call fails for a directory that was removed.
                let _ = remove_watch(&self.inotify, *number);
            }
            let is_more = now.iter().any(|(number, what)| watched.watches.get(number) != Some(what));
            *watched = Watched { directories, watches: now };
            self.is_stale.fetch_or(may_miss_changes, Ordering::AcqRel);
            self.may_miss_changes.store(may_miss_changes, Ordering::Release);
            is_more
        }

        /// Adds a watch. Two paths of one directory share a watch.
        fn add(
            &self,
            path: &Path,
            what: Counted,
            known: &BTreeMap<i32, Counted>,
        ) -> rustix::io::Result<(i32, Counted)> {
            let add = |what: &Counted| add_watch(&self.inotify, path, what.flags() | WatchFlags::ONLYDIR);
            let number = add(&what)?;
            match known.get(&number) {
                Some(more) if *more != what => {
                    let both = what.and(more.clone());
                    Ok((add(&both)?, both))
                }
                _ => Ok((number, what)),
            }
        }

        /// Whether an event of a watch is reported. An event of a watch that is just being set is.
        fn counts(&self, number: i32, entry: Option<&OsStr>) -> bool {
            let watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
            watched.watches.get(&number).is_none_or(|counted| counted.counts(entry))
        }

        pub(super) fn may_miss_changes(&self) -> bool {
            self.may_miss_changes.load(Ordering::Acquire)
        }

        /// Waits for events and reads all of them.
        pub(super) async fn changed(&self) -> io::Result<()> {
            loop {
                let mut ready = self.inotify.readable().await?;
                let mut buffer = [MaybeUninit::uninit(); 4096];
                let mut events = Reader::new(&self.inotify, &mut buffer);
                let mut any = false;
                let end = loop {
                    match events.next() {
                        // The end of a removed watch is not a change.
                        Ok(event) if event.events() == ReadFlags::IGNORED => {}
                        Ok(event) => {
                            let entry = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
                            any |= self.counts(event.wd(), entry);
                        }
                        Err(Errno::INTR) => {}
                        Err(error) => break error,
                    }
                };
                ready.clear_ready();
                match end {
                    _ if any => {
                        self.is_stale.store(true, Ordering::Release);
                        return Ok(());
                    }
                    Errno::AGAIN => {}
                    error => return Err(error.into()),
                }
            }
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;

    /// A time limit that is longer than any step takes.
    const STEP_TIMEOUT: Duration = Duration::from_secs(20);

    async fn expect_report(watch: &Watch, what: &str) {
        assert!(tokio::time::timeout(STEP_TIMEOUT, watch.changed()).await.is_ok(), "{what} is not heard");
    }

    /// Expects no report. The kernel reports a change before the changing call returns.
    async fn expect_no_report(watch: &Watch, what: &str) {
        let heard = tokio::time::timeout(Duration::from_millis(50), watch.changed()).await;
        assert!(heard.is_err(), "{what} is not heard");
    }

    #[tokio::test]
    async fn changes_of_entries_are_reported_and_nothing_else() {
        let ground = tempfile::tempdir().unwrap();
        let directory = ground.path().join("above/here");
        fs::create_dir_all(directory.join("deeper")).unwrap();
        let watch = Watch::begin();
        let set = || watch.set(BTreeSet::from([directory.clone()]));
        assert!(set(), "more is watched");
        assert!(!watch.may_miss_changes());
        fs::write(directory.join("deeper/file"), "").unwrap();
        fs::write(ground.path().join("above/beside"), "").unwrap();
        assert!(!set(), "it is watched already");
        expect_no_report(&watch, "what happens elsewhere").await;

        fs::write(directory.join("file"), "").unwrap();
        expect_report(&watch, "a file that comes").await;
        fs::write(directory.join("file"), "text").unwrap();
        expect_report(&watch, "a file that is written").await;
        fs::rename(directory.join("file"), directory.join("other")).unwrap();
        expect_report(&watch, "a file that is moved").await;
        fs::remove_file(directory.join("other")).unwrap();
        expect_report(&watch, "a file that goes").await;
        fs::rename(ground.path().join("above"), ground.path().join("elsewhere")).unwrap();
        expect_report(&watch, "a directory that moves with what is above it").await;
    }

    #[tokio::test]
    async fn a_watch_that_the_kernel_refused_is_opened_when_it_is_set() {
        let ground = tempfile::tempdir().unwrap();
        let watch = Watch { listener: std::sync::OnceLock::new() };
        assert!(watch.may_miss_changes());
        expect_no_report(&watch, "what happens meanwhile").await;
        assert!(watch.set(BTreeSet::from([ground.path().to_owned()])));
        assert!(!watch.may_miss_changes());
        fs::write(ground.path().join("file"), "").unwrap();
        expect_report(&watch, "a file that comes").await;
    }

    #[tokio::test]
    async fn a_missing_directory_is_reported_when_it_appears() {
        let ground = tempfile::tempdir().unwrap();
        let directory = ground.path().join("one/two");
        let watch = Watch::begin();
        let set = || watch.set(BTreeSet::from([directory.clone()]));
        set();
        fs::write(ground.path().join("another"), "").unwrap();
        expect_no_report(&watch, "what comes beside its way").await;
        fs::create_dir_all(&directory).unwrap();
        expect_report(&watch, "the first step of its way").await;
        set();
        fs::write(directory.join("file"), "").unwrap();
        expect_report(&watch, "a file in it").await;
        fs::remove_dir_all(ground.path().join("one")).unwrap();
        expect_report(&watch, "that it goes").await;
        set();
        assert!(!watch.may_miss_changes());
        fs::create_dir(ground.path().join("one")).unwrap();
        expect_report(&watch, "that it comes again").await;
    }

    #[tokio::test]
    async fn an_unwatched_directory_is_silent() {
        let ground = tempfile::tempdir().unwrap();
        let (one, two) = (ground.path().join("one"), ground.path().join("two"));
        [&one, &two].iter().for_each(|directory| fs::create_dir(directory).unwrap());
        let watch = Watch::begin();
        watch.set(BTreeSet::from([one.clone(), two.clone()]));
        watch.set(BTreeSet::from([two.clone()]));
        fs::write(one.join("file"), "").unwrap();
        expect_no_report(&watch, "what is watched no more").await;
        fs::write(two.join("file"), "").unwrap();
        expect_report(&watch, "what is still watched").await;
    }
}
