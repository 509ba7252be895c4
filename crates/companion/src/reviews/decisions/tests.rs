//! Tests of decisions that answer the second way of an edit, and repeated calls.

use std::path::Path;

use alongside_desk::{Agent, HookProposal, ReviewId};

use super::*;
use crate::reviews::ground::Ground;
use crate::reviews::review::Asker;

const OLD: &str = "old\n";
const NEW: &str = "new\n";

struct File(tempfile::NamedTempFile);

impl File {
    fn with_text(text: &str) -> Self {
        let file = Self(tempfile::NamedTempFile::new().unwrap());
        file.write(text);
        file
    }

    fn write(&self, text: &str) {
        std::fs::write(self.0.path(), text).unwrap();
    }

    fn proposal(&self, text: &str) -> PreparedProposal {
        prepare(self.0.path(), text)
    }

    /// Returns a review that has ended: of Qwen Code's hook, or of a diff of a session.
    fn ended_review(&self, text: &str, hook: bool, comes_twice: bool) -> PendingReview {
        let of_hook = HookProposal { comes_twice, ..proposal_of_hook() };
        let asker = if hook { Asker::Hook(of_hook.into()) } else { Asker::Session("of a diff".into()) };
        ended_review(self.proposal(text), asker)
    }
}

fn prepare(path: &Path, text: &str) -> PreparedProposal {
    let path = path.to_str().unwrap().to_owned();
    PreparedProposal::prepare(path, text, &Ground::new(&[], None)).unwrap()
}

fn proposal_of_hook() -> HookProposal {
    HookProposal { session: "s".into(), comes_twice: true, takes_text: true, ..HookProposal::default() }
}

fn ended_review(proposal: PreparedProposal, asker: Asker) -> PendingReview {
    let agent = Agent { name: "Qwen Code".into(), ..Agent::default() };
    PendingReview::new(ReviewId(1), asker, agent, proposal, false)
}

fn way(agent: &str, hook: Option<&str>) -> Way {
    let hook = hook.map(|session| HookWay { session: session.into(), operation: Operation::Write });
    Way { agent: agent.into(), hook }
}

fn accepted(text: &str) -> Option<Verdict> {
    Some(Verdict::Accepted { text: text.into(), message: None })
}

#[tokio::test(start_paused = true)]
async fn a_decision_counts_once_for_its_agent_and_an_unchanged_file() {
    let (file, hook, diff) = (File::with_text(OLD), way("Qwen Code", Some("s")), way("Qwen Code", None));
    let mut decisions = Decisions::default();
    decisions.remember_accepted(&file.ended_review(NEW, true, true), AcceptedBy::Person);
    for other in [way("Gemini CLI", None), way("Qwen Code", Some("another session"))] {
        assert_eq!(decisions.take(&file.proposal(NEW), &other), None, "{other:?}");
    }
    assert_eq!(decisions.take(&file.proposal("other\n"), &diff), None);
    file.write("changed\n");
    assert_eq!(decisions.take(&file.proposal(NEW), &diff), None);
    file.write(OLD);
    assert_eq!(decisions.take(&file.proposal("new\r\n"), &diff), None, "other line endings");
    assert_eq!(decisions.take(&file.proposal("new\r\n"), &hook), None, "other line endings");
    assert_eq!(decisions.take(&file.proposal(NEW), &diff), accepted(NEW));
    assert_eq!(decisions.take(&file.proposal(NEW), &hook), None, "it counts once");
    decisions.remember_accepted(&file.ended_review(NEW, true, true), AcceptedBy::Person);
    tokio::time::advance(SECOND_WAY_TIMEOUT).await;
    assert_eq!(decisions.take(&file.proposal(NEW), &hook), None, "it is too late");
}

#[tokio::test(start_paused = true)]
async fn a_repeated_diff_or_one_way_edit_is_asked_about_again() {
    let file = File::with_text(OLD);
    let mut decisions = Decisions::default();
    decisions.remember_accepted(&file.ended_review(NEW, false, false), AcceptedBy::Person);
    assert_eq!(decisions.take(&file.proposal(NEW), &way("Qwen Code", None)), None);
    assert_eq!(decisions.take(&file.proposal(NEW), &way("Qwen Code", Some("s"))), accepted(NEW));
    decisions.remember_accepted(&file.ended_review(NEW, true, false), AcceptedBy::Person);
    assert_eq!(decisions.take(&file.proposal(NEW), &way("Qwen Code", Some("s"))), None);
}

