//! Somebody decides proposals in line mode.

use alongside_agent::Outcome;
use rustix::process::Signal;

use crate::support::{Home, propose, soon, until};

const ORIGINAL: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";
/// Three changes: line 2, an addition after line 5, and line 9 gone.
const PROPOSED: &str = "one\nTWO\nthree\nfour\nfive\nnew a\nnew b\nsix\nseven\neight\nten\n";

const HUNK: &str = "keep this change [k,d,s,e,a,r,u,?]?";
const END: &str = "accept, reject, or look again [a,r,b,e,u,?]?";

fn accepted(text: &str) -> Outcome {
    Outcome::Accepted { content: text.into() }
}

#[tokio::test]
async fn a_person_keeps_one_change_drops_another_and_accepts() {
    let home = Home::new();
    let file = home.file("src/numbers.txt", ORIGINAL);
    let mut desk = home.review(&[]);
    let agent = home.agent().await;
    let diff = propose(&agent, &file, PROPOSED).await;

    let first = desk.answers(HUNK, "k").await;
    assert!(first.contains("src/numbers.txt: Gemini CLI proposes 3 changes (+3 -2)\n"), "{first}");
    assert!(first.ends_with(
        "@@ -1,5 +1,5 @@\n one\n-two\n+TWO\n three\n four\n five\n(1/3) keep this change [k,d,s,e,a,r,u,?]?"
    ), "{first}");
    let second = desk.answers(HUNK, "d").await;
    assert!(
        second.contains("@@ -3,6 +3,8 @@\n three\n four\n five\n+new a\n+new b\n six\n seven\n eight\n(2/3)"),
        "{second}"
    );
    desk.answers(HUNK, "k").await;
    let summary = desk.answers(END, "a").await;
    assert!(summary.contains("src/numbers.txt: 3 changes: 2 kept, 1 dropped.\n"), "{summary}");

    let outcome = soon("the outcome", diff.outcome()).await;
    assert_eq!(outcome, accepted("one\nTWO\nthree\nfour\nfive\nsix\nseven\neight\nten\n"));
    desk.shows("src/numbers.txt: accepted; Gemini CLI writes it.").await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), ORIGINAL, "the companion writes no file");
}

#[tokio::test]
async fn a_person_splits_a_change_and_takes_half_of_it() {
    let home = Home::new();
    let file = home.file("a.txt", "one\ntwo\nthree\n");
    let mut desk = home.review(&[]);
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "ONE\nTWO\nthree\n").await;

    desk.answers("(1/1) keep", "s").await;
    desk.shows("Split into 2 changes.").await;
    desk.answers("(1/2) keep", "d").await;
    desk.answers("(2/2) keep", "k").await;
    desk.answers(END, "a").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("one\nTWO\nthree\n"));
}

#[tokio::test]
async fn undo_takes_back_step_by_step_and_goes_back_to_each_place() {
    let home = Home::new();
    let file = home.file("numbers.txt", ORIGINAL);
    let mut desk = home.review(&[]);
    let agent = home.agent().await;
    let diff = propose(&agent, &file, PROPOSED).await;

    desk.answers("(1/3) keep", "d").await;
    desk.answers("(2/3) keep", "k").await;
    desk.answers("(3/3) keep", "u").await;
    // Keeping what was kept changed nothing; undo still goes back there.
    desk.answers("(2/3) keep", "u").await;
    let back = desk.answers("(1/3) keep", "u").await;
    assert!(!back.contains("dropped so far"), "{back}");
    desk.shows("There is nothing to undo.").await;
    desk.answers("(1/3) keep", "a").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(PROPOSED));
}

#[tokio::test]
async fn moving_about_decides_nothing_and_help_and_lists_are_there() {
    let home = Home::new();
    let file = home.file("numbers.txt", ORIGINAL);
    let mut desk = home.review(&[]);
    let agent = home.agent().await;
    let diff = propose(&agent, &file, PROPOSED).await;

    desk.answers("(1/3) keep", "K").await;
    desk.shows("This is the first change.").await;
    desk.answers("(1/3) keep", "j").await;
    desk.answers("(2/3) keep", "J").await;
    desk.answers("(3/3) keep", "K").await;
    desk.answers("(2/3) keep", "?").await;
    desk.shows("d  drop it: the file's own lines stay").await;
    desk.answers("(2/3) keep", "l").await;
    desk.shows("1. numbers.txt (Gemini CLI, 3 changes) - you are here\nAgents connected: Gemini CLI.\n")
        .await;
    desk.answers("(2/3) keep", "x").await;
    desk.shows("\"x\" is no answer here; ? shows which there are.").await;
    desk.answers("(2/3) keep", "p").await;
    desk.shows("Agents are told nothing about your files from now on (p resumes).").await;
    desk.answers("(2/3) keep", "p").await;
    desk.shows("Agents are told about your files again.").await;
    desk.answers("(2/3) keep", "r").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    desk.shows("numbers.txt: rejected; Gemini CLI is told.").await;
}

