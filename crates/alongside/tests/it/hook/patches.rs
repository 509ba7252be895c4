//! The patches of Codex: those that are reviewed, and ambiguous ones that Codex would apply by a guess.

use insta::assert_snapshot;

use super::{ORIGINAL, decides, patch, refused};
use crate::support::serving;

#[tokio::test]
async fn two_spellings_of_one_file_in_a_patch_are_refused() {
    let (home, _desk) = serving().await;
    home.file("a.txt", ORIGINAL);
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+ONE\n*** Update File: ./a.txt\n\
                 @@\n-two\n+TWO\n*** End Patch";
    let answer = super::patch(&home, patch).await.answer().await;
    let reason = "Nothing was written: ./a.txt is the same file as another one of the patch.";
    assert_eq!(refused(&answer), reason);
}

/// Codex would apply each of these patches differently from its text.
#[tokio::test]
async fn a_patch_that_codex_would_guess_at_is_refused_with_advice() {
    let (home, _desk) = serving().await;
    home.file("a.txt", "fn a() {\n    one\n    two – two\n}\n");
    home.file("cr.txt", "one\rtwo\n");
    let mut reasons = String::new();
    for (what, sections) in [
        ("its own name", "*** Update File: a.txt\n*** Move to: a.txt\n@@\n-    one\n+    1"),
        ("header", "*** Update File: a.txt\n@@ one\n-    two – two\n+    2"),
        ("blanks", "*** Update File: a.txt\n@@\n-    one \n+    1"),
        ("indentation", "*** Update File: a.txt\n@@\n-  one\n+  1"),
        ("dashes", "*** Update File: a.txt\n@@\n-    two - two\n+    2"),
        ("end", "*** Update File: a.txt\n@@\n-    one\n+    1\n*** End of File"),
        ("CRLF", "*** Update File: a.txt\r\n@@\r\n-    one\r\n+    1"),
        ("CR in the file", "*** Update File: cr.txt\n@@\n-two\n+2"),
        ("environment", "*** Environment ID: remote\n*** Update File: a.txt\n@@\n-    one\n+    1"),
        ("absent", "*** Update File: b.txt\n@@\n-    one\n+    1"),
    ] {
        let text = format!("*** Begin Patch\n{sections}\n*** End Patch");
        reasons += &format!("{what}: {}\n", refused(&patch(&home, &text).await.answer().await));
    }
    let here = "<<'EOF'\n*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\nEOF\n";
    reasons += &format!("here-document: {}\n", refused(&patch(&home, here).await.answer().await));
    assert_snapshot!(home.stable(reasons));
}

#[tokio::test]
async fn two_paths_that_lead_to_one_file_through_a_link_are_refused() {
    let (home, _desk) = serving().await;
    home.file("a.txt", ORIGINAL);
    home.directory("project/sub/below");
    std::os::unix::fs::symlink("a.txt", home.project.join("link.txt")).unwrap();
    std::os::unix::fs::symlink("sub", home.project.join("other")).unwrap();
    std::fs::hard_link(home.project.join("a.txt"), home.project.join("name.txt")).unwrap();
    for (one, other) in [
        ("a.txt", "link.txt"),
        ("link.txt", "a.txt"),
        ("a.txt", "name.txt"),
        ("sub/below/new/b", "other/below/new/b"),
    ] {
        let update = |path: &str| match path.ends_with('b') {
            true => format!("*** Add File: {path}\n+x\n"),
            false => format!("*** Update File: {path}\n@@\n-one\n+ONE\n"),
        };
        let text = format!("*** Begin Patch\n{}{}*** End Patch", update(one), update(other));
        let reason = refused(&patch(&home, &text).await.answer().await);
        assert!(reason.contains("the same file"), "{reason}");
    }
}

/// A decision on one change is not used for a different change of the same file to the same text.
#[tokio::test]
async fn a_decision_counts_for_no_other_operation_and_no_other_bytes() {
    let (home, mut desk) = serving().await;
    home.file("a.txt", "one\n");
    let begun = |sections: &str| format!("*** Begin Patch\n{sections}\n*** End Patch");
    for (seen, unseen) in [
        ("*** Add File: new.txt\n+one", "*** Update File: a.txt\n*** Move to: new.txt\n@@\n one"),
        ("*** Update File: a.txt\n@@\n-one", "*** Delete File: a.txt"),
    ] {
        let first = patch(&home, &begun(seen)).await;
        decides(&mut desk, "a").await;
        if seen.ends_with("-one") {
            desk.answers("Its only line goes: the file will be empty. Accept that [y,n]? ", "y").await;
        }
        assert_eq!(first.answer().await["hookSpecificOutput"]["permissionDecision"], "allow");
        let second = patch(&home, &begun(unseen)).await;
        // A move need not change a line.
        desk.answers("[", "r").await;
        assert!(refused(&second.answer().await).contains("rejected all of it"), "{unseen}");
    }
}
