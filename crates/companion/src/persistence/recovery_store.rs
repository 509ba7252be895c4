//! Where journals lie, who may write which, and what of them goes when: a file and a lock for each living
//! companion, and for each that has crashed until it is back, or for two weeks.
//!
//! A file is a record a line, and the last whole one counts. What changes is appended, for an agent waits for
//! it: a file that takes the place of another is written out by ext4 on the spot, which takes fifteen times
//! as long, and now and then 4 ms.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::journal::{Changes, Journal, KnownSession};
use crate::persistence::app_dirs::AppDirs;
use crate::persistence::drafts::KEPT_FOR;
use crate::persistence::private_files::{self, Ground};
use alongside_platform::untrusted::{self, Whose};

/// It holds the texts of all open reviews; whatever is larger than this is something else.
const MAX_BYTES: u64 = 1 << 30;

/// A file begins anew with the next record when it holds about so many, for that is what takes 4 ms: of a
/// hundred agents not one shall wait for it.
const RECORDS: u64 = 128;

/// But not below so many bytes, nor above.
const ROOM: std::ops::RangeInclusive<u64> = (256 << 10)..=(4 << 20);

/// The right to keep one journal; nobody else has it at the same time.
#[derive(Debug)]
pub(crate) struct RecoveryStore {
    state: PathBuf,
    path: PathBuf,
    /// The files of sessions that were written.
    pages: BTreeSet<PathBuf>,
    /// It begins with a record of this life.
    is_begun: bool,
    /// Held until the process ends, however it ends.
    lock: File,
}

/// What can still be read of a journal that is none of ours any more.
#[derive(Debug, Deserialize)]
struct Rest {
    port: u16,
    token: String,
}

fn directory(state: &Path) -> PathBuf {
    state.join("journal")
}

fn make_directory(state: &Path) -> io::Result<()> {
    private_files::directory(state, Path::new("journal"), Ground::Own)
}

/// Whatever lies beside a journal, in the directory of its sessions.
fn pages(journal: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(journal.with_extension("")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path())
}

/// Removes a journal: first what makes it one.
fn remove(journal: &Path) {
    let _ = fs::remove_file(journal);
    let _ = fs::remove_dir_all(journal.with_extension(""));
}

impl RecoveryStore {
    /// Takes the journal of this [name](super::journal::name). `None` when another living companion has it.
    /// Blocks briefly.
    pub(crate) fn take(state: &Path, name: &str) -> io::Result<Option<Self>> {
        make_directory(state)?;
        let path = directory(state).join(format!("{name}.json"));
        let lock = private_files::try_lock(&path.with_extension("lock"))?;
        Ok(lock.map(|lock| Self {
            state: state.to_owned(),
            path,
            pages: BTreeSet::new(),
            is_begun: false,
            lock,
        }))
    }

