//! Keeps texts that a person typed and that the companion does not have: among the drafts, or in a private
//! directory.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use alongside_desk::review_model::{OpenReview, RefusedText};
use alongside_desk::{DraftKeeper, Refusal, harmless, messages};
use alongside_platform::private;
use tempfile::TempDir;

/// The reason in the draft of a comment that the desk keeps when it ends.
pub const COMMENT_UNSENT: &str = "the desk was closed before this comment was saved";

/// The reason in the draft of a reason for the agent's model that the desk keeps when it ends.
pub const REASON_UNSENT: &str = "the desk was closed before this reason was taken";

/// The reason in the draft of a text that the desk keeps when it ends.
pub const DESK_CLOSED: &str = "the desk was closed";

/// The reason in the draft of a text whose review has ended.
pub(crate) const REVIEW_HAS_ENDED: &str = "the review has ended";

/// The most characters of a comment in a message.
const MAX_QUOTED_CHARS: usize = 40;

/// The desk's store for texts that the companion does not have.
#[derive(Debug, Clone, Default)]
pub struct DraftStore(Option<Arc<dyn DraftKeeper>>);

/// A text that only this desk has.
#[derive(Debug, PartialEq, Eq)]
pub struct UnsavedText {
    /// The reviewed file.
    pub file: String,
    /// The agent that proposes the change.
    pub agent: String,
    /// The text.
    pub text: String,
    /// The file with a refused text that this text replaces.
    pub replaces: Option<PathBuf>,
}

impl DraftStore {
    /// Creates a store that keeps texts among the drafts. The default store gives each text a private
    /// directory.
    pub fn among_drafts(keeper: Arc<dyn DraftKeeper>) -> Self {
        Self(Some(keeper))
    }

    /// Keeps a text, and returns the message with its path. If the text cannot be written, the message
    /// contains the text, so that it is not lost.
    pub fn keep(&self, unsaved: &UnsavedText, why: &str, roots: &[PathBuf]) -> String {
        let stored = self.store(unsaved, why).map(|(_, shown)| shown);
        let name = messages::file_name(&unsaved.file, roots);
        messages::text_kept(&name, why, stored.ok().as_deref(), &unsaved.text)
    }

    /// Keeps a comment that the companion does not have, and returns the message with its path. The message
    /// quotes the beginning of the comment, because other comments may have been sent at the same time.
    pub fn keep_comment(&self, unsaved: &UnsavedText, roots: &[PathBuf]) -> String {
        let stored = self.store(unsaved, COMMENT_UNSENT).map(|(_, shown)| shown);
        let name = messages::file_name(&unsaved.file, roots);
        let why = format!("your comment \"{}\" was not saved", first_words(&unsaved.text));
        messages::text_kept(&name, &why, stored.ok().as_deref(), &unsaved.text)
    }

    /// Keeps a text from the person's editor that the companion has refused, and returns the message. If only
    /// the review has changed, the editor can open the text again. `open`: the review, unless it has ended.
    pub fn keep_refused(
        &self,
        unsaved: UnsavedText,
        refusal: &Refusal,
        open: Option<&mut OpenReview>,
        roots: &[PathBuf],
    ) -> String {
        let said = match (refusal, open) {
            (Refusal::Stale { .. }, Some(open)) => self.keep_for_review(&unsaved, open, roots),
            (Refusal::Stale { .. }, None) => self.keep(&unsaved, REVIEW_HAS_ENDED, roots),
            (refusal, _) => self.keep(&unsaved, &refusal.to_string(), roots),
        };
        self.discard(unsaved.replaces);
        said
    }

    /// Keeps a text, also in its review, so that the person's editor can open it again.
    fn keep_for_review(&self, unsaved: &UnsavedText, open: &mut OpenReview, roots: &[PathBuf]) -> String {
        let (name, why) = (messages::file_name(&unsaved.file, roots), messages::CHANGED_WHILE_EDITED);
        let (kept, said) = match self.store(unsaved, why) {
            Ok((path, shown)) => (Some(path), messages::text_refused(&name, &shown)),
            Err(_) => (None, messages::text_kept(&name, why, None, &unsaved.text)),
        };
        open.refused = Some(RefusedText { text: unsaved.text.clone(), kept });
        said
    }

