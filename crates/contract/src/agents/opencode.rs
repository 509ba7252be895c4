//! OpenCode, which speaks as Claude Code does, with differences.

use crate::agent::Agent;
use crate::behaviour::FORK;
use crate::family::{Directory, Family, OwnSettings, Variables, WebSocketAgent};

pub(super) const AGENT: Agent = Agent {
    id: "opencode",
    display_name: "OpenCode",
    commands: &["opencode"],
    packages: &["opencode-ai"],
    settings: None,
    family: Some(Family {
        client_names: &["opencode"],
        env: Variables::port("OPENCODE_EDITOR_SSE_PORT"),
        websocket: Some(WebSocketAgent {
            // It ignores the variable of Claude Code.
            locks: Directory::Home { below_home: ".claude/ide", base_variable: None, below_base: "" },
            first_line: 1,
            forgets: false,
            takes_newest: true,
            tokenless_ports: &["OPENCODE_EDITOR_SSE_PORT", "CLAUDE_CODE_SSE_PORT"],
            own_settings: OwnSettings::None,
        }),
        files: &[],
        behaviour: FORK,
    }),
    hook: None,
};
