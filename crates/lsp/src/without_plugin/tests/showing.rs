//! A review from its announcement to its end, in editors of every kind.

use std::fs;

use alongside_desk::{
    Agent, Changed, Closing, Event, Limit, LineEnding, Unawaited, messages as desk_messages,
};

use crate::without_plugin::messages;

use super::companion::Companion;
use super::*;

pub(super) const OLD: &str = "one\ntwo\nthree\nfour\nfive\nsix\n";
pub(super) const NEW: &str = "one\nTWO\nthree\nfour\nfive\nsix\nseven\n";

pub(super) async fn proposed(editor: &str) -> (Stage, Companion) {
    let mut stage = Stage::new(editor, &[]);
    stage.open("notes.txt", OLD);
    let companion = Companion::proposes(&mut stage, "notes.txt", OLD, NEW).await;
    (stage, companion)
}

#[tokio::test(start_paused = true)]
async fn a_new_review_is_announced_and_changes_nothing() {
    let mut stage = Stage::new("helix", &[]);
    stage.open("notes.txt", OLD);
    let (target, other) = (stage.uri("notes.txt"), "file:///elsewhere");
    assert_eq!(stage.titles(&target, 0), Vec::<String>::new(), "no light bulb");
    let companion = Companion::proposes(&mut stage, "notes.txt", OLD, NEW).await;
    let seen = stage.seen();
    assert!(seen.said().starts_with("Gemini CLI proposes ") && seen.said().ends_with("notes.txt: space a"));
    assert_eq!(seen.one("window/showMessage")["type"], 3);
    assert_eq!(seen.marks(&target).len(), 1);
    let marks = seen.marks(&target);
    assert!(marks[0].starts_with("1 Gemini CLI proposes 2 changes"), "{marks:?}");
    let is_request = |message: &Message| matches!(message, Message::Request(_));
    assert!(!seen.0.iter().any(is_request), "nothing is asked: {:?}", seen.0);
    let [show] = stage.titles(other, 0).try_into().unwrap();
    assert!(show.starts_with("Review: ") && show.ends_with("notes.txt (Gemini CLI, 2 changes)"), "{show}");
    let name = crate::without_plugin::messages::file_name(&companion.review, stage.desk.editor.roots());
    let deciding = ["Accept", "Reject"].map(|verb| format!("alongside: {verb} {name}"));
    assert_eq!(stage.titles(&target, 3)[1..], deciding);
    let here = range((0, 0), (0, 0));
    let only = json!({"only": ["source.fixAll"]});
    let fixes = json!({"textDocument": {"uri": target}, "range": here, "context": only});
    stage.ask("textDocument/codeAction", fixes);
    assert_eq!(stage.seen().result(), &json!([]));
}

#[tokio::test(start_paused = true)]
async fn the_action_shows_the_first_change() {
    let (mut stage, _) = proposed("Eglot").await;
    let target = stage.uri("notes.txt");
    stage.choose(&target, 0, "Review: ");
    let seen = stage.seen();
    let shown = seen.one("window/showDocument");
    assert_eq!((&shown["takeFocus"], &shown["selection"]), (&json!(true), &range((1, 0), (1, 0))));
    let path = crate::uri::to_path(shown["uri"].as_str().unwrap()).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), NEW);
    assert!(path.ends_with("own/1-0-1/notes.txt"), "{}", path.display());
    assert!(stage.desk.owns_path(&path) && !stage.desk.owns_path(&stage.path("notes.txt")));
    // The editor fails, so a message names the file.
    stage.reply(&seen.number("window/showDocument"), Value::Null);
    assert!(stage.seen().said().contains(path.to_str().unwrap()));
}

