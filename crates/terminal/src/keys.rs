//! Every key in one table: its action, and its text in the bottom line and the help.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The action of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    NextHunk,
    PreviousHunk,
    PageDown,
    PageUp,
    HalfDown,
    HalfUp,
    Top,
    Bottom,
    Left,
    Right,
    /// Not to the side: each long line shows its change.
    Straight,
    Open,
    /// More unchanged lines around the changes, or fewer.
    MoreContext,
    LessContext,
    KeepOrDrop,
    /// Keep or drop this change and all behind it.
    KeepOrDropRest,
    /// Keep or drop all changes of the file.
    KeepOrDropAll,
    Reason,
    Split,
    /// Split around lines that the person chooses.
    SplitLines,
    Edit,
    Undo,
    Redo,
    Accept,
    AcceptAll,
    AcceptAhead,
    Accepted,
    Reject,
    NextReview,
    PreviousReview,
    /// The reviews that wait, in a list.
    Waiting,
    Search,
    SearchOn,
    SearchBack,
    Layout,
    Wrap,
    Sidebar,
    /// The turn review in place of the proposals, or back.
    Turn,
    /// All files of the turn review.
    Files,
    MarkFile,
    /// Mark each file from this one on.
    MarkRest,
    /// A comment on a change of a turn, or on a file of it.
    Comment,
    /// A comment on a whole turn.
    CommentAll,
    /// Undo what is marked, and send comments.
    Finish,
    LookAgain,
    CopyPath,
    Pause,
    Send,
    SetUpAgents,
    Help,
    Messages,
    Redraw,
    Stop,
    Leave,
}

impl Action {
    /// Whether it changes or decides a review: then it must hit the review that the person saw.
    pub(crate) fn touches_review(self) -> bool {
        // The list of what was accepted only tells.
        matches!(self.group(), Group::Deciding | Group::Editing) && self != Self::Accepted
    }

    /// The rows by which it scrolls a list, on a screen of so many.
    pub(crate) fn rows(self, height: u16) -> Option<isize> {
        let page = isize::try_from(height.max(2) / 2).unwrap_or(1);
        match self {
            Self::NextHunk => Some(1),
            Self::PreviousHunk => Some(-1),
            Self::PageDown | Self::HalfDown => Some(page),
            Self::PageUp | Self::HalfUp => Some(-page),
            _ => None,
        }
    }

    /// The group of the help in which the action stands.
    pub(crate) fn group(self) -> Group {
        match self {
            Self::NextHunk | Self::PreviousHunk | Self::NextReview | Self::PreviousReview => Group::Moving,
            Self::PageDown | Self::PageUp | Self::HalfDown | Self::HalfUp => Group::Moving,
            Self::Top | Self::Bottom | Self::Open => Group::Moving,
            Self::Left | Self::Right | Self::Straight => Group::Moving,
            Self::Search | Self::SearchOn | Self::SearchBack => Group::Moving,
            Self::KeepOrDrop | Self::KeepOrDropRest | Self::KeepOrDropAll => Group::Deciding,
            Self::Reason | Self::Split | Self::SplitLines => Group::Deciding,
            Self::Accept | Self::AcceptAll | Self::Reject => Group::Deciding,
            Self::AcceptAhead | Self::Accepted => Group::Deciding,
            Self::MarkFile | Self::MarkRest => Group::Deciding,
            Self::Comment | Self::CommentAll | Self::Finish => Group::Deciding,
            Self::Edit | Self::Undo | Self::Redo => Group::Editing,
            Self::Layout | Self::Wrap | Self::Sidebar | Self::Redraw => Group::View,
            Self::MoreContext | Self::LessContext => Group::View,
            Self::Turn | Self::Files | Self::LookAgain | Self::Waiting => Group::View,
            Self::CopyPath | Self::Pause | Self::Send | Self::SetUpAgents => Group::Program,
            Self::Help | Self::Messages | Self::Stop | Self::Leave => Group::Program,
        }
    }
}

