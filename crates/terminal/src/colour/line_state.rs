//! The state of the parser between two lines, and the step from one line to the next.

use syntect::parsing::{ParseState, ScopeStack, SyntaxReference, SyntaxSet};

use super::classes::Classes;
use super::spans::Span;

/// The longest line that gets colours, in bytes. Longer lines are more often data than code, and grammars are
/// slow on them.
pub(super) const MAX_LINE_BYTES: usize = 2_000;

/// The state of the parser between two lines.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct State {
    parse: ParseState,
    scopes: ScopeStack,
}

impl State {
    /// The state at the beginning of a text.
    pub(super) fn new(syntax: &SyntaxReference) -> Self {
        Self { parse: ParseState::new(syntax), scopes: ScopeStack::new() }
    }

    /// Computes the colours of the next line, which includes its line ending. `None` if the grammar fails.
    pub(super) fn highlight_line(
        &mut self,
        line: &str,
        syntaxes: &SyntaxSet,
        classes: &Classes,
    ) -> Option<Box<[Span]>> {
        if line.len() > MAX_LINE_BYTES {
            return Some(Box::default());
        }
        // Grammars expect `\n` as the line ending, also on the last line.
        let content = line.strip_suffix('\n').unwrap_or(line);
        let content = content.strip_suffix('\r').unwrap_or(content);
        let tokens = self.parse.parse_line(&format!("{content}\n"), syntaxes).ok()?;
        let mut spans: Vec<Span> = Vec::new();
        let mut start = 0;
        for (at, change) in tokens {
            self.add(&mut spans, start..at.min(content.len()), classes);
            start = at.min(content.len());
            self.scopes.apply(&change).ok()?;
        }
        self.add(&mut spans, start..content.len(), classes);
        Some(spans.into())
    }

    fn add(&self, spans: &mut Vec<Span>, bytes: std::ops::Range<usize>, classes: &Classes) {
        let (Ok(start), Ok(end)) = (u16::try_from(bytes.start), u16::try_from(bytes.end)) else { return };
        let class = if start < end { classes.of(self.scopes.as_slice()) } else { None };
        let Some(class) = class else { return };
        match spans.last_mut() {
            Some(last) if last.end == start && last.class == class => last.end = end,
            _ => spans.push(Span { start, end, class }),
        }
    }
}
