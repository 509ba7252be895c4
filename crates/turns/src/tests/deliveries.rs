//! Tests deliveries that are interrupted, or that meet other work on the same store.

use std::fs;
use std::time::{Duration, Instant};

use alongside_companion::turns::source::{ChangeBack, HunkBack, NewRound, TurnLook, TurnSource as _};
use alongside_desk::{CommentId, CommentState, now_ms};

use super::fixture::{Project, claimed, reader};
use crate::store::comment_line::Line;
use crate::store::sample_comment_lines::{read, sent, written};
use crate::store::tree_store::COMMENTS_LOCK;
use crate::{Claimed, Delivery, Error, claim_for_person, clear, confirm, sent_text, trim};

const MAY_BE_KNOWN: &str = "You may have got this already";

impl Project {
    fn sent(text: &str) -> Option<(Self, TurnLook)> {
        let project = Self::new()?;
        project.prompt();
        project.end();
        let look = project.look();
        project.comment_on_all(&look, text);
        project.send(&look);
        Some((project, look))
    }

    fn message_words(&self, look: &TurnLook) -> String {
        self.feedback(look).message.unwrap().words
    }
}

#[test]
fn an_interrupted_message_is_given_again_and_says_so() {
    let Some((project, look)) = Project::sent("one") else { return };
    let killed = project.claim("s").unwrap();
    killed.begin().unwrap();
    drop(killed);
    let words = "Codex reads it with your next prompt, and may have read it already";
    assert_eq!(project.message_words(&look), words);
    let again = project.claim("s").unwrap();
    let text = again.message().text.clone();
    assert!(text.contains(MAY_BE_KNOWN) && text.contains("> one\n"), "{text}");
    again.begin().unwrap();
    again.mark_delivered().unwrap();
    assert!(project.claim("s").is_none());
    assert_eq!(project.feedback(&look).message.unwrap().text, text, "as it was read");
    project.comment_on_all(&look, "two");
    project.send(&look);
    assert!(
        !project.claim("s").unwrap().message().text.contains(MAY_BE_KNOWN),
        "the next one is another one"
    );
}

#[test]
fn a_delivery_that_certainly_failed_is_repeated_without_a_remark() {
    let Some((project, look)) = Project::sent("one") else { return };
    let failed = project.claim("s").unwrap();
    failed.begin().unwrap();
    failed.give_back().unwrap();
    assert_eq!(project.message_words(&look), "Codex reads it with your next prompt");
    assert!(!project.claim("s").unwrap().message().text.contains(MAY_BE_KNOWN));
}

#[test]
fn a_message_beside_a_prompt_is_read_once_the_turn_ends() {
    let Some((project, look)) = Project::sent("one") else { return };
    let ends = |session| confirm(&project.dirs, &project.top, &reader(session), now_ms()).unwrap();
    let blocked = project.claim("s").unwrap();
    blocked.begin().unwrap();
    blocked.mark_given(None).unwrap();
    let given = "Codex has got it with your prompt, and has read it once its turn ends";
    assert_eq!(project.message_words(&look), given);
    let new = project.claim_by("new", Delivery::Prompt).unwrap();
    assert!(matches!(new, Claimed::Nothing), "another session may be at work on it: {new:?}");
    assert!(!ends("new"));
    // The prompt of that message has reached no model. The next prompt reaches one.
    let again = project.claim("s").unwrap();
    assert!(again.message().text.contains(MAY_BE_KNOWN));
    again.begin().unwrap();
    again.mark_given(None).unwrap();
    assert!(ends("s") && !ends("s"));
    assert_eq!(project.message_words(&look), "Codex has read it with your prompt");
    assert!(project.claim("s").is_none(), "it is read once");
}

/// An agent may start the hook of a prompt that was typed at the end of a turn before the hook of that end
/// has ended.
#[test]
fn the_end_of_an_earlier_turn_confirms_no_message_of_a_newer_prompt() {
    let Some((project, look)) = Project::sent("one") else { return };
    let ended = now_ms() - 1;
    let newer = project.claim("s").unwrap();
    newer.begin().unwrap();
    newer.mark_given(None).unwrap();
    let confirms = |ended| confirm(&project.dirs, &project.top, &reader("s"), ended).unwrap();
    assert!(!confirms(ended));
    let given = "Codex has got it with your prompt, and has read it once its turn ends";
    assert_eq!(project.message_words(&look), given);
    // The hook that has waited since that end does not deliver the message again.
    let woken = project.claim_by("s", Delivery::Wake).unwrap();
    assert!(matches!(woken, Claimed::Nothing), "{woken:?}");
    assert!(confirms(now_ms()));
}

#[test]
fn the_message_of_a_session_that_dies_goes_to_the_next_session() {
    let Some((project, look)) = Project::sent("one") else { return };
    let mut agent = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let given = project.claim("s").unwrap();
    given.begin().unwrap();
    given.mark_given(Some(agent.id())).unwrap();
    assert!(
        matches!(project.claim_by("next", Delivery::Prompt), Ok(Claimed::Nothing)),
        "its process is alive"
    );
    agent.kill().unwrap();
    agent.wait().unwrap();
    let words = "Codex had got it with your prompt, and has ended: its next session gets it again";
    assert_eq!(project.message_words(&look), words);
    assert!(project.claim("next").unwrap().message().text.contains(MAY_BE_KNOWN));
}

