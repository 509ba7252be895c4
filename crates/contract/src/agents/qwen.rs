//! Qwen Code, a fork of Gemini CLI with hooks.

use std::time::Duration;

use crate::agent::Agent;
use crate::behaviour::{Behaviour, DEFAULT_BEHAVIOUR, Hosts, Lookup, NameSearch, Releases, Unproxied};
use crate::family::{Dialect, Directory, DiscoveryFile, Family, Fields, FoundBy, Transport, Variables};
use crate::hook::{
    AnswerFormat, AnsweredBy, Arguments, EditArguments, EntryShape, FileArguments, Guard, Hook, HookEvent,
    HookFile, InputFormat, LineEnds, Mark, OffSwitch, OnFailure, OtherEncodings, PathRules, TimeoutUnit,
    Tool, ToolArguments, Trust, Wait, WindowsShell,
};
use crate::settings::{Name, SettingsFiles, SystemFiles};
use crate::turns::{Begins, MOST_CONTEXT, PromptAnswer, Turns};

pub(super) const AGENT: Agent = Agent {
    id: "qwen",
    display_name: "Qwen Code",
    commands: &["qwen"],
    packages: &["@qwen-code/qwen-code"],
    settings: Some(&SETTINGS),
    own_files: &["QWEN.md", ".qwenignore"],
    family: Some(FAMILY),
    hook: Some(HOOK),
    turns: Some(Turns {
        prompt: "UserPromptSubmit",
        ends: &["Stop", "StopFailure"],
        newer_ends: &[],
        turn: Some("prompt_id"),
        subagent: Some("agent_id"),
        // The event also occurs after each tool, with an empty prompt.
        begins: Begins::WithField("submitted_prompt"),
        tasks: Some("background_tasks"),
        answer: PromptAnswer::HookSpecific,
        most: MOST_CONTEXT,
        wake: None,
        // Observed in 0.24.4: its model gets no outcome, and its prompt is idle.
        ends_by_rejection: true,
    }),
};

const FAMILY: Family = Family {
    client_names: &["qwen-code"],
    env: Variables {
        workspace_path: Some("QWEN_CODE_IDE_WORKSPACE_PATH"),
        stdio_command: Some("QWEN_CODE_IDE_SERVER_STDIO_COMMAND"),
        stdio_args: Some("QWEN_CODE_IDE_SERVER_STDIO_ARGS"),
        ..Variables::port("QWEN_CODE_IDE_SERVER_PORT")
    },
    found_by: FoundBy::DiscoveryFiles(&[
        LOCK,
        DiscoveryFile {
            directory: Directory::Tmp("qwen/ide"),
            name: "qwen-code-ide-server-{pid}-{port}.json",
            fields: Fields::WithParent,
            readers: "Qwen Code as its specification says",
        },
        LISTED,
        PID_FILE,
        PORT_FILE,
    ]),
    transport: Transport::Http,
    dialect: Dialect::CONTRACT,
    behaviour: BEHAVIOUR,
};

/// Measured with 0.24.4. The text that the tools write into a file was read in its source. The tests of Qwen
/// Code in `rig/tests/stories/hooks.rs` fail if a release differs.
const HOOK: Hook = Hook {
    file: HookFile::Settings(&SETTINGS),
    guard: Guard::Refusing,
    windows_shell: WindowsShell::Cmd,
    entries: EntryShape::Groups { is_named: false },
    off_switch: OffSwitch::DisableAllHooks,
    trust: Trust::NotNeeded,
    input: InputFormat::SnakeCase,
    tools: &[
        Tool {
            name: "write_file",
            arguments: ToolArguments::File(FileArguments {
                line_ends: LineEnds::CrlfIfAny,
                mark: Mark::Kept,
                ..FileArguments::USUAL
            }),
        },
        Tool { name: "edit", arguments: ToolArguments::Edits(EditArguments::USUAL) },
        Tool { name: "notebook_edit", arguments: ToolArguments::Cell },
    ],
    paths: PathRules::Absolute,
    other_encodings: OtherEncodings::Guessed,
    before_tool: HookEvent {
        name: "PreToolUse",
        matcher: "^(write_file|edit|notebook_edit)$",
        answered_by: AnsweredBy::Person,
        answer: AnswerFormat::PermissionDecision,
        arguments: Arguments::Ignored,
        on_failure: OnFailure::LetsThrough,
    },
    before_question: Some(HookEvent {
        name: "PermissionRequest",
        matcher: "^(write_file|edit|notebook_edit)$",
        answered_by: AnsweredBy::Person,
        answer: AnswerFormat::Behavior,
        arguments: Arguments::Taken,
        on_failure: OnFailure::LetsThrough,
    }),
    // It waits for a minute, whatever the entry contains.
    wait: Wait {
        timeout: 60_000,
        unit: TimeoutUnit::MillisecondsFrom1000,
        by_default: Duration::from_secs(60),
        limit: Duration::from_secs(60),
        margin: Duration::from_secs(5),
    },
    comes_twice: true,
    calls_again: true,
    asks_afterwards: false,
    // It sends no signal to a hook before a tool.
    ends_by_esc: false,
    hears_acceptances: false,
    notes: &["tmp", "projects"],
};

