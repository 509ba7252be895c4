//! The end of the last finish, as far as one step takes it back: until the person marks something else.

use alongside_desk::{Turn, TurnFinished, TurnMessage, UndoneFile, messages};

use crate::finish_words as words;
use crate::options::UndoneText;
use crate::turn_rows;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct LastFinish {
    /// The texts that it has undone.
    undone: Vec<UndoneText>,
    /// How many other files it has undone, which have no way back here.
    stays: usize,
    /// When its message was sent.
    sent: Option<u64>,
    /// Whether a rename is undone that git's index has, too.
    has_git_mv: bool,
}

impl LastFinish {
    /// The end of a finish, with the list that the person has confirmed.
    pub(crate) fn of(finished: &TurnFinished, turn: &Turn) -> Self {
        // A rename is two files, one of which has come back without a text before.
        let is_renamed = |path: &str| turn.files.iter().any(|file| file.path == path && file.from.is_some());
        let is_undone = |file: &&UndoneFile| file.refused.is_none();
        let is_staged = |path: &str| turn.files.iter().any(|file| file.path == path && file.staged);
        let has_git_mv = finished.files.iter().filter(is_undone).any(|file| is_staged(&file.path));
        let texts: Vec<_> = turn_rows::with_draft(finished).filter(|(path, _)| !is_renamed(path)).collect();
        let stays = finished.files.iter().filter(is_undone).count() - texts.len();
        let text = |(path, draft): (&str, &str)| UndoneText {
            file: format!("{}/{path}", turn.root),
            draft: draft.to_owned(),
        };
        let undone = texts.into_iter().map(text).collect();
        Self { undone, stays, sent: finished.sent.as_ref().map(|sent| sent.at), has_git_mv }
    }

    /// The words on it.
    pub(crate) fn said(&self, finished: &TurnFinished) -> String {
        let index = if self.has_git_mv { format!(" {}", messages::INDEX_STAYS) } else { String::new() };
        format!("{}{index}", words::finished(finished))
    }

    /// Whether it has undone something that can be taken back.
    pub(crate) fn has_undone(&self) -> bool {
        !self.undone.is_empty()
    }

    /// The texts to be taken back, once.
    pub(crate) fn take(&mut self) -> Vec<UndoneText> {
        std::mem::take(&mut self.undone)
    }

    /// The person has marked something else.
    pub(crate) fn forget(&mut self) {
        self.undone.clear();
    }

    /// The words on each of these files, which is as it was before, or stays. `message`: the one that waits
    /// or was read last, after that.
    pub(crate) fn taken_back(
        &self,
        back: &[(String, Result<(), String>)],
        message: Option<&TurnMessage>,
    ) -> String {
        let told = self.sent.map(|sent| words::told_of(sent, message));
        words::taken_back(back, self.stays, told)
    }
}
