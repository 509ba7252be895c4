//! The last finish of a turn review, whose undos one step can take back until the person marks something
//! else.

use alongside_desk::review_model::comment_state::waits_on;
use alongside_desk::{Turn, TurnFinished, TurnMessage, UndoneFile, messages};

use crate::options::UndoneText;
use crate::overlays::turn_list_rows;
use crate::words::finish_words as words;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct LastFinish {
    /// The texts that the finish has undone.
    undone: Vec<UndoneText>,
    /// The number of other files that the finish has undone, which this desk cannot bring back.
    stays: usize,
    /// When the message of the finish was sent, in milliseconds since the Unix epoch.
    sent: Option<u64>,
    /// Whether a rename was undone that git's index has, too.
    has_git_mv: bool,
    /// Whether the review stays open, since a file was refused.
    stays_open: bool,
    /// The comments that it has left.
    waits: Option<String>,
}

impl LastFinish {
    /// A finish that has ended, with the list that the person has confirmed.
    pub(crate) fn of(finished: &TurnFinished, turn: &Turn) -> Self {
        // A rename is two files, one of which has come back without a text before.
        let is_renamed = |path: &str| turn.files.iter().any(|file| file.path == path && file.from.is_some());
        let is_undone = |file: &&UndoneFile| file.refused.is_none();
        let is_staged = |path: &str| turn.files.iter().any(|file| file.path == path && file.staged);
        let has_git_mv = finished.files.iter().filter(is_undone).any(|file| is_staged(&file.path));
        let texts: Vec<_> =
            turn_list_rows::undone_with_draft(finished).filter(|(path, _)| !is_renamed(path)).collect();
        let stays = finished.files.iter().filter(is_undone).count() - texts.len();
        let text = |(path, draft): (&str, &str)| UndoneText {
            file: format!("{}/{path}", turn.root),
            draft: draft.to_owned(),
        };
        let undone = texts.into_iter().map(text).collect();
        let sent = finished.sent.as_ref().map(|sent| sent.at);
        // The finish of a review since a revision is not remembered, so there is nothing to say about it.
        let stays_open = finished.has_refused() && turn.baseline.asked.is_none();
        let tells = sent.is_some() || finished.not_sent.is_some();
        let waits = if tells { None } else { waits_on(&turn.comments) };
        Self { undone, stays, sent, has_git_mv, stays_open, waits }
    }

    /// Words for the result of the finish.
    pub(crate) fn said(&self, finished: &TurnFinished) -> String {
        let more = [(self.has_git_mv, messages::INDEX_STAYS), (self.stays_open, messages::REVIEW_STAYS)];
        let more = more.into_iter().filter(|(is_so, _)| *is_so).map(|(_, said)| said.to_owned());
        let more = more.chain(self.waits.clone());
        std::iter::once(words::finished(finished)).chain(more).collect::<Vec<_>>().join(" ")
    }

    /// Whether the finish has undone a text that can be brought back.
    pub(crate) fn has_undone(&self) -> bool {
        !self.undone.is_empty()
    }

    /// Takes the texts that are to be brought back.
    pub(crate) fn take(&mut self) -> Vec<UndoneText> {
        std::mem::take(&mut self.undone)
    }

    /// Forgets the finish, since the person has marked something else.
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
        let told_of = self.sent.map(|sent| words::told_of(sent, message));
        words::taken_back(back, self.stays, told_of)
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
            LastFinish::of(&finished, &Turn { baseline, ..Turn::default() }).said(&finished)
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
            LastFinish::of(&finished, &turn).said(&finished)
        };
        assert_eq!(of(None), "Finished; nothing was undone. 1 comment waits on, and is not sent.");
        let words = "Codex reads it with your next prompt".to_owned();
        let sent = of(Some(TurnMessage { words, ..TurnMessage::default() }));
        assert_eq!(sent, "Sent: Codex reads it with your next prompt.");
    }
}
