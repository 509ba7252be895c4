//! Blocks of lines that a proposal moves: a diff shows them as a deletion and an addition that have nothing
//! to do with each other.
//!
//! A block counts only if it is unambiguous: three lines or more with words, equal on both sides, whose first
//! three lines occur once among the removed and once among the added lines.

use std::collections::HashMap;

use crate::review::{Hunk, HunkState, Lines};
use crate::text::Text;

/// The fewest lines of a block.
const MIN_LINES: usize = 3;

/// The most removed or added lines in which blocks are searched.
const MAX_LINES: usize = 50_000;

/// A block of lines that is removed at one place and added at another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    /// The hunk that removes it, as an index.
    pub from: usize,
    /// The hunk that adds it, as an index.
    pub to: usize,
    /// Its lines in the original.
    pub original: Lines,
    /// Its lines in the current text.
    pub current: Lines,
}

/// A line of a hunk.
#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    hunk: usize,
    number: usize,
    text: &'a str,
}

/// Returns the blocks that kept hunks move, in the order in which they come.
pub fn moved(hunks: &[Hunk], original: &Text, current: &Text) -> Vec<Moved> {
    let gone = lines(hunks, original, |hunk| hunk.original);
    let come = lines(hunks, current, |hunk| hunk.current);
    if gone.len().max(come.len()) > MAX_LINES {
        return Vec::new();
    }
    let (places, only) = (only_ones(&gone), only_ones(&come));
    let (mut all, mut at) = (Vec::new(), 0);
    while let Some(window) = come.get(at..at + MIN_LINES) {
        let start = key(window).filter(|key| only.get(key) == Some(&Some(at)));
        let start = start.and_then(|key| places.get(&key).copied().flatten());
        let block = start.and_then(|start| block(&gone[start..], &come[at..]));
        at += block.map_or(1, |moved| moved.current.len());
        all.extend(block);
    }
    all
}

/// Returns the lines that kept hunks have in a text.
fn lines<'a>(hunks: &[Hunk], text: &'a Text, of: fn(&Hunk) -> Lines) -> Vec<Line<'a>> {
    let kept = hunks.iter().enumerate().filter(|(_, hunk)| hunk.state == HunkState::Kept);
    let lines = kept.flat_map(|(hunk, kept)| {
        let lines = of(kept);
        text.each_line(lines.start..lines.end).enumerate().map(move |(below, text)| Line {
            hunk,
            number: lines.start + below,
            text,
        })
    });
    lines.collect()
}

type Key<'a> = [&'a str; MIN_LINES];

/// Returns the texts of lines that begin a block; none if they are not in one hunk.
fn key<'a>(window: &[Line<'a>]) -> Option<Key<'a>> {
    let [first, second, third] = window else { return None };
    let is_one = first.hunk == third.hunk;
    is_one.then_some([first.text, second.text, third.text])
}

/// Returns the position of each three lines; `None` for lines that occur several times.
fn only_ones<'a>(lines: &[Line<'a>]) -> HashMap<Key<'a>, Option<usize>> {
    let mut found = HashMap::new();
    for (at, key) in lines.windows(MIN_LINES).map(key).enumerate() {
        if let Some(key) = key {
            found.entry(key).and_modify(|known| *known = None).or_insert(Some(at));
        }
    }
    found
}

/// Returns the block with which both lists begin, if there is one.
fn block(gone: &[Line<'_>], come: &[Line<'_>]) -> Option<Moved> {
    let (old, new) = (gone.first()?, come.first()?);
    let is_same = |(gone, come): &(&Line<'_>, &Line<'_>)| {
        gone.text == come.text && gone.hunk == old.hunk && come.hunk == new.hunk
    };
    let lines = gone.iter().zip(come).take_while(is_same).count();
    let has_words = |line: &&Line<'_>| line.text.contains(char::is_alphanumeric);
    let words = gone[..lines].iter().filter(has_words).count();
    (old.hunk != new.hunk && words >= MIN_LINES).then(|| Moved {
        from: old.hunk,
        to: new.hunk,
        original: (old.number..old.number + lines).into(),
        current: (new.number..new.number + lines).into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk(original: std::ops::Range<usize>, current: std::ops::Range<usize>) -> Hunk {
        Hunk {
            original: original.into(),
            proposed: current.clone().into(),
            current: current.into(),
            ..Hunk::default()
        }
    }

    fn text(text: &str) -> Text {
        Text::new(text.split(' ').map(|line| format!("{line}\n")).collect::<String>())
    }

    #[test]
    fn a_block_that_goes_and_comes_is_moved() {
        let hunks = [hunk(0..0, 0..4), hunk(3..6, 7..7)];
        let (original, current) = (text("a b c x y z d"), text("new x y z a b c d"));
        let block = Moved { from: 1, to: 0, original: (3..6).into(), current: (1..4).into() };
        assert_eq!(moved(&hunks, &original, &current), [block]);
        let mut dropped = hunks.clone();
        dropped[1].state = HunkState::Dropped;
        assert_eq!(moved(&dropped, &original, &current), [], "the lines stay where they were");
    }

    #[test]
    fn nothing_is_guessed() {
        let found = |original: &str, current: &str| {
            let hunks = [
                hunk(0..0, 0..text(current).len()),
                hunk(0..text(original).len(), text(current).len()..text(current).len()),
            ];
            moved(&hunks, &text(original), &text(current)).len()
        };
        assert_eq!(found("x y z", "x y z"), 1);
        assert_eq!(found("x y", "x y"), 0, "two lines are no block");
        assert_eq!(found("x y z", "x y Z"), 0);
        assert_eq!(found("{ } ;", "{ } ;"), 0, "signs are everywhere");
        assert_eq!(found("x y z x y z", "x y z"), 0, "it may be either");
        assert_eq!(found("x y z", "x y z x y z"), 0, "it is copied, and not moved");
        assert_eq!(found("x y z k l m", "x y z new k l m"), 2);
    }
}
