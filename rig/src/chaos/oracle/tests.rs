//! Tests of the oracle's rules: each changes a record that breaks no rule.

use super::*;
use crate::chaos::record::{
    CloseCall, Decision, Departure, Edit, FileWord, Outcome, Presence, Proposal, Reply, ReportedWord, Target,
    Trouble, TroubleKind,
};

const BOUNDS: Bounds = Bounds { delivery: 3_000, receipt: 1_000, settle: 4_000, clock_error: 10 };

/// Returns a record in which an agent proposes, a person types a line and accepts, and the agent gets the
/// outcome.
fn flawless() -> Record {
    let text = "typed 2\nproposal 1\n".to_owned();
    Record {
        proposals: vec![Proposal {
            connection: 1,
            path: "/p/a".into(),
            marker: "proposal 1".into(),
            text: "proposal 1\n".into(),
            asked: 100,
            shown: Some((110, Ok(()))),
            outcome: Some((400, Outcome::Accepted(text.clone()))),
            ..Proposal::default()
        }],
        edits: vec![Edit {
            desk: 0,
            proposal: "proposal 1".into(),
            typed: "typed 2".into(),
            asked: 200,
            replied_at: 210,
            reply: Reply::Taken,
        }],
        decisions: vec![Decision {
            desk: 0,
            proposal: "proposal 1".into(),
            text,
            accept: true,
            asked: 300,
            replied_at: 310,
            reply: Reply::Taken,
        }],
        ..Record::default()
    }
}

fn rules_broken(change: impl FnOnce(&mut Record)) -> Vec<Rule> {
    let mut record = flawless();
    change(&mut record);
    judge(&record, &BOUNDS, &[]).into_iter().map(|violation| violation.rule).collect()
}

fn trouble(kind: TroubleKind, from: u64, until: u64) -> Trouble {
    Trouble { kind, agent: None, from, until }
}

/// Replaces the decision by a call of `closeDiff`.
fn close(record: &mut Record, answer: Result<Option<String>, String>) {
    record.decisions.clear();
    record.proposals[0].outcome = None;
    record.proposals[0].closed = Some(CloseCall { asked: 300, answered: Some((310, answer)) });
}

#[test]
fn flawless_round_breaks_no_rule() {
    assert_eq!(rules_broken(|_| ()), []);
}

#[test]
fn undecided_outcome_is_invented() {
    let other = |record: &mut Record| record.decisions[0].proposal = "proposal 7".into();
    assert_eq!(rules_broken(other), [Rule::Invented]);
    let another_text = |record: &mut Record| record.decisions[0].text += "more\n";
    assert_eq!(rules_broken(another_text)[0], Rule::Invented);
    let refused = |record: &mut Record| record.decisions[0].reply = Reply::Refused("no".into());
    assert_eq!(rules_broken(refused), [Rule::Invented]);
    let unanswered = |record: &mut Record| record.decisions[0].reply = Reply::Missing;
    assert_eq!(rules_broken(unanswered), [], "the companion may have taken it");
}

#[test]
fn companion_without_editor_rejects_after_grace_period() {
    let rejected = |at: u64| {
        rules_broken(|record| {
            record.decisions.clear();
            record.edits.clear();
            record.troubles.push(trouble(TroubleKind::EditorGone, 0, 50));
            record.proposals[0].asked = 5_000;
            record.proposals[0].shown = Some((5_010, Ok(())));
            record.proposals[0].outcome = Some((at, Outcome::Rejected));
        })
    };
    assert_eq!(rejected(GRACE), []);
    assert_eq!(
        rejected(GRACE - 1_000),
        [Rule::Invented],
        "nobody decided, and the companion stays a second longer"
    );
}

#[test]
fn rejection_without_cause_is_invented() {
    let rejected = |record: &mut Record| {
        record.decisions.clear();
        record.proposals[0].outcome = Some((400, Outcome::Rejected));
        record.leftovers.drafts.push("typed 2\nproposal 1\n".into());
    };
    assert_eq!(rules_broken(rejected), [Rule::Invented]);
    let killed = |record: &mut Record| {
        rejected(record);
        record.troubles.push(trouble(TroubleKind::Killed, 320, 350));
    };
    assert_eq!(rules_broken(killed), []);
    let killed_before = |record: &mut Record| {
        rejected(record);
        record.troubles.push(trouble(TroubleKind::Killed, 20, 50));
    };
    assert_eq!(rules_broken(killed_before), [Rule::Invented]);
}

