//! What an editor without a plugin is told to show, in one place. Everything that came from outside goes through [`harmless`].

use std::path::{Path, PathBuf};

use alongside_desk::{Closed, Closing, HunkState, Refusal, Review, harmless};

/// A line that is quoted is cut after so many characters.
const QUOTED_AT_MOST: usize = 80;

/// The file as people call it: relative to a project where it lies in one.
pub(crate) fn file_name(review: &Review, roots: &[PathBuf]) -> String {
    let path = Path::new(&review.file);
    let relative = roots.iter().filter_map(|root| path.strip_prefix(root).ok());
    match relative.min_by_key(|rest| rest.as_os_str().len()) {
        Some(rest) if !rest.as_os_str().is_empty() => harmless::path(rest),
        _ => harmless::name(&review.file).into_owned(),
    }
}

/// The agent as people call it.
pub(crate) fn agent_name(review: &Review) -> String {
    if review.agent.name.trim().is_empty() {
        return format!("agent {}", review.agent.number);
    }
    harmless::name(&review.agent.name).into_owned()
}

/// What is proposed, in a few words.
pub(crate) fn changes(review: &Review) -> String {
    match (&review.whole_file_only, &review.original, review.hunks.len()) {
        (Some(_), ..) => "the whole file".into(),
        (None, None, _) => "a new file".into(),
        (None, Some(_), 1) => "1 change".into(),
        (None, Some(_), hunks) => format!("{hunks} changes"),
    }
}

/// The title of the action that shows a proposal.
pub(crate) fn show(review: &Review, roots: &[PathBuf]) -> String {
    format!("Review: {} ({}, {})", file_name(review, roots), agent_name(review), changes(review))
}

/// A proposal has come. `path`: where it lies, if the editor cannot be asked to show it.
pub(crate) fn announced(review: &Review, roots: &[PathBuf], path: Option<&Path>) -> String {
    let (name, agent, changes) = (file_name(review, roots), agent_name(review), changes(review));
    let how = match path {
        Some(path) => format!("open {} to see it", harmless::path(path)),
        None => {
            "see it with the code action `Review: …`, in any file, or the command alongside.review".into()
        }
    };
    format!("{name}: {agent} proposes {changes}; {how}.")
}

/// The same in less than a line, mostly.
pub(crate) fn announced_briefly(review: &Review) -> String {
    let name = Path::new(&review.file).file_name().unwrap_or_default();
    let name = harmless::name(&name.to_string_lossy()).into_owned();
    format!("{name}: {} proposes {}", agent_name(review), changes(review))
}

/// The same, in its place in the file.
pub(crate) fn mark(review: &Review, roots: &[PathBuf]) -> String {
    let (name, agent, changes) = (file_name(review, roots), agent_name(review), changes(review));
    format!("{agent} proposes {changes}: code action `Review: {name}`")
}

/// What a hunk of a proposal is, in a line.
pub(crate) fn hunk(state: HunkState, original: &str, proposed: &str) -> String {
    match state {
        HunkState::Kept if original.is_empty() => "added".into(),
        HunkState::Kept if proposed.is_empty() => format!("removed here: {}", quoted(original)),
        HunkState::Kept => format!("before: {}", quoted(original)),
        HunkState::Dropped if proposed.is_empty() => "dropped; would be removed".into(),
        HunkState::Dropped => format!("dropped; proposed: {}", quoted(proposed)),
        HunkState::Edited if original.is_empty() && proposed.is_empty() => "typed".into(),
        HunkState::Edited if proposed.is_empty() => format!("edited; before: {}", quoted(original)),
        HunkState::Edited => format!("edited; proposed: {}", quoted(proposed)),
    }
}

/// The first of some lines, and how many more there are.
fn quoted(lines: &str) -> String {
    let first = lines.lines().next().unwrap_or_default().trim();
    let mut quoted: String = harmless::name(first).chars().take(QUOTED_AT_MOST).collect();
    if first.chars().nth(QUOTED_AT_MOST).is_some() {
        quoted.push('…');
    }
    match lines.lines().count() {
        0 | 1 => quoted,
        more => format!("{quoted}  +{} more", more - 1),
    }
}

/// What speaks against accepting without a second look.
pub(crate) fn doubts(review: &Review, roots: &[PathBuf]) -> Option<String> {
    let name = file_name(review, roots);
    match (review.dirty, review.stale) {
        (false, false) => None,
        (true, false) => Some(format!("{name} has unsaved changes")),
        (false, true) => Some(format!("{name} has changed on disk since")),
        (true, true) => Some(format!("{name} has changed on disk since and has unsaved changes")),
    }
}

/// How a review ended.
pub(crate) fn closed(review: &Review, closed: &Closed, roots: &[PathBuf]) -> String {
    let (name, agent) = (file_name(review, roots), agent_name(review));
    let elsewhere = if closed.decided_here { "" } else { " at another desk" };
    let mut said = match closed.closing {
        Closing::Accepted => format!("{name}: accepted{elsewhere}; {agent} writes it."),
        Closing::Rejected => format!("{name}: rejected{elsewhere}; {agent} is told."),
        Closing::AnsweredInAgent => format!("{name}: was answered in {agent} itself."),
        Closing::Replaced => {
            format!("{name}: {agent} proposes this file anew; the earlier proposal is gone.")
        }
        Closing::AgentGone => format!("{name}: {agent} is gone, and its proposal with it."),
        Closing::Stopped => format!("{name}: rejected, because the companion stops."),
        Closing::EditorGone => format!("{name}: rejected, because the editor is gone."),
        Closing::Interrupted => format!("{name}: rejected, because the companion was interrupted."),
    };
    if let Some(draft) = &closed.draft {
        said += &format!(" Your edits are in {} (see: alongside drafts).", harmless::path(draft));
    }
    said
}

/// A refusal as a sentence.
pub(crate) fn refusal(refusal: &Refusal) -> String {
    let text = refusal.to_string();
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{}.", harmless::name(&format!("{first}{}", chars.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hunk_is_one_line_whatever_it_holds() {
        assert_eq!(hunk(HunkState::Kept, "", "new\n"), "added");
        assert_eq!(
            hunk(HunkState::Kept, "  one\x1b[31m\ntwo\nthree\n", "x"),
            r"before: one\x1b[31m  +2 more"
        );
        let long = hunk(HunkState::Dropped, "", &"x".repeat(500));
        assert!(long.ends_with("x…") && long.chars().count() < 110, "{long}");
    }
}
