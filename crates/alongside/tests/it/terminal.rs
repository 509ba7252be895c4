//! Line mode in a terminal, which echoes the input, passes it on at Enter, and has Ctrl-D and Ctrl-Z.

use alongside_agent::Outcome;
use rustix::process::Signal;

use crate::support::{Home, propose, soon};

const CTRL_D: &str = "\x04";
/// The question about a change.
const HUNK: &str = "keep this change [y,n,s,e,a,r,u,?]?";
/// The end of the prompt without a review.
const IDLE: &str = "(l list, z pause context, ? help, q quit)";

#[tokio::test]
async fn text_typed_before_a_proposal_does_not_answer_it() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let mut desk = home.at_terminal(&["review"]);
    let agent = home.agent().await;
    desk.shows("is connected.\r\n").await;
    desk.presses_and_shows("a", "a").await;
    let diff = propose(&agent, &file, "A\n").await;
    let shown = desk.reads(HUNK).await;
    assert!(shown.starts_with("\r\na.txt: Gemini CLI proposes"), "on a line of its own: {shown:?}");
    desk.presses("\n");
    desk.reads(HUNK).await;
    desk.types("r");
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
}

#[tokio::test]
async fn output_discards_the_text_typed_before_it() {
    let home = Home::new();
    let (first, second) = (home.file("a.txt", "a\n"), home.file("b.txt", "b\n"));
    let mut desk = home.at_terminal(&["review"]);
    let (agent, diff) = home.proposes(&first, "A\n").await;
    desk.reads(HUNK).await;
    desk.presses_and_shows("a", "a").await;
    let _second = propose(&agent, &second, "B\n").await;
    desk.shows("New review: b.txt by Gemini CLI").await;
    desk.reads(HUNK).await;
    desk.presses("\n");
    desk.reads(HUNK).await;
    desk.types("r");
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
}

#[tokio::test]
async fn ctrl_d_leaves_and_asks_while_a_review_waits() {
    let home = Home::new();
    let (mut desk, _agent, diff) =
        home.proposal(&home.file("a.txt", "a\n"), "A\n", home.at_terminal(&["review"])).await;
    desk.reads(HUNK).await;
    desk.presses_and_shows(CTRL_D, "Leave [y,n]?").await;
    // A second Ctrl-D does not answer the question: the desk stays and still reads input.
    desk.presses_and_shows(CTRL_D, HUNK).await;
    // A text without Enter is no answer.
    desk.presses("a");
    desk.presses_and_shows(CTRL_D, HUNK).await;
    desk.presses_and_shows("\n", HUNK).await;
    desk.types_and_shows("q", "Leave [y,n]?").await;
    desk.types_and_shows("n", HUNK).await;
    desk.types("r");
    assert_eq!(soon("the outcome", diff.outcome()).await, Outcome::Rejected);
    desk.shows(IDLE).await;
    desk.presses(CTRL_D);
    assert_eq!(desk.ends().code(), Some(0));
}

#[tokio::test]
async fn ctrl_d_leaves_the_demo_too() {
    let home = Home::new();
    let mut demo = home.at_terminal(&["demo"]);
    demo.reads(HUNK).await;
    demo.presses_and_shows(CTRL_D, "Leave [y,n]?").await;
    demo.types_and_shows("y", "Nothing has changed.").await;
    assert_eq!(demo.ends().code(), Some(0));
}

#[tokio::test]
async fn ctrl_c_ends_the_demo_with_the_code_its_help_names() {
    let home = Home::new();
    let mut demo = home.at_terminal(&["demo"]);
    demo.reads(HUNK).await;
    demo.presses("\x03");
    assert_eq!(demo.ends().code(), Some(130));
}

#[tokio::test]
async fn the_prompt_is_repeated_after_stop_and_continue() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let mut desk = home.at_terminal(&["review"]);
    desk.shows(IDLE).await;
    desk.signal(Signal::STOP);
    desk.signal(Signal::CONT);
    desk.shows(IDLE).await;
    let (_agent, _diff) = home.proposes(&file, "A\n").await;
    desk.reads(HUNK).await;
    desk.signal(Signal::STOP);
    desk.signal(Signal::CONT);
    desk.shows(HUNK).await;
}

#[tokio::test]
async fn kitty_splits_the_window_that_typed_run() {
    let home = Home::new();
    // The first script knows every option, and the second one acts as a release before 0.40.
    let log = "echo \"$@\" >> \"$HOME/asked\"\n";
    let old = "case \"$*\" in *--next-to*) echo 'Unknown option: --next-to' >&2; exit 1;; esac\n";
    let beside = "@ launch --keep-focus --location hsplit --match window_id:7";
    let asked = || std::fs::read_to_string(home.path("home/asked")).unwrap();
    let begins = |line: Option<&str>, with: String| line.is_some_and(|line| line.starts_with(&with));

    let mut run = home.run_in_kitty(&format!("#!/bin/sh\n{log}"));
    assert_eq!(run.ends().code(), Some(0));
    let project = home.project.display();
    let all = asked();
    let mut lines = all.lines();
    assert!(begins(lines.next(), format!("{beside} --next-to id:7 --cwd {project} env ")), "{all}");
    assert_eq!(lines.next(), None, "one desk is enough");

    let mut run = home.run_in_kitty(&format!("#!/bin/sh\n{log}{old}"));
    assert_eq!(run.ends().code(), Some(0));
    let all = asked();
    let mut lines = all.lines().skip(2);
    assert!(begins(lines.next(), format!("{beside} --cwd {project} env ")), "{all}");
    assert!(!run.out.text().contains("opened no pane"), "{}", run.out.text());
}
