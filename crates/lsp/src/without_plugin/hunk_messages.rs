//! The mark of a hunk in a proposal, in one line. Text from outside passes through [`harmless`].

use alongside_desk::{HunkState, harmless};

/// The longest quote of a line, in characters.
const MAX_QUOTE: usize = 80;

/// A hunk of a proposal, in one line. `beside`: where it would be from the marked line, if it has no lines.
pub(crate) fn hunk(
    state: HunkState,
    [original, proposed, current]: [&str; 3],
    beside: Option<&str>,
) -> String {
    match (state, beside) {
        (HunkState::Kept, Some(beside)) => format!("removed {beside}: {}", quoted(original)),
        (HunkState::Kept, None) if original.is_empty() => "added".into(),
        (HunkState::Kept, None) => format!("before: {}", quoted(original)),
        (HunkState::Dropped, Some(beside)) => {
            format!("dropped; would be added {beside}: {}", quoted(proposed))
        }
        (HunkState::Dropped, None) if proposed.is_empty() => "dropped; would be removed".into(),
        (HunkState::Dropped, None) => format!("dropped; proposed: {}", quoted(proposed)),
        (HunkState::Edited, Some(beside)) if proposed.is_empty() => {
            format!("deleted {beside}; before: {}", quoted(original))
        }
        (HunkState::Edited, Some(beside)) => format!("deleted {beside}; proposed: {}", quoted(proposed)),
        (HunkState::Edited, None) if original.is_empty() && proposed.is_empty() => {
            match current.trim().is_empty() {
                true => "typed: an empty line".into(),
                false => "typed".into(),
            }
        }
        (HunkState::Edited, None) if proposed.is_empty() => format!("edited; before: {}", quoted(original)),
        (HunkState::Edited, None) => format!("edited; proposed: {}", quoted(proposed)),
    }
}

/// The first of some lines, and the number of the others.
fn quoted(lines: &str) -> String {
    let first = lines.lines().next().unwrap_or_default().trim();
    let first = if first.is_empty() { "an empty line" } else { first };
    let mut quoted: String = harmless::name(first).chars().take(MAX_QUOTE).collect();
    if first.chars().nth(MAX_QUOTE).is_some() {
        quoted.push('…');
    }
    match lines.lines().count() {
        0 | 1 => quoted,
        more => format!("{quoted}  +{} more", more - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hunk_message_is_one_line() {
        let (kept, dropped, edited) = (HunkState::Kept, HunkState::Dropped, HunkState::Edited);
        assert_eq!(hunk(kept, ["", "new\n", "new\n"], None), "added");
        let several = ["  one\x1b[31m\ntwo\nthree\n", "x", "x"];
        assert_eq!(hunk(kept, several, None), r"before: one\x1b[31m  +2 more");
        assert_eq!(hunk(edited, ["one\n", "\n", "x\n"], None), "edited; proposed: an empty line");
        assert_eq!(hunk(kept, [" \n\n", "x\n", "x\n"], None), "before: an empty line  +1 more");
        assert_eq!(hunk(edited, ["", "", "\n"], None), "typed: an empty line");
        assert_eq!(hunk(edited, ["", "", "mine\n"], None), "typed");
        let long = hunk(dropped, ["", &"x".repeat(500), ""], None);
        assert!(long.ends_with("x…") && long.chars().count() < 110, "{long}");
    }

    #[test]
    fn a_hunk_without_lines_is_beside_the_marked_line() {
        let above = Some("above");
        assert_eq!(hunk(HunkState::Kept, ["one\n", "", ""], above), "removed above: one");
        assert_eq!(hunk(HunkState::Dropped, ["", "x\n", ""], above), "dropped; would be added above: x");
        assert_eq!(hunk(HunkState::Edited, ["a\n", "b\n", ""], above), "deleted above; proposed: b");
        assert_eq!(hunk(HunkState::Edited, ["a\n", "", ""], Some("below")), "deleted below; before: a");
    }
}
