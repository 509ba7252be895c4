//! Keeps the text of a proposal the same in the editor and at the companion while both change it.
//!
//! The *base* is the text that both sides last shared. A three-way [merge] of base, editor and
//! companion is the goal; the mirror sends it to the companion, or offers it to the editor. Only one of the
//! two is in flight, so the base of a text that comes back is always known, and no change applies twice. An
//! editor does not mark which of its changes were offers; the mirror recognizes them by their text.

use std::sync::Arc;

use alongside_presentation::merge;

#[derive(Debug, Clone)]
pub(crate) struct Mirror {
    /// The text that both sides last shared. The person typed the editor's differences from it; the
    /// companion's differences came from elsewhere.
    base: Arc<str>,
    editor: Arc<str>,
    companion: Arc<str>,
    sent: Option<SentText>,
    offered: Option<OfferedText>,
    /// The number of the last offer.
    last_offer: u64,
    /// Whether the editor refused the last offer. Its next change allows another one.
    is_refused: bool,
    /// Whether the companion refused the text. Its next news allows another one.
    is_blocked: bool,
    /// The last text from elsewhere that the editor's text replaced.
    overwritten: Option<Arc<str>>,
    /// Whether the person must still learn of that text.
    has_overwritten: bool,
}

/// A text in flight to the companion.
#[derive(Debug, Clone)]
struct SentText {
    text: Arc<str>,
    /// The editor's text at that time.
    editor: Arc<str>,
    /// Whether the companion has announced this text.
    is_announced: bool,
    /// Whether the companion has announced another text meanwhile.
    has_news: bool,
}

/// A text in flight to the editor.
#[derive(Debug, Clone)]
struct OfferedText {
    number: u64,
    /// The editor's text at that time.
    from: Arc<str>,
    /// The offered text.
    to: Arc<str>,
    /// The companion's text in the offered one.
    companion: Arc<str>,
    /// Whether the editor says that it took the offer. Its next change contains the offered text, or no
    /// change does.
    is_taken: bool,
}

impl Mirror {
    /// Creates a mirror of a text that both sides have.
    pub(crate) fn new(text: Arc<str>) -> Self {
        Self {
            base: text.clone(),
            editor: text.clone(),
            companion: text,
            sent: None,
            offered: None,
            last_offer: 0,
            is_refused: false,
            is_blocked: false,
            overwritten: None,
            has_overwritten: false,
        }
    }

    /// Handles an opened text that derives from `base`.
    pub(crate) fn open(&mut self, base: Arc<str>, text: Arc<str>) {
        if text == self.editor {
            return;
        }
        self.base = base;
        self.editor = text;
        self.offered = None;
        self.is_refused = false;
    }

    /// Handles the closing of the document. The goal counts as its text.
    pub(crate) fn close(&mut self) {
        self.editor = self.goal();
        self.base = self.companion.clone();
        self.offered = None;
        self.is_refused = false;
    }

    pub(crate) fn editor_text(&self) -> &Arc<str> {
        &self.editor
    }

    /// Whether both sides agree and nothing is in flight.
    #[cfg(test)]
    pub(crate) fn is_settled(&self) -> bool {
        self.sent.is_none() && self.editor == self.companion
    }

    /// Whether the editor shows this text, perhaps without having sent it.
    pub(crate) fn shows(&self, text: &Arc<str>) -> bool {
        let is_taken = |offer: &OfferedText| offer.is_taken && offer.from == self.editor && offer.to == *text;
        self.editor == *text || self.offered.as_ref().is_some_and(is_taken)
    }

    /// Whether the editor shows all that the companion has, perhaps with more that the person typed.
    pub(crate) fn shows_all(&self) -> bool {
        self.shows(&self.goal())
    }

    /// Whether the editor has refused to show the companion's text.
    pub(crate) fn is_behind(&self) -> bool {
        self.is_refused && self.editor != self.companion
    }

    /// Whether an offer is in flight: the editor has not sent a text that contains it.
    pub(crate) fn has_offer(&self) -> bool {
        self.offered.is_some()
    }

    /// Whether the editor has not answered an offer.
    pub(crate) fn awaits_editor(&self) -> bool {
        self.offered.as_ref().is_some_and(|offer| !offer.is_taken)
    }

