//! The input of a comment on a turn: on lines of a change, on a file, or on the whole turn. The person types
//! a new comment, or another text for an existing one.

use alongside_desk::review_model::comment_place::{lines_now, place_in_file};
use alongside_desk::{Comment, CommentId, LineRange, ReviewId, Side};

use super::line_choice::LineChoice;
use crate::review_page::PageLines;
use crate::text::typing::in_lines;

/// The target of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// An existing comment.
    Known(Box<Comment>),
    /// A new comment on lines of the change on the screen.
    Lines,
    /// A new comment on the file on the screen.
    File,
    /// A new comment on the whole turn.
    Whole,
}

impl Target {
    /// The existing comment; `None` for a new one.
    fn known(&self) -> Option<&Comment> {
        if let Self::Known(known) = self { Some(known) } else { None }
    }
}

/// The location at which the person begins a comment.
#[derive(Debug, Default)]
pub(crate) struct CommentPlace {
    /// The path of the file; `None` if no file has changed.
    pub(crate) path: Option<String>,
    /// The change, with the id of the open file.
    pub(crate) change: Option<(ReviewId, LineChoice)>,
    /// The label before the lines of the change, as in `change 2 of 3`.
    pub(crate) change_words: String,
    /// The comments that can be changed: on the change, on the file, and on the whole turn.
    pub(crate) known: [Vec<Comment>; 3],
}

/// The target with which the input begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    Change,
    File,
    Whole,
}

/// A comment that the person typed and the companion does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnsentComment {
    /// The comment that gets the text; `None` for a new one.
    pub(crate) id: Option<CommentId>,
    /// The path of the file; `None` for the whole turn.
    pub(crate) path: Option<String>,
    pub(crate) text: String,
}

/// A comment while the person types it.
#[derive(Debug)]
pub(crate) struct CommentInput {
    place: CommentPlace,
    /// The targets between which Tab switches.
    targets: Vec<Target>,
    at: usize,
    pub(crate) text: String,
    /// Whether the person has removed all text, and was asked to confirm that this removes the comment.
    confirms_removal: bool,
    /// The hint that the person has to read first, instead of the route of the message.
    hint: Option<&'static str>,
}

impl CommentInput {
    /// Creates an input at a location. It begins with the last unsent text that belongs there: the text of an
    /// existing comment first, then a text for the same file, then any text for a new comment.
    pub(crate) fn new(place: CommentPlace, about: About, unsent: &mut Vec<UnsentComment>) -> Self {
        let news = [
            place.change.is_some().then_some(Target::Lines),
            place.path.is_some().then_some(Target::File),
            Some(Target::Whole),
        ];
        let known = |at: usize| place.known[at].iter().cloned().map(|known| Target::Known(Box::new(known)));
        let (mut targets, mut begins) = (Vec::new(), [0; 3]);
        for (at, new) in news.into_iter().enumerate() {
            begins[at] = targets.len();
            targets.extend(known(at).chain(new));
        }
        let begin = begins[about as usize].min(targets.len() - 1);
        let mut input =
            Self { place, targets, at: begin, text: String::new(), confirms_removal: false, hint: None };
        input.text = input.known_text().to_owned();
        let is_known = |text: &UnsentComment| text.id.is_some() && input.find(text.id).is_some();
        let is_of_file = |text: &UnsentComment| text.id.is_none() && text.path == input.place.path;
        let belongs = unsent.iter().rposition(is_known);
        let belongs = belongs.or_else(|| unsent.iter().rposition(is_of_file));
        let belongs = belongs.or_else(|| unsent.iter().rposition(|text| text.id.is_none()));
        if let Some(at) = belongs {
            let unsent = unsent.remove(at);
            input.at = input.find(unsent.id).unwrap_or(input.at);
            input.text = unsent.text;
        }
        input
    }

