//! Rules and grants: which proposals need no decision.

use alongside_desk::{ChangeKind, Grant, HookProposal, Operation, RuleAcceptance, Scope, Verdict};

use super::*;
use crate::{Rule, Ruling};

pub(super) fn rule(path: &str, ruling: Ruling) -> Rule {
    let (paths, place) = (vec![path.to_owned()], "c.toml:1".to_owned());
    Rule { paths, agents: Vec::new(), kinds: Vec::new(), ruling, place }
}

impl Story {
    async fn with_rules(rules: &[Rule]) -> Self {
        Self::with_builder(|builder| builder.rules(rules.to_vec(), [])).await
    }

    /// Returns the next acceptance by a rule. No review may open before it.
    async fn next_acceptance(&mut self) -> RuleAcceptance {
        loop {
            match self.next().await {
                desk::Event::AcceptedByRule(accepted) => return accepted,
                desk::Event::Opened(review) => panic!("a review opens: {}", review.file),
                _ => {}
            }
        }
    }

    async fn grant(&self, review: &Review, scope: Scope) -> Result<(), Refusal> {
        self.desk.request(Request::Grant { id: review.id, scope }).await.map(drop)
    }

    /// Proposes by a hook, and rejects the review, which has to open.
    async fn reject_review_of(&mut self, proposal: HookProposal) -> Review {
        let verdict = tokio::spawn(self.companion.review(proposal));
        let review = self.next_opened().await;
        self.decide(&review, Decision::Reject).await.unwrap();
        assert!(matches!(verdict.await.unwrap(), Verdict::Rejected { .. }));
        review
    }
}

#[tokio::test(start_paused = true)]
async fn a_rule_accepts_at_once_and_every_desk_lists_it() {
    let mut story = Story::with_rules(&[rule("*.txt", Ruling::Accept)]).await;
    let verdict = story.companion.review(story.hook_proposal("a.txt", "one\n2\nthree\n")).await;
    assert_eq!(verdict, Verdict::Accepted { text: "one\n2\nthree\n".into(), message: None });
    let accepted = story.next_acceptance().await;
    assert_eq!((accepted.agent.as_str(), accepted.kind), ("Codex", ChangeKind::Edit));
    assert_eq!((accepted.by.as_str(), accepted.added, accepted.removed), ("rule *.txt (c.toml:1)", 1, 1));
    assert_eq!(accepted.diff, "@@ -2,1 +2,1 @@\n-two\n+2\n");
    assert_eq!(story.companion.status().await.reviews, 0);
    // A desk that joins later lists it as well, marked as an earlier one.
    story.desk = story.companion.join();
    assert_eq!(story.next_acceptance().await, RuleAcceptance { is_earlier: true, ..accepted });
    // A new file, without a desk that could decide.
    story.desk = desk::pair().0;
    tokio::time::sleep(Duration::from_secs(60)).await;
    let verdict = story.companion.review(story.hook_proposal("new.txt", "x\n")).await;
    assert!(matches!(verdict, Verdict::Accepted { .. }), "{verdict:?}");
}

#[tokio::test(start_paused = true)]
async fn an_agent_with_a_session_gets_the_acceptance_of_a_rule() {
    let mut story = Story::with_rules(&[rule("*.txt", Ruling::Accept)]).await;
    let (agent, mut stream) = story.listener().await;
    agent.open_diff(&story.file, "one\n2\nthree\n").await.unwrap();
    let (notification, ping) = next_outcome(&mut stream).await;
    assert_eq!(notification["method"], "ide/diffAccepted");
    agent.confirm(ping);
    assert_eq!(story.next_acceptance().await.agent, "Gemini CLI");
}

