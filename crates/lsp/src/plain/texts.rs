//! What an editor without a plugin is told to show, in one place. Everything that came from outside goes
//! through [`harmless`].

use std::path::{Path, PathBuf};

use alongside_desk::{HunkState, LineEnding, Review, harmless, messages};

/// A line that is quoted is cut after so many characters.
const QUOTED_AT_MOST: usize = 80;

/// The file as people call it: relative to a project where it lies in one.
pub(crate) fn file_name(review: &Review, roots: &[PathBuf]) -> String {
    messages::file_name(&review.file, roots)
}

/// The agent as people call it.
pub(crate) fn agent_name(review: &Review) -> String {
    messages::agent_name(&review.agent)
}

/// What is proposed, in a few words.
pub(crate) fn changes(review: &Review) -> String {
    messages::size(review)
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
    let dangers: String = messages::dangers(review).map(|danger| format!(" {danger}!")).collect();
    format!("{name}: {agent} proposes {changes}; {how}.{dangers}")
}

/// The same in less than a line, mostly.
pub(crate) fn announced_briefly(review: &Review) -> String {
    let name = short_name(review);
    let outside = if review.outside.is_some() { "OUTSIDE THE PROJECT: " } else { "" };
    let in_git = if review.in_git.is_some() { "RUN BY GIT: " } else { "" };
    format!("{outside}{in_git}{name}: {} proposes {}", agent_name(review), changes(review))
}

/// The file without where it lies.
fn short_name(review: &Review) -> String {
    let name = Path::new(&review.file).file_name().unwrap_or_default();
    harmless::name(&name.to_string_lossy()).into_owned()
}

/// How the proposal differs from the file where no change shows it, if it does. In less than a line, mostly.
pub(crate) fn unseen(review: &Review) -> Option<String> {
    let endings = review.file_line_ending.map(|ending| match ending {
        LineEnding::Crlf => "CRLF in the file, LF proposed",
        LineEnding::Lf => "LF in the file, CRLF proposed",
    });
    let mark = review.file_has_bom.map(|has| match has {
        true => "byte-order mark in the file, none proposed",
        false => "byte-order mark proposed, none in the file",
    });
    let said: Vec<_> = endings.into_iter().chain(mark).collect();
    (!said.is_empty()).then(|| format!("{}: {}", short_name(review), said.join("; ")))
}

/// The editor shows a proposal, and has no use for us there. In less than a line, mostly.
pub(crate) fn apart(review: &Review) -> String {
    format!("no alongside in {} here: go back, decide by code action there", short_name(review))
}

/// That a proposal has come, in its place in the file.
pub(crate) fn mark(review: &Review, roots: &[PathBuf]) -> String {
    let (name, agent, changes) = (file_name(review, roots), agent_name(review), changes(review));
    format!("{agent} proposes {changes}: code action `Review: {name}`")
}

/// What a hunk of a proposal is, in a line. `current`: what stands there now.
pub(crate) fn hunk(state: HunkState, original: &str, proposed: &str, current: &str) -> String {
    match state {
        HunkState::Kept if original.is_empty() => "added".into(),
        HunkState::Kept if proposed.is_empty() => format!("removed here: {}", quoted(original)),
        HunkState::Kept => format!("before: {}", quoted(original)),
        HunkState::Dropped if proposed.is_empty() => "dropped; would be removed".into(),
        HunkState::Dropped => format!("dropped; proposed: {}", quoted(proposed)),
        HunkState::Edited if original.is_empty() && proposed.is_empty() => match current.trim().is_empty() {
            true => "typed: an empty line".into(),
            false => "typed".into(),
        },
        HunkState::Edited if proposed.is_empty() => format!("edited; before: {}", quoted(original)),
        HunkState::Edited => format!("edited; proposed: {}", quoted(proposed)),
    }
}

/// The first of some lines, and how many more there are.
fn quoted(lines: &str) -> String {
    let first = lines.lines().next().unwrap_or_default().trim();
    let first = if first.is_empty() { "an empty line" } else { first };
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
    let outside = review.outside.as_deref();
    let outside = outside.map(|real| format!("leads outside the project, to {}", harmless::name(real)));
    let in_git = review.in_git.as_deref();
    let in_git = in_git.map(|real| format!("leads to {}, which git runs or obeys", harmless::name(real)));
    let stale = review.stale.then(|| "has changed on disk since".to_owned());
    let dirty = review.dirty.then(|| "has unsaved changes".to_owned());
    let doubts: Vec<_> = outside.into_iter().chain(in_git).chain(stale).chain(dirty).collect();
    (!doubts.is_empty()).then(|| format!("{name} {}", doubts.join(" and ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hunk_is_one_line_whatever_it_holds() {
        assert_eq!(hunk(HunkState::Kept, "", "new\n", "new\n"), "added");
        assert_eq!(
            hunk(HunkState::Kept, "  one\x1b[31m\ntwo\nthree\n", "x", "x"),
            r"before: one\x1b[31m  +2 more"
        );
        assert_eq!(hunk(HunkState::Edited, "one\n", "\n", "x\n"), "edited; proposed: an empty line");
        assert_eq!(hunk(HunkState::Kept, " \n\n", "x\n", "x\n"), "before: an empty line  +1 more");
        let long = hunk(HunkState::Dropped, "", &"x".repeat(500), "");
        assert_eq!(hunk(HunkState::Edited, "", "", "\n"), "typed: an empty line");
        assert_eq!(hunk(HunkState::Edited, "", "", "mine\n"), "typed");
        assert!(long.ends_with("x…") && long.chars().count() < 110, "{long}");
    }
}
