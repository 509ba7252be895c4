//! Finds lines that differ and look the same, and describes the differences that a person cannot see.
//!
//! After a change of tabs to spaces, of a letter to one of another script, or of a space at the end of a
//! line, the two lines look equal. Every desk says why they differ, with these descriptions. A visible
//! difference, such as another word or a deeper indentation, needs no description. A new invisible or
//! reordering character is described in any line: desks show its number, which few people know.

pub mod hidden_parts;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use icu_normalizer::ComposingNormalizerBorrowed;

use crate::harmless;
use crate::review::{Hunk, HunkState, Review};
use crate::text::{Text, without_ending};

/// The most bytes of a side of a hunk that is searched.
const MAX_BYTES: usize = 256 << 10;

/// The most kinds of differences that one sentence names.
const MAX_KINDS: usize = 4;

/// For an ASCII character, those that look like it, and their script, if the script has a name.
const LETTERS: [(&str, &str, &str); 4] = [
    ("Cyrillic ", "аеорсухіјѕһԁԛԝӏАВЕКМНОРСТУХІЈЅ", "aeopcyxijshdqwlABEKMHOPCTYXIJS"),
    ("Greek ", "ονρΑΒΕΖΗΙΚΜΝΟΡΤΥΧ\u{37e}", "ovpABEZHIKMNOPTYX;"),
    ("Armenian ", "օսհ", "ouh"),
    ("", "ıɡɑ‐‑‒–−﹣‘’ʼ′“”․‚∶ː꞉∕⁄∗ǃ∣ǀˆ‹›", "iga------''''\"\".,::://*!||^<>"),
];

/// Characters that are invisible and reorder others.
const REORDERING: [(char, &str); 12] = [
    ('\u{61c}', "Arabic letter mark"),
    ('\u{200e}', "left-to-right mark"),
    ('\u{200f}', "right-to-left mark"),
    ('\u{202a}', "left-to-right embedding"),
    ('\u{202b}', "right-to-left embedding"),
    ('\u{202c}', "end of a direction"),
    ('\u{202d}', "left-to-right override"),
    ('\u{202e}', "right-to-left override"),
    ('\u{2066}', "left-to-right isolate"),
    ('\u{2067}', "right-to-left isolate"),
    ('\u{2068}', "first strong isolate"),
    ('\u{2069}', "end of an isolate"),
];

/// The description of an invisible difference.
type Kind = Cow<'static, str>;

/// Invisible differences, with the number of lines that have each.
#[derive(Debug, Default)]
pub struct Unseen(Vec<(Kind, usize)>);

/// A new line of a hunk with invisible differences.
struct HardLine {
    /// The number of the line, counted from 0.
    new: usize,
    /// The number of the old line that looks the same, if there is one.
    old: Option<usize>,
    kinds: Vec<Kind>,
}

/// Returns why lines of these two texts, the two sides of a hunk, differ though they look the same; `None` if
/// there are no such lines.
pub fn hard_to_see(old: &str, new: &str) -> Option<String> {
    let mut unseen = Unseen::default();
    unseen.add_lines(old, new);
    unseen.sentence()
}

/// Returns why lines of a review differ though they look the same, in a sentence about all its hunks.
pub fn hard_to_see_in(review: &Review) -> Option<String> {
    let (texts, mut unseen) = (review.texts(), Unseen::default());
    for hunk in &review.hunks {
        let (old, new) = sides(hunk, texts.each_ref());
        unseen.add_lines(old, new);
    }
    unseen.sentence()
}

/// Returns the lines of the current text that look the same as those that they replace, counted from 0, each
/// with its differences: `a tab in place of blanks`.
pub fn lines_hard_to_see(review: &Review) -> Vec<(usize, String)> {
    let (texts, mut lines) = (review.texts(), Vec::new());
    for hunk in review.hunks.iter().filter(|hunk| hunk.state != HunkState::Dropped) {
        let (old, new) = sides(hunk, texts.each_ref());
        let found = differing_lines(old, new).into_iter();
        lines.extend(found.map(|line| (hunk.current.start + line.new, line.kinds.join(", "))));
    }
    lines
}

