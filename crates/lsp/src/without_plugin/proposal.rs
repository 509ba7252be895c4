//! One review as a document in the editor: its file, its text there and at the companion, and the commands
//! about it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_desk::{Change, Hunk, HunkState, Lines, Review, Text, replacement};
use tokio::time::Instant;

use super::command_queue::{CommandQueue, HunkStart};
use super::document::DocumentKey;
use super::messages;
use super::mirror::Mirror;
use super::normalization::Normalization;
use super::proposal_file::ProposalFile;

#[derive(Debug)]
pub(crate) struct Proposal {
    pub(crate) review: Review,
    pub(crate) mirror: Mirror,
    /// The text before, once the person has looked at it. It lies below the directory of `file`, so it is
    /// dropped before.
    original: Option<ProposalFile>,
    /// Absent if writing failed.
    pub(crate) file: Option<ProposalFile>,
    /// The text that was written last.
    written: Arc<str>,
    /// While the editor has the document open: how the editor normalizes it, and its text there.
    pub(crate) open: Option<(Normalization, Text)>,
    /// When closing the document counts as a rejection, unless the editor opens it again.
    pub(crate) closes_at: Option<Instant>,
    /// Until when the editor, which says that it shows the document, may open it here.
    pub(crate) opens_until: Option<Instant>,
    /// The editor shows the document without this server.
    pub(crate) is_apart: bool,
    /// When to look next for text that was saved there.
    pub(crate) looks_at: Option<Instant>,
    /// The document from which the person went to the proposal, unless that is its target.
    pub(crate) shown_from: Option<DocumentKey>,
    /// The person has seen the differences that no hunk shows.
    pub(crate) is_noted: bool,
    /// The person knows that saving decides nothing.
    pub(crate) is_save_explained: bool,
    /// The editor is about to save the document, because this server has edited it.
    pub(crate) is_save_due: bool,
    /// The newest revision made elsewhere: a command on an older one has not seen that.
    pub(crate) foreign_revision: u64,
    /// That revision is about the file, not about the text.
    pub(crate) is_about_file: bool,
    /// Another desk has changed the text, and the editor has not yet answered whether it shows that.
    pub(crate) is_change_untold: bool,
    /// The person knows that another desk changes the text, and has done nothing since.
    pub(crate) knows_other_desk: bool,
    /// The person's text has taken the place of what another desk typed in the same lines, and they do not
    /// know.
    pub(crate) has_overwritten: bool,
    /// The text that the editor had sent when it saved the document last.
    saved: Option<Arc<str>>,
    /// The revision at which the person was warned, and may insist.
    pub(crate) warned_revision: Option<u64>,
    pub(crate) commands: CommandQueue,
    /// The companion waits for unsent edits.
    pub(crate) is_flushing: bool,
}

impl Proposal {
    /// Writes the file at `path`, and creates its directory.
    pub(crate) fn new(review: Review, path: Option<PathBuf>) -> Self {
        let file = path.and_then(|path| {
            let file = ProposalFile::create(path, &review.current);
            file.inspect_err(|error| tracing::error!(%error, "cannot write a proposal")).ok()
        });
        Self {
            mirror: Mirror::new(review.current.clone()),
            written: review.current.clone(),
            foreign_revision: review.revision,
            is_about_file: false,
            is_change_untold: false,
            knows_other_desk: false,
            review,
            original: None,
            file,
            open: None,
            closes_at: None,
            opens_until: None,
            is_apart: false,
            looks_at: None,
            shown_from: None,
            is_noted: false,
            is_save_explained: false,
            is_save_due: false,
            has_overwritten: false,
            saved: None,
            warned_revision: None,
            commands: CommandQueue::default(),
            is_flushing: false,
        }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(ProposalFile::path)
    }

    /// The text that the file holds, unless the person has saved another one.
    pub(crate) fn written(&self) -> &Arc<str> {
        &self.written
    }

    /// Whether a document is the proposal or its original.
    pub(crate) fn is_shown_at(&self, path: &Path) -> bool {
        let original = self.original.as_ref().map(ProposalFile::path);
        [self.path(), original].contains(&Some(path))
    }

    /// Writes the original to a file of the same name, and returns its path; `None` if that fails.
    pub(crate) fn write_original(&mut self) -> Option<PathBuf> {
        let text = self.review.original.clone()?;
        let beside = self.path()?;
        let path = beside.parent()?.join("original").join(beside.file_name()?);
        // Root can write even a read-only file: another text there would not be the original.
        self.original = None;
        let file = ProposalFile::create(path, &text);
        let file = file.and_then(|file| file.make_read_only().map(|()| file));
        self.original = file.inspect_err(|error| tracing::error!(%error, "cannot write an original")).ok();
        self.original.as_ref().map(|original| original.path().to_owned())
    }

