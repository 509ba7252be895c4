//! The diffs of hunks, as people know diffs: every removed and every added line. Marks quote only the first
//! line of a text.

use alongside_desk::{Hunk, HunkState, Lines, Review, Text, harmless, look_alikes};

use crate::merge::differences;

/// The most removed lines that a hover shows, and the most added ones: some editors lay out everything.
const MAX_LINES: usize = 100;
/// The unchanged lines before and after a hunk in the diff of a review.
const CONTEXT_LINES: usize = 3;
/// The longest line of a diff, in characters.
const MAX_LINE_CHARS: usize = 300;

/// Returns the diff between some lines of two texts; empty if they are equal. It is harmless and ends with a
/// newline.
pub fn hunk_diff((old, old_lines): (&Text, Lines), (new, new_lines): (&Text, Lines)) -> String {
    let old = Text::new(old.lines(old_lines.start..old_lines.end));
    let new = Text::new(new.lines(new_lines.start..new_lines.end));
    let differences = differences(&old, &new);
    if differences.is_empty() {
        return String::new();
    }
    let mut diff = Diff::new(header(old_lines, new_lines) + "\n", [&old, &new], MAX_LINES);
    diff.add_changes(&old, &new);
    diff.finish()
}

/// Returns every hunk of a review as a unified diff with the lines around it, whole and harmless: the change
/// that accepting would make, and for a dropped hunk the proposed one. A review without hunks is one diff.
pub(super) fn review_diff(review: &Review) -> Vec<String> {
    let [original, proposed, current] = review.texts();
    if review.hunks.is_empty() {
        let all = |text: &Text| Lines { start: 0, end: text.len() };
        let mut diff =
            Diff::new(header(all(&original), all(&current)) + "\n", [&original, &current], usize::MAX);
        diff.add_changes(&original, &current);
        return vec![diff.finish()];
    }
    let count = review.hunks.len();
    let mut diffs = Vec::new();
    let mut shown = 0;
    for (at, hunk) in review.hunks.iter().enumerate() {
        let Hunk { original: old, state, .. } = hunk;
        let (new_text, new, state) = match state {
            HunkState::Kept => (&current, hunk.current, "kept"),
            HunkState::Edited => (&current, hunk.current, "edited"),
            HunkState::Dropped => (&proposed, hunk.proposed, "dropped"),
        };
        let next = review.hunks.get(at + 1).map_or(original.len(), |next| next.original.start);
        let before = CONTEXT_LINES.min(old.start.saturating_sub(shown));
        let after = CONTEXT_LINES.min(next.saturating_sub(old.end));
        shown = old.end + after;
        let around =
            |lines: Lines| Lines { start: lines.start.saturating_sub(before), end: lines.end + after };
        let position = header(around(*old), around(new));
        let texts = [original.lines(old.start..old.end), new_text.lines(new.start..new.end)].map(Text::new);
        let header = format!("{position} change {} of {count}: {state}\n", at + 1);
        let mut diff = Diff::new(header, [&texts[0], &texts[1]], usize::MAX);
        diff.add(' ', original.lines(old.start - before..old.start));
        diff.add_changes(&texts[0], &texts[1]);
        diff.add(' ', original.lines(old.end..old.end + after));
        diffs.push(diff.finish());
    }
    diffs
}

/// Returns the header of a hunk in a unified diff: `@@ -1,3 +1,2 @@`.
fn header(old: Lines, new: Lines) -> String {
    let range = |lines: Lines| match lines.len() {
        // A hunk without lines stands after the line before it.
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        many => format!("{},{many}", lines.start + 1),
    };
    format!("@@ -{} +{} @@", range(old), range(new))
}

/// A diff that grows line by line.
#[derive(Debug, Default)]
struct Diff {
    text: String,
    /// Whether a carriage return at the end of a line is left out.
    hides_returns: bool,
    /// The most lines of each kind.
    limit: usize,
    removed: usize,
    added: usize,
    unchanged: usize,
}

impl Diff {
    fn new(header: String, texts: [&Text; 2], limit: usize) -> Self {
        // Carriage returns are shown only if not every line has one.
        let mut lines = texts.into_iter().flat_map(|text| text.text().split_inclusive('\n'));
        let hides_returns = lines.all(|line| line.ends_with("\r\n") || !line.ends_with('\n'));
        Self { text: header, hides_returns, limit, ..Self::default() }
    }

    /// Adds the lines of two texts, equal lines once, and the reason why lines that look the same differ: a
    /// line that begins with a backslash belongs to neither text.
    fn add_changes(&mut self, old: &Text, new: &Text) {
        let mut at = 0;
        for (removed, added) in differences(old, new) {
            self.add(' ', old.lines(at..removed.start));
            self.add('-', old.lines(removed.clone()));
            self.add('+', new.lines(added));
            at = removed.end;
        }
        self.add(' ', old.lines(at..old.len()));
        if let Some(reason) = look_alikes::hard_to_see(old.text(), new.text()) {
            self.text += &format!("\\ {reason}\n");
        }
    }

