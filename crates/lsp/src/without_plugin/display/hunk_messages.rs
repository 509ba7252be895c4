//! The mark of a hunk in a proposal, in one line. Text from outside passes through [`harmless`].

use alongside_desk::{HunkState, harmless};

/// The longest quote of a line, in characters.
const MAX_QUOTE: usize = 80;

/// Returns a hunk of a proposal, in one line. `beside`: where it would be from the marked line, if it has no
/// lines.
pub(crate) fn hunk(
    state: HunkState,
    [original, proposed, current]: [&str; 3],
    beside: Option<&str>,
) -> String {
    let is_only_the_persons = proposed.is_empty() || proposed == original;
    match (state, beside) {
        (HunkState::Kept, Some(beside)) => format!("removed {beside}: {}", quoted(original)),
        (HunkState::Kept, None) if original.is_empty() => format!("added{}", count(current)),
        (HunkState::Kept, None) => format!("before: {}", quoted(original)),
        (HunkState::Dropped, Some(beside)) => {
            format!("dropped; would be added {beside}: {}", quoted(proposed))
        }
        (HunkState::Dropped, None) if proposed.is_empty() => "dropped; would be removed".into(),
        (HunkState::Dropped, None) => format!("dropped; proposed: {}", quoted(proposed)),
        (HunkState::Edited, Some(beside)) if is_only_the_persons => {
            format!("deleted {beside}; before: {}", quoted(original))
        }
        (HunkState::Edited, Some(beside)) => format!("deleted {beside}; proposed: {}", quoted(proposed)),
        (HunkState::Edited, None) if original.is_empty() && proposed.is_empty() => {
            match current.trim().is_empty() {
                true => "typed: an empty line".into(),
                false => format!("typed{}", count(current)),
            }
        }
        (HunkState::Edited, None) if is_only_the_persons => format!("edited; before: {}", quoted(original)),
        (HunkState::Edited, None) => format!("edited; proposed: {}", quoted(proposed)),
    }
}

/// Returns the number of some lines, if there are several: editors show the mark at the first one only.
fn count(lines: &str) -> String {
    match lines.lines().count() {
        0 | 1 => String::new(),
        many => format!(", {many} lines"),
    }
}

/// Returns the first of some lines, and the number of the others.
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
        assert_eq!(hunk(edited, ["", "", "mine\n\nand\n"], None), "typed, 3 lines");
        assert_eq!(hunk(kept, ["", "a\nb\n\n", "a\nb\n\n"], None), "added, 3 lines");
        let long = hunk(dropped, ["", &"x".repeat(500), ""], None);
        assert!(long.ends_with("x…") && long.chars().count() < 110, "{long}");
    }

    #[test]
    fn lines_that_the_agent_left_alone_are_no_proposal() {
        let edited = |current: &str, beside| hunk(HunkState::Edited, ["six\n", "six\n", current], beside);
        assert_eq!(edited("mine\n", None), "edited; before: six");
        assert_eq!(edited("", Some("above")), "deleted above; before: six");
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