/// The meaning of a key for what lies over the review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    No,
    /// A yes to something that was not on the screen.
    TooSoon,
    /// The message of a list goes to the clipboard.
    Copy,
    /// The message that waits for the agent goes into its pane.
    Paste,
    /// The person takes back what the finish has undone.
    TakeBack,
    /// A comment on the chosen file.
    Comment,
    /// A comment on the whole turn.
    CommentAll,
    /// The chosen comment, which an agent has read, goes again with the next finish, or no more.
    AskAgain,
    /// The chosen comment is done with.
    CloseComment,
    Close,
    /// The key moves about at most.
    Nothing,
}

/// A group of keys in the help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    Moving,
    Deciding,
    Editing,
    View,
    Program,
}

impl Group {
    /// All groups with their titles, in the order of the help.
    pub(crate) const ALL: [(Self, &'static str); 5] = [
        (Self::Moving, "Moving"),
        (Self::Deciding, "Deciding"),
        (Self::Editing, "Editing"),
        (Self::View, "View"),
        (Self::Program, "Program"),
    ];
}

/// The mode of the desk, on which the meaning of some keys depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeskMode {
    /// Proposals that wait for a decision.
    Proposals,
    /// A turn review.
    Turn,
}

/// Keys and their action: a row of the table.
pub(crate) struct KeyBinding {
    /// The mode in which the keys have this action; `None` for both.
    mode: Option<DeskMode>,
    /// The keys; capital letters are written as such.
    keys: &'static [(KeyCode, KeyModifiers)],
    pub(crate) action: Action,
    /// The keys as people read them.
    pub(crate) shown: &'static str,
    /// The key and the word in the bottom line, if it is there.
    pub(crate) brief: Option<(&'static str, &'static str)>,
    /// The text in the help.
    pub(crate) help: &'static str,
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;

const fn key(c: char) -> (KeyCode, KeyModifiers) {
    (KeyCode::Char(c), NONE)
}

const fn ctrl(c: char) -> (KeyCode, KeyModifiers) {
    (KeyCode::Char(c), CTRL)
}

const fn named(code: KeyCode) -> (KeyCode, KeyModifiers) {
    (code, NONE)
}

const fn row(
    keys: &'static [(KeyCode, KeyModifiers)],
    action: Action,
    shown: &'static str,
    help: &'static str,
) -> KeyBinding {
    KeyBinding { mode: None, keys, action, shown, brief: None, help }
}

const fn brief(row: KeyBinding, key: &'static str, what: &'static str) -> KeyBinding {
    KeyBinding { brief: Some((key, what)), ..row }
}

const fn only(mode: DeskMode, row: KeyBinding) -> KeyBinding {
    KeyBinding { mode: Some(mode), ..row }
}

const fn proposals(row: KeyBinding) -> KeyBinding {
    only(DeskMode::Proposals, row)
}

const fn turn(row: KeyBinding) -> KeyBinding {
    only(DeskMode::Turn, row)
}

/// The table. The help shows the rows of each group in this order, and the bottom line as many of the brief
/// ones as fit. A row without a text shares the one before it.
const TABLE: &[KeyBinding] = &[
    proposals(brief(row(&[key('a')], Action::Accept, "a", "accept the file"), "a", "accept")),
    proposals(brief(row(&[key('r')], Action::Reject, "r", "reject the proposal"), "r", "reject")),
    proposals(brief(
        row(&[key(' ')], Action::KeepOrDrop, "space,x,X", "keep/drop it; rest; all"),
        "space",
        "keep/drop",
    )),
    proposals(row(&[key('x')], Action::KeepOrDropRest, "", "")),
    proposals(row(&[key('X')], Action::KeepOrDropAll, "", "")),
    turn(brief(row(&[key(' ')], Action::KeepOrDrop, "space,X,E", "mark it; file; rest"), "space", "mark")),
    turn(brief(row(&[key('X')], Action::MarkFile, "", ""), "X", "file")),
    turn(row(&[key('E')], Action::MarkRest, "", "")),
    turn(brief(row(&[key('c')], Action::Comment, "c, C", "comment; on all of it"), "c", "comment")),
    turn(row(&[key('C')], Action::CommentAll, "", "")),
    turn(brief(row(&[key('f')], Action::Finish, "f", "undo, send, after a list"), "f", "finish")),
    brief(
        row(&[key('j'), named(KeyCode::Down)], Action::NextHunk, "j, k, ↓, ↑", "next, previous change"),
        "j/k",
        "change",
    ),
    row(&[key('k'), named(KeyCode::Up)], Action::PreviousHunk, "", ""),
    proposals(brief(
        row(&[named(KeyCode::Tab)], Action::NextReview, "Tab, S-Tab", "next, previous review"),
        "Tab",
        "next",
    )),
    turn(brief(
        row(&[named(KeyCode::Tab)], Action::NextReview, "Tab, S-Tab", "next, previous file"),
        "Tab",
        "next",
    )),
    row(&[named(KeyCode::BackTab)], Action::PreviousReview, "", ""),
    turn(brief(row(&[key('L')], Action::Files, "L", "list all files"), "L", "list")),
    // With several reviews these are needed sooner than what follows.
    proposals(brief(row(&[key('A')], Action::AcceptAll, "A", "accept all, after a list"), "A", "all")),
    proposals(brief(row(&[key('R')], Action::Reason, "R", "say why, for the model"), "R", "why")),
    proposals(brief(row(&[key('e')], Action::Edit, "e", "edit in $VISUAL, $EDITOR"), "e", "edit")),
    proposals(brief(row(&[key('u')], Action::Undo, "u, Ctrl-R", "undo the last edit; redo"), "u", "undo")),
    turn(brief(row(&[key('u')], Action::Undo, "u, Ctrl-R", "last step back; again"), "u", "step back")),
    row(&[ctrl('r')], Action::Redo, "", ""),
    turn(brief(row(&[key('s')], Action::Split, "s", "split this change"), "s", "split")),
    proposals(brief(row(&[key('s')], Action::Split, "s, V", "split; by chosen lines"), "s", "split")),
    proposals(row(&[key('V')], Action::SplitLines, "", "")),
    proposals(row(&[key('F')], Action::AcceptAhead, "F, L", "accept ahead, list that")),
    proposals(row(&[key('L')], Action::Accepted, "", "")),
    row(&[named(KeyCode::PageDown), ctrl('f')], Action::PageDown, "PgDn, PgUp", "scroll by a screen"),
    row(&[named(KeyCode::PageUp), ctrl('b')], Action::PageUp, "", ""),
    row(&[ctrl('d')], Action::HalfDown, "Ctrl-D, -U", "scroll by half a screen"),
    row(&[ctrl('u')], Action::HalfUp, "", ""),
    row(&[key('g'), named(KeyCode::Home)], Action::Top, "g, G, 7g", "top, end, change 7"),
    row(&[key('G'), named(KeyCode::End)], Action::Bottom, "", ""),
    row(&[key('h'), named(KeyCode::Left)], Action::Left, "h, l, 0", "scroll sideways, back"),
    row(&[key('l'), named(KeyCode::Right)], Action::Right, "", ""),
    row(&[key('0')], Action::Straight, "", ""),
    row(&[named(KeyCode::Enter), key('o')], Action::Open, "Enter, o", "open or close a fold"),
    brief(row(&[key('/')], Action::Search, "/, n, N", "search; next, previous"), "/", "search"),
    row(&[key('n')], Action::SearchOn, "", ""),
    row(&[key('N')], Action::SearchBack, "", ""),
    brief(row(&[key('v')], Action::Layout, "v", "two columns, one, auto"), "v", "layout"),
    row(&[key('w')], Action::Wrap, "w, }, {", "wrap; more, less context"),
    row(&[key('}')], Action::MoreContext, "", ""),
    row(&[key('{')], Action::LessContext, "", ""),
    proposals(row(&[key('b')], Action::Sidebar, "b, W", "hide or show lists; list")),
    proposals(row(&[key('W')], Action::Waiting, "", "")),
    turn(row(&[key('b')], Action::Sidebar, "b", "hide or show the lists")),
    proposals(brief(row(&[key('T')], Action::Turn, "T", "look at a turn's changes"), "T", "turn")),
    turn(brief(row(&[key('T')], Action::Turn, "T, Esc", "back to the proposals"), "T", "back")),
    turn(row(&[key('r')], Action::LookAgain, "r", "look again what changed")),
    row(&[key('y')], Action::CopyPath, "y", "copy the file's path"),
    brief(row(&[key('p')], Action::Pause, "p", "pause, resume context"), "p", "pause"),
    brief(row(&[key('S')], Action::Send, "S", "send the selection"), "S", "send"),
    brief(row(&[key('i')], Action::SetUpAgents, "i", "set up agents"), "i", "set up agents"),
    row(&[ctrl('l')], Action::Redraw, "Ctrl-L", "redraw"),
    row(&[ctrl('z')], Action::Stop, "Ctrl-Z", "suspend; fg resumes"),
    brief(row(&[key('?'), named(KeyCode::F(1))], Action::Help, "?, m", "help, past messages"), "?", "help"),
    row(&[key('m')], Action::Messages, "", ""),
    brief(row(&[key('q'), ctrl('c')], Action::Leave, "q, Ctrl-C", "quit (Ctrl-C twice: now)"), "q", "quit"),
];

/// The rows of the table that count in a mode.
pub(crate) fn rows(mode: DeskMode) -> impl Iterator<Item = &'static KeyBinding> {
    TABLE.iter().filter(move |row| row.mode.is_none_or(|only| only == mode))
}