    /// Removes a kept text, because the companion has it now. `path`: the file with the text, if there is
    /// one.
    pub fn discard(&self, path: Option<PathBuf>) {
        let Some(path) = path else { return };
        let removed = match (&self.0, path.parent()) {
            (Some(keeper), _) => keeper.discard(&path),
            (None, Some(directory)) => std::fs::remove_dir_all(directory),
            (None, None) => Ok(()),
        };
        if let Err(error) = removed {
            tracing::warn!(%error, "a draft stays that is needed no more");
        }
    }

    /// Writes the text to a file. Returns the path, and the path for people.
    fn store(&self, unsaved: &UnsavedText, why: &str) -> io::Result<(PathBuf, String)> {
        let UnsavedText { file, agent, text, .. } = unsaved;
        if let Some(keeper) = &self.0 {
            match keeper.keep(file, agent, why, text) {
                Ok(path) => {
                    let shown = format!("{} (`alongside drafts`)", harmless::path(&path));
                    return Ok((path, shown));
                }
                Err(error) => tracing::error!(%error, "cannot keep a draft"),
            }
        }
        let path = private_directory()?.keep().join(harmless::copy_name(file));
        std::fs::write(&path, text)?;
        let shown = harmless::path(&path);
        Ok((path, shown))
    }
}

/// The beginning of a text, escaped.
fn first_words(text: &str) -> String {
    let first = harmless::name(text.lines().next().unwrap_or_default()).into_owned();
    match first.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{}…", first[..end].trim_end()),
        None => first,
    }
}

/// Creates a directory for one text that only this user can read.
pub(crate) fn private_directory() -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("alongside-edit-");
    if let Some(permissions) = private::directory_permissions() {
        builder.permissions(permissions);
    }
    builder.tempdir()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Mutex;

    use alongside_desk::Review;

    use super::*;

    /// Keeps drafts in memory, and notes which are discarded.
    #[derive(Debug, Default)]
    struct Kept(Mutex<Vec<String>>);

    impl DraftKeeper for Kept {
        fn keep(&self, _: &str, _: &str, why: &str, text: &str) -> io::Result<PathBuf> {
            self.0.lock().unwrap().push(format!("{why}: {text}"));
            Ok("/drafts/2".into())
        }

        fn discard(&self, path: &Path) -> io::Result<()> {
            self.0.lock().unwrap().push(format!("{} is discarded", path.display()));
            Ok(())
        }
    }

    /// Keeps a refused text that replaces an earlier one. Returns what becomes of both, and the message.
    fn refused(refusal: &Refusal, open: Option<&mut OpenReview>) -> (Vec<String>, String) {
        let kept = Arc::new(Kept::default());
        let (file, agent) = ("/p/a.rs".into(), "Codex".into());
        let unsaved = UnsavedText { file, agent, text: "mine".into(), replaces: Some("/drafts/1".into()) };
        let store = DraftStore::among_drafts(kept.clone());
        let said = store.keep_refused(unsaved, refusal, open, &["/p".into()]);
        (kept.0.lock().unwrap().clone(), said)
    }

    #[test]
    fn a_refused_text_opens_again_while_its_review_is_open() {
        let (stale, gone) = (Refusal::Stale { revision: 2 }, "/drafts/1 is discarded");
        let mut open = OpenReview::new(Review::default());
        let (kept, said) = refused(&stale, Some(&mut open));
        assert_eq!(kept, ["another desk changed the review while you edited: mine", gone]);
        assert!(said.contains("e opens your text again; a copy is in /drafts/2"), "{said}");
        let again = RefusedText { text: "mine".into(), kept: Some("/drafts/2".into()) };
        assert_eq!(open.refused.take(), Some(again));
        let (kept, said) = refused(&stale, None);
        assert_eq!(kept, ["the review has ended: mine", gone]);
        assert!(said.starts_with("a.rs: the review has ended. Your text is in /drafts/2"), "{said}");
        let (kept, _) = refused(&Refusal::Stopped, Some(&mut open));
        assert_eq!(kept, ["the companion has stopped: mine", gone]);
        assert_eq!(open.refused, None, "the editor begins with the text of the review");
    }
}
