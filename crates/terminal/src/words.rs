//! What both desks of a terminal, the whole screen and the line mode, say alike, and where both go on reading.
//! Everything that came from outside goes through [`harmless`].

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use alongside_desk::{Agent, Closed, Closing, Hunk, Review, harmless};

/// The file as people call it: relative to a root where it lies in one.
pub fn file_name(file: &str, roots: &[PathBuf]) -> String {
    let path = Path::new(file);
    let relative = roots
        .iter()
        .filter_map(|root| path.strip_prefix(root).ok())
        .min_by_key(|rest| rest.as_os_str().len());
    match relative {
        Some(rest) if !rest.as_os_str().is_empty() => harmless::path(rest),
        _ => harmless::name(file).into_owned(),
    }
}

/// The agent as people call it.
pub fn agent_name(agent: &Agent) -> String {
    if agent.name.trim().is_empty() {
        return format!("agent {}", agent.number);
    }
    harmless::name(&agent.name).into_owned()
}

/// How a review ended. `away`: the agent does not listen just now.
pub fn closed(review: &Review, closed: &Closed, roots: &[PathBuf], away: bool) -> String {
    let (name, agent) = (file_name(&review.file, roots), agent_name(&review.agent));
    let where_ = if closed.decided_here { "" } else { " at another desk" };
    let mut said = match closed.closing {
        Closing::Accepted => format!("{name}: accepted{where_}; {agent} writes it."),
        Closing::Rejected => format!("{name}: rejected{where_}; {agent} is told."),
        Closing::AnsweredInAgent => format!("{name}: was answered in {agent} itself."),
        Closing::Replaced => {
            format!("{name}: {agent} proposes this file anew; the earlier proposal is gone.")
        }
        Closing::AgentGone => format!("{name}: {agent} is gone, and its proposal with it."),
        Closing::Stopped => format!("{name}: rejected, because the companion stops."),
        Closing::EditorGone => format!("{name}: rejected, because the editor is gone."),
        Closing::Interrupted => format!("{name}: rejected, because the companion was interrupted."),
    };
    if away && matches!(closed.closing, Closing::Accepted | Closing::Rejected) {
        said += " It is away just now, and hears of it if it comes back.";
    }
    if let Some(draft) = &closed.draft {
        said += &format!(" Your edits are in {} (see: alongside drafts).", harmless::path(draft));
    }
    said
}

/// Where to look after hunks have come, gone or merged, so that none is passed over: at the first one that reaches into
/// or lies behind what was looked at. The end stays the end.
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

/// What is new about the agents, in sentences. `met` are those that have been announced: an agent that does not listen
/// yet is not there.
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
