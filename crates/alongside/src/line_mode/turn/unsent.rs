//! The comments on a turn that no companion has: the one that the person types, and those that the companion
//! has not taken. The next comment begins with the words of one of these; when the desk ends, all go to the
//! drafts.

use alongside_desk::{CommentId, Lines, ReviewId, Turn};
use alongside_terminal::UnsavedText;

use super::comments::About;
use super::walk::{Place, Walk};

/// The place at which a comment was begun. Its words are about this place only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Spot {
    /// The file, by its path; none for the whole turn.
    path: Option<String>,
    /// The open texts of the file, and the lines of its change on both sides.
    review: Option<ReviewId>,
    lines: Option<(Lines, Lines)>,
}

impl Spot {
    /// The place of such a comment where the person is.
    pub(super) fn of(walk: &Walk, about: About) -> Self {
        let (file, review, lines) = match walk.place() {
            Place::Hunk(file, open, hunk) => {
                (file, Some(open.review().id), Some((hunk.original, hunk.proposed)))
            }
            Place::Whole(file, open) => (file, open.map(|open| open.review().id), None),
            Place::End => return Self { path: path_of(walk.turn(), about), ..Self::default() },
        };
        let path = Some(file.path.clone());
        match about {
            About::Change => Self { path, review, lines },
            About::File => Self { path, ..Self::default() },
            About::Whole | About::Known(_) => Self { path: path_of(walk.turn(), about), ..Self::default() },
        }
    }

    /// Whether the person is at this place still. A comment that has a number is changed from everywhere.
    pub(super) fn is_here(&self, walk: &Walk, about: About) -> bool {
        matches!(about, About::Known(_)) || *self == Self::of(walk, about)
    }
}

/// A comment as it is typed, line by line.
#[derive(Debug)]
pub(super) struct TypedComment {
    pub(super) about: About,
    /// The place where it was begun.
    pub(super) spot: Spot,
    pub(super) lines: Vec<String>,
    /// Whether it begins with words that the companion has not taken, and nothing is typed behind them.
    pub(super) is_resumed: bool,
}

/// The file of a comment that has a number.
fn path_of(turn: &Turn, about: About) -> Option<String> {
    let About::Known(id) = about else { return None };
    turn.comments.iter().find(|comment| comment.id == id)?.anchor.path.clone()
}

/// A comment that the companion has not taken.
#[derive(Debug)]
struct Unsent {
    /// The comment that was to get these words; `None` for a new one.
    id: Option<CommentId>,
    path: Option<String>,
    text: String,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct UnsentComments(Vec<Unsent>);

impl UnsentComments {
    /// Keeps words that the companion has not taken.
    pub(super) fn add(&mut self, about: About, spot: Spot, text: &str) {
        let id = match about {
            About::Known(id) => Some(id),
            About::Change | About::File | About::Whole => None,
        };
        self.0.push(Unsent { id, path: spot.path, text: text.to_owned() });
    }

    /// Takes the words with which a comment begins: the last of these words for it, those for its own file
    /// first. Words for a comment that is gone or was read count as words for a new one.
    pub(super) fn take_for(&mut self, about: About, spot: &Spot, turn: &Turn) -> Option<String> {
        let is_read = turn.message.as_ref().is_some_and(|message| message.read.is_some());
        let can_change =
            |id: CommentId| turn.comments.iter().any(|it| it.id == id && (it.state.is_unsent() || !is_read));
        let is_new = |unsent: &Unsent| unsent.id.is_none_or(|id| !can_change(id));
        let at = match about {
            About::Known(id) => self.0.iter().rposition(|unsent| unsent.id == Some(id)),
            About::Change | About::File | About::Whole => {
                let is_of_file = |unsent: &Unsent| is_new(unsent) && unsent.path == spot.path;
                self.0.iter().rposition(is_of_file).or_else(|| self.0.iter().rposition(is_new))
            }
        }?;
        Some(self.0.remove(at).text)
    }

    /// Takes all of these comments, for the drafts.
    pub(super) fn take_all(&mut self, turn: &Turn) -> Vec<UnsavedText> {
        let agent = turn.route.as_ref().map(|route| route.agent.clone());
        let agent = agent.filter(|agent| !agent.is_empty()).unwrap_or_else(|| "a turn".into());
        let unsaved = |unsent: Unsent| {
            let root = &turn.root;
            let file = unsent.path.map_or_else(|| root.clone(), |path| format!("{root}/{path}"));
            UnsavedText { file, agent: agent.clone(), text: unsent.text, replaces: None }
        };
        std::mem::take(&mut self.0).into_iter().map(unsaved).collect()
    }
}
