//! Accepting every waiting review at once: the list that the person confirms, and the sentence about the end.
//!
//! The list names revisions. Only those are accepted: a review that changes or comes later waits on.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::look_alikes;
use crate::messages;
use crate::review::last_word::LastWord;
use crate::review::{Review, ReviewId};
use crate::review_model::notes;

/// A waiting review as the confirmation lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedReview {
    /// The review.
    pub id: ReviewId,
    /// The revision that is listed, and the only one to accept.
    pub revision: u64,
    /// The file's name, rendered harmless.
    pub name: String,
    /// The numbers of lines that accepting adds and removes.
    pub counts: (usize, usize),
    /// The effects of accepting beside changed lines, and how many hunks are in each state: `new file`,
    /// `2 kept, 1 dropped`.
    pub states: String,
    /// Whether a change that would be accepted has something hard to see.
    pub is_hard_to_see: bool,
    /// The reason why the review is not accepted with the others.
    pub obstacle: Option<Obstacle>,
}

/// The part of a review that has been on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenPart {
    seen: usize,
    all: usize,
    unit: Unit,
    /// The number of changes that were not wholly on the screen and have something hard to see.
    hard_to_see: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Changes,
    Lines,
}

impl SeenPart {
    /// Creates the part of `seen` of `all` changes.
    pub fn changes(seen: usize, all: usize) -> Self {
        Self { seen, all, unit: Unit::Changes, hard_to_see: 0 }
    }

    /// Creates the part of `seen` of `all` lines of the only change, or of a text without changes.
    pub fn lines(seen: usize, all: usize) -> Self {
        Self { seen, all, unit: Unit::Lines, hard_to_see: 0 }
    }

    /// Returns the part with the number of changes that have something hard to see and were not wholly on the
    /// screen.
    #[must_use]
    pub fn with_hard_to_see(self, changes: usize) -> Self {
        Self { hard_to_see: changes, ..self }
    }

    /// Whether the whole review has been on the screen.
    pub fn is_all(self) -> bool {
        self.seen >= self.all
    }

    /// Returns the seen part in a few words: `seen 3 of 20 changes`.
    pub fn text(self) -> String {
        format!("seen {} of {} {}", self.seen, self.all, self.unit.name())
    }

    /// Returns the unseen part in a sentence: `3 of 20 changes were not on the screen yet.`
    pub fn unseen(self) -> String {
        let unseen = self.all.saturating_sub(self.seen);
        let were = if unseen == 1 { "was" } else { "were" };
        let hard = match (self.hard_to_see, self.unit) {
            (0, _) => String::new(),
            (_, Unit::Lines) => ", and the change has something hard to see".into(),
            (1, Unit::Changes) if unseen == 1 => ", and has something hard to see".into(),
            (hard, Unit::Changes) => format!(", {hard} of them with something hard to see"),
        };
        format!("{unseen} of {} {} {were} not on the screen yet{hard}.", self.all, self.unit.name())
    }
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Changes => "changes",
            Self::Lines => "lines",
        }
    }
}

/// The reason why a review is not accepted together with others: the person decides on it alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// The review has not been on the screen.
    Unseen,
    /// Some changes of the review have not been on the screen.
    PartlySeen(SeenPart),
    /// The review was edited elsewhere since it was on the screen.
    Edited,
    /// The file on disk changed since the proposal.
    Stale,
    /// An editor holds unsaved changes to the file.
    Dirty,
    /// A warning stands above the review, such as a path that leaves the project.
    Warned,
    /// Agents do not take an empty text.
    Empty,
    /// Nothing of the proposal is kept.
    Unchanged,
}

impl ListedReview {
    /// Lists a review. `known`: the revision that the person knows, if it has been on the screen.
    pub fn new(review: &Review, known: Option<u64>, roots: &[PathBuf]) -> Self {
        Self {
            id: review.id,
            revision: review.revision,
            name: messages::file_name(&review.file, roots),
            counts: messages::line_counts(review),
            states: messages::states(review),
            is_hard_to_see: look_alikes::is_hard_to_see(review),
            obstacle: Obstacle::of(review, known, roots),
        }
    }
}

impl Obstacle {
    /// Returns the obstacle to accepting a review, if there is one. `known`: the revision that the person
    /// knows, if it has been on the screen.
    pub fn of(review: &Review, known: Option<u64>, roots: &[PathBuf]) -> Option<Self> {
        let converted = review.file_line_ending.is_some() || review.file_has_bom.is_some();
        let is_unchanged = review.original.as_ref() == Some(&review.current)
            && !(converted && review.current == review.proposed);
        match known {
            _ if review.stale => Some(Self::Stale),
            _ if review.dirty => Some(Self::Dirty),
            None => Some(Self::Unseen),
            Some(known) if known != review.revision => Some(Self::Edited),
            _ if notes(review, roots).iter().any(|note| note.warning) => Some(Self::Warned),
            _ if review.current.is_empty() && !review.proposed.is_empty() => Some(Self::Empty),
            _ => is_unchanged.then_some(Self::Unchanged),
        }
    }

