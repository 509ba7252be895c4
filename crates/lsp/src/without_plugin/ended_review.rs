//! A decided proposal that the editor still has open. A person may type there: saving or closing it keeps
//! that text among the drafts.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use alongside_desk::{DraftKeeper, Review};
use tokio::time::Instant;

use super::proposal_file::ProposalFile;

/// The reasons in the list of drafts.
const TYPED_LATE: &str = "typed after the review had ended";
const SAVED_LATE: &str = "saved as the review ended";

/// The time between two looks at the file where the editor shows it without this server, and for how long.
const LOOK: Duration = Duration::from_secs(2);
const LOOKS_FOR: Duration = Duration::from_secs(3600);

/// Keeps a text of a person, which came too late for a review, among the drafts. Blocks.
///
/// # Errors
/// When the draft cannot be written.
pub(crate) fn keep_late(review: &Review, text: &str, drafts: &dyn DraftKeeper) -> io::Result<PathBuf> {
    drafts.keep(&review.file, &review.agent.name, SAVED_LATE, text)
}

#[derive(Debug)]
pub(crate) struct EndedReview {
    /// Editors do not end before every changed document is saved, so the file must stay.
    file: ProposalFile,
    /// The document when the review ended. The drafts or the target hold that text.
    text: Arc<str>,
    /// The file that the agent proposed to change.
    target: String,
    agent: String,
    /// The draft with the text that was typed since, and that text.
    draft: Option<(PathBuf, Arc<str>)>,
    /// The person knows where text goes that is typed here.
    is_typing_explained: bool,
    /// The person knows that saving has no effect.
    is_save_explained: bool,
    looks: Option<Looks>,
}

/// Looks at the file, where the editor says nothing about the document.
#[derive(Debug, Clone, Copy)]
struct Looks {
    next: Instant,
    until: Instant,
}

/// The effect of saving the document of an ended review.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Saved {
    /// The text is that of the review's end.
    Unchanged,
    /// A draft holds the text.
    Kept,
}

impl EndedReview {
    /// `text` is that of the document when the review ended.
    pub(crate) fn new(file: ProposalFile, review: &Review, text: Arc<str>) -> Self {
        let (target, agent) = (review.file.clone(), review.agent.name.clone());
        let (is_typing_explained, is_save_explained) = (false, false);
        Self { file, text, target, agent, draft: None, is_typing_explained, is_save_explained, looks: None }
    }

    /// The editor shows the document without this server: only its file tells what the person saves.
    #[must_use]
    pub(crate) fn apart(self, now: Instant) -> Self {
        Self { looks: Some(Looks { next: now + LOOK, until: now + LOOKS_FOR }), ..self }
    }

    /// When to look at the file next.
    pub(crate) fn looks_at(&self) -> Option<Instant> {
        self.looks.map(|looks| looks.next)
    }

    /// Whether a look is due; then the next one is planned.
    pub(crate) fn take_look(&mut self, now: Instant) -> bool {
        let due = self.looks.as_mut().filter(|looks| looks.next <= now);
        due.map(|looks| looks.next = now + LOOK).is_some()
    }

    /// Whether nobody looks any longer.
    pub(crate) fn is_over(&self, now: Instant) -> bool {
        self.looks.is_some_and(|looks| looks.until <= now)
    }

    /// The text of the file, where only that tells what the person saves.
    pub(crate) fn saved_apart(&self) -> Option<Arc<str>> {
        self.looks?;
        self.file.read().ok().flatten().map(Arc::from)
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Whether a text of the document was typed after the end.
    pub(crate) fn is_late(&self, text: &Arc<str>) -> bool {
        self.text != *text
    }

    /// The person types here: whether that is the first time.
    pub(crate) fn typed(&mut self) -> bool {
        !std::mem::replace(&mut self.is_typing_explained, true)
    }

    /// Keeps a text of the document among the drafts, in place of the one before, if it was typed after the
    /// end. Also returns whether the effect is a new one. Blocks.
    ///
    /// # Errors
    /// When the draft cannot be written.
    pub(crate) fn save(&mut self, text: &Arc<str>, drafts: &dyn DraftKeeper) -> io::Result<(Saved, bool)> {
        if self.draft.as_ref().is_some_and(|(_, kept)| kept == text) {
            return Ok((Saved::Kept, false));
        }
        let is_late = self.is_late(text);
        let kept = is_late.then(|| drafts.keep(&self.target, &self.agent, TYPED_LATE, text)).transpose()?;
        let before = std::mem::replace(&mut self.draft, kept.map(|path| (path, text.clone())));
        let is_first = match is_late {
            true => before.is_none(),
            false => !std::mem::replace(&mut self.is_save_explained, true),
        };
        if let Some((path, _)) = before
            && let Err(error) = drafts.discard(&path)
        {
            tracing::warn!(%error, "a draft stays that is needed no more");
        }
        Ok((if is_late { Saved::Kept } else { Saved::Unchanged }, is_first))
    }
}