#[test]
fn taken_decision_arrives_once_and_in_time() {
    let lost = |record: &mut Record| record.proposals[0].outcome = None;
    assert_eq!(rules_broken(lost), [Rule::Lost, Rule::Wedged, Rule::Typed]);
    let other_way = |record: &mut Record| record.proposals[0].outcome = Some((400, Outcome::Rejected));
    assert!(rules_broken(other_way).contains(&Rule::Lost));
    let twice = |record: &mut Record| record.decisions.push(record.decisions[0].clone());
    assert_eq!(rules_broken(twice), [Rule::Twice]);
    let late = |record: &mut Record| {
        let outcome = record.proposals[0].outcome.take().map(|(_, outcome)| (9_000, outcome));
        record.proposals[0].outcome = outcome;
    };
    assert_eq!(rules_broken(late), [Rule::Wedged]);
    let held_up = |record: &mut Record| {
        late(record);
        record.troubles.push(trouble(TroubleKind::Frozen, 310, 8_000));
    };
    assert_eq!(rules_broken(held_up), []);
}

#[test]
fn waiting_agent_is_wedged() {
    let waits = |record: &mut Record| {
        (record.proposals[0].outcome, record.decisions) = (None, Vec::new());
        record.leftovers.drafts.push("typed 2\nproposal 1\n".into());
    };
    assert_eq!(rules_broken(waits), [Rule::Wedged]);
    let ended = |record: &mut Record| {
        waits(record);
        record.proposals[0].departed = Some((500, Departure::Ended));
    };
    assert_eq!(rules_broken(ended), []);
    let deaf = |record: &mut Record| {
        waits(record);
        record.proposals[0].departed = Some((500, Departure::GaveUp));
    };
    assert_eq!(rules_broken(deaf), [Rule::Wedged], "there was no trouble");
}

#[test]
fn reviews_close_after_an_absence_of_several_troubles() {
    let rejected = |troubles: &'static [(u64, u64)]| {
        move |record: &mut Record| {
            record.edits.clear();
            record.decisions.clear();
            record.proposals[0].outcome = Some((15_000, Outcome::Rejected));
            record.troubles =
                troubles.iter().map(|(from, until)| trouble(TroubleKind::Link, *from, *until)).collect();
        }
    };
    assert_eq!(
        rules_broken(rejected(&[(400, 7_400)])),
        [],
        "the stream may be back only 10 s after the loss"
    );
    assert_eq!(rules_broken(rejected(&[(400, 7_399)])), [Rule::Invented]);
    assert_eq!(rules_broken(rejected(&[(400, 400), (3_000, 7_400)])), []);
    assert_eq!(
        rules_broken(rejected(&[(400, 400), (3_401, 7_400)])),
        [Rule::Invented],
        "the stream was back in between"
    );
    assert_eq!(rules_broken(rejected(&[(8_000, 15_000)])), [Rule::Invented], "the views were not closed yet");
}

#[test]
fn typed_text_is_with_agent_or_in_draft() {
    let rejected = |record: &mut Record| {
        record.decisions[0].accept = false;
        record.proposals[0].outcome = Some((400, Outcome::Rejected));
    };
    assert_eq!(rules_broken(rejected), [Rule::Typed]);
    let cut_off = |record: &mut Record| {
        record.proposals[0].shown = Some((110, Err("cut".into())));
        record.proposals[0].outcome = None;
        record.troubles.push(trouble(TroubleKind::Link, 105, 105));
    };
    assert_eq!(rules_broken(cut_off), [Rule::Typed], "the agent does not know that it has the text");
    let cut_off_and_rejected = |record: &mut Record| {
        cut_off(record);
        record.decisions[0].accept = false;
    };
    assert_eq!(rules_broken(cut_off_and_rejected), [Rule::Typed]);
    let kept = |record: &mut Record| {
        rejected(record);
        record.leftovers.drafts.push("typed 2\nproposal 1\n".into());
    };
    assert_eq!(rules_broken(kept), []);
}

#[test]
fn close_diff_returns_the_edited_text() {
    assert_eq!(rules_broken(|record| close(record, Ok(Some("typed 2\nproposal 1\n".into())))), []);
    let without = |record: &mut Record| {
        close(record, Ok(Some("proposal 1\n".into())));
        record.leftovers.drafts.push("typed 2\nproposal 1\n".into());
    };
    assert_eq!(rules_broken(without), [Rule::Closed]);
    let other = |record: &mut Record| {
        record.edits.clear();
        close(record, Ok(Some("proposal 7\n".into())));
    };
    assert_eq!(rules_broken(other), [Rule::Closed]);
    let nothing = |record: &mut Record| {
        record.edits.clear();
        close(record, Ok(None));
    };
    assert_eq!(rules_broken(nothing), [Rule::Closed]);
    let failed = |record: &mut Record| {
        record.edits.clear();
        close(record, Err("500".into()));
    };
    assert_eq!(rules_broken(failed), [Rule::Failed]);
    let failed_in_trouble = |record: &mut Record| {
        failed(record);
        record.troubles.push(trouble(TroubleKind::Link, 305, 305));
    };
    assert_eq!(rules_broken(failed_in_trouble), []);
}

