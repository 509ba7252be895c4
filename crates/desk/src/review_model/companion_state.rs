//! The companion as one desk knows it: its status, and the messages that follow from a change of the status.

use std::collections::BTreeSet;

use super::message::{Message, Subject};
use super::waiting_at_leave::Waiting;
use crate::review::Review;
use crate::review::decision::{Closed, Closing};
use crate::rule_acceptance::RuleAcceptance;
use crate::status::{Agent, Problem, Status};
use crate::turn::Turn;
use crate::{harmless, messages};

/// The most acceptances of rules that a desk lists.
const MAX_ACCEPTED: usize = 200;

/// An agent that the desk knows by its hooks, without a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookAgent {
    /// The name of the agent; harmless to show.
    pub name: String,
    /// Whether the agent has proposed something. Otherwise its hook has only noted turns, and the agent may
    /// write without asking.
    pub proposes: bool,
}

/// The companion's status, the agents this desk has announced, what rules have accepted, and the last hint
/// about a problem.
#[derive(Debug, Default)]
pub struct CompanionState {
    status: Status,
    /// The numbers of the agents that were announced. An agent that has not listened yet is not.
    announced: BTreeSet<u64>,
    last_hint: Option<String>,
    /// Agents whose hook has brought a review or noted a turn: they have no session.
    hook_agents: Vec<HookAgent>,
    /// The changes that rules have accepted, the oldest first.
    accepted: Vec<RuleAcceptance>,
}

impl CompanionState {
    /// Returns the newest status.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// Takes a new status and returns a message for each agent that came, went, or is away.
    pub fn take_status(&mut self, status: Status) -> Vec<Message> {
        let old = std::mem::replace(&mut self.status, status);
        let mut news = Vec::new();
        for agent in &self.status.agents {
            let listened = old.agents.iter().any(|old| old.number == agent.number && old.listening);
            let change = match (listened, agent.listening) {
                (false, true) if self.announced.insert(agent.number) => "is connected.",
                (false, true) => "is back.",
                (true, false) => "is away, and is told of decisions once it is back.",
                _ => continue,
            };
            let text = format!("{} {change}", messages::agent_name(agent));
            news.push(Message::notice(text).about(Subject::Agent(agent.number)));
        }
        let stays = |old: &Agent| self.status.agents.iter().any(|agent| agent.number == old.number);
        for gone in old.agents.iter().filter(|old| !stays(old)) {
            if self.announced.remove(&gone.number) {
                let text = format!("{} has left.", messages::agent_name(gone));
                news.push(Message::notice(text).about(Subject::Agent(gone.number)));
            }
        }
        news
    }

    /// Records the agent of a review that arrives, also one without a session.
    pub fn note_review(&mut self, review: &Review) {
        if review.agent.by_hook {
            self.note_hook_agent(messages::agent_name(&review.agent), true);
        }
    }

    /// Records the agent that reads the comments of a turn review, also one without a session, unless it has
    /// ended.
    pub fn note_turn(&mut self, turn: &Turn) {
        let Some(route) = turn.route.as_ref().filter(|route| !route.agent.is_empty()) else { return };
        let name = harmless::name(&route.agent).into_owned();
        match route.has_left {
            true => self.hook_agents.retain(|known| known.proposes || known.name != name),
            false => self.note_hook_agent(name, false),
        }
    }

    fn note_hook_agent(&mut self, name: String, proposes: bool) {
        match self.hook_agents.iter_mut().find(|known| known.name == name) {
            Some(known) => known.proposes |= proposes,
            None => self.hook_agents.push(HookAgent { name, proposes }),
        }
    }

    /// Returns the agents that are not connected, and whose hook has brought a review or noted a turn.
    pub fn hook_agents(&self) -> impl Iterator<Item = &HookAgent> {
        let is_connected = |hook: &HookAgent| {
            self.status.agents.iter().any(|agent| messages::agent_name(agent) == hook.name)
        };
        self.hook_agents.iter().filter(move |hook| !is_connected(hook))
    }

    /// Returns the changes that rules have accepted, the oldest first.
    pub fn accepted(&self) -> &[RuleAcceptance] {
        &self.accepted
    }

    /// Takes an acceptance by a rule, or the news that its patch was broken off. Returns no message for an
    /// old or known one.
    pub fn take_acceptance(&mut self, new: RuleAcceptance, roots: &[std::path::PathBuf]) -> Option<Message> {
        let is_same = |known: &RuleAcceptance| (known.number, known.at) == (new.number, new.at);
        if let Some(known) = self.accepted.iter_mut().find(|known| is_same(known)) {
            let is_news = new.is_broken_off && !known.is_broken_off;
            known.is_broken_off |= new.is_broken_off;
            return is_news.then(|| Message::notice(messages::broken_off(&new, roots)));
        }
        let message = (!new.is_earlier).then(|| Message::notice(messages::accepted_by_rule(&new, roots)));
        if self.accepted.len() == MAX_ACCEPTED {
            self.accepted.remove(0);
        }
        self.accepted.push(new);
        message
    }

    /// Takes a problem. Several problems often have one remedy, so the same hint comes only once in a row.
    pub fn take_problem(&mut self, problem: &Problem) -> Message {
        let mut text = format!("Problem: {}", harmless::text(&problem.what));
        if problem.hint != self.last_hint {
            self.last_hint.clone_from(&problem.hint);
            text.extend(problem.hint.iter().map(|hint| format!("\n  {}", harmless::text(hint))));
        }
        Message::warning(text)
    }