    /// The index of the target with this comment; without an id, of a new comment.
    fn find(&self, id: Option<CommentId>) -> Option<usize> {
        let is_it = |target: &Target| target.known().map(|known| known.id) == id;
        // Targets from the selected one on come first.
        let later = (self.at..self.targets.len()).find(|at| is_it(&self.targets[*at]));
        later.or_else(|| self.targets.iter().position(is_it))
    }

    pub(crate) fn target(&self) -> &Target {
        // Tab only selects existing indices; the fallback avoids a panic.
        self.targets.get(self.at).unwrap_or(&Target::Whole)
    }

    /// The text with which the input of this target begins: the text of an existing comment. Empty for a new
    /// comment, and for a comment that is asked again: its old text, which an agent has read, is not sent
    /// twice.
    fn known_text(&self) -> &str {
        self.target().known().filter(|_| !self.asks_again()).map_or("", |known| &known.text)
    }

    /// Whether the target is a comment that an agent has read, which the person asks again in other words.
    pub(crate) fn asks_again(&self) -> bool {
        self.target().known().is_some_and(|known| known.state.is_read())
    }

    /// Whether the typed text differs from the text with which the input began.
    pub(crate) fn is_changed(&self) -> bool {
        self.text.trim() != self.known_text().trim()
    }

    /// Switches to the next target. The text of a new comment moves along. Returns false if the changed text
    /// of an existing comment would be lost.
    pub(crate) fn switch(&mut self, forward: bool) -> bool {
        let Some(next) = self.next(forward) else { return false };
        let is_new = |at: usize| self.targets[at].known().is_none();
        let goes_along = is_new(self.at) && is_new(next);
        self.at = next;
        if !goes_along {
            self.text = self.known_text().to_owned();
        }
        true
    }

    /// The target to which Tab switches, as an index; `None` if that would lose a text.
    fn next(&self, forward: bool) -> Option<usize> {
        let count = self.targets.len();
        let is_known = |at: usize| self.targets[at].known().is_some();
        let by = |by: usize| (self.at + if forward { by } else { count - by }) % count;
        match self.is_changed() {
            true if is_known(self.at) => None,
            true => (1..count).map(by).find(|at| !is_known(*at)),
            false => (count > 1).then(|| by(1)),
        }
    }