    /// Returns the reason, short enough to stand beside the name of the file.
    pub fn text(self) -> String {
        let text = match self {
            Self::PartlySeen(seen) => return seen.text(),
            Self::Unseen => "not seen yet",
            Self::Edited => "edited elsewhere since you saw it",
            Self::Stale => "changed on disk; accepting undoes that",
            Self::Dirty => "an editor holds unsaved changes",
            Self::Warned => "has a warning; accept it alone",
            Self::Empty => "an empty text, which agents do not take",
            Self::Unchanged => "none of its changes is kept",
        };
        text.to_owned()
    }
}

/// The result of accepting several reviews together: the number of reviews for each outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AcceptedTogether {
    /// The reviews that were accepted as listed.
    pub accepted: usize,
    /// The reviews that changed after the list opened, and wait.
    pub changed: usize,
    /// The reviews that came after the list opened, and wait.
    pub arrived: usize,
    /// The reviews that were listed with an obstacle, and wait.
    pub held_back: usize,
    /// The reviews that ended otherwise before they could be accepted.
    pub ended: usize,
    /// The reviews whose acceptance the companion refused, each as the file and the reason. They wait.
    pub refused: Vec<(String, String)>,
    /// The accepted reviews whose files were written as accepted.
    pub written: usize,
    /// The accepted reviews without a last word so far.
    pub unwritten: BTreeSet<ReviewId>,
}

impl AcceptedTogether {
    /// Returns the sentence for the person.
    pub fn text(&self) -> String {
        let wait = |count: usize, verb: &str| {
            let waits = if count == 1 { "waits" } else { "wait" };
            (count > 0).then(|| format!("{count} {verb} {waits}"))
        };
        let accepted = match (self.accepted, self.written) {
            (0, _) => "Nothing accepted".to_owned(),
            (count, 0) => format!("{count} accepted"),
            (count, written) => format!("{count} accepted, {written} written"),
        };
        let ended = (self.ended > 0).then(|| format!("{} ended meanwhile", self.ended));
        let refused = self.refused.iter().map(|(name, why)| format!("{name} waits: {why}"));
        let parts = std::iter::once(accepted)
            .chain(wait(self.changed, "changed meanwhile and"))
            .chain(wait(self.arrived, "arrived meanwhile and"))
            .chain(wait(self.held_back, if self.held_back == 1 { "other" } else { "others" }))
            .chain(ended)
            .chain(refused);
        format!("{}.", parts.collect::<Vec<_>>().join("; ").trim_end_matches('.'))
    }

    /// Takes the last word of a review. Returns true if the review was accepted together with the others
    /// and is written as accepted: then the sentence counts it.
    pub fn take_last_word(&mut self, told: &LastWord) -> bool {
        let is_counted = self.unwritten.remove(&told.id) && told.word.is_as_decided();
        self.written += usize::from(is_counted);
        is_counted
    }

