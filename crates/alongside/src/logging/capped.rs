//! A log's file, which grows to a size and no further: then it becomes `FILE.1`, in place of the one before,
//! and a new one begins. Several processes may write to one file.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use alongside_companion::private::leads_to;
use alongside_platform::private::open_for_appending;

/// See the module.
#[derive(Debug)]
pub(super) struct Capped {
    path: PathBuf,
    /// In bytes; one write may lead beyond it.
    cap: u64,
    file: File,
}

impl Capped {
    /// Opens it, or makes it.
    ///
    /// # Errors
    /// As [`open_for_appending`].
    pub(super) fn open(path: &Path, cap: u64) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), cap, file: open_for_appending(path)? })
    }

    /// Writes whole lines.
    ///
    /// # Errors
    /// When the disk does not let us; a part may be there then.
    pub(super) fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        self.begin_anew()?;
        self.file.write_all(lines)
    }

    fn begin_anew(&mut self) -> io::Result<()> {
        if !self.file.metadata()?.is_file() {
            // A terminal takes as much as is written.
            return Ok(());
        }
        let is_link = self.path.is_symlink();
        if !is_link && !leads_to(&self.path, &self.file) {
            // Another process has begun a new one, or somebody has taken it away.
            self.file = open_for_appending(&self.path)?;
        }
        if self.file.metadata()?.len() < self.cap {
            return Ok(());
        }
        // Of several processes one renames it, and the others find that it is done.
        self.file.lock()?;
        if is_link {
            return self.file.set_len(0);
        }
        if leads_to(&self.path, &self.file) && fs::rename(&self.path, rotated(&self.path)).is_err() {
            // Somebody else may have that name. The disk shall not fill all the same.
            return self.file.set_len(0);
        }
        self.file = open_for_appending(&self.path)?;
        Ok(())
    }
}

/// What a log is called when another one has taken its place.
fn rotated(path: &Path) -> PathBuf {
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
    fn it_grows_to_its_size_and_the_one_before_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        // As two processes have it.
        let mut writers = [(); 2].map(|()| Capped::open(&path, 1000).unwrap());
        for number in 0..250 {
            writers[number % 2].write(line(number).as_bytes()).unwrap();
        }
        let [now, before] = [path.clone(), rotated(&path)].map(|path| fs::read_to_string(path).unwrap());
        assert_eq!(before, (100..200).map(line).collect::<String>());
        assert_eq!(now, (200..250).map(line).collect::<String>());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn one_that_was_taken_away_begins_anew() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let mut log = Capped::open(&path, 1000).unwrap();
        log.write(b"one\n").unwrap();
        fs::remove_file(&path).unwrap();
        log.write(b"two\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two\n");
    }

    #[test]
    fn where_it_cannot_be_renamed_it_is_emptied() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        fs::create_dir_all(rotated(&path).join("in the way")).unwrap();
        symlink("log", directory.path().join("link")).unwrap();
        for name in ["log", "link"] {
            let mut log = Capped::open(&directory.path().join(name), 100).unwrap();
            for number in 0..25 {
                log.write(line(number).as_bytes()).unwrap();
                assert!(path.metadata().unwrap().len() <= 110, "{name}");
            }
        }
        assert!(directory.path().join("link").is_symlink());
    }

    #[test]
    fn a_device_takes_as_much_as_is_written() {
        let mut log = Capped::open(Path::new("/dev/null"), 10).unwrap();
        for number in 0..25 {
            log.write(line(number).as_bytes()).unwrap();
        }
    }
}
