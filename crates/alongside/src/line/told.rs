//! What happens at the line desk when the companion tells it something. An arriving review never changes what is
//! being read: it is announced in one line and waits its turn.

use std::collections::BTreeSet;

use alongside_desk::{
    Agent, Changed, Closed, Closing, Decision, Event, Hunk, Problem, Refusal, Request, Review, ReviewId,
    Status,
};

use super::render;
use super::{Due, LineDesk, Policy, Waiting};
use alongside_desk::harmless;

impl LineDesk {
    /// Takes an event to heart.
    pub(super) async fn told(&mut self, event: Event) {
        match event {
            Event::Status(status) => self.status_changed(status),
            Event::Opened(review) => self.opened(review).await,
            Event::Changed(changed) => self.changed(changed),
            Event::Closed(closed) => self.closed(&closed),
            Event::FlushReview { id } => self.flush(id).await,
            Event::Problem(problem) => self.problem(&problem),
        }
    }

    /// Several problems often have one remedy, which is told once.
    fn problem(&mut self, problem: &Problem) {
        self.paper.say(&format!("Problem: {}", harmless::text(&problem.what)));
        if problem.hint != self.last_hint {
            self.last_hint.clone_from(&problem.hint);
            if let Some(hint) = &problem.hint {
                self.paper.say(&format!("  {}", harmless::text(hint)));
            }
        }
        self.ask_again();
    }

    fn status_changed(&mut self, status: Status) {
        let known = std::mem::replace(&mut self.status, status);
        let news = news(&mut self.met, &known.agents, &self.status.agents);
        for line in &news {
            self.paper.say(line);
        }
        if !news.is_empty() {
            self.ask_again();
        }
    }

    async fn opened(&mut self, review: Review) {
        let id = review.id;
        self.waiting.push(Waiting::new(review));
        match self.policy {
            Policy::AcceptAll => return self.decide_at_once(id, Decision::Accept).await,
            Policy::RejectAll => return self.decide_at_once(id, Decision::Reject).await,
            Policy::Ask => {}
        }
        if self.at.is_none() && self.confirm.is_none() {
            if self.answers.terminal && self.editing.is_none() {
                self.paper.break_line();
            }
            return self.begin(id);
        }
        if let Some(waiting) = self.waiting.last() {
            let name = render::file_name(&waiting.review.file, &self.roots);
            let agent = render::agent_name(&waiting.review.agent);
            let n = self.waiting.len();
            self.paper.say(&format!(
                "{name}: {agent} proposes this too; it comes later ({n} reviews wait, l lists them)."
            ));
            self.ask_again();
        }
    }

