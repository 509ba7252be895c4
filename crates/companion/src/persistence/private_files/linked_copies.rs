//! Files of equal content in many directories, written as hard links to one file.

use std::ffi::OsStr;
use std::fs::File;
use std::io;

use alongside_platform::directory::Directory;

use super::atomic_write::{in_one_step, replace};

/// The files that were written, by their content. Agents search for some forty names. On a busy disk, ext4
/// takes 0.2 to 0.4 ms to create a file, but 0.03 ms to link one. Where links fail, each name gets a file of
/// its own.
#[derive(Debug, Default)]
pub(crate) struct LinkedCopies(Vec<(Vec<u8>, File)>);

impl LinkedCopies {
    /// Replaces a file in a directory with this content, in one step.
    pub(crate) fn put(&mut self, directory: &Directory, name: &OsStr, content: Vec<u8>) -> io::Result<()> {
        // Links do not cross file systems, so home and the temporary directory may need a file each.
        let mut copies = self.0.iter().filter(|(written, _)| *written == content);
        let is_linked = copies.any(|(_, file)| {
            in_one_step(directory, name, |unfinished| directory.link(file, unfinished), |()| Ok(())).is_ok()
        });
        if is_linked {
            return Ok(());
        }
        let file = replace(directory, name, &content)?;
        self.0.push((content, file));
        Ok(())
    }
}
