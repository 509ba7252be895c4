//! The comments on a turn that the companion has not received: the typed comment, and refused ones. The next
//! comment begins with the words of a refused one; when the desk ends, all are saved as drafts.

use alongside_desk::{CommentId, Lines, ReviewId, Turn};
use alongside_terminal::UnsavedText;

use super::comments::About;
use super::walk::{Place, Walk};

/// The place of a typed comment, which its words are about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CommentPlace {
    /// The path of the file; `None` for the whole turn.
    path: Option<String>,
    /// The open texts of the file.
    review: Option<ReviewId>,
    /// The lines of the change on both sides.
    lines: Option<(Lines, Lines)>,
}

impl CommentPlace {
    /// Returns the place of such a comment where the person is now.
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

    /// Whether the person is still at this place. A comment with a number can be changed from each place.
    pub(super) fn is_current(&self, walk: &Walk, about: About) -> bool {
        matches!(about, About::Known(_)) || *self == Self::of(walk, about)
    }
}

/// A comment that the person types, line by line.
#[derive(Debug)]
pub(super) struct TypedComment {
    pub(super) about: About,
    pub(super) place: CommentPlace,
    pub(super) lines: Vec<String>,
    /// Whether the comment has only words that the companion has not received, and no new line.
    pub(super) is_resumed: bool,
}

/// Returns the file of a comment with a number.
fn path_of(turn: &Turn, about: About) -> Option<String> {
    let About::Known(id) = about else { return None };
    turn.comments.iter().find(|comment| comment.id == id)?.anchor.path.clone()
}

/// A comment that the companion has not received.
#[derive(Debug)]
struct Unsent {
    /// The known comment that these words were for; `None` for a new one.
    id: Option<CommentId>,
    path: Option<String>,
    text: String,
}

/// The comments that the companion has refused.
#[derive(Debug, Default)]
pub(super) struct UnsentComments(Vec<Unsent>);

impl UnsentComments {
    /// Stores words that the companion has not received.
    pub(super) fn add(&mut self, about: About, place: CommentPlace, text: &str) {
        let id = match about {
            About::Known(id) => Some(id),
            About::Change | About::File | About::Whole => None,
        };
        self.0.push(Unsent { id, path: place.path, text: text.to_owned() });
    }

    /// Removes the words that were stored last.
    pub(super) fn remove_last(&mut self) {
        self.0.pop();
    }

    /// Takes the words with which a comment begins: the latest ones for it, or else for its own file, or else
    /// for another place. Words for a comment that is gone or was read count as words for a new one.
    pub(super) fn take_for(&mut self, about: About, place: &CommentPlace, turn: &Turn) -> Option<String> {
        let is_read = turn.message.as_ref().is_some_and(|message| message.read.is_some());
        let can_change = |id: CommentId| {
            let mut comments = turn.comments.iter();
            comments.any(|comment| comment.id == id && (comment.state.is_unsent() || !is_read))
        };
        let is_new = |unsent: &Unsent| unsent.id.is_none_or(|id| !can_change(id));
        let at = match about {
            About::Known(id) => self.0.iter().rposition(|unsent| unsent.id == Some(id)),
            About::Change | About::File | About::Whole => {
                let is_of_file = |unsent: &Unsent| is_new(unsent) && unsent.path == place.path;
                self.0.iter().rposition(is_of_file).or_else(|| self.0.iter().rposition(is_new))
            }
        }?;
        Some(self.0.remove(at).text)
    }

    /// Takes all comments, for the drafts.
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
