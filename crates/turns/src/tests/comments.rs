//! Tests comments and messages in the store.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use alongside_companion::turns::source::{
    ChangeBack, Feedback, HunkBack, NewComment, NewRound, TurnLook, TurnSource as _,
};
use alongside_contract::turns::Moment;
use alongside_desk::{Comment, CommentId, CommentState, Refusal, Side};

use super::fixture::{MOST, Project, claimed, reader};
use crate::{Claim, Delivery, Reader, claim, claim_for_person, clear, pending, trim, watched_file};

impl Project {
    fn claim_for_person(&self) -> Option<Claim> {
        claimed(claim_for_person(&self.dirs, &self.top, Delivery::Clipboard))
    }

    fn log(&self) -> std::path::PathBuf {
        watched_file(&self.dirs, &self.top).unwrap()
    }

    /// Makes a project with a turn in which `a` has changed.
    fn with_turn() -> Option<(Self, TurnLook)> {
        let project = Self::new()?;
        project.prompt();
        project.write("a", "one\nTWO\nthree\n");
        project.end();
        let look = project.look();
        Some((project, look))
    }
}

/// The text of a comment, the range of its lines, and whether they are lost.
type Place<'a> = (&'a str, Option<(usize, usize)>, bool);

fn places(feedback: &Feedback) -> Vec<Place<'_>> {
    let place = |comment: &'_ Comment| comment.now.map(|lines| (lines.first, lines.last));
    feedback.comments.iter().map(|comment| (&*comment.text, place(comment), comment.lost)).collect()
}

#[test]
fn comments_are_on_disk_and_follow_their_lines() {
    let Some((project, look)) = Project::with_turn() else { return };
    assert_eq!((look.feedback.comments.len(), &look.feedback.message), (0, &None));
    project.comment(&look, "a", Some((2, 2)), "louder");
    project.comment_on_side(&look, "a", Some((2, 2)), Side::Old, "it was fine");
    project.comment_on_all(&look, "tests?");
    // Another process finds the comments, also after a crash in the middle of a line.
    fs::File::options().append(true).open(project.log()).unwrap().write_all(b"{\"kind\":\"wri").unwrap();
    project.write("a", "zero\none\nTWO\nthree\n");
    let look = project.look();
    let both =
        [("louder", Some((3, 3)), false), ("it was fine", Some((2, 2)), false), ("tests?", None, false)];
    assert_eq!(places(&look.feedback), both);
    assert_eq!(look.feedback.comments[0].anchor.code, "TWO\n");
    let (_, told) = crate::feedback_in(&project.dirs, &project.top).unwrap();
    assert_eq!(told, look.feedback);
    // The lines of the comments are removed, and then restored.
    project.write("a", "zero\none\nthree\n");
    assert_eq!(places(&project.look().feedback)[0], ("louder", None, true));
    fs::remove_file(project.path("a")).unwrap();
    assert_eq!(places(&project.look().feedback)[0], ("louder", None, true));
    project.write("moved", "one\nTWO\nthree\n");
    let look = project.look();
    assert_eq!(places(&look.feedback)[0], ("louder", Some((2, 2)), false));
    assert_eq!(look.feedback.comments[0].anchor.path.as_deref(), Some("moved"));
}

#[test]
fn a_comment_is_changed_and_removed_until_it_is_read() {
    let Some((project, look)) = Project::with_turn() else { return };
    let change = |id, text: &str| project.store.change_comment(&look, CommentId(id), text);
    for text in ["one", "two", "three"] {
        project.comment_on_all(&look, text);
    }
    change(1, "ONE").unwrap();
    change(2, "").unwrap();
    assert_eq!(change(2, "again"), Err(Refusal::NoSuchComment));
    assert_eq!(change(7, "again"), Err(Refusal::NoSuchComment));
    project.send(&look);
    change(1, "won").unwrap();
    let claimed = project.claim("s").unwrap();
    let text = claimed.message().text.clone();
    assert!(text.contains("> won\n") && text.contains("> three\n") && !text.contains("two"), "{text}");
    claimed.mark_delivered().unwrap();
    change(1, "").unwrap();
    let feedback = project.feedback(&look);
    assert_eq!(places(&feedback), [("three", None, false)]);
    assert_eq!(feedback.comments[0].state, CommentState::Sent);
    assert!(feedback.message.unwrap().text.contains("> won\n"), "what was read stays as it was read");
    project.comment_on_all(&look, "four");
    assert_eq!(project.feedback(&look).comments[1].id, CommentId(4));
}

#[test]
fn a_message_is_read_once_and_desks_show_its_state() {
    let Some((project, look)) = Project::with_turn() else { return };
    assert_eq!(look.feedback.route.as_ref().unwrap().words, "Codex reads it with your next prompt");
    assert_eq!(project.store.send(&look, &NewRound::default()), Ok(None), "nothing to say");
    project.comment_on_all(&look, "one");
    assert!(project.claim("s").is_none(), "it is not sent yet");
    project.send(&look);
    let message = project.feedback(&look).message.unwrap();
    assert_eq!((&*message.words, message.read), ("Codex reads it with your next prompt", None));
    // Only one session claims the message. A second finish before it is read adds to it.
    let first = project.claim("s").unwrap();
    assert!(project.claim("s").is_none());
    first.begin().unwrap();
    first.give_back().unwrap();
    project.comment_on_all(&look, "two");
    project.send(&look);
    let claimed = project.claim("s").unwrap();
    assert!(claimed.message().text.contains("> one\n") && claimed.message().text.contains("> two\n"));
    assert!(!claimed.message().text.contains("already"));
    std::thread::scope(|scope| {
        // A comment that is written at that moment waits for the end of the delivery.
        let three = scope.spawn(|| project.comment_on_all(&look, "three"));
        claimed.begin().unwrap();
        claimed.mark_delivered().unwrap();
        three.join().unwrap();
    });
    project.send(&look);
    let message = project.feedback(&look).message.unwrap();
    assert!(message.read.is_none() && !message.text.contains("> one") && message.text.contains("> three"));
    project.claim("s").unwrap().mark_delivered().unwrap();
    let message = project.feedback(&look).message.unwrap();
    assert_eq!(message.words, "Codex has read it with your prompt");
    assert!(message.read.is_some() && message.text.contains("> three\n"));
    assert!(project.claim("s").is_none(), "nothing is sent twice");
    assert_eq!(pending(&project.dirs, &project.top, &reader("s"), MOST), Ok(None));
}