#[tokio::test]
async fn a_person_edits_in_an_editor_of_their_own() {
    let home = Home::new();
    let file = home.file("notes.md", "one\ntwo\n");
    let editor = home.path("home/editor");
    std::fs::write(
        &editor,
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HOME/seen\"\nsed -i 's/TWO/two, by hand/' \"$2\"\n",
    )
    .unwrap();
    let mut desk =
        home.start(home.alongside(&["review"]).env("EDITOR", format!("sh '{}' --flag", editor.display())));
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "one\nTWO\n").await;

    desk.answers("(1/1) keep", "e").await;
    desk.shows("Your text is taken over; there is 1 change now.").await;
    let shown = desk.answers("(1/1) keep", "k").await;
    assert!(shown.contains("@@ -1,2 +1,2 @@ edited by hand\n one\n-two\n+two, by hand\n"), "{shown}");
    let seen = std::fs::read_to_string(home.path("home/seen")).unwrap();
    assert!(seen.starts_with("--flag\n/") && seen.trim_end().ends_with("/notes.md"), "{seen}");
    // What was typed is kept as typed; the proposal's own words come back by undo.
    let summary = desk.answers(END, "u").await;
    assert!(summary.contains("notes.md: 1 change: 1 edited.\n"), "{summary}");
    desk.answers("(1/1) keep this change as you edited it", "u").await;
    desk.answers("(1/1) keep this change [", "e").await;
    desk.answers("(1/1) keep this change as you edited it", "a").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("one\ntwo, by hand\n"));
    let left = crate::support::files_below(&home.path("tmp"));
    assert!(!left.iter().any(|path| path.ends_with("notes.md")), "the edited copy is removed: {left:?}");
}

/// A change of one's own, between those that are proposed, leaves no hunk behind when it is dropped.
#[tokio::test]
async fn dropping_an_edit_of_ones_own_passes_over_no_change() {
    let home = Home::new();
    let file = home.file("numbers.txt", ORIGINAL);
    let mut desk = home.start(home.alongside(&["review"]).env("EDITOR", "sed -i s/seven/SEVEN/"));
    let agent = home.agent().await;
    let diff = propose(&agent, &file, PROPOSED).await;

    desk.answers("(1/3) keep", "e").await;
    desk.shows("Your text is taken over; there are 4 changes now.").await;
    desk.answers("(1/4) keep", "k").await;
    desk.answers("(2/4) keep", "k").await;
    let own = desk.answers("(3/4) keep this change as you edited it", "d").await;
    assert!(own.contains("+SEVEN\n"), "{own}");
    let last = desk.answers("(3/3) keep", "d").await;
    assert!(last.contains("-nine\n"), "the change after it is asked about: {last}");
    desk.answers(END, "a").await;
    let text = "one\nTWO\nthree\nfour\nfive\nnew a\nnew b\nsix\nseven\neight\nnine\nten\n";
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted(text));
}

/// The editor takes back a change that was decided already; the one that was read is still asked about.
#[tokio::test]
async fn an_edit_that_takes_changes_away_passes_over_no_other() {
    let home = Home::new();
    let file = home.file("numbers.txt", ORIGINAL);
    let script = "#!/bin/sh\ncase $(cat \"$1\") in *SEVEN*) sed -i s/SEVEN/seven/ \"$1\";; *) sed -i s/seven/SEVEN/ \"$1\";; esac\n";
    std::fs::write(home.path("home/editor"), script).unwrap();
    let editor = format!("sh '{}'", home.path("home/editor").display());
    let mut desk = home.start(home.alongside(&["review"]).env("EDITOR", editor));
    let agent = home.agent().await;
    let _diff = propose(&agent, &file, PROPOSED).await;

    desk.answers("(1/3) keep", "e").await;
    for place in 1..=3 {
        desk.answers(&format!("({place}/4) keep"), "k").await;
    }
    desk.answers("(4/4) keep", "e").await;
    desk.shows("Your text is taken over; there are 3 changes now.").await;
    let last = desk.shows("(3/3) keep").await;
    assert!(last.contains("-nine\n"), "{last}");
}

