//! Conversion of editors' positions, in the units that they use.

#[path = "../../desk/benches/inputs/mod.rs"]
mod inputs;

use std::fmt;

use alongside_desk::{Position, Text};
use alongside_lsp::{Encoding, fuzzing};
use divan::{Bencher, black_box};
use inputs::source;

/// Finds a position in 200,000 lines.
struct Case {
    encoding: Encoding,
    beyond_ascii: bool,
    late: bool,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if self.beyond_ascii { "not ASCII" } else { "ASCII" };
        write!(f, "{:?}, {text}, {}", self.encoding, if self.late { "late" } else { "early" })
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
        for beyond_ascii in [false, true] {
            for late in [false, true] {
                cases.push(Case { encoding, beyond_ascii, late });
            }
        }
    }
    cases
}

/// Returns the text of a case, and a line in it.
fn text(case: &Case) -> (Text, usize) {
    let source = source(if cfg!(debug_assertions) { 100 << 10 } else { 8 << 20 });
    let text = Text::new(if case.beyond_ascii { source.replace("first", "数える😀") } else { source });
    let line = if case.late { text.len() - 40 } else { 40 };
    // A line with enough text.
    let line = (line..).find(|line| text.lines(*line..line + 1).len() > 40).unwrap_or_default();
    (text, line)
}

#[divan::bench(args = cases())]
fn offset(bencher: Bencher<'_, '_>, case: &Case) {
    let (text, line) = text(case);
    let position = Position { line: u32::try_from(line).unwrap_or_default(), character: 30 };
    bencher.bench(|| hot_offset(&text, position, case.encoding));
}

#[inline(never)]
fn hot_offset(text: &Text, position: Position, encoding: Encoding) -> usize {
    black_box(fuzzing::offset(text, position, encoding))
}

#[divan::bench(args = cases())]
fn position(bencher: Bencher<'_, '_>, case: &Case) {
    let (text, line) = text(case);
    let position = Position { line: u32::try_from(line).unwrap_or_default(), character: 30 };
    let offset = fuzzing::offset(&text, position, case.encoding);
    bencher.bench(|| hot_position(&text, offset, case.encoding));
}

#[inline(never)]
fn hot_position(text: &Text, offset: usize, encoding: Encoding) -> Position {
    black_box(fuzzing::position(text, offset, encoding))
}

fn main() {
    divan::main();
}
