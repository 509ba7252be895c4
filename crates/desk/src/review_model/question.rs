//! The questions of a desk: when each is asked, its text, and the meaning of each reply.

use std::path::PathBuf;

use crate::messages;
use crate::review::decision::Refusal;
use crate::review::{HunkState, Review};
use crate::review_model::{SeenPart, Waiting};
use crate::rule_acceptance::Scope;
use crate::status::Status;

/// A question that the person answers before anything else happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Accept although the file changed, or an editor holds unsaved changes to it.
    AcceptAnyway,
    /// Accept although not all of it has been on the screen.
    AcceptUnseen(SeenPart),
    /// Accept one empty line in place of an empty text, which agents do not take.
    SingleNewline,
    /// Accept ahead what the agent still proposes.
    AcceptAhead,
    /// Accept without these changes, which the person dropped, and which are listed above the question.
    AcceptWithout(usize),
    /// Accept a text of the agent that leaves nothing of the file.
    AcceptEmptied,
    /// Reject although the person edited or dropped changes of the review.
    RejectWork,
    /// Leave although reviews are waiting.
    Leave,
    /// Leave although no other desk is there: reviews wait on, but those of hooks not for long.
    LeaveAlone(Waiting),
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
    /// Returns the next question that comes before accepting a review, if one does. `seen`: the part that was
    /// on the screen. `answered`: the last question to which the person said yes.
    pub fn before_accepting(review: &Review, seen: SeenPart, answered: Option<Self>) -> Option<Self> {
        // A person who has emptied the file themselves needs no question.
        let agent_empties = messages::empties(review) && review.proposed.is_empty();
        let all = [
            (review.stale || review.dirty).then_some(Self::AcceptAnyway),
            (!seen.is_all()).then_some(Self::AcceptUnseen(seen)),
            agent_empties.then_some(Self::AcceptEmptied),
        ];
        let answered = match answered {
            None => 0,
            Some(Self::AcceptAnyway) => 1,
            Some(Self::AcceptUnseen(_)) => 2,
            Some(_) => all.len(),
        };
        all.into_iter().skip(answered).flatten().next()
    }

    /// Returns the question that comes before rejecting a review, if one does. Reasons alone need no
    /// question, since the agent gets them, and neither does a proposal of which everything is dropped.
    pub fn before_rejecting(review: &Review) -> Option<Self> {
        let (edited, dropped) = work(review);
        let is_kept_in_part = dropped > 0 && dropped < review.hunks.len();
        (edited > 0 || is_kept_in_part).then_some(Self::RejectWork)
    }

    /// Returns the question that comes before leaving, if that ends reviews.
    pub fn before_leaving(waiting: Waiting, status: &Status) -> Option<Self> {
        match status.outlives_desk() {
            false => (waiting.all > 0).then_some(Self::Leave),
            true => (waiting.by_hook > 0 && status.desks <= 1).then_some(Self::LeaveAlone(waiting)),
        }
    }

    /// Whether the person is asked before they leave.
    pub fn is_before_leaving(self) -> bool {
        matches!(self, Self::Leave | Self::LeaveAlone(_))
    }

    /// Returns the question that follows a refused decision, if one does.
    pub fn after(refusal: &Refusal) -> Option<Self> {
        (*refusal == Refusal::Empty).then_some(Self::SingleNewline)
    }

    /// Returns the question. `about`: the review on which it was asked, and the companion's roots; `waiting`:
    /// how many reviews wait; `keeps_drafts`: whether edits outlive the desk.
    pub fn text(self, about: Option<(&Review, &[PathBuf])>, waiting: usize, keeps_drafts: bool) -> String {
        match self {
            Self::AcceptAnyway => "The file is not what the agent saw. Accept anyway?".into(),
            Self::AcceptUnseen(seen) => format!("{} Accept all the same?", seen.unseen()),
            Self::SingleNewline => "The text is empty. Accept one empty line, or reject the proposal?".into(),
            Self::AcceptAhead => match about {
                Some((review, roots)) => messages::accept_ahead(review, roots),
                None => "Accept all that this agent still proposes until it ends?".into(),
            },
            Self::AcceptWithout(1) => "Accept without the change that you dropped?".into(),
            Self::AcceptWithout(dropped) => format!("Accept without the {dropped} changes that you dropped?"),
            Self::AcceptEmptied => {
                let lines = about.and_then(|(review, _)| review.original.clone()).unwrap_or_default();
                let lines = match lines.lines().count() {
                    1 => "Its only line goes".into(),
                    lines => format!("All {lines} lines go"),
                };
                format!("{lines}: the file will be empty. Accept that?")
            }
            Self::RejectWork => {
                let (edited, dropped) = about.map_or((0, 0), |(review, _)| work(review));
                let all = about.map_or(0, |(review, _)| review.hunks.len());
                let edited = match edited {
                    0 => None,
                    1 => Some("edited a change".to_owned()),
                    edited => Some(format!("edited {edited} changes")),
                };
                let end = match (&edited, keeps_drafts) {
                    (None, _) => "",
                    (_, true) => "; your text stays in drafts",
                    (_, false) => "; your text is lost",
                };
                let dropped =
                    (dropped > 0).then(|| format!("dropped {dropped} of {}", messages::changes(all)));
                let done: Vec<_> = edited.into_iter().chain(dropped).collect();
                format!("You {}{end}. Reject the proposal?", done.join(" and "))
            }
            Self::Leave => {
                let reviews = match waiting {
                    1 => "1 review is waiting; leaving rejects it.".into(),
                    _ => format!("{waiting} reviews are waiting; leaving rejects them."),
                };
                let drafts = if keeps_drafts { " Your edits stay in drafts." } else { "" };
                format!("{reviews}{drafts} Leave?")
            }
            Self::LeaveAlone(Waiting { all, by_hook }) => {
                let reviews = if all == 1 { "1 review waits".into() } else { format!("{all} reviews wait") };
                format!("{reviews}: {}. Leave?", messages::refused_alone(all, by_hook))
            }
        }
    }

    /// Returns the replies, each as its key and its meaning in a word or two.
    pub fn choices(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::AcceptAnyway | Self::AcceptUnseen(_) | Self::AcceptWithout(_) | Self::AcceptEmptied => {
                &[("y", "accept"), ("n", "no")]
            }
            Self::SingleNewline => &[("y", "yes"), ("n", "no"), ("r", "reject")],
            Self::AcceptAhead => &[("f", "this file"), ("d", "its folder"), ("n", "no")],
            Self::RejectWork => &[("y", "reject"), ("n", "no")],
            Self::Leave | Self::LeaveAlone(_) => &[("y", "leave"), ("n", "stay")],
        }
    }

    /// Returns the reply that the person typed; `None` if it is no reply to this question.
    pub fn reply(self, typed: &str) -> Option<Reply> {
        match typed {
            "f" | "file" if self == Self::AcceptAhead => Some(Reply::For(Scope::File)),
            "d" | "folder" if self == Self::AcceptAhead => Some(Reply::For(Scope::Folder)),
            "y" | "yes" | "r" | "reject" if self == Self::RejectWork => Some(Reply::Reject),
            "y" | "yes" if self != Self::AcceptAhead => Some(Reply::Yes),
            "n" | "no" | "q" => Some(Reply::No),
            "r" | "reject" if self == Self::SingleNewline => Some(Reply::Reject),
            _ => None,
        }
    }
}

