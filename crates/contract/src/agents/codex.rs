//! Codex, which connects to no companion and only runs a hook.

use std::time::Duration;

use crate::agent::Agent;
use crate::hook::{
    AnswerFormat, AnsweredBy, Arguments, EntryShape, Guard, Hook, HookEvent, HookFile, InputFormat, Json,
    OffSwitch, OnFailure, OtherEncodings, OwnFile, PathRules, Tool, ToolArguments, Trust, Wait, WindowsShell,
};
use crate::turns::{Begins, MOST_CONTEXT, PromptAnswer, Turns};

pub(super) const AGENT: Agent = Agent {
    id: "codex",
    display_name: "Codex",
    commands: &["codex"],
    packages: &[],
    settings: None,
    own_files: &[".agents", "AGENTS.md", "AGENTS.override.md"],
    family: None,
    hook: Some(HOOK),
    turns: Some(Turns {
        prompt: "UserPromptSubmit",
        ends: &["Stop"],
        newer_ends: &[],
        turn: Some("turn_id"),
        subagent: Some("agent_id"),
        begins: Begins::Always,
        tasks: None,
        answer: PromptAnswer::HookSpecific,
        most: MOST_CONTEXT,
        wake: None,
        ends_by_rejection: false,
    }),
};

/// Measured with 0.169.0. The tests of Codex in `rig/tests/stories/hooks.rs` fail if a release differs.
const HOOK: Hook = Hook {
    file: HookFile::Own(OwnFile {
        directory: ".codex",
        directory_variable: Some("CODEX_HOME"),
        name: "hooks.json",
        json: Json::Strict,
    }),
    // It runs `$SHELL -lc LINE`.
    guard: Guard::AllInAnyShell,
    windows_shell: WindowsShell::Cmd,
    entries: EntryShape::Groups { is_named: false },
    off_switch: OffSwitch::None,
    trust: Trust::AppServer,
    input: InputFormat::SnakeCase,
    tools: &[Tool { name: "apply_patch", arguments: ToolArguments::Patch { patch: "command" } }],
    paths: PathRules::AsGiven,
    other_encodings: OtherEncodings::Left,
    before_tool: HookEvent {
        name: "PreToolUse",
        matcher: "apply_patch",
        answered_by: AnsweredBy::Person,
        answer: AnswerFormat::PermissionDecision,
        arguments: Arguments::Taken,
        on_failure: OnFailure::LetsThrough,
    },
    before_question: Some(HookEvent {
        name: "PermissionRequest",
        matcher: "apply_patch",
        answered_by: AnsweredBy::EarlierDecision,
        answer: AnswerFormat::Behavior,
        // If the answer has arguments, the agent reports that they are unsupported, and asks.
        arguments: Arguments::Ignored,
        on_failure: OnFailure::LetsThrough,
    }),
    wait: Wait { by_default: Duration::from_secs(600), ..Wait::AN_HOUR },
    comes_twice: true,
    calls_again: false,
    asks_afterwards: false,
    ends_by_esc: true,
    hears_acceptances: true,
    notes: &[],
};
