//! Sentences that depend on numbers and texts.

use super::*;
use crate::review::decision::{Closed, Closing, Follows};
use crate::review::{HunkState, LineEnding, Reasons};
use crate::review_model::review_for_tests as review;
use crate::status::Agent;

/// Returns the name of a file with slashes on every system.
fn name_with_slashes(file: &str, roots: &[PathBuf]) -> String {
    file_name(file, roots).replace(std::path::MAIN_SEPARATOR, "/")
}

#[test]
fn no_name_of_a_file_looks_like_a_url() {
    let roots = [PathBuf::from("/p")];
    let cases = [
        ("/p/sftp://-oProxyCommand=x//y.md", "sftp:/-oProxyCommand=x/y.md"),
        ("/p//a/./b.md", "a/b.md"),
        ("/p/../q//c.md", "../q/c.md"),
        ("/q//scp://host//x.md", "/q/scp:/host/x.md"),
        ("/p", "/p"),
    ];
    for (file, shown) in cases {
        assert_eq!(name_with_slashes(file, &roots), shown, "{file}");
    }
}

/// An agent that waits no longer, or takes no other text, may never write.
#[test]
fn nobody_is_told_of_a_write_that_may_never_come() {
    let said = |closing, follows, away| {
        let mut review = review();
        review.file = "/p/a.txt".into();
        let end = Closed { decided_here: true, follows, ..Closed::of(review.id, closing) };
        closed(&review, &end, &[PathBuf::from("/p")], away)
    };
    let yes = |follows, away| said(Closing::Accepted, follows, away);
    assert_eq!(yes(Follows::Write, false), "a.txt: accepted; Gemini CLI writes it.");
    for (follows, away, rest) in [
        (Follows::Write, true, "Gemini CLI is away, and is told once it is back."),
        (Follows::Prompt, false, "Gemini CLI is told, and may still ask in its own prompt."),
        (
            Follows::Proposal,
            false,
            "Gemini CLI cannot take your changes, so its model is asked to propose this text.",
        ),
        (
            Follows::Call,
            false,
            "Gemini CLI waits no longer, and nothing is written unless its model calls the tool again.",
        ),
    ] {
        assert_eq!(yes(follows, away), format!("a.txt: accepted; {rest}"));
    }
    assert_eq!(
        said(Closing::Rejected, Follows::Call, false),
        "a.txt: rejected; Gemini CLI waits no longer, and its model is told if it calls the tool again."
    );
}

#[test]
fn an_end_says_what_becomes_of_the_call_and_of_the_other_files() {
    let said =
        |review: &Review, closing| closed(review, &Closed::of(review.id, closing), &["/p/src".into()], false);
    let mut asks_itself = review();
    asks_itself.agent.asks_itself = true;
    assert_eq!(
        said(&asks_itself, Closing::Stopped),
        "a.rs: closed, because the companion stopped; Gemini CLI asks you itself."
    );
    let waits_no_longer = "a.rs: rejected, because Gemini CLI waits no longer.";
    assert_eq!(said(&review(), Closing::TimedOut), waits_no_longer);
    let of_a_patch = Review { parts: 2, ..review() };
    assert_eq!(
        said(&of_a_patch, Closing::Accepted),
        "a.rs: accepted at another desk; nothing is written before the other files of its patch are decided."
    );
}

/// Qwen Code and Gemini CLI do not end their hook by Esc.
#[test]
fn an_agent_that_may_have_been_stopped_is_not_said_to_write_or_to_be_told() {
    let mut review = review();
    review.file = "/p/a.txt".into();
    review.agent.name = "Qwen Code".into();
    let end = Closed { decided_here: true, ..Closed::of(review.id, Closing::Accepted) };
    let said = |review: &Review| closed(review, &end, &[PathBuf::from("/p")], false);
    assert_eq!(said(&review), "a.txt: accepted; Qwen Code writes it.", "by its diff");
    review.agent.by_hook = true;
    let unless = "a.txt: accepted; Qwen Code is told, and writes it unless you stopped it.";
    assert_eq!(said(&review), unless);
    let no = Closed { closing: Closing::Rejected, ..end.clone() };
    let rejected = |review: &Review| closed(review, &no, &[PathBuf::from("/p")], false);
    review.agent.name = "Gemini CLI".into();
    assert_eq!(rejected(&review), "a.txt: rejected; Gemini CLI is told unless you stopped it.");
    let prompt = Closed { follows: Follows::Prompt, ..end.clone() };
    let unless =
        "a.txt: accepted; Gemini CLI is told unless you stopped it, and may still ask in its own prompt.";
    assert_eq!(closed(&review, &prompt, &[PathBuf::from("/p")], false), unless);
    review.agent.by_hook = false;
    assert_eq!(rejected(&review), "a.txt: rejected; Gemini CLI is told.", "by its diff");
    review.agent = Agent { name: "Codex".into(), by_hook: true, ..Agent::default() };
    assert_eq!(said(&review), "a.txt: accepted; Codex writes it.");
    assert_eq!(rejected(&review), "a.txt: rejected; Codex is told.");
}

