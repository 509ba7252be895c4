//! The private files of a review: its text, and the original once the person has looked at it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::normalization::Normalization;
use super::proposal_file::ProposalFile;

#[derive(Debug)]
pub(crate) struct DiskCopy {
    /// The original lies below the directory of `file`, so this field is dropped first.
    original: Option<ProposalFile>,
    /// Absent if writing failed.
    file: Option<ProposalFile>,
    /// The text that was written last.
    written: Arc<str>,
    /// The text that the editor had sent when it saved the document last.
    saved: Option<Arc<str>>,
}

impl DiskCopy {
    /// Writes a text to a file at `path`, and creates its directory.
    pub(super) fn create(path: Option<PathBuf>, text: Arc<str>) -> Self {
        let file = path.and_then(|path| {
            let file = ProposalFile::create(path, &text);
            file.inspect_err(|error| tracing::error!(%error, "cannot write a proposal")).ok()
        });
        Self { original: None, file, written: text, saved: None }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(ProposalFile::path)
    }

    /// Returns the text that the file holds, unless the person has saved another one.
    pub(crate) fn written(&self) -> &Arc<str> {
        &self.written
    }

    /// Whether a document is one of the two files.
    pub(crate) fn has(&self, path: &Path) -> bool {
        [&self.file, &self.original].into_iter().flatten().any(|file| file.path() == path)
    }

    /// Writes the original to a file of the same name, and returns its path; `None` if that fails.
    pub(crate) fn write_original(&mut self, text: &str) -> Option<&Path> {
        let beside = self.path()?;
        let path = beside.parent()?.join("original").join(beside.file_name()?);
        // Root can write even a read-only file: another text there would not be the original.
        self.original = None;
        let file = ProposalFile::create(path, text);
        let file = file.and_then(|file| file.make_read_only().map(|()| file));
        self.original = file.inspect_err(|error| tracing::error!(%error, "cannot write an original")).ok();
        self.original.as_ref().map(ProposalFile::path)
    }

    /// Records that the editor has saved the document, and the text that it had sent.
    pub(crate) fn mark_saved(&mut self, sent: Arc<str>) {
        self.saved = Some(sent);
    }

    /// Treats the text of the file as the written one, if the person has saved another text there. Returns
    /// the one before. Blocks briefly.
    pub(crate) fn take_saved(&mut self) -> io::Result<Option<Arc<str>>> {
        let saved = self.file.as_ref().map(ProposalFile::read).transpose()?.flatten();
        let saved = saved.filter(|saved| **saved != *self.written);
        Ok(saved.map(|saved| std::mem::replace(&mut self.written, saved.into())))
    }

    /// Returns the text of the file, if it is neither the editor's nor one that was written or saved before:
    /// an editor that collects keys before it sends them may save sooner. Blocks briefly. Fails if the file
    /// cannot be read, or is not UTF-8.
    pub(crate) fn unsent(&self, editor: &Arc<str>) -> io::Result<Option<Arc<str>>> {
        let disk = self.file.as_ref().map(ProposalFile::read).transpose()?.flatten();
        let known = [Some(&self.written), Some(editor), self.saved.as_ref()];
        let is_known = |disk: &str| {
            known.into_iter().flatten().any(|known| Normalization::detect(known, disk).is_some())
        };
        Ok(disk.filter(|disk| !is_known(disk)).map(Arc::from))
    }

    /// Writes another text, in one of the ways of a [`ProposalFile`].
    pub(crate) fn write(&mut self, text: &Arc<str>, write: fn(&ProposalFile, &str) -> io::Result<()>) {
        match self.file.as_ref().map(|file| write(file, text)) {
            Some(Ok(())) => self.written = text.clone(),
            Some(Err(error)) => tracing::error!(%error, "cannot write a proposal"),
            None => {}
        }
    }

    /// Returns the file, which outlives the review while the editor shows it. The original is removed.
    pub(crate) fn into_file(self) -> Option<ProposalFile> {
        self.file
    }
}