#[tokio::test]
async fn an_editor_that_fails_loses_nothing() {
    let home = Home::new();
    let file = home.file("notes.md", "one\ntwo\n");
    let editor = "sh -c 'echo precious > \"$0\"; exit 3'";
    let mut desk = home.start(home.alongside(&["review"]).env("VISUAL", editor));
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "one\nTWO\n").await;

    desk.answers("(1/1) keep", "e").await;
    desk.shows("Nothing was taken over: the editor ended with exit code 3. Your text is in ").await;
    let path = desk.shows("/notes.md.").await;
    assert_eq!(std::fs::read_to_string(path.trim_end_matches('.')).unwrap(), "precious\n");
    desk.answers("(1/1) keep", "a").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("one\nTWO\n"));
}

#[tokio::test]
async fn a_proposal_without_final_newline_stays_so_through_an_editor_that_adds_one() {
    let home = Home::new();
    let file = home.file("notes.md", "one\n");
    let mut desk =
        home.start(home.alongside(&["review"]).env("EDITOR", "sed -i -e 's/two/three/' -e '$a\\'"));
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "one\ntwo").await;

    let shown = desk.answers("(1/1) keep", "e").await;
    assert!(shown.contains("+two\n\\ No newline at end of file\n"), "{shown}");
    desk.answers("(1/1) keep", "a").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("one\nthree"));
}

#[tokio::test]
async fn the_agent_takes_what_was_saved_in_an_editor_that_is_still_open() {
    // The desk has 150 ms to send it, of the machine's clock: one that is busy may need another try.
    for _ in 0..5 {
        if is_taken_from_an_open_editor().await {
            return;
        }
    }
    panic!("the agent is given what it proposed, and not what was saved");
}

async fn is_taken_from_an_open_editor() -> bool {
    let home = Home::new();
    let file = home.file("notes.md", "one\n");
    // Saves, tells the test, and stays open until it is told.
    let editor = "sh -c 'echo typed > \"$0\"; touch \"$HOME/saved\"; while [ ! -e \"$HOME/close\" ]; do sleep 0.02; done'";
    let mut desk = home.start(home.alongside(&["review"]).env("EDITOR", editor));
    let agent = home.agent().await;
    let _diff = propose(&agent, &file, "two\n").await;

    desk.answers("(1/1) keep", "e").await;
    until("the editor to save", || home.path("home/saved").exists().then_some(())).await;
    let text = soon("closeDiff", agent.close_diff(&file, false)).await.unwrap();
    std::fs::write(home.path("home/close"), "").unwrap();
    if text.as_deref() == Some("two\n") {
        return false;
    }
    assert_eq!(text.as_deref(), Some("typed\n"));
    desk.shows("notes.md: was answered in Gemini CLI itself. Your edits are in ").await;
    // The editor's end and the review's come from two sides.
    let either = ["What you saved was taken over before the review ended.", "Your text is taken over;"];
    let said = || either.iter().any(|words| desk.out.text().contains(words)).then_some(());
    until("what became of the text", said).await;
    true
}

#[tokio::test]
async fn what_was_saved_in_an_open_editor_is_in_the_drafts_however_the_program_ends() {
    for signal in [Signal::KILL, Signal::TERM] {
        let home = Home::new();
        let file = home.file("notes.md", "one\n");
        let editor = "sh -c 'echo typed > \"$0\"; exec sleep 60'";
        let mut desk = home.start(home.alongside(&["review"]).env("EDITOR", editor));
        let agent = home.agent().await;
        let _diff = propose(&agent, &file, "two\n").await;
        desk.answers("(1/1) keep", "e").await;
        let draft = || {
            let output = home.run(&["drafts", "show", "1"]);
            (output.stdout == b"typed\n").then_some(())
        };
        until("a draft of what was saved", draft).await;
        desk.signal(signal);
        desk.ends();
        until("the draft to be there still", draft).await;
    }
}

#[tokio::test]
async fn what_is_answered_in_the_agent_vanishes_here_and_the_next_one_comes() {
    let home = Home::new();
    let (first, second) = (home.file("a.txt", "a\n"), home.file("b.txt", "b\n"));
    let mut desk = home.review(&[]);
    let (one, two) = (home.agent().await, home.agent().await);
    let _first = propose(&one, &first, "A\n").await;
    desk.shows("(1/1) keep").await;
    let waits = propose(&two, &second, "B\n").await;
    let announced = desk.shows("keep this change").await;
    assert!(
        announced
            .contains("b.txt: Gemini CLI proposes this too; it comes later (2 reviews wait, l lists them).")
    );
    assert!(!announced.contains("+B"), "an arriving review does not change what is read: {announced}");

    let text = soon("closeDiff", one.close_diff(&first, false)).await.unwrap();
    assert_eq!(text.as_deref(), Some("A\n"));
    let next = desk.answers("(1/1) keep this change [k,d,s,e,a,r,u,?]?", "a").await;
    assert!(next.contains("a.txt: was answered in Gemini CLI itself.\n"), "{next}");
    assert!(next.contains("b.txt: Gemini CLI proposes 1 change (+1 -1)\n"), "{next}");
    assert_eq!(soon("the outcome", waits.outcome()).await, accepted("B\n"));
}

