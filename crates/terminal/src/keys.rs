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
    /// Scrolls back to the first column, where each long line shows its change.
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
    /// A list of the open reviews.
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
    /// Whether the action changes or decides a review. Then it must act on the review that the person saw.
    pub(crate) fn touches_review(self) -> bool {
        // The list of accepted changes only shows them.
        matches!(self.group(), Group::Deciding | Group::Editing) && self != Self::Accepted
    }

    /// The rows by which the action scrolls a list on a screen of `height` rows; `None` if it scrolls no
    /// list.
    pub(crate) fn scroll_rows(self, height: u16) -> Option<isize> {
        let page = isize::try_from(height.max(2) / 2).unwrap_or(1);
        match self {
            Self::NextHunk => Some(1),
            Self::PreviousHunk => Some(-1),
            Self::PageDown | Self::HalfDown => Some(page),
            Self::PageUp | Self::HalfUp => Some(-page),
            _ => None,
        }
    }

    /// The group of the help that lists the action.
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

/// The meaning of a key for an overlay that covers the review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    No,
    /// A yes to a question that was not on the screen.
    TooSoon,
    /// Copies the message of the list to the clipboard.
    Copy,
    /// Pastes the message that waits for the agent into the agent's pane.
    Paste,
    /// Takes back the undos of the finish.
    TakeBack,
    /// Comments on the chosen file.
    Comment,
    /// Comments on the whole turn.
    CommentAll,
    /// Asks the chosen comment, which an agent has read, again with the next finish; or cancels that.
    AskAgain,
    /// Closes the chosen comment.
    CloseComment,
    Close,
    /// The key only scrolls, or has no meaning.
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

