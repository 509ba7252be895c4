//! Room that is kept for what a person types: anybody who fills the disk, an agent or another user, would
//! otherwise have it lie in memory only, where a crash takes it.
//!
//! Some files hold the room. A writer that finds the disk full gives them up one by one until what it writes
//! fits, and holds what is left again, so that whoever fills the disk gets as little of it as may be. All
//! companions of a user share them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_platform::directory::Directory;
use alongside_platform::room;

use crate::persistence::private_files::{self, Ground};

/// How many files hold room: each is an inode, which may be what a disk is short of.
const SLICES: usize = 16;
/// How many bytes each of them holds, at most.
const SLICE: u64 = 256 << 10;
/// And at least: a text and what is said about it.
const LEAST: u64 = 16 << 10;
/// So much of what is available is taken, and no more: a small disk is for others.
const SHARE: u64 = 8;

/// How soon it is looked whether there is room again.
pub(crate) const AGAIN_AFTER: Duration = Duration::from_secs(10);

/// Whose writing it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum For {
    /// All of it may go.
    Drafts,
    /// It holds whatever agents propose: half of the room stays for drafts.
    Journal,
}

impl For {
    fn leaves(self) -> usize {
        match self {
            Self::Drafts => 0,
            Self::Journal => SLICES / 2,
        }
    }
}

/// The room of this user's drafts and journals.
#[derive(Debug)]
pub(crate) struct Reserve {
    state: PathBuf,
    /// Some of it was given up since it was [whole](Self::take).
    is_short: bool,
}

impl Reserve {
    /// The one of this state directory. Nothing is touched.
    pub(crate) fn of(state: &Path) -> Self {
        Self { state: state.to_owned(), is_short: false }
    }

    fn directory(&self) -> PathBuf {
        self.state.join("reserve")
    }

    fn slice(&self, number: usize) -> PathBuf {
        self.directory().join(number.to_string())
    }

    /// Holds what is not held, as far as there is plenty of room. Returns whether there is. Blocks.
    pub(crate) fn take(&mut self) -> bool {
        let is_plenty = || room::available(&self.state).is_some_and(|free| free / SHARE >= SLICE);
        let made = private_files::directory(&self.state, Path::new("reserve"), Ground::Own);
        if made.is_err() || !is_plenty() {
            return false;
        }
        for slice in (0..SLICES).map(|number| self.slice(number)) {
            let is_whole = fs::symlink_metadata(&slice).is_ok_and(|found| found.len() == SLICE);
            if !is_whole && (!is_plenty() || hold(&slice, SLICE).is_err()) {
                // The rest is not held on a disk like this one.
                break;
            }
        }
        self.is_short = false;
        true
    }

    /// Whether the disk was full, and nobody has [seen room](Self::take) since.
    pub(crate) fn is_short(&self) -> bool {
        self.is_short
    }

    /// How many bytes are held.
    pub(crate) fn held(&self) -> u64 {
        (0..SLICES)
            .filter_map(|number| fs::symlink_metadata(self.slice(number)).ok())
            .map(|found| found.len())
            .sum()
    }

    /// Writes, again after each file that is given up while the disk is full. Blocks.
    ///
    /// # Errors
    /// Those of `write`.
    pub(crate) fn write<T>(&mut self, whose: For, mut write: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        let mut gave = false;
        let written = loop {
            match write() {
                Err(error) if room::is_short(&error) && self.give_up(whose.leaves()) => gave = true,
                written => break written,
            }
        };
        if gave {
            self.is_short = true;
            self.hold_the_rest();
        }
        written
    }

    /// Gives one file up, unless so many only are left.
    fn give_up(&self, leaves: usize) -> bool {
        let held: Vec<_> =
            (0..SLICES).map(|number| self.slice(number)).filter(|slice| slice.exists()).collect();
        // Another companion may take one in the same moment.
        held.len() > leaves && held.iter().rev().any(|slice| fs::remove_file(slice).is_ok())
    }

    /// What was given up and not needed.
    fn hold_the_rest(&self) {
        let mut bytes = SLICE;
        for slice in (0..SLICES).map(|number| self.slice(number)).filter(|slice| !slice.exists()) {
            while hold(&slice, bytes).is_err() {
                bytes /= 2;
                if bytes < LEAST {
                    return;
                }
            }
        }
    }
}

/// Has a file hold so much, or lets there be none.
fn hold(slice: &Path, bytes: u64) -> io::Result<()> {
    let _ = fs::remove_file(slice);
    let directory = Directory::open(slice.parent().unwrap_or(Path::new(".")))?;
    let held = directory
        .create(slice.file_name().unwrap_or_default())
        .and_then(|mut file| room::hold(&mut file, bytes));
    if held.is_err() {
        // It may hold a part.
        let _ = fs::remove_file(slice);
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> io::Error {
        io::ErrorKind::StorageFull.into()
    }

    #[test]
    fn it_gives_up_as_much_as_a_draft_needs_and_half_to_the_journal() {
        let directory = tempfile::tempdir().unwrap();
        let mut reserve = Reserve::of(directory.path());
        assert!(reserve.take());
        assert_eq!(reserve.held(), SLICES as u64 * SLICE);
        let count = |reserve: &Reserve| fs::read_dir(reserve.directory()).unwrap().count();

        let mut tries = 0;
        let mut left = Vec::new();
        let other = reserve.directory();
        let written = reserve.write(For::Drafts, || {
            tries += 1;
            left.push(fs::read_dir(&other).unwrap().count());
            if tries < 4 { Err(full()) } else { Ok(tries) }
        });
        assert_eq!((written.unwrap(), left), (4, vec![SLICES, SLICES - 1, SLICES - 2, SLICES - 3]));
        assert!(reserve.is_short());
        assert_eq!(count(&reserve), SLICES, "there was room for what was not needed");

        let mut least = SLICES;
        let written = reserve.write(For::Journal, || {
            least = fs::read_dir(&other).unwrap().count();
            Err::<(), _>(full())
        });
        assert!(written.is_err());
        assert_eq!(least, SLICES / 2);
        let written = reserve.write(For::Drafts, || {
            least = fs::read_dir(&other).unwrap().count();
            Err::<(), _>(full())
        });
        assert!(written.is_err());
        assert_eq!(least, 0);
        assert!(reserve.take() && !reserve.is_short());
    }

    #[test]
    fn it_gives_nothing_up_for_another_fault_than_a_full_disk() {
        let directory = tempfile::tempdir().unwrap();
        let mut reserve = Reserve::of(directory.path());
        assert!(reserve.take());
        let denied = || Err::<(), _>(io::ErrorKind::PermissionDenied.into());
        assert!(reserve.write(For::Drafts, denied).is_err());
        assert!(!reserve.is_short());
    }

    #[cfg(unix)]
    #[test]
    fn what_holds_it_is_private() {
        use std::os::unix::fs::MetadataExt as _;
        let directory = tempfile::tempdir().unwrap();
        let mut reserve = Reserve::of(directory.path());
        assert!(reserve.take());
        let modes =
            [reserve.directory(), reserve.slice(0)].map(|path| path.metadata().unwrap().mode() & 0o777);
        assert_eq!(modes, [0o700, 0o600]);
    }
}
