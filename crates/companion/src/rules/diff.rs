//! The lines that a change removes and adds, for the list of acceptances: enough to see, and little to keep.

use std::fmt::Write as _;

use alongside_desk::{Hunk, Review, Text};

/// The largest size of one diff, in bytes: a list of hundreds stays small.
const MAX_BYTES: usize = 32 << 10;

/// Returns the lines that differ, and whether some lines are left out.
pub(super) fn removed_and_added(review: &Review) -> (String, bool) {
    let original = Text::new(review.original.clone().unwrap_or_default());
    let proposed = Text::new(review.proposed.clone());
    let whole_file = [Hunk { proposed: (0..proposed.len()).into(), ..Hunk::default() }];
    let hunks = if review.original.is_none() { &whole_file[..] } else { &review.hunks };
    let mut diff = String::new();
    for hunk in hunks {
        let sides = [("-", &original, hunk.original), ("+", &proposed, hunk.proposed)];
        let position = sides.map(|(_, _, lines)| format!("{},{}", lines.start + 1, lines.len()));
        let _ = writeln!(diff, "@@ -{} +{} @@", position[0], position[1]);
        for (sign, text, lines) in sides {
            for line in text.each_line(lines.start..lines.end) {
                if diff.len() + line.len() > MAX_BYTES {
                    return (diff, true);
                }
                let _ = writeln!(diff, "{sign}{}", line.trim_end_matches(['\r', '\n']));
            }
        }
    }
    (diff, false)
}