#[tokio::test(start_paused = true)]
async fn an_edit_that_is_asked_about_twice_is_one_acceptance() {
    let mut story = Story::with_rules(&[rule("*.txt", Ruling::Accept)]).await;
    let twice = |only_if_decided| HookProposal {
        comes_twice: true,
        only_if_decided,
        ..story.hook_proposal("a.txt", "one\n2\nthree\n")
    };
    for verdict in [story.companion.review(twice(false)).await, story.companion.review(twice(true)).await] {
        assert!(matches!(verdict, Verdict::Accepted { .. }), "{verdict:?}");
    }
    assert_eq!(story.next_acceptance().await.number, 1);
    let other = story.companion.review(story.hook_proposal("b.txt", "x\n")).await;
    assert!(matches!(other, Verdict::Accepted { .. }));
    assert_eq!(story.next_acceptance().await.number, 2);
}

#[tokio::test(start_paused = true)]
async fn a_deferred_change_is_left_to_the_agent() {
    let mut story = Story::with_rules(&[rule("*.txt", Ruling::Defer)]).await;
    assert_eq!(story.companion.review(story.hook_proposal("a.txt", "x\n")).await, Verdict::NotReviewed);
    // No single file of a patch can be left to the agent.
    let part = HookProposal { parts: 2, ..story.hook_proposal("a.txt", "x\n") };
    story.reject_review_of(part).await;
    // An agent with a session shows its own prompt as well.
    story.propose("y\n").await;
}

/// An agent writes no file of a patch if one of its files ends without a decision.
#[tokio::test(start_paused = true)]
async fn an_accepted_file_of_an_undecided_patch_is_marked_broken_off() {
    let mut story = Story::with_rules(&[rule("docs/**", Ruling::Accept)]).await;
    fs::create_dir(story.path("project/docs")).unwrap();
    let part = |file: &str, patch: &str| HookProposal {
        parts: 2,
        patch: Some(patch.to_owned()),
        ..story.hook_proposal(file, "x\n")
    };
    let [asked, by_rule, late] = [part("a.txt", "1"), part("docs/a.md", "1"), part("docs/b.md", "2")];
    let outside = HookProposal { file: "/elsewhere/b.md".into(), ..part("b.md", "2") };
    let verdict = tokio::spawn(story.companion.review(asked));
    let review = story.next_opened().await;
    assert!(matches!(story.companion.review(by_rule).await, Verdict::Accepted { .. }));
    let accepted = story.next_acceptance().await;
    assert!(!accepted.is_broken_off);
    // Its hook dies.
    verdict.abort();
    let broken_off = story.next_acceptance().await;
    assert_eq!((broken_off.number, broken_off.is_broken_off), (accepted.number, true));
    assert_eq!(story.next_closed().await.id, review.id);
    assert!(matches!(story.companion.review(outside).await, Verdict::Refused { .. }));
    assert!(matches!(story.companion.review(late).await, Verdict::Accepted { .. }));
    assert!(story.next_acceptance().await.is_broken_off, "a file that comes after the patch has ended");
}

#[tokio::test(start_paused = true)]
async fn an_accepted_file_of_a_partly_reviewed_patch_is_marked_broken_off() {
    let mut story = Story::with_rules(&[rule("docs/**", Ruling::Accept)]).await;
    fs::create_dir(story.path("project/docs")).unwrap();
    let part = |file: &str| HookProposal {
        parts: 2,
        patch: Some("1".into()),
        only_if_decided: true,
        ..story.hook_proposal(file, "x\n")
    };
    let [by_rule, undecided] = [part("docs/a.md"), part("a.txt")];
    assert!(matches!(story.companion.review(by_rule).await, Verdict::Accepted { .. }));
    assert!(!story.next_acceptance().await.is_broken_off);
    assert_eq!(story.companion.review(undecided).await, Verdict::NotReviewed);
    assert!(story.next_acceptance().await.is_broken_off);
}

