//! Every key in one table: what it does, and what the bottom line and the help say of it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What a key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
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
    Open,
    KeepOrDrop,
    Split,
    Edit,
    Undo,
    Accept,
    Reject,
    NextReview,
    PreviousReview,
    Search,
    SearchOn,
    SearchBack,
    Layout,
    CopyPath,
    Pause,
    Help,
    Redraw,
    Stop,
    Leave,
}

impl Act {
    /// Whether it changes or decides a review, so that it must not hit another one than the person saw.
    pub(crate) fn touches(self) -> bool {
        matches!(self, Self::KeepOrDrop | Self::Split | Self::Edit | Self::Undo | Self::Accept | Self::Reject)
    }
}

/// A row of the table.
pub(crate) struct Row {
    /// The keys; capital letters are written as such.
    keys: &'static [(KeyCode, KeyModifiers)],
    /// What it does.
    pub(crate) act: Act,
    /// The keys as people read them.
    pub(crate) shown: &'static str,
    /// What the bottom line says, if it stands there, and with which key.
    pub(crate) brief: Option<(&'static str, &'static str)>,
    /// What the help says.
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
    act: Act,
    shown: &'static str,
    help: &'static str,
) -> Row {
    Row { keys, act, shown, brief: None, help }
}

const fn brief(row: Row, key: &'static str, what: &'static str) -> Row {
    Row { brief: Some((key, what)), ..row }
}

/// The table, in the order of the help. The bottom line shows as many of the brief ones as fit.
pub(crate) const TABLE: &[Row] = &[
    brief(
        row(&[key('a')], Act::Accept, "a", "accept the file as it stands now: the agent writes it"),
        "a",
        "accept",
    ),
    brief(row(&[key('r')], Act::Reject, "r", "reject the whole proposal"), "r", "reject"),
    brief(row(&[key(' ')], Act::KeepOrDrop, "space", "keep or drop this change"), "space", "keep/drop"),
    brief(
        row(&[key('j'), named(KeyCode::Down)], Act::NextHunk, "j, ↓", "next change, or more of this one"),
        "j/k",
        "change",
    ),
    row(&[key('k'), named(KeyCode::Up)], Act::PreviousHunk, "k, ↑", "previous change"),
    brief(row(&[key('e')], Act::Edit, "e", "edit the whole text in $VISUAL or $EDITOR, here"), "e", "edit"),
    brief(row(&[key('u')], Act::Undo, "u", "undo the last edit, whoever made it"), "u", "undo"),
    brief(row(&[key('s')], Act::Split, "s", "split this change into smaller ones"), "s", "split"),
    brief(row(&[named(KeyCode::Tab)], Act::NextReview, "Tab", "next review"), "Tab", "review"),
    row(&[named(KeyCode::BackTab)], Act::PreviousReview, "Shift-Tab", "previous review"),
    row(
        &[named(KeyCode::PageDown), ctrl('f')],
        Act::PageDown,
        "PgDn",
        "a screen down (also the wheel, by lines)",
    ),
    row(&[named(KeyCode::PageUp), ctrl('b')], Act::PageUp, "PgUp", "a screen up"),
    row(&[ctrl('d')], Act::HalfDown, "Ctrl-D", "half a screen down"),
    row(&[ctrl('u')], Act::HalfUp, "Ctrl-U", "half a screen up"),
    row(&[key('g'), named(KeyCode::Home)], Act::Top, "g, Home", "to the beginning"),
    row(&[key('G'), named(KeyCode::End)], Act::Bottom, "G, End", "to the end"),
    row(&[key('h'), named(KeyCode::Left)], Act::Left, "h, ←", "long lines: to the left"),
    row(&[key('l'), named(KeyCode::Right)], Act::Right, "l, →", "long lines: to the right"),
    row(
        &[named(KeyCode::Enter), key('o')],
        Act::Open,
        "Enter, o",
        "open or close a fold of unchanged lines (also a click)",
    ),
    brief(row(&[key('/')], Act::Search, "/", "search; Esc ends it"), "/", "search"),
    row(&[key('n')], Act::SearchOn, "n", "next place that was searched for"),
    row(&[key('N')], Act::SearchBack, "N", "previous place that was searched for"),
    brief(row(&[key('v')], Act::Layout, "v", "side by side, or one column"), "v", "layout"),
    row(&[key('y')], Act::CopyPath, "y", "copy the file's path"),
    brief(row(&[key('p')], Act::Pause, "p", "pause or resume telling agents about your files"), "p", "pause"),
    row(&[ctrl('l')], Act::Redraw, "Ctrl-L", "draw the screen anew"),
    row(&[ctrl('z')], Act::Stop, "Ctrl-Z", "stop; fg comes back"),
    brief(row(&[key('?'), named(KeyCode::F(1))], Act::Help, "?", "this help"), "?", "help"),
    brief(
        row(&[key('q'), ctrl('c')], Act::Leave, "q, Ctrl-C", "leave; Ctrl-C twice leaves without a question"),
        "q",
        "leave",
    ),
];

/// What a key means, if anything. Keys with Alt mean nothing.
pub(crate) fn act(event: KeyEvent) -> Option<Act> {
    // Terminals differ in whether a capital letter comes with Shift.
    let pressed = (event.code, event.modifiers.difference(KeyModifiers::SHIFT));
    TABLE.iter().find(|row| row.keys.contains(&pressed)).map(|row| row.act)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things() {
        let keys: Vec<_> = TABLE.iter().flat_map(|row| row.keys).collect();
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[index + 1..].contains(key), "{key:?}");
        }
    }

    #[test]
    fn every_letter_stands_in_the_readme() {
        let readme = include_str!("../../../README.md");
        let (_, keys) = readme.split_once("## Keys of the terminal desk").unwrap();
        let (keys, _) = keys.split_once("\n## ").unwrap();
        for (code, modifiers) in TABLE.iter().flat_map(|row| row.keys) {
            if let (KeyCode::Char(c), &NONE) = (code, modifiers) {
                let shown = if *c == ' ' { "`space`".into() } else { format!("`{c}`") };
                assert!(keys.contains(&shown), "{shown}");
            }
        }
    }

    #[test]
    fn a_capital_letter_may_come_with_shift_and_alt_changes_the_meaning() {
        let press = |c, modifiers| act(KeyEvent::new(KeyCode::Char(c), modifiers));
        assert_eq!(press('G', KeyModifiers::SHIFT), Some(Act::Bottom));
        assert_eq!(press('G', NONE), Some(Act::Bottom));
        assert_eq!(press('a', KeyModifiers::ALT), None);
        assert_eq!(press('c', CTRL), Some(Act::Leave));
    }
}