    fn add(&mut self, sign: char, lines: &str) {
        for line in lines.split_inclusive('\n') {
            let count = match sign {
                '-' => &mut self.removed,
                '+' => &mut self.added,
                _ => &mut self.unchanged,
            };
            *count += 1;
            if *count > self.limit {
                continue;
            }
            let content = line.strip_suffix('\n').unwrap_or(line);
            let content = content.strip_suffix('\r').filter(|_| self.hides_returns).unwrap_or(content);
            self.text.push(sign);
            let mut chars = content.char_indices();
            match chars.nth(MAX_LINE_CHARS) {
                Some((end, _)) => {
                    self.text += &harmless::line(&content[..end]);
                    self.text += &format!("… and {} more characters", 1 + chars.count());
                }
                None => self.text += &harmless::line(content),
            }
            self.text.push('\n');
            if !line.ends_with('\n') {
                self.text += "\\ No newline at end of file\n";
            }
        }
    }

    /// Returns the diff, with the numbers of the lines that it leaves out.
    fn finish(mut self) -> String {
        let counts = [(self.removed, "removed"), (self.added, "added"), (self.unchanged, "unchanged")];
        let omitted = counts.map(|(count, kind)| (count.saturating_sub(self.limit), kind));
        let omitted: Vec<_> = omitted.iter().filter(|(count, _)| *count > 0).collect();
        if !omitted.is_empty() {
            let counts: Vec<_> = omitted.iter().map(|(count, kind)| format!("{count} {kind}")).collect();
            let noun = if matches!(&omitted[..], [(1, _)]) { "line" } else { "lines" };
            self.text += &format!("… {noun} left out: {}\n", counts.join(", "));
        }
        self.text
    }
}

/// Returns a diff as a fenced block of Markdown. The fence is longer than every run of backticks in it.
pub fn fenced(diff: &str) -> String {
    let runs = diff.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or_default().max(2) + 1);
    format!("{fence}diff\n{diff}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(old: &str, new: &str) -> String {
        let [old, new] = [old, new].map(Text::new);
        let lines = |text: &Text| Lines { start: 0, end: text.len() };
        hunk_diff((&old, lines(&old)), (&new, lines(&new)))
    }

    #[test]
    fn a_diff_has_every_line_of_both_sides() {
        assert_eq!(
            whole("one\n\tsame\nthree\n", "ONE\nmore\n\tsame\n"),
            "@@ -1,3 +1,3 @@\n-one\n+ONE\n+more\n \tsame\n-three\n"
        );
        assert_eq!(whole("one\n", ""), "@@ -1 +0,0 @@\n-one\n");
        assert_eq!(whole("same\n", "same\n"), "");
    }

    #[test]
    fn a_difference_that_nobody_would_see_is_named() {
        assert_eq!(
            whole("    one\n", "\tone\n"),
            "@@ -1 +1 @@\n-    one\n+\tone\n\\ Hard to see: a tab in place of blanks.\n"
        );
    }

    #[test]
    fn only_the_lines_of_the_hunk_are_compared() {
        let (old, new) = (Text::new("a\nb\nc\n"), Text::new("x\na\nc\n"));
        let diff = hunk_diff((&old, Lines { start: 1, end: 2 }), (&new, Lines { start: 2, end: 2 }));
        assert_eq!(diff, "@@ -2 +2,0 @@\n-b\n");
    }

    #[test]
    fn differences_of_line_endings_are_shown() {
        assert_eq!(whole("a\r\nb\r\n", "A\r\nb\r\n"), "@@ -1,2 +1,2 @@\n-a\n+A\n b\n");
        assert_eq!(
            whole("a\r\n", "a\n"),
            "@@ -1 +1 @@\n-a\\r\n+a\n\\ Hard to see: line ends LF in place of CRLF.\n"
        );
        assert_eq!(whole("a", "a\n"), "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
    }

    #[test]
    fn a_long_diff_says_how_many_lines_it_leaves_out() {
        let lines = |word: &str, count: usize| format!("{word}\n").repeat(count);
        let diff = whole(&lines("old", 130), &lines("new", 101));
        assert_eq!((diff.matches("-old").count(), diff.matches("+new").count()), (MAX_LINES, MAX_LINES));
        assert!(diff.ends_with("… lines left out: 30 removed, 1 added\n"), "{diff}");
        assert!(whole("", &lines("new", 101)).ends_with("… line left out: 1 added\n"));
        let diff = whole("", &format!("{}\n", "é".repeat(310)));
        assert!(diff.ends_with("é… and 10 more characters\n"), "{diff}");
    }

    #[test]
    fn text_cannot_leave_its_block() {
        let diff = whole("", "```\n````rust\n\x1b[31m\u{202e}\n");
        let block = fenced(&diff);
        assert!(block.starts_with("`````diff\n") && block.ends_with("\n`````"), "{block}");
        assert!(block.contains("+\\x1b[31m\\u{202e}\n"), "{block}");
        assert!(fenced(&whole("a\n", "b\n")).starts_with("```diff\n"));
    }
}
