//! The notes that a person reads before they decide on a review.

use std::path::{Component, Path, PathBuf};

use crate::review::{LineEnding, Review};
use crate::rules::ChangeKind;
use crate::{harmless, messages};

/// A sentence to read before deciding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The sentence, rendered harmless.
    pub text: String,
    /// Whether accepting may do harm.
    pub warning: bool,
}

/// All notes of a review, warnings first.
pub fn notes(review: &Review, roots: &[PathBuf]) -> Vec<Note> {
    let mut warnings: Vec<String> = messages::dangers(review).collect();
    let path = Path::new(&review.file);
    if review.outside.is_none() {
        let real = harmless::name(&review.file);
        if path.components().any(|part| part == Component::ParentDir) {
            warnings.push(format!("The path leads through `..`: {real}"));
        } else if !roots.is_empty() && !roots.iter().any(|root| path.starts_with(root)) {
            warnings.push(format!("This file is outside the project: {real}"));
        }
    }
    if review.stale {
        warnings.push("The file changed on disk; accepting undoes that change.".into());
    }
    if review.dirty {
        warnings.push("An editor holds unsaved changes to the file.".into());
    }
    warnings.extend(remark(review));
    if let Some(why) = &review.whole_file_only {
        warnings.push(format!("You can only accept or reject this as a whole: {}.", harmless::name(why)));
    }
    let line_endings = review.file_line_ending.map(|ending| match ending {
        LineEnding::Crlf => "The file has CRLF line endings, the proposal LF (not shown below).",
        LineEnding::Lf => "The file has LF line endings, the proposal CRLF (not shown below).",
    });
    let mark = review.file_has_bom.map(|file_has_it| match file_has_it {
        true => "The file begins with a byte-order mark, the proposal does not.",
        false => "The proposal begins with a byte-order mark, the file does not.",
    });
    let limits = messages::coarse_changes(review);
    let reason = review.reason.as_deref().map(|reason| {
        format!("Your reason for {}: {}", messages::agent_name(&review.agent), harmless::name(reason))
    });
    let parts = (review.parts > 1).then(|| {
        let agent = messages::agent_name(&review.agent);
        format!("One of {} files of a patch: {agent} writes none before all are decided.", review.parts)
    });
    let link = review.leads_to.as_deref().filter(|_| review.outside.is_none() && review.in_git.is_none());
    let link = link.map(|real| format!("A link leads to {}.", messages::file_name(real, roots)));
    let asked = review.asked.as_deref().map(|why| format!("Why you are asked: {}.", harmless::name(why)));
    let own = link.into_iter().chain(asked).chain(parts).chain(reason);
    let remarks = own.chain(line_endings.into_iter().chain(mark).map(str::to_owned)).chain(limits);
    let warnings = warnings.into_iter().map(|text| Note { text, warning: true });
    warnings.chain(remarks.map(|text| Note { text, warning: false })).collect()
}

/// The agent's further step. A deletion takes place only where all of the text goes.
fn remark(review: &Review) -> Option<String> {
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
    use crate::review::{Hunk, Limit};
    use crate::review_model::open_review::tests::review;

    fn texts(review: &Review, roots: &[PathBuf]) -> Vec<String> {
        notes(review, roots).into_iter().map(|note| note.text).collect()
    }

    #[test]
    fn a_plain_review_has_no_notes() {
        assert_eq!(notes(&review(), &[]), []);
        assert_eq!(notes(&review(), &["/p".into()]), []);
    }

    #[test]
    fn dangers_come_first_and_are_harmless() {
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
    }

    #[test]
    fn limits_of_the_comparison_are_told() {
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
        assert!(!notes(&Review { hunks, ..review() }, &[])[0].warning, "it does no harm");
    }

    #[test]
    fn a_deletion_of_which_something_stays_is_none() {
        let remark = Some("This deletes the file.".to_owned());
        let deletion = Review { kind: Some(ChangeKind::Delete), remark, ..review() };
        let stays = texts(&Review { current: "x\n".into(), ..deletion.clone() }, &[]);
        assert!(stays[0].ends_with("it stays, with the lines that you keep."), "{stays:?}");
        assert_eq!(texts(&Review { current: "".into(), ..deletion }, &[]), ["This deletes the file."]);
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
