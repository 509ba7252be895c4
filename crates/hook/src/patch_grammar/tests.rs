//! Tests the grammar of patches, and texts that are not patches.

use super::*;

fn parsed(body: &str) -> Result<Vec<FileChange>, Malformed> {
    Patch::parse(&format!("*** Begin Patch\n{body}\n*** End Patch")).map(|patch| patch.files)
}

fn chunks(body: &str) -> Vec<Chunk> {
    match parsed(&format!("*** Update File: f\n{body}")).unwrap().remove(0).change {
        Change::Update { chunks, .. } => chunks,
        other => panic!("{other:?}"),
    }
}

/// Returns the context and the added lines.
fn new_lines(chunk: &Chunk) -> String {
    let mut old = chunk.old.split_inclusive('\n');
    let mut lines = String::new();
    for Step { kept, removed, added } in &chunk.steps {
        lines.extend(old.by_ref().take(*kept));
        old.by_ref().take(*removed).for_each(drop);
        lines.push_str(added);
    }
    assert_eq!(old.next(), None, "the steps are those of the old lines");
    lines
}

#[track_caller]
fn assert_malformed(body: &str, line: usize, why: &str) {
    let error = parsed(body).unwrap_err();
    assert_eq!(error.line, line, "{error}");
    assert!(error.why.contains(why), "{error}");
}

#[test]
fn a_patch_has_sections_of_three_kinds() {
    let files = parsed(
        "*** Add File: new/a.rs\n+one\n+\n+*** End Patch\n*** Delete File: old b.rs\n\
         *** Update File: c.rs\n*** Move to: d.rs\n@@ fn main() {\n context\n-removed\n+added\n\
         *** End of File",
    )
    .unwrap();
    let chunk = Chunk {
        line: 9,
        header: Some("fn main() {".to_owned()),
        old: "context\nremoved\n".to_owned(),
        steps: vec![Step { kept: 1, removed: 1, added: "added\n".to_owned() }],
        end_of_file: true,
    };
    let expected = [
        FileChange {
            path: "new/a.rs".to_owned(),
            line: 2,
            change: Change::Add { text: "one\n\n*** End Patch\n".to_owned() },
        },
        FileChange { path: "old b.rs".to_owned(), line: 6, change: Change::Delete },
        FileChange {
            path: "c.rs".to_owned(),
            line: 7,
            change: Change::Update { move_to: Some("d.rs".to_owned()), chunks: vec![chunk] },
        },
    ];
    assert_eq!(files, expected);
}

#[test]
fn whitespace_around_the_patch_is_no_part_of_it() {
    let patch = Patch::parse("\n \t*** Begin Patch \n*** Delete File: f\n  *** End Patch \r\n\n").unwrap();
    assert_eq!(patch.files.len(), 1);
    assert_eq!(patch.files[0].line, 3);
}

#[test]
fn only_the_first_chunk_may_lack_its_marker() {
    let chunks = chunks(" a\n-b\n@@\n+c\n@@ d\n-e");
    assert_eq!(chunks.iter().map(|chunk| chunk.line).collect::<Vec<_>>(), [3, 5, 7]);
    assert_eq!(chunks[0].header, None);
    assert_eq!(chunks[2].header.as_deref(), Some("d"));
    assert_malformed("*** Update File: f\n@@\n-b\n*** End of File\n-c", 6, "expected `@@`");
}

#[test]
fn an_empty_line_in_a_chunk_is_empty_context() {
    let chunks = chunks("@@\n\n-b\n\n+c");
    assert_eq!((chunks[0].old.as_str(), new_lines(&chunks[0]).as_str()), ("\nb\n\n", "\n\nc\n"));
}

#[test]
fn empty_lines_after_the_end_of_the_file_are_skipped() {
    let files = parsed("*** Update File: f\n-b\n*** End of File\n\n \n@@\n+c\n*** Delete File: g").unwrap();
    assert_eq!(files.len(), 2);
}

#[test]
fn an_empty_line_before_the_first_chunk_is_malformed() {
    assert_malformed("*** Update File: f\n\n@@\n-b", 3, "expected `@@`");
    assert_malformed("*** Update File: f\n  \n-b", 3, "expected `@@`");
}

#[test]
fn lines_may_look_like_markers_after_their_sign() {
    let chunks = chunks("@@\n *** End Patch\n-@@ x\n+*** Delete File: g");
    assert_eq!(chunks[0].old, "*** End Patch\n@@ x\n");
    assert_eq!(new_lines(&chunks[0]), "*** End Patch\n*** Delete File: g\n");
}

#[test]
fn a_text_without_its_first_or_last_line_is_malformed() {
    for (text, line) in [
        ("", 1),
        ("*** Begin Patch", 1),
        ("\n*** Begin Patch\n*** Delete File: f\n", 3),
        ("*** Delete File: f\n*** End Patch", 1),
        ("x*** Begin Patch\n*** Delete File: f\n*** End Patch", 1),
        ("*** Begin Patch\n*** Delete File: f\n*** End Patchx", 3),
        ("*** Begin Patch *** End Patch", 1),
    ] {
        let error = Patch::parse(text).unwrap_err();
        assert!(error.why.contains("Begin Patch") || error.why.contains("End Patch"), "{text:?}: {error}");
        assert_eq!(error.line, line, "{text:?}: {error}");
    }
}