/// Returns the number of these hunks of a review with lines that differ though they look the same.
pub fn count_hard_to_see<'a>(review: &Review, hunks: impl Iterator<Item = &'a Hunk>) -> usize {
    let texts = review.texts();
    let is_hard = |hunk: &&Hunk| {
        let (old, new) = sides(hunk, texts.each_ref());
        hard_to_see(old, new).is_some()
    };
    hunks.filter(is_hard).count()
}

/// Whether a hunk that would be accepted has lines that differ though they look the same.
pub fn is_hard_to_see(review: &Review) -> bool {
    !lines_hard_to_see(review).is_empty()
}

/// Returns the lines of a hunk in the original, and the lines that replace them: the proposed ones, or the
/// person's.
pub fn sides<'a>(hunk: &Hunk, [original, proposed, current]: [&'a Text; 3]) -> (&'a str, &'a str) {
    let (text, lines) = match hunk.state {
        HunkState::Kept | HunkState::Dropped => (proposed, hunk.proposed),
        HunkState::Edited => (current, hunk.current),
    };
    (original.lines(hunk.original.start..hunk.original.end), text.lines(lines.start..lines.end))
}

impl Unseen {
    fn add_lines(&mut self, old: &str, new: &str) {
        for kind in differing_lines(old, new).into_iter().flat_map(|line| line.kinds) {
            self.add_kind(kind, 1);
        }
    }

    fn add_kind(&mut self, kind: Kind, more: usize) {
        match self.0.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, lines)) => *lines += more,
            None => self.0.push((kind, more)),
        }
    }

    /// Adds the differences of another hunk.
    pub fn add(&mut self, other: &Self) {
        for (kind, lines) in &other.0 {
            self.add_kind(kind.clone(), *lines);
        }
    }

    /// Returns all differences in a sentence: `Hard to see: a tab in place of blanks (2 lines).`
    pub fn sentence(&self) -> Option<String> {
        let named = |(kind, lines): &(Kind, usize)| match lines {
            1 => kind.clone().into_owned(),
            lines => format!("{kind} ({lines} lines)"),
        };
        let mut named: Vec<_> = self.0.iter().take(MAX_KINDS).map(named).collect();
        if self.0.len() > MAX_KINDS {
            named.push("and more".into());
        }
        (!named.is_empty()).then(|| format!("Hard to see: {}.", named.join(", ")))
    }
}