#[tokio::test(start_paused = true)]
async fn a_person_decides_where_there_is_more_to_see_than_a_text() {
    let mut story = Story::with_rules(&[rule("*", Ruling::Accept)]).await;
    let project = story.path("project");
    fs::write(project.join("latin.txt"), b"\xe9\n").unwrap();
    fs::write(project.join("one.txt"), "x\n").unwrap();
    fs::hard_link(project.join("one.txt"), project.join("other.txt")).unwrap();
    let remarked =
        HookProposal { remark: Some("It also runs.".into()), ..story.hook_proposal("a.txt", "x\n") };
    for proposal in [
        story.hook_proposal("latin.txt", "e\n"),
        story.hook_proposal("other.txt", "y\n"),
        story.hook_proposal(".git/hooks/pre-commit", "y\n"),
        story.hook_proposal("CLAUDE.md", "y\n"),
        story.hook_proposal(".alongside.toml", ""),
        remarked,
    ] {
        story.reject_review_of(proposal).await;
    }
    let active = Some(ActiveFile { path: story.file.clone(), ..ActiveFile::default() });
    story.report(ContextReport { active, ..report_of_open_file(&story.file, true) }).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let review = story.reject_review_of(story.hook_proposal("a.txt", "x\n")).await;
    assert!(review.dirty);
}

#[tokio::test(start_paused = true)]
async fn a_move_and_a_deletion_are_kinds_of_their_own() {
    let only = |kinds: &[ChangeKind]| Rule { kinds: kinds.to_vec(), ..rule("*.txt", Ruling::Accept) };
    let mut story = Story::with_rules(&[only(&[ChangeKind::Delete, ChangeKind::Move])]).await;
    story.reject_review_of(story.hook_proposal("a.txt", "x\n")).await;
    let deleted = HookProposal {
        operation: Operation::Delete,
        remark: Some("This deletes the file.".into()),
        ..story.hook_proposal("a.txt", "")
    };
    assert!(matches!(story.companion.review(deleted).await, Verdict::Accepted { .. }));
    assert_eq!(story.next_acceptance().await.kind, ChangeKind::Delete);
    let moved = |from: &str| HookProposal {
        operation: Operation::Move {
            from: story.path(&format!("project/{from}")).to_str().unwrap().to_owned(),
        },
        remark: Some("This moves it.".into()),
        ..story.hook_proposal("b.txt", "x\n")
    };
    let (covered, other, again) = (moved("a.txt"), moved("a.rs"), moved("a.txt"));
    assert!(matches!(story.companion.review(covered).await, Verdict::Accepted { .. }));
    let accepted = story.next_acceptance().await;
    assert_eq!(accepted.kind, ChangeKind::Move);
    assert_eq!(
        accepted.from,
        story.path("project/a.txt").to_str().map(str::to_owned),
        "the desk names the old path"
    );
    story.reject_review_of(other).await;
    // An editor holds unsaved changes of the old file.
    let from = story.path("project/a.txt").to_str().unwrap().to_owned();
    story.report(report_of_open_file(&from, true)).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    story.reject_review_of(again).await;
}

#[tokio::test(start_paused = true)]
async fn a_dropped_change_of_a_move_leaves_the_text_of_the_moved_file() {
    let mut story = Story::begin().await;
    let from = story.file.clone();
    let moved = |to: &str| HookProposal {
        operation: Operation::Move { from: from.clone() },
        remark: Some("This moves it.".into()),
        takes_text: true,
        ..story.hook_proposal(to, "one\n2\nthree\n")
    };
    let (new, other) = (moved("b.txt"), moved("c.txt"));
    let verdict = tokio::spawn(story.companion.review(new));
    let review = story.next_opened().await;
    assert_eq!(review.original.as_deref(), Some("one\ntwo\nthree\n"));
    assert_eq!((review.kind, review.from.as_deref()), (Some(ChangeKind::Move), Some(&*from)));
    let revision = story.drop_first_hunk(&review).await;
    story.decide(&Review { revision, ..review }, Decision::Accept).await.unwrap();
    let Verdict::Accepted { text, message } = verdict.await.unwrap() else { panic!("not accepted") };
    assert_eq!(&*text, "one\ntwo\nthree\n", "the file moves as it is");
    assert!(message.unwrap().starts_with("The person accepted the move without its changes"));
    // Where the move replaces a file, the person sees the text that is lost.
    fs::write(story.path("project/c.txt"), "mine\n").unwrap();
    let _call = tokio::spawn(story.companion.review(other));
    assert_eq!(story.next_opened().await.original.as_deref(), Some("mine\n"));
}