#[tokio::test]
async fn an_agent_that_proposes_anew_or_leaves_is_followed() {
    let home = Home::new();
    let file = home.file("a.txt", "a\n");
    let mut desk = home.review(&[]);
    let agent = home.agent().await;
    let _first = propose(&agent, &file, "A\n").await;
    desk.shows("+A\n").await;
    let _second = propose(&agent, &file, "AA\n").await;
    desk.shows("a.txt: Gemini CLI proposes this file anew; the earlier proposal is gone.").await;
    desk.shows("+AA\n").await;
    agent.end().await.unwrap();
    desk.shows("a.txt: Gemini CLI is gone, and its proposal with it.").await;
    desk.shows("Gemini CLI has left.").await;
}

#[tokio::test]
async fn nothing_and_the_same_cannot_be_accepted_and_it_is_said_why() {
    let home = Home::new();
    let file = home.file("a.txt", "a\nb\n");
    let mut desk = home.start(home.alongside(&["review"]).env("EDITOR", "truncate -s 0"));
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "a\nB\n").await;

    desk.answers("(1/1) keep", "d").await;
    desk.answers(END, "a").await;
    desk.shows("There is nothing to accept: the text is what the file already holds; reject it instead.")
        .await;
    desk.answers(END, "e").await;
    desk.answers(END, "a").await;
    desk.shows("An empty text cannot be accepted").await;
    desk.answers("accept a single empty line instead, or reject [y,n,r]?", "").await;
    desk.shows("Please answer y, n or r.").await;
    desk.answers("[y,n,r]?", "y").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("\n"));

    // The message speaks of rejecting, so that is taken for an answer too.
    let diff = propose(&agent, &home.project.join("new.txt").to_string_lossy(), "new\n").await;
    desk.answers("(1/1) keep", "d").await;
    desk.answers(END, "a").await;
    desk.answers("or reject [y,n,r]?", "r").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
}

#[tokio::test]
async fn a_file_that_changes_on_disk_is_told_of_and_asked_again() {
    let home = Home::new();
    let file = home.file("a.txt", "a\nb\n");
    let mut desk = home.review(&[]);
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "a\nB\n").await;

    desk.shows("(1/1) keep").await;
    home.file("a.txt", "somebody else was here\n");
    desk.types("a");
    desk.shows("the file on disk has changed since").await;
    // Told at once or with the refusal: in either case nothing is accepted before it is said again.
    let mut asked = desk.shows("]?").await;
    if !asked.contains("accept anyway") {
        desk.types("a");
        asked = desk.shows("accept anyway [y,n]?").await;
    }
    assert!(asked.contains("accept anyway"), "{asked}");
    desk.types("n");
    desk.answers("(1/1) keep", "a").await;
    desk.answers("the file is not what the agent saw; accept anyway [y,n]?", "y").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("a\nB\n"));
}

#[tokio::test]
async fn crlf_new_files_and_files_that_are_not_text_say_so() {
    let home = Home::new();
    let dos = home.file("dos.txt", "a\r\nb\r\n");
    let binary = home.file("binary.bin", "");
    std::fs::write(&binary, b"\xff\xfe\x00\x01").unwrap();
    let new = home.project.join("new.txt").to_str().unwrap().to_owned();
    let mut desk = home.review(&[]);
    let agent = home.agent().await;

    let diff = propose(&agent, &dos, "a\nB\n").await;
    let shown = desk.answers("(1/1) keep", "a").await;
    assert!(shown.contains("note: the file has CRLF line endings, the proposal LF"), "{shown}");
    assert!(shown.contains("-b\n+B\n"), "{shown}");
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("a\nB\n"));

    let diff = propose(&agent, &new, "x\n").await;
    let shown = desk.answers("(1/1) keep", "a").await;
    assert!(
        shown.contains("new.txt: Gemini CLI proposes a new file (+1 -0)\n@@ -0,0 +1 @@\n+x\n"),
        "{shown}"
    );
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("x\n"));

    let diff = propose(&agent, &binary, "text now\n").await;
    let shown = desk.answers("accept or reject [a,r,?]?", "r").await;
    assert!(shown.contains("note: it can only be accepted or rejected as a whole"), "{shown}");
    assert!(shown.contains("+text now\n"), "{shown}");
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
}