#[test]
fn only_one_of_many_concurrent_claims_gets_the_message() {
    let Some((project, look)) = Project::with_turn() else { return };
    project.comment_on_all(&look, "one");
    project.send(&look);
    let barrier = Barrier::new(8);
    let delivered = std::thread::scope(|scope| {
        let claims: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    barrier.wait();
                    project.claim("s").is_some_and(|claim| claim.mark_delivered().is_ok())
                })
            })
            .collect();
        claims.into_iter().map(|it| it.join().unwrap()).filter(|got| *got).count()
    });
    assert_eq!(delivered, 1);
}

#[test]
fn only_the_session_of_the_last_turn_gets_the_message() {
    let Some(project) = Project::new() else { return };
    assert_eq!(project.event(Moment::Prompt, "beside"), Ok(crate::Recorded::Kept));
    project.prompt();
    let look = project.look();
    project.comment_on_all(&look, "one");
    project.send(&look);
    assert!(project.claim("beside").is_none());
    let other = Reader { agent: "Claude Code".into(), session: "s".into(), is_attended: true };
    assert!(claimed(claim(&project.dirs, &project.top, &other, Delivery::Wake, MOST)).is_none());
    // A new session of the agent takes the message over.
    std::thread::sleep(Duration::from_millis(2));
    assert_eq!(project.event(Moment::Prompt, "new"), Ok(crate::Recorded::Kept));
    assert!(project.claim("new").is_some());
}

#[test]
fn without_a_turn_any_agent_or_the_person_gets_the_message() {
    let Some(project) = Project::new() else { return };
    project.write("a", "new\n");
    let look = project.look();
    project.comment(&look, "a", Some((1, 1)), "why?");
    project.send(&look);
    assert!(project.claim("s").is_some());
    project.comment_on_all(&look, "unsent");
    let claimed = project.claim_for_person().unwrap();
    let text = claimed.message().text.clone();
    assert!(text.contains("> why?\n") && text.contains("> unsent\n"), "{text}");
    assert!(project.claim("s").is_none());
    claimed.mark_delivered().unwrap();
    assert!(project.claim("s").is_none());
    assert_eq!(project.feedback(&look).message.unwrap().words, "you have copied it, to paste it yourself");
    assert!(project.claim_for_person().is_none());
}

#[test]
fn a_message_lists_undone_changes_and_requests_to_undo() {
    let Some((project, look)) = Project::with_turn() else { return };
    let hunk = HunkBack { line: 2, changed: "TWO\n".into(), before: "two\n".into() };
    let round = NewRound {
        undone: vec![ChangeBack { path: "a".into(), hunks: vec![hunk], ..ChangeBack::default() }],
        asked: vec![ChangeBack { path: "b/c".into(), ..ChangeBack::default() }],
        comments: None,
    };
    let sent = project.store.send(&look, &round).unwrap().unwrap();
    assert!(sent.text.contains("- all of `b/c`\n"), "{}", sent.text);
    assert!(sent.text.contains("- in `a`, at line 2\n```diff\n@@ line 2 @@\n-TWO\n+two\n```\n"));
    assert_eq!(project.claim("s").unwrap().message().text, sent.text);
}

#[test]
fn unread_comments_survive_the_removal_of_their_store() {
    let Some((project, look)) = Project::with_turn() else { return };
    project.comment_on_all(&look, "sent");
    project.send(&look);
    project.comment_on_all(&look, "unsent");
    let until = Instant::now() + Duration::from_secs(30);
    assert!(clear(&project.dirs, &project.top, until).unwrap().is_some());
    trim(&project.dirs, Path::new("/elsewhere"), 0, until).unwrap();
    let store = project.tree_store();
    assert!(!store.repository().exists());
    assert!(project.claim("s").unwrap().message().text.contains("> sent\n"));
    let look = project.look();
    assert_eq!(look.feedback.comments.len(), 2);
    for id in [1, 2] {
        project.store.change_comment(&look, CommentId(id), "").unwrap();
    }
    trim(&project.dirs, Path::new("/elsewhere"), 0, until).unwrap();
    assert!(!store.file("").exists());
}

#[test]
fn a_comment_that_cannot_be_written_is_refused_with_the_reason() {
    let Some((project, look)) = Project::with_turn() else { return };
    fs::create_dir(project.log()).unwrap();
    let comment = NewComment { text: "one".into(), ..NewComment::default() };
    let refused = project.store.add_comment(&look, &comment);
    assert!(matches!(refused, Err(Refusal::CommentNotKept { .. })), "{refused:?}");
    assert!(project.store.send(&look, &NewRound::default()).is_err());
    let look = project.look();
    assert_eq!((look.files.len(), look.feedback), (1, Feedback::default()), "the changes are told");
    assert!(look.remarks.iter().any(|remark| remark.starts_with("The comments cannot be read: ")));
    assert!(claim(&project.dirs, &project.top, &reader("s"), Delivery::Prompt, MOST).is_err());
}
