//! The search in reviews: the text that the person typed last, and the needle for this text.

use alongside_desk::harmless;
use crossterm::event::{KeyCode, KeyEvent};

use crate::overlays::Overlay;
use crate::review_page::Needle;
use crate::reviews::requests::ReviewRequests;
use crate::text::typing;

/// The state of the search.
#[derive(Debug, Default)]
pub(crate) struct SearchInput {
    text: String,
    /// The needle; `None` if no search is active.
    needle: Option<Needle>,
}

impl SearchInput {
    /// The text that was typed last.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn needle(&self) -> Option<&Needle> {
        self.needle.as_ref()
    }

    /// Ends the search, so that no match is highlighted.
    pub(crate) fn end(&mut self) {
        self.needle = None;
    }

    /// Handles a key while the person types the text to search for.
    pub(crate) fn take_key(&mut self, key: KeyEvent, requests: &mut ReviewRequests) {
        let out = requests.out_mut();
        match (out.overlays.front_mut(), key.code) {
            (_, KeyCode::Esc) => {
                out.close_input();
                self.end();
            }
            (Some(Overlay::Search(typed)), KeyCode::Enter) => {
                // An empty text repeats the last search.
                if !typed.is_empty() {
                    self.needle = Needle::new(typed);
                    self.text = std::mem::take(typed);
                }
                out.close_input();
                self.go_to_match(requests, true);
            }
            (Some(Overlay::Search(typed)), _) => typing::edit(typed, key),
            _ => {}
        }
    }

    /// Goes to the next match in the review on the screen, and from the last match to the first.
    pub(crate) fn go_to_match(&self, requests: &mut ReviewRequests, forward: bool) {
        let (reviews, out) = requests.parts();
        match (&self.needle, reviews.current_mut()) {
            (None, _) => out.say("Nothing to search for yet; type / first."),
            (Some(needle), Some(view)) => {
                if !view.find(needle, forward) {
                    out.warn(format!("\"{}\" is not in this text.", harmless::name(&self.text)));
                }
            }
            (Some(_), None) => {}
        }
    }
}
