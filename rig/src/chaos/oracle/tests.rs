//! A record in which all is well, and what makes each rule speak.

use super::*;
use crate::chaos::record::{Close, Decision, Edit, Target, Trouble};

const BOUNDS: Bounds = Bounds { delivery: 3_000, receipt: 1_000, calm: 4_000, grain: 10 };

/// An agent proposes, a person types a line and accepts, and the agent hears of it.
fn well() -> Record {
    let text = "typed 2\nproposal 1\n".to_owned();
    Record {
        proposals: vec![Proposal {
            agent: 0,
            life: 1,
            release: None,
            path: "/p/a".into(),
            mark: "proposal 1".into(),
            text: "proposal 1\n".into(),
            asked: 100,
            shown: Some((110, Ok(()))),
            outcome: Some((400, Outcome::Accepted(text.clone()))),
            closed: None,
            gone: None,
        }],
        edits: vec![Edit {
            desk: 0,
            proposal: "proposal 1".into(),
            typed: "typed 2".into(),
            asked: 200,
            answered: (210, Answer::Taken),
        }],
        decisions: vec![Decision {
            desk: 0,
            proposal: "proposal 1".into(),
            text,
            accept: true,
            asked: 300,
            answered: (310, Answer::Taken),
        }],
        ..Record::default()
    }
}

fn broken(change: impl FnOnce(&mut Record)) -> Vec<Rule> {
    let mut record = well();
    change(&mut record);
    judge(&record, &BOUNDS, &[]).into_iter().map(|broken| broken.rule).collect()
}

fn trouble(kind: Kind, from: u64, until: u64) -> Trouble {
    Trouble { kind, agent: None, from, until }
}

/// The agent calls `closeDiff` instead of hearing of a decision.
fn close(record: &mut Record, answer: Result<Option<String>, String>) {
    record.decisions.clear();
    record.proposals[0].outcome = None;
    record.proposals[0].closed = Some(Close { asked: 300, answered: Some((310, answer)) });
}

#[test]
fn where_all_is_well_nothing_is_broken() {
    assert_eq!(broken(|_| ()), []);
}

#[test]
fn an_outcome_that_nobody_decided_is_invented() {
    let other = |record: &mut Record| record.decisions[0].proposal = "proposal 7".into();
    assert_eq!(broken(other), [Rule::Invented]);
    let another_text = |record: &mut Record| record.decisions[0].text += "more\n";
    assert_eq!(broken(another_text)[0], Rule::Invented);
    let refused = |record: &mut Record| record.decisions[0].answered.1 = Answer::Refused("no".into());
    assert_eq!(broken(refused), [Rule::Invented]);
    let unanswered = |record: &mut Record| record.decisions[0].answered.1 = Answer::Nothing;
    assert_eq!(broken(unanswered), [], "it may have been taken");
}

#[test]
fn a_companion_without_its_editor_rejects_at_the_end_of_its_time() {
    let rejected = |at: u64| {
        broken(|record| {
            record.decisions.clear();
            record.edits.clear();
            record.troubles.push(trouble(Kind::Hidden, 0, 50));
            record.proposals[0].asked = 5_000;
            record.proposals[0].shown = Some((5_010, Ok(())));
            record.proposals[0].outcome = Some((at, Outcome::Rejected));
        })
    };
    assert_eq!(rejected(GRACE), []);
    assert_eq!(
        rejected(GRACE - 1_000),
        [Rule::Invented],
        "nobody decided, and it is there for a second more"
    );
}

#[test]
fn a_rejection_needs_a_reason() {
    let rejected = |record: &mut Record| {
        record.decisions.clear();
        record.proposals[0].outcome = Some((400, Outcome::Rejected));
        record.left.drafts.push("typed 2\nproposal 1\n".into());
    };
    assert_eq!(broken(rejected), [Rule::Invented]);
    let killed = |record: &mut Record| {
        rejected(record);
        record.troubles.push(trouble(Kind::Killed, 320, 350));
    };
    assert_eq!(broken(killed), []);
    let killed_before = |record: &mut Record| {
        rejected(record);
        record.troubles.push(trouble(Kind::Killed, 20, 50));
    };
    assert_eq!(broken(killed_before), [Rule::Invented]);
}