#[tokio::test(start_paused = true)]
async fn prompts_and_documents_follow_the_table() {
    for (editor, asks, shows) in [
        ("Visual Studio Code", true, true),
        ("Neovim", false, true),
        ("helix", false, true),
        ("Kate", false, false),
        ("vim-lsp", false, false),
        ("kakoune-lsp", false, false),
        ("emacs", false, true),
    ] {
        let (mut stage, _) = proposed(editor).await;
        let seen = stage.seen();
        assert_eq!(seen.all("window/showMessageRequest").len(), usize::from(asks), "{editor}");
        assert_eq!(
            with_slashes(&seen.said()).contains("own/1-0-1/notes.txt"),
            !shows,
            "{editor}: {}",
            seen.said()
        );
        if asks {
            assert_eq!(seen.one("window/showMessageRequest")["actions"][0]["title"], "Later");
            stage.reply(&seen.number("window/showMessageRequest"), json!({"title": "Review"}));
            stage.seen().one("window/showDocument");
        }
        stage.command(json!({"command": "alongside.review"}));
        assert_eq!(stage.seen().all("window/showDocument").len(), usize::from(shows), "{editor}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_announcement_is_short_where_long_ones_take_a_key() {
    let (stage, _) = proposed("Neovim").await;
    assert_eq!(stage.seen().said(), "notes.txt: Gemini CLI proposes 2 changes");
}

#[tokio::test(start_paused = true)]
async fn open_reviews_shows_proposals_at_once() {
    let mut stage = Stage::introduced(json!({
        "clientInfo": {"name": "helix"}, "initializationOptions": {"alongside": {"openReviews": true}},
    }));
    stage.open("notes.txt", OLD);
    Companion::proposes(&mut stage, "notes.txt", OLD, NEW).await;
    stage.seen().one("window/showDocument");
}

#[tokio::test(start_paused = true)]
async fn a_proposal_shows_marks_actions_and_lenses() {
    let (mut stage, mut companion) = proposed("helix").await;
    let own = stage.show_proposal(NEW);
    companion.serve(&mut stage).await;
    let seen = stage.seen();
    assert_eq!(seen.marks(&own), ["1 before: two", "6 added"]);
    assert_eq!(companion.edits, 0, "opening is no edit");
    let titles = |titles: [&str; 5]| titles.map(|title| format!("alongside: {title}"));
    let all = titles(["Drop this change", "Accept", "Reject", "Show the original", "Next change"]);
    assert_eq!(stage.titles(&own, 1), all);
    let elsewhere = titles(["Next change", "Accept", "Reject", "Show the original", ""]);
    assert_eq!(stage.titles(&own, 3), elsewhere[..4]);
    stage.choose(&own, 3, "alongside: Next change");
    assert_eq!(stage.seen().one("window/showDocument")["selection"]["start"], at(6, 0));
    stage.ask("textDocument/codeLens", json!({"textDocument": {"uri": own}}));
    let seen = stage.seen();
    let lenses = seen.result().as_array().unwrap();
    let lenses: Vec<_> = lenses
        .iter()
        .map(|lens| (lens["range"]["start"]["line"].clone(), &lens["command"]["title"]))
        .collect();
    assert_eq!(
        json!(lenses),
        json!([[0, "Accept"], [0, "Reject"], [1, "Drop this change"], [6, "Drop this change"]])
    );
    // Requests about the proposal are no context.
    assert_eq!(stage.active()["path"], "notes.txt");
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn the_original_is_written_anew_each_time() {
    let (mut stage, _companion) = proposed("helix").await;
    let own = stage.show_proposal(NEW);
    stage.seen();
    let mut shown = || {
        stage.choose(&own, 3, "alongside: Show the original");
        let uri = stage.seen().one("window/showDocument")["uri"].as_str().unwrap().to_owned();
        std::path::PathBuf::from(uri.strip_prefix("file://").unwrap())
    };
    let path = shown();
    let original = std::fs::read_to_string(&path).unwrap();
    assert!(original.contains("two"), "{original}");
    // As an editor of root writes it, mode or not.
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, "changed").unwrap();
    assert_eq!(shown(), path);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), original);
}