    /// The file, which outlives the review while the editor has it open. The original goes.
    pub(crate) fn take_file(&mut self) -> Option<ProposalFile> {
        self.original = None;
        self.file.take()
    }

    /// Takes the text that the person saved while the editor shows the document without this server, as an
    /// edit. Returns whether there is one. Blocks briefly.
    ///
    /// # Errors
    /// When the file cannot be read, or is not UTF-8.
    pub(crate) fn take_saved(&mut self) -> io::Result<bool> {
        let Some(file) = self.file.as_ref().filter(|_| self.is_apart) else { return Ok(false) };
        let Some(saved) = file.read()?.filter(|saved| **saved != *self.written) else { return Ok(false) };
        let before = std::mem::replace(&mut self.written, saved.into());
        let is_edit = Normalization::detect(&before, &self.written).is_none();
        if is_edit {
            let text = Text::new(self.written.clone());
            let restored = Normalization::guess(&before, text.text()).restore(None, &text);
            // Other desks may have changed the review since the file was written.
            self.mirror.open(before, restored.into());
            self.mirror.close();
        }
        Ok(is_edit)
    }

    /// The editor has saved the document.
    pub(crate) fn editor_saved(&mut self) {
        self.saved = Some(self.mirror.editor_text().clone());
    }

    /// The editor closes the document. Takes text that it has saved without sending it, as an edit: an editor
    /// that collects keys before it sends them may save and close sooner. Blocks briefly.
    ///
    /// # Errors
    /// When the file cannot be read, or is not UTF-8.
    pub(crate) fn editor_closed(&mut self) -> io::Result<()> {
        let disk = self.file.as_ref().filter(|_| self.open.is_some()).map(ProposalFile::read).transpose();
        let (open, disk) = (self.open.take(), disk?.flatten());
        let Some(((normalization, before), disk)) = open.zip(disk) else { return Ok(()) };
        let editor = self.mirror.editor_text().clone();
        let known = [Some(&self.written), Some(&editor), self.saved.as_ref()];
        if known.into_iter().flatten().any(|known| Normalization::detect(known, &disk).is_some()) {
            return Ok(());
        }
        let text = Text::new(Arc::<str>::from(disk));
        let restored = normalization.restore(Some((&before, &Text::new(editor))), &text);
        self.mirror.editor_changed([restored.into()]);
        Ok(())
    }

    /// Brings the file up to date before the editor opens it.
    pub(crate) fn refresh_file(&mut self) {
        let Some(file) = self.file.as_ref().filter(|_| self.open.is_none()) else { return };
        self.mirror.close();
        let now = self.mirror.editor_text().clone();
        // An editor that shows the file without this server would report a change.
        if now == self.written && self.is_apart {
            return;
        }
        match file.replace(&now) {
            Ok(()) => self.written = now,
            Err(error) => tracing::error!(%error, "cannot write a proposal"),
        }
    }

    /// Brings the file up to date while the editor has it open, so that reading it again loses nothing. The
    /// editor does not take that for a change by somebody else: the file keeps its time.
    pub(crate) fn refresh_open_file(&mut self) {
        let now = self.mirror.editor_text();
        if self.open.is_none() || *now == self.written || self.mirror.awaits_editor() {
            return;
        }
        match self.file.as_ref().map(|file| file.replace_in_silence(now)) {
            Some(Ok(())) => self.written = now.clone(),
            Some(Err(error)) => tracing::error!(%error, "cannot write a proposal"),
            None => {}
        }
    }

    /// The editor has opened the document, or sends its whole text again.
    pub(crate) fn editor_opened(&mut self, text: &Text) {
        (self.closes_at, self.opens_until, self.looks_at, self.is_apart) = (None, None, None, false);
        let disk = [self.mirror.editor_text(), &self.review.current, &self.written].map(Clone::clone);
        let known =
            disk.iter().find_map(|disk| Some((disk.clone(), Normalization::detect(disk, text.text())?)));
        match known {
            Some((disk, normalization)) => {
                self.mirror.open(disk.clone(), disk);
                self.open = Some((normalization, text.clone()));
            }
            // The editor kept edits that this server never saw, perhaps because it was restarted.
            None => {
                let normalization = Normalization::guess(&self.review.current, text.text());
                let restored = normalization.restore(None, text);
                self.mirror.open(self.review.current.clone(), restored.into());
                self.open = Some((normalization, text.clone()));
            }
        }
    }

