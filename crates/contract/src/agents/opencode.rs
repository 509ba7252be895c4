//! OpenCode, which speaks as Claude Code does, with differences.

use crate::agent::Agent;
use crate::behaviour::FORK;
use crate::family::{
    ContextForm, Dialect, Directory, Family, FoundBy, LOCK_READERS, LockRules, OwnSettings, Transport,
    Variables,
};

pub(super) const AGENT: Agent = Agent {
    id: "opencode",
    display_name: "OpenCode",
    commands: &["opencode"],
    packages: &["opencode-ai"],
    settings: None,
    own_files: &[".opencode", "opencode.json", "opencode.jsonc", "AGENTS.md"],
    family: Some(Family {
        client_names: &["opencode"],
        env: Variables::port("OPENCODE_EDITOR_SSE_PORT"),
        found_by: FoundBy::Lock(LockRules {
            // It ignores the variable of Claude Code.
            directory: Directory::Home { below_home: ".claude/ide", base_variable: None, below_base: "" },
            readers: LOCK_READERS,
            takes_newest: true,
            tokenless_ports: &["OPENCODE_EDITOR_SSE_PORT", "CLAUDE_CODE_SSE_PORT"],
            own_settings: OwnSettings::None,
        }),
        transport: Transport::WebSocket,
        dialect: Dialect { context: ContextForm::SelectionFromOne, ..Dialect::CLAUDE },
        behaviour: FORK,
    }),
    hook: None,
    turns: None,
};
