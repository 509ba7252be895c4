//! The rules of turns: no comment, no baseline and no file is lost.

use super::judge::Judge;
use super::rule::Rule;

/// The words with which a message says that an agent may have got it already.
const AGAIN: &str = "its delivery was interrupted";

impl Judge<'_> {
    pub(super) fn check_turns(&mut self) {
        let turns = &self.record.turns;
        for comment in &turns.comments {
            let text = &comment.text;
            if comment.found.is_empty() && !comment.waits {
                self.report(Rule::Comment, format!("nobody got it, and it does not wait: {text}"));
            }
            if comment.found.iter().skip(1).any(|said| !said.contains(AGAIN)) {
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
        let most = self.bounds.delivery + self.bounds.grain;
        for hook in &turns.hooks {
            // One that was killed has no code.
            if hook.code.is_some_and(|code| code != 0) || !hook.complained.is_empty() {
                self.report(Rule::Failed, format!("a hook of a turn: {hook:?}"));
            }
            if !hook.is_prompt && !hook.said.is_empty() {
                self.report(Rule::Failed, format!("a hook speaks at an end: {hook:?}"));
            }
            if hook.took > most {
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
    fn lost_and_doubled_comments_slow_and_loud_hooks_are_noticed() {
        let hook = TurnHook {
            is_prompt: true,
            code: Some(0),
            said: String::new(),
            complained: String::new(),
            took: 90,
        };
        let comment = KeptComment { text: "why?".into(), found: vec!["why?".into()], waits: false };
        let mut record = Record::default();
        record.turns.hooks.push(hook.clone());
        record.turns.comments.push(comment.clone());
        let bounds = Bounds { delivery: 2_500, receipt: 2_500, calm: 0, grain: 2_000 };
        let broken = |record: &Record| -> Vec<Rule> {
            judge(record, &bounds, &[]).into_iter().map(|violation| violation.rule).collect()
        };
        assert_eq!(broken(&record), []);
        record.turns.comments.push(KeptComment { found: Vec::new(), ..comment.clone() });
        let again = format!("{AGAIN} why?");
        record.turns.comments.push(KeptComment { found: vec!["why?".into(), again], ..comment.clone() });
        record.turns.comments.push(KeptComment { found: vec!["why?".into(), "why?".into()], ..comment });
        record.turns.escaped.push("a".into());
        record.turns.hooks.push(TurnHook { code: Some(1), ..hook.clone() });
        record.turns.hooks.push(TurnHook { is_prompt: false, said: "x".into(), ..hook.clone() });
        record.turns.hooks.push(TurnHook { took: 60_000, ..hook });
        let expected =
            [Rule::Comment, Rule::Comment, Rule::Escaped, Rule::Failed, Rule::Failed, Rule::Wedged];
        assert_eq!(broken(&record), expected);
    }
}