    /// The label of the target to which Tab switches; `None` if there is no other.
    pub(crate) fn next_words(&self) -> Option<&'static str> {
        self.next(true).map(|next| match self.targets[next] {
            Target::Known(_) => "another one",
            Target::Lines => "the change",
            Target::File => "the file",
            Target::Whole => "the whole turn",
        })
    }

    /// Moves the choice of lines of the change. Returns false if the target has no lines to choose.
    pub(crate) fn choose_lines(&mut self, down: bool, extends: bool) -> bool {
        let can_choose = self.can_choose();
        if let Some((_, choice)) = self.place.change.as_mut().filter(|_| can_choose) {
            choice.step(down, extends);
        }
        can_choose
    }

    /// Whether lines can be chosen.
    pub(crate) fn can_choose(&self) -> bool {
        *self.target() == Target::Lines
    }

    /// The lines of the target, as the page highlights them; `None` for a whole change.
    pub(crate) fn on_page(&self) -> Option<PageLines> {
        let nothing = PageLines { is_old: false, lines: 0..0 };
        match self.target() {
            Target::Lines => self.place.change.as_ref()?.1.on_page(),
            Target::Known(known) => Some(match lines_now(known) {
                Some(range) => {
                    let lines = range.lines();
                    PageLines { is_old: known.anchor.side == Side::Old, lines: lines.start..lines.end }
                }
                None => nothing,
            }),
            Target::File | Target::Whole => Some(nothing),
        }
    }

    /// The id of the open file, while the person chooses lines in it.
    pub(crate) fn review(&self) -> Option<ReviewId> {
        self.place.change.as_ref().filter(|_| self.can_choose()).map(|(id, _)| *id)
    }

    /// Replaces the change, because the texts of the file have changed, and resets the choice of lines.
    pub(crate) fn replace_change(&mut self, change: Option<(ReviewId, LineChoice)>) {
        if change.is_none() {
            self.targets.retain(|target| *target != Target::Lines);
            self.at = self.at.min(self.targets.len() - 1);
        }
        self.place.change = change;
    }

    /// The path of the target's file; `None` for the whole turn.
    pub(crate) fn path(&self) -> Option<&str> {
        match self.target() {
            Target::Known(known) => known.anchor.path.as_deref(),
            Target::Lines | Target::File => self.place.path.as_deref(),
            Target::Whole => None,
        }
    }

    /// The lines that a new comment is about.
    pub(crate) fn lines(&self) -> Option<(Side, LineRange)> {
        let (side, lines) = self.place.change.as_ref().filter(|_| self.can_choose())?.1.lines();
        Some((side, LineRange::of(lines)?))
    }

    /// The prompt before the text.
    pub(crate) fn prompt(&self) -> String {
        match (self.target(), &self.place.change) {
            (Target::Known(known), _) if self.asks_again() => {
                format!("Ask again, in other words, on {}", place_in_file(known))
            }
            (Target::Known(known), _) => {
                format!("Your comment on {}", place_in_file(known))
            }
            (Target::Lines, Some((_, choice))) if choice.is_part() => {
                format!("Comment on {}", choice.words())
            }
            (Target::Lines, Some((_, choice))) => {
                format!("Comment on {}, {}", self.place.change_words, choice.words())
            }
            (Target::File | Target::Lines, _) => "Comment on the whole file".into(),
            (Target::Whole, _) => "Comment on the whole turn".into(),
        }
    }

    /// The label of Enter.
    pub(crate) fn confirm_words(&self) -> &'static str {
        match (self.text.trim().is_empty(), self.target(), self.is_changed()) {
            (true, ..) if self.asks_again() => "back",
            (true, Target::Known(known), _) if known.again => "ask no more",
            (true, Target::Known(_), _) if self.confirms_removal => "remove it",
            (true, Target::Known(_), _) => "remove it?",
            (_, _, false) => "back",
            (true, ..) => "back",
            (false, ..) => "keep it",
        }
    }

    /// Asks for the confirmation of a removal. Returns true the first time that Enter would remove the
    /// comment.
    pub(crate) fn confirm_removal(&mut self) -> bool {
        let is_empty = self.text.trim().is_empty() && !self.asks_again();
        let removes = is_empty && self.target().known().is_some();
        removes && !std::mem::replace(&mut self.confirms_removal, true)
    }

    /// Notes that the person has typed again, so that a removal needs a new confirmation, and the hint is
    /// read.
    pub(crate) fn mark_typed(&mut self) {
        self.confirms_removal = false;
        self.hint = None;
    }

    /// Shows a hint instead of the route until the person types again.
    pub(crate) fn show_hint(&mut self, hint: &'static str) {
        self.hint = Some(hint);
    }

    pub(crate) fn hint(&self) -> Option<&'static str> {
        self.hint
    }

    /// Appends a pasted text.
    pub(crate) fn paste(&mut self, pasted: &str) {
        self.mark_typed();
        self.text.push_str(&in_lines(pasted));
    }

    /// Converts the input into an unsent comment; `None` if the person has typed nothing new.
    pub(crate) fn into_unsent(self) -> Option<UnsentComment> {
        let is_something = self.is_changed() && !self.text.trim().is_empty();
        let id = self.target().known().map(|known| known.id);
        let path = self.path().map(str::to_owned);
        is_something.then_some(UnsentComment { id, path, text: self.text })
    }
}

#[cfg(test)]
mod tests {
    use alongside_desk::{Anchor, CommentState, Hunk, Lines};

    use super::*;

    fn comment(id: u64, text: &str) -> Comment {
        let anchor = Anchor { path: Some("a.py".into()), ..Anchor::default() };
        Comment { id: CommentId(id), anchor, text: text.into(), ..Comment::default() }
    }