#[test]
fn what_is_taken_arrives_once_and_in_time() {
    let lost = |record: &mut Record| record.proposals[0].outcome = None;
    assert_eq!(broken(lost), [Rule::Lost, Rule::Wedged, Rule::Typed]);
    let other_way = |record: &mut Record| record.proposals[0].outcome = Some((400, Outcome::Rejected));
    assert!(broken(other_way).contains(&Rule::Lost));
    let twice = |record: &mut Record| record.decisions.push(record.decisions[0].clone());
    assert_eq!(broken(twice), [Rule::Twice]);
    let late = |record: &mut Record| {
        let outcome = record.proposals[0].outcome.take().map(|(_, outcome)| (9_000, outcome));
        record.proposals[0].outcome = outcome;
    };
    assert_eq!(broken(late), [Rule::Wedged]);
    let held_up = |record: &mut Record| {
        late(record);
        record.troubles.push(trouble(Kind::Frozen, 310, 8_000));
    };
    assert_eq!(broken(held_up), []);
}

#[test]
fn nobody_waits_for_good() {
    let waits = |record: &mut Record| {
        (record.proposals[0].outcome, record.decisions) = (None, Vec::new());
        record.left.drafts.push("typed 2\nproposal 1\n".into());
    };
    assert_eq!(broken(waits), [Rule::Wedged]);
    let ended = |record: &mut Record| {
        waits(record);
        record.proposals[0].gone = Some((500, Gone::Ended));
    };
    assert_eq!(broken(ended), []);
    let deaf = |record: &mut Record| {
        waits(record);
        record.proposals[0].gone = Some((500, Gone::Deaf));
    };
    assert_eq!(broken(deaf), [Rule::Wedged], "nothing was in its way");
}

#[test]
fn views_close_after_an_absence_however_many_troubles_it_is_made_of() {
    let rejected = |troubles: &'static [(u64, u64)]| {
        move |record: &mut Record| {
            record.edits.clear();
            record.decisions.clear();
            record.proposals[0].outcome = Some((15_000, Outcome::Rejected));
            record.troubles =
                troubles.iter().map(|(from, until)| trouble(Kind::Link, *from, *until)).collect();
        }
    };
    assert_eq!(broken(rejected(&[(400, 7_400)])), [], "it may be back no sooner than 10 s after it was lost");
    assert_eq!(broken(rejected(&[(400, 7_399)])), [Rule::Invented]);
    assert_eq!(broken(rejected(&[(400, 400), (3_000, 7_400)])), []);
    assert_eq!(broken(rejected(&[(400, 400), (3_401, 7_400)])), [Rule::Invented], "it was back in between");
    assert_eq!(broken(rejected(&[(8_000, 15_000)])), [Rule::Invented], "they were not closed yet");
}

#[test]
fn what_was_typed_is_with_the_agent_or_in_a_draft() {
    let rejected = |record: &mut Record| {
        record.decisions[0].accept = false;
        record.proposals[0].outcome = Some((400, Outcome::Rejected));
    };
    assert_eq!(broken(rejected), [Rule::Typed]);
    let cut_off = |record: &mut Record| {
        record.proposals[0].shown = Some((110, Err("cut".into())));
        record.proposals[0].outcome = None;
        record.troubles.push(trouble(Kind::Link, 105, 105));
    };
    assert_eq!(broken(cut_off), [Rule::Typed], "the agent cannot know that it has it");
    let cut_off_and_rejected = |record: &mut Record| {
        cut_off(record);
        record.decisions[0].accept = false;
    };
    assert_eq!(broken(cut_off_and_rejected), [Rule::Typed]);
    let kept = |record: &mut Record| {
        rejected(record);
        record.left.drafts.push("typed 2\nproposal 1\n".into());
    };
    assert_eq!(broken(kept), []);
}

