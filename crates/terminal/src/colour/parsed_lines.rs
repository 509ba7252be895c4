//! The colours of the lines that were parsed last. Grammars are slow, and most lines of a review are in both
//! of its texts: a line that begins in the same state is parsed once.

use std::collections::HashMap;

use super::line_state::State;
use super::spans::Span;

/// The most lines that are kept: more than those of both texts on a large screen.
const MAX_LINES: usize = 2_048;

/// A line with the states before and after it.
struct ParsedLine {
    before: State,
    after: State,
    spans: Box<[Span]>,
}

/// The lines by their texts.
#[derive(Default)]
pub(super) struct ParsedLines {
    lines: HashMap<Box<str>, Vec<ParsedLine>>,
    kept: usize,
    /// The number of lines that were parsed.
    pub(super) parsed: usize,
}

impl ParsedLines {
    /// Returns the colours of the next line, and changes the state to the one behind it. Parses the line with
    /// `parse`, unless it was parsed in this state before. `None` if the grammar fails.
    pub(super) fn highlight(
        &mut self,
        line: &str,
        state: &mut State,
        parse: impl FnOnce(&mut State) -> Option<Box<[Span]>>,
    ) -> Option<Box<[Span]>> {
        let known = self.lines.get(line).and_then(|lines| lines.iter().find(|known| known.before == *state));
        if let Some(known) = known {
            *state = known.after.clone();
            return Some(known.spans.clone());
        }
        let before = state.clone();
        self.parsed += 1;
        let spans = parse(state)?;
        if self.kept == MAX_LINES {
            self.lines.clear();
            self.kept = 0;
        }
        let parsed = ParsedLine { before, after: state.clone(), spans: spans.clone() };
        self.lines.entry(line.into()).or_default().push(parsed);
        self.kept += 1;
        Some(spans)
    }
}
