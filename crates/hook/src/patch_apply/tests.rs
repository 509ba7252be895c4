//! Tests that patches apply exactly or not at all.

use super::*;
use crate::patch_grammar::Patch;

fn change(section: &str) -> FileChange {
    let patch = Patch::parse(&format!("*** Begin Patch\n{section}\n*** End Patch")).unwrap();
    patch.files.into_iter().next().unwrap()
}

fn update(original: &str, chunks: &str) -> Result<String, DoesNotApply> {
    apply(&change(&format!("*** Update File: f\n{chunks}")), Some(original)).map(Option::unwrap)
}

#[track_caller]
fn assert_updated(original: &str, chunks: &str, expected: &str) {
    assert_eq!(update(original, chunks).as_deref(), Ok(expected));
}

#[track_caller]
fn assert_does_not_apply(original: &str, chunks: &str, line: usize) {
    assert_eq!(update(original, chunks).unwrap_err().line, line);
}

#[test]
fn a_chunk_replaces_its_old_lines() {
    assert_updated("a\nb\nc\n", "@@\n a\n-b\n+B\n+BB\n c", "a\nB\nBB\nc\n");
    assert_updated("a\nb\nc\n", "-a\n-b\n-c", "");
}

#[test]
fn a_chunk_applies_to_the_first_place_below_the_last_chunk() {
    assert_updated("a\nb\na\na\n", "@@\n-a\n+1\n@@\n-a\n+2", "1\nb\n2\na\n");
    assert_does_not_apply("a\nb\n", "@@\n-b\n@@\n-a", 5);
    assert_does_not_apply("a\nb\nc\n", "@@\n-a\n-b\n@@\n-b\n-c", 6);
}

#[test]
fn a_header_is_a_whole_line_above_its_chunk() {
    assert_updated("x\nfn b\nx\n", "@@ fn b\n-x\n+y", "x\nfn b\ny\n");
    assert_does_not_apply("x\nfn b \nx\n", "@@ fn b\n-x\n+y", 3);
    assert_does_not_apply("x\n  fn b\nx\n", "@@ fn b\n-x\n+y", 3);
    assert_does_not_apply("x\nfn b\n", "@@ fn b\n-x\n+y", 3);
    assert_does_not_apply("x\nfn b\ny\n", "@@ fn b\n-fn b", 3);
}

#[test]
fn a_header_is_searched_below_the_last_chunk() {
    assert_updated("h\na\nh\na\n", "@@ h\n-a\n@@ h\n-a\n+b", "h\nh\nb\n");
    assert_does_not_apply("h\na\n", "@@\n-a\n@@ h\n-a", 5);
}

#[test]
fn a_chunk_without_old_lines_goes_to_the_end() {
    assert_updated("a\nb\nc\n", "@@ a\n+1\n@@\n-b\n@@\n+2", "a\nc\n1\n2\n");
    assert_updated("", "@@\n+1", "1\n");
    assert_updated("a\n\n", "@@\n+1", "a\n\n1\n");
    assert_updated("a", "@@\n+1", "a\n1\n");
    assert_does_not_apply("a\n", "@@ b\n+1", 3);
}

/// Codex replaces only the lines between the context lines. Of two insertions at one place, the first one in
/// the patch comes first.
#[test]
fn insertions_at_the_end_stand_in_the_order_of_their_chunks() {
    assert_updated("a\nc\n", "@@\n+1\n@@\n c\n+2", "a\nc\n1\n2\n");
    assert_updated("a\nc\n", "@@\n c\n+2\n@@\n+1", "a\nc\n2\n1\n");
    assert_updated("a\nc\n", "@@\n+1\n@@\n-c\n+c\n+2", "a\nc\n2\n1\n");
    assert_updated("a\nb\nc\n", "@@\n+1\n@@\n-b\n+B\n c\n+2", "a\nB\nc\n1\n2\n");
    assert_updated("a\nb\n", "@@\n a\n+x\n@@\n+y\n-b", "a\nx\ny\n");
}

#[test]
fn end_of_file_means_the_last_lines() {
    assert_updated("a\nb\na\n", "@@\n-a\n+c\n*** End of File", "a\nb\nc\n");
    assert_updated("a", "@@\n-a\n+c\n*** End of File", "c\n");
    assert_does_not_apply("a\nb\n", "@@\n-a\n*** End of File", 3);
    assert_does_not_apply("ba\n", "@@\n-a\n*** End of File", 3);
    assert_does_not_apply("a\nb\n", "@@\n-a\n-b\n@@\n-b\n*** End of File", 6);
}

