//! Tests of the rules of tool calls: each changes a record that breaks no rule.

use super::*;
use crate::chaos::record::{
    Call, CallResult, Decision, HookEnd, HookRun, Reply, Target, Trouble, TroubleKind,
};
use crate::chaos::tool_call::{CallScript, Conduct, FilePath, OtherHook, Variables};

const BOUNDS: Bounds = Bounds { delivery: 3_000, receipt: 1_000, settle: 4_000, clock_error: 10 };

const TEXT: &str = "one\nproposal 1\n";
const OTHER: &str = "one\nother\n";

/// Returns a record in which an agent calls, a person accepts, and the hook allows the call.
fn flawless() -> Record {
    let script = CallScript {
        tool: 0,
        file_path: FilePath::Project,
        variables: Variables::Same,
        program_missing: false,
        other: None,
        conduct: Conduct::Faithful,
    };
    Record {
        calls: vec![Call {
            agent: 0,
            player: "an agent",
            path: "/p/a".into(),
            marker: "proposal 1".into(),
            text: TEXT.into(),
            before: Some("one\ntwo\n".into()),
            script,
            refuses_without_hook: false,
            asked: 100,
            runs: vec![HookRun { event: "PreToolUse", began: 100, ended: 400, end: HookEnd::Allowed }],
            result: Some((410, CallResult::Writes(TEXT.into()))),
            departed: None,
            written: Some(TEXT.into()),
        }],
        decisions: vec![Decision {
            desk: 0,
            proposal: "proposal 1".into(),
            text: TEXT.into(),
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

/// Makes the hooks allow this text.
fn writes(record: &mut Record, text: &str) {
    record.calls[0].result = Some((410, CallResult::Writes(text.into())));
}

fn refuses(record: &mut Record, why: &str) {
    record.calls[0].runs[0].end = HookEnd::Refused(why.into());
    record.calls[0].result = Some((410, CallResult::Refused(why.into())));
}

fn dies(record: &mut Record, end: HookEnd, kind: Option<TroubleKind>) {
    record.decisions.clear();
    record.calls[0].runs[0].end = end;
    record.troubles.extend(kind.map(|kind| Trouble { kind, agent: Some(0), from: 350, until: 450 }));
}

#[test]
fn flawless_call_breaks_no_rule() {
    assert_eq!(rules_broken(|_| ()), []);
}

#[test]
fn change_that_nobody_accepted_is_unreviewed() {
    assert_eq!(rules_broken(|record| record.decisions.clear()), [Rule::Unreviewed]);
    let refused = |record: &mut Record| record.decisions[0].reply = Reply::Refused("no".into());
    assert_eq!(rules_broken(refused), [Rule::Unreviewed]);
    let rejected = |record: &mut Record| record.decisions[0].accept = false;
    assert_eq!(rules_broken(rejected), [Rule::Overruled]);
    let unserved = |record: &mut Record| {
        record.decisions.clear();
        record.troubles.push(Trouble { kind: TroubleKind::Unserved, agent: None, from: 50, until: 150 });
    };
    assert_eq!(rules_broken(unserved), []);
    let unchanged = |record: &mut Record| {
        record.decisions.clear();
        record.calls[0].before = Some(TEXT.into());
    };
    assert_eq!(rules_broken(unchanged), []);
}

#[test]
fn a_hook_that_the_script_killed_may_let_the_call_through() {
    let killed = |record: &mut Record| dies(record, HookEnd::Killed, Some(TroubleKind::HookKilled));
    assert_eq!(rules_broken(killed), []);
    let late = |record: &mut Record| dies(record, HookEnd::Late, Some(TroubleKind::HookFrozen));
    assert_eq!(rules_broken(late), []);
    let missing = |record: &mut Record| {
        dies(record, HookEnd::Missing, None);
        record.calls[0].script.program_missing = true;
    };
    assert_eq!(rules_broken(missing), []);
    let obeyed = |record: &mut Record| {
        killed(record);
        record.calls[0].refuses_without_hook = true;
    };
    assert_eq!(rules_broken(obeyed), [Rule::Unreviewed]);
    let by_itself = |record: &mut Record| dies(record, HookEnd::Killed, None);
    assert_eq!(rules_broken(by_itself), [Rule::Unreviewed, Rule::Failed]);
    let slow = |record: &mut Record| dies(record, HookEnd::Late, None);
    assert_eq!(rules_broken(slow), [Rule::Unreviewed, Rule::Wedged]);
}

#[test]
fn text_that_differs_from_the_accepted_one_is_altered() {
    assert_eq!(rules_broken(|record| writes(record, OTHER)), [Rule::Altered]);
    assert_eq!(rules_broken(|record| writes(record, TEXT.trim_end())), [], "a patch ends every line");
    let other = |has_last_word| {
        move |record: &mut Record| {
            writes(record, OTHER);
            record.calls[0].script.other = Some(OtherHook { rewrites: true, has_last_word });
        }
    };
    assert_eq!(rules_broken(other(false)), [Rule::Altered]);
    assert_eq!(rules_broken(other(true)), []);
    let cannot = |record: &mut Record| {
        record.calls[0].result = Some((410, CallResult::CannotWrite("it has changed".into())));
    };
    assert_eq!(rules_broken(cannot), [Rule::Altered]);
    let changed = |at| {
        move |record: &mut Record| {
            cannot(record);
            let (writes, found) = (vec![(at, OTHER.to_owned())], Some(OTHER.to_owned()));
            record.leftovers.targets.push(Target { path: "/p/a".into(), writes, found });
        }
    };
    assert_eq!(rules_broken(changed(405)), []);
    assert_eq!(rules_broken(changed(200)), [Rule::Altered]);
    let unanswered = |record: &mut Record| {
        dies(record, HookEnd::Late, Some(TroubleKind::HookFrozen));
        changed(200)(record);
    };
    assert_eq!(rules_broken(unanswered), [], "the call goes on as it was");
}

#[test]
fn refusal_reports_the_decision() {
    let lost = |record: &mut Record| refuses(record, "the companion has gone away");
    assert_eq!(rules_broken(lost), [Rule::Lost]);
    let killed = |record: &mut Record| {
        lost(record);
        record.troubles.push(Trouble { kind: TroubleKind::Killed, agent: None, from: 305, until: 450 });
    };
    assert_eq!(rules_broken(killed), []);
    let invented = |record: &mut Record| {
        record.decisions.clear();
        refuses(record, "The person reviewed this change and rejected all of it.");
    };
    assert_eq!(rules_broken(invented), [Rule::Invented]);
}

#[test]
fn call_ends_in_time_with_one_decision() {
    let waits = |record: &mut Record| record.calls[0].result = None;
    assert_eq!(rules_broken(waits), [Rule::Wedged]);
    let left = |record: &mut Record| {
        waits(record);
        record.calls[0].departed = Some(400);
    };
    assert_eq!(rules_broken(left), []);
    let late = |record: &mut Record| record.calls[0].result = Some((9_000, CallResult::Writes(TEXT.into())));
    assert_eq!(rules_broken(late), [Rule::Wedged]);
    let twice = |record: &mut Record| record.decisions.push(record.decisions[0].clone());
    assert_eq!(rules_broken(twice), [Rule::Twice]);
}
