//! The highlighter thread. It loads the grammars on the first request, parses from a boundary near the
//! requested lines, and continues from there when the person scrolls down. It works on the newest request
//! only.

use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc;

use alongside_desk::Text;
use syntect::parsing::{SyntaxReference, SyntaxSet};
use tokio::sync::mpsc::UnboundedSender;

use super::classes::Classes;
use super::line_state::{MAX_LINE_BYTES, State};
use super::parsed_lines::ParsedLines;
use super::spans::{ColourRequest, ColouredPiece, LINES_PER_PIECE, LatestTexts, PieceSpans};

/// The most lines above the requested ones at which parsing begins.
const MAX_LOOK_BACK_LINES: usize = 512;

/// Highlights requested pieces until the desk has dropped its channels.
pub(super) fn run(requests: &mpsc::Receiver<ColourRequest>, done: &UnboundedSender<ColouredPiece>) {
    let Ok(first) = requests.recv() else { return };
    let classes = match Classes::new() {
        Ok(classes) => classes,
        Err(error) => {
            tracing::warn!(%error, "no syntax colours");
            return;
        }
    };
    let mut highlighter = Highlighter::new(classes);
    let mut next = Some(first);
    while let Some(request) = next.take().or_else(|| requests.recv().ok()) {
        // A newer request has all lines of the screen, so older ones are dropped.
        let request = requests.try_iter().last().unwrap_or(request);
        for (text, piece) in request.pieces {
            let spans = highlighter.highlight_piece(&request.file, &text, piece);
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

/// The state of the thread: the grammars, and where parsing can continue.
pub(super) struct Highlighter {
    syntaxes: SyntaxSet,
    classes: Classes,
    /// The parser's states at the beginnings of pieces of the requested texts.
    states: LatestTexts<State>,
    pub(super) parsed_lines: ParsedLines,
}

impl Highlighter {
    pub(super) fn new(classes: Classes) -> Self {
        let syntaxes = two_face::syntax::extra_newlines();
        Self { syntaxes, classes, states: LatestTexts::default(), parsed_lines: ParsedLines::default() }
    }

    /// Computes the colours of a piece of a text.
    pub(super) fn highlight_piece(&mut self, file: &str, text: &Text, piece: usize) -> PieceSpans {
        let Self { syntaxes, classes, states, parsed_lines } = self;
        let Some(syntax) = syntax(syntaxes, file, text) else { return plain_piece(text, piece) };
        let states = states.remember(text.text());
        let wanted = piece * LINES_PER_PIECE;
        let (mut line, mut state) = parse_start(states, syntax, text, wanted);
        let mut spans = Vec::with_capacity(LINES_PER_PIECE);
        while line < (wanted + LINES_PER_PIECE).min(text.len()) {
            if line.is_multiple_of(LINES_PER_PIECE) {
                states.insert(line / LINES_PER_PIECE, state.clone());
            }
            let content = text.lines(line..line + 1);
            let coloured = parsed_lines
                .highlight(content, &mut state, |state| state.highlight_line(content, syntaxes, classes));
            let coloured = coloured.unwrap_or_else(|| {
                // If the grammar fails on a line, parsing starts again at the next line.
                state = State::new(syntax);
                Box::default()
            });
            if line >= wanted {
                spans.push(coloured);
            }
            line += 1;
        }
        if line.is_multiple_of(LINES_PER_PIECE) {
            states.insert(line / LINES_PER_PIECE, state);
        }
        spans
    }
}

fn plain_piece(text: &Text, piece: usize) -> PieceSpans {
    let lines = text.len().saturating_sub(piece * LINES_PER_PIECE).min(LINES_PER_PIECE);
    vec![Box::default(); lines]
}

/// The line and the state with which to start parsing, so that the state is probably right at `line`: a
/// boundary that the parser has passed, the beginning of the text, or an unindented line below an empty
/// line.
fn parse_start(
    states: &HashMap<usize, State>,
    syntax: &SyntaxReference,
    text: &Text,
    line: usize,
) -> (usize, State) {
    let farthest = line.saturating_sub(MAX_LOOK_BACK_LINES);
    let been = (farthest.div_ceil(LINES_PER_PIECE)..=line / LINES_PER_PIECE)
        .rev()
        .find_map(|piece| states.get(&piece).map(|state| (piece * LINES_PER_PIECE, state.clone())));
    if let Some(been) = been {
        return been;
    }
    let begins = |line: usize| {
        let first = text.lines(line..line + 1).bytes().next();
        line == 0
            || (text.lines(line - 1..line).trim().is_empty()
                && first.is_some_and(|byte| !byte.is_ascii_whitespace()))
    };
    // The farther above the line parsing starts, the more likely the state is right.
    let start = (farthest..=line).find(|line| begins(*line)).unwrap_or(farthest);
    (start, State::new(syntax))
}

/// The grammar for a file, by its name, its extension or its first line.
fn syntax<'a>(syntaxes: &'a SyntaxSet, file: &str, text: &Text) -> Option<&'a SyntaxReference> {
    let path = Path::new(file);
    let name = path.file_name().and_then(|name| name.to_str());
    let extension = path.extension().and_then(|extension| extension.to_str());
    let by_name = |name: Option<&str>| name.and_then(|name| syntaxes.find_syntax_by_extension(name));
    let first = text.lines(0..1);
    by_name(name)
        .or_else(|| by_name(extension))
        .or_else(|| {
            let short = first.len() <= MAX_LINE_BYTES;
            short.then(|| syntaxes.find_syntax_by_first_line(first)).flatten()
        })
        .filter(|syntax| syntax.name != "Plain Text")
}
