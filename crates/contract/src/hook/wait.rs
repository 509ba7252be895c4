//! The time that an agent waits for a hook, according to its settings and in fact.

use std::time::Duration;

/// The time that an agent waits for a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// The `timeout` to register, in [`Self::unit`].
    pub timeout: u64,
    /// The unit of timeouts.
    pub unit: TimeoutUnit,
    /// The time that the agent waits for a hook whose entry has no timeout.
    pub by_default: Duration,
    /// The time that the agent waits in fact with [`Self::timeout`]. After it,
    /// [`HookEvent::on_failure`](super::HookEvent::on_failure) applies.
    pub limit: Duration,
    /// The time before the limit at which the hook answers.
    pub margin: Duration,
}

impl Wait {
    /// An hour in seconds, which most agents accept.
    pub(crate) const AN_HOUR: Self = Self {
        timeout: 3600,
        unit: TimeoutUnit::Seconds,
        by_default: Duration::from_secs(60),
        limit: Duration::from_secs(3600),
        margin: Duration::from_secs(20),
    };

    /// Returns the time that the hook waits for a decision.
    pub fn patience(&self) -> Duration {
        self.patience_within(self.limit)
    }

    /// Returns the time that the hook waits for a decision if the agent waits for `limit`.
    pub fn patience_within(&self, limit: Duration) -> Duration {
        limit.saturating_sub(self.margin.min(limit / 4))
    }

    /// Returns the time that the agent waits for a hook whose entry has this timeout.
    pub fn limit_of(&self, timeout: Option<u64>) -> Duration {
        timeout.map_or(self.by_default, |timeout| self.unit.duration(timeout)).min(self.limit)
    }
}

/// The unit of the timeouts in an agent's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Milliseconds, but a value below 1,000 is seconds.
    MillisecondsFrom1000,
}

impl TimeoutUnit {
    /// Returns the number for a time of at least a second.
    pub fn number(self, time: Duration) -> u64 {
        match self {
            Self::Seconds => time.as_secs(),
            Self::Milliseconds | Self::MillisecondsFrom1000 => time.as_secs() * 1000,
        }
    }

    fn duration(self, timeout: u64) -> Duration {
        match self {
            Self::MillisecondsFrom1000 if timeout < 1000 => Duration::from_secs(timeout),
            Self::Seconds => Duration::from_secs(timeout),
            Self::Milliseconds | Self::MillisecondsFrom1000 => Duration::from_millis(timeout),
        }
    }
}
