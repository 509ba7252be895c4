//! The private file of a proposal. It keeps the extension of the target, and its name where no tool would run
//! it, so that the editor picks the same language.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use alongside_desk::{Review, harmless};
use alongside_platform::untrusted::{self, Whose};
use alongside_platform::{private, process};

use crate::client::Client;
use crate::uri;

/// The time of the last change of a new file, since 1970. It is earlier than the start of every editor that
/// opens the file.
const FILE_TIME: Duration = Duration::from_secs(1_000_000_000);

/// The largest text that is read again, in bytes.
const MAX_READ_BYTES: u64 = 64 << 20;

/// The private directory below which proposals are files; without it the editor cannot show them.
#[derive(Debug)]
pub(crate) struct ReviewDirectory(Option<PathBuf>);

impl ReviewDirectory {
    /// Takes a directory, and removes from it the files of editors that have ended.
    pub(crate) fn new(path: Option<PathBuf>) -> Self {
        if let Some(path) = &path {
            sweep(path);
        }
        Self(path)
    }

    pub(crate) fn holds(&self, path: &Path) -> bool {
        self.0.as_ref().is_some_and(|directory| path.starts_with(directory))
    }

    /// Returns the path of the file of a review. `host` is the process of the companion. The name survives a
    /// restart of the server, because the editor may still have the document open.
    pub(crate) fn path_of(&self, review: &Review, client: &Client, host: u32) -> Option<PathBuf> {
        let name = format!("{}-{host}-{}", client.process_id.unwrap_or_default(), review.id);
        let file = harmless::copy_name(&review.file);
        let file = if client.kind.strict_uris { uri::without_escaped(&file) } else { file };
        Some(self.0.as_ref()?.join(name).join(file))
    }
}

/// A file in a directory of its own. Dropping it removes both.
#[derive(Debug)]
pub(crate) struct ProposalFile {
    path: PathBuf,
}

impl ProposalFile {
    /// Writes the file and creates its directory. The time of its last change is always the same: for an
    /// editor that restarts its server, the file that the next one writes is as the last one left it.
    pub(crate) fn create(path: PathBuf, text: &str) -> io::Result<Self> {
        write(&path, text, Some(SystemTime::UNIX_EPOCH + FILE_TIME))?;
        Ok(Self { path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the file read-only. Editors say so when the person types in it.
    pub(crate) fn make_read_only(&self) -> io::Result<()> {
        let mut permissions = fs::metadata(&self.path)?.permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&self.path, permissions)
    }

    /// Returns the text as it is now; `None` if somebody has removed the file. Fails if the file cannot be
    /// read, or is not UTF-8.
    pub(crate) fn read(&self) -> io::Result<Option<String>> {
        match untrusted::read_text(&self.path, MAX_READ_BYTES, Whose::Ours) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        }
    }

    /// Replaces the text in one step.
    pub(crate) fn replace(&self, text: &str) -> io::Result<()> {
        write(&self.path, text, None)
    }

    /// Replaces the text and keeps the time of the file, so that the editor sees no change by another
    /// program.
    pub(crate) fn replace_in_silence(&self, text: &str) -> io::Result<()> {
        write(&self.path, text, Some(fs::metadata(&self.path)?.modified()?))
    }
}

impl Drop for ProposalFile {
    fn drop(&mut self) {
        // Somebody may have removed them already.
        let _ = fs::remove_file(&self.path);
        if let Some(directory) = self.path.parent() {
            let _ = fs::remove_dir(directory);
        }
    }
}

/// Replaces a file in one step. Only this user can read it and its directory.
fn write(path: &Path, text: &str, modified: Option<SystemTime>) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    private::create_directories(directory)?;
    let mut file = tempfile::Builder::new().prefix(".alongside-").tempfile_in(directory)?;
    file.write_all(text.as_bytes())?;
    if let Some(modified) = modified {
        file.as_file().set_modified(modified)?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Removes the files of editors that have ended. The name of each directory begins with the editor's process.
fn sweep(directory: &Path) {
    for left in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = left.file_name();
        let editor = name.to_str().and_then(|name| name.split('-').next()?.parse::<u32>().ok());
        if editor.is_some_and(|editor| editor > 0 && !process::is_alive(editor)) {
            let _ = fs::remove_dir_all(left.path());
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_file_of_a_restarted_server_looks_unchanged() {
        let tmp = tempfile::tempdir().unwrap();
        let time = || {
            let file = ProposalFile::create(tmp.path().join("reviews/1-2-3/a.txt"), "x").unwrap();
            fs::metadata(file.path()).unwrap().modified().unwrap()
        };
        assert_eq!(time(), time());
    }

    #[test]
    fn a_proposal_is_private_and_swept_after_its_editor() {
        let tmp = tempfile::tempdir().unwrap();
        let path = tmp.path().join("reviews/1-2-3/a.txt");
        write(&path, "x", None).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!((mode(path.parent().unwrap()), mode(&tmp.path().join("reviews"))), (0o700, 0o700));
        fs::rename(path.parent().unwrap(), tmp.path().join("reviews/4194305-2-3")).unwrap();
        fs::create_dir(tmp.path().join(format!("reviews/{}-2-3", std::process::id()))).unwrap();
        sweep(&tmp.path().join("reviews"));
        assert_eq!(fs::read_dir(tmp.path().join("reviews")).unwrap().count(), 1);
    }
}
