//! The lines in which two texts differ, for edits and patches that quote the place of a change.

/// The one run of lines in which two texts differ, and the common lines around that run.
pub(crate) struct Difference<'a> {
    pub(crate) above: &'a str,
    pub(crate) old: &'a str,
    pub(crate) new: &'a str,
    below: &'a str,
}

impl<'a> Difference<'a> {
    /// Compares two texts line by line.
    pub(crate) fn between(original: &'a str, text: &'a str) -> Self {
        let above_bytes = common_bytes(original.split_inclusive('\n'), text.split_inclusive('\n'));
        let (above, old_and_below) = split_at_bytes(original, above_bytes);
        let (_, new_and_below) = split_at_bytes(text, above.len());
        let below_bytes = common_bytes(
            old_and_below.split_inclusive('\n').rev(),
            new_and_below.split_inclusive('\n').rev(),
        );
        let (old, below) = split_before_last(old_and_below, below_bytes);
        let (new, _) = split_before_last(new_and_below, below.len());
        Self { above, old, new, below }
    }

    /// Returns the nearest `lines` lines above and below.
    pub(crate) fn context(&self, lines: usize) -> (&'a str, &'a str) {
        let near_above = self.above.split_inclusive('\n').rev().take(lines).map(str::len).sum();
        let near_below = self.below.split_inclusive('\n').take(lines).map(str::len).sum();
        (split_before_last(self.above, near_above).1, split_at_bytes(self.below, near_below).0)
    }
}

/// Returns the length in bytes of the pieces that two texts have in common before the first difference.
fn common_bytes<'a>(one: impl Iterator<Item = &'a str>, other: impl Iterator<Item = &'a str>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).map(|(piece, _)| piece.len()).sum()
}

/// Splits a text after its first `bytes` bytes, which are whole lines.
fn split_at_bytes(text: &str, bytes: usize) -> (&str, &str) {
    text.split_at_checked(bytes).unwrap_or((text, ""))
}

/// Splits a text before its last `bytes` bytes, which are whole lines.
fn split_before_last(text: &str, bytes: usize) -> (&str, &str) {
    split_at_bytes(text, text.len().saturating_sub(bytes))
}