/// Returns the new lines with invisible differences: lines that look the same as an old line, at any place,
/// and lines with an added invisible character.
fn differing_lines(old: &str, new: &str) -> Vec<HardLine> {
    if new.is_empty() || old.len().max(new.len()) > MAX_BYTES {
        return Vec::new();
    }
    let added = added_unseen(old, new);
    let mut olds: HashMap<String, Vec<(usize, &str)>> = HashMap::new();
    for (number, line) in old.split_inclusive('\n').enumerate() {
        olds.entry(shape(line)).or_default().push((number, line));
    }
    let mut found = Vec::new();
    for (number, line) in new.split_inclusive('\n').enumerate() {
        let alike = olds.get_mut(&shape(line)).filter(|alike| !alike.is_empty());
        let same = alike.map(|alike| {
            let at = alike.iter().position(|(_, old)| *old == line).unwrap_or(0);
            alike.remove(at)
        });
        let compared = same.and_then(|(number, old)| Some((number, differences(old, line)?)));
        let (old, mut kinds) = match compared {
            Some((number, kinds)) => (Some(number), kinds),
            None => (None, Vec::new()),
        };
        // Almost always, nothing was added, which is the cheaper question.
        let unseen_here = line.char_indices().filter(|(_, c)| added.contains(c));
        for (_, c) in unseen_here.filter(|(at, _)| harmless::is_harmful_at(line, *at)) {
            let kind = unseen(c);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        if !kinds.is_empty() {
            found.push(HardLine { new: number, old, kinds });
        }
    }
    found
}

/// Returns the visible form of a line without its whitespace: equal for lines that may look the same.
fn shape(line: &str) -> String {
    // Most lines are ASCII. It has one form, and its invisible characters are blanks and control characters.
    if line.is_ascii() {
        let mut seen = String::with_capacity(line.len());
        seen.extend(line.chars().filter(char::is_ascii_graphic));
        return seen;
    }
    let seen = line.chars().filter(|c| !c.is_whitespace() && !harmless::is_harmful(*c)).map(folded);
    ComposingNormalizerBorrowed::new_nfc().normalize(&seen.collect::<String>()).into_owned()
}

/// Returns the invisible characters of which the new lines have more than the old ones.
fn added_unseen(old: &str, new: &str) -> HashSet<char> {
    // Only the control characters of ASCII are harmful, and desks show them.
    if new.is_ascii() {
        return HashSet::new();
    }
    // At the beginning of a text, it may be a byte-order mark, which desks show.
    let new = new.strip_prefix('\u{feff}').unwrap_or(new);
    // Desks show control characters.
    let unseen = |text| harmless::harmful(text).map(|(_, c)| c).filter(|c| !c.is_control());
    let mut more: HashMap<char, isize> = HashMap::new();
    for c in unseen(new) {
        *more.entry(c).or_default() += 1;
    }
    for c in unseen(old) {
        *more.entry(c).or_default() -= 1;
    }
    more.into_iter().filter(|(_, more)| *more > 0).map(|(c, _)| c).collect()
}

/// Returns the kinds of differences of two lines that look the same; `None` if a difference is visible.
fn differences(old: &str, new: &str) -> Option<Vec<Kind>> {
    let nfc = ComposingNormalizerBorrowed::new_nfc();
    let mut kinds = Vec::new();
    let [(old, old_end), (new, new_end)] = [old, new].map(without_end);
    match (old_end, new_end) {
        ("\n", "\r\n") => kinds.push("line ends CRLF in place of LF".into()),
        ("\r\n", "\n") => kinds.push("line ends LF in place of CRLF".into()),
        _ => {}
    }
    let (composed_old, composed_new) = (nfc.normalize(old), nfc.normalize(new));
    let (mut old_rest, mut new_rest) = (&*composed_old, &*composed_new);
    while !old_rest.is_empty() || !new_rest.is_empty() {
        let (blanks, other_blanks) = (take_blanks(&mut old_rest), take_blanks(&mut new_rest));
        if blanks != other_blanks {
            let is_end = old_rest.is_empty() && new_rest.is_empty();
            let is_line = composed_old.trim().is_empty() && composed_new.trim().is_empty();
            kinds.push(blank_kind(blanks, other_blanks, is_end, is_line)?);
            continue;
        }
        if old_rest.chars().next() == new_rest.chars().next() {
            let len = old_rest.chars().next().map_or(0, char::len_utf8);
            (old_rest, new_rest) = (&old_rest[len..], &new_rest[len..]);
            continue;
        }
        match (take_char(&mut old_rest, &mut kinds), take_char(&mut new_rest, &mut kinds)) {
            (Some(old), Some(new)) if old == new => {}
            (Some(old), Some(new)) if folded(old) == folded(new) => {
                kinds.push(format!("{} in place of {}", letter(new), letter(old)).into());
            }
            (None, None) => {}
            _ => return None,
        }
    }
    if kinds.is_empty() && old != new {
        let is_composed = new.chars().count() < old.chars().count();
        kinds.push(match is_composed {
            true => "accents composed with their letters".into(),
            false => "accents in characters of their own".into(),
        });
    }
    kinds.sort();
    kinds.dedup();
    (!kinds.is_empty()).then_some(kinds)
}

/// Returns a line and its line ending.
fn without_end(line: &str) -> (&str, &str) {
    line.split_at(without_ending(line).len())
}

fn take_blanks<'a>(rest: &mut &'a str) -> &'a str {
    let after = rest.trim_start_matches(char::is_whitespace);
    let (blanks, after) = rest.split_at(rest.len() - after.len());
    *rest = after;
    blanks
}

/// Takes the next visible character, and records those before it.
fn take_char(rest: &mut &str, kinds: &mut Vec<Kind>) -> Option<char> {
    let mut chars = rest.chars();
    let mut next = chars.next();
    while let Some(unseen) = next.filter(|c| harmless::is_harmful(*c)) {
        kinds.push(self::unseen(unseen));
        next = chars.next();
    }
    *rest = chars.as_str();
    next
}

