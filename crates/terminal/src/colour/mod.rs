//! Colours of source code. The screen asks for them as it is drawn, and a thread makes them.
//!
//! Nothing waits for colours: a line without them is drawn plain, and [`Colours::changed`] says when to draw
//! again. A text never changes; a new revision is another text.

mod classes;
mod painter;
mod spans;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::{Arc, mpsc};

use alongside_desk::Text;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

pub(crate) use classes::Class;
pub(crate) use spans::Span;
use spans::{ColourRequest, ColouredPiece, LatestTexts, LineSpans, PIECE};

/// See the module. One for the whole desk; nothing is loaded before something is asked for.
#[derive(Debug, Default)]
pub(crate) struct Colours {
    /// The colours so far of the texts that were asked for.
    texts: LatestTexts<LineSpans>,
    painter: Option<Painter>,
}

/// The desk's end of the thread.
#[derive(Debug)]
struct Painter {
    requests: mpsc::Sender<ColourRequest>,
    done: UnboundedReceiver<ColouredPiece>,
}

impl Colours {
    /// None yet.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Asks for the lines on the screen, which [`crate::review_page::Page::lines_in`] lists. A new
    /// request replaces the one before. `file` tells the language.
    pub(crate) fn ask(&mut self, file: &str, wanted: Vec<(Text, Range<usize>)>) {
        let mut pieces: Vec<(Text, usize)> = Vec::new();
        for (text, lines) in wanted {
            let known = self.texts.remember(text.text());
            for piece in lines.start / PIECE..lines.end.div_ceil(PIECE) {
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
        let painter = self.painter.get_or_insert_with(|| {
            let (requests, requests_in) = mpsc::channel();
            let (done_out, done) = unbounded_channel();
            start(requests_in, done_out);
            Painter { requests, done }
        });
        // Without the thread there are no colours, and nothing else is lost.
        let _ = painter.requests.send(ColourRequest { file: file.to_owned(), pieces });
    }

    /// The colours of a line, 0-based, of a text; `None` while they are not known.
    pub(crate) fn line(&self, text: &Arc<str>, line: usize) -> Option<&[Span]> {
        let spans = self.texts.get(text)?.get(&(line / PIECE))?.get(line % PIECE)?;
        Some(spans)
    }

    /// Waits for new colours. Cancel safe; never ends if none will come.
    pub(crate) async fn changed(&mut self) {
        let Some(painter) = &mut self.painter else { return std::future::pending().await };
        let mut next = painter.done.recv().await;
        if next.is_none() {
            return std::future::pending().await;
        }
        while let Some(ColouredPiece { text, piece, spans }) = next {
            // It may have been forgotten meanwhile.
            if let Some(pieces) = self.texts.get_mut(&text) {
                pieces.insert(piece, spans);
            }
            next = painter.done.try_recv().ok();
        }
    }
}

fn start(requests: mpsc::Receiver<ColourRequest>, done: UnboundedSender<ColouredPiece>) {
    let thread = std::thread::Builder::new().name("colours".into());
    if let Err(error) = thread.spawn(move || painter::paint(&requests, &done)) {
        tracing::warn!(%error, "no thread for syntax colours; the desk goes without");
    }
}
