//! A decided proposal that the editor still has open. A person may type there: saving or closing it keeps
//! that text among the drafts.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_desk::{DraftKeeper, Review};

use super::proposal_file::ProposalFile;

/// The reason in the list of drafts.
const WHY: &str = "typed after the review had ended";

/// Keeps a text of a person, which came too late for a review, among the drafts. Blocks.
///
/// # Errors
/// When the draft cannot be written.
pub(crate) fn keep_late(review: &Review, text: &str, drafts: &dyn DraftKeeper) -> io::Result<PathBuf> {
    drafts.keep(&review.file, &review.agent.name, WHY, text)
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
        Self { file, text, target, agent, draft: None, is_typing_explained: false, is_save_explained: false }
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
        let kept = is_late.then(|| drafts.keep(&self.target, &self.agent, WHY, text)).transpose()?;
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
