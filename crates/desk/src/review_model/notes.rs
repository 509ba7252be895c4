//! The notes that a person reads before they decide on a review.

use std::path::{Component, Path, PathBuf};

use crate::review::{LineEnding, Review};
use crate::rule_acceptance::ChangeKind;
use crate::{harmless, messages};

/// A sentence to read before deciding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The sentence, with control characters escaped.
    pub text: String,
    /// A shorter form, for a place without room for a path or a sentence.
    pub brief: Option<String>,
    /// Whether the note is a warning: accepting may do harm, or the person must know what the agent does next
    /// or what they cannot choose.
    pub warning: bool,
}

impl Note {
    /// Returns a note with a warning.
    pub fn warning(text: impl Into<String>) -> Self {
        Self { text: text.into(), brief: None, warning: true }
    }

    /// Returns a note that is no warning.
    pub fn info(text: impl Into<String>) -> Self {
        Self { text: text.into(), brief: None, warning: false }
    }

    /// Returns the note with this shorter form.
    fn with_brief(self, brief: impl Into<String>) -> Self {
        Self { brief: Some(brief.into()), ..self }
    }
}

/// Returns all notes of a review, warnings first.
pub fn notes(review: &Review, roots: &[PathBuf]) -> Vec<Note> {
    let mut notes: Vec<_> =
        messages::dangers(review).map(|(text, brief)| Note::warning(text).with_brief(brief)).collect();
    let path = Path::new(&review.file);
    if review.outside.is_none() {
        let real = harmless::name(&review.file);
        if path.components().any(|part| part == Component::ParentDir) {
            let text = format!("The path leads through `..`: {real}");
            notes.push(Note::warning(text).with_brief("path leads through .."));
        } else if !roots.is_empty() && !roots.iter().any(|root| path.starts_with(root)) {
            let text = format!("This file is outside the project: {real}");
            notes.push(Note::warning(text).with_brief("outside the project"));
        }
    }
    if review.stale {
        let text = "The file changed on disk; accepting undoes that change.";
        notes.push(Note::warning(text).with_brief("changed on disk"));
    }
    if review.dirty {
        let text = "An editor holds unsaved changes to the file.";
        notes.push(Note::warning(text).with_brief("unsaved in an editor"));
    }
    notes.extend(agent_remark(review).map(Note::warning));
    if let Some(why) = review.whole_file_only.as_deref().map(harmless::name) {
        let text = format!("You can only accept or reject this as a whole: {why}.");
        notes.push(Note::warning(text).with_brief(why));
    }
    notes.extend(messages::unawaited(review).map(|text| Note::info(text).with_brief("nobody waits for it")));
    let link = review.leads_to.as_deref().filter(|_| review.outside.is_none() && review.in_git.is_none());
    let link = link.map(|real| format!("A link leads to {}.", messages::file_name(real, roots)));
    notes.extend(link.map(Note::info));
    let asked = review.asked.as_deref().map(|why| format!("Why you are asked: {}.", harmless::name(why)));
    notes.extend(asked.map(Note::info));
    if review.parts > 1 {
        let agent = messages::agent_name(&review.agent);
        let text =
            format!("One of {} files of a patch: {agent} writes none before all are decided.", review.parts);
        notes.push(Note::info(text).with_brief(format!("one of {} files of a patch", review.parts)));
    }
    if let Some(reason) = review.reason.as_deref().map(harmless::name) {
        let text = format!("Your reason for {}: {reason}", messages::agent_name(&review.agent));
        notes.push(Note::info(text).with_brief("with a reason"));
    }
    notes.extend(encoding_notes(review));
    notes.extend(messages::coarse_changes(review).map(Note::info));
    notes
}

/// Returns the notes on differences of line endings and byte-order mark, which no hunk shows.
fn encoding_notes(review: &Review) -> impl Iterator<Item = Note> {
    let line_endings = review.file_line_ending.map(|ending| {
        let (text, brief) = match ending {
            LineEnding::Crlf => (
                "The file has CRLF line endings, the proposal LF (not shown below).",
                "file: CRLF, proposal: LF",
            ),
            LineEnding::Lf => (
                "The file has LF line endings, the proposal CRLF (not shown below).",
                "file: LF, proposal: CRLF",
            ),
        };
        Note::info(text).with_brief(brief)
    });
    let bom = review.file_has_bom.map(|file_has_it| {
        let (text, brief) = match file_has_it {
            true => (
                "The file begins with a byte-order mark, the proposal does not.",
                "file: BOM, proposal: no BOM",
            ),
            false => (
                "The proposal begins with a byte-order mark, the file does not.",
                "file: no BOM, proposal: BOM",
            ),
        };
        Note::info(text).with_brief(brief)
    });
    line_endings.into_iter().chain(bom)
}