/// Read in 0.1.4, 0.5.0, 0.5.2, 0.10.1, 0.12.0, 0.15.6, 0.15.10, 0.21.2, 0.23.0 and 0.24.4.
const BEHAVIOUR: Behaviour = Behaviour {
    known_to: Some((0, 24, 4)),
    connects: Releases::from((0, 0, 13)),
    lookups: &[
        Lookup::new(Releases::between((0, 5, 1), (0, 15, 10)), LOCK_AT_HOME, NameSearch::Spelled)
            .unchecked(Releases::ALL),
        Lookup::new(Releases::from((0, 15, 10)), LOCK, NameSearch::Spelled)
            .unchecked(Releases::until((0, 21, 0))),
        Lookup::new(Releases::from((0, 0, 13)), PID_FILE, NameSearch::Spelled)
            .unchecked(Releases::until((0, 21, 0))),
        Lookup::new(Releases::between((0, 1, 3), (0, 5, 1)), LISTED, NameSearch::ListedForPid),
        Lookup::new(Releases::from((0, 5, 1)), PORT_FILE, NameSearch::Spelled)
            .unchecked(Releases::until((0, 21, 0))),
        Lookup {
            without_port_variable: Releases::until((0, 15, 0)),
            ..Lookup::new(Releases::between((0, 12, 0), (0, 15, 10)), LOCK_AT_HOME, NameSearch::ListedByAge)
        },
        Lookup::new(Releases::from((0, 15, 10)), LOCK, NameSearch::ListedByAge),
    ],
    pid_variable: Releases::NONE,
    token_variable: Releases::NONE,
    sends_token: Releases::from((0, 1, 0)),
    knows_diff_rejected: Releases::from((0, 1, 0)),
    reads_editor_name: Releases::from((0, 1, 3)),
    one_unreadable_ends: Releases::until((0, 5, 1)),
    needs_living_editor: Releases::from((0, 15, 0)),
    tries_others: Releases::from((0, 15, 0)),
    keeps_off_misfits: Releases::from((0, 21, 0)),
    hosts: &[
        (Releases::until((0, 12, 0)), Hosts::OneOf("127.0.0.1")),
        (Releases::from((0, 12, 0)), Hosts::BothInTurn),
    ],
    unproxied: &[
        (Releases::until((0, 12, 0)), Unproxied::Host("127.0.0.1")),
        (Releases::from((0, 12, 0)), Unproxied::Dialled),
    ],
    ..DEFAULT_BEHAVIOUR
};

/// The discovery file of Qwen Code, named like a lock file.
const LOCK: DiscoveryFile = DiscoveryFile {
    directory: Directory::Home {
        below_home: ".qwen/ide",
        base_variable: Some("QWEN_HOME"),
        below_base: "ide",
    },
    name: "{port}.lock",
    fields: Fields::WithParent,
    readers: "Qwen Code 0.5.1 and newer",
};

/// The discovery file of the releases that do not read the variable.
const LOCK_AT_HOME: DiscoveryFile = DiscoveryFile {
    directory: Directory::Home { below_home: ".qwen/ide", base_variable: None, below_base: "ide" },
    ..LOCK
};

/// The file that Qwen Code listed while it used the directory of Gemini CLI.
const LISTED: DiscoveryFile = DiscoveryFile {
    directory: Directory::Tmp("gemini/ide"),
    name: "qwen-code-ide-server-{pid}-{port}.json",
    fields: Fields::WithParent,
    readers: "Qwen Code 0.1.3 to 0.5.0",
};

/// The file that every release of Qwen Code reads, before the locks that it lists.
const PID_FILE: DiscoveryFile = DiscoveryFile {
    directory: Directory::Tmp(""),
    name: "qwen-code-ide-server-{pid}.json",
    fields: Fields::WithParent,
    readers: "Qwen Code 0.0.13 and newer, without variables",
};

/// The same file, named after the port.
const PORT_FILE: DiscoveryFile = DiscoveryFile {
    directory: Directory::Tmp(""),
    name: "qwen-code-ide-server-{port}.json",
    fields: Fields::WithParent,
    readers: "Qwen Code 0.5.1 and newer, with variables",
};

/// Read in the sources of 0.5.2, 0.12.0, 0.15.10, 0.21.2 and 0.24.4. All of them convert the flat names in
/// old files when they start.
static SETTINGS: SettingsFiles = SettingsFiles {
    directory: ".qwen",
    home_variable: None,
    base_variable: Some(("QWEN_HOME", (0, 15, 0))),
    ide_file: None,
    local_file: None,
    system: SystemFiles {
        variable: Some("QWEN_CODE_SYSTEM_SETTINGS_PATH"),
        defaults_variable: Some("QWEN_CODE_SYSTEM_DEFAULTS_PATH"),
        file: "settings.json",
        linux: "/etc/qwen-code",
        macos: "/Library/Application Support/QwenCode",
        windows: "C:\\ProgramData\\qwen-code",
    },
    trusted_folders_variable: Some("QWEN_CODE_TRUSTED_FOLDERS_PATH"),
    trust_variable: None,
    // 0.12.0 does not.
    reads_mark_since: Some((0, 24, 4)),
    ide_mode: "IDE mode",
    ide_enabled: &[Name::in_old_files(&["ideMode"]), Name::new(&["ide", "enabled"], (0, 0, 0))],
    approval_argument: "--approval-mode",
    approval_mode: &[Name::in_old_files(&["approvalMode"]), Name::new(&["tools", "approvalMode"], (0, 0, 0))],
    never_from_files: None,
    default_approval_modes: &[((0, 16, 0), "auto"), ((0, 0, 0), "default")],
    folder_trust: &[
        Name::in_old_files(&["folderTrust"]),
        Name::new(&["security", "folderTrust", "enabled"], (0, 0, 0)),
    ],
    folder_trust_by_default: None,
};
