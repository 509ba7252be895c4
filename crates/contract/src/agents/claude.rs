//! Claude Code, which communicates over a WebSocket.

use std::time::Duration;

use crate::agent::Agent;
use crate::behaviour::DEFAULT_BEHAVIOUR;
use crate::family::{
    Dialect, Family, FoundBy, LOCK_READERS, LOCKS, LockRules, OwnSettings, Transport, Variables,
};
use crate::hook::{
    AnswerFormat, AnsweredBy, Arguments, EditArguments, EntryShape, FileArguments, Guard, Hook, HookEvent,
    HookFile, InputFormat, LineEnds, Mark, OffSwitch, OnFailure, OtherEncodings, PathRules, Tool,
    ToolArguments, Trust, Wait, WindowsShell,
};
use crate::settings::{Name, SettingsFiles, SystemFiles};
use crate::turns::{Begins, MOST_CONTEXT, PromptAnswer, Turns, Wake};

pub(super) const AGENT: Agent = Agent {
    id: "claude",
    display_name: "Claude Code",
    commands: &["claude"],
    packages: &["@anthropic-ai/claude-code"],
    settings: Some(&SETTINGS),
    own_files: &[".mcp.json", "CLAUDE.md", "CLAUDE.local.md"],
    family: Some(Family {
        client_names: &["claude-code"],
        env: Variables::port("CLAUDE_CODE_SSE_PORT"),
        found_by: FoundBy::Lock(LockRules {
            directory: LOCKS,
            readers: LOCK_READERS,
            resolves_ties: false,
            tokenless_port_variables: &[],
            own_settings: OwnSettings::ClaudeCode,
        }),
        transport: Transport::WebSocket,
        dialect: Dialect::CLAUDE,
        behaviour: DEFAULT_BEHAVIOUR,
    }),
    hook: Some(HOOK),
    turns: Some(Turns {
        prompt: "UserPromptSubmit",
        ends: &["Stop", "StopFailure"],
        // An older release ignores a whole file of settings that names it. Measured with 2.0.31, 2.1.77 and
        // 2.1.78; no test runs such a release again.
        newer_ends: &[("StopFailure", (2, 1, 78))],
        turn: Some("prompt_id"),
        subagent: Some("agent_id"),
        // The agent reports ended tasks to its model in such a prompt.
        begins: Begins::UnlessTagged("<task-notification>"),
        tasks: Some("background_tasks"),
        answer: PromptAnswer::HookSpecific,
        most: MOST_CONTEXT,
        // Measured with 2.1.332: the turn ends at once, and the hook's end wakes the session. Older releases
        // were not run with it. `a_turn_of_claude_is_reviewed_afterwards_and_a_part_of_it_undone` fails where
        // a release differs.
        wake: Some(Wake {
            event: "Stop",
            since: (2, 1, 332),
            field: "asyncRewake",
            code: 2,
            attended: ("CLAUDE_CODE_SESSION_ATTENDED", "1"),
            patience: Duration::from_secs(8 * 3600),
        }),
        // Observed in 2.1.332: its prompt is idle, and there is no `Stop` event.
        ends_by_rejection: true,
    }),
};

/// It writes `\r\n` if most lines at the beginning of the file end so. Read in 2.1.332.
const EDIT: EditArguments = EditArguments { line_ends: LineEnds::CrlfIfMost, ..EditArguments::USUAL };

/// Measured with 2.1.330. The text that its tools write into a file was read in the source of 2.1.332. The
/// tests of Claude Code in `rig/tests/stories/hooks.rs` fail if a release differs.
const HOOK: Hook = Hook {
    file: HookFile::Settings(&SETTINGS),
    // The list of arguments was read in 2.1.332, and run there on Linux.
    guard: Guard::Refusing,
    windows_shell: WindowsShell::BashIfThere { list_since: (2, 1, 332) },
    entries: EntryShape::Groups { is_named: false },
    off_switch: OffSwitch::DisableAllHooks,
    trust: Trust::NotNeeded,
    input: InputFormat::SnakeCase,
    tools: &[
        Tool { name: "Edit", arguments: ToolArguments::Edits(EDIT) },
        Tool {
            name: "Write",
            arguments: ToolArguments::File(FileArguments {
                mark: Mark::KeptBeforeText,
                ..FileArguments::USUAL
            }),
        },
        Tool {
            name: "MultiEdit",
            arguments: ToolArguments::Edits(EditArguments { list: Some("edits"), ..EDIT }),
        },
        Tool { name: "NotebookEdit", arguments: ToolArguments::Cell },
    ],
    paths: PathRules::Absolute,
    // It refuses to write such a file, unless the file is UTF-16 with a byte-order mark. Older releases
    // edited it.
    other_encodings: OtherEncodings::Left,
    before_tool: HookEvent {
        name: "PreToolUse",
        matcher: "Edit|Write|MultiEdit|NotebookEdit",
        answered_by: AnsweredBy::Person,
        answer: AnswerFormat::PermissionDecision,
        arguments: Arguments::Taken,
        // Measured with 2.1.332, for a hook that is killed, is late, has no program, or ends with exit code
        // 1. Earlier releases ignore the field. If a release differs,
        // `a_hook_that_fails_or_is_late_lets_no_change_of_claude_through` fails.
        on_failure: OnFailure::RefusesIfAsked { since: (2, 1, 295) },
    },
    before_question: None,
    // Without a timeout, older releases wait no longer than a minute.
    wait: Wait::AN_HOUR,
    comes_twice: false,
    calls_again: false,
    asks_afterwards: false,
    ends_by_esc: true,
    hears_acceptances: true,
    notes: &["plans", "projects"],
};

/// Measured with 2.0.31 to 2.1.332, which the release matrix runs. The agent asks by itself whether to trust
/// a folder. Up to 2.1.281 it asks before it edits, since 2.1.283 it decides by itself whether to ask.
static SETTINGS: SettingsFiles = SettingsFiles {
    directory: ".claude",
    home_variable: None,
    base_variable: Some(("CLAUDE_CONFIG_DIR", (0, 0, 0))),
    ide_file: Some(".claude.json"),
    local_file: Some("settings.local.json"),
    system: SystemFiles {
        variable: None,
        defaults_variable: None,
        file: "managed-settings.json",
        linux: "/etc/claude-code",
        macos: "/Library/Application Support/ClaudeCode",
        windows: "C:\\ProgramData\\ClaudeCode",
    },
    trusted_folders_variable: None,
    trust_variable: None,
    reads_mark_since: Some((0, 0, 0)),
    ide_mode: "auto-connect to IDE",
    ide_enabled: &[Name::new(&["autoConnectIde"], (0, 0, 0))],
    approval_argument: "--permission-mode",
    approval_mode: &[Name::new(&["permissions", "defaultMode"], (0, 0, 0))],
    never_from_files: None,
    default_approval_modes: &[((2, 1, 282), "auto"), ((0, 0, 0), "default")],
    folder_trust: &[],
    folder_trust_by_default: None,
};
