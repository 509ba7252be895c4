//! Tests rounds: an agent's answer to a message, as far as the files on disk show it.

use alongside_companion::turns::source::{ChangeBack, HunkBack, NewRound, TurnLook, TurnSource as _};
use alongside_contract::turns::Moment;
use alongside_desk::{CommentId, CommentState, LineRange, Lines};

use super::fixture::{Project, claimed, reader};
use crate::store::turn_log::{Kind, Record, Undone};
use crate::{Delivery, confirm};

const BEFORE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
pub(super) const AFTER: &str = "one\nTWO\nthree\nFOUR\nfive\nSIX\nseven\n";

impl Project {
    /// Makes a project with a turn that has changed three lines of `a`.
    pub(super) fn with_three_changes() -> Option<(Self, TurnLook)> {
        let project = Self::new()?;
        project.write("a", BEFORE);
        project.prompt();
        project.write("a", AFTER);
        project.end();
        let look = project.look();
        Some((project, look))
    }

    pub(super) fn send_round(&self, look: &TurnLook, round: &NewRound) {
        assert!(self.store.send(look, round).unwrap().is_some());
        self.store.finish(look);
    }

    /// Plays the next turn, which reads the message and does `work`. Returns the text of the message.
    pub(super) fn answer(&self, work: impl FnOnce()) -> String {
        self.prompt();
        let claimed = self.claim("s").unwrap();
        let text = claimed.message().text.clone();
        claimed.begin().unwrap();
        claimed.mark_given(None).unwrap();
        work();
        self.end();
        assert!(confirm(&self.dirs, &self.top, &reader("s"), alongside_desk::now_ms()).unwrap());
        text
    }

    fn again(&self, look: &TurnLook, id: u64, text: &str) {
        self.store.change_comment(look, CommentId(id), text).unwrap();
    }
}

/// Returns the text of each comment, its state, and whether it is asked again.
fn states(look: &TurnLook) -> Vec<(&str, CommentState, bool)> {
    look.feedback.comments.iter().map(|comment| (&*comment.text, comment.state, comment.again)).collect()
}

/// Returns a line of the log that announces the removal of this file.
pub(super) fn undone(path: &str) -> Record {
    let undone = Undone { path: path.to_owned(), ..Undone::default() };
    Record { undone: Some(undone), ..Record::new(Kind::Undo, alongside_desk::now_ms()) }
}

use CommentState::{Answered, Open, Sent, Unsent};

#[test]
fn a_comment_is_answered_once_its_lines_have_changed() {
    let Some((project, look)) = Project::with_three_changes() else { return };
    for (line, text) in [(2, "louder"), (4, "softer"), (6, "why?")] {
        project.comment(&look, "a", Some((line, line)), text);
    }
    project.comment(&look, "a", None, "too short");
    project.send_round(&look, &NewRound::default());
    assert!(states(&project.look()).iter().all(|(_, state, _)| *state == Sent), "nobody has read it");
    project.answer(|| {
        let half = project.look();
        assert_eq!(states(&half)[0], ("louder", Sent, false), "the agent may yet answer");
        project.write("a", "first\none\nTWO!\nthree\nFOUR\nfive\n// because\nSIX\nseven\n");
    });
    // Another store reads the same from disk, as a host does after a crash.
    let look = crate::TurnStore::new(project.dirs.clone()).look(&project.top, None).unwrap();
    let expected = [
        ("louder", Answered, false),
        ("softer", Open, false),
        ("why?", Answered, false),
        ("too short", Answered, false),
    ];
    assert_eq!(states(&look), expected);
    assert_eq!(look.feedback.comments[1].now, Some(LineRange { first: 5, last: 5 }));
    let answered = &look.feedback.comments[0];
    assert_eq!((answered.now, answered.lost), (Some(LineRange { first: 3, last: 3 }), false), "in its place");
    let (_, told) = crate::feedback_in(&project.dirs, &project.top).unwrap();
    assert_eq!(told, look.feedback);
}

#[test]
fn a_comment_is_not_open_before_the_woken_turn_ends() {
    let Some((project, look)) = Project::with_three_changes() else { return };
    project.comment(&look, "a", Some((2, 2)), "louder");
    project.send_round(&look, &NewRound::default());
    let claimed = claimed(project.claim_by("s", Delivery::Wake)).unwrap();
    claimed.begin().unwrap();
    claimed.mark_delivered().unwrap();
    // The snapshot of the end that woke the session is taken late.
    project.end();
    assert_eq!(states(&project.look()), [("louder", Sent, false)]);
    assert_eq!(project.event(Moment::Continued, "s"), Ok(crate::Recorded::Kept));
    assert_eq!(states(&project.look()), [("louder", Sent, false)], "the agent is at work on it");
    project.end();
    assert_eq!(states(&project.look()), [("louder", Open, false)]);
}