#[tokio::test(start_paused = true)]
async fn a_review_names_why_it_opens_although_a_rule_accepts_other_changes() {
    let mut story = Story::with_rules(&[rule("*", Ruling::Accept), rule("*.rs", Ruling::Ask)]).await;
    let review = story.reject_review_of(story.hook_proposal(".claude/settings.json", "{}\n")).await;
    assert_eq!(review.asked.as_deref(), Some("no rule covers the settings and instructions of agents"));
    let file = story.path("project/.claude/settings.json");
    assert_eq!(review.of_agents.as_deref(), file.to_str());
    let review = story.reject_review_of(story.hook_proposal("a.rs", "x\n")).await;
    assert_eq!((review.asked.as_deref(), review.of_agents), (Some("rule *.rs (c.toml:1)"), None));
    let mut story = Story::begin().await;
    assert_eq!(
        story.reject_review_of(story.hook_proposal("a.rs", "x\n")).await.asked,
        None,
        "there is no rule"
    );
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_review_shows_where_a_link_within_the_project_leads() {
    let mut story = Story::begin().await;
    std::os::unix::fs::symlink("a.txt", story.path("project/link.txt")).unwrap();
    let review = story.reject_review_of(story.hook_proposal("link.txt", "x\n")).await;
    assert_eq!(review.leads_to.as_deref(), Some(story.file.as_str()));
    assert_eq!(story.reject_review_of(story.hook_proposal("a.txt", "x\n")).await.leads_to, None);
}

#[tokio::test(start_paused = true)]
async fn a_grant_holds_for_one_session_and_ends_when_it_is_withdrawn() {
    let mut story = Story::begin().await;
    let first = tokio::spawn(story.companion.review(story.hook_proposal("docs/a.txt", "x\n")));
    let review = story.next_opened().await;
    story.grant(&review, Scope::Folder).await.unwrap();
    let status = story.next_status(|status| !status.grants.is_empty()).await;
    let docs = story.path("project/docs").to_str().unwrap().to_owned();
    assert_eq!(status.grants, [Grant { agent: "Codex".into(), path: docs, scope: Scope::Folder }]);
    // The grant does not decide the review itself.
    story.decide(&review, Decision::Reject).await.unwrap();
    assert!(matches!(first.await.unwrap(), Verdict::Rejected { .. }));
    let verdict = story.companion.review(story.hook_proposal("docs/deep/b.txt", "y\n")).await;
    assert!(matches!(verdict, Verdict::Accepted { .. }), "{verdict:?}");
    assert_eq!(story.next_acceptance().await.by, "accepted ahead for docs/");
    for other in [
        story.hook_proposal("a.txt", "x\n"),
        story.hook_proposal("docs/AGENTS.md", "x\n"),
        story.hook_proposal("docs/.git/config", "x\n"),
        HookProposal { session: "t".into(), ..story.hook_proposal("docs/a.txt", "x\n") },
        HookProposal { agent: "Claude Code".into(), ..story.hook_proposal("docs/a.txt", "x\n") },
        HookProposal { agent_pid: Some(1), ..story.hook_proposal("docs/a.txt", "x\n") },
        HookProposal { agent_pid: None, ..story.hook_proposal("docs/a.txt", "x\n") },
    ] {
        story.reject_review_of(other).await;
    }
    story.desk.request(Request::WithdrawGrants {}).await.unwrap();
    story.reject_review_of(story.hook_proposal("docs/a.txt", "y\n")).await;
}

#[tokio::test]
async fn a_grant_ends_with_the_process_of_its_agent() {
    let mut agent = start_waiting_program();
    let mut story = Story::begin().await;
    let proposal = HookProposal { agent_pid: Some(agent.id()), ..story.hook_proposal("a.txt", "x\n") };
    let first = tokio::spawn(story.companion.review(proposal.clone()));
    let review = story.next_opened().await;
    story.grant(&review, Scope::File).await.unwrap();
    story.decide(&review, Decision::Reject).await.unwrap();
    first.await.unwrap();
    assert!(matches!(story.companion.review(proposal.clone()).await, Verdict::Accepted { .. }));
    agent.kill().unwrap();
    agent.wait().unwrap();
    while !story.companion.status().await.grants.is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    story.reject_review_of(HookProposal { proposed: "z\n".into(), ..proposal }).await;
}

#[tokio::test(start_paused = true)]
async fn a_grant_ends_with_the_session_of_its_agent() {
    let (mut story, agent, mut stream) = Story::with_listener().await;
    let review = story.propose_as(&agent, "x\n").await;
    story.grant(&review, Scope::File).await.unwrap();
    story.decide(&review, Decision::Accept).await.unwrap();
    let (_, ping) = next_outcome(&mut stream).await;
    agent.confirm(ping);
    agent.open_diff(&story.file, "y\n").await.unwrap();
    assert!(story.next_acceptance().await.by.contains("a.txt"));
    agent.leave().await;
    story.next_status(|status| status.agents.is_empty() && status.grants.is_empty()).await;
    story.propose("z\n").await;
}

#[tokio::test(start_paused = true)]
async fn a_grant_is_refused_where_a_rule_asks() {
    let mut story = Story::with_rules(&[rule("a.txt", Ruling::Ask)]).await;
    for below in ["a.txt", "CLAUDE.md", ".git/config"] {
        let call = tokio::spawn(story.companion.review(story.hook_proposal(below, "x\n")));
        let review = story.next_opened().await;
        let refused = story.grant(&review, Scope::File).await.unwrap_err();
        assert!(refused.to_string().starts_with("nothing can be accepted ahead"), "{refused}");
        story.decide(&review, Decision::Reject).await.unwrap();
        call.await.unwrap();
        assert_eq!(story.grant(&review, Scope::File).await, Err(Refusal::NoSuchReview));
    }
    let unknown = HookProposal { agent_pid: None, ..story.hook_proposal("b.txt", "x\n") };
    let _call = tokio::spawn(story.companion.review(unknown));
    let review = story.next_opened().await;
    assert!(
        story.grant(&review, Scope::File).await.unwrap_err().to_string().contains("when this agent ends")
    );
}

#[tokio::test(start_paused = true)]
async fn nothing_is_accepted_that_was_prepared_before_the_rules_changed() {
    let mut story = Story::with_rules(&[rule("*", Ruling::Accept)]).await;
    let agent = story.agent().await;
    let request = agent.begin_request().await.unwrap();
    // The roots are equal, but their files may have changed.
    story.set_roots(vec![story.path("project")]).await.unwrap();
    agent.open_diff_by(request, &story.file, "one\n").await.unwrap();
    agent.end_request();
    assert_eq!(story.next_opened().await.proposed, "one\n".into());
    agent.open_diff(&story.file, "two\n").await.unwrap();
    assert_eq!(story.next_acceptance().await.number, 1);
}

#[tokio::test(start_paused = true)]
async fn the_rules_of_a_project_come_and_go_with_it() {
    let mut story = Story::with_rules(&[rule("*", Ruling::Accept)]).await;
    let workspace = |asks| Workspace { roots: vec![story.path("project")], asks, ..Workspace::default() };
    let (asking, none) = (workspace(vec![rule("a.*", Ruling::Ask)]), workspace(Vec::new()));
    story.companion.set_workspace(asking).await.unwrap();
    story.reject_review_of(story.hook_proposal("a.txt", "x\n")).await;
    story.companion.set_workspace(none).await.unwrap();
    let verdict = story.companion.review(story.hook_proposal("a.txt", "y\n")).await;
    assert!(matches!(verdict, Verdict::Accepted { .. }), "{verdict:?}");
}
