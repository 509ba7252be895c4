//! The last finish of a turn review. One key can take its undos back until the person makes another mark.

use alongside_desk::review_model::comment_state::waits_on;
use alongside_desk::{Turn, TurnFinished, TurnMessage, UndoneFile, messages};

use crate::options::UndoneText;
use crate::overlays::turn_list_rows;
use crate::words::finish_words as words;

/// The last finish of a turn review.
#[derive(Debug, Default)]
pub(crate) struct LastFinish {
    /// The texts that can be restored.
    undone: Vec<UndoneText>,
    /// The number of other undone files, which this desk cannot restore.
    not_restorable: usize,
    /// The time at which the message of the finish was sent, in ms since the Unix epoch.
    sent: Option<u64>,
    /// Whether a rename was undone that is also in git's index.
    has_git_mv: bool,
    /// Whether the turn review stays open, because the undo of a file was refused.
    stays_open: bool,
    /// The sentence about the comments that the finish did not send.
    waiting_comments: Option<String>,
}

impl LastFinish {
    /// Creates the state from the result of a finish and the list that the person has confirmed.
    pub(crate) fn of(finished: &TurnFinished, turn: &Turn) -> Self {
        // A rename concerns two paths, and its undo brings one of them back that had no text: it is not
        // restorable.
        let is_renamed = |path: &str| turn.files.iter().any(|file| file.path == path && file.from.is_some());
        let is_undone = |file: &&UndoneFile| file.refused.is_none();
        let is_staged = |path: &str| turn.files.iter().any(|file| file.path == path && file.staged);
        let has_git_mv = finished.files.iter().filter(is_undone).any(|file| is_staged(&file.path));
        let texts: Vec<_> =
            turn_list_rows::undone_with_draft(finished).filter(|(path, _)| !is_renamed(path)).collect();
        let not_restorable = finished.files.iter().filter(is_undone).count() - texts.len();
        let text = |(path, draft): (&str, &str)| UndoneText {
            file: format!("{}/{path}", turn.root),
            draft: draft.to_owned(),
        };
        let undone = texts.into_iter().map(text).collect();
        let sent = finished.sent.as_ref().map(|sent| sent.at);
        // The store does not remember the finish of a review that begins with a revision, so that review has
        // no end to report.
        let stays_open = finished.has_refused() && turn.baseline.asked.is_none();
        let tells = sent.is_some() || finished.not_sent.is_some();
        let waiting_comments = if tells { None } else { waits_on(&turn.comments) };
        Self { undone, not_restorable, sent, has_git_mv, stays_open, waiting_comments }
    }

    /// The message about the result of the finish.
    pub(crate) fn message(&self, finished: &TurnFinished) -> String {
        let more = [(self.has_git_mv, messages::INDEX_STAYS), (self.stays_open, messages::REVIEW_STAYS)];
        let more = more.into_iter().filter(|(is_so, _)| *is_so).map(|(_, said)| said.to_owned());
        let more = more.chain(self.waiting_comments.clone());
        std::iter::once(words::result(finished)).chain(more).collect::<Vec<_>>().join(" ")
    }

    /// Whether the finish has undone a text that can be restored.
    pub(crate) fn has_undone(&self) -> bool {
        !self.undone.is_empty()
    }

    /// Removes and returns the texts to restore.
    pub(crate) fn take_texts(&mut self) -> Vec<UndoneText> {
        std::mem::take(&mut self.undone)
    }

    /// Forgets the finish, because the person has made another step.
    pub(crate) fn forget(&mut self) {
        self.undone.clear();
    }

    /// The message about taking the finish back. `back`: success, or the reason why the file stays, for each
    /// file. `message`: the message to the agent that waits now, or was read last.
    pub(crate) fn taken_back(
        &self,
        back: &[(String, Result<(), String>)],
        message: Option<&TurnMessage>,
    ) -> String {
        let message_state = self.sent.map(|sent| words::message_state(sent, message));
        words::taking_back_result(back, self.not_restorable, message_state)
    }
}

#[cfg(test)]
mod tests {
    use alongside_desk::{Baseline, Comment};

    use super::*;

    #[test]
    fn a_finish_that_refuses_says_that_the_review_stays_open() {
        let of = |refused: Option<&str>, asked: Option<&str>| {
            let file = UndoneFile { refused: refused.map(str::to_owned), ..UndoneFile::default() };
            let finished = TurnFinished { files: vec![file], ..TurnFinished::default() };
            let baseline = Baseline { asked: asked.map(str::to_owned), ..Baseline::default() };
            LastFinish::of(&finished, &Turn { baseline, ..Turn::default() }).message(&finished)
        };
        let refused = "Nothing was undone: 1 file could not be.";
        assert_eq!(of(Some("why"), None), format!("{refused} {}", messages::REVIEW_STAYS));
        assert_eq!(of(Some("why"), Some("main")), refused, "such a review has no end");
        assert_eq!(of(None, None), "1 file undone.");
    }

    #[test]
    fn a_finish_that_sends_nothing_says_that_comments_wait_on() {
        let turn = Turn { comments: vec![Comment::default()], ..Turn::default() };
        let of = |sent: Option<TurnMessage>| {
            let finished = TurnFinished { sent, ..TurnFinished::default() };
            LastFinish::of(&finished, &turn).message(&finished)
        };
        assert_eq!(of(None), "Finished; nothing was undone. 1 comment waits on, and is not sent.");
        let words = "Codex reads it with your next prompt".to_owned();
        let sent = of(Some(TurnMessage { words, ..TurnMessage::default() }));
        assert_eq!(sent, "Sent: Codex reads it with your next prompt.");
    }
}