/// Returns how whitespace differs from the whitespace in its place, if that is invisible. `is_end`: it ends
/// the line; `is_line`: the line has nothing else.
fn blank_kind(old: &str, new: &str, is_end: bool, is_line: bool) -> Option<Kind> {
    let (has_tab, is_plain) = (|text: &str| text.contains('\t'), |text: &str| text.chars().all(|c| c == ' '));
    if let Some(special) = new.chars().find(|c| !matches!(c, ' ' | '\t') && !old.contains(*c)) {
        return Some(format!("{} in place of a blank", space(special)).into());
    }
    if let Some(special) = old.chars().find(|c| !matches!(c, ' ' | '\t') && !new.contains(*c)) {
        return Some(format!("a blank in place of {}", space(special)).into());
    }
    let more = new.len() > old.len();
    Some(match (is_line, is_end) {
        (true, _) if old.is_empty() => "blanks on an empty line".into(),
        (true, _) if new.is_empty() => "no blanks on an empty line any more".into(),
        (_, true) if old.is_empty() || is_plain(old) && is_plain(new) && more => {
            "blanks at the end of the line".into()
        }
        (_, true) if new.is_empty() || is_plain(old) && is_plain(new) => {
            "fewer blanks at the end of the line".into()
        }
        _ if old.is_empty() || new.is_empty() => return None,
        _ if has_tab(new) && !has_tab(old) => "a tab in place of blanks".into(),
        _ if has_tab(old) && !has_tab(new) => "blanks in place of a tab".into(),
        _ if has_tab(old) => "tabs and blanks mixed otherwise".into(),
        // A deeper indentation and a wider gap are visible.
        _ => return None,
    })
}

/// Describes an invisible character by its effect.
fn unseen(c: char) -> Kind {
    let name = REORDERING.iter().find(|(turning, _)| *turning == c).map_or("invisible", |(_, name)| name);
    format!("{name} {}", number(c)).into()
}

/// Names an unusual space character.
fn space(c: char) -> String {
    match c {
        '\u{a0}' => format!("a no-break space ({})", number(c)),
        '\u{3000}' => format!("a wide space ({})", number(c)),
        c => format!("a space {}", number(c)),
    }
}

/// Returns the ASCII character that a character looks like, or itself.
fn folded(c: char) -> char {
    if c.is_ascii() {
        return c;
    }
    let twin = LETTERS.iter().find_map(|(_, from, to)| {
        let at = from.chars().position(|letter| letter == c)?;
        to.chars().nth(at)
    });
    twin.unwrap_or(c)
}

/// Describes a character by its difference from those that look like it.
fn letter(c: char) -> String {
    if c.is_ascii() {
        return c.to_string();
    }
    let script = LETTERS.iter().find(|(_, from, _)| from.contains(c)).map_or("", |(script, ..)| script);
    format!("{script}{c} ({})", number(c))
}

