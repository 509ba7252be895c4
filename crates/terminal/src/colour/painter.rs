//! The thread that colours. It loads the grammars on the first request, parses from a boundary near the
//! requested lines, and goes on from there when the person scrolls down. The newest request comes first.

use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc;

use alongside_desk::Text;
use syntect::parsing::{ParseState, ScopeStack, SyntaxReference, SyntaxSet};
use tokio::sync::mpsc::UnboundedSender;

use super::classes::Classes;
use super::spans::{ColourRequest, ColouredPiece, LatestTexts, LineSpans, PIECE, Span};

/// Parsing begins at most so many lines above what is wanted.
const LOOK_BACK: usize = 512;

/// Longer lines, in bytes, are left plain: they are data more often than code, and grammars are slow on them.
const LONGEST_LINE: usize = 2_000;

/// The state of the parser between two lines.
#[derive(Clone)]
struct State {
    parse: ParseState,
    scopes: ScopeStack,
}

/// Colours requested pieces until the desk is gone.
pub(super) fn paint(requests: &mpsc::Receiver<ColourRequest>, done: &UnboundedSender<ColouredPiece>) {
    let Ok(first) = requests.recv() else { return };
    let classes = match Classes::new() {
        Ok(classes) => classes,
        Err(error) => {
            tracing::warn!(%error, "no syntax colours");
            return;
        }
    };
    let mut painter = Painting::new(classes);
    let mut next = Some(first);
    while let Some(request) = next.take().or_else(|| requests.recv().ok()) {
        // A newer request holds all that is on the screen.
        let request = requests.try_iter().last().unwrap_or(request);
        for (text, piece) in request.pieces {
            let spans = painter.piece(&request.file, &text, piece);
            if done.send(ColouredPiece { text: text.text().clone(), piece, spans }).is_err() {
                return;
            }
            next = requests.try_iter().last();
            if next.is_some() {
                break;
            }
        }
    }
}

/// The thread's belongings.
pub(super) struct Painting {
    syntaxes: SyntaxSet,
    classes: Classes,
    /// The states at the beginnings of pieces of the texts that were wanted.
    states: LatestTexts<State>,
    /// How many lines have been parsed.
    pub(super) parsed: usize,
}

impl Painting {
    pub(super) fn new(classes: Classes) -> Self {
        let syntaxes = two_face::syntax::extra_newlines();
        Self { syntaxes, classes, states: LatestTexts::default(), parsed: 0 }
    }

    /// The colours of a piece of a text.
    pub(super) fn piece(&mut self, file: &str, text: &Text, piece: usize) -> LineSpans {
        let Self { syntaxes, classes, states, parsed } = self;
        let Some(syntax) = syntax(syntaxes, file, text) else { return plain(text, piece) };
        let states = states.remember(text.text());
        let wanted = piece * PIECE;
        let (mut line, mut state) = beginning(states, syntax, text, wanted);
        let mut spans = Vec::with_capacity(PIECE);
        while line < (wanted + PIECE).min(text.len()) {
            if line.is_multiple_of(PIECE) {
                states.insert(line / PIECE, state.clone());
            }
            *parsed += 1;
            let coloured = state.line(text.lines(line..line + 1), syntaxes, classes);
            let coloured = coloured.unwrap_or_else(|| {
                // A grammar that fails on a line begins anew on the next.
                state = State::new(syntax);
                Box::default()
            });
            if line >= wanted {
                spans.push(coloured);
            }
            line += 1;
        }
        if line.is_multiple_of(PIECE) {
            states.insert(line / PIECE, state);
        }
        spans
    }
}

fn plain(text: &Text, piece: usize) -> LineSpans {
    let lines = text.len().saturating_sub(piece * PIECE).min(PIECE);
    vec![Box::default(); lines]
}

/// Where to begin so that the state is right at a line, as far as can be told: where parsing was before, at
/// the beginning of the text, or below a blank line where something begins at the left edge.
fn beginning(
    states: &HashMap<usize, State>,
    syntax: &SyntaxReference,
    text: &Text,
    line: usize,
) -> (usize, State) {
    let farthest = line.saturating_sub(LOOK_BACK);
    let been = (farthest.div_ceil(PIECE)..=line / PIECE)
        .rev()
        .find_map(|piece| states.get(&piece).map(|state| (piece * PIECE, state.clone())));
    if let Some(been) = been {
        return been;
    }
    let begins = |line: usize| {
        let first = text.lines(line..line + 1).bytes().next();
        line == 0
            || (text.lines(line - 1..line).trim().is_empty()
                && first.is_some_and(|byte| !byte.is_ascii_whitespace()))
    };
    // The farther one begins, the more likely it is right.
    let start = (farthest..=line).find(|line| begins(*line)).unwrap_or(farthest);
    (start, State::new(syntax))
}

/// The grammar for a file, by its name, its extension, or what its first line says of it.
fn syntax<'a>(syntaxes: &'a SyntaxSet, file: &str, text: &Text) -> Option<&'a SyntaxReference> {
    let path = Path::new(file);
    let name = path.file_name().and_then(|name| name.to_str());
    let extension = path.extension().and_then(|extension| extension.to_str());
    let by_name = |name: Option<&str>| name.and_then(|name| syntaxes.find_syntax_by_extension(name));
    let first = text.lines(0..1);
    by_name(name)
        .or_else(|| by_name(extension))
        .or_else(|| {
            let short = first.len() <= LONGEST_LINE;
            short.then(|| syntaxes.find_syntax_by_first_line(first)).flatten()
        })
        .filter(|syntax| syntax.name != "Plain Text")
}

impl State {
    fn new(syntax: &SyntaxReference) -> Self {
        Self { parse: ParseState::new(syntax), scopes: ScopeStack::new() }
    }

    /// The colours of the next line, which is given with its line ending. `None` if the grammar cannot.
    fn line(&mut self, line: &str, syntaxes: &SyntaxSet, classes: &Classes) -> Option<Box<[Span]>> {
        if line.len() > LONGEST_LINE {
            return Some(Box::default());
        }
        // Grammars know `\n` only, and expect it on the last line too.
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