    /// Whether a listed review was not accepted.
    pub fn has_failures(&self) -> bool {
        self.changed + self.ended + self.refused.len() > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::last_word::Word;
    use crate::review::{Hunk, HunkState, LineEnding};
    use crate::review_model::open_review::tests::review;
    use crate::rule_acceptance::ChangeKind;

    #[test]
    fn only_a_review_as_it_was_seen_has_no_obstacle() {
        let obstacle = |known, change: fn(&mut Review)| {
            let mut review = review();
            change(&mut review);
            ListedReview::new(&review, known, &["/p".into()]).obstacle
        };
        assert_eq!(obstacle(Some(1), |_| ()), None);
        assert_eq!(obstacle(None, |_| ()), Some(Obstacle::Unseen));
        assert_eq!(obstacle(Some(1), |review| review.revision = 2), Some(Obstacle::Edited));
        assert_eq!(obstacle(Some(1), |review| review.stale = true), Some(Obstacle::Stale));
        assert_eq!(obstacle(Some(1), |review| review.dirty = true), Some(Obstacle::Dirty));
        assert_eq!(obstacle(Some(1), |review| review.in_git = Some("x".into())), Some(Obstacle::Warned));
        assert_eq!(obstacle(Some(1), |review| review.file = "/elsewhere".into()), Some(Obstacle::Warned));
        assert_eq!(obstacle(Some(1), |review| review.current = "".into()), Some(Obstacle::Empty));
        let drop_all = |review: &mut Review| review.current = "1\n2\n3\n".into();
        assert_eq!(obstacle(Some(1), drop_all), Some(Obstacle::Unchanged));
        let convert = |review: &mut Review| {
            review.proposed = "1\n2\n3\n".into();
            review.current = review.proposed.clone();
            review.file_line_ending = Some(LineEnding::Crlf);
        };
        assert_eq!(obstacle(Some(1), convert), None, "other line endings are a change");
    }

    #[test]
    fn the_list_says_what_counts_of_lines_do_not_tell() {
        let states = |change: fn(&mut Review)| {
            let mut review = review();
            review.hunks.truncate(1);
            change(&mut review);
            ListedReview::new(&review, Some(1), &["/p".into()]).states
        };
        let clear = |review: &mut Review| (review.proposed, review.current) = ("".into(), "".into());
        assert_eq!(states(|_| ()), "1 kept");
        assert_eq!(states(|review| review.original = None), "new file");
        assert_eq!(states(clear), "empties the file");
        let delete = |review: &mut Review| {
            (review.proposed, review.current) = ("".into(), "".into());
            (review.kind, review.remark) = (Some(ChangeKind::Delete), Some("It goes.".into()));
        };
        assert_eq!(states(delete), "deletes the file");
        assert_eq!(states(|review| review.kind = Some(ChangeKind::Move)), "moves the file");
        let convert = |review: &mut Review| review.file_line_ending = Some(LineEnding::Crlf);
        assert_eq!(states(convert), "other line ends");
        let only = |review: &mut Review| {
            review.hunks.clear();
            review.file_line_ending = Some(LineEnding::Crlf);
        };
        assert_eq!(states(only), "line ends only");
        let new_and_split = |review: &mut Review| {
            review.original = None;
            review.hunks = vec![review.hunks[0].clone(), Hunk::default()];
            review.hunks[1].state = HunkState::Dropped;
        };
        assert_eq!(states(new_and_split), "new file, 1 kept, 1 dropped");
    }

    #[test]
    fn the_rest_of_a_review_is_one_sentence() {
        assert_eq!(SeenPart::changes(17, 20).unseen(), "3 of 20 changes were not on the screen yet.");
        assert_eq!(SeenPart::changes(2, 3).unseen(), "1 of 3 changes was not on the screen yet.");
        let hard = |seen: SeenPart| seen.with_hard_to_see(1).unseen();
        let said = "2 of 3 changes were not on the screen yet, 1 of them with something hard to see.";
        assert_eq!(hard(SeenPart::changes(1, 3)), said);
        let said = "1 of 3 changes was not on the screen yet, and has something hard to see.";
        assert_eq!(hard(SeenPart::changes(2, 3)), said);
        let said = "5 of 9 lines were not on the screen yet, and the change has something hard to see.";
        assert_eq!(hard(SeenPart::lines(4, 9)), said);
    }

    #[test]
    fn last_words_are_counted_once_each() {
        let told = |id, word| LastWord { id: ReviewId(id), file: "/p/a".into(), word, message: "a".into() };
        let unwritten = [1, 2].map(ReviewId).into();
        let mut end =
            AcceptedTogether { accepted: 2, held_back: 1, unwritten, ..AcceptedTogether::default() };
        assert!(end.take_last_word(&told(1, Word::WrittenAsAccepted)));
        assert!(!end.take_last_word(&told(1, Word::WrittenAsAccepted)), "it is counted");
        assert!(!end.take_last_word(&told(9, Word::WrittenAsAccepted)), "it was accepted alone");
        assert_eq!(end.text(), "2 accepted, 1 written; 1 other waits.");
        assert!(!end.take_last_word(&told(2, Word::NotWritten)));
        assert_eq!(end.written, 1);
    }

    #[test]
    fn the_end_is_one_sentence() {
        let mut end = AcceptedTogether { accepted: 3, changed: 1, ..AcceptedTogether::default() };
        assert_eq!(end.text(), "3 accepted; 1 changed meanwhile and waits.");
        assert!(end.has_failures());
        end = AcceptedTogether { accepted: 1, arrived: 2, held_back: 1, ..AcceptedTogether::default() };
        assert_eq!(end.text(), "1 accepted; 2 arrived meanwhile and wait; 1 other waits.");
        assert!(!end.has_failures());
        let refused = vec![("a".to_owned(), "the companion has stopped".to_owned())];
        end = AcceptedTogether { ended: 1, refused, ..AcceptedTogether::default() };
        assert_eq!(end.text(), "Nothing accepted; 1 ended meanwhile; a waits: the companion has stopped.");
    }
}
