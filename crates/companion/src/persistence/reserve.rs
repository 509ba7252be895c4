//! Room on the disk that is reserved for drafts. Without the reserve, an agent or another user who fills the
//! disk would leave a person's edits in memory only, where a crash loses them.
//!
//! Some files, the slices, occupy the room, for all companions of a user. A write on a full disk deletes
//! slices one by one until it fits, and then fills the unneeded ones again, so that other programs get little
//! of the room.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_platform::directory::Directory;
use alongside_platform::disk_space;

use super::private_files::{self, PathTrust};

/// The number of slices. Each slice also occupies an inode, which may be what a disk lacks.
const SLICE_COUNT: usize = 16;
/// The size of a slice in bytes.
const SLICE_BYTES: u64 = 256 << 10;
/// The least size of a slice in bytes, enough for a text and its description.
const MIN_SLICE_BYTES: u64 = 16 << 10;
/// A slice takes at most this fraction (1/n) of the free room, so that a small disk stays usable.
const ROOM_DIVISOR: u64 = 8;

/// The time between two attempts of the writer to fill the reserve again.
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
    /// Returns the number of slices that must stay.
    fn min_slices(self) -> usize {
        match self {
            Self::Drafts => 0,
            Self::Journal => SLICE_COUNT / 2,
        }
    }
}

/// The reserve of this user's drafts and journals.
#[derive(Debug)]
pub(crate) struct Reserve {
    state: PathBuf,
    /// Whether some slices were deleted since the reserve was last [filled](Self::fill).
    is_short: bool,
}

impl Reserve {
    /// Returns the reserve in this state directory. Touches no file.
    pub(crate) fn of(state: &Path) -> Self {
        Self { state: state.to_owned(), is_short: false }
    }

    fn directory(&self) -> PathBuf {
        self.state.join("reserve")
    }

    fn slice(&self, number: usize) -> PathBuf {
        self.directory().join(number.to_string())
    }

    /// Fills the missing slices if the disk has plenty of room. Returns whether it has. Blocks.
    pub(crate) fn fill(&mut self) -> bool {
        let has_room =
            || disk_space::available(&self.state).is_some_and(|free| free / ROOM_DIVISOR >= SLICE_BYTES);
        let made = private_files::directory(&self.state, Path::new("reserve"), PathTrust::Own);
        if made.is_err() || !has_room() {
            return false;
        }
        for slice in (0..SLICE_COUNT).map(|number| self.slice(number)) {
            let is_whole = fs::symlink_metadata(&slice).is_ok_and(|found| found.len() == SLICE_BYTES);
            if !is_whole && (!has_room() || fill_slice(&slice, SLICE_BYTES).is_err()) {
                // The disk has no room for further slices.
                break;
            }
        }
        self.is_short = false;
        true
    }

    /// Whether the disk was full, and [`fill`](Self::fill) has found no room since.
    pub(crate) fn is_short(&self) -> bool {
        self.is_short
    }

    /// Returns the size of all slices in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (0..SLICE_COUNT)
            .filter_map(|number| fs::symlink_metadata(self.slice(number)).ok())
            .map(|found| found.len())
            .sum()
    }

    /// Calls `write`, and calls it again after each slice that it deletes while the disk is full. Blocks.
    pub(crate) fn write<T>(
        &mut self,
        purpose: ReserveUse,
        mut write: impl FnMut() -> io::Result<T>,
    ) -> io::Result<T> {
        let mut has_deleted = false;
        let written = loop {
            match write() {
                Err(error) if disk_space::is_short(&error) && self.delete_slice(purpose.min_slices()) => {
                    has_deleted = true
                }
                written => break written,
            }
        };
        if has_deleted {
            self.is_short = true;
            self.refill();
        }
        written
    }

    /// Deletes one slice, if more than `min_slices` exist. Returns whether it has deleted one.
    fn delete_slice(&self, min_slices: usize) -> bool {
        let existing: Vec<_> =
            (0..SLICE_COUNT).map(|number| self.slice(number)).filter(|slice| slice.exists()).collect();
        // Another companion may delete a slice at the same time.
        existing.len() > min_slices && existing.iter().rev().any(|slice| fs::remove_file(slice).is_ok())
    }

    /// Fills the slices again that were deleted and not needed.
    fn refill(&self) {
        let mut bytes = SLICE_BYTES;
        for slice in (0..SLICE_COUNT).map(|number| self.slice(number)).filter(|slice| !slice.exists()) {
            while fill_slice(&slice, bytes).is_err() {
                bytes /= 2;
                if bytes < MIN_SLICE_BYTES {
                    return;
                }
            }
        }
    }
}

/// Creates a slice of this size. Leaves no file if that fails.
fn fill_slice(slice: &Path, bytes: u64) -> io::Result<()> {
    let _ = fs::remove_file(slice);
    let directory = Directory::open(slice.parent().unwrap_or(Path::new(".")))?;
    let filled = directory
        .create(slice.file_name().unwrap_or_default())
        .and_then(|mut file| disk_space::hold(&mut file, bytes));
    if filled.is_err() {
        // A failed write may leave a part of the slice.
        let _ = fs::remove_file(slice);
    }
    filled
}

#[cfg(test)]
mod tests;
