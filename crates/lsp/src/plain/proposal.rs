//! One review as a document: a private file that keeps the name and extension of the one it is about, so that
//! the same languages come with it, and what has become of it in the editor.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_desk::{Change, HunkState, Lines, Review, Text, harmless, replacement};
use alongside_platform::{private, process};
use lsp_server::RequestId;
use tokio::time::Instant;

use super::convention::Convention;
use super::mirror::Mirror;

/// See the module. Dropping it removes the file.
#[derive(Debug)]
pub(crate) struct Proposal {
    pub(crate) review: Review,
    pub(crate) mirror: Mirror,
    /// Where the file is; absent if it could not be written.
    pub(crate) path: Option<PathBuf>,
    /// What was written last.
    written: Arc<str>,
    /// While the editor has it open: what it makes of the text, and the text as it has it.
    pub(crate) open: Option<(Convention, Text)>,
    /// The editor has closed it; it is rejected then, unless it is opened again or was edited.
    pub(crate) closes: Option<Instant>,
    /// The editor says that it shows it, but has not opened it here: when that means that it will not.
    pub(crate) opens_until: Option<Instant>,
    /// The editor shows it and gives us no part in it: its person can do nothing there.
    pub(crate) is_apart: bool,
    /// The person was told what no change shows.
    pub(crate) noted: bool,
    /// The newest revision that was not made here: who acts on an older one has not seen it.
    pub(crate) others: u64,
    /// A person was warned at this revision, and may insist.
    pub(crate) warned: Option<u64>,
    /// What the person asked for, in that order; done when what they typed before has arrived.
    pub(crate) wishes: VecDeque<Wish>,
    /// One of them is being done.
    pub(crate) acting: bool,
    /// The companion waits for what is not sent.
    pub(crate) flushing: bool,
}

/// Something the person asked for.
#[derive(Debug)]
pub(crate) struct Wish {
    /// The editor's request, to be answered when it is done.
    pub(crate) id: Option<RequestId>,
    pub(crate) what: What,
}

/// What a person can ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    /// Hunks, known by where they start in the original and in the proposal: that stays while others change.
    Keep(Vec<(usize, usize)>, bool),
    Undo,
    Accept,
    Reject,
}

impl Proposal {
    /// Writes the file to a directory of its own, below a private one.
    pub(crate) fn new(review: Review, directory: Option<PathBuf>) -> Self {
        let path = directory.and_then(|directory| {
            let path = directory.join(harmless::file_name(&review.file));
            let written = write(&path, &review.current);
            written.inspect_err(|error| tracing::error!(%error, "a proposal cannot be written")).ok()?;
            Some(path)
        });
        Self {
            mirror: Mirror::new(review.current.clone()),
            written: review.current.clone(),
            others: review.revision,
            review,
            path,
            open: None,
            closes: None,
            opens_until: None,
            is_apart: false,
            noted: false,
            warned: None,
            wishes: VecDeque::new(),
            acting: false,
            flushing: false,
        }
    }

    /// Writes what there is to read now, before it is opened.
    pub(crate) fn refresh(&mut self) {
        let Some(path) = self.path.as_deref().filter(|_| self.open.is_none()) else { return };
        self.mirror.closed();
        let now = self.mirror.here().clone();
        match write(path, &now) {
            Ok(()) => self.written = now,
            Err(error) => tracing::error!(%error, "a proposal cannot be written"),
        }
    }

    /// The editor has opened it, or tells the whole of it again.
    pub(crate) fn opened(&mut self, text: &Text) {
        (self.closes, self.opens_until, self.is_apart) = (None, None, false);
        let disk = [self.mirror.here(), &self.review.current, &self.written].map(Clone::clone);
        let known = disk.iter().find_map(|disk| Some((disk.clone(), Convention::of(disk, text.text())?)));
        match known {
            Some((disk, convention)) => {
                self.mirror.opened(disk.clone(), disk);
                self.open = Some((convention, text.clone()));
            }
            None => {
                // Something was typed that we were not told of: an editor that kept it, or a server that was
                // restarted.
                let convention = Convention::guess(&self.review.current, text.text());
                let back = convention.back(None, text);
                self.mirror.opened(self.review.current.clone(), back.into());
                self.open = Some((convention, text.clone()));
            }
        }
    }

