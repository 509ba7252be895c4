//! A review as a document: its text at the companion, in the editor and on disk.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_desk::{Change, HunkState, Review, Text, replacement};

use super::disk_copy::DiskCopy;
use super::document_phase::Phase;
use super::mirror::Mirror;
use super::normalization::Normalization;
use super::proposal_file::ProposalFile;
use crate::encoding::Encoding;
use crate::without_plugin::lsp_types as lsp;

#[derive(Debug)]
pub(crate) struct ReviewDocument {
    pub(crate) review: Review,
    pub(crate) phase: Phase,
    pub(crate) copy: DiskCopy,
    pub(crate) mirror: Mirror,
}

impl ReviewDocument {
    /// Writes the file at `path`, and creates its directory.
    pub(crate) fn new(review: Review, path: Option<PathBuf>) -> Self {
        let text = &review.current;
        let (copy, mirror) = (DiskCopy::create(path, text.clone()), Mirror::new(text.clone()));
        Self { review, phase: Phase::new(), copy, mirror }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.copy.path()
    }

    /// Whether a document is this one.
    pub(crate) fn is_at(&self, key: Option<&Path>) -> bool {
        key.is_some() && self.path() == key
    }

    /// Handles the opening of the document, or its whole text, if the editor sends it again.
    pub(crate) fn editor_opened(&mut self, text: &Text) {
        let known = [self.mirror.editor_text(), &self.review.current, self.copy.written()];
        let detected = |disk: &Arc<str>| Some((disk.clone(), Normalization::detect(disk, text.text())?));
        let (base, ours, normalization) = match known.into_iter().find_map(detected) {
            Some((disk, normalization)) => (disk.clone(), disk, normalization),
            // The editor kept edits that this server never saw, perhaps because it was restarted.
            None => {
                let normalization = Normalization::guess(&self.review.current, text.text());
                let restored = normalization.restore(None, text);
                (self.review.current.clone(), restored.into(), normalization)
            }
        };
        self.mirror.open(base, ours);
        self.phase.open(normalization, text.clone());
    }

    /// Handles the editor's text after these steps.
    pub(crate) fn editor_changed(&mut self, steps: &[Text]) {
        let Some(last) = steps.last() else { return };
        let Some(open) = self.phase.opened_mut() else { return self.editor_opened(last) };
        let mut ours = Text::new(self.mirror.editor_text().clone());
        let mut restored = Vec::with_capacity(steps.len());
        for text in steps {
            ours = Text::new(open.normalization.restore(Some((&open.text, &ours)), text));
            restored.push(ours.text().clone());
            open.text = text.clone();
        }
        self.mirror.editor_changed(restored);
    }

    /// Handles the closing of the document. Takes text that the editor has saved without sending it, as an
    /// edit. Blocks briefly.
    ///
    /// # Errors
    /// If the file cannot be read, or is not UTF-8.
    pub(crate) fn editor_closed(&mut self) -> io::Result<()> {
        if let Some(open) = self.phase.close()
            && let Some(disk) = self.copy.unsent(self.mirror.editor_text())?
        {
            let ours = Text::new(self.mirror.editor_text().clone());
            let restored = open.normalization.restore(Some((&open.text, &ours)), &Text::new(disk));
            self.mirror.editor_changed([restored.into()]);
        }
        Ok(())
    }

    /// Takes the text that the person saved while the editor shows the document without this server, as an
    /// edit. Returns whether there is one. Blocks briefly.
    ///
    /// # Errors
    /// If the file cannot be read, or is not UTF-8.
    pub(crate) fn take_saved(&mut self) -> io::Result<bool> {
        let before = if self.phase.is_shown_without_server() { self.copy.take_saved()? } else { None };
        let saved = self.copy.written();
        let Some(before) = before.filter(|before| Normalization::detect(before, saved).is_none()) else {
            return Ok(false);
        };
        let text = Text::new(saved.clone());
        let restored = Normalization::guess(&before, saved).restore(None, &text);
        // Other desks may have changed the review since the file was written.
        self.mirror.open(before, restored.into());
        self.mirror.close();
        Ok(true)
    }

    /// Brings the file up to date before the editor opens it.
    pub(crate) fn refresh_file(&mut self) {
        if self.path().is_none() || self.phase.opened().is_some() {
            return;
        }
        self.mirror.close();
        let now = self.mirror.editor_text();
        // An editor that shows the file without this server would report a change.
        if now != self.copy.written() || !self.phase.is_shown_without_server() {
            self.copy.write(now, ProposalFile::replace);
        }
    }

    /// Brings the file up to date while the editor has it open, so that reading it again loses nothing.
    pub(crate) fn refresh_open_file(&mut self) {
        let now = self.mirror.editor_text();
        if self.phase.opened().is_some() && now != self.copy.written() && !self.mirror.awaits_editor() {
            self.copy.write(now, ProposalFile::replace_in_silence);
        }
    }

    /// Returns the change to send to the companion, and counts it as sent. Returns `None` while the change
    /// has to wait, which an `urgent` one does not.
    pub(crate) fn outgoing(&mut self, urgent: bool) -> Option<Change> {
        replacement(&self.review.current, &self.mirror.outgoing(urgent)?)
    }

    /// Returns the edits to offer to the editor, and the number of the offer.
    pub(crate) fn incoming(&mut self, encoding: Encoding) -> Option<(Vec<lsp::TextEdit>, u64)> {
        let Some(open) = self.phase.opened() else {
            self.mirror.close();
            return None;
        };
        let (goal, number) = self.mirror.incoming()?;
        let ours = Text::new(self.mirror.editor_text().clone());
        Some((open.normalization.edits(&open.text, &ours, &Text::new(goal), encoding), number))
    }

    /// Whether the editor has the document open and shows another text than the review's.
    pub(crate) fn is_behind(&self) -> bool {
        self.phase.opened().is_some() && !self.mirror.shows(&self.review.current)
    }

    /// Whether the person has edited the proposal.
    pub(crate) fn has_edits(&self) -> bool {
        self.mirror.is_unsent() || self.review.hunks.iter().any(|hunk| hunk.state == HunkState::Edited)
    }

    /// Whether the target has changed on disk, and whether an editor holds unsaved changes to it.
    pub(crate) fn target_state(&self) -> (bool, bool) {
        (self.review.stale, self.review.dirty)
    }
}