#[tokio::test(start_paused = true)]
async fn an_ended_review_leaves_nothing_behind() {
    let (mut stage, companion) = proposed("Visual Studio Code").await;
    let own = stage.show_proposal(NEW);
    let path = crate::uri::to_path(&own).unwrap();
    stage.seen();
    companion.close(&stage, Closing::AnsweredInAgent, false);
    stage.hear().await;
    let seen = stage.seen();
    assert_eq!(seen.marks(&own), ["0 this review has ended"], "only that it is over");
    assert_eq!(seen.marks(&stage.uri("notes.txt")), Vec::<String>::new());
    assert!(seen.said().contains("answered in Gemini CLI"), "{}", seen.said());
    assert!(seen.all("window/showDocument").is_empty(), "another desk decided");
    seen.one("workspace/codeLens/refresh");
    assert_eq!(stage.titles(&own, 1), Vec::<String>::new());
    for _ in 0..3 {
        stage.type_in(&own, "late", range((0, 0), (0, 0)));
    }
    assert_eq!(stage.seen().said().matches("This review has ended").count(), 1);
    stage.tell("didClose", json!({"textDocument": {"uri": own}}));
    assert_eq!(stage.seen().marks(&own), Vec::<String>::new());
    assert!(!path.exists() && !path.parent().unwrap().exists());
}