/// The answer to `openDiff` carries neither a rejection nor another text, so the person is asked again.
#[tokio::test(start_paused = true)]
async fn an_uncollected_decision_answers_only_the_next_call_of_its_hook() {
    let (file, hook, diff) = (File::with_text(OLD), way("Qwen Code", Some("s")), way("Qwen Code", None));
    let rejected = Verdict::Rejected { message: "no".into() };
    let edited = Verdict::Accepted { text: "mine\n".into(), message: Some("changed".into()) };
    for verdict in [rejected, edited] {
        let mut decisions = Decisions::default();
        decisions.remember_uncollected(&file.ended_review(NEW, true, true), verdict.clone());
        tokio::time::advance(REPEATED_CALL_TIMEOUT / 2).await;
        assert_eq!(decisions.take(&file.proposal(NEW), &diff), None);
        assert_eq!(decisions.take(&file.proposal(NEW), &hook), Some(verdict));
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_in_the_agents_prompt_counts_until_its_timeout() {
    let file = File::with_text(OLD);
    let mut decisions = Decisions::default();
    decisions.remember_answered_in_agent(&file.ended_review(NEW, false, false));
    assert_eq!(decisions.take(&file.proposal(NEW), &way("Qwen Code", Some("s"))), accepted(NEW));
    decisions.remember_answered_in_agent(&file.ended_review(NEW, false, false));
    tokio::time::advance(AGENT_PROMPT_TIMEOUT).await;
    assert_eq!(decisions.take(&file.proposal(NEW), &way("Qwen Code", Some("s"))), None);
}

/// For a diff, the agent adds the file's line endings and byte order mark; a hook sends the written bytes.
#[tokio::test(start_paused = true)]
async fn a_decision_covers_the_bytes_that_are_written_by_either_way() {
    let (hook, diff) = (way("Qwen Code", Some("s")), way("Qwen Code", None));
    for (old, by_hook, by_diff) in [
        ("old\r\n", "new\r\n", "new\n"),
        ("old\r\nother\n", "new\r\nother\r\n", "new\nother\n"),
        ("\u{feff}old\n", "\u{feff}new\n", "new\n"),
        ("\u{feff}old\n", "new\n", "new\n"),
        ("\u{feff}old\r\n", "\u{feff}new\r\n", "new\n"),
    ] {
        let file = File::with_text(old);
        let mut decisions = Decisions::default();
        decisions.remember_accepted(&file.ended_review(by_hook, true, true), AcceptedBy::Person);
        assert_eq!(decisions.take(&file.proposal(by_diff), &diff), accepted(by_diff), "{old:?}");
        decisions.remember_accepted(&file.ended_review(by_diff, false, true), AcceptedBy::Person);
        assert_eq!(decisions.take(&file.proposal(by_hook), &hook), accepted(by_hook), "{old:?}");
        if by_hook != by_diff {
            decisions.remember_accepted(&file.ended_review(by_hook, true, true), AcceptedBy::Person);
            assert_eq!(decisions.take(&file.proposal(by_diff), &hook), None, "{old:?}");
        }
    }
}

/// The texts are the same, but the operations of the tool differ.
#[tokio::test(start_paused = true)]
async fn a_decision_counts_for_its_operation_only() {
    let file = File::with_text(OLD);
    let moved = |from: &str| Operation::Move { from: from.into() };
    let operations = [Operation::Write, Operation::Delete, moved("/a"), moved("/b")];
    for decided in &operations {
        let of_hook = || HookProposal { operation: decided.clone(), ..proposal_of_hook() };
        let ended = || ended_review(file.proposal(""), Asker::Hook(of_hook().into()));
        for taken in &operations {
            let mut decisions = Decisions::default();
            decisions.remember_accepted(&ended(), AcceptedBy::Person);
            let hook = HookWay { session: "s".into(), operation: taken.clone() };
            let way = Way { agent: "Qwen Code".into(), hook: Some(hook) };
            let verdict = decisions.take(&file.proposal(""), &way);
            assert_eq!(verdict.is_some(), decided == taken, "{decided:?}, {taken:?}");
        }
        let mut decisions = Decisions::default();
        decisions.remember_accepted(&ended(), AcceptedBy::Person);
        let verdict = decisions.take(&file.proposal(""), &way("Qwen Code", None));
        assert_eq!(verdict.is_some(), *decided == Operation::Write, "{decided:?}");
    }
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn an_acceptance_of_a_file_does_not_count_for_a_link_to_it() {
    use alongside_platform::paths::Canonical as _;

    let directory = tempfile::tempdir().unwrap();
    let real = directory.path().canonical().unwrap();
    for below in ["docs", "src"] {
        std::fs::create_dir(real.join(below)).unwrap();
    }
    std::fs::write(real.join("docs/a"), OLD).unwrap();
    std::os::unix::fs::symlink("../docs/a", real.join("src/link")).unwrap();
    std::os::unix::fs::symlink("../docs", real.join("src/docs")).unwrap();
    let proposal = |below: &str| prepare(&real.join(below), NEW);
    let way = way("Qwen Code", Some("s"));
    let ended = || ended_review(proposal("docs/a"), Asker::Hook(proposal_of_hook().into()));
    for (by, through_directory) in [(AcceptedBy::Rule, None), (AcceptedBy::Person, accepted(NEW))] {
        let mut decisions = Decisions::default();
        decisions.remember_accepted(&ended(), by);
        assert_eq!(decisions.take(&proposal("src/link"), &way), None, "{by:?}");
        assert_eq!(decisions.take(&proposal("src/docs/a"), &way), through_directory, "{by:?}");
        decisions.remember_accepted(&ended(), by);
        assert_eq!(decisions.take(&proposal("docs/a"), &way), accepted(NEW), "{by:?}");
    }
}