    fn place(known: [Vec<Comment>; 3]) -> CommentPlace {
        let proposed = Lines { start: 3, end: 7 };
        let choice = LineChoice::of(&Hunk { proposed, ..Hunk::default() }).unwrap();
        let change = Some((ReviewId(1), choice));
        CommentPlace { path: Some("a.py".into()), change, change_words: "change 1 of 2".into(), known }
    }

    #[test]
    fn tab_goes_on_to_the_file_and_the_turn_with_the_new_text() {
        let mut input = CommentInput::new(place(Default::default()), About::Change, &mut Vec::new());
        assert_eq!(input.prompt(), "Comment on change 1 of 2, lines 4–7");
        assert!(input.choose_lines(true, false));
        assert_eq!((input.prompt().as_str(), input.lines().unwrap().1.first), ("Comment on line 4", 4));
        input.text = "why?".into();
        assert!(input.switch(true) && !input.choose_lines(true, false));
        assert_eq!((input.prompt().as_str(), &*input.text), ("Comment on the whole file", "why?"));
        assert!(input.switch(true));
        assert_eq!((input.path(), input.lines()), (None, None));
    }

    #[test]
    fn another_text_of_a_comment_is_not_carried_elsewhere() {
        let known = [vec![comment(5, "first")], Vec::new(), Vec::new()];
        let mut input = CommentInput::new(place(known), About::Change, &mut Vec::new());
        assert_eq!((&*input.text, input.confirm_words()), ("first", "back"));
        input.text.push('!');
        assert!(!input.switch(true) && !input.switch(false));
        assert_eq!(input.confirm_words(), "keep it");
        input.text.clear();
        assert!(input.confirm_removal() && !input.confirm_removal(), "asked once");
        input.text = "first".into();
        assert!(input.switch(true) && input.text.is_empty());
    }

    #[test]
    fn other_words_for_a_comment_that_was_read_are_not_appended_to_it() {
        let read = Comment { state: CommentState::Open, ..comment(5, "first") };
        let known = [vec![read], Vec::new(), Vec::new()];
        let mut input = CommentInput::new(place(known), About::Change, &mut Vec::new());
        assert_eq!((&*input.text, input.confirm_words(), input.is_changed()), ("", "back", false));
        assert!(input.prompt().starts_with("Ask again, in other words, on "), "{}", input.prompt());
        assert!(!input.confirm_removal(), "nothing is removed by an empty text");
        input.text = "second".into();
        assert_eq!(input.confirm_words(), "keep it");
        assert_eq!(input.into_unsent().unwrap().id, Some(CommentId(5)));
    }

    #[test]
    fn a_text_that_nobody_took_comes_back_where_it_belongs() {
        let known = || [vec![comment(5, "first")], Vec::new(), Vec::new()];
        let unsent = |id| vec![UnsentComment { id, path: None, text: "typed".into() }];
        for (id, target) in
            [(None, Target::Lines), (Some(CommentId(5)), Target::Known(Box::new(comment(5, "first"))))]
        {
            let mut kept = unsent(id);
            let input = CommentInput::new(place(known()), About::Change, &mut kept);
            assert_eq!((input.target(), &*input.text, &kept), (&target, "typed", &Vec::new()));
            assert_eq!(input.into_unsent().unwrap().id, id);
        }
        let mut kept = unsent(Some(CommentId(6)));
        assert_eq!(CommentInput::new(place(known()), About::Change, &mut kept).text, "first");
        assert_eq!(kept.len(), 1, "the text waits for its comment");
        let new = |path: &str| UnsentComment { id: None, path: Some(path.into()), text: path.into() };
        let mut kept = vec![new("a.py"), new("b.py")];
        for text in ["a.py", "b.py", "first"] {
            assert_eq!(CommentInput::new(place(known()), About::Change, &mut kept).text, text);
        }
    }
}