    /// What a crashed companion left behind. Of one that is damaged, port and token are enough for agents to
    /// be told that they are not known any more; without them it is an error.
    pub(crate) fn left_behind(&self) -> io::Result<Option<Journal>> {
        let json = match untrusted::read(&self.path, MAX_BYTES, Whose::Ours) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        let mut journal: Journal = newest(&json).or_else(|_| {
            let Rest { port, token } = newest(&json)?;
            Ok::<_, io::Error>(Journal { port, token, is_damaged: true, ..Journal::default() })
        })?;
        // An empty token would let everybody in.
        if journal.token.is_empty() || journal.port == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it names no port and token"));
        }
        for page in pages(&self.path).filter(|page| page.extension().is_some_and(|kind| kind == "json")) {
            let read = untrusted::read(&page, MAX_BYTES, Whose::Ours);
            match read.and_then(|json| newest::<KnownSession>(&json)) {
                Ok(known) => journal.sessions.push(known),
                Err(error) => {
                    tracing::warn!(%error, "a session is forgotten");
                    journal.is_damaged = true;
                }
            }
        }
        Ok(Some(journal))
    }

    /// Writes what has changed, each file in one step: a record is there, or was never written. After each of
    /// them what lies there is of a companion that was. The directories are put back if they were taken away.
    pub(crate) fn write(&mut self, changes: &Changes) -> io::Result<()> {
        let lock = self.path.with_extension("lock");
        if !private_files::leads_to(&lock, &self.lock) {
            make_directory(&self.state)?;
            self.lock = private_files::try_lock(&lock)?.ok_or_else(|| {
                io::Error::new(io::ErrorKind::ResourceBusy, "another companion of this project keeps it now")
            })?;
        }
        let Changes { journal, gone, is_all } = changes;
        let changed: Vec<_> = journal.sessions.iter().map(|known| (self.page(&known.id), known)).collect();
        self.is_begun &= !is_all;
        if *is_all {
            // Before a new port or token is written down: nobody who knows the old ones may be taken for one
            // of ours.
            self.pages.clear();
            for page in pages(&self.path).filter(|page| !changed.iter().any(|(one, _)| one == page)) {
                // What cannot be removed is a session that nobody comes back to.
                let _ = fs::remove_file(page);
            }
        }
        // Before the reviews that it numbers.
        let is_begun = std::mem::take(&mut self.is_begun);
        put(&self.path, journal, is_begun)?;
        self.is_begun = true;
        if !changed.is_empty() && !self.path.with_extension("").is_dir() {
            let below = self.path.with_extension("");
            let below = below.strip_prefix(&self.state).map_err(io::Error::other)?;
            private_files::directory(&self.state, below, Ground::Own)?;
        }
        for (page, known) in changed {
            // One that was not quite written is not appended to.
            let is_begun = self.pages.remove(&page);
            put(&page, known, is_begun)?;
            self.pages.insert(page);
        }
        for id in gone {
            let page = self.page(id);
            if self.pages.remove(&page) {
                // As above.
                let _ = fs::remove_file(page);
            }
        }
        Ok(())
    }

    /// Where a session lies. Its id is a secret, and no name.
    fn page(&self, session: &str) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        session.hash(&mut hasher);
        self.path.with_extension("").join(format!("{:016x}.json", hasher.finish()))
    }

    /// Whether nobody has taken it away.
    pub(crate) fn is_there(&self) -> bool {
        self.path.exists()
            && self.pages.iter().all(|page| page.exists())
            && private_files::leads_to(&self.path.with_extension("lock"), &self.lock)
    }

    /// Removes it: its companion has ended as it should.
    pub(crate) fn retire(self) {
        let lock = self.path.with_extension("lock");
        if private_files::leads_to(&lock, &self.lock) {
            remove(&self.path);
            // While it is held: who waits for it finds that it is gone.
            let _ = fs::remove_file(lock);
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Adds a record to a file that is begun and has room, or begins it.
fn put(path: &Path, record: &impl Serialize, is_begun: bool) -> io::Result<()> {
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    let room = RECORDS.saturating_mul(line.len() as u64).clamp(*ROOM.start(), *ROOM.end());
    match is_begun && private_files::append(path, &line, room)? {
        true => Ok(()),
        false => private_files::write(path, &line),
    }
}

/// The last record that is whole. One that was being written at a crash is none: nobody was told of what it
/// says.
fn newest<T: DeserializeOwned>(file: &[u8]) -> io::Result<T> {
    let mut records = file.rsplit(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let last = serde_json::from_slice(records.next().unwrap_or_default());
    Ok(last.or_else(|error| serde_json::from_slice(records.next().ok_or(error)?))?)
}

/// Whether a living companion keeps the journal of this name.
pub(crate) fn is_kept(dirs: &AppDirs, name: &str) -> bool {
    let lock = File::open(directory(&dirs.state).join(format!("{name}.lock")));
    lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(fs::TryLockError::WouldBlock)))
}

/// Whether there is a journal of this name: its companion lives, or has crashed.
pub(crate) fn was_left(dirs: &AppDirs, name: &str) -> bool {
    directory(&dirs.state).join(format!("{name}.json")).exists()
}

/// Removes journals of the dead whom nobody has brought back for two weeks, and what else was left behind.
pub(crate) fn sweep(dirs: &AppDirs) {
    let directory = directory(&dirs.state);
    private_files::remove_unfinished(&directory);
    for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
        let lock = entry.path();
        if lock.extension().is_none_or(|extension| extension != "lock") {
            continue;
        }
        let json = lock.with_extension("json");
        let age =
            json.metadata().and_then(|found| found.modified()).map(|at| at.elapsed().unwrap_or_default());
        let is_over = match age {
            Ok(age) => age > KEPT_FOR,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if is_over && let Ok(Some(_held)) = private_files::try_lock(&lock) {
            remove(&json);
            let _ = fs::remove_file(lock);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::persistence::journal::Undecided;

    fn store(state: &Path) -> RecoveryStore {
        loop {
            match RecoveryStore::take(state, "e").unwrap() {
                Some(store) => return store,
                // A child of another test, which has what was open here until it runs its own program.
                None => std::thread::sleep(std::time::Duration::from_millis(1)),
            }
        }
    }

    fn journal() -> Journal {
        Journal { port: 7, token: "t".into(), ..Journal::default() }
    }

    fn beginning() -> Changes {
        Changes { journal: journal(), is_all: true, ..Changes::default() }
    }

    /// The same with sessions of these ids, each with an open review.
    fn with(sessions: &[&str]) -> Changes {
        let known = |id: &&str| KnownSession {
            id: (*id).to_owned(),
            undecided: vec![Undecided { file_path: "/p/a".into(), text: "x".into(), draft: None }],
            ..KnownSession::default()
        };
        let journal = Journal { sessions: sessions.iter().map(known).collect(), ..journal() };
        Changes { journal, ..Changes::default() }
    }

    fn ids(store: &RecoveryStore) -> Vec<String> {
        let mut ids: Vec<_> =
            store.left_behind().unwrap().unwrap().sessions.into_iter().map(|known| known.id).collect();
        ids.sort();
        ids
    }

    #[test]
    fn only_one_keeps_the_journal_and_a_crash_leaves_it_behind() {
        let directory = tempfile::tempdir().unwrap();
        let state = directory.path();
        let mut first = store(state);
        assert!(RecoveryStore::take(state, "e").unwrap().is_none());
        assert!(RecoveryStore::take(state, "f").unwrap().is_some());
        assert_eq!(first.left_behind().unwrap(), None);
        first.write(&beginning()).unwrap();
        drop(first);
        assert_eq!(store(state).left_behind().unwrap(), Some(journal()));
    }

    #[test]
    fn a_session_is_written_when_it_has_changed_and_no_other_is() {
        let directory = tempfile::tempdir().unwrap();
        let mut store = store(directory.path());
        store.write(&Changes { is_all: true, ..with(&["a", "b", "c"]) }).unwrap();
        assert_eq!(store.left_behind().unwrap().unwrap().sessions[0].undecided.len(), 1);
        let untouched = store.page("b");
        fs::write(&untouched, "as it was").unwrap();
        store.write(&Changes { gone: vec!["c".into()], ..with(&["a"]) }).unwrap();
        assert_eq!(fs::read_to_string(&untouched).unwrap(), "as it was");
        assert!(store.is_there());
        // What cannot be read costs that session, and no other.
        assert!(store.left_behind().unwrap().unwrap().is_damaged);
        assert_eq!(ids(&store), ["a"]);
        fs::remove_file(&untouched).unwrap();
        assert!(!store.is_there(), "somebody has taken one away");
    }

    #[test]
    fn what_a_crash_tore_off_was_never_written() {
        let directory = tempfile::tempdir().unwrap();
        let mut store = store(directory.path());
        store.write(&Changes { is_all: true, ..with(&["a"]) }).unwrap();
        let page = store.page("a");
        let before = [store.path(), page.as_path()].map(|path| fs::read(path).unwrap());
        let mut next = with(&["a"]);
        next.journal.last_review = 7;
        next.journal.sessions[0].undecided.clear();
        store.write(&next).unwrap();
        let after = [store.path(), page.as_path()].map(|path| fs::read(path).unwrap());
        assert!(
            after.iter().zip(&before).all(|(after, before)| after.starts_with(before)),
            "it is appended to"
        );
        let seen = || {
            let left = store.left_behind().unwrap().unwrap();
            (left.last_review, left.sessions[0].undecided.len())
        };
        assert_eq!(seen(), (7, 0));
        for cut in before[0].len()..after[0].len() - 1 {
            fs::write(store.path(), &after[0][..cut]).unwrap();
            assert_eq!(seen().0, 0, "cut after {cut} bytes");
        }
        for cut in before[1].len()..after[1].len() - 1 {
            fs::write(&page, &after[1][..cut]).unwrap();
            assert_eq!(seen().1, 1, "cut after {cut} bytes");
        }
    }

    #[test]
    fn a_file_has_room_for_some_records_and_none_is_appended_to_what_was_torn() {
        let directory = tempfile::tempdir().unwrap();
        let mut store = store(directory.path());
        let mut large = with(&["a"]);
        large.journal.sessions[0].undecided[0].text = "x".repeat(*ROOM.end() as usize / 3).into();
        let mut lengths = Vec::new();
        for _ in 0..4 {
            store.write(&large).unwrap();
            lengths.push(store.page("a").metadata().unwrap().len());
        }
        assert!(
            lengths[1] == 2 * lengths[0] && lengths[2] == lengths[0] && lengths[3] == lengths[1],
            "{lengths:?}"
        );
        // As on a full disk: what came of it is no record, and the next one is not part of it.
        store.pages.clear();
        fs::write(store.page("a"), "half a rec").unwrap();
        store.write(&with(&["a"])).unwrap();
        assert_eq!(ids(&store), ["a"]);
    }

    #[test]
    fn what_is_no_session_any_more_goes_with_the_next_life() {
        let directory = tempfile::tempdir().unwrap();
        let mut crashed = store(directory.path());
        crashed.write(&Changes { is_all: true, ..with(&["a", "b"]) }).unwrap();
        drop(crashed);
        let mut next = store(directory.path());
        assert_eq!(ids(&next), ["a", "b"]);
        fs::write(next.path().with_extension("").join(".alongside-x"), "unfinished").unwrap();
        next.write(&Changes { is_all: true, ..with(&["b", "c"]) }).unwrap();
        assert_eq!(ids(&next), ["b", "c"]);
        assert_eq!(pages(next.path()).count(), 2);
        next.retire();
        assert_eq!(fs::read_dir(super::directory(directory.path())).unwrap().count(), 0);
    }

    #[test]
    fn of_a_companion_that_has_ended_nothing_is_left_not_even_the_lock() {
        let directory = tempfile::tempdir().unwrap();
        let mut first = store(directory.path());
        first.write(&beginning()).unwrap();
        first.retire();
        assert_eq!(fs::read_dir(super::directory(directory.path())).unwrap().count(), 0);
        assert!(!is_kept(&AppDirs::below(directory.path()), "e"));
    }

    #[test]
    fn a_journal_that_is_damaged_or_foreign_is_said_to_be_and_never_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let mut store = store(directory.path());
        store.write(&beginning()).unwrap();
        let good = fs::read(store.path()).unwrap();
        // Without the end of its line, a record is whole.
        for cut in 0..good.len() - 1 {
            fs::write(store.path(), &good[..cut]).unwrap();
            assert!(store.left_behind().is_err(), "cut after {cut} bytes");
        }
        for bad in [
            r#"{"port":7,"token":"","sessions":[],"undecided":[],"unsettled":[]}"#,
            r#"{"port":0,"token":"t"}"#,
            "[]",
        ] {
            fs::write(store.path(), bad).unwrap();
            assert!(store.left_behind().is_err(), "{bad}");
        }
        // One of another release: its agents can be told that they are not known.
        fs::write(store.path(), r#"{"port":7,"token":"t","sessions":[{"id":1}],"more":{}}"#).unwrap();
        let left = store.left_behind().unwrap().unwrap();
        assert_eq!((left.port, left.token.as_str(), left.is_damaged), (7, "t", true));
        fs::remove_file(store.path()).unwrap();
        fs::create_dir(store.path()).unwrap();
        assert!(store.left_behind().is_err());
        #[cfg(unix)]
        {
            fs::remove_dir(store.path()).unwrap();
            crate::pipe(store.path());
            assert!(store.left_behind().is_err());
        }
    }

    #[test]
    fn a_directory_that_was_taken_away_is_put_back_unless_somebody_else_was_faster() {
        let directory = tempfile::tempdir().unwrap();
        let mut first = store(directory.path());
        first.write(&beginning()).unwrap();
        fs::remove_dir_all(super::directory(directory.path())).unwrap();
        assert!(!first.is_there());
        first.write(&beginning()).unwrap();
        assert!(first.is_there() && RecoveryStore::take(directory.path(), "e").unwrap().is_none());
        fs::remove_dir_all(super::directory(directory.path())).unwrap();
        let second = store(directory.path());
        let refused = first.write(&beginning()).unwrap_err();
        assert!(refused.to_string().contains("another companion"), "{refused}");
        first.retire();
        assert!(
            private_files::leads_to(&second.path().with_extension("lock"), &second.lock),
            "it is not ours to remove"
        );
    }

    #[test]
    fn of_the_dead_a_journal_stays_two_weeks_and_a_lock_alone_does_not_stay() {
        let directory = tempfile::tempdir().unwrap();
        let dirs = AppDirs::below(directory.path());
        let old = SystemTime::now() - KEPT_FOR - std::time::Duration::from_secs(60);
        for (name, age) in [("alive", Some(old)), ("old", Some(old)), ("new", None)] {
            let mut store = RecoveryStore::take(&dirs.state, name).unwrap().unwrap();
            store.write(&beginning()).unwrap();
            if let Some(at) = age {
                File::options().append(true).open(store.path()).unwrap().set_modified(at).unwrap();
            }
            if name == "alive" {
                std::mem::forget(store);
            }
        }
        drop(RecoveryStore::take(&dirs.state, "bare").unwrap());
        sweep(&dirs);
        let left = fs::read_dir(super::directory(&dirs.state)).unwrap().flatten();
        let mut left: Vec<_> = left.map(|entry| entry.file_name().into_string().unwrap()).collect();
        left.sort();
        assert_eq!(left, ["alive.json", "alive.lock", "new.json", "new.lock"]);
        assert!(is_kept(&dirs, "alive") && !is_kept(&dirs, "new") && was_left(&dirs, "new"));
    }
}