#[test]
fn close_diff_answers_the_text_with_what_was_typed() {
    assert_eq!(broken(|record| close(record, Ok(Some("typed 2\nproposal 1\n".into())))), []);
    let without = |record: &mut Record| {
        close(record, Ok(Some("proposal 1\n".into())));
        record.left.drafts.push("typed 2\nproposal 1\n".into());
    };
    assert_eq!(broken(without), [Rule::Closed]);
    let other = |record: &mut Record| {
        record.edits.clear();
        close(record, Ok(Some("proposal 7\n".into())));
    };
    assert_eq!(broken(other), [Rule::Closed]);
    let nothing = |record: &mut Record| {
        record.edits.clear();
        close(record, Ok(None));
    };
    assert_eq!(broken(nothing), [Rule::Closed]);
    let failed = |record: &mut Record| {
        record.edits.clear();
        close(record, Err("500".into()));
    };
    assert_eq!(broken(failed), [Rule::Failed]);
    let failed_in_trouble = |record: &mut Record| {
        failed(record);
        record.troubles.push(trouble(Kind::Link, 305, 305));
    };
    assert_eq!(broken(failed_in_trouble), []);
}

#[test]
fn nothing_is_left_behind() {
    assert_eq!(broken(|record| record.left.strays.push("x".into())), [Rule::Stray]);
    let text = "typed 2\nproposal 1\n";
    let write = |record: &mut Record, at: u64, text: &str| {
        if record.left.targets.is_empty() {
            record.left.targets.push(Target { path: "/p/a".into(), writes: Vec::new(), found: None });
        }
        let target = &mut record.left.targets[0];
        target.writes.push((at, text.into()));
        target.found = Some(text.into());
    };
    let settled = |record: &mut Record| {
        record.left.drafts.push(text.into());
        write(record, 400, text);
    };
    assert_eq!(broken(settled), [Rule::Stray], "the agent has written it");
    let looked_in_vain = |record: &mut Record| {
        settled(record);
        record.troubles.push(trouble(Kind::Killed, 420, 420));
    };
    assert_eq!(broken(looked_in_vain), [Rule::Stray], "who stops looks as well");
    let overwritten = |at: u64| {
        move |record: &mut Record| {
            settled(record);
            write(record, at, "something else");
        }
    };
    assert_eq!(broken(overwritten(1_401)), [Rule::Stray], "it was there for long enough");
    assert_eq!(broken(overwritten(1_400)), []);
    assert_eq!(broken(overwritten(400)), [], "by another agent, in the same moment");
    let overwritten_later = |record: &mut Record| {
        looked_in_vain(record);
        write(record, 9_000, "something else");
    };
    assert_eq!(broken(overwritten_later), [], "nobody may have looked");
    let nobodys = |record: &mut Record| record.left.drafts.push("what is this".into());
    assert_eq!(broken(nobodys), [Rule::Stray]);
    let target = Target { path: "/p/a".into(), writes: vec![(0, "x".into())], found: Some("y".into()) };
    assert_eq!(broken(|record| record.left.targets.push(target)), [Rule::Target]);
}

#[test]
fn an_excuse_holds_for_its_rule_and_where_it_says_so() {
    let mut record = well();
    record.decisions.clear();
    let excuse = |holds| [Excuse { rule: Rule::Invented, why: "known", holds }];
    assert_eq!(judge(&record, &BOUNDS, &excuse(|_, _| true)), []);
    assert_eq!(judge(&record, &BOUNDS, &excuse(|_, _| false)).len(), 1);
}

#[test]
fn a_good_token_that_a_squatter_knows_is_told() {
    assert_eq!(broken(|record| record.leaks.push("the token is known".into())), [Rule::Token]);
}
