//! The entries that an installation makes: for each of our hooks, the events of the agent, and what each
//! entry says.

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

/// How long `alongside turn` works at most, with some room.
const TURN: Duration = Duration::from_secs(3);

/// How long an agent is to wait for it at most, on a machine that is very busy.
const TURN_LIMIT: Duration = Duration::from_secs(10);

impl OurHook {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Write, Self::Turn];

    /// The first argument of our program in its command line.
    pub fn argument(self) -> &'static str {
        match self {
            Self::Write => "hook",
            Self::Turn => "turn",
        }
    }

    /// Its name, for the agents that name theirs: by it, a person switches one of them off.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Write => "alongside",
            Self::Turn => "alongside-turn",
        }
    }

    /// Whether that agent runs it.
    pub fn is_run_by(self, agent: HookAgent) -> bool {
        match self {
            Self::Write => true,
            Self::Turn => agent.turns.is_some(),
        }
    }

    /// How long it works, if the agent waits as long as `limit`.
    pub(super) fn patience(self, agent: HookAgent, limit: Duration) -> Duration {
        match self {
            Self::Write => agent.hook.wait.patience_within(limit),
            Self::Turn => TURN,
        }
    }

    /// The entries that an installation makes. A release that is not known may be an old one.
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

/// The entries of the hook of turns: at the prompt, at each end, and the one that waits beside the idle
/// session.
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

/// An entry for one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registration {
    /// The event.
    pub event: &'static str,
    /// The pattern of the tools; `None` for an event without a tool.
    pub matcher: Option<&'static str>,
    /// How long the agent waits, in its unit.
    pub timeout: u64,
    /// Whether the entry can ask the agent to refuse a change if the hook fails.
    pub can_refuse: bool,
    /// For the hook that waits beside the idle session: the field that keeps the agent from waiting for it.
    pub waits: Option<&'static str>,
}
