//! The form in which a plugin gets texts: without a byte-order mark, and with `\n` where every line ends in
//! `\r\n`. Editors show both badly and restore them differently, so the server does it, except for a plugin
//! with options for both: it gets texts as they are.

use std::sync::Arc;

use alongside_desk::Review;

const BOM: char = '\u{feff}';

/// The differences between the texts of a review and those of the plugin; by default none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TextForm {
    has_bom: bool,
    has_crlf: bool,
}

impl TextForm {
    /// Returns the form of a review: what all its texts have in common.
    pub(super) fn of(review: &Review) -> Self {
        let [current, proposed] = [&review.current, &review.proposed].map(|text| Self::of_text(text));
        let original = review.original.as_deref().filter(|text| !text.is_empty()).map(Self::of_text);
        let all = [current, proposed, original.unwrap_or(proposed)];
        Self { has_bom: all.iter().all(|form| form.has_bom), has_crlf: all.iter().all(|form| form.has_crlf) }
    }

    fn of_text(text: &str) -> Self {
        let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n')).peekable();
        let has_crlf = lines.peek().is_some() && lines.all(|line| line.ends_with("\r\n"));
        Self { has_bom: text.starts_with(BOM), has_crlf }
    }

    /// Returns the text as the plugin gets it.
    pub(super) fn shown(self, text: &Arc<str>) -> Arc<str> {
        let without = text.strip_prefix(BOM).filter(|_| self.has_bom).unwrap_or(text);
        match self.has_crlf {
            true => without.replace("\r\n", "\n").into(),
            false if self.has_bom => without.into(),
            false => text.clone(),
        }
    }

    /// Returns the text of the plugin as the review holds it.
    pub(super) fn restored(self, text: &str) -> Arc<str> {
        let bom = if self.has_bom && !text.is_empty() { "\u{feff}" } else { "" };
        match self.has_crlf {
            true => (bom.to_owned() + &text.replace("\r\n", "\n").replace('\n', "\r\n")).into(),
            false => (bom.to_owned() + text).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_what_all_texts_have_in_common() {
        let form = |original: Option<&str>, proposed: &str| {
            let original = original.map(Into::into);
            TextForm::of(&Review {
                original,
                proposed: proposed.into(),
                current: proposed.into(),
                ..Review::default()
            })
        };
        assert!(form(Some("a\r\n"), "b\r\n").has_crlf && form(None, "b\r\n").has_crlf);
        assert!(!form(Some("a\n"), "b\r\n").has_crlf, "a dropped hunk has its own line ends");
        assert!(
            !form(Some("a\n"), "\u{feff}b\n").has_bom && form(Some("\u{feff}a\n"), "\u{feff}b\n").has_bom
        );
    }

    #[test]
    fn a_text_comes_back_as_it_was() {
        for text in
            ["", "a", "a\nb\n", "a\r\nb\r\n", "a\r\nb", "\u{feff}a\r\n", "\u{feff}", "a\r\nb\n", "a\rb\n"]
        {
            let (form, text) = (TextForm::of_text(text), Arc::<str>::from(text));
            let shown = form.shown(&text);
            assert!(!shown.starts_with(BOM) && (!form.has_crlf || !shown.contains('\r')), "{text:?}");
            if !shown.is_empty() {
                assert_eq!(form.restored(&shown), text);
            }
        }
        let mixed = TextForm::of_text("a\r\nb\n");
        assert_eq!(&*mixed.shown(&"a\r\nb\n".into()), "a\r\nb\n");
    }
}
