//! A log file with a size limit. A full file is renamed to `FILE.1`, in place of the previous one, and a new
//! file begins. Several processes may write to the same file.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use alongside_companion::private::leads_to;
use alongside_platform::private::open_for_appending;

/// A log file that this process has open.
#[derive(Debug)]
pub(super) struct CappedFile {
    path: PathBuf,
    /// The size limit, in bytes. The last write may exceed it.
    cap: u64,
    file: File,
}

impl CappedFile {
    /// Opens the file, or creates it.
    ///
    /// # Errors
    /// As [`open_for_appending`].
    pub(super) fn open(path: &Path, cap: u64) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), cap, file: open_for_appending(path)? })
    }

    /// Writes whole lines.
    ///
    /// # Errors
    /// When the file cannot be written. A part may be written then.
    pub(super) fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        self.rotate_if_full()?;
        self.file.write_all(lines)
    }

    fn rotate_if_full(&mut self) -> io::Result<()> {
        if !self.file.metadata()?.is_file() {
            // A device has no size.
            return Ok(());
        }
        let is_link = self.path.is_symlink();
        if !is_link && !leads_to(&self.path, &self.file) {
            // Another process has rotated the file, or the file was removed.
            self.file = open_for_appending(&self.path)?;
        }
        if self.file.metadata()?.len() < self.cap {
            return Ok(());
        }
        // The lock lets only one of several processes rename the file. The others see that it was renamed.
        self.file.lock()?;
        if is_link {
            return self.file.set_len(0);
        }
        if leads_to(&self.path, &self.file) && fs::rename(&self.path, rotated_path(&self.path)).is_err() {
            // The new name may be in use. Emptying the file keeps the disk from filling.
            return self.file.set_len(0);
        }
        self.file = open_for_appending(&self.path)?;
        Ok(())
    }
}

/// Returns the path of the previous file.
fn rotated_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".1");
    name.into()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn line(number: usize) -> String {
        format!("{number:09}\n")
    }

    #[test]
    fn a_full_file_is_rotated_once_and_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let mut writers = [(); 2].map(|()| CappedFile::open(&path, 1000).unwrap());
        for number in 0..250 {
            writers[number % 2].write(line(number).as_bytes()).unwrap();
        }
        let [now, before] = [path.clone(), rotated_path(&path)].map(|path| fs::read_to_string(path).unwrap());
        assert_eq!(before, (100..200).map(line).collect::<String>());
        assert_eq!(now, (200..250).map(line).collect::<String>());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_removed_file_is_created_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let mut log = CappedFile::open(&path, 1000).unwrap();
        log.write(b"one\n").unwrap();
        fs::remove_file(&path).unwrap();
        log.write(b"two\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two\n");
    }

    #[test]
    fn a_file_that_cannot_be_renamed_is_emptied() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        fs::create_dir_all(rotated_path(&path).join("in the way")).unwrap();
        symlink("log", directory.path().join("link")).unwrap();
        for name in ["log", "link"] {
            let mut log = CappedFile::open(&directory.path().join(name), 100).unwrap();
            for number in 0..25 {
                log.write(line(number).as_bytes()).unwrap();
                assert!(path.metadata().unwrap().len() <= 110, "{name}");
            }
        }
        assert!(directory.path().join("link").is_symlink());
    }

    #[test]
    fn a_device_has_no_limit() {
        let mut log = CappedFile::open(Path::new("/dev/null"), 10).unwrap();
        for number in 0..25 {
            log.write(line(number).as_bytes()).unwrap();
        }
    }
}