#[test]
fn text_after_the_end_of_the_patch_is_malformed() {
    assert_malformed("*** Delete File: f\n*** End Patch\nmore", 3, "expected `*** Add File: `");
}

#[test]
fn a_here_document_is_malformed() {
    for start in ["<<EOF", "<<'EOF'", "apply_patch <<'EOF'"] {
        let text = format!("{start}\n*** Begin Patch\n*** Delete File: f\n*** End Patch\nEOF\n");
        assert_eq!(Patch::parse(&text).unwrap_err().line, 1);
    }
}

#[test]
fn a_patch_for_another_environment_is_malformed() {
    assert_malformed("*** Environment ID: remote\n*** Delete File: f", 2, "files of this machine");
}

#[test]
fn a_patch_without_changes_is_malformed() {
    assert_eq!(Patch::parse("*** Begin Patch\n*** End Patch").unwrap_err().why, "the patch changes no file");
    assert_malformed("", 2, "expected `*** Add File: `");
    assert_malformed("*** Update File: f", 2, "no lines");
    assert_malformed("*** Update File: f\n*** Move to: g\n*** Delete File: h", 2, "no lines");
    assert_malformed("*** Update File: f\n@@ x\n*** Delete File: h", 3, "no lines");
    assert_malformed("*** Update File: f\n@@ x\n@@ y\n-a", 3, "no lines");
    assert_malformed("*** Update File: f\n@@\n*** End of File", 3, "no lines");
    assert_malformed("*** Update File: f\n*** End of File", 2, "no lines");
}

#[test]
fn lines_without_a_sign_are_malformed() {
    assert_malformed("*** Add File: f\n+a\nb", 4, "expected `*** Add File: `");
    assert_malformed("*** Add File: f\n+a\n", 4, "expected `*** Add File: `");
    assert_malformed("*** Delete File: f\n-a", 3, "expected `*** Add File: `");
    assert_malformed("*** Update File: f\n@@\n-a\nb", 5, "expected `@@`");
    assert_malformed("*** Update File: f\n@@\n-a\n\tb", 5, "expected `@@`");
    assert_malformed("*** Update File: f\n@@x\n-a", 3, "expected `@@`");
}

#[test]
fn a_marker_is_at_the_start_of_its_line() {
    assert_malformed(" *** Delete File: f", 2, "expected `*** Add File: `");
    assert_malformed("*** Add File: f\n+a\n *** Delete File: g", 4, "expected `*** Add File: `");
    assert_malformed("*** add file: f\n+a", 2, "expected `*** Add File: `");
}

#[test]
fn a_move_is_directly_below_the_path() {
    assert_malformed("*** Update File: f\n@@\n-a\n*** Move to: g", 5, "expected `*** Add File: `");
    assert_malformed("*** Add File: f\n*** Move to: g", 3, "expected `*** Add File: `");
}

#[test]
fn paths_and_headers_do_not_end_in_whitespace() {
    assert_malformed("*** Delete File: f ", 2, "whitespace");
    assert_malformed("*** Delete File: f\u{a0}", 2, "whitespace");
    assert_malformed("*** Delete File:  ", 2, "whitespace");
    assert_malformed("*** Delete File: ", 2, "whitespace");
    assert_malformed("*** Delete File:", 2, "expected `*** Add File: `");
    assert_malformed("*** Update File: f\n*** Move to: g\t\n@@\n-a", 3, "whitespace");
    assert_malformed("*** Update File: f\n@@ \n-a", 3, "whitespace");
    assert_malformed("*** Update File: f\n@@ a \n-a", 3, "whitespace");
}

#[test]
fn a_carriage_return_is_malformed() {
    assert_malformed("*** Add File: f\n+a\n+b\r\n+c", 4, "carriage returns");
    assert_malformed("*** Delete File: f\rg", 2, "carriage returns");
}

#[test]
fn a_path_that_occurs_twice_is_malformed() {
    assert_malformed("*** Delete File: f\n*** Add File: f\n+a", 3, "twice");
    assert_malformed("*** Update File: f\n*** Move to: f\n-a", 2, "twice");
    assert_malformed("*** Delete File: f\n*** Update File: g\n*** Move to: f\n-a", 3, "twice");
}

#[test]
fn a_new_file_may_be_empty() {
    let files = parsed("*** Add File: f").unwrap();
    assert_eq!(files[0].change, Change::Add { text: String::new() });
}

#[test]
fn an_error_names_the_line_and_the_reason() {
    let error = Patch::parse("hello").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 1 of the patch: expected `*** Begin Patch`, without a here-document or anything before"
    );
}