/// Returns the numbers of changes of a review that the person has edited, and dropped.
fn work(review: &Review) -> (usize, usize) {
    let count = |state| review.hunks.iter().filter(|hunk| hunk.state == state).count();
    (count(HunkState::Edited), count(HunkState::Dropped))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::Hunk;
    use crate::review_model::open_review::tests::review;

    #[test]
    fn leaving_is_a_question_where_it_ends_reviews() {
        let status = |desks, kept_by: Option<&[&str]>| {
            let kept_by = kept_by.map(|names| names.iter().map(|&name| name.to_owned()).collect());
            Status { desks, kept_by, ..Status::default() }
        };
        let waiting = |all| Waiting { all, by_hook: 0 };
        let asks = |all, status| Question::before_leaving(waiting(all), &status).is_some();
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

    /// `alongside run` keeps them, and refuses hooks 30 s after the last desk has gone.
    #[test]
    fn the_last_desk_asks_before_it_leaves_reviews_of_hooks() {
        let asked = |all, by_hook, desks| {
            let kept_by = Some(vec!["alongside run qwen".to_owned()]);
            let status = Status { desks, kept_by, ..Status::default() };
            let question = Question::before_leaving(Waiting { all, by_hook }, &status)?;
            assert!(question.is_before_leaving());
            Some(question.text(None, all, true))
        };
        let one = "1 review waits: without a desk its agent is refused after 30 s. Leave?";
        assert_eq!(asked(1, 1, 1).as_deref(), Some(one));
        let two = "2 reviews wait: without a desk their agents are refused after 30 s. Leave?";
        assert_eq!(asked(2, 2, 1).as_deref(), Some(two));
        let mixed = "3 reviews wait: without a desk, 1 of them is refused after 30 s. Leave?";
        assert_eq!(asked(3, 1, 1).as_deref(), Some(mixed));
        assert_eq!(asked(3, 0, 1), None, "a diff waits on");
        assert_eq!(asked(1, 1, 2), None, "another desk shows it");
    }

    #[test]
    fn accepting_a_changed_file_is_a_question() {
        let mut review = review();
        let (all, part) = (SeenPart::changes(2, 2), SeenPart::changes(1, 2));
        assert_eq!(Question::before_accepting(&review, all, None), None);
        assert_eq!(Question::before_accepting(&review, part, None), Some(Question::AcceptUnseen(part)));
        review.dirty = true;
        let anyway = Some(Question::AcceptAnyway);
        assert_eq!(Question::before_accepting(&review, part, None), anyway);
        assert_eq!(Question::before_accepting(&review, part, anyway), Some(Question::AcceptUnseen(part)));
        assert_eq!(Question::before_accepting(&review, all, anyway), None);
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
        for (folder, name, shown) in [("docs/api/", "a.md", "a.md"), ("docs/", "a\u{1b}.md", r"a\x1b.md")] {
            let asked = text(&format!("/p/{folder}{name}"));
            let folder = folder.replace('/', std::path::MAIN_SEPARATOR_STR);
            let scope = format!("for {folder}{shown}, or for {folder} with all folders below?");
            assert!(asked.ends_with(&scope), "{asked}");
        }
        assert!(text("/p/a.md").ends_with("for a.md, or for the whole project with all folders below?"));
    }

    #[test]
    fn a_rejection_asks_where_work_of_the_person_would_go() {
        let mut review = review();
        assert_eq!(Question::before_rejecting(&review), None);
        review.hunks[0].state = HunkState::Dropped;
        assert_eq!(Question::before_rejecting(&review), None, "all is dropped, as a rejection drops it");
        review.hunks.push(Hunk::default());
        let question = Question::before_rejecting(&review).unwrap();
        let text = |review: &Review, keeps| question.text(Some((review, &[])), 1, keeps);
        assert_eq!(text(&review, true), "You dropped 1 of 2 changes. Reject the proposal?");
        review.hunks[1].state = HunkState::Edited;
        let both = "You edited a change and dropped 1 of 2 changes; your text is lost. Reject the proposal?";
        assert_eq!(text(&review, false), both);
        review.hunks.remove(0);
        let edited = "You edited a change; your text stays in drafts. Reject the proposal?";
        assert_eq!(Question::before_rejecting(&review), Some(question));
        assert_eq!(text(&review, true), edited);
        assert_eq!(question.reply("y"), Some(Reply::Reject));
    }

    #[test]
    fn a_text_that_the_agent_empties_is_a_question_and_one_that_the_person_emptied_is_none() {
        let all = SeenPart::changes(1, 1);
        let asked = |review: &Review, answered| Question::before_accepting(review, all, answered);
        let emptied = Review { current: "".into(), original: Some("a\nb\n".into()), ..review() };
        assert_eq!(asked(&emptied, None), None);
        let emptied = Review { proposed: "".into(), ..emptied };
        let question = asked(&emptied, None).unwrap();
        let text = question.text(Some((&emptied, &[])), 1, true);
        assert_eq!(text, "All 2 lines go: the file will be empty. Accept that?");
        let unseen = Question::AcceptUnseen(SeenPart::changes(0, 1));
        assert_eq!(asked(&emptied, Some(unseen)), Some(question), "that is another question");
        assert_eq!(asked(&emptied, Some(question)), None);
        assert_eq!(asked(&Review { current: "b\n".into(), ..emptied }, None), None);
    }

    #[test]
    fn every_choice_is_a_reply() {
        let unseen = Question::AcceptUnseen(SeenPart::changes(1, 2));
        let others = [Question::SingleNewline, Question::AcceptAhead, Question::RejectWork, Question::Leave];
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
