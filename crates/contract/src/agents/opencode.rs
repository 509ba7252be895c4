//! OpenCode, which uses the dialect of Claude Code, with differences.

use crate::agent::Agent;
use crate::behaviour::DEFAULT_BEHAVIOUR;
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
            resolves_ties: true,
            tokenless_port_variables: &["OPENCODE_EDITOR_SSE_PORT", "CLAUDE_CODE_SSE_PORT"],
            own_settings: OwnSettings::None,
        }),
        transport: Transport::WebSocket,
        dialect: Dialect { context: ContextForm::OneBasedSelection, ..Dialect::CLAUDE },
        behaviour: DEFAULT_BEHAVIOUR,
    }),
    hook: None,
    turns: None,
};
