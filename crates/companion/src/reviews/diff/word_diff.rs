//! Which words of a hunk differ, so that the eye finds the one that matters in a long line.
//!
//! Only marks that say something are made: not for lines that are only added or removed, not for those that
//! share hardly anything, and not for more text than anybody compares word by word.

use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use alongside_desk::{Position, Range as Stretch, Words};
use similar::DiffTag;
use similar::algorithms::{Capture, Compact, Replace, myers};

/// How long one change of a review may look for words, over all its hunks. Those it does not come to have no
/// marks until the next change.
const BUDGET: Duration = Duration::from_millis(50);
/// The most lines of a side.
const MAX_LINES: usize = 100;
/// The most bytes of a side.
const MAX_BYTES: usize = 16 << 10;
/// The least that both sides must share of what is not space, in percent of the bytes of both.
const LEAST_SHARED: usize = 40;

/// The words of a review's hunks, kept for as long as a hunk has the same lines: deciding one of four hundred
/// compares one again at most. Lines are counted from the hunk's first.
#[derive(Debug, Default)]
pub(super) struct Marks(HashMap<Sides, Option<Words>>);

/// Names the lines of a hunk that are compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Sides {
    original: Range<usize>,
    beside: Beside,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Beside {
    /// Lines of the proposed text, which never changes.
    Proposed(Range<usize>),
    /// What the person wrote: it may move, and be written over.
    Written(String),
}

impl Sides {
    /// `None` where marks would say nothing. `written` is the current text of an edited hunk.
    pub(super) fn new(
        original: (Range<usize>, &str),
        proposed: (Range<usize>, &str),
        written: Option<&str>,
    ) -> Option<Self> {
        let beside = written.unwrap_or(proposed.1);
        let few = |text: &str| {
            !text.is_empty() && text.len() <= MAX_BYTES && text.matches('\n').count() <= MAX_LINES
        };
        (few(original.1) && few(beside)).then(|| Self {
            original: original.0,
            beside: written
                .map_or(Beside::Proposed(proposed.0), |written| Beside::Written(written.to_owned())),
        })
    }
}

impl Marks {
    /// Makes marks for these hunks, and forgets all others. Each is given with its two texts.
    pub(super) fn refresh<'a>(&mut self, hunks: impl Iterator<Item = (Sides, &'a str, &'a str)>) {
        let mut known = std::mem::take(&mut self.0);
        let deadline = Instant::now() + BUDGET;
        for (sides, original, beside) in hunks {
            let words = match known.remove(&sides) {
                Some(words) => words,
                None if Instant::now() < deadline => differing(original, beside, deadline),
                None => continue,
            };
            self.0.insert(sides, words);
        }
    }

    /// The words of a hunk whose lines begin at these in the original and in the text beside it.
    pub(super) fn of(&self, sides: &Sides, original: usize, beside: usize) -> Option<Words> {
        let mut words = self.0.get(sides)?.clone()?;
        for (ranges, first) in [(&mut words.removed, original), (&mut words.added, beside)] {
            for range in ranges {
                range.start.line = range.start.line.saturating_add(number(first));
                range.end.line = range.end.line.saturating_add(number(first));
            }
        }
        Some(words)
    }
}

/// A stretch of a line that is compared as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Token<'a> {
    Word(&'a str),
    Space(&'a str),
    End,
}

/// Which words differ; lines are counted from 0 on both sides. A comparison that comes to its deadline is
/// coarser.
pub(crate) fn differing(original: &str, beside: &str, deadline: Instant) -> Option<Words> {
    let (old, new) = (tokens(original), tokens(beside));
    let ends = (0..old.len(), 0..new.len());
    // Not by `capture_diff_slices`, as where lines are compared.
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
        // What changed, and the spaces between two changed words.
        old_marks[op.old_range()].fill(true);
        new_marks[op.new_range()].fill(true);
    }
    let words = (shared * 200 >= LEAST_SHARED * (words(&old) + words(&new)) && shared > 0)
        .then(|| Words { removed: marked(&old, &old_marks), added: marked(&new, &new_marks) })?;
    (!words.removed.is_empty() || !words.added.is_empty()).then_some(words)
}

/// Splits a text: names and numbers, single signs, spaces, line ends.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches('\n').trim_end_matches('\r');
        let mut start = 0;
        let mut chars = content.chars().peekable();
        while let Some(c) = chars.next() {
            let mut end = start + c.len_utf8();
            let kind = Kind::of(c);
            while let Some(next) = chars.next_if(|next| kind != Kind::Sign && Kind::of(*next) == kind) {
                end += next.len_utf8();
            }
            let token = &content[start..end];
            tokens.push(if kind == Kind::Space { Token::Space(token) } else { Token::Word(token) });
            start = end;
        }
        if content.len() < line.len() {
            tokens.push(Token::End);
        }
    }
    tokens
}

impl Token<'_> {
    /// How much of what people read it is, in bytes.
    fn weight(&self) -> usize {
        if let Token::Word(text) = self { text.len() } else { 0 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Name,
    Space,
    Sign,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            // Han and kana are written without spaces: each stands for itself.
            '\u{2E80}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' => Self::Sign,
            _ if c.is_whitespace() => Self::Space,
            // Beyond ASCII, marks and joiners must stay with their letter.
            _ if c.is_alphanumeric() || c == '_' || !c.is_ascii() => Self::Name,
            _ => Self::Sign,
        }
    }
}

/// The stretches of marked tokens, each within a line.
fn marked(tokens: &[Token<'_>], marks: &[bool]) -> Vec<Stretch> {
    let mut found: Vec<Stretch> = Vec::new();
    let mut at = Position::default();
    for (token, &marked) in tokens.iter().zip(marks) {
        let (Token::Word(text) | Token::Space(text)) = token else {
            at = Position { line: at.line.saturating_add(1), character: 0 };
            continue;
        };
        let start = at;
        at.character = at.character.saturating_add(number(text.encode_utf16().count()));
        match found.last_mut() {
            _ if !marked => {}
            Some(last) if last.end == start => last.end = at,
            _ => found.push(Stretch { start, end: at }),
        }
    }
    found
}

fn number(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
