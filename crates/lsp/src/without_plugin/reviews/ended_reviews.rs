//! Decided proposals that the editor still has open. A person may type there: saving or closing one keeps
//! that text among the drafts.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use alongside_desk::DraftKeeper;
use tokio::time::Instant;

use crate::io::Io;
use crate::without_plugin::display::diagnostics;
use crate::without_plugin::editor::Editor;
use crate::without_plugin::messages;
use crate::without_plugin::open_documents::document::DocumentKey;
use crate::without_plugin::proposal_document::document_phase::Phase;
use crate::without_plugin::proposal_document::proposal_file::ProposalFile;
use crate::without_plugin::proposal_document::review_document::ReviewDocument;

/// The reasons in the list of drafts.
const TYPED_LATE: &str = "typed after the review had ended";
const SAVED_LATE: &str = "saved as the review ended";

/// The time between two checks of a file that the editor shows without this server.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// The time after which the checks end.
const CHECK_DURATION: Duration = Duration::from_secs(3600);

#[derive(Debug)]
pub(crate) struct EndedReviews {
    reviews: BTreeMap<DocumentKey, EndedReview>,
    drafts: Arc<dyn DraftKeeper>,
}

#[derive(Debug)]
struct EndedReview {
    /// Editors do not end before every changed document is saved, so the file must stay.
    file: ProposalFile,
    /// The document when the review ended. The drafts or the target hold that text.
    text: Arc<str>,
    /// The file that the agent proposed to change.
    target: String,
    agent: String,
    /// The draft with the text that was typed since, and that text.
    draft: Option<(PathBuf, Arc<str>)>,
    /// Whether the person knows where text goes that is typed here.
    is_typing_explained: bool,
    /// Whether the person knows that saving has no effect.
    is_save_explained: bool,
    checks: Option<FileChecks>,
}

/// The checks of a file that the editor shows without this server: only the file has the saved text.
#[derive(Debug, Clone, Copy)]
struct FileChecks {
    next: Instant,
    until: Instant,
}

/// The effect of saving the document of an ended review.
#[derive(Debug, PartialEq, Eq)]
enum Saved {
    /// The text is that of the review's end.
    Unchanged,
    /// A draft holds the text.
    Kept,
}

impl EndedReviews {
    pub(crate) fn new(drafts: Arc<dyn DraftKeeper>) -> Self {
        Self { reviews: BTreeMap::new(), drafts }
    }

    /// Takes over the document of a review that has ended, for as long as the editor shows it. Returns its
    /// path if the editor has it open.
    pub(crate) fn take_over(&mut self, ended: ReviewDocument, editor: &Editor) -> Option<PathBuf> {
        let ReviewDocument { review, phase, copy, .. } = ended;
        let path = copy.path()?.to_owned();
        let (text, checks) = match phase {
            Phase::Closed { .. } => return None,
            Phase::Open(_) => {
                (editor.documents.get(&path).map(|document| document.text.text().clone()), None)
            }
            Phase::ShownWithoutServer { .. } => {
                let now = Instant::now();
                (
                    Some(copy.written().clone()),
                    Some(FileChecks { next: now + CHECK_INTERVAL, until: now + CHECK_DURATION }),
                )
            }
        };
        let ended = EndedReview {
            file: copy.into_file()?,
            text: text.unwrap_or_default(),
            target: review.file,
            agent: review.agent.name,
            draft: None,
            is_typing_explained: false,
            is_save_explained: false,
            checks,
        };
        self.reviews.insert(path.clone(), ended);
        checks.is_none().then_some(path)
    }

    /// Keeps a text that the person saved in a document whose edits this server does not see, and that no
    /// other desk or review has. Blocks briefly.
    pub(crate) fn keep_saved(&self, io: &Io, editor: &Editor, ended: &mut ReviewDocument) {
        let kept = ended.take_saved().and_then(|is_new| {
            let (review, text) = (&ended.review, ended.mirror.editor_text());
            let keep = || self.drafts.keep(&review.file, &review.agent.name, SAVED_LATE, text);
            is_new.then(keep).transpose()
        });
        tell_kept(io, editor, kept.map(|draft| draft.is_some()));
    }

