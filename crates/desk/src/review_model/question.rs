//! The yes-or-no questions of a desk: when one is asked, its words, and the meaning of each reply.

use std::path::PathBuf;

use crate::decision::Refusal;
use crate::messages;
use crate::review::{HunkState, Review};
use crate::review_model::Seen;
use crate::rules::Scope;
use crate::status::Status;

/// A question that the person answers before anything else happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Accept although the file changed, or an editor holds unsaved changes to it.
    AcceptAnyway,
    /// Accept although not all of it has been on the screen.
    AcceptUnseen(Seen),
    /// Accept one empty line in place of an empty text, which agents do not take.
    SingleNewline,
    /// Accept ahead what the agent still proposes.
    AcceptAhead,
    /// Reject although the person wrote something into the review.
    RejectEdited,
    /// Leave although reviews are waiting.
    Leave,
}

/// The person's reply to a [`Question`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// Do it.
    Yes,
    /// Do nothing.
    No,
    /// Reject the review instead.
    Reject,
    /// Do it for one file, or for a folder.
    For(Scope),
}

impl Question {
    /// The question that comes before accepting a review, if one does.
    pub fn before_accepting(review: &Review) -> Option<Self> {
        (review.stale || review.dirty).then_some(Self::AcceptAnyway)
    }

    /// The question that comes before accepting a review of which so much was on the screen, if one does.
    pub fn about_unseen(seen: Seen) -> Option<Self> {
        (!seen.is_all()).then_some(Self::AcceptUnseen(seen))
    }

    /// The question that comes before rejecting a review, if one does. Drops and reasons need none: the agent
    /// gets the reasons, and the text that it proposed is its own.
    pub fn before_rejecting(review: &Review) -> Option<Self> {
        review.hunks.iter().any(|hunk| hunk.state == HunkState::Edited).then_some(Self::RejectEdited)
    }

    /// The question that comes before leaving, if that ends reviews.
    pub fn before_leaving(waiting: usize, status: &Status) -> Option<Self> {
        (waiting > 0 && !status.outlives_desk()).then_some(Self::Leave)
    }

    /// The question that follows a refused decision, if one does.
    pub fn after(refusal: &Refusal) -> Option<Self> {
        (*refusal == Refusal::Empty).then_some(Self::SingleNewline)
    }

    /// The question. `about`: the review on which it was asked, and the companion's roots; `waiting`: how
    /// many reviews wait; `keeps_drafts`: whether edits outlive the desk.
    pub fn text(self, about: Option<(&Review, &[PathBuf])>, waiting: usize, keeps_drafts: bool) -> String {
        match self {
            Self::AcceptAnyway => "The file is not what the agent saw. Accept anyway?".into(),
            Self::AcceptUnseen(seen) => format!("{} Accept all the same?", seen.unseen()),
            Self::SingleNewline => "The text is empty. Accept one empty line, or reject the proposal?".into(),
            Self::AcceptAhead => match about {
                Some((review, roots)) => messages::accept_ahead(review, roots),
                None => "Accept all that this agent still proposes until it ends?".into(),
            },
            Self::RejectEdited => {
                let edited = about.map_or(0, |(review, _)| {
                    review.hunks.iter().filter(|hunk| hunk.state == HunkState::Edited).count()
                });
                let edited = if edited > 1 { format!("{edited} changes") } else { "a change".into() };
                let end = if keeps_drafts { "your text stays in drafts" } else { "your text is lost" };
                format!("You edited {edited}; {end}. Reject the proposal?")
            }
            Self::Leave => {
                let reviews = match waiting {
                    1 => "1 review is waiting; leaving rejects it.".into(),
                    _ => format!("{waiting} reviews are waiting; leaving rejects them."),
                };
                let drafts = if keeps_drafts { " Your edits stay in drafts." } else { "" };
                format!("{reviews}{drafts} Leave?")
            }
        }
    }

