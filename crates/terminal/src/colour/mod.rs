//! Syntax highlighting. The desk requests the colours of the lines on the screen, and a thread computes them.
//!
//! No frame waits for colours: a line without colours is drawn plain, and [`Colours::wait_for_change`]
//! reports when to draw again. A text never changes; a new revision is another text.

mod classes;
mod highlighter;
mod line_state;
mod parsed_lines;
mod spans;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::{Arc, mpsc};

use alongside_desk::Text;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

pub(crate) use classes::Class;
pub(crate) use spans::Span;
use spans::{ColourRequest, ColouredPiece, LINES_PER_PIECE, LatestTexts, PieceSpans};

/// The colours of the desk's texts. The first request starts the thread, which loads the grammars.
#[derive(Debug, Default)]
pub(crate) struct Colours {
    /// The colours of the requested texts, as far as they are computed.
    texts: LatestTexts<PieceSpans>,
    highlighter: Option<HighlighterThread>,
}

/// The desk's channels to the highlighter thread.
#[derive(Debug)]
struct HighlighterThread {
    requests: mpsc::Sender<ColourRequest>,
    done: UnboundedReceiver<ColouredPiece>,
}

impl Colours {
    /// Creates an empty set of colours.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Requests the colours of the lines on the screen, which [`crate::review_page::Page::lines_in`] lists. A
    /// new request replaces the previous one. The language follows from the name `file`.
    pub(crate) fn request(&mut self, file: &str, wanted: Vec<(Text, Range<usize>)>) {
        let mut pieces: Vec<(Text, usize)> = Vec::new();
        for (text, lines) in wanted {
            let known = self.texts.remember(text.text());
            for piece in lines.start / LINES_PER_PIECE..lines.end.div_ceil(LINES_PER_PIECE) {
                let asked =
                    pieces.iter().any(|(other, p)| *p == piece && Arc::ptr_eq(other.text(), text.text()));
                if !asked && !known.contains_key(&piece) {
                    pieces.push((text.clone(), piece));
                }
            }
        }
        if pieces.is_empty() {
            return;
        }
        let highlighter = self.highlighter.get_or_insert_with(|| {
            let (requests, requests_in) = mpsc::channel();
            let (done_out, done) = unbounded_channel();
            start(requests_in, done_out);
            HighlighterThread { requests, done }
        });
        // If the thread has ended, texts stay without colours.
        let _ = highlighter.requests.send(ColourRequest { file: file.to_owned(), pieces });
    }

    /// Whether colours were requested, so that a thread computes them.
    #[cfg(test)]
    pub(crate) fn has_thread(&self) -> bool {
        self.highlighter.is_some()
    }

    /// The colours of a line of a text; `None` while they are not computed. `line` counts from 0.
    pub(crate) fn line(&self, text: &Arc<str>, line: usize) -> Option<&[Span]> {
        let spans = self.texts.get(text)?.get(&(line / LINES_PER_PIECE))?.get(line % LINES_PER_PIECE)?;
        Some(spans)
    }

    /// Waits for new colours. Cancel safe; never returns if none will come.
    pub(crate) async fn wait_for_change(&mut self) {
        let Some(highlighter) = &mut self.highlighter else { return std::future::pending().await };
        let mut next = highlighter.done.recv().await;
        if next.is_none() {
            return std::future::pending().await;
        }
        while let Some(ColouredPiece { text, piece, spans }) = next {
            // The text may have been forgotten meanwhile.
            if let Some(pieces) = self.texts.get_mut(&text) {
                pieces.insert(piece, spans);
            }
            next = highlighter.done.try_recv().ok();
        }
    }
}

fn start(requests: mpsc::Receiver<ColourRequest>, done: UnboundedSender<ColouredPiece>) {
    let thread = std::thread::Builder::new().name("colours".into());
    if let Err(error) = thread.spawn(move || highlighter::run(&requests, &done)) {
        tracing::warn!(%error, "no thread for syntax colours; the desk goes without");
    }
}
