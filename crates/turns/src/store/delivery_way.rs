//! The ways by which messages reach agents, as the log names them.

use serde::{Deserialize, Serialize};

/// The way by which a message reaches an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Delivery {
    /// Beside the person's next prompt.
    Prompt,
    /// By a hook that waits at the end of the turn.
    Wake,
    /// By the agent's own queue.
    Queue,
    /// By the person, who pastes it from their clipboard.
    Clipboard,
    /// By a paste into the agent's pane, which the person sends.
    Pane,
    /// In a way that only later versions know.
    #[serde(other)]
    Other,
}
