//! The rules of turns: no comment, no baseline and no file is lost.

use super::judge::Judge;
use super::rule::Rule;

/// The words of a message that an agent may have received already.
const RESENT: &str = "its delivery was interrupted";

impl Judge<'_> {
    pub(super) fn check_turns(&mut self) {
        let turns = &self.record.turns;
        for comment in &turns.comments {
            let text = &comment.text;
            if comment.deliveries.is_empty() && !comment.is_waiting {
                self.report(Rule::Comment, format!("nobody got it, and it does not wait: {text}"));
            }
            if comment.deliveries.iter().skip(1).any(|output| !output.contains(RESENT)) {
                self.report(Rule::Comment, format!("it came again without a word of that: {text}"));
            }
        }
        for path in &turns.escaped {
            self.report(
                Rule::Escaped,
                format!("it has changed since the baseline, and no list has it: {path}"),
            );
        }
        for file in &turns.files {
            self.report(Rule::Target, format!("nobody wrote or decided that: {file:?}"));
        }
        let max_time = self.bounds.delivery + self.bounds.clock_error;
        for hook in &turns.hooks {
            // A killed hook has no exit code.
            if hook.code.is_some_and(|code| code != 0) || !hook.stderr.is_empty() {
                self.report(Rule::Failed, format!("a hook of a turn: {hook:?}"));
            }
            if !hook.is_prompt && !hook.stdout.is_empty() {
                self.report(Rule::Failed, format!("a hook speaks at an end: {hook:?}"));
            }
            if hook.took > max_time {
                self.report(Rule::Wedged, format!("an agent waits for {} ms: {hook:?}", hook.took));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Bounds, judge};
    use super::*;
    use crate::chaos::record::{KeptComment, Record, TurnHook};

    #[test]
    fn lost_and_doubled_comments_and_bad_hooks_are_reported() {
        let hook = TurnHook {
            is_prompt: true,
            code: Some(0),
            stdout: String::new(),
            stderr: String::new(),
            took: 90,
        };
        let comment = KeptComment { text: "why?".into(), deliveries: vec!["why?".into()], is_waiting: false };
        let mut record = Record::default();
        record.turns.hooks.push(hook.clone());
        record.turns.comments.push(comment.clone());
        let bounds = Bounds { delivery: 2_500, receipt: 2_500, settle: 0, clock_error: 2_000 };
        let broken = |record: &Record| -> Vec<Rule> {
            judge(record, &bounds, &[]).into_iter().map(|violation| violation.rule).collect()
        };
        assert_eq!(broken(&record), []);
        record.turns.comments.push(KeptComment { deliveries: Vec::new(), ..comment.clone() });
        let resent = format!("{RESENT} why?");
        let announced = vec!["why?".into(), resent];
        record.turns.comments.push(KeptComment { deliveries: announced, ..comment.clone() });
        let unannounced = vec!["why?".into(), "why?".into()];
        record.turns.comments.push(KeptComment { deliveries: unannounced, ..comment });
        record.turns.escaped.push("a".into());
        record.turns.hooks.push(TurnHook { code: Some(1), ..hook.clone() });
        record.turns.hooks.push(TurnHook { is_prompt: false, stdout: "x".into(), ..hook.clone() });
        record.turns.hooks.push(TurnHook { took: 60_000, ..hook });
        let expected =
            [Rule::Comment, Rule::Comment, Rule::Escaped, Rule::Failed, Rule::Failed, Rule::Wedged];
        assert_eq!(broken(&record), expected);
    }
}
