//! The registrations that an installation makes: the events of the agent for each of our hooks, and the
//! content of each entry.

use std::time::Duration;

use alongside_contract::agent::HookAgent;
use alongside_contract::settings::Release;

/// A hook of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OurHook {
    /// `alongside hook`: before each write, a person decides.
    Write,
    /// `alongside turn`: notes where a turn begins and ends, for a review afterwards.
    Turn,
}

/// The longest time that `alongside turn` runs; it usually ends earlier.
const TURN_HOOK_RUN_TIME: Duration = Duration::from_secs(3);

/// The longest time that an agent is to wait for `alongside turn`, which a very busy machine slows down.
const TURN_HOOK_TIMEOUT: Duration = Duration::from_secs(10);

impl OurHook {
    /// All hooks of ours.
    pub const ALL: [Self; 2] = [Self::Write, Self::Turn];

    /// Returns the first argument of our program in its command line.
    pub fn argument(self) -> &'static str {
        match self {
            Self::Write => "hook",
            Self::Turn => "turn",
        }
    }

    /// Returns its name, for agents whose hooks have names. A person can switch a hook off by its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Write => "alongside",
            Self::Turn => "alongside-turn",
        }
    }

    /// Whether this agent runs the hook.
    pub fn is_run_by(self, agent: HookAgent) -> bool {
        match self {
            Self::Write => true,
            Self::Turn => agent.turns.is_some(),
        }
    }

    /// Returns the longest time that the hook may take if the agent waits for `limit`.
    pub(super) fn time_budget(self, agent: HookAgent, limit: Duration) -> Duration {
        match self {
            Self::Write => agent.hook.wait.patience_within(limit),
            Self::Turn => TURN_HOOK_RUN_TIME,
        }
    }

    /// Returns the registrations that an installation makes. Without a `release`, leaves out what old
    /// releases do not know.
    pub fn registrations(self, agent: HookAgent, release: Option<Release>) -> Vec<Registration> {
        let wait = &agent.hook.wait;
        match self {
            Self::Write => agent
                .hook
                .events()
                .map(|event| Registration {
                    event: event.name,
                    matcher: Some(event.matcher),
                    timeout: wait.timeout,
                    can_refuse: event.on_failure.can_refuse(),
                    background_field: None,
                })
                .collect(),
            Self::Turn => turn_registrations(agent, release),
        }
    }
}

/// Returns the registrations of the turn hook: at the prompt, at each end of a turn, and for the waiter.
fn turn_registrations(agent: HookAgent, release: Option<Release>) -> Vec<Registration> {
    let Some(turns) = &agent.turns else { return Vec::new() };
    let unit = agent.hook.wait.unit;
    let registration = |event: &'static str| Registration {
        event,
        matcher: None,
        timeout: unit.number(TURN_HOOK_TIMEOUT),
        can_refuse: false,
        background_field: None,
    };
    let waiter = turns.wake_in(release).map(|wake| Registration {
        timeout: unit.number(wake.patience),
        background_field: Some(wake.field),
        ..registration(wake.event)
    });
    turns.events(release).map(registration).chain(waiter).collect()
}

/// A registration of a hook for an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registration {
    /// The event.
    pub event: &'static str,
    /// The pattern of the tools. `None` for an event without a tool.
    pub matcher: Option<&'static str>,
    /// The time that the agent waits for the hook, in the agent's unit.
    pub timeout: u64,
    /// Whether the entry can ask the agent to refuse a change if the hook fails.
    pub can_refuse: bool,
    /// For the waiter only: the field of the entry that keeps the agent from waiting for this hook.
    pub background_field: Option<&'static str>,
}
