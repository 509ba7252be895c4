//! The text of a proposal in the editor and at the companion, kept the same while both change.
//!
//! Each side is told what the other did and neither waits. What the editor's text was made of, the *base*, says what is typed
//! and what came from elsewhere; the two are [merged], and the result is sent to the companion and put into the editor. An
//! editor does not say which of its changes are ours: it is seen from the text.

use std::sync::Arc;

use super::merge::{distance, merged};

/// See the module.
#[derive(Debug, Clone)]
pub(crate) struct Mirror {
    /// What the text in the editor was made of: what differs here was typed, what differs there came from elsewhere.
    base: Arc<str>,
    here: Arc<str>,
    there: Arc<str>,
    sent: Option<Sent>,
    offered: Option<Offer>,
    /// The editor refused; it is asked again when it has changed something.
    refused: bool,
    /// The companion refused, for a reason that only news from it can change.
    blocked: bool,
}

/// A text on its way to the companion.
#[derive(Debug, Clone)]
struct Sent {
    text: Arc<str>,
    /// The editor's, when it was sent.
    here: Arc<str>,
    /// The companion has told that it has it.
    told: bool,
    /// The companion has told something else meanwhile.
    news: bool,
}

/// A text on its way into the editor.
#[derive(Debug, Clone)]
struct Offer {
    base: Arc<str>,
    from: Arc<str>,
    to: Arc<str>,
    /// The companion's, which is in it.
    of: Arc<str>,
    /// The editor says that it has it: then its next change has it, or never had.
    answered: bool,
}

impl Mirror {
    /// Both sides have the same.
    pub(crate) fn new(text: Arc<str>) -> Self {
        Self {
            base: text.clone(),
            here: text.clone(),
            there: text,
            sent: None,
            offered: None,
            refused: false,
            blocked: false,
        }
    }

    /// The editor has opened a text that was made of `base`.
    pub(crate) fn opened(&mut self, base: Arc<str>, text: Arc<str>) {
        self.base = base;
        self.here = text;
        self.offered = None;
        self.refused = false;
    }

    /// The editor has closed it: what it does not have cannot be lost there.
    pub(crate) fn closed(&mut self) {
        self.here = self.goal();
        self.base = self.there.clone();
        self.offered = None;
        self.refused = false;
    }

    pub(crate) fn here(&self) -> &Arc<str> {
        &self.here
    }

    /// Whether each side has all of the other's.
    #[cfg(test)]
    pub(crate) fn is_settled(&self) -> bool {
        self.sent.is_none() && self.here == self.there
    }

    /// Whether the editor has still to say what became of what it was offered.
    pub(crate) fn awaits_editor(&self) -> bool {
        self.offered.as_ref().is_some_and(|offer| !offer.answered)
    }

    /// Whether something is typed that the companion has not.
    pub(crate) fn is_unsent(&self) -> bool {
        !self.blocked && (self.sent.is_some() || self.goal() != self.there)
    }

    /// The editor's text now.
    pub(crate) fn typed(&mut self, text: Arc<str>) {
        self.refused = false;
        if let Some(offer) = self.offered.take() {
            let with = merged(&offer.from, &self.here, &offer.to);
            if text == with || distance(&with, &text) < distance(&self.here, &text) {
                self.took(&offer);
            } else if !offer.answered {
                self.offered = Some(offer);
            }
        }
        self.here = text;
    }

    /// The editor has what was offered: the text there was made of it.
    fn took(&mut self, offer: &Offer) {
        let base = if self.base == offer.base {
            offer.of.clone()
        } else {
            merged(&offer.from, &self.base, &offer.to)
        };
        self.base = base;
        if let Some(sent) = &mut self.sent {
            sent.here = merged(&offer.from, &sent.here, &offer.to);
        }
    }

    /// The companion's text now; true if it is what was sent.
    pub(crate) fn told(&mut self, text: Arc<str>) -> bool {
        self.blocked = false;
        let ours = self.sent.as_ref().is_some_and(|sent| sent.text == text);
        match &mut self.sent {
            Some(sent) if !sent.told && sent.text == text => {
                sent.told = true;
                // What differs from it came from elsewhere.
                self.base = sent.here.clone();
            }
            Some(sent) => sent.news = true,
            None => {}
        }
        self.there = text;
        ours
    }

    /// The text to send to the companion, in place of the one it has; it counts as sent.
    pub(crate) fn outgoing(&mut self) -> Option<Arc<str>> {
        if self.sent.is_some() || self.blocked {
            return None;
        }
        let text = self.goal();
        if text == self.there {
            return None;
        }
        self.sent = Some(Sent { text: text.clone(), here: self.here.clone(), told: false, news: false });
        Some(text)
    }

    /// The companion has taken what was sent, or refused it.
    pub(crate) fn answered(&mut self, taken: bool) {
        let Some(sent) = self.sent.take() else { return };
        if taken && !sent.told {
            self.base = sent.here;
            self.there = sent.text;
        } else if !taken {
            self.blocked = !sent.news && !sent.told;
        }
    }

    /// The text to put into the editor, in place of the one it has; it counts as offered.
    pub(crate) fn incoming(&mut self) -> Option<Arc<str>> {
        if self.offered.is_some() || self.refused {
            return None;
        }
        let text = self.goal();
        if text == self.here {
            self.base = self.there.clone();
            return None;
        }
        let (from, to) = (self.here.clone(), text.clone());
        let (base, of) = (self.base.clone(), self.there.clone());
        self.offered = Some(Offer { base, from, to, of, answered: false });
        Some(text)
    }

    /// The editor says that it has taken what was offered, or that it has not.
    pub(crate) fn shown(&mut self, taken: bool) {
        match (taken, &mut self.offered) {
            (true, Some(offer)) => offer.answered = true,
            (false, Some(_)) => {
                self.offered = None;
                self.refused = true;
            }
            (_, None) => {}
        }
    }

    /// The editor can be asked again, though it refused.
    pub(crate) fn ask_again(&mut self) {
        self.refused = false;
    }

    /// What both shall have.
    fn goal(&self) -> Arc<str> {
        merged(&self.base, &self.here, &self.there)
    }

    #[cfg(test)]
    pub(crate) fn there(&self) -> &Arc<str> {
        &self.there
    }
}
