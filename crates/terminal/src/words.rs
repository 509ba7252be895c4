//! What both desks of a terminal, the whole screen and the line mode, say alike beside what all desks do, and
//! where both go on reading.

use std::collections::BTreeSet;

pub use alongside_desk::words::{agent_name, closed, file_name, refusal};
use alongside_desk::{Agent, Hunk};

/// Where to look after hunks have come, gone or merged, so that none is passed over: at the first one that
/// reaches into or lies behind what was looked at. The end stays the end.
pub fn same_place(old: &[Hunk], place: usize, new: &[Hunk]) -> usize {
    let Some(read) = old.get(place) else { return new.len() };
    let (original, proposed) = (read.original.start, read.proposed.start);
    let not_before = |hunk: &Hunk| {
        hunk.original.end > original
            || hunk.proposed.end > proposed
            || hunk.original.start >= original && hunk.proposed.start >= proposed
    };
    new.iter().position(not_before).unwrap_or(new.len())
}

/// What is new about the agents, in sentences. `met` are those that have been announced: an agent that does
/// not listen yet is not there.
pub fn news(met: &mut BTreeSet<u64>, old: &[Agent], new: &[Agent]) -> Vec<String> {
    let mut news = Vec::new();
    for agent in new {
        let listened = old.iter().any(|old| old.number == agent.number && old.listening);
        let what = match (listened, agent.listening) {
            (false, true) if met.insert(agent.number) => "is connected.",
            (false, true) => "is back.",
            (true, false) => "is away: it hears nothing until it is back.",
            _ => continue,
        };
        news.push(format!("{} {what}", agent_name(agent)));
    }
    for gone in old.iter().filter(|old| new.iter().all(|new| new.number != old.number)) {
        if met.remove(&gone.number) {
            news.push(format!("{} has left.", agent_name(gone)));
        }
    }
    news
}

#[cfg(test)]
mod tests {
    use alongside_desk::{HunkState, Lines};

    use super::*;

    fn hunk(original: std::ops::Range<usize>, proposed: std::ops::Range<usize>) -> Hunk {
        let lines = |range: std::ops::Range<usize>| Lines { start: range.start, end: range.end };
        let (original, proposed) = (lines(original), lines(proposed));
        Hunk { original, proposed, current: proposed, state: HunkState::Kept, words: None }
    }

    #[test]
    fn no_change_is_passed_over_when_others_come_go_or_merge() {
        let (one, two, three) = (hunk(1..2, 1..2), hunk(5..5, 5..7), hunk(8..9, 10..10));
        let old = [one.clone(), two.clone(), three.clone()];
        assert_eq!(same_place(&old, 1, &old), 1);
        // One before it is gone, or has come.
        assert_eq!(same_place(&old, 1, &[two.clone(), three.clone()]), 0);
        assert_eq!(same_place(&old, 1, &[hunk(0..1, 0..1), one.clone(), two.clone(), three.clone()]), 2);
        // It is gone itself: the next one is looked at.
        assert_eq!(same_place(&old, 1, &[one.clone(), three.clone()]), 1);
        assert_eq!(same_place(&old, 2, &[one.clone(), two.clone()]), 2);
        // It is part of a bigger one now.
        assert_eq!(same_place(&old, 1, &[hunk(1..5, 1..7), three.clone()]), 0);
        // It was split; what lies right before it is not it.
        assert_eq!(same_place(&[hunk(1..3, 1..3)], 0, &[hunk(1..2, 1..2), hunk(2..3, 2..3)]), 0);
        assert_eq!(
            same_place(&[hunk(1..2, 1..2), hunk(2..3, 2..3)], 1, &[hunk(1..2, 1..2), hunk(2..3, 2..3)]),
            1
        );
        // The end stays the end.
        assert_eq!(same_place(&old, 3, &[one]), 1);
    }

    #[test]
    fn an_agent_is_there_as_long_as_it_listens() {
        let agent = |number, name: &str, listening| Agent {
            number,
            name: name.into(),
            listening,
            ..Agent::default()
        };
        let mut met = BTreeSet::new();
        let mut known = Vec::new();
        let mut told = |now: &[Agent]| {
            let news = news(&mut met, &known, now);
            known = now.to_vec();
            news
        };
        let other = agent(2, "Qwen Code", false);
        assert_eq!(told(&[agent(1, "Gemini CLI", false)]), [""; 0]);
        assert_eq!(told(&[agent(1, "Gemini CLI", true), other.clone()]), ["Gemini CLI is connected."]);
        assert_eq!(told(&[agent(1, "Gemini CLI", true), other.clone()]), [""; 0]);
        assert_eq!(
            told(&[agent(1, "Gemini CLI", false), other.clone()]),
            ["Gemini CLI is away: it hears nothing until it is back."]
        );
        assert_eq!(told(&[agent(1, "Gemini CLI", true), other]), ["Gemini CLI is back."]);
        // The other one was never announced, so it does not leave either.
        assert_eq!(told(&[]), ["Gemini CLI has left."]);
    }
}
