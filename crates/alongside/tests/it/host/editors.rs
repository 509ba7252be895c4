//! Hosts that belong to an editor: desks take them over, leave, inherit and join them.

use alongside_agent::find;
use alongside_desk::socket::{EditorProcess, Joined, join};
use alongside_desk::{Change, Closing, Decision, Event, Request, Review};
use insta::assert_snapshot;

use super::{dial, hello};
use crate::editor::Process as Editor;
use crate::support::{Home, accepted, propose, soon, until};

/// Joins the host of a home as the desk of an editor or of a terminal.
async fn join_as(home: &Home, editor: Option<EditorProcess>) -> Joined {
    soon("joining", join(dial(home).await, &hello(editor))).await.unwrap()
}

async fn opened(joined: &mut Joined) -> Review {
    let told = async {
        loop {
            if let Event::Opened(review) = joined.desk.next().await.unwrap() {
                return review;
            }
        }
    };
    soon("the review", told).await
}

async fn closing(joined: &mut Joined) -> Closing {
    let told = async {
        loop {
            if let Event::Closed(closed) = joined.desk.next().await.unwrap() {
                return closed.closing;
            }
        }
    };
    soon("the end of the review", told).await
}

#[tokio::test]
async fn a_review_stays_at_the_other_desks_when_an_editor_ends() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let mut desk = home.review(&[]);
    let agent = home.agent().await;
    let desk_pid = desk.pid();
    assert!(home.is_found_as(desk_pid));
    let (mut first, mut second) = (Editor::open(), Editor::open());
    let mut server = join_as(&home, Some(first.editor_process())).await;
    let mut other = join_as(&home, Some(second.editor_process())).await;
    let is_found = |editor: &Editor| home.is_found_as(editor.pid());
    until("the editors' files", || (is_found(&first) && is_found(&second)).then_some(())).await;
    assert!(!home.is_found_as(desk_pid), "an editor precedes a desk in a terminal");
    let diff = propose(&agent, &file, "A\n").await;
    let review = opened(&mut server).await;
    let edit = vec![Change { range: None, text: "typed in the editor\n".into() }];
    server.desk.request(Request::EditReview { id: review.id, revision: 1, changes: edit }).await.unwrap();
    desk.shows("+typed in the editor").await;

    // The process of the editor ends before the connection of its desk.
    first.dies();
    until("the removal of the discovery files of the first editor", || {
        (!is_found(&first) && is_found(&second)).then_some(())
    })
    .await;
    second.dies();
    until("the discovery files of the desk", || {
        (home.is_found_as(desk_pid) && !is_found(&second)).then_some(())
    })
    .await;
    let seen = opened(&mut other).await;
    assert_eq!(seen.id, review.id, "it is the same review at every desk");
    desk.types("a");
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("typed in the editor\n"));
    assert_eq!(closing(&mut server).await, Closing::Accepted);
}

#[tokio::test]
async fn a_reopened_editor_gets_the_reviews_from_meanwhile() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let mut desk = home.review(&[]);
    let agent = home.agent().await;
    let port = home.record().port;
    let editor = Editor::open();
    let relay = join_as(&home, Some(editor.editor_process())).await;
    desk.leaves();
    until("the editor's files", || home.is_found_as(editor.pid()).then_some(())).await;
    relay.desk.leave().await;
    until("the files to go", || find::all_records(&home.surroundings()).is_empty().then_some(())).await;
    let status = home.run(&["status"]);
    let seconds = |text: &str, before: &str| Some(text.split_once(before)?.1.split(' ').next()?.to_owned());
    assert_eq!(seconds(&status.out, "  waits "), seconds(&status.err, " within "));
    home.add_to_transcript("status", &home.stable(status));
    assert_snapshot!(home.prints(&["env"]));
    // The stream of the agent is open, so its proposal waits.
    let diff = propose(&agent, &file, "A\n").await;
    let reopened = Editor::open();
    let mut relay = join_as(&home, Some(reopened.editor_process())).await;
    let review = opened(&mut relay).await;
    until("the files to be back", || home.is_found_as(reopened.pid()).then_some(())).await;
    assert_eq!(home.record().port, port);
    let accept =
        Request::DecideReview { id: review.id, revision: review.revision, decision: Decision::Accept };
    relay.desk.request(accept).await.unwrap();
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted("A\n"));
}

#[tokio::test]
async fn uninstall_ends_a_host_that_only_waits_for_its_editor() {
    let home = Home::new();
    let mut editor = Editor::open();
    let mut desk = home.review(&[]);
    let relay = join_as(&home, Some(editor.editor_process())).await;
    desk.leaves();
    until("the editor's files", || home.is_found_as(editor.pid()).then_some(())).await;
    let in_use = home.prints(&["uninstall --all --yes"]);
    assert!(home.is_found_as(editor.pid()));

    relay.desk.leave().await;
    editor.dies();
    until("the files to go", || find::all_records(&home.surroundings()).is_empty().then_some(())).await;
    let shown = home.prints(&["uninstall --all --dry-run"]);
    assert_eq!(home.hosts().len(), 1, "--dry-run ends nothing");
    let ended = home.prints(&["uninstall --all --yes"]);
    assert_eq!(home.hosts().len(), 0, "{ended}");
    assert_snapshot!(in_use + &shown + &ended + &home.prints(&["uninstall --all --yes"]));
}