#[test]
fn sizes_and_counts_follow_the_review() {
    let mut review = review();
    assert_eq!((size(&review), line_counts(&review)), ("1 change".into(), (1, 1)));
    assert_eq!(hunk_states(&review), "1 kept");
    let emptied = Review { proposed: "".into(), ..review.clone() };
    assert_eq!(size(&emptied), "an empty file");
    review.hunks[0].state = HunkState::Dropped;
    assert_eq!((hunk_states(&review), line_counts(&review)), ("1 dropped".into(), (0, 0)));
    review.hunks.clear();
    review.original = None;
    assert_eq!((size(&review), line_counts(&review)), ("a new file".into(), (3, 0)));
    review.whole_file_only = Some("it is no text".into());
    assert_eq!(size(&review), "the whole file");
}

#[test]
fn a_proposal_of_another_form_only_is_a_change() {
    let mut review = review();
    review.hunks.clear();
    assert_eq!(size(&review), "no change");
    review.file_has_bom = Some(true);
    assert_eq!(size(&review), "another byte-order mark");
    review.file_line_ending = Some(LineEnding::Crlf);
    assert_eq!(size(&review), "other line ends and another byte-order mark");
    review.file_has_bom = None;
    assert_eq!(size(&review), "other line ends");
}

#[test]
fn a_text_without_a_place_is_in_the_message() {
    let said = text_kept("a", "the review has ended", Some("/d"), "x");
    assert_eq!(said, "a: the review has ended. Your text is in /d.");
    let said = text_kept("a", "the review has ended", None, "one\n\x1btwo");
    assert_eq!(said, "a: the review has ended. This is your text:\none\n\\x1btwo");
}

#[test]
fn a_refused_text_has_its_cause_and_its_remedy() {
    let said =
        "a: another desk changed the review while you edited. e opens your text again; a copy is in /d.";
    assert_eq!(text_refused("a", "/d"), said);
}

#[test]
fn reviews_stay_where_a_screen_shows_them() {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert_eq!(stays_open(1, &names(&["Neovim"]), true), "1 review stays open in Neovim.");
    assert_eq!(stays_open(2, &[], true), "2 reviews stay open.");
    let run = names(&["alongside run gemini"]);
    assert_eq!(stays_open(1, &run, false), "1 review still waits; `alongside` opens it again.");
    assert_eq!(stays_open(2, &run, false), "2 reviews still wait; `alongside` opens them again.");
}

#[test]
fn a_split_counts_the_parts() {
    assert_eq!(split(1, 2), "Split into 2 changes.");
    assert_eq!(edit_taken(Some(1)), "Edit applied: 1 change.");
    assert_eq!(edit_taken(None), "The review ended after it took your saved text.");
}

#[test]
fn a_reason_that_nobody_reads_is_refused_by_name() {
    let said = "Gemini CLI reads no reason here: its protocol carries none. \
                `alongside install agent` offers its hook.";
    assert_eq!(no_reason(&review().agent, true), said);
    let said = "Gemini CLI reads no reason here: its protocol carries none.";
    assert_eq!(no_reason(&review().agent, false), said);
    // Its hook has made way for this diff.
    let qwen = Agent { name: "Qwen Code".into(), ..review().agent };
    assert_eq!(no_reason(&qwen, true), "Qwen Code reads no reason here: its protocol carries none.");
}

#[test]
fn the_reasons_of_a_merged_change_are_one_harmless_line() {
    let mut hunk = review().hunks.swap_remove(0);
    assert_eq!(why(&hunk), None);
    hunk.reason = Some("not this\n\n nor\x1b that\n".into());
    assert_eq!(why(&hunk).as_deref(), Some("Why: not this; nor\\x1b that"));
}