#[tokio::test]
async fn what_agents_send_cannot_take_over_the_terminal() {
    let home = Home::new();
    let name = "evil\x1b[2J\u{202e}\n.txt";
    let file = home.file(name, "safe\n");
    let mut desk = home.review(&[]);
    let agent = home.agent().await;
    let text = "\x1b]0;owned\x07 \u{9b}31m \u{202e}reversed\u{2066} \u{200b}\ttab\n\
        x\u{fe0f}\u{e0100}\u{2800}\u{13430}y\u{200d} \u{2764}\u{fe0f}\n";
    let diff = propose(&agent, &file, text).await;
    let shown = desk.answers("(1/1) keep", "a").await;
    assert!(shown.contains(r"evil\x1b[2J\u{202e}\n.txt: Gemini CLI proposes"), "{shown}");
    assert!(
        shown.contains("+\\x1b]0;owned\\x07 \\u{9b}31m \\u{202e}reversed\\u{2066} \\u{200b}\ttab\n"),
        "{shown}"
    );
    assert!(
        shown.contains("+x\\u{fe0f}\\u{e0100}\\u{2800}\\u{13430}y\\u{200d} \u{2764}\u{fe0f}\n"),
        "{shown}"
    );
    assert_eq!(
        soon("the outcome", diff.outcome()).await,
        accepted(text),
        "what is shown is escaped, what is accepted is not"
    );
    desk.shows("accepted").await;
    let all = desk.out.text();
    let harmful = |c: char| (c.is_control() && !"\n\t".contains(c)) || "\u{202e}\u{2066}\u{200b}".contains(c);
    assert!(!all.contains(harmful), "{all:?}");
}

#[tokio::test]
async fn all_can_be_accepted_or_rejected_when_asked_for_by_name() {
    let home = Home::new();
    let file = home.file("a.txt", "a\n");
    let mut desk = home.review(&["--accept-all"]);
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "A\n").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("A\n"));
    desk.shows("a.txt: accepted; Gemini CLI writes it.").await;
    // What agents take for an error is rejected instead, and it is said why.
    let diff = propose(&agent, &file, "a\n").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    desk.shows("a.txt: there is nothing to accept").await;
    desk.shows("a.txt: rejected; Gemini CLI is told.").await;
    drop((desk, agent));

    let home = Home::new();
    let file = home.file("a.txt", "a\n");
    let mut desk = home.review(&["--reject-all"]);
    let agent = home.agent().await;
    let diff = propose(&agent, &file, "A\n").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    desk.shows("a.txt: rejected; Gemini CLI is told.").await;

    let both = home.run(&["review", "--accept-all", "--reject-all"]);
    assert_eq!(both.status.code(), Some(2));
}

#[tokio::test]
async fn a_script_can_write_its_answers_ahead() {
    let home = Home::new();
    let (first, second) = (home.file("a.txt", "a\n"), home.file("b.txt", "b\n"));
    let mut desk = home.review(&[]);
    for line in ["k", "a", "r", "q"] {
        desk.types(line);
    }
    let agent = home.agent().await;
    let diff = propose(&agent, &first, "A\n").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("A\n"));
    let diff = propose(&agent, &second, "B\n").await;
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    assert_eq!(desk.ends().code(), Some(0));
    assert!(
        desk.out.text().contains("(1/1) keep this change [k,d,s,e,a,r,u,?]? k\n"),
        "answers are written down"
    );
}

#[tokio::test]
async fn a_file_saved_in_the_project_is_what_agents_hear_of() {
    let home = Home::new();
    home.file(".env", "SECRET=1\n");
    let _desk = home.review(&[]);
    let agent = home.agent().await;
    let context = agent.context();
    let mut attempt = 0;
    let seen = until("the saved file in the agent's context", || {
        attempt += 1;
        // Folders are watched in the background: save until it is noticed.
        if attempt % 20 == 1 {
            home.file(".env", &format!("SECRET={attempt}\n"));
            home.file("main.rs", &format!("// {attempt}\n"));
        }
        let context = context.borrow();
        let files = context.as_ref()?.open_files().to_vec();
        (!files.is_empty()).then_some(files)
    })
    .await;
    assert_eq!(seen[0].path, home.project.join("main.rs").to_str().unwrap());
    assert_eq!(seen[0].is_active, Some(true));
    assert!(!seen.iter().any(|file| file.path.ends_with(".env")), "{seen:?}");
}
