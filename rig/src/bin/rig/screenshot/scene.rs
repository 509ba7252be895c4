//! A scene that a picture shows.

use std::time::Duration;

use alongside_rig::model::FakeModel;
use alongside_rig::{Proposer, Screen};

/// The time without any drawing before a picture is taken: colours arrive late.
pub(super) const STILL_TIME: Duration = Duration::from_millis(1500);

/// A screen, and the agents that are connected meanwhile.
pub(super) struct Scene {
    pub(super) screen: Screen,
    pub(super) _agents: Vec<Proposer>,
    pub(super) _model: Option<FakeModel>,
    /// Whether a program on the screen never stops drawing.
    pub(super) is_restless: bool,
}

impl From<Screen> for Scene {
    fn from(screen: Screen) -> Self {
        Self { screen, _agents: Vec::new(), _model: None, is_restless: false }
    }
}
