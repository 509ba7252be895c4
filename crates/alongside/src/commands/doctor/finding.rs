//! The doctor's finding about one agent: how it searched, what answered, and what is wrong.

use alongside_agent::find::{Attempt, To, Trace};

use super::agents::Agent;
use super::causes::{AgentCause, Cause};
use super::message::Message;
use super::probe::ProbeResult;

#[derive(Debug)]
pub(super) struct Finding {
    pub(super) agent: Agent,
    pub(super) trace: Trace,
    /// The result of each attempt, up to the one that succeeded.
    pub(super) results: Vec<ProbeResult>,
    /// The port that the agent reaches otherwise: through our `stdio` program, or by a lock.
    pub(super) other_port: Option<u16>,
    /// In the order in which the agent meets them.
    pub(super) causes: Vec<Cause>,
}

impl Finding {
    /// The attempt that reaches a companion, whatever the agent's settings say.
    fn reached(&self) -> Option<&Attempt> {
        let last = self.results.last().filter(|result| matches!(result, ProbeResult::Connected { .. }));
        last.and(self.trace.attempts.get(self.results.len().saturating_sub(1)))
    }

    /// The port of the companion that the agent reaches.
    pub(super) fn port(&self) -> Option<u16> {
        match self.reached().map(|attempt| &attempt.to) {
            Some(To::Http { port, .. }) => Some(*port),
            Some(To::Stdio { .. }) | None => self.other_port,
        }
    }

    /// With a hook that works, the person has chosen when to review its changes: no mode is a fault.
    pub(super) fn pass_over_mode(&mut self) {
        let is_mode = |cause: &Cause| matches!(cause, Cause::Agent(AgentCause::ApprovalMode { .. }));
        self.causes.retain(|cause| !is_mode(cause));
    }

    /// The messages, the most severe first.
    pub(super) fn messages(&self) -> Vec<Message> {
        let mut messages: Vec<Message> =
            self.causes.iter().map(|cause| cause.message(&self.agent.row)).collect();
        // Stable: causes of the same severity stay in the agent's order.
        messages.sort_by_key(|message| message.severity);
        messages
    }
}
