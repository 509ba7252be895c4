//! Room on the disk that is reserved for drafts. Without it, an agent or another user who fills the disk
//! would leave a person's edits in memory only, where a crash loses them.
//!
//! Some files, the slices, hold the room, for all companions of a user. A write that finds the disk full
//! deletes them one by one until it fits, then fills the rest again, so that others get little of the room.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_platform::directory::Directory;
use alongside_platform::disk_space;

use super::private_files::{self, PathTrust};

/// The number of slices. Each holds an inode as well, for a disk may be short of those.
const SLICES: usize = 16;
/// The size of a slice in bytes.
const SLICE: u64 = 256 << 10;
/// The least size of a slice in bytes: a text and its description.
const MIN_SLICE: u64 = 16 << 10;
/// A slice takes at most one part in this many of the available room: a small disk is for others.
const SHARE: u64 = 8;

/// How soon the writer looks for room again.
pub(crate) const RETRY_INTERVAL: Duration = Duration::from_secs(10);

/// The purpose of a write, which decides how much of the reserve it may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReserveUse {
    /// May use all of the reserve.
    Drafts,
    /// Leaves half of the reserve to drafts: the journal is as large as agents make it.
    Journal,
}

impl ReserveUse {
    /// How many slices stay.
    fn slices_left(self) -> usize {
        match self {
            Self::Drafts => 0,
            Self::Journal => SLICES / 2,
        }
    }
}

/// The reserve of this user's drafts and journals.
#[derive(Debug)]
pub(crate) struct Reserve {
    state: PathBuf,
    /// Whether some of the reserve was given up since it was last [taken](Self::take).
    is_short: bool,
}

impl Reserve {
    /// The reserve in this state directory. Touches nothing.
    pub(crate) fn of(state: &Path) -> Self {
        Self { state: state.to_owned(), is_short: false }
    }

    fn directory(&self) -> PathBuf {
        self.state.join("reserve")
    }

    fn slice(&self, number: usize) -> PathBuf {
        self.directory().join(number.to_string())
    }

    /// Fills the missing slices, while there is plenty of room. Returns whether there is. Blocks.
    pub(crate) fn take(&mut self) -> bool {
        let is_plenty = || disk_space::available(&self.state).is_some_and(|free| free / SHARE >= SLICE);
        let made = private_files::directory(&self.state, Path::new("reserve"), PathTrust::Own);
        if made.is_err() || !is_plenty() {
            return false;
        }
        for slice in (0..SLICES).map(|number| self.slice(number)) {
            let is_whole = fs::symlink_metadata(&slice).is_ok_and(|found| found.len() == SLICE);
            if !is_whole && (!is_plenty() || fill(&slice, SLICE).is_err()) {
                // A disk as small as this holds no more slices.
                break;
            }
        }
        self.is_short = false;
        true
    }

    /// Whether the disk was full, and [`take`](Self::take) has found no room since.
    pub(crate) fn is_short(&self) -> bool {
        self.is_short
    }

    pub(crate) fn held(&self) -> u64 {
        (0..SLICES)
            .filter_map(|number| fs::symlink_metadata(self.slice(number)).ok())
            .map(|found| found.len())
            .sum()
    }

    /// Calls `write`, again after each slice that it deletes while the disk is full. Blocks.
    pub(crate) fn write<T>(
        &mut self,
        purpose: ReserveUse,
        mut write: impl FnMut() -> io::Result<T>,
    ) -> io::Result<T> {
        let mut gave = false;
        let written = loop {
            match write() {
                Err(error) if disk_space::is_short(&error) && self.give_up(purpose.slices_left()) => {
                    gave = true
                }
                written => break written,
            }
        };
        if gave {
            self.is_short = true;
            self.refill();
        }
        written
    }

    /// Deletes one slice, if more than `min_left` exist.
    fn give_up(&self, min_left: usize) -> bool {
        let held: Vec<_> =
            (0..SLICES).map(|number| self.slice(number)).filter(|slice| slice.exists()).collect();
        // Another companion may delete one in the same moment.
        held.len() > min_left && held.iter().rev().any(|slice| fs::remove_file(slice).is_ok())
    }

    /// Fills again the slices that were deleted and not needed.
    fn refill(&self) {
        let mut bytes = SLICE;
        for slice in (0..SLICES).map(|number| self.slice(number)).filter(|slice| !slice.exists()) {
            while fill(&slice, bytes).is_err() {
                bytes /= 2;
                if bytes < MIN_SLICE {
                    return;
                }
            }
        }
    }
}

/// Makes a slice of so many bytes, or none.
fn fill(slice: &Path, bytes: u64) -> io::Result<()> {
    let _ = fs::remove_file(slice);
    let directory = Directory::open(slice.parent().unwrap_or(Path::new(".")))?;
    let held = directory
        .create(slice.file_name().unwrap_or_default())
        .and_then(|mut file| disk_space::hold(&mut file, bytes));
    if held.is_err() {
        // The slice may be partly filled.
        let _ = fs::remove_file(slice);
    }
    held
}

#[cfg(test)]
mod tests;