    fn changed(&mut self, changed: Changed) {
        let (id, read) = (changed.id, self.at == Some(changed.id));
        let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.review.id == id) else {
            return;
        };
        let old = waiting.review.clone();
        if let Err(out_of_step) = waiting.review.take(changed) {
            // What is shown is still a revision the companion had; a decision on it is refused as stale.
            return tracing::error!(review = id.0, %out_of_step);
        }
        let review = &waiting.review;
        waiting.place = same_place(&old.hunks, waiting.place, &review.hunks);
        if !read || review.revision <= waiting.mine && old.stale == review.stale && old.dirty == review.dirty
        {
            return;
        }
        let name = render::file_name(&review.file, &self.roots);
        let others =
            review.revision > waiting.mine && old.current != review.current || old.hunks != review.hunks;
        if review.stale && !old.stale {
            self.paper.say(&format!(
                "{name}: the file on disk has changed since this was proposed; accepting undoes that change."
            ));
        } else if review.dirty && !old.dirty {
            self.paper.say(&format!("{name}: an editor now holds unsaved changes to the file."));
        }
        if others && review.revision > waiting.mine {
            self.paper.say(&format!("{name}: changed at another desk; this is how it stands now."));
            self.confirm = None;
            self.due = self.due.max(Due::Review);
            self.question_changed();
        } else {
            self.ask_again();
        }
    }

    fn closed(&mut self, closed: &Closed) {
        let Some(index) = self.waiting.iter().position(|waiting| waiting.review.id == closed.id) else {
            return;
        };
        let waiting = self.waiting.remove(index);
        let mut said = render::closed(&waiting.review, closed, &self.roots);
        let agent = waiting.review.agent.number;
        let listens = self.status.agents.iter().any(|known| known.number == agent && known.listening);
        if matches!(closed.closing, Closing::Accepted | Closing::Rejected) && !listens {
            said += " It is away just now, and hears of it if it comes back.";
        }
        self.paper.say(&said);
        self.deciding.take_if(|id| *id == closed.id);
        if self.at != Some(closed.id) {
            return self.ask_again();
        }
        self.at = None;
        self.confirm = None;
        // While an editor has the terminal nothing new begins; it is looked for when the editor ends.
        if self.editing.is_none() {
            self.next_review();
        }
    }

    /// The agent is about to take the text: what was saved in an open editor is sent before it does.
    async fn flush(&mut self, id: ReviewId) {
        if self.editing.as_ref().is_some_and(|editing| editing.id == id) {
            self.take_over_saved().await;
        }
        self.desk.send(Request::Flushed { id });
    }

    /// Decides without asking, as told when started.
    async fn decide_at_once(&mut self, id: ReviewId, mut decision: Decision) {
        self.at = Some(id);
        let Some(mut revision) = self.review(id).map(|review| review.revision) else {
            return;
        };
        // A review that keeps changing under our hands is somebody else's to decide.
        for _ in 0..5 {
            match self.desk.request(Request::DecideReview { id, revision, decision }).await {
                Ok(_) | Err(Refusal::NoSuchReview | Refusal::Stopped) => return,
                Err(Refusal::Stale { revision: now }) => revision = now,
                Err(refusal) => {
                    let name = self.review(id).map(|review| render::file_name(&review.file, &self.roots));
                    self.paper.say(&format!(
                        "{}: {}",
                        name.unwrap_or_default(),
                        harmless::text(&refusal.to_string())
                    ));
                    decision = Decision::Reject;
                }
            }
        }
    }
}

/// What is new about the agents, in sentences. `met` are those that have been announced: an agent that does not listen
/// yet is not there.
fn news(met: &mut BTreeSet<u64>, old: &[Agent], new: &[Agent]) -> Vec<String> {
    let mut news = Vec::new();
    for agent in new {
        let listened = old.iter().any(|old| old.number == agent.number && old.listening);
        let what = match (listened, agent.listening) {
            (false, true) if met.insert(agent.number) => "is connected.",
            (false, true) => "is back.",
            (true, false) => "is away: it hears nothing until it is back.",
            _ => continue,
        };
        news.push(format!("{} {what}", render::agent_name(agent)));
    }
    for gone in old.iter().filter(|old| new.iter().all(|new| new.number != old.number)) {
        if met.remove(&gone.number) {
            news.push(format!("{} has left.", render::agent_name(gone)));
        }
    }
    news
}

/// Where to look after hunks have come, gone or merged, so that none is passed over: at the first one that reaches into
/// or lies behind what was looked at. The end stays the end.
fn same_place(old: &[Hunk], place: usize, new: &[Hunk]) -> usize {
    let Some(read) = old.get(place) else { return new.len() };
    let (original, proposed) = (read.original.start, read.proposed.start);
    let not_before = |hunk: &Hunk| {
        hunk.original.end > original
            || hunk.proposed.end > proposed
            || hunk.original.start >= original && hunk.proposed.start >= proposed
    };
    new.iter().position(not_before).unwrap_or(new.len())
}

/// The edit that replaces the whole text.
pub(super) fn whole_text(id: ReviewId, revision: u64, text: String) -> Request {
    Request::EditReview { id, revision, changes: vec![alongside_desk::Change { range: None, text }] }
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
}