    /// Whether the companion lacks edits of the person.
    pub(crate) fn is_unsent(&self) -> bool {
        !self.is_blocked && (self.sent.is_some() || self.goal() != self.companion)
    }

    /// Handles the editor's text after these steps, one of which may be the offer.
    pub(crate) fn editor_changed(&mut self, steps: impl IntoIterator<Item = Arc<str>>) {
        self.is_refused = false;
        for text in steps {
            // Only equality is certain: a person may make the offered change, or half of it, by hand.
            if let Some(offer) = self.offered.take_if(|offer| offer.to == text) {
                self.base = offer.companion;
            }
            self.editor = text;
        }
        self.offered.take_if(|offer| offer.is_taken);
    }

    /// Handles the companion's text. Returns true if it is the sent one.
    pub(crate) fn companion_changed(&mut self, text: Arc<str>) -> bool {
        self.is_blocked = false;
        let ours = self.sent.as_ref().is_some_and(|sent| sent.text == text);
        match &mut self.sent {
            Some(sent) if !sent.is_announced && sent.text == text => {
                sent.is_announced = true;
                self.base = sent.editor.clone();
            }
            Some(sent) => sent.has_news = true,
            None => {}
        }
        self.companion = text;
        ours
    }

    /// Returns true once for each text from elsewhere that the editor's text has replaced in the same lines.
    pub(crate) fn take_overwritten(&mut self) -> bool {
        std::mem::take(&mut self.has_overwritten)
    }

    /// Records, before the base moves, a text that the editor's text replaces.
    fn note_overwritten(&mut self) {
        let is_theirs_new = self.companion != self.base && self.editor != self.base;
        if is_theirs_new
            && self.overwritten.as_ref() != Some(&self.companion)
            && self.goal() != merge(&self.base, &self.companion, &self.editor)
        {
            self.overwritten = Some(self.companion.clone());
            self.has_overwritten = true;
        }
    }

    /// Returns the text to send to the companion; it counts as sent. During an offer the editor may have made
    /// only half of the change, so the text waits, unless it is `urgent`.
    pub(crate) fn outgoing(&mut self, urgent: bool) -> Option<Arc<str>> {
        if self.sent.is_some() || self.is_blocked || self.offered.is_some() && !urgent {
            return None;
        }
        self.note_overwritten();
        let text = self.goal();
        if text == self.companion {
            return None;
        }
        self.sent = Some(SentText {
            text: text.clone(),
            editor: self.editor.clone(),
            is_announced: false,
            has_news: false,
        });
        Some(text)
    }

    /// Handles the companion's reply to the sent text.
    pub(crate) fn companion_replied(&mut self, taken: bool) {
        let Some(sent) = self.sent.take() else { return };
        if taken && !sent.is_announced {
            self.base = sent.editor;
            self.companion = sent.text;
        } else if !taken {
            self.is_blocked = !sent.has_news && !sent.is_announced;
        }
    }

    /// Returns the text to offer to the editor, and the number of the offer.
    pub(crate) fn incoming(&mut self) -> Option<(Arc<str>, u64)> {
        if self.sent.is_some() || self.offered.is_some() || self.is_refused {
            return None;
        }
        self.note_overwritten();
        let text = self.goal();
        if text == self.editor {
            self.base = self.companion.clone();
            return None;
        }
        self.last_offer += 1;
        let (from, to, companion) = (self.editor.clone(), text.clone(), self.companion.clone());
        self.offered = Some(OfferedText { number: self.last_offer, from, to, companion, is_taken: false });
        Some((text, self.last_offer))
    }

    /// Handles the editor's answer to an offer, before or after it sends the text.
    pub(crate) fn offer_answered(&mut self, number: u64, taken: bool) {
        let Some(mut offer) = self.offered.take_if(|offer| offer.number == number) else { return };
        if taken {
            offer.is_taken = true;
            self.offered = Some(offer);
        } else {
            // A refusal of an offer for an older text says nothing about this one.
            self.is_refused = offer.from == self.editor;
        }
    }

    /// Allows another offer after a refusal.
    pub(crate) fn allow_offer(&mut self) {
        self.is_refused = false;
    }

    /// Returns the text that both sides are to have.
    fn goal(&self) -> Arc<str> {
        merge(&self.base, &self.editor, &self.companion)
    }

    #[cfg(test)]
    pub(crate) fn companion_text(&self) -> &Arc<str> {
        &self.companion
    }
}