    /// What the editor's text has become, step by step.
    pub(crate) fn typed(&mut self, steps: &[Text]) {
        let Some(last) = steps.last() else { return };
        let Some((convention, before)) = &mut self.open else { return self.opened(last) };
        let mut ours = Text::new(self.mirror.here().clone());
        let mut back = Vec::with_capacity(steps.len());
        for text in steps {
            ours = Text::new(convention.back(Some((before, &ours)), text));
            back.push(ours.text().clone());
            *before = text.clone();
        }
        self.mirror.typed(back);
    }

    /// What to tell the companion of what was typed.
    pub(crate) fn outgoing(&mut self) -> Vec<Change> {
        let text = self.mirror.outgoing(self.flushing);
        text.and_then(|text| replacement(&self.review.current, &text)).into_iter().collect()
    }

    /// Whether something in it is neither proposed nor the original.
    pub(crate) fn has_edits(&self) -> bool {
        self.mirror.is_unsent() || self.review.hunks.iter().any(|hunk| hunk.state == HunkState::Edited)
    }

    /// The hunks that lie in some lines of the text as the editor shows it.
    pub(crate) fn hunks_in(&self, from: usize, to: usize) -> impl Iterator<Item = usize> {
        let lines = Text::new(self.review.current.clone()).len();
        let hunks = self.review.hunks.iter().enumerate();
        let within = hunks.filter(move |(_, hunk)| {
            let shown = shown(hunk.current, lines);
            shown.start <= to && from < shown.end
        });
        within.map(|(index, _)| index)
    }

    /// The first hunk after a line; the first of all after the last.
    pub(crate) fn next_after(&self, line: Option<usize>) -> usize {
        let lines = Text::new(self.review.current.clone()).len();
        let mut starts = self.review.hunks.iter().map(|hunk| shown(hunk.current, lines).start);
        starts.position(|start| line.is_none_or(|line| line < start)).unwrap_or_default()
    }

    /// The indexes of hunks that are known by where they start.
    pub(crate) fn indexes(&self, starts: &[(usize, usize)]) -> Vec<usize> {
        let hunks = self.review.hunks.iter().enumerate();
        let meant = hunks.filter(|(_, hunk)| starts.contains(&(hunk.original.start, hunk.proposed.start)));
        meant.map(|(index, _)| index).collect()
    }
}

impl Drop for Proposal {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // Somebody may have tidied up.
            let _ = fs::remove_file(path);
            let _ = path.parent().map(fs::remove_dir);
        }
    }
}

/// Where a hunk is shown: where nothing is left of it, at the line that follows, or the last.
pub(crate) fn shown(current: Lines, lines: usize) -> Lines {
    if !current.is_empty() {
        return current;
    }
    let start = current.start.min(lines.saturating_sub(1));
    Lines { start, end: start + 1 }
}

/// Replaces a file in one step, readable for nobody else, in a directory of the same kind.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    private::create_directories(directory)?;
    let mut file = tempfile::Builder::new().prefix(".alongside-").tempfile_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Removes what editors left that are gone: `name` begins with the editor's process.
pub(crate) fn sweep(directory: &Path) {
    for left in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = left.file_name();
        let editor = name.to_str().and_then(|name| name.split('-').next()?.parse::<u32>().ok());
        if editor.is_some_and(|editor| editor > 0 && !process::is_alive(editor)) {
            let _ = fs::remove_dir_all(left.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_proposal_is_nobody_elses_business() {
        use std::os::unix::fs::PermissionsExt as _;
        let tmp = tempfile::tempdir().unwrap();
        let path = tmp.path().join("reviews/1-2-3/a.txt");
        write(&path, "x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!((mode(path.parent().unwrap()), mode(&tmp.path().join("reviews"))), (0o700, 0o700));
        fs::rename(path.parent().unwrap(), tmp.path().join("reviews/4194305-2-3")).unwrap();
        fs::create_dir(tmp.path().join(format!("reviews/{}-2-3", std::process::id()))).unwrap();
        sweep(&tmp.path().join("reviews"));
        assert_eq!(fs::read_dir(tmp.path().join("reviews")).unwrap().count(), 1);
    }
}
