//! The words of a hunk that differ, so that the eye finds them in a long line.
//!
//! Only helpful marks are made: none for lines that are only added or removed, none for sides that share
//! hardly anything, and none for more text than anybody compares word by word.

use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use alongside_desk::{Position, Range as TextRange, Words};
use similar::DiffTag;
use similar::algorithms::{Capture, Compact, Replace, myers};

/// The most lines of a side.
const MAX_LINES: usize = 100;
/// The most bytes of a side.
const MAX_BYTES: usize = 16 << 10;
/// The least share of equal text, in percent of the bytes of both sides, without space.
const MIN_SHARED: usize = 40;

/// The marked words of a review's hunks, kept while a hunk has the same lines: a decision on one of four
/// hundred hunks compares at most one again. Line numbers are relative to the hunk.
#[derive(Debug, Default)]
pub(super) struct WordMarks(HashMap<HunkSides, Option<Words>>);

/// The two sides of a hunk that are compared: a key of the marks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct HunkSides {
    original: Range<usize>,
    other: OtherSide,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum OtherSide {
    /// Lines of the proposed text, which never changes.
    Proposed(Range<usize>),
    /// The person's edit, which may move and change.
    Edited(String),
}

impl HunkSides {
    /// `None` if marks would not help. `edited` is the current text of an edited hunk.
    pub(super) fn new(
        original: (Range<usize>, &str),
        proposed: (Range<usize>, &str),
        edited: Option<&str>,
    ) -> Option<Self> {
        let other = edited.unwrap_or(proposed.1);
        let few = |text: &str| {
            !text.is_empty() && text.len() <= MAX_BYTES && text.matches('\n').count() <= MAX_LINES
        };
        (few(original.1) && few(other)).then(|| Self {
            original: original.0,
            other: edited
                .map_or(OtherSide::Proposed(proposed.0), |edited| OtherSide::Edited(edited.to_owned())),
        })
    }
}

impl WordMarks {
    /// Makes marks for these hunks, each with its two texts, and drops all others. Hunks that are left after
    /// `within` have no marks until the next change.
    pub(super) fn refresh<'a>(
        &mut self,
        within: Duration,
        hunks: impl Iterator<Item = (HunkSides, &'a str, &'a str)>,
    ) {
        let mut known = std::mem::take(&mut self.0);
        let deadline = Instant::now() + within;
        for (sides, original, other) in hunks {
            let words = match known.remove(&sides) {
                Some(words) => words,
                None if Instant::now() < deadline => differing_words(original, other, deadline),
                None => continue,
            };
            self.0.insert(sides, words);
        }
    }

    /// The words of a hunk whose lines begin at `original` and, on the other side, at `other`.
    pub(super) fn words(&self, sides: &HunkSides, original: usize, other: usize) -> Option<Words> {
        let mut words = self.0.get(sides)?.clone()?;
        for (ranges, first) in [(&mut words.removed, original), (&mut words.added, other)] {
            for range in ranges {
                range.start.line = range.start.line.saturating_add(to_u32(first));
                range.end.line = range.end.line.saturating_add(to_u32(first));
            }
        }
        Some(words)
    }
}

/// A part of a line that is compared as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Token<'a> {
    Word(&'a str),
    Space(&'a str),
    End,
}

/// The words that differ, with lines counted from 0 on both sides; coarser at the deadline.
pub(crate) fn differing_words(original: &str, other: &str, deadline: Instant) -> Option<Words> {
    let (old, new) = (tokens(original), tokens(other));
    let ends = (0..old.len(), 0..new.len());
    // Not `capture_diff_slices`, which links every algorithm into the program.
    let mut ops = Compact::new(Replace::new(Capture::new()), &old[..], &new[..]);
    let Ok(()) = myers::diff_deadline(&mut ops, &old[..], ends.0, &new[..], ends.1, Some(deadline));
    let ops = ops.into_inner().into_inner().into_ops();
    let words = |tokens: &[Token<'_>]| tokens.iter().map(Token::weight).sum::<usize>();
    let same = |at: usize| ops.get(at).is_none_or(|op| op.tag() == DiffTag::Equal);
    let (mut shared, mut old_marks, mut new_marks) = (0, vec![false; old.len()], vec![false; new.len()]);
    for (at, op) in ops.iter().enumerate() {
        if same(at) {
            let equal = &old[op.old_range()];
            shared += words(equal);
            let between = at > 0 && !same(at - 1) && !same(at + 1);
            if !between || !equal.iter().all(|token| matches!(token, Token::Space(_))) {
                continue;
            }
        }
        // Changes, and the spaces between two changed words.
        old_marks[op.old_range()].fill(true);
        new_marks[op.new_range()].fill(true);
    }
    let words = (shared * 200 >= MIN_SHARED * (words(&old) + words(&new)) && shared > 0)
        .then(|| Words { removed: marked(&old, &old_marks), added: marked(&new, &new_marks) })?;
    (!words.removed.is_empty() || !words.added.is_empty()).then_some(words)
}

/// Splits a text into names and numbers, single signs, spaces, and line ends.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches('\n').trim_end_matches('\r');
        let mut start = 0;
        let mut chars = content.chars().peekable();
        while let Some(c) = chars.next() {
            let mut end = start + c.len_utf8();
            let kind = CharKind::of(c);
            while let Some(next) = chars.next_if(|next| kind != CharKind::Sign && CharKind::of(*next) == kind)
            {
                end += next.len_utf8();
            }
            let token = &content[start..end];
            tokens.push(if kind == CharKind::Space { Token::Space(token) } else { Token::Word(token) });
            start = end;
        }
        if content.len() < line.len() {
            tokens.push(Token::End);
        }
    }
    tokens
}

impl Token<'_> {
    /// The bytes that count as shared text.
    fn weight(&self) -> usize {
        if let Token::Word(text) = self { text.len() } else { 0 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharKind {
    Name,
    Space,
    Sign,
}

impl CharKind {
    fn of(c: char) -> Self {
        match c {
            // Han and kana are written without spaces: each character is a word.
            '\u{2E80}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' => Self::Sign,
            _ if c.is_whitespace() => Self::Space,
            // Beyond ASCII, marks and joiners must stay with their letter.
            _ if c.is_alphanumeric() || c == '_' || !c.is_ascii() => Self::Name,
            _ => Self::Sign,
        }
    }
}

/// The ranges of marked tokens, each within a line.
fn marked(tokens: &[Token<'_>], marks: &[bool]) -> Vec<TextRange> {
    let mut found: Vec<TextRange> = Vec::new();
    let mut at = Position::default();
    for (token, &marked) in tokens.iter().zip(marks) {
        let (Token::Word(text) | Token::Space(text)) = token else {
            at = Position { line: at.line.saturating_add(1), character: 0 };
            continue;
        };
        let start = at;
        at.character = at.character.saturating_add(to_u32(text.encode_utf16().count()));
        match found.last_mut() {
            _ if !marked => {}
            Some(last) if last.end == start => last.end = at,
            _ => found.push(TextRange { start, end: at }),
        }
    }
    found
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