    /// The replies, each as its key and its meaning in a word or two.
    pub fn choices(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::AcceptAnyway | Self::AcceptUnseen(_) => &[("y", "accept"), ("n", "no")],
            Self::SingleNewline => &[("y", "yes"), ("n", "no"), ("r", "reject")],
            Self::AcceptAhead => &[("f", "this file"), ("d", "its folder"), ("n", "no")],
            Self::RejectEdited => &[("y", "reject"), ("n", "no")],
            Self::Leave => &[("y", "leave"), ("n", "stay")],
        }
    }

    /// The reply that the person typed; `None` if it is no reply to this question.
    pub fn reply(self, typed: &str) -> Option<Reply> {
        match typed {
            "f" | "file" if self == Self::AcceptAhead => Some(Reply::For(Scope::File)),
            "d" | "folder" if self == Self::AcceptAhead => Some(Reply::For(Scope::Folder)),
            "y" | "yes" | "r" | "reject" if self == Self::RejectEdited => Some(Reply::Reject),
            "y" | "yes" if self != Self::AcceptAhead => Some(Reply::Yes),
            "n" | "no" | "q" => Some(Reply::No),
            "r" | "reject" if self == Self::SingleNewline => Some(Reply::Reject),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review_model::open_review::tests::review;

    #[test]
    fn leaving_is_a_question_where_it_ends_reviews() {
        let status = |desks, kept_by: Option<&[&str]>| {
            let kept_by = kept_by.map(|names| names.iter().map(|&name| name.to_owned()).collect());
            Status { desks, kept_by, ..Status::default() }
        };
        let asks = |waiting, status| Question::before_leaving(waiting, &status).is_some();
        assert!(asks(2, status(1, Some(&[]))));
        assert!(!asks(0, status(1, Some(&[]))));
        assert!(!asks(2, status(1, Some(&["alongside run gemini"]))), "a keeper is no desk");
        assert!(asks(2, status(2, Some(&[]))), "reviews end with the editor, though another desk is there");
        // A companion that does not say who keeps it.
        assert!(asks(2, status(1, None)) && asks(2, status(0, None)) && !asks(2, status(2, None)));
        // A demo promises no drafts.
        assert_eq!(Question::Leave.text(None, 1, false), "1 review is waiting; leaving rejects it. Leave?");
        let two = "2 reviews are waiting; leaving rejects them. Your edits stay in drafts. Leave?";
        assert_eq!(Question::Leave.text(None, 2, true), two);
    }

    #[test]
    fn accepting_a_changed_file_is_a_question() {
        let mut review = review();
        assert_eq!(Question::before_accepting(&review), None);
        review.dirty = true;
        assert_eq!(Question::about_unseen(Seen::changes(2, 2)), None);
        assert!(Question::about_unseen(Seen::changes(1, 2)).is_some());
        assert_eq!(Question::before_accepting(&review), Some(Question::AcceptAnyway));
        assert_eq!(Question::after(&Refusal::Empty), Some(Question::SingleNewline));
        assert_eq!(Question::after(&Refusal::Unchanged), None);
    }

    #[test]
    fn the_files_of_a_grant_are_named_before_it_is_given() {
        let roots = [PathBuf::from("/p")];
        let text = |file: &str| {
            let review = Review { file: file.into(), ..review() };
            Question::AcceptAhead.text(Some((&review, &roots)), 1, true)
        };
        let asked = text("/p/docs/api/a.md");
        assert!(asked.ends_with("for docs/api/a.md, or for docs/api/ with all folders below?"), "{asked}");
        assert!(text("/p/a.md").ends_with("for a.md, or for the whole project with all folders below?"));
    }

    #[test]
    fn a_rejection_asks_where_the_person_wrote_something() {
        let mut review = review();
        assert_eq!(Question::before_rejecting(&review), None);
        review.hunks[0].state = HunkState::Dropped;
        assert_eq!(Question::before_rejecting(&review), None, "the agent's text is its own");
        review.hunks[0].state = HunkState::Edited;
        let question = Question::before_rejecting(&review).unwrap();
        let text = |keeps_drafts| question.text(Some((&review, &[])), 1, keeps_drafts);
        assert_eq!(text(true), "You edited a change; your text stays in drafts. Reject the proposal?");
        assert_eq!(text(false), "You edited a change; your text is lost. Reject the proposal?");
        assert_eq!(question.reply("y"), Some(Reply::Reject));
    }

    #[test]
    fn every_choice_is_a_reply() {
        let unseen = Question::AcceptUnseen(Seen::changes(1, 2));
        let others =
            [Question::SingleNewline, Question::AcceptAhead, Question::RejectEdited, Question::Leave];
        for question in [Question::AcceptAnyway, unseen].into_iter().chain(others) {
            for (key, _) in question.choices() {
                assert!(question.reply(key).is_some(), "{question:?} {key}");
            }
            assert_eq!(question.reply("maybe"), None);
        }
        assert_eq!(Question::Leave.reply("r"), None);
        assert_eq!(Question::AcceptAhead.reply("y"), None, "it says not for which files");
    }
}