#[tokio::test(start_paused = true)]
async fn marks_go_while_the_agent_rewrites_the_file() {
    let (mut stage, companion) = proposed("helix").await;
    let target = stage.uri("notes.txt");
    assert_eq!(stage.seen().marks(&target).len(), 1);
    fs::remove_file(stage.path("notes.txt")).unwrap();
    companion.close(&stage, Closing::Accepted, true);
    stage.hear().await;
    assert_eq!(stage.seen().marks(&target), Vec::<String>::new());
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn marks_go_from_every_name_of_a_file() {
    let mut stage = Stage::new("helix", &[]);
    fs::create_dir(stage.path("real")).unwrap();
    fs::write(stage.path("real/notes.txt"), OLD).unwrap();
    std::os::unix::fs::symlink(stage.path("real"), stage.path("link")).unwrap();
    let companion = Companion::proposes(&mut stage, "link/notes.txt", OLD, NEW).await;
    let link = stage.uri("link/notes.txt");
    assert_eq!(stage.seen().marks(&link).len(), 1);
    stage.open("real/notes.txt", OLD);
    companion.close(&stage, Closing::Accepted, true);
    stage.hear().await;
    assert_eq!(stage.seen().marks(&link), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn an_unopened_file_goes_with_its_review() {
    let (mut stage, companion) = proposed("helix").await;
    let own = stage.dir.path().join("own");
    assert_eq!(fs::read_dir(&own).unwrap().count(), 1);
    companion.close(&stage, Closing::AgentGone, false);
    stage.hear().await;
    assert_eq!(fs::read_dir(&own).unwrap().count(), 0);
    let (stage, _) = proposed("helix").await;
    let own = stage.dir.path().join("own");
    drop(stage.desk);
    assert_eq!(fs::read_dir(own).unwrap().count(), 0, "also when the editor ends");
}

#[tokio::test(start_paused = true)]
async fn hidden_differences_are_shown_once_at_opening() {
    let mut stage = Stage::new("helix", &[]);
    stage.open("notes.txt", "one\r\n");
    let file = stage.path("notes.txt").to_str().unwrap().to_owned();
    let mut review = Companion::review(1, Agent::default(), file, "one\n", "two\n");
    review.file_line_ending = Some(LineEnding::Crlf);
    review.file_has_bom = Some(true);
    Companion::opens(&mut stage, review).await;
    assert!(!stage.seen().said().contains("CRLF"), "the announcement would be cut off");
    let said = "notes.txt: CRLF in the file, LF proposed; BOM in the file, none proposed";
    let own = stage.show_proposal("two\n");
    assert_eq!(stage.seen().said(), said);
    stage.tell("didClose", json!({"textDocument": {"uri": own}}));
    stage.tell("didOpen", json!({"textDocument": {"uri": own, "text": "two\n"}}));
    assert!(!stage.seen().said().contains("CRLF"));
    let (mut stage, _) = proposed("helix").await;
    stage.seen();
    stage.show_proposal(NEW);
    assert!(!stage.seen().said().contains("CRLF"));
}

#[tokio::test(start_paused = true)]
async fn reached_limit_is_told_at_opening() {
    let mut stage = Stage::new("helix", &[]);
    stage.open("notes.txt", "one\n");
    let file = stage.path("notes.txt").to_str().unwrap().to_owned();
    let mut review = Companion::review(1, Agent::default(), file, "one\n", "two\n");
    review.hunks[0].limit = Some(Limit::Lines);
    Companion::opens(&mut stage, review).await;
    stage.seen();
    stage.show_proposal("two\n");
    let said = "notes.txt: Too much differs to compare every line of change 1: some may be equal.";
    assert_eq!(stage.seen().said(), said);
}

#[tokio::test(start_paused = true)]
async fn a_proposal_says_that_nobody_waits_for_it_as_long_as_it_is_so() {
    let (mut stage, mut companion) = proposed("helix").await;
    let own = stage.show_proposal(NEW);
    let hunks_before = stage.seen().marks(&own);
    for unawaited in [Some(Unawaited::TurnOver), None] {
        let (id, revision) = (companion.review.id, companion.review.revision);
        let hunks = companion.review.hunks.clone();
        let told = Changed { id, from: revision, revision, hunks, unawaited, ..Changed::default() };
        stage.seat.events.send(Event::Changed(told)).unwrap();
        companion.serve(&mut stage).await;
        let mut marks = stage.seen().marks(&own);
        if unawaited.is_some() {
            let said = "0 Nobody waits for this: Gemini CLI was asked to end its turn.";
            assert!(marks.remove(0).starts_with(said), "{marks:?}");
        }
        assert_eq!(marks, hunks_before);
    }
}

#[tokio::test(start_paused = true)]
async fn control_characters_never_reach_the_editor() {
    let mut stage = Stage::new("helix", &[]);
    let agent = Agent { name: "a\x1b[31m\u{202e}".into(), ..Agent::default() };
    let file = stage.path("x\x1b]0;\u{202e}y.txt").to_str().unwrap().to_owned();
    fs::write(&file, "old\u{202e}\x1b\n").unwrap();
    let review = Companion::review(1, agent, file, "old\u{202e}\x1b\n", "new\n");
    let mut companion = Companion::opens(&mut stage, review).await;
    let own = stage.show_proposal("new\n");
    stage.choose("file:///elsewhere", 0, "Review: ");
    companion.close(&stage, Closing::AgentGone, false);
    companion.serve(&mut stage).await;
    assert!(!own.contains("%1B") && !own.contains("%E2"), "{own}");
    let seen = stage.seen();
    assert!(!seen.0.is_empty());
    for message in seen.0 {
        let text = serde_json::to_string(&message).unwrap();
        assert!(!text.contains("\\u001b") && !text.contains('\u{202e}'), "{text}");
    }
}

#[test]
fn targets_outside_the_project_or_in_git_are_named() {
    let mut review = Companion::review(1, Agent::default(), "/p/a".into(), "a\n", "b\n");
    review.outside = Some("/home/somebody/.ssh/config\x1b[8m".into());
    let roots = [std::path::PathBuf::from("/p")];
    let said = r"outside the project, to /home/somebody/.ssh/config\x1b[8m";
    assert!(messages::announced(&review, &roots, None, false).ends_with(&format!("This path leads {said}!")));
    assert!(desk_messages::proposes(&review).starts_with("OUTSIDE THE PROJECT: a: "));
    assert_eq!(messages::doubts(&review, &roots).unwrap(), format!("a leads {said}"));
    (review.outside, review.in_git) = (None, Some("/p/.git/config\x1b".into()));
    let said = r"/p/.git/config\x1b";
    let announced = messages::announced(&review, &roots, None, false);
    assert!(announced.ends_with(&format!(" Git runs or obeys this file: {said}!")), "{announced}");
    assert!(desk_messages::proposes(&review).starts_with("RUN BY GIT: a: "));
    assert_eq!(
        messages::doubts(&review, &roots).unwrap(),
        format!("a leads to {said}, which git runs or obeys")
    );
}