#[test]
fn stray_files_and_drafts_break_a_rule() {
    assert_eq!(rules_broken(|record| record.leftovers.strays.push("x".into())), [Rule::Stray]);
    let text = "typed 2\nproposal 1\n";
    let write = |record: &mut Record, at: u64, text: &str| {
        if record.leftovers.targets.is_empty() {
            record.leftovers.targets.push(Target { path: "/p/a".into(), writes: Vec::new(), found: None });
        }
        let target = &mut record.leftovers.targets[0];
        target.writes.push((at, text.into()));
        target.found = Some(text.into());
    };
    let settled = |record: &mut Record| {
        record.leftovers.drafts.push(text.into());
        write(record, 400, text);
    };
    assert_eq!(rules_broken(settled), [Rule::Stray], "the agent wrote the text");
    let killed_after = |record: &mut Record| {
        settled(record);
        record.troubles.push(trouble(TroubleKind::Killed, 420, 420));
    };
    assert_eq!(rules_broken(killed_after), [Rule::Stray], "a stopping companion looks once more");
    let overwritten = |at: u64| {
        move |record: &mut Record| {
            settled(record);
            write(record, at, "something else");
        }
    };
    assert_eq!(rules_broken(overwritten(1_401)), [Rule::Stray], "the file held the text long enough");
    assert_eq!(rules_broken(overwritten(1_400)), []);
    assert_eq!(rules_broken(overwritten(400)), [], "another agent wrote in the same moment");
    let overwritten_later = |record: &mut Record| {
        killed_after(record);
        write(record, 9_000, "something else");
    };
    assert_eq!(rules_broken(overwritten_later), [], "no companion need have looked");
    let unknown = |record: &mut Record| record.leftovers.drafts.push("unknown text".into());
    assert_eq!(rules_broken(unknown), [Rule::Stray]);
    let target = Target { path: "/p/a".into(), writes: vec![(0, "x".into())], found: Some("y".into()) };
    assert_eq!(rules_broken(|record| record.leftovers.targets.push(target)), [Rule::Target]);
}

#[test]
fn excuse_covers_its_rule_and_condition() {
    let mut record = flawless();
    record.decisions.clear();
    let excuse = |applies| [Excuse { rule: Rule::Invented, why: "known", applies }];
    assert_eq!(judge(&record, &BOUNDS, &excuse(|_, _| true)), []);
    assert_eq!(judge(&record, &BOUNDS, &excuse(|_, _| false)).len(), 1);
}

#[test]
fn token_known_to_squatter_is_reported() {
    assert_eq!(rules_broken(|record| record.leaks.push("the token is known".into())), [Rule::Token]);
}

#[test]
fn the_last_word_of_a_review_is_true_and_is_reported() {
    let text = "typed 2\nproposal 1\n";
    let wrote = |record: &mut Record, written: &str, words: &[FileWord]| {
        let writes = vec![(0, "before".to_owned()), (400, written.to_owned())];
        let found = Some(written.to_owned());
        record.leftovers.targets.push(Target { path: "/p/a".into(), writes, found });
        record.presences.push(Presence { desk: 0, from: 0, until: u64::MAX });
        let reported = |word: &FileWord| ReportedWord {
            desk: 0,
            proposal: "proposal 1".into(),
            word: *word,
            since: 600,
            at: 610,
        };
        record.last_words.extend(words.iter().map(reported));
    };
    let judged =
        |written: &str, words: &[FileWord]| rules_broken(|record: &mut Record| wrote(record, written, words));
    assert_eq!(judged(text, &[FileWord::WrittenAsAccepted]), []);
    assert_eq!(judged(text, &[]), [Rule::LastWord], "nobody is told");
    assert_eq!(judged(text, &[FileWord::SomethingElse]), [Rule::LastWord; 2], "false, and not the true one");
    assert_eq!(judged(text, &[FileWord::WrittenAsAccepted, FileWord::NotWritten]), [Rule::LastWord]);
    let formatted = format!("formatted\n{text}");
    assert_eq!(judged(&formatted, &[FileWord::SomethingElse]), []);
    assert_eq!(judged(&formatted, &[FileWord::WrittenAsAccepted]), [Rule::LastWord; 2]);
    let rejected = |words: &'static [FileWord]| {
        move |record: &mut Record| {
            record.edits.clear();
            record.decisions[0].accept = false;
            record.proposals[0].outcome = Some((400, Outcome::Rejected));
            wrote(record, "proposal 1\n", words);
        }
    };
    assert_eq!(rules_broken(rejected(&[FileWord::WrittenThoughRejected])), []);
    assert_eq!(rules_broken(rejected(&[])), [Rule::LastWord]);
    let in_trouble = |record: &mut Record| {
        rejected(&[])(record);
        record.troubles.push(trouble(TroubleKind::Killed, 420, 500));
    };
    assert_eq!(rules_broken(in_trouble), [], "nobody looked");
}
