//! Finds characters that a person does not see or a terminal obeys, by their Unicode properties, because a
//! list would become outdated. Some of them belong to readable text: selectors after an emoji, joiners in
//! emoji and in scripts whose letters join.

use icu_properties::props::{
    DefaultIgnorableCodePoint, Emoji, ExtendedPictographic, GeneralCategory,
    IndicSyllabicCategory as Syllabic, JoiningType, PrependedConcatenationMark,
};
use icu_properties::{CodePointMapData, CodePointSetData};

/// Characters without a visible glyph that no property identifies: the Braille pattern without dots, blank or
/// merely turning hieroglyphs, a filler, a note without a head.
const BLANK: [char; 6] = ['\u{2800}', '\u{13440}', '\u{13441}', '\u{13442}', '\u{16fe4}', '\u{1d159}'];

/// The most combining marks between a letter and its joiner.
const MAX_MARKS: usize = 4;

/// Whether a terminal would obey `c`, show nothing, or reorder its neighbours; some characters only do so
/// where they do not belong, see [`is_harmful_at`].
pub fn is_harmful(c: char) -> bool {
    if c < '\u{a0}' {
        return c.is_control();
    }
    let is_obeyed = match CodePointMapData::<GeneralCategory>::new().get(c) {
        GeneralCategory::Control | GeneralCategory::LineSeparator | GeneralCategory::ParagraphSeparator => {
            true
        }
        // Some signs for numbers and verses go below or around the following characters, and are visible.
        GeneralCategory::Format => !CodePointSetData::new::<PrependedConcatenationMark>().contains(c),
        _ => false,
    };
    // Terminals draw such characters in different ways, and some not at all.
    is_obeyed || is_unassigned(c) || is_ignorable(c) || BLANK.contains(&c)
}

/// Whether programs may show nothing for this character.
pub(super) fn is_ignorable(c: char) -> bool {
    CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
}

/// Whether Unicode assigns no character to this code point.
pub(super) fn is_unassigned(c: char) -> bool {
    CodePointMapData::<GeneralCategory>::new().get(c) == GeneralCategory::Unassigned
}

/// Whether the character that begins at byte `at` is harmful at its position. False if no character begins
/// there.
pub fn is_harmful_at(text: &str, at: usize) -> bool {
    let Some((before, rest)) = text.split_at_checked(at) else { return false };
    let mut rest = rest.chars();
    rest.next().is_some_and(|c| is_harmful(c) && !belongs(before, c, rest.next()))
}

/// Whether it is a part of readable text, after the text `before` and before the character `after`.
fn belongs(before: &str, c: char, after: Option<char>) -> bool {
    let Some(last) = before.chars().next_back() else { return false };
    match c {
        '\u{fe0e}' | '\u{fe0f}' => selects(last, after),
        '\u{200c}' => joins(before, last, after),
        '\u{200d}' => joins(before, last, after) || after.is_some_and(is_pictograph) && ends_emoji(before),
        // Forms of Mongolian letters.
        '\u{180b}'..='\u{180d}' | '\u{180f}' => matches!(last, '\u{1807}'..='\u{18aa}') && is_joining(last),
        _ => false,
    }
}

/// Whether a selector after `last` chooses the form of an emoji. A digit is an emoji only as a keycap.
fn selects(last: char, after: Option<char>) -> bool {
    is_emoji(last) && (!last.is_ascii() || after == Some('\u{20e3}'))
}

/// Whether a joiner joins letters: after a letter that joins, or at the sign that suppresses a vowel.
fn joins(before: &str, last: char, after: Option<char>) -> bool {
    let is_mark = |c: &char| joining(*c) == JoiningType::Transparent && !is_harmful(*c);
    let letter = before.chars().rev().take(MAX_MARKS + 1).find(|c| !is_mark(c));
    let in_syllable = CodePointMapData::<Syllabic>::new();
    let kills = |c| {
        matches!(in_syllable.get(c), Syllabic::Virama | Syllabic::InvisibleStacker | Syllabic::PureKiller)
    };
    // Before a Latin letter it joins nothing, and makes two words differ that look alike.
    if after.is_some_and(|c| c.is_ascii_alphanumeric()) {
        return false;
    }
    let is_consonant = in_syllable.get(last) == Syllabic::Consonant;
    kills(last) || letter.is_some_and(is_joining) || is_consonant && after.is_some_and(kills)
}

fn joining(c: char) -> JoiningType {
    CodePointMapData::<JoiningType>::new().get(c)
}

fn is_joining(c: char) -> bool {
    matches!(joining(c), JoiningType::DualJoining | JoiningType::LeftJoining | JoiningType::RightJoining)
}

fn is_emoji(c: char) -> bool {
    CodePointSetData::new::<Emoji>().contains(c)
}

/// Whether it is a pictograph, or reserved for a future emoji.
fn is_pictograph(c: char) -> bool {
    CodePointSetData::new::<ExtendedPictographic>().contains(c)
}

/// Whether a text ends with an emoji, of any skin tone and in any form.
fn ends_emoji(text: &str) -> bool {
    let mut back = text.chars().rev();
    let mut next = back.next();
    if next == Some('\u{fe0f}') {
        // After any other character, it is shown.
        next = back.next().filter(|c| is_emoji(*c));
    }
    if next.is_some_and(|c| matches!(c, '\u{1f3fb}'..='\u{1f3ff}')) {
        next = back.next();
    }
    next.is_some_and(is_pictograph)
}