#[test]
fn an_open_comment_is_asked_again_once_or_closed() {
    let Some((project, look)) = Project::with_three_changes() else { return };
    for (line, text) in [(2, "louder"), (4, "softer"), (6, "never mind")] {
        project.comment(&look, "a", Some((line, line)), text);
    }
    project.send_round(&look, &NewRound::default());
    project.answer(|| {});
    let look = project.look();
    assert!(states(&look).iter().all(|(_, state, _)| *state == Open), "{:?}", states(&look));
    project.again(&look, 1, "louder");
    project.again(&look, 2, "softer, please");
    project.again(&look, 3, "");
    let look = project.look();
    assert_eq!(states(&look), [("louder", Unsent, true), ("softer, please", Unsent, true)]);
    project.again(&look, 2, "");
    assert_eq!(states(&project.look()), [("louder", Unsent, true), ("softer", Open, false)], "taken back");
    project.send_round(&project.look(), &NewRound::default());
    let text = project.answer(|| project.write("a", AFTER.replace("TWO", "TWO!!")));
    assert!(text.contains("Comment 1: `a`, line 2 (asked again)\n"), "{text}");
    assert!(text.contains("> louder\n") && !text.contains("softer"), "{text}");
    let look = project.look();
    assert_eq!(states(&look), [("louder", Answered, false), ("softer", Open, false)]);
    // An answered comment is dropped with the next round, and an open one stays.
    project.again(&look, 2, "softer");
    project.send_round(&look, &NewRound::default());
    assert_eq!(states(&project.look()), [("softer", Sent, false)]);
    let text = project.answer(|| {});
    assert_eq!((text.matches("> softer").count(), text.contains("louder")), (1, false));
}

#[test]
fn a_comment_that_is_asked_again_is_about_the_current_lines() {
    let Some((project, look)) = Project::with_three_changes() else { return };
    project.comment(&look, "a", Some((4, 4)), "softer");
    project.send_round(&look, &NewRound::default());
    project.answer(|| project.write("a", AFTER.replace("FOUR\n", "quiet\nvery quiet\n")));
    let look = project.look();
    let shown = LineRange { first: 4, last: 5 };
    assert_eq!(states(&look), [("softer", Answered, false)]);
    assert_eq!((look.feedback.comments[0].now, look.feedback.comments[0].lost), (Some(shown), false));
    project.again(&look, 1, "shorter");
    let again = |text: &str| {
        let look = project.look();
        assert_eq!(states(&look), [(text, Unsent, true)]);
        let comment = &look.feedback.comments[0];
        assert_eq!((comment.now, comment.lost), (Some(shown), false));
        assert_eq!((comment.anchor.lines, &*comment.anchor.code), (Some(shown), "quiet\nvery quiet\n"));
    };
    again("shorter");
    project.again(&look, 1, "");
    assert_eq!(states(&project.look()), [("softer", Answered, false)], "taken back");
    project.again(&look, 1, "shorter");
    project.again(&look, 1, "much shorter");
    again("much shorter");
    let look = project.look();
    project.send_round(&look, &NewRound::default());
    let text = project.answer(|| {});
    assert!(text.contains("Comment 1: `a`, lines 4–5 (asked again)\n"), "{text}");
    assert!(text.contains("very quiet\n") && !text.contains("FOUR"), "{text}");
    assert_eq!(states(&project.look()), [("much shorter", Open, false)]);
}

#[test]
fn a_comment_that_is_asked_again_without_its_lines_is_open() {
    let Some((project, look)) = Project::with_three_changes() else { return };
    project.comment(&look, "a", Some((4, 4)), "softer");
    project.send_round(&look, &NewRound::default());
    project.answer(|| project.write("a", AFTER.replace("FOUR\n", "")));
    let look = project.look();
    assert!(look.feedback.comments[0].lost);
    project.again(&look, 1, "bring it back");
    let look = project.look();
    project.send_round(&look, &NewRound::default());
    // Another part of the file changes.
    project.answer(|| project.write("a", AFTER.replace("FOUR\n", "").replace("SIX", "six!")));
    let look = project.look();
    assert_eq!(states(&look), [("bring it back", Open, false)]);
    assert!(look.feedback.comments[0].lost);
}

#[test]
fn a_request_to_undo_is_answered_once_its_lines_change() {
    let Some((project, look)) = Project::with_three_changes() else { return };
    let hunk =
        |line, changed: &str, before: &str| HunkBack { line, changed: changed.into(), before: before.into() };
    let hunks = vec![hunk(2, "TWO\n", "two\n"), hunk(4, "FOUR\n", "four\n")];
    let asked = vec![ChangeBack { path: "a".into(), hunks, ..ChangeBack::default() }];
    project.send_round(&look, &NewRound { asked, ..NewRound::default() });
    let text = project.answer(|| project.write("a", AFTER.replace("TWO", "two")));
    assert!(text.contains("- in `a`, at lines 2, 4\n```diff\n"), "{text}");
    assert!(!text.contains("## Comments"), "{text}");
    let look = project.look();
    let asked = "Please undo this.";
    assert_eq!(states(&look), [(asked, Answered, false), (asked, Open, false)]);
    project.again(&look, 2, asked);
    project.send_round(&project.look(), &NewRound::default());
    let text = project.answer(|| {});
    assert!(text.contains("- in `a`, at line 4\n") && !text.contains("line 2"), "{text}");
    // With a text of the person, the request is also a comment.
    project.again(&project.look(), 2, "Really undo this.");
    project.send_round(&project.look(), &NewRound::default());
    let text = project.answer(|| {});
    assert!(text.contains("> Really undo this.\n") && text.contains("-FOUR\n+four\n"), "{text}");
}