#[test]
fn the_person_reads_with_which_decision_a_reason_goes() {
    assert_eq!(reason_noted(Reasons::Always), "Reason noted. r rejects with it, a accepts with it.");
    assert_eq!(
        reason_noted(Reasons::WithRejection),
        "Reason noted. r rejects with it, a accepts without it."
    );
    assert_eq!(reason_of_change_noted(Reasons::Always), "Reason noted.");
}

#[test]
fn a_file_of_a_worktree_is_no_namesake_of_the_projects_own() {
    let (project, worktree) = (PathBuf::from("/p"), PathBuf::from("/p/worktrees/one"));
    for roots in [[project.clone(), worktree.clone()], [worktree, project]] {
        let names = ["/p/src/a.rs", "/p/worktrees/one/src/a.rs"].map(|file| name_with_slashes(file, &roots));
        assert_eq!(names, ["src/a.rs", "worktrees/one/src/a.rs"]);
    }
}

#[test]
fn files_of_several_projects_have_the_names_of_these() {
    let roots = ["/p/api", "/p/web", "/p/web/tool"].map(PathBuf::from);
    for (file, name) in [
        ("/p/api/f", "api/f"),
        ("/p/web/f", "web/f"),
        ("/p/web/api/f", "web/api/f"),
        ("/p/web/tool/f", "web/tool/f"),
    ] {
        assert_eq!(name_with_slashes(file, &roots), name);
    }
    let namesakes = ["/p/api", "/q/api"].map(PathBuf::from);
    assert_eq!(name_with_slashes("/q/api/f", &namesakes), "/q/api/f");
}

#[test]
fn reviews_that_arrive_together_are_told_in_one_line() {
    let named = |file: &str, agent: &str| {
        let mut review = Review { file: file.into(), ..review() };
        review.agent.name = agent.into();
        review
    };
    let roots = [PathBuf::from("/p")];
    let all: Vec<_> = (1..=5).map(|number| named(&format!("/p/{number}.rs"), "Codex")).collect();
    let told = |reviews: &[Review]| {
        let reviews: Vec<_> = reviews.iter().collect();
        arrived_together(&reviews, &roots, 6, "l lists them")
    };
    assert_eq!(told(&all[..2]), "2 new reviews: 1.rs, 2.rs by Codex; 6 are waiting (l lists them).");
    assert!(told(&all).starts_with("5 new reviews: 1.rs, 2.rs, 3.rs, 2 more by Codex; "), "{}", told(&all));
    let others = [named("/p/a\x1b.rs", "Qwen\x1b Code"), named("/p/b.rs", "Codex")];
    let said = "2 new reviews: a\\x1b.rs, b.rs by Codex and Qwen\\x1b Code; 6 are waiting (l lists them).";
    assert_eq!(told(&others), said);
}

#[test]
fn lines_that_an_edit_left_alike_are_not_counted() {
    let (original, current) = ("a\nb\nc\n", "a\nB\nnew\nc\n");
    let hunk =
        Hunk { original: (0..3).into(), current: (0..4).into(), state: HunkState::Edited, ..Hunk::default() };
    let review = Review {
        original: Some(original.into()),
        current: current.into(),
        hunks: vec![hunk],
        ..Review::default()
    };
    assert_eq!(line_counts(&review), (2, 1));
    let same = Review { current: original.into(), ..review.clone() };
    let same = Review { hunks: vec![Hunk { current: (0..3).into(), ..review.hunks[0].clone() }], ..same };
    assert_eq!(line_counts(&same), (0, 0));
}

#[test]
fn a_message_that_quotes_the_system_has_no_number_of_its_error() {
    let error = std::io::Error::from_raw_os_error(2);
    let problem = crate::Problem::new(format!("cannot write a: {error}"), "make room");
    let failed = editor_failed(&format!("cannot wait: {error}"), None);
    for said in [problem.to_string(), crate::Problem::without_hint(error.to_string()).what, failed] {
        assert!(!said.contains("os error"), "{said}");
    }
    // A text of the person's is not a message.
    let text = "it says (os error 2)";
    assert!(text_kept("a", "the desk was closed", None, text).ends_with(text));
}