#[test]
fn a_delivery_does_not_begin_if_the_log_cannot_be_written() {
    let Some((project, _)) = Project::sent("one") else { return };
    let claimed = project.claim("s").unwrap();
    let log = project.tree_store().comments().path().to_owned();
    fs::remove_file(&log).unwrap();
    fs::create_dir(&log).unwrap();
    assert!(claimed.begin().is_err());
}

#[test]
fn comments_stay_unsent_if_the_copy_fails() {
    let Some(project) = Project::new() else { return };
    let look = project.look();
    project.comment_on_all(&look, "one");
    let copied = || claimed(claim_for_person(&project.dirs, &project.top, Delivery::Clipboard)).unwrap();
    drop(copied());
    assert_eq!(project.feedback(&look).comments[0].state, CommentState::Unsent);
    copied().mark_delivered().unwrap();
    let feedback = project.feedback(&look);
    assert_eq!(feedback.message.unwrap().words, "you have copied it, to paste it yourself");
}

#[test]
fn only_the_confirmed_comments_are_sent() {
    let Some(project) = Project::new() else { return };
    let look = project.look();
    project.comment_on_all(&look, "one");
    project.comment_on_all(&look, "late");
    let round = NewRound { comments: Some(vec![CommentId(1)]), ..NewRound::default() };
    let sent = project.store.send(&look, &round).unwrap().unwrap();
    assert!(sent.text.contains("> one\n") && !sent.text.contains("late"), "{}", sent.text);
    let comments = project.feedback(&look).comments;
    assert_eq!((&*comments[1].text, comments[1].state), ("late", CommentState::Unsent));
}

#[test]
fn a_cut_message_names_its_own_round() {
    let Some((project, look)) = Project::sent(&"long ".repeat(5_000)) else { return };
    let claimed = project.claim("s").unwrap();
    assert!(claimed.message().text.contains("run `alongside comments --sent=1`"));
    claimed.mark_delivered().unwrap();
    project.comment_on_all(&look, "later");
    project.send(&look);
    let sent = |round| sent_text(&project.dirs, &project.top, round).unwrap().map(|sent| sent.text);
    assert!(sent(Some(1)).unwrap().contains(&"long ".repeat(4_999)));
    assert!(!sent(Some(1)).unwrap().contains("> later\n"));
    assert!(sent(Some(2)).unwrap().contains("> later\n") && sent(None).unwrap().contains("> later\n"));
    assert_eq!(sent(Some(3)), None);
}

#[test]
fn a_store_is_not_removed_while_a_comment_is_written() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    let writing = project.tree_store().lock(COMMENTS_LOCK, Instant::now()).unwrap();
    let cleared = clear(&project.dirs, &project.top, Instant::now() + Duration::from_millis(50));
    assert_eq!(cleared, Err(Error::Late));
    assert!(project.tree_store().file("tree").exists());
    drop(writing);
    assert!(clear(&project.dirs, &project.top, Instant::now() + Duration::from_secs(30)).is_ok());
    assert!(!project.tree_store().file("tree").exists());
}

#[test]
fn a_log_that_grew_too_large_keeps_waiting_and_unsent_comments() {
    let Some((project, look)) = Project::sent("one") else { return };
    project.claim("s").unwrap().mark_delivered().unwrap();
    project.comment_on_all(&look, "waits");
    project.send(&look);
    project.comment_on_all(&look, "unsent");
    let log = project.tree_store().comments();
    let text = "long\n".repeat(12_000);
    let hunk = HunkBack { line: 1, changed: text.clone(), before: text };
    let undone: Vec<_> = (0..8)
        .map(|_| ChangeBack { path: "a".into(), hunks: vec![hunk.clone()], ..ChangeBack::default() })
        .collect();
    for round in 10..90 {
        let (comments, to, beside, trees, at) = (vec![], None, vec![], None, 1);
        let sent = Line::Sent { round, comments, undone: undone.clone(), to, beside, trees, keeps: None, at };
        log.append(&[sent, read(round, round)]).unwrap();
    }
    assert!(log.read().is_err(), "it is too large to be read");
    let look = project.look();
    assert!(!look.remarks.iter().any(|remark| remark.contains("cannot be read")), "{:?}", look.remarks);
    let words: Vec<_> = look.feedback.comments.iter().map(|comment| &*comment.text).collect();
    assert!(words.contains(&"waits") && words.contains(&"unsent"), "{words:?}");
    assert!(log.path().metadata().unwrap().len() < 4 << 20);
    assert!(project.claim("s").unwrap().message().text.contains("> waits\n"));
}

#[test]
fn trimming_drops_messages_that_were_read_long_ago() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    let log = project.tree_store().comments();
    log.append(&[written(1, "one"), sent(1, &[1])]).unwrap();
    let trim = || {
        let until = Instant::now() + Duration::from_secs(30);
        trim(&project.dirs, &project.top, u64::MAX, until).unwrap();
        log.read().unwrap()
    };
    assert_eq!(trim().waiting().count(), 1, "nobody has read it");
    log.append([&read(1, 1)]).unwrap();
    let kept = trim();
    assert!(kept.comments.is_empty() && kept.rounds.is_empty());
    assert_eq!((kept.next_comment(), kept.next_round()), (CommentId(2), 2));
}