fn number(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn said(old: &str, new: &str) -> Option<String> {
        let said = hard_to_see(old, new)?;
        said.strip_prefix("Hard to see: ").and_then(|said| said.strip_suffix('.')).map(str::to_owned)
    }

    #[test]
    fn every_letter_has_its_twin() {
        for (_, from, to) in LETTERS {
            assert_eq!(from.chars().count(), to.chars().count(), "{from} {to}");
            assert!(from.chars().all(|c| !c.is_ascii()) && to.is_ascii());
        }
    }

    #[test]
    fn differences_that_one_cannot_see_are_said() {
        let is = |old: &str, new: &str, words: &str| assert_eq!(said(old, new).as_deref(), Some(words));
        is("    a\n", "\ta\n", "a tab in place of blanks");
        is("\ta\n", "    a\n", "blanks in place of a tab");
        is("\t  a\n", "  \ta\n", "tabs and blanks mixed otherwise");
        is("a\n", "a  \n", "blanks at the end of the line");
        is("a \t\n", "a\n", "fewer blanks at the end of the line");
        is("\n", "  \n", "blanks on an empty line");
        is("\t\n", "\n", "no blanks on an empty line any more");
        is("cat\n", "сat\n", "Cyrillic с (U+0441) in place of c");
        is("a-b\n", "a‐b\n", "‐ (U+2010) in place of -");
        is("a b\n", "a\u{a0}b\n", "a no-break space (U+00A0) in place of a blank");
        is("a\u{2009}b\n", "a b\n", "a blank in place of a space U+2009");
        is("é\n", "e\u{301}\n", "accents in characters of their own");
        is("e\u{301}\n", "é\n", "accents composed with their letters");
        is("a\r\nb\r\n", "a\nb\n", "line ends LF in place of CRLF (2 lines)");
        is("ab\n", "a\u{200b}b\n", "invisible U+200B");
        is("a\u{2066}b\n", "ab\n", "left-to-right isolate U+2066");
        is("ok\n", "ok\u{200b}  # \u{202e}} x\n", "invisible U+200B, right-to-left override U+202E");
        is("", "a\u{200b}\u{200b}\nb\u{200b}\n", "invisible U+200B (2 lines)");
        is("x\u{200b}\n", "y\u{200b}\u{200b}\n", "invisible U+200B");
        is("pass\n", "pa\u{200d}ss now\n", "invisible U+200D");
        is("x = 1\n    y\n", "x = 1 \n\ty\n", "blanks at the end of the line, a tab in place of blanks");
    }

    #[test]
    fn lines_are_found_wherever_they_stand() {
        let old = "first\n    one\n    two\n";
        let new = "new\n\tone\nnew\n\ttwo\n";
        assert_eq!(said(old, new).as_deref(), Some("a tab in place of blanks (2 lines)"));
    }

    #[test]
    fn differences_that_one_sees_need_no_words() {
        for (old, new) in [
            ("a\n", "b\n"),
            ("  a\n", "    a\n"),
            ("a b\n", "ab\n"),
            ("a  b\n", "a b\n"),
            ("a\n", "a\n"),
            ("", " a\n"),
            ("\n", "\n"),
            ("a", "a\n"),
            ("漢字\n", "漢 字\n"),
            ("a\u{200b}\n", "b\u{200b}\n"),
            ("a\n", "❤\u{fe0f} 👩\u{200d}👧 به\u{200c}ها\n"),
            ("a\n", "\u{feff}b\n"),
        ] {
            assert_eq!(said(old, new), None, "{old:?} {new:?}");
        }
    }

    #[test]
    fn a_change_that_was_dropped_or_edited_is_compared_with_its_own_text() {
        let text = |text: &str| text.into();
        let line = |line: usize| (line..line + 1).into();
        let hunk =
            |state| Hunk { original: line(0), proposed: line(0), current: line(0), state, ..Hunk::default() };
        let review = |state, current| Review {
            original: Some(text("    a\n")),
            proposed: text("\ta\n"),
            current: text(current),
            hunks: vec![hunk(state)],
            ..Review::default()
        };
        let tab = Some("Hard to see: a tab in place of blanks.".to_owned());
        assert_eq!(hard_to_see_in(&review(HunkState::Kept, "\ta\n")), tab);
        assert_eq!(hard_to_see_in(&review(HunkState::Dropped, "    a\n")), tab);
        assert_eq!(hard_to_see_in(&review(HunkState::Edited, "mine\n")), None);
        let count = |review: Review| count_hard_to_see(&review, review.hunks.iter());
        assert_eq!(count(review(HunkState::Kept, "\ta\n")), 1);
        assert_eq!(count(review(HunkState::Edited, "mine\n")), 0);
        assert!(is_hard_to_see(&review(HunkState::Kept, "\ta\n")));
        assert!(!is_hard_to_see(&review(HunkState::Dropped, "    a\n")), "it is not written");
    }

    #[test]
    fn each_line_has_the_words_that_are_about_it() {
        let hunk = |start: usize, length: usize, state| {
            let lines = (start..start + length).into();
            Hunk { original: lines, proposed: lines, current: lines, state, ..Hunk::default() }
        };
        let proposed: Arc<str> = "\ta\none\nc\u{430}t  \nseen\n\tb\n".into();
        let review = Review {
            original: Some("    a\none\ncat\nold\n    b\n".into()),
            current: proposed.clone(),
            proposed,
            hunks: vec![hunk(0, 1, HunkState::Dropped), hunk(2, 3, HunkState::Kept)],
            ..Review::default()
        };
        let letter = "Cyrillic \u{430} (U+0430) in place of a, blanks at the end of the line";
        let tab = "a tab in place of blanks";
        assert_eq!(lines_hard_to_see(&review), [(2, letter.to_owned()), (4, tab.to_owned())]);
    }
}
