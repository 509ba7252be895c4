//! The parts of a line that are compared as units: names, numbers, operators and single signs.
//!
//! The whitespace at the beginning of a line is not a token, so indentation is neither compared nor marked.

use std::ops::Range;

use alongside_desk::Position;

/// The operators of several signs. If the signs were compared singly, `=` and `==` would share a sign.
const OPERATORS: &[&str] = &[
    "===", "!==", "...", "..=", "<!--", "-->", "///", "//!", "/**", "==", "!=", "<=", ">=", "=>", "->", "::",
    ":=", "&&", "||", "??", "?.", "+=", "-=", "*=", "/=", "|=", "..", "//", "/*", "*/", "--", "++", "<<",
    ">>", "${",
];

/// A part of a line that is compared as a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    pub(super) kind: TokenKind,
    pub(super) start: Position,
    pub(super) end: Position,
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Name,
    Sign,
    /// Whitespace within a line or at its end.
    Space,
    /// A sign at the beginning of a line and of a comment, a quotation or an item of a list, before a space.
    Lead,
}

impl Token<'_> {
    /// Returns the weight as shared text. A space has none, and a sign has so little that `a(b);` is not
    /// similar to `c(d);`.
    pub(super) fn weight(&self) -> usize {
        match self.kind {
            TokenKind::Name => 2 * self.text.len() + 2,
            TokenKind::Sign => 1,
            TokenKind::Space | TokenKind::Lead => 0,
        }
    }

    /// Whether the token only separates parts that may differ.
    pub(super) fn is_separator(&self) -> bool {
        matches!(self.text, ":" | "=" | "," | ";")
    }
}

/// The tokens of one side of a hunk.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    pub(super) all: Vec<Token<'a>>,
    /// The tokens of each line.
    pub(super) lines: Vec<Range<usize>>,
}

impl<'a> Tokens<'a> {
    /// Splits a text. Line endings are not tokens.
    pub(super) fn of(text: &'a str) -> Self {
        let (mut all, mut lines) = (Vec::new(), Vec::new());
        for (line, content) in text.split_inclusive('\n').enumerate() {
            let first = all.len();
            let content = content.trim_end_matches('\n').trim_end_matches('\r');
            push_line(u32::try_from(line).unwrap_or(u32::MAX), content, &mut all);
            lines.push(first..all.len());
        }
        Self { all, lines }
    }

    pub(super) fn weight(&self, line: usize) -> usize {
        self.all[self.lines[line].clone()].iter().map(Token::weight).sum()
    }

    /// Returns the indices of the words and signs in some lines.
    pub(super) fn words(&self, lines: Range<usize>) -> Vec<usize> {
        let is_word = |at: &usize| matches!(self.all[*at].kind, TokenKind::Name | TokenKind::Sign);
        self.lines[lines].iter().flat_map(|line| line.clone().filter(is_word)).collect()
    }
}

fn push_line<'a>(line: u32, content: &'a str, tokens: &mut Vec<Token<'a>>) {
    let mut rest = content.trim_start();
    let mut at = Position { line, character: units(&content[..content.len() - rest.len()]) };
    let first = tokens.len();
    while let Some(c) = rest.chars().next() {
        let kind = kind(c);
        let length = match kind {
            TokenKind::Sign => operator(rest).map_or(c.len_utf8(), str::len),
            // A token of another kind continues while characters are of the same kind.
            _ => rest.find(|next| self::kind(next) != kind).unwrap_or(rest.len()),
        };
        let (text, behind) = rest.split_at(length);
        let is_lead = tokens.len() == first && kind == TokenKind::Sign && behind.starts_with(' ');
        let end = Position { line, character: at.character.saturating_add(units(text)) };
        let is_lead = is_lead && text.bytes().all(|sign| b"/!#*->;|%".contains(&sign));
        let kind = if is_lead { TokenKind::Lead } else { kind };
        tokens.push(Token { text, kind, start: at, end });
        (rest, at) = (behind, end);
    }
}

fn units(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}

/// Returns the operator with which this text begins.
fn operator(text: &str) -> Option<&'static str> {
    // Most signs stand alone, and need no search in the list.
    let is_possible = text.as_bytes().get(1).is_some_and(u8::is_ascii_punctuation);
    let mut operators = OPERATORS.iter().copied().filter(|_| is_possible);
    operators.find(|operator| text.starts_with(operator))
}

fn kind(c: char) -> TokenKind {
    match c {
        // Han and kana are written without spaces, so each character counts as a word.
        '\u{2E80}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' => TokenKind::Sign,
        _ if c.is_whitespace() => TokenKind::Space,
        // Beyond ASCII, combining marks and joiners must stay with their letter.
        _ if c.is_alphanumeric() || c == '_' || !c.is_ascii() => TokenKind::Name,
        _ => TokenKind::Sign,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<(&str, TokenKind)> {
        Tokens::of(line).all.into_iter().map(|token| (token.text, token.kind)).collect()
    }

    #[test]
    fn lines_are_split_into_names_operators_and_spaces() {
        use TokenKind::{Name, Sign, Space};
        let expected = [("a_1", Name), (" ", Space), ("!=", Sign), (" ", Space), ("b", Name), ("(", Sign)];
        assert_eq!(texts("\ta_1 != b(\r\n"), expected);
        assert_eq!(texts("x::<Y>"), [("x", Name), ("::", Sign), ("<", Sign), ("Y", Name), (">", Sign)]);
    }

    #[test]
    fn comment_signs_and_bullets_lead_their_line() {
        use TokenKind::{Lead, Name, Sign, Space};
        for lead in ["//", "///", "//!", "#", "--", "*", "-", ">"] {
            let text = format!("  {lead} word\n");
            assert_eq!(texts(&text), [(lead, Lead), (" ", Space), ("word", Name)]);
        }
        assert_eq!(texts("-1"), [("-", Sign), ("1", Name)]);
        assert_eq!(texts("} else"), [("}", Sign), (" ", Space), ("else", Name)]);
    }

    #[test]
    fn tokens_know_their_place_in_utf16_units() {
        let tokens = Tokens::of("\n  😀 a\n");
        let at = |character| Position { line: 1, character };
        let ends: Vec<_> = tokens.all.iter().map(|token| (token.start, token.end)).collect();
        assert_eq!(ends, [(at(2), at(4)), (at(4), at(5)), (at(5), at(6))]);
        assert_eq!(tokens.lines, [0..0, 0..3]);
    }
}
