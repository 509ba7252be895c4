//! Tests of the header and the summary of a review.

use std::path::MAIN_SEPARATOR;

use super::*;

fn summary(review: &Review, roots: &[PathBuf]) -> String {
    super::summary(review, SeenPart::changes(1, 1), roots)
}

#[test]
fn a_warning_above_a_review_has_its_colour() {
    let review = Review { stale: true, ..middle() };
    let shown = header(&review, &["/p".into()], Inks { on: true });
    assert!(shown.contains("  note: \x1b[33mThe file changed on disk; accepting undoes that change.\x1b[0m"));
}

#[test]
fn the_header_does_not_blame_the_agent_for_edits() {
    let mut review = middle();
    review.current = review.current.replace("8\n", "eight\nand a half\n").into();
    let edited = kept(lines(7, 8), lines(7, 8));
    review.hunks.push(Hunk { current: lines(7, 9), state: HunkState::Edited, ..edited });
    let title = |review: &Review| header(review, &["/p".into()], PLAIN).replace(MAIN_SEPARATOR, "/");
    insta::assert_snapshot!(title(&review), @"src/a.rs: Gemini CLI's proposal, 2 changes now (+3 -2)");
    review.hunks[0].state = HunkState::Dropped;
    insta::assert_snapshot!(title(&review), @"src/a.rs: Gemini CLI's proposal, 2 changes now (+2 -1)");
}

#[test]
fn the_header_names_file_agent_size_and_notes() {
    let mut review = middle();
    let roots = [PathBuf::from("/elsewhere"), PathBuf::from("/p")];
    let title = header(&review, &roots, PLAIN);
    insta::assert_snapshot!(title, @"p/src/a.rs: Gemini CLI proposes 1 change (+1 -1)");
    review.file = "/other/\x1b[31ma.rs".into();
    review.agent.name = "evil\u{202e}".into();
    review.file_line_ending = Some(LineEnding::Crlf);
    review.file_has_bom = Some(true);
    review.stale = true;
    review.dirty = true;
    insta::assert_snapshot!(header(&review, &roots, PLAIN), @r"
    /other/\x1b[31ma.rs: evil\u{202e} proposes 1 change (+1 -1)
      note: This file is outside the project: /other/\x1b[31ma.rs
      note: The file changed on disk; accepting undoes that change.
      note: An editor holds unsaved changes to the file.
      note: The file has CRLF line endings, the proposal LF (not shown below).
      note: The file begins with a byte-order mark, the proposal does not.
    ");
    let emptied = self::review("a\n", "", vec![kept(lines(0, 1), lines(0, 0))]);
    insta::assert_snapshot!(header(&emptied, &roots, PLAIN), @r"
    p/src/a.rs: Gemini CLI proposes an empty file (+0 -1)
      note: It empties the file.
    ");
    let mut new = self::review("", "a\nb\n", vec![kept(lines(0, 0), lines(0, 2))]);
    new.original = None;
    let title = header(&new, &roots, PLAIN);
    insta::assert_snapshot!(title, @"p/src/a.rs: Gemini CLI proposes a new file (+2 -0)");
    new.whole_file_only = Some("the file on disk is not text".into());
    insta::assert_snapshot!(header(&new, &roots, PLAIN), @r"
    p/src/a.rs: Gemini CLI proposes the whole file (+2 -0)
      note: You can only accept or reject this as a whole: the file on disk is not text.
    ");
}

#[test]
fn the_summary_counts_the_states_of_the_changes() {
    let mut review = middle();
    let roots = [PathBuf::from("/p/src")];
    insta::assert_snapshot!(summary(&review, &roots), @"a.rs: 1 change: 1 kept.");
    let unseen = super::summary(&review, SeenPart::changes(0, 1), &roots);
    assert_eq!(unseen, "a.rs: 1 change: 1 kept; seen 0 of 1 changes.");
    review.current = review.original.clone().unwrap();
    assert_eq!(
        summary(&review, &roots),
        "a.rs: nothing is left of the proposal; the file would stay as it is."
    );
    review.file_line_ending = Some(LineEnding::Crlf);
    let dropped = "a.rs: nothing is left of the proposal; the file would stay as it is.";
    assert_eq!(summary(&review, &roots), dropped);
    review.proposed = review.current.clone();
    assert_eq!(summary(&review, &roots), "a.rs: nothing but other line ends.");
}

#[test]
fn a_path_out_of_the_project_is_the_first_note() {
    let mut review = review("a\n", "b\n", Vec::new());
    review.whole_file_only = Some("the file on disk is not text".into());
    review.outside = Some("/home/somebody/.ssh/config\x1b[8m".into());
    review.in_git = Some("/p/.git/hooks/a\x1b".into());
    let header = header(&review, &["/p".into()], PLAIN);
    let notes: Vec<_> = header.lines().skip(1).take(2).collect();
    assert_eq!(
        notes,
        [
            r"  note: This path leads outside the project, to /home/somebody/.ssh/config\x1b[8m",
            r"  note: Git runs or obeys this file: /p/.git/hooks/a\x1b"
        ]
    );
}