/// Keys with the same action: an entry of the table.
pub(crate) struct KeyBinding {
    /// The mode in which the keys have this action; `None` for both.
    mode: Option<DeskMode>,
    /// The keys. A capital letter has no `SHIFT`.
    keys: &'static [(KeyCode, KeyModifiers)],
    pub(crate) action: Action,
    /// The keys as the help shows them.
    pub(crate) shown: &'static str,
    /// The key and its word in the bottom line; `None` if the bottom line leaves the action out.
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

const fn binding(
    keys: &'static [(KeyCode, KeyModifiers)],
    action: Action,
    shown: &'static str,
    help: &'static str,
) -> KeyBinding {
    KeyBinding { mode: None, keys, action, shown, brief: None, help }
}

const fn brief(binding: KeyBinding, key: &'static str, what: &'static str) -> KeyBinding {
    KeyBinding { brief: Some((key, what)), ..binding }
}

const fn in_mode(mode: DeskMode, binding: KeyBinding) -> KeyBinding {
    KeyBinding { mode: Some(mode), ..binding }
}

const fn proposals(binding: KeyBinding) -> KeyBinding {
    in_mode(DeskMode::Proposals, binding)
}

const fn turn(binding: KeyBinding) -> KeyBinding {
    in_mode(DeskMode::Turn, binding)
}

/// The table. The help shows the entries of each group in this order, and the bottom line shows as many of
/// the brief entries as fit. An entry without a text shares the text of the entry before it.
const TABLE: &[KeyBinding] = &[
    proposals(brief(binding(&[key('a')], Action::Accept, "a", "accept the file"), "a", "accept")),
    proposals(brief(binding(&[key('r')], Action::Reject, "r", "reject the proposal"), "r", "reject")),
    proposals(brief(
        binding(&[key(' ')], Action::KeepOrDrop, "space,x,X", "keep/drop it; rest; all"),
        "space",
        "keep/drop",
    )),
    proposals(binding(&[key('x')], Action::KeepOrDropRest, "", "")),
    proposals(binding(&[key('X')], Action::KeepOrDropAll, "", "")),
    turn(brief(
        binding(&[key(' ')], Action::KeepOrDrop, "space,X,E", "mark it; file; rest"),
        "space",
        "mark",
    )),
    turn(brief(binding(&[key('X')], Action::MarkFile, "", ""), "X", "file")),
    turn(binding(&[key('E')], Action::MarkRest, "", "")),
    turn(brief(binding(&[key('c')], Action::Comment, "c, C", "comment; on all of it"), "c", "comment")),
    turn(binding(&[key('C')], Action::CommentAll, "", "")),
    turn(brief(binding(&[key('f')], Action::Finish, "f", "undo, send, after a list"), "f", "finish")),
    brief(
        binding(&[key('j'), named(KeyCode::Down)], Action::NextHunk, "j, k, ↓, ↑", "next, previous change"),
        "j/k",
        "change",
    ),
    binding(&[key('k'), named(KeyCode::Up)], Action::PreviousHunk, "", ""),
    proposals(brief(
        binding(&[named(KeyCode::Tab)], Action::NextReview, "Tab, S-Tab", "next, previous review"),
        "Tab",
        "next",
    )),
    turn(brief(
        binding(&[named(KeyCode::Tab)], Action::NextReview, "Tab, S-Tab", "next, previous file"),
        "Tab",
        "next",
    )),
    binding(&[named(KeyCode::BackTab)], Action::PreviousReview, "", ""),
    turn(brief(binding(&[key('L')], Action::Files, "L", "list all files"), "L", "list")),
    // If the bottom line is short, several reviews need these keys before the keys below.
    proposals(brief(binding(&[key('A')], Action::AcceptAll, "A", "accept all, after a list"), "A", "all")),
    proposals(brief(binding(&[key('R')], Action::Reason, "R", "say why, for the model"), "R", "why")),
    proposals(brief(binding(&[key('e')], Action::Edit, "e", "edit in $VISUAL, $EDITOR"), "e", "edit")),
    proposals(brief(
        binding(&[key('u')], Action::Undo, "u, Ctrl-R", "undo the last edit; redo"),
        "u",
        "undo",
    )),
    turn(brief(binding(&[key('u')], Action::Undo, "u, Ctrl-R", "last step back; again"), "u", "step back")),
    binding(&[ctrl('r')], Action::Redo, "", ""),
    turn(brief(binding(&[key('s')], Action::Split, "s", "split this change"), "s", "split")),
    proposals(brief(binding(&[key('s')], Action::Split, "s, V", "split; by chosen lines"), "s", "split")),
    proposals(binding(&[key('V')], Action::SplitLines, "", "")),
    proposals(binding(&[key('F')], Action::AcceptAhead, "F, L", "accept ahead, list that")),
    proposals(binding(&[key('L')], Action::Accepted, "", "")),
    binding(&[named(KeyCode::PageDown), ctrl('f')], Action::PageDown, "PgDn, PgUp", "scroll by a screen"),
    binding(&[named(KeyCode::PageUp), ctrl('b')], Action::PageUp, "", ""),
    binding(&[ctrl('d')], Action::HalfDown, "Ctrl-D, -U", "scroll by half a screen"),
    binding(&[ctrl('u')], Action::HalfUp, "", ""),
    binding(&[key('g'), named(KeyCode::Home)], Action::Top, "g, G, 7g", "top, end, change 7"),
    binding(&[key('G'), named(KeyCode::End)], Action::Bottom, "", ""),
    binding(&[key('h'), named(KeyCode::Left)], Action::Left, "h, l, 0", "scroll sideways, back"),
    binding(&[key('l'), named(KeyCode::Right)], Action::Right, "", ""),
    binding(&[key('0')], Action::Straight, "", ""),
    binding(&[named(KeyCode::Enter), key('o')], Action::Open, "Enter, o", "open or close a fold"),
    brief(binding(&[key('/')], Action::Search, "/, n, N", "search; next, previous"), "/", "search"),
    binding(&[key('n')], Action::SearchOn, "", ""),
    binding(&[key('N')], Action::SearchBack, "", ""),
    brief(binding(&[key('v')], Action::Layout, "v", "two columns, one, auto"), "v", "layout"),
    binding(&[key('w')], Action::Wrap, "w, }, {", "wrap; more, less context"),
    binding(&[key('}')], Action::MoreContext, "", ""),
    binding(&[key('{')], Action::LessContext, "", ""),
    proposals(binding(&[key('b')], Action::Sidebar, "b, W", "hide or show lists; list")),
    proposals(binding(&[key('W')], Action::Waiting, "", "")),
    turn(binding(&[key('b')], Action::Sidebar, "b", "hide or show the lists")),
    proposals(brief(binding(&[key('T')], Action::Turn, "T", "look at a turn's changes"), "T", "turn")),
    turn(brief(binding(&[key('T')], Action::Turn, "T, Esc", "back to the proposals"), "T", "back")),
    turn(binding(&[key('r')], Action::LookAgain, "r", "look again what changed")),
    binding(&[key('y')], Action::CopyPath, "y", "copy the file's path"),
    brief(binding(&[key('p')], Action::Pause, "p", "pause, resume context"), "p", "pause"),
    brief(binding(&[key('S')], Action::Send, "S", "send the selection"), "S", "send"),
    brief(binding(&[key('i')], Action::SetUpAgents, "i", "set up agents"), "i", "set up agents"),
    binding(&[ctrl('l')], Action::Redraw, "Ctrl-L", "redraw"),
    binding(&[ctrl('z')], Action::Stop, "Ctrl-Z", "suspend; fg resumes"),
    brief(
        binding(&[key('?'), named(KeyCode::F(1))], Action::Help, "?, m", "help, past messages"),
        "?",
        "help",
    ),
    binding(&[key('m')], Action::Messages, "", ""),
    brief(
        binding(&[key('q'), ctrl('c')], Action::Leave, "q, Ctrl-C", "quit (Ctrl-C twice: now)"),
        "q",
        "quit",
    ),
];

/// The entries of the table that apply in a mode.
pub(crate) fn bindings(mode: DeskMode) -> impl Iterator<Item = &'static KeyBinding> {
    TABLE.iter().filter(move |binding| binding.mode.is_none_or(|only| only == mode))
}

/// The action of a key in a mode, if there is one. Keys with Alt have none.
pub(crate) fn action(event: KeyEvent, mode: DeskMode) -> Option<Action> {
    // Some terminals report Shift for a capital letter, and others do not.
    let pressed = (event.code, event.modifiers.difference(KeyModifiers::SHIFT));
    bindings(mode).find(|binding| binding.keys.contains(&pressed)).map(|binding| binding.action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things() {
        for mode in [DeskMode::Proposals, DeskMode::Turn] {
            let keys: Vec<_> = bindings(mode).flat_map(|binding| binding.keys).collect();
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
        for (code, modifiers) in TABLE.iter().flat_map(|binding| binding.keys) {
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
        assert!(bindings(DeskMode::Turn).all(|binding| !decides.contains(&binding.action)));
        for row in bindings(DeskMode::Turn).filter(|row| row.mode == Some(DeskMode::Turn)) {
            let words = [Some(row.help), row.brief.map(|(_, word)| word)];
            for word in words.into_iter().flatten() {
                assert!(!["accept", "reject", "drop"].iter().any(|other| word.contains(other)), "{word}");
            }
        }
    }
}
