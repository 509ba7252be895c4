//! Colours of source code: asked for by the screen as it is drawn, made by a thread of their own, there a moment later.
//!
//! Nobody waits for them: what has none yet is drawn without, and [`Colours::changed`] says when to draw again. A text
//! never changes; a new revision is another text.

use std::ops::Range;
use std::sync::Arc;

use alongside_desk::Text;

/// What a piece of source code is, as far as colours go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// A comment.
    Comment,
    /// Quoted text.
    String,
    /// A number.
    Number,
    /// Another constant, and what the language itself calls this or nothing.
    Constant,
    /// A word of the language.
    Keyword,
    /// The name of a type or tag.
    Type,
    /// The name of a function.
    Function,
}

impl Class {
    /// All, in the order of their discriminants.
    pub(crate) const ALL: [Self; 7] = [
        Self::Comment,
        Self::String,
        Self::Number,
        Self::Constant,
        Self::Keyword,
        Self::Type,
        Self::Function,
    ];
}

/// A piece of a line: byte offsets within it. What no span covers is plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// First byte.
    pub(crate) start: u16,
    /// First byte after it.
    pub(crate) end: u16,
    /// What it is.
    pub(crate) class: Class,
}

/// See the module. One for the whole desk.
#[derive(Debug, Default)]
pub(crate) struct Colours {}

impl Colours {
    /// Nothing is loaded before something is asked for.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Asks for what is on the screen, as [`Page::lines_in`](crate::page::Page::lines_in) tells it; what was asked for
    /// before and is not there yet is not wanted any more. `file` says which language it is.
    pub(crate) fn ask(&mut self, file: &str, wanted: Vec<(Text, Range<usize>)>) {
        let _ = (file, wanted);
    }

    /// The colours of a line, 0-based, of a text; `None` while they are not known.
    pub(crate) fn line(&self, text: &Arc<str>, line: usize) -> Option<&[Span]> {
        let _ = (text, line);
        None
    }

    /// Waits until there are new ones. Cancel safe. Never ends if there will not be any.
    pub(crate) async fn changed(&mut self) {
        std::future::pending().await
    }
}
