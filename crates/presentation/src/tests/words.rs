//! The words that a plugin gets with a review, and with the status of the project.

use alongside_desk::{Agent, Closed, Closing, Event, Grant, Request, Review, ReviewId, Scope, Status};
use serde_json::json;

use super::Stage;
use crate::Effect;

#[test]
fn a_review_comes_with_its_words_and_diff() {
    let stage = Stage::with("one\ntwo\n", "ONE\ntwo\n");
    let display = &stage.last("didOpenReview")["display"];
    assert_eq!(display["messages"], json!(["notes.md: Gemini CLI proposes 1 change"]));
    assert_eq!(display["title"], "notes.md (Gemini CLI, 1 change)");
    assert_eq!((&display["counts"], &display["states"]), (&json!("+1 -1"), &json!("1 kept")));
    assert_eq!((&display["obstacle"], &display["notes"]), (&json!(null), &json!([])));
    assert_eq!(display["diff"], json!(["@@ -1,2 +1,2 @@ change 1 of 1: kept\n-one\n+ONE\n two\n"]));
}

#[test]
fn lines_that_look_the_same_come_with_their_differences() {
    let stage = Stage::with("    one\ntwo\n", "\tone\ntwo\n");
    let display = &stage.last("didOpenReview")["display"];
    assert_eq!(display["hardToSee"], json!([{ "line": 0, "words": "a tab in place of blanks" }]));
}

#[test]
fn a_review_says_why_it_is_not_accepted_with_others() {
    let mut stage = Stage::with("one\ntwo\n", "ONE\ntwo\n");
    stage.set("one\ntwo\n");
    stage.run();
    assert_eq!(stage.last("didChangeReview")["display"]["obstacle"], "none of its changes is kept");
}

#[test]
fn files_of_one_name_are_told_apart() {
    let mut stage = Stage::with("one\n", "ONE\n");
    let other = Review { id: ReviewId(2), file: "/p/below/notes.md".into(), ..stage.review.clone() };
    stage.events.push_back(Event::Opened(other));
    stage.run();
    let display = &stage.last("didOpenReview")["display"];
    let file = ["below", "notes.md"].join(std::path::MAIN_SEPARATOR_STR);
    assert_eq!(display["messages"], json!([format!("{file}: Gemini CLI proposes 1 change")]));
}

#[test]
fn the_line_names_an_agent_that_comes_by_its_hook() {
    let mut stage = Stage::with("one\n", "ONE\n");
    let connected = stage.review.agent.clone();
    let by_hook =
        |number, name: &str| Agent { number, name: name.into(), by_hook: true, ..connected.clone() };
    let line = |stage: &mut Stage, agents: &[&Agent], reviews| {
        let agents = agents.iter().copied().cloned().collect();
        stage.events.push_back(Event::Status(Status { agents, reviews, ..Status::default() }));
        stage.run();
        stage.last("didChangeStatus")["display"]["line"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(line(&mut stage, &[], 0), "no agent");
    assert_eq!(line(&mut stage, &[&connected], 2), "2 reviews");
    for (id, (agent, alone, beside)) in [
        (by_hook(7, "Co\u{1b}dex"), "Co\\x1bdex by its hook", "1 agent, Co\\x1bdex by its hook"),
        (by_hook(8, "Claude Code"), "2 agents by their hooks", "1 agent, 2 agents by their hooks"),
    ]
    .into_iter()
    .enumerate()
    {
        let id = ReviewId(id as u64 + 2);
        let review = Review { id, agent, ..stage.review.clone() };
        let closed = Closed { decided_here: true, ..Closed::of(id, Closing::Accepted) };
        stage.events.extend([Event::Opened(review), Event::Closed(closed)]);
        assert_eq!(line(&mut stage, &[], 0), alone);
        assert_eq!(line(&mut stage, &[&connected], 0), beside);
        assert_eq!(line(&mut stage, &[], 1), "1 review", "those come first");
    }
}

#[test]
fn places_that_are_accepted_ahead_are_named_within_the_project() {
    let mut stage = Stage::with("one\n", "ONE\n");
    let [file, folder, project] =
        [("/p/a.md", Scope::File), ("/p/docs", Scope::Folder), ("/p", Scope::Folder)]
            .map(|(path, scope)| Grant { agent: "Codex".into(), path: path.into(), scope });
    let (roots, grants) = (vec!["/p".into()], vec![file, folder, project]);
    stage.events.push_back(Event::Status(Status { roots, grants, ..Status::default() }));
    stage.run();
    let display = &stage.last("didChangeStatus")["display"];
    assert_eq!(display["granted"], json!(["a.md", "docs/", "the whole project"]));
}

#[test]
fn a_change_that_the_person_made_here_is_no_news() {
    let mut stage = Stage::with("one\n", "ONE\n");
    let keep = Request::KeepHunks { id: ReviewId(1), revision: 1, hunks: vec![0], keep: false };
    stage.presentation.on_plugin_request(&1, &keep);
    stage.calls.push_back(Effect::PassOn(Some(1), keep));
    stage.run();
    assert_eq!(*stage.said(), json!([]));
    stage.set("two\n");
    stage.run();
    assert_ne!(*stage.said(), json!([]), "the answer has come");
}
