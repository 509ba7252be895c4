//! The place of a file in a working tree: its open directory and its name. The directory is opened one step
//! after the other from the top, so that no symbolic link on the way leads out of the working tree.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path};

use alongside_platform::directory::{Directory, Entry};
use alongside_platform::untrusted::{self, Whose};

use crate::error::Error;

/// See the module.
#[derive(Debug)]
pub(crate) struct FilePlace {
    pub(crate) directory: Directory,
    pub(crate) name: OsString,
}

impl FilePlace {
    /// Finds the place of a path below the top. Returns `None` if its directory is gone.
    ///
    /// # Errors
    /// Why the place cannot be reached: a link or a file is on the way, or the path leaves the working tree.
    pub(crate) fn find(top: &Path, below: &Path) -> Result<Option<Self>, Error> {
        Self::open(top, below, false)
    }

    /// Finds the place of a path below the top, and makes the directories that are missing.
    ///
    /// # Errors
    /// As [`find`](Self::find), and if a directory cannot be made.
    pub(crate) fn make_way(top: &Path, below: &Path) -> Result<Self, Error> {
        Self::open(top, below, true)?.ok_or("its directory is gone".into())
    }

    fn open(top: &Path, below: &Path, make: bool) -> Result<Option<Self>, Error> {
        let mut names = Vec::new();
        for part in below.components() {
            match part {
                Component::Normal(name) if !name.eq_ignore_ascii_case(".git") => names.push(name.to_owned()),
                _ => return Err("it is no file of the working tree".into()),
            }
        }
        let name = names.pop().ok_or("it is no file of the working tree")?;
        let mut directory = Directory::open(top)?;
        for step in names {
            match directory.entry(&step)? {
                Some(Entry::Directory) => {}
                Some(Entry::Link) => return Err("a link is on the way to it".into()),
                Some(Entry::File | Entry::Other) => {
                    return Err("a file is in the place of its directory".into());
                }
                None if !make => return Ok(None),
                None => directory.make_usual(&step)?,
            }
            directory = directory.below(&step)?;
        }
        Ok(Some(Self { directory, name }))
    }

    /// Returns the entry at this place, or `None` if there is nothing.
    ///
    /// # Errors
    /// If the system cannot tell.
    pub(crate) fn entry(&self) -> io::Result<Option<Entry>> {
        self.directory.entry(&self.name)
    }

    /// Reads the content of a regular file of at most `limit` bytes.
    ///
    /// # Errors
    /// If the entry is not a regular file, is larger, or cannot be read.
    pub(crate) fn read(&self, limit: u64) -> io::Result<Vec<u8>> {
        untrusted::open_in(&self.directory, &self.name, limit, Whose::Anybodys)?.whole()
    }
}