/// The action of a key, if it has one. Keys with Alt have none.
pub(crate) fn action(event: KeyEvent, mode: DeskMode) -> Option<Action> {
    // Terminals differ in whether a capital letter comes with Shift.
    let pressed = (event.code, event.modifiers.difference(KeyModifiers::SHIFT));
    rows(mode).find(|row| row.keys.contains(&pressed)).map(|row| row.action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things() {
        for mode in [DeskMode::Proposals, DeskMode::Turn] {
            let keys: Vec<_> = rows(mode).flat_map(|row| row.keys).collect();
            for (index, key) in keys.iter().enumerate() {
                assert!(!keys[index + 1..].contains(key), "{key:?}");
            }
        }
    }

    #[test]
    fn every_letter_stands_in_the_page_of_keys() {
        let page = include_str!("../../../docs/keys.md");
        let (_, keys) = page.split_once("\n## The terminal desk").unwrap();
        let (keys, _) = keys.split_once("\n## Line mode").unwrap();
        for (code, modifiers) in TABLE.iter().flat_map(|row| row.keys) {
            if let (KeyCode::Char(c), &NONE) = (code, modifiers) {
                let shown = if *c == ' ' { "`space`".into() } else { format!("`{c}`") };
                assert!(keys.contains(&shown), "{shown}");
            }
        }
    }

    #[test]
    fn a_reason_is_for_the_review_that_the_person_saw() {
        assert!(Action::Reason.touches_review());
        let action = action(KeyEvent::new(KeyCode::Char('R'), KeyModifiers::SHIFT), DeskMode::Proposals);
        assert_eq!(action, Some(Action::Reason));
    }

    #[test]
    fn capitals_may_come_with_shift_and_alt_means_nothing() {
        let press = |c, modifiers| action(KeyEvent::new(KeyCode::Char(c), modifiers), DeskMode::Proposals);
        assert_eq!(press('G', KeyModifiers::SHIFT), Some(Action::Bottom));
        assert_eq!(press('G', NONE), Some(Action::Bottom));
        assert_eq!(press('a', KeyModifiers::ALT), None);
        assert_eq!(press('c', CTRL), Some(Action::Leave));
    }

    #[test]
    fn no_key_of_a_turn_review_decides_on_a_proposal() {
        let decides = [
            Action::Accept,
            Action::AcceptAll,
            Action::AcceptAhead,
            Action::Reject,
            Action::Reason,
            Action::Edit,
        ];
        assert!(rows(DeskMode::Turn).all(|row| !decides.contains(&row.action)));
        for row in rows(DeskMode::Turn).filter(|row| row.mode == Some(DeskMode::Turn)) {
            let words = [Some(row.help), row.brief.map(|(_, word)| word)];
            for word in words.into_iter().flatten() {
                assert!(!["accept", "reject", "drop"].iter().any(|other| word.contains(other)), "{word}");
            }
        }
    }
}
