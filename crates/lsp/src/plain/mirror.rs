//! The text of a proposal in the editor and at the companion, kept the same while both change.
//!
//! What the editor's text was made of, the *base*, says what is typed and what came from elsewhere; the two
//! are [merged], and the result is put into the editor and sent to the companion. Only one of the two is on
//! its way at a time: so it is always certain what a text that comes back was made of, and a change is never
//! taken for one that was made twice, or undone. An editor does not say which of its changes are ours: that
//! is seen from the text.

use std::sync::Arc;

use super::merge::merged;

/// See the module.
#[derive(Debug, Clone)]
pub(crate) struct Mirror {
    /// What the text in the editor was made of: what differs here was typed, what differs there came from
    /// elsewhere.
    base: Arc<str>,
    here: Arc<str>,
    there: Arc<str>,
    sent: Option<Sent>,
    offered: Option<Offer>,
    /// How many there were.
    offers: u64,
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
    number: u64,
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
            offers: 0,
            refused: false,
            blocked: false,
        }
    }

    /// The editor has opened a text that was made of `base`, unless it is the one it had.
    pub(crate) fn opened(&mut self, base: Arc<str>, text: Arc<str>) {
        if text == self.here {
            return;
        }
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

    /// What the editor's text has become, step by step as the editor tells it: one of them may be what was
    /// offered.
    pub(crate) fn typed(&mut self, steps: impl IntoIterator<Item = Arc<str>>) {
        self.refused = false;
        for text in steps {
            // Nothing less says so for certain: a person may do by hand what was offered, or half of it.
            if let Some(offer) = self.offered.take_if(|offer| offer.to == text) {
                self.base = offer.of;
            }
            self.here = text;
        }
        self.offered.take_if(|offer| offer.answered);
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

    /// The text to send to the companion, in place of the one it has; it counts as sent. While the editor is
    /// being changed it may have told half of that: it is waited for, unless there is a `hurry`.
    pub(crate) fn outgoing(&mut self, hurry: bool) -> Option<Arc<str>> {
        if self.sent.is_some() || self.blocked || self.offered.is_some() && !hurry {
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

    /// The text to put into the editor, in place of the one it has, and the number of this offer.
    pub(crate) fn incoming(&mut self) -> Option<(Arc<str>, u64)> {
        if self.sent.is_some() || self.offered.is_some() || self.refused {
            return None;
        }
        let text = self.goal();
        if text == self.here {
            self.base = self.there.clone();
            return None;
        }
        self.offers += 1;
        let (from, to, of) = (self.here.clone(), text.clone(), self.there.clone());
        self.offered = Some(Offer { number: self.offers, from, to, of, answered: false });
        Some((text, self.offers))
    }

    /// The editor says that it has taken an offer, or that it has not. It may have told the text before.
    pub(crate) fn shown(&mut self, number: u64, taken: bool) {
        let Some(mut offer) = self.offered.take_if(|offer| offer.number == number) else { return };
        if taken {
            offer.answered = true;
            self.offered = Some(offer);
        } else {
            // What was offered for another text need not be refused for this one.
            self.refused = offer.from == self.here;
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