/// Returns the remark on the agent's further step. A deletion takes place only if the whole text is removed.
fn agent_remark(review: &Review) -> Option<String> {
    match review.kind {
        Some(ChangeKind::Delete) if !review.current.is_empty() => {
            let agent = messages::agent_name(&review.agent);
            Some(format!("{agent} would delete this file; it stays, with the lines that you keep."))
        }
        _ => review.remark.as_deref().map(|remark| harmless::name(remark).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::{Hunk, Limit, Unawaited};
    use crate::review_model::open_review::tests::review;
    use crate::status::Agent;

    fn texts(review: &Review, roots: &[PathBuf]) -> Vec<String> {
        notes(review, roots).into_iter().map(|note| note.text).collect()
    }

    #[test]
    fn a_plain_review_has_no_notes() {
        assert_eq!(notes(&review(), &[]), []);
        assert_eq!(notes(&review(), &["/p".into()]), []);
    }

    #[test]
    fn warnings_come_first_and_are_escaped() {
        let mut review = review();
        review.outside = Some("/home/somebody/.ssh/config\x1b[8m".into());
        review.in_git = Some("/p/.git/hooks/a\x1b".into());
        review.stale = true;
        review.file_has_bom = Some(true);
        let notes = notes(&review, &["/elsewhere".into()]);
        let leads = r"This path leads outside the project, to /home/somebody/.ssh/config\x1b[8m";
        assert_eq!(notes[0].text, leads);
        assert_eq!(notes[1].text, r"Git runs or obeys this file: /p/.git/hooks/a\x1b");
        let warnings: Vec<_> = notes.iter().map(|note| note.warning).collect();
        assert_eq!(warnings, [true, true, true, false]);
        let brief: Vec<_> = notes.iter().filter_map(|note| note.brief.as_deref()).collect();
        assert_eq!(
            brief,
            ["OUTSIDE THE PROJECT", "RUN BY GIT", "changed on disk", "file: BOM, proposal: no BOM"]
        );
    }

    #[test]
    fn limits_of_the_comparison_are_no_warnings() {
        let limited = |limits: &[Option<Limit>]| {
            let hunk = review().hunks[0].clone();
            let hunks = limits.iter().map(|limit| Hunk { limit: *limit, ..hunk.clone() }).collect();
            texts(&Review { hunks, ..review() }, &[])
        };
        let (lines, words) = (Some(Limit::Lines), Some(Limit::Words));
        assert_eq!(limited(&[None, None]), [""; 0]);
        assert_eq!(limited(&[None, words]), [""; 0], "desks mark the words of lines by themselves");
        let two = "Too much differs to compare every line of 2 changes: some may be equal.";
        assert_eq!(limited(&[words, lines, None, lines]), [two]);
        let hunks = vec![Hunk { limit: lines, ..review().hunks[0].clone() }];
        assert!(!notes(&Review { hunks, ..review() }, &[])[0].warning, "it is no warning");
    }

    #[test]
    fn a_deletion_with_kept_lines_is_announced_as_an_edit() {
        let remark = Some("This deletes the file.".to_owned());
        let deletion = Review { kind: Some(ChangeKind::Delete), remark, ..review() };
        let stays = texts(&Review { current: "x\n".into(), ..deletion.clone() }, &[]);
        assert!(stays[0].ends_with("it stays, with the lines that you keep."), "{stays:?}");
        assert_eq!(texts(&Review { current: "".into(), ..deletion }, &[]), ["This deletes the file."]);
    }

    #[test]
    fn a_review_for_which_nobody_waits_says_so() {
        let agent = Agent { name: "Qwen Code".into(), ..Agent::default() };
        let said = |unawaited| notes(&Review { agent: agent.clone(), unawaited, ..review() }, &[]);
        let calls_again = said(Some(Unawaited::CallsAgain));
        assert_eq!(
            calls_again[0].text,
            "Qwen Code waits no longer: its model is asked to call the tool again."
        );
        assert!(!calls_again[0].warning, "it is no warning");
        let over = "Nobody waits for this: Qwen Code was asked to end its turn. Decide within ten minutes of \
                    that, then tell it to go on.";
        assert_eq!(said(Some(Unawaited::TurnOver))[0].text, over);
        assert_eq!(said(Some(Unawaited::Other))[0].text, "Qwen Code waits no longer.");
        assert_eq!(said(None), []);
    }

    #[test]
    fn a_path_that_leaves_the_roots_is_a_warning() {
        let mut review = review();
        let roots = [PathBuf::from("/elsewhere")];
        assert_eq!(texts(&review, &roots), ["This file is outside the project: /p/src/a.rs"]);
        review.file = "/elsewhere/../p/a.rs".into();
        assert_eq!(texts(&review, &roots), ["The path leads through `..`: /elsewhere/../p/a.rs"]);
    }
}
