//! The entries that an installation makes: the events of the agent for each of our hooks, and the content of
//! each entry.

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

/// The longest time that `alongside turn` works, with a margin.
const TURN: Duration = Duration::from_secs(3);

/// The longest time that an agent is to wait for `alongside turn`, on a very busy machine.
const TURN_LIMIT: Duration = Duration::from_secs(10);

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

    /// Returns the time that the hook works, if the agent waits for `limit`.
    pub(super) fn patience(self, agent: HookAgent, limit: Duration) -> Duration {
        match self {
            Self::Write => agent.hook.wait.patience_within(limit),
            Self::Turn => TURN,
        }
    }

    /// Returns the registrations that an installation makes. An unknown release may be an old one.
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
                    waits: None,
                })
                .collect(),
            Self::Turn => turns(agent, release),
        }
    }
}

/// Returns the registrations of the turn hook: at the prompt, at each end of a turn, and for the hook that
/// waits beside the idle session.
fn turns(agent: HookAgent, release: Option<Release>) -> Vec<Registration> {
    let Some(turns) = &agent.turns else { return Vec::new() };
    let unit = agent.hook.wait.unit;
    let entry = |event: &'static str| Registration {
        event,
        matcher: None,
        timeout: unit.number(TURN_LIMIT),
        can_refuse: false,
        waits: None,
    };
    let waiting = turns.wake_in(release).map(|wake| Registration {
        timeout: unit.number(wake.patience),
        waits: Some(wake.field),
        ..entry(wake.event)
    });
    turns.events(release).map(entry).chain(waiting).collect()
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
    /// The field that keeps the agent from waiting for the hook, of the hook that waits beside the idle
    /// session.
    pub waits: Option<&'static str>,
}