    /// Returns the next time at which [`Self::check_files`] has something to do next.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.reviews.values().filter_map(|ended| ended.checks).map(|checks| checks.next).min()
    }

    /// Keeps text that the person has saved in an editor that reports nothing about the document.
    pub(crate) fn check_files(&mut self, io: &Io, editor: &Editor, now: Instant) {
        self.reviews.retain(|_, ended| ended.checks.is_none_or(|checks| now < checks.until));
        for ended in self.reviews.values_mut() {
            if let Some(checks) = ended.checks.as_mut().filter(|checks| checks.next <= now) {
                checks.next = now + CHECK_INTERVAL;
                let late = ended.text_saved_without_server().filter(|text| ended.is_late(text));
                let kept = late.map(|text| ended.save(&text, &*self.drafts)).transpose();
                tell_kept(io, editor, kept.map(|kept| matches!(kept, Some((_, true)))));
            }
        }
    }

    /// Handles typing in a document, perhaps that of an ended review. `line` is its place.
    pub(crate) fn edited(&mut self, io: &Io, editor: &Editor, key: &Path, line: usize) {
        if let Some(ended) = self.reviews.get_mut(key) {
            if !std::mem::replace(&mut ended.is_typing_explained, true) {
                editor.warn(io, messages::TYPED_LATE);
            }
            mark(io, editor, key, Some(line));
        }
    }

    /// Handles the saving of a document, perhaps that of an ended review.
    pub(crate) fn saved(&mut self, io: &Io, editor: &Editor, key: &Path) {
        let Some((ended, document)) = self.reviews.get_mut(key).zip(editor.documents.get(key)) else {
            return;
        };
        match ended.save(document.text.text(), &*self.drafts) {
            Ok((_, false)) if editor.kind().columns.is_none() => {}
            Ok((Saved::Unchanged, _)) => editor.inform(io, messages::SAVED_LATE),
            kept => tell_kept(io, editor, kept.map(|_| true)),
        }
    }

    /// Handles the closing of a document with this text, perhaps that of an ended review. Closing without
    /// saving loses nothing either; an earlier draft stays.
    pub(crate) fn closed(&mut self, io: &Io, editor: &Editor, key: &Path, text: &Arc<str>) {
        if let Some(mut ended) = self.reviews.remove(key) {
            let kept = ended.is_late(text).then(|| ended.save(text, &*self.drafts)).transpose();
            tell_kept(io, editor, kept.map(|kept| kept == Some((Saved::Kept, true))));
            editor.documents.publish(io, key, &[]);
        }
    }

    /// The editor ends: keeps the text of all documents, and removes their files. Returns their keys.
    pub(crate) fn shut_down(&mut self, editor: &Editor) -> Vec<DocumentKey> {
        let ended = std::mem::take(&mut self.reviews).into_iter();
        let keys = ended.map(|(key, mut ended)| {
            let text = editor.documents.get(&key).map(|document| document.text.text().clone());
            let late = text.or_else(|| ended.text_saved_without_server()).filter(|text| ended.is_late(text));
            if let Some(Err(error)) = late.map(|text| ended.save(&text, &*self.drafts)) {
                tracing::error!(%error, "text typed into a decided proposal is lost");
            }
            key
        });
        keys.collect()
    }
}

impl EndedReview {
    /// Returns the text of the file, if only the file tells what the person saves.
    fn text_saved_without_server(&self) -> Option<Arc<str>> {
        self.checks?;
        self.file.read().ok().flatten().map(Arc::from)
    }

    /// Whether a text of the document was typed after the end.
    fn is_late(&self, text: &Arc<str>) -> bool {
        self.text != *text
    }

    /// Keeps a text of the document among the drafts, in place of the one before, if it was typed after the
    /// end. Also returns whether the effect is a new one. Blocks.
    fn save(&mut self, text: &Arc<str>, drafts: &dyn DraftKeeper) -> io::Result<(Saved, bool)> {
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

/// Shows the person that a draft holds their text, if they do not know it, or that the text is lost.
fn tell_kept(io: &Io, editor: &Editor, is_news: io::Result<bool>) {
    match is_news {
        Ok(true) => editor.inform(io, messages::LATE_TEXT_KEPT),
        Ok(false) => {}
        Err(error) => editor.warn(io, &messages::late_text_not_kept(&error)),
    }
}

/// Marks the document of an ended review. `late` is the line that the person types.
pub(crate) fn mark(io: &Io, editor: &Editor, key: &Path, late: Option<usize>) {
    if let Some(document) = editor.documents.get(key) {
        editor.documents.publish(io, key, &diagnostics::in_ended(&document.text, editor.encoding(), late));
    }
}
