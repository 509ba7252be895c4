//! The doctor's finding about one agent: its search, the results of its attempts, and the causes.

use alongside_agent::find::{Attempt, To, Trace};

use super::agents::Agent;
use super::causes::{AgentCause, Cause};
use super::diagnosis::Diagnosis;
use super::probe::ProbeResult;

#[derive(Debug)]
pub(super) struct Finding {
    pub(super) agent: Agent,
    pub(super) trace: Trace,
    /// The result of each attempt, up to the one that succeeded.
    pub(super) results: Vec<ProbeResult>,
    /// The port that the agent reaches without an attempt: through our `stdio` program, or by a lock file.
    pub(super) other_port: Option<u16>,
    /// The causes in the order in which the agent meets them.
    pub(super) causes: Vec<Cause>,
}

impl Finding {
    /// Returns the attempt that reaches a companion, without regard to the agent's settings.
    fn reached(&self) -> Option<&Attempt> {
        let last = self.results.last().filter(|result| matches!(result, ProbeResult::Connected { .. }));
        last.and(self.trace.attempts.get(self.results.len().saturating_sub(1)))
    }

    /// Returns the port of the companion that the agent reaches.
    pub(super) fn port(&self) -> Option<u16> {
        match self.reached().map(|attempt| &attempt.to) {
            Some(To::Http { port, .. }) => Some(*port),
            Some(To::Stdio { .. }) | None => self.other_port,
        }
    }

    /// Removes the cause for the approval mode: with a working hook, changes are reviewed in every mode.
    pub(super) fn remove_mode_cause(&mut self) {
        let is_mode = |cause: &Cause| matches!(cause, Cause::Agent(AgentCause::ApprovalMode { .. }));
        self.causes.retain(|cause| !is_mode(cause));
    }

    /// Returns the diagnoses, the most severe first.
    pub(super) fn diagnoses(&self) -> Vec<Diagnosis> {
        let mut diagnoses: Vec<Diagnosis> =
            self.causes.iter().map(|cause| cause.diagnosis(&self.agent.row)).collect();
        // The sort is stable, so that causes of the same severity keep the agent's order.
        diagnoses.sort_by_key(|diagnosis| diagnosis.severity);
        diagnoses
    }
}