    /// The editor's text has changed in these steps.
    pub(crate) fn editor_changed(&mut self, steps: &[Text]) {
        let Some(last) = steps.last() else { return };
        let Some((normalization, before)) = &mut self.open else { return self.editor_opened(last) };
        let mut ours = Text::new(self.mirror.editor_text().clone());
        let mut restored = Vec::with_capacity(steps.len());
        for text in steps {
            ours = Text::new(normalization.restore(Some((before, &ours)), text));
            restored.push(ours.text().clone());
            *before = text.clone();
        }
        self.mirror.editor_changed(restored);
    }

    /// The changes to send to the companion; they count as sent.
    pub(crate) fn outgoing(&mut self) -> Vec<Change> {
        let text = self.mirror.outgoing(self.is_flushing);
        text.and_then(|text| replacement(&self.review.current, &text)).into_iter().collect()
    }

    /// Whether the person has edited the proposal.
    pub(crate) fn has_edits(&self) -> bool {
        self.mirror.is_unsent() || self.review.hunks.iter().any(|hunk| hunk.state == HunkState::Edited)
    }

    /// Whether the target has changed on disk, and whether an editor holds unsaved changes to it.
    pub(crate) fn target_state(&self) -> (bool, bool) {
        (self.review.stale, self.review.dirty)
    }

    /// The person has not seen the present revision.
    pub(crate) fn mark_foreign(&mut self, is_about_file: bool) {
        (self.foreign_revision, self.is_about_file) = (self.review.revision, is_about_file);
    }

    /// The reason why the person has to look at the proposal again.
    pub(crate) fn reason_to_look(&self) -> &'static str {
        if self.is_about_file { messages::FILE_CHANGED } else { messages::CHANGED_ELSEWHERE }
    }

    /// The indexes of the hunks that the editor shows within some lines.
    fn hunks_in(&self, from: usize, to: usize) -> impl Iterator<Item = usize> {
        let lines = Text::new(self.review.current.clone()).len();
        let hunks = self.review.hunks.iter().enumerate();
        let within = hunks.filter(move |(_, hunk)| {
            let shown = shown(hunk.current, lines);
            shown.start <= to && from < shown.end
        });
        within.map(|(index, _)| index)
    }

    /// The indexes of the hunks that a person at some lines means: those shown there, else the one whose
    /// lines are removed just below.
    pub(crate) fn hunks_at(&self, (from, to): (usize, usize)) -> Vec<usize> {
        let here: Vec<usize> = self.hunks_in(from, to).collect();
        if !here.is_empty() {
            return here;
        }
        let is_below = |hunk: &Hunk| hunk.current.is_empty() && hunk.current.start == to + 1;
        self.review.hunks.iter().position(is_below).into_iter().collect()
    }

    /// The index of the first hunk after a line; of the first hunk after the last one.
    pub(crate) fn next_hunk(&self, line: Option<usize>) -> usize {
        let lines = Text::new(self.review.current.clone()).len();
        let mut starts = self.review.hunks.iter().map(|hunk| shown(hunk.current, lines).start);
        starts.position(|start| line.is_none_or(|line| line < start)).unwrap_or_default()
    }

    /// The indexes of the hunks with these starts.
    pub(crate) fn indexes(&self, starts: &[HunkStart]) -> Vec<usize> {
        let hunks = self.review.hunks.iter().enumerate();
        let meant = hunks.filter(|(_, hunk)| starts.contains(&start_of(hunk)));
        meant.map(|(index, _)| index).collect()
    }
}

/// The start of a hunk, which identifies it.
pub(crate) fn start_of(hunk: &Hunk) -> HunkStart {
    (hunk.original.start, hunk.proposed.start)
}

/// Whether only the person changed the lines of a hunk: the agent left them as they are.
pub(crate) fn is_typed(review: &Review, hunk: &Hunk) -> bool {
    let original = Text::new(review.original.clone().unwrap_or_default());
    let proposed = Text::new(review.proposed.clone());
    hunk.state == HunkState::Edited
        && original.lines(hunk.original.start..hunk.original.end)
            == proposed.lines(hunk.proposed.start..hunk.proposed.end)
}

/// The lines that show a hunk. An empty hunk appears at the next line, or the last one.
pub(crate) fn shown(current: Lines, lines: usize) -> Lines {
    if !current.is_empty() {
        return current;
    }
    let start = current.start.min(lines.saturating_sub(1));
    Lines { start, end: start + 1 }
}