#[test]
fn a_context_line_that_differs_in_spaces_does_not_apply() {
    assert_does_not_apply("a\nb\n", "@@\n a \n-b", 3);
    assert_does_not_apply("\ta\nb\n", "@@\n     a\n-b", 3);
    assert_does_not_apply("a  \nb\n", "@@\n a\n-b", 3);
}

#[test]
fn a_line_that_differs_in_quotes_does_not_apply() {
    assert_does_not_apply("\u{201c}a\u{201d}\n", "@@\n-\"a\"", 3);
    assert_does_not_apply("a \u{2014} b\n", "@@\n-a - b", 3);
    assert_does_not_apply("a\u{a0}b\n", "@@\n-a b", 3);
    assert_does_not_apply("e\u{301}\n", "@@\n-\u{e9}", 3);
}

#[test]
fn a_part_of_a_line_does_not_match() {
    assert_does_not_apply("ab\nc\n", "@@\n-b\n-c", 3);
    assert_does_not_apply("a\nbc\n", "@@\n-a\n-b", 3);
    assert_updated("aa\na\na\n", "@@\n-a\n-a\n+b", "aa\nb\n");
}

#[test]
fn a_superfluous_empty_line_does_not_apply() {
    assert_does_not_apply("a\n", "@@\n-a\n+b\n\n*** Delete File: g", 3);
}

#[test]
fn an_updated_file_ends_in_a_newline() {
    assert_updated("a\nb", "@@\n-a\n+c", "c\nb\n");
    assert_updated("a\nb", "@@\n-b\n+c", "a\nc\n");
    assert_updated("a\n\n", "@@\n-a\n+c", "c\n\n");
    assert_updated("a\nb", "@@\n-a\n-b", "");
}

#[test]
fn lines_keep_their_ends_and_new_lines_get_the_first_of_the_file() {
    assert_updated("a\r\nb\r\n", "@@\n-b\n+c", "a\r\nc\r\n");
    assert_updated("a\r\nb\nc\n", "@@\n a\n-b\n+B\n+BB\n c", "a\r\nB\r\nBB\r\nc\n");
    assert_updated("a\nb\nc\r\n", "@@\n-c\n+C", "a\nb\nC\n");
    assert_updated("a\r\nb\nc", "@@\n-b\n+b", "a\r\nb\r\nc\r\n");
}

/// Some releases treat it as a line end, others as a part of the line.
#[test]
fn no_patch_applies_to_a_carriage_return_within_a_line() {
    assert_does_not_apply("a\rb\nc\n", "@@\n-c\n+d", 2);
    assert_does_not_apply("a\r\r\nc\n", "@@\n-c\n+d", 2);
    assert_does_not_apply("a\nb\r", "@@\n-a\n+d", 2);
}

#[test]
fn an_added_file_replaces_an_existing_one() {
    let add = change("*** Add File: f\n+a");
    assert_eq!(apply(&add, None).unwrap().as_deref(), Some("a\n"));
    assert_eq!(apply(&add, Some("b\r\n")).unwrap().as_deref(), Some("a\n"));
}

#[test]
fn a_missing_file_is_neither_updated_nor_deleted() {
    assert_eq!(apply(&change("*** Update File: f\n@@\n+a"), None).unwrap_err().line, 2);
    assert_eq!(apply(&change("*** Delete File: f"), None).unwrap_err().line, 2);
    assert_eq!(apply(&change("*** Delete File: f"), Some("a")), Ok(None));
}

#[test]
fn an_error_names_the_line_and_the_reason() {
    let error = update("a\n", "@@\n-b").unwrap_err();
    let expected = "the patch does not apply at its line 3: the file has no such lines, or only further up; \
                    read the file again, and write whole lines exactly as they stand there, with \
                    indentation, blanks at the end, quotes and dashes";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn repeated_lines_take_linear_time() {
    let file = "a\n".repeat(500_000);
    let removed = "-a\n".repeat(250_000);
    assert_does_not_apply(&file, &format!("@@\n{removed}-b"), 3);
    assert_updated(&file, &format!("@@\n{removed}+b"), &format!("b\n{}", "a\n".repeat(250_000)));
}