    /// Records that the companion has paused or resumed the context as this desk asked by a key. The next
    /// status confirms that.
    pub fn set_paused(&mut self, paused: bool, key: char) -> Message {
        self.status.paused = paused;
        Message::notice(messages::paused(paused, key))
    }

    /// Returns a sentence that says where reviews wait on when this desk leaves.
    pub fn stays_open(&self, Waiting { all, by_hook }: Waiting) -> Option<String> {
        if all == 0 || !self.status.outlives_desk() {
            return None;
        }
        let kept_by = self.status.kept_by.as_deref().unwrap_or_default();
        // A keeper has no screen for reviews, and does not count as a desk.
        let screen = self.status.desks > 1;
        let said = messages::stays_open(all, kept_by, screen);
        Some(match by_hook {
            _ if screen => said,
            0 => said,
            _ => format!("{}: {}.", said.trim_end_matches('.'), messages::refused_alone(all, by_hook)),
        })
    }

    /// Returns the message about the end of a review. It is a warning if nobody accepted the review and no
    /// person ended it, here or in the agent.
    pub fn review_closed(&self, review: &Review, closed: &Closed, roots: &[std::path::PathBuf]) -> Message {
        let number = review.agent.number;
        let listens = review.agent.by_hook
            || self.status.agents.iter().any(|agent| agent.number == number && agent.listening);
        let text = messages::closed(review, closed, roots, !listens);
        let expected =
            closed.decided_here || matches!(closed.closing, Closing::Accepted | Closing::AnsweredInAgent);
        if expected { Message::notice(text) } else { Message::warning(text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(number: u64, name: &str, listening: bool) -> Agent {
        Agent { number, name: name.into(), listening, ..Agent::default() }
    }

    fn texts(messages: Vec<Message>) -> Vec<String> {
        messages.into_iter().map(|message| message.text).collect()
    }

    #[test]
    fn an_agent_is_there_as_long_as_it_listens() {
        let mut companion = CompanionState::default();
        let mut news = |agents: &[Agent]| {
            texts(companion.take_status(Status { agents: agents.to_vec(), ..Status::default() }))
        };
        let other = agent(2, "Qwen Code", false);
        assert_eq!(news(&[agent(1, "Gemini CLI", false)]), [""; 0]);
        assert_eq!(news(&[agent(1, "Gemini CLI", true), other.clone()]), ["Gemini CLI is connected."]);
        assert_eq!(news(&[agent(1, "Gemini CLI", true), other.clone()]), [""; 0]);
        let away = ["Gemini CLI is away, and is told of decisions once it is back."];
        assert_eq!(news(&[agent(1, "Gemini CLI", false), other.clone()]), away);
        assert_eq!(news(&[agent(1, "Gemini CLI", true), other]), ["Gemini CLI is back."]);
        // The other one was never announced, so it does not leave either.
        assert_eq!(news(&[]), ["Gemini CLI has left."]);
    }

    #[test]
    fn an_agent_that_comes_by_its_hook_is_there() {
        let mut companion = CompanionState::default();
        let by =
            |name, by_hook| Review { agent: Agent { by_hook, ..agent(1, name, true) }, ..Review::default() };
        for review in [by("Claude Code", true), by("Codex", true), by("Codex", true), by("Gemini CLI", false)]
        {
            companion.note_review(&review);
        }
        for agent in ["", "Codex", "Qwen Code"] {
            let route = Some(crate::turn::comment::Route { agent: agent.into(), ..Default::default() });
            companion.note_turn(&Turn { route, ..Turn::default() });
        }
        companion.note_turn(&Turn::default());
        let there = |companion: &CompanionState| -> Vec<_> {
            companion.hook_agents().map(|hook| (hook.name.clone(), hook.proposes)).collect()
        };
        let [claude, codex, qwen] = [("Claude Code", true), ("Codex", true), ("Qwen Code", false)]
            .map(|(name, p)| (name.to_owned(), p));
        assert_eq!(there(&companion), [claude.clone(), codex, qwen.clone()]);
        companion.take_status(Status { agents: vec![agent(2, "Codex", true)], ..Status::default() });
        assert_eq!(there(&companion), [claude.clone(), qwen], "the other is connected");
        // These agents have left.
        for agent in ["Claude Code", "Qwen Code", "Gemini CLI"] {
            let route =
                crate::turn::comment::Route { agent: agent.into(), has_left: true, ..Default::default() };
            companion.note_turn(&Turn { route: Some(route), ..Turn::default() });
        }
        assert_eq!(there(&companion), [claude], "its reviews were here");
    }

    #[test]
    fn the_same_hint_comes_once_in_a_row() {
        let mut companion = CompanionState::default();
        let mut said = |what: &str, hint: Option<&str>| {
            companion.take_problem(&Problem { what: what.into(), hint: hint.map(str::to_owned) }).text
        };
        assert_eq!(said("disk \x1bfull", Some("make room")), "Problem: disk \\x1bfull\n  make room");
        assert_eq!(said("log full", Some("make room")), "Problem: log full");
        assert_eq!(said("port taken", None), "Problem: port taken");
        assert_eq!(said("disk full", Some("make room")), "Problem: disk full\n  make room");
    }
}
