//! Editing a proposal in the person's own editor, from line mode.

use rustix::process::Signal;

use super::*;

#[tokio::test]
async fn a_proposal_is_edited_in_the_editor_of_the_person() {
    let (home, file) = Home::with_file("notes.md", "one\ntwo\n");
    let editor = home.path("home/editor");
    std::fs::write(
        &editor,
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HOME/seen\"\nsed -i 's/TWO/two, by hand/' \"$2\"\n",
    )
    .unwrap();
    let mut desk =
        home.start(home.alongside(&["review"]).env("EDITOR", format!("sh '{}' --flag", editor.display())));
    let (_agent, diff) = home.proposes(&file, "one\nTWO\n").await;

    // Keeping an edited hunk keeps the edit, and undo restores the proposal.
    desk.answers_all(&["e", "y", "u", "s", "u", "e", "a"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("one\ntwo, by hand\n"));
    assert_snapshot!(home.dialogue(&mut desk, "writes it.\n").await);
    let seen = std::fs::read_to_string(home.path("home/seen")).unwrap();
    assert!(seen.starts_with("--flag\n/") && seen.trim_end().ends_with("/notes.md"), "{seen}");
    let left = crate::support::files_below(home.path("tmp"));
    assert!(!left.iter().any(|path| path.ends_with("notes.md")), "the edited copy is removed: {left:?}");
}

/// The editor removes a change that was decided already. Line mode still asks about the change on the screen.
#[tokio::test]
async fn an_edit_that_removes_hunks_skips_no_other() {
    let (home, file) = Home::with_file("numbers.txt", ORIGINAL);
    let script = "#!/bin/sh\ncase $(cat \"$1\") in \
        *SEVEN*) sed -i s/SEVEN/seven/ \"$1\";; *) sed -i s/seven/SEVEN/ \"$1\";; esac\n";
    std::fs::write(home.path("home/editor"), script).unwrap();
    let editor = format!("sh '{}'", home.path("home/editor").display());
    let mut desk = home.review_with_editor(editor);
    let (_agent, _diff) = home.proposes(&file, PROPOSED).await;

    desk.answers_all(&["e", "y", "y", "y"]).await;
    desk.answers("(4/4) keep this change [y,n,s,e,a,r,u,?]? ", "e").await;
    assert_snapshot!(home.stable(desk.shows("]? ").await));
}

#[tokio::test]
async fn an_editor_that_fails_loses_nothing() {
    let (home, file) = Home::with_file("notes.md", "one\ntwo\n");
    let editor = "sh -c 'echo precious > \"$0\"; exit 3'";
    let mut desk = home.start(home.alongside(&["review"]).env("VISUAL", editor));
    let (_agent, diff) = home.proposes(&file, "one\nTWO\n").await;

    desk.answers("(1/1) keep", "e").await;
    desk.shows("The review is unchanged: the editor ended with exit code 3. Your text is in ").await;
    let path = desk.shows("/notes.md.").await;
    assert_eq!(std::fs::read_to_string(path.trim_end_matches('.')).unwrap(), "precious\n");
    desk.answers("(1/1) keep", "a").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("one\nTWO\n"));
}

#[tokio::test]
async fn a_missing_final_newline_survives_the_editor() {
    let (home, file) = Home::with_file("notes.md", "one\n");
    let (mut desk, _agent, diff) =
        home.proposal(&file, "one\ntwo", home.review_with_editor("sed -i -e 's/two/three/' -e '$a\\'")).await;

    desk.answers_all(&["e", "a"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("one\nthree"));
    assert_snapshot!(home.dialogue(&mut desk, "writes it.\n").await);
}

#[tokio::test]
async fn the_agent_takes_the_text_saved_in_an_open_editor() {
    // The desk has 150 ms to send the saved text, which may be too short on a busy machine: the test tries
    // again.
    for _ in 0..5 {
        if is_taken_from_an_open_editor().await {
            return;
        }
    }
    panic!("the agent is given what it proposed, and not what was saved");
}

/// Whether the agent gets the text that was saved in an open editor, and not the text that it proposed.
async fn is_taken_from_an_open_editor() -> bool {
    let (home, file) = Home::with_file("notes.md", "one\n");
    // The editor saves, tells the test, and stays open until the test tells it to end.
    let editor = "sh -c 'echo typed > \"$0\"; touch \"$HOME/saved\"; \
        while [ ! -e \"$HOME/close\" ]; do sleep 0.02; done'";
    let mut desk = home.review_with_editor(editor);
    let (agent, _diff) = home.proposes(&file, "two\n").await;

    desk.answers("(1/1) keep", "e").await;
    until("the editor to save", || home.path("home/saved").exists().then_some(())).await;
    let text = soon("closeDiff", agent.close_diff(&file, false)).await.unwrap();
    std::fs::write(home.path("home/close"), "").unwrap();
    if text.as_deref() == Some("two\n") {
        return false;
    }
    assert_eq!(text.as_deref(), Some("typed\n"));
    desk.shows("notes.md: answered in Gemini CLI.").await;
    // The desk may learn first of the end of the editor or of the end of the review.
    let either = ["The review ended after it took your saved text.", "Edit applied"];
    let said = || either.iter().any(|words| desk.out.text().contains(words)).then_some(());
    until("what became of the text", said).await;
    true
}

#[tokio::test]
async fn saved_text_is_in_drafts_however_the_program_ends() {
    for signal in [Signal::KILL, Signal::TERM] {
        let (home, file) = Home::with_file("notes.md", "one\n");
        let editor = "sh -c 'echo typed > \"$0\"; exec sleep 60'";
        let mut desk = home.review_with_editor(editor);
        let (_agent, _diff) = home.proposes(&file, "two\n").await;
        desk.answers("(1/1) keep", "e").await;
        let draft = || (home.run(&["drafts", "show", "1"]).out == "typed\n").then_some(());
        until("a draft of what was saved", draft).await;
        desk.signal(signal);
        desk.ends();
        until("the draft to be there still", draft).await;
    }
}

#[tokio::test]
async fn a_text_refused_for_another_desks_change_opens_again() {
    let (home, file) = Home::with_file("notes.md", "one\ntwo\n");
    let editor = "sh -c 'if grep -q mine \"$0\"; then echo more >> \"$0\"; exit; fi; touch \"$HOME/opened\"; \
        while [ ! -e \"$HOME/go\" ]; do sleep 0.02; done; echo mine > \"$0\"'";
    let mut desk = home.review_with_editor(editor);
    let (_agent, diff) = home.proposes(&file, "one\nTWO\n").await;
    desk.answers("(1/1) keep", "e").await;
    until("the editor", || home.path("home/opened").exists().then_some(())).await;
    let mut other = home.review(&[]);
    other.answers_all_and_shows(&["n"], "accept, reject, or look again").await;
    std::fs::write(home.path("home/go"), "").unwrap();
    desk.shows("e opens your text again").await;
    let before = home.prints(&["drafts", "drafts show 1"]);
    desk.answers_all(&["e", "a"]).await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("mine\nmore\n"));
    // The earlier text is no longer in a draft, because the review has taken it.
    let is_accepted = |drafts: &String| drafts.contains("it was accepted");
    let after =
        until("the draft of the accepted text", || Some(home.prints(&["drafts"])).filter(is_accepted)).await;
    assert_snapshot!(home.dialogue(&mut desk, "writes it.\n").await + &before + &after);
}
