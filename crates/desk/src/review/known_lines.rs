//! The lines of the three texts of a review, found once for each text. At 10 MB, a desk that finds them again
//! for each key takes 21 ms for it.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::text::Text;

/// The texts of a review whose lines are known, for [`Review::texts`](super::Review::texts). A copy of the
/// review knows them, too. A text counts as known by its allocation, so another one in its place is not
/// mistaken for it.
#[derive(Clone, Default)]
pub struct KnownLines(Box<Known>);

#[derive(Clone, Default)]
struct Known {
    original: OnceLock<Text>,
    proposed: OnceLock<Text>,
    current: OnceLock<Text>,
}

impl KnownLines {
    /// Returns the original with its lines.
    pub(super) fn original(&self, original: Option<&Arc<str>>) -> Text {
        original.map_or_else(|| Text::new(""), |original| with_lines(&self.0.original, original))
    }

    /// Returns the proposed text with its lines.
    pub(super) fn proposed(&self, proposed: &Arc<str>) -> Text {
        with_lines(&self.0.proposed, proposed)
    }

    /// Returns the current text with its lines, which are those of the proposed text until the first edit.
    pub(super) fn current(&self, proposed: &Arc<str>, current: &Arc<str>) -> Text {
        match Arc::ptr_eq(proposed, current) {
            true => self.proposed(proposed),
            false => with_lines(&self.0.current, current),
        }
    }

    /// Takes another current text.
    pub(super) fn set_current(&mut self, current: Text) {
        self.0.current = OnceLock::from(current);
    }
}

fn with_lines(known: &OnceLock<Text>, text: &Arc<str>) -> Text {
    let known = known.get_or_init(|| Text::new(text.clone()));
    if Arc::ptr_eq(known.text(), text) { known.clone() } else { Text::new(text.clone()) }
}

/// Two reviews with the same texts are equal, whether or not their lines are known.
impl PartialEq for KnownLines {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for KnownLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KnownLines")
    }
}

#[cfg(test)]
mod tests {
    use crate::context::{Position, Range};
    use crate::review::{Changed, Review};
    use crate::text::{BYTES_INDEXED, Change};

    fn bytes_indexed(work: impl FnOnce()) -> usize {
        let before = BYTES_INDEXED.get();
        work();
        BYTES_INDEXED.get() - before
    }

    fn texts(review: &Review) -> [String; 3] {
        review.texts().map(|text| text.text().to_string())
    }

    #[test]
    fn the_lines_of_each_text_are_found_once() {
        let (old, new) = ("old\n".repeat(1_000), "new!\n".repeat(1_000));
        let proposed: std::sync::Arc<str> = new.as_str().into();
        let mut review = Review {
            original: Some(old.as_str().into()),
            proposed: proposed.clone(),
            current: proposed,
            ..Review::default()
        };
        let first = bytes_indexed(|| assert_eq!(texts(&review), [old.as_str(), &new, &new]));
        assert_eq!(first, old.len() + new.len(), "the current text is the proposed one");
        let copy = review.clone();
        assert_eq!(bytes_indexed(|| _ = (review.texts(), copy.texts())), 0);

        let at = |line| Position { line, character: 0 };
        let change = |line, text: &str| Change {
            range: Some(Range { start: at(line), end: at(line + 1) }),
            text: text.to_owned(),
        };
        let changed =
            |from, change| Changed { from, revision: from + 1, changes: vec![change], ..Changed::default() };
        let taken = bytes_indexed(|| review.take(changed(0, change(0, "old\n"))).unwrap());
        assert_eq!(taken, new.len() - 1, "all of the text is behind the change");
        assert_eq!(bytes_indexed(|| _ = review.texts()), 0);
        assert_eq!(texts(&review), [old.as_str(), &new, &format!("old\n{}", &new[5..])]);
        assert_eq!(texts(&copy), [old.as_str(), &new, &new], "the copy is at the revision before");
        assert_eq!(bytes_indexed(|| review.take(changed(1, change(1, ""))).unwrap()), new.len() - 1 - 5);
        let far = bytes_indexed(|| review.take(changed(2, change(900, "far\n"))).unwrap());
        assert!(far < new.len() / 5, "{far}: only the lines behind the change are other ones");
    }

    #[test]
    fn another_text_in_the_place_of_a_known_one_has_its_own_lines() {
        let mut review = Review { current: "one\n".into(), ..Review::default() };
        assert_eq!(texts(&review), ["", "", "one\n"]);
        review.current = "1\n2\n".into();
        assert_eq!(texts(&review), ["", "", "1\n2\n"]);
        assert_eq!(review, Review { current: "1\n2\n".into(), ..Review::default() });
    }
}