#[test]
fn a_look_starts_git_as_often_for_many_files_as_for_one() {
    let runs = |files: usize| {
        let project = Project::new()?;
        let names: Vec<String> = (0..files).map(|at| format!("new/{at}")).collect();
        project.prompt();
        names.iter().for_each(|name| project.write(name, "new\n"));
        project.end();
        let look = project.look();
        names.iter().for_each(|name| project.comment(&look, name, Some((1, 1)), "why?"));
        names.iter().for_each(|name| std::fs::remove_file(project.path(name)).unwrap());
        let log = project.tree_store().log();
        names.iter().for_each(|name| log.append(&undone(name)).unwrap());
        let undone =
            names.iter().map(|name| ChangeBack { path: name.clone(), ..ChangeBack::default() }).collect();
        project.send_round(&look, &NewRound { undone, ..NewRound::default() });
        project.answer(|| names.iter().for_each(|name| project.write(name, "new\n")));
        let access = project.access();
        let look = crate::turn_review::look::look(&access, None).unwrap();
        assert!(look.remarks.iter().any(|remark| remark.contains("holds again")), "{:?}", look.remarks);
        Some(access.git.runs())
    };
    assert_eq!(runs(1), runs(12));
}

#[test]
fn a_message_is_printed_as_it_was_delivered() {
    let Some((project, look)) = Project::with_three_changes() else { return };
    let sent = || crate::sent_text(&project.dirs, &project.top, None).unwrap().unwrap();
    project.comment(&look, "a", Some((2, 2)), "louder");
    project.send_round(&look, &NewRound::default());
    project.write("a", format!("before\n{AFTER}"));
    let waiting = sent();
    assert!(waiting.text.contains("`a`, line 3\n") && !waiting.is_of_now, "{waiting:?}");
    let text = project.answer(|| project.write("a", format!("more\nbefore\n{AFTER}")));
    assert_eq!(sent(), crate::SentText { text: text.clone(), is_of_now: false });
    assert_eq!(project.look().feedback.message.unwrap().text, text);
    // A log of an older version does not hold the text.
    let path = project.tree_store().comments().path().to_owned();
    let log = std::fs::read_to_string(&path).unwrap();
    let kept: Vec<_> = log.lines().filter(|line| !line.contains("\"kind\":\"told\"")).collect();
    std::fs::write(&path, kept.join("\n") + "\n").unwrap();
    let old = sent();
    assert!(old.text.contains("`a`, line 4\n") && old.is_of_now, "{old:?}");
}

#[test]
fn comments_of_an_unreadable_file_are_not_lost() {
    let Some((project, look)) = Project::with_three_changes() else { return };
    project.comment(&look, "a", Some((2, 2)), "louder");
    project.send_round(&look, &NewRound::default());
    project.answer(|| {});
    // The file is too large for a look, so its lines are unknown.
    let file = std::fs::File::options().append(true).open(project.path("a")).unwrap();
    file.set_len(9 << 20).unwrap();
    let comment = &project.look().feedback.comments[0];
    assert_eq!((comment.state, comment.lost), (Sent, false));
}

#[test]
fn files_unchanged_since_the_last_round_come_last() {
    let Some((project, _)) = Project::with_three_changes() else { return };
    project.write("z", "new\n");
    let look = project.since("HEAD");
    assert!(look.files.iter().all(|file| !file.told.known));
    project.comment(&look, "a", Some((2, 2)), "louder");
    // A review since a revision leaves the baseline.
    project.send(&look);
    project.answer(|| project.write("z", "newer\n"));
    let look = project.since("HEAD");
    let known: Vec<_> = look.files.iter().map(|file| (&*file.told.path, file.told.known)).collect();
    assert_eq!(known, [("z", false), ("a", true)]);
    assert_eq!(states(&look), [("louder", Open, false)]);
    assert_eq!(project.texts(&look, "a").new, Some(Vec::new()), "nothing of it is new");
    project.write("a", AFTER.replace("SIX", "SIX!").replace("one\n", ""));
    let look = project.since("HEAD");
    let lines = |start, end| Lines { start, end };
    assert_eq!(project.texts(&look, "a").new, Some(vec![lines(0, 0), lines(4, 5)]));
}

#[test]
fn comments_of_a_round_without_its_trees_stay_sent() {
    let Some((project, look)) = Project::with_three_changes() else { return };
    project.comment(&look, "a", Some((2, 2)), "louder");
    project.send_round(&look, &NewRound::default());
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    crate::clear(&project.dirs, &project.top, until).unwrap();
    project.write("a", "other\n");
    project.answer(|| {});
    assert_eq!(states(&project.look()), [("louder", Sent, false)]);
}
