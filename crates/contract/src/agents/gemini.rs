//! Gemini CLI, the origin of the contract over HTTP.

use crate::agent::Agent;
use crate::behaviour::{
    Behaviour, DEFAULT_BEHAVIOUR, Hosts, Lookup, NameSearch, Releases, Terminal, Unproxied, VS_CODE, Value,
};
use crate::family::{Dialect, Directory, DiscoveryFile, Family, Fields, FoundBy, Transport, Variables};
use crate::hook::{
    AnswerFormat, AnsweredBy, Arguments, EditArguments, EntryShape, Escapes, FileArguments, Guard, Hook,
    HookEvent, HookFile, InputFormat, LineEnds, OffSwitch, OnFailure, OtherEncodings, PathRules, Replacing,
    TimeoutUnit, Tool, ToolArguments, Trust, Wait, WindowsShell,
};
use crate::settings::{Name, Release, SettingsFiles, SystemFiles};
use crate::turns::{Begins, MOST_CONTEXT, PromptAnswer, Turns};

pub(super) const AGENT: Agent = Agent {
    id: "gemini",
    display_name: "Gemini CLI",
    commands: &["gemini"],
    packages: &["@google/gemini-cli"],
    settings: Some(&SETTINGS),
    // It loads a project's `.env` into its own environment.
    own_files: &["GEMINI.md", ".geminiignore", ".env"],
    family: Some(FAMILY),
    hook: Some(HOOK),
    turns: Some(Turns {
        prompt: "BeforeAgent",
        ends: &["AfterAgent"],
        newer_ends: &[],
        turn: None,
        subagent: None,
        begins: Begins::Always,
        tasks: None,
        answer: PromptAnswer::HookSpecific,
        most: MOST_CONTEXT,
        wake: None,
        ends_by_rejection: false,
    }),
};

const FAMILY: Family = Family {
    client_names: &["gemini-cli"],
    env: Variables {
        port: Some("GEMINI_CLI_IDE_SERVER_PORT"),
        workspace_path: Some("GEMINI_CLI_IDE_WORKSPACE_PATH"),
        auth_token: Some("GEMINI_CLI_IDE_AUTH_TOKEN"),
        pid: Some("GEMINI_CLI_IDE_PID"),
        stdio_command: Some("GEMINI_CLI_IDE_SERVER_STDIO_COMMAND"),
        stdio_args: Some("GEMINI_CLI_IDE_SERVER_STDIO_ARGS"),
    },
    found_by: FoundBy::DiscoveryFiles(&[FILE, PID_FILE]),
    transport: Transport::Http,
    dialect: Dialect::CONTRACT,
    behaviour: BEHAVIOUR,
};

/// Measured with 0.61.0. The text that the tools write into a file was read in its source. The tests of
/// Gemini CLI in `rig/tests/stories/hooks.rs` fail if a release differs.
const HOOK: Hook = Hook {
    file: HookFile::Settings(&SETTINGS),
    guard: Guard::Refusing,
    windows_shell: WindowsShell::PowerShell,
    entries: EntryShape::Groups { is_named: true },
    off_switch: OffSwitch::HooksConfig,
    trust: Trust::NotNeeded,
    input: InputFormat::SnakeCase,
    tools: &[
        Tool {
            name: "write_file",
            arguments: ToolArguments::File(FileArguments {
                line_ends: LineEnds::CrlfIfAny,
                // It resolves escapes for models other than Gemini 2 and 3 that are called Gemini, and its
                // settings can let a model do it.
                escapes: Escapes::MaybeResolved { but_in: &["json", "ipynb", "jsonc", "json5"] },
                ..FileArguments::USUAL
            }),
        },
        Tool {
            name: "replace",
            arguments: ToolArguments::Edits(EditArguments {
                all: "allow_multiple",
                replacing: Replacing::LastLineEndStays,
                ..EditArguments::USUAL
            }),
        },
    ],
    paths: PathRules::Decoded,
    other_encodings: OtherEncodings::Lost,
    before_tool: HookEvent {
        name: "BeforeTool",
        matcher: "write_file|replace",
        answered_by: AnsweredBy::Person,
        answer: AnswerFormat::Decision,
        arguments: Arguments::Taken,
        on_failure: OnFailure::LetsThrough,
    },
    before_question: None,
    wait: Wait { timeout: 3_600_000, unit: TimeoutUnit::Milliseconds, ..Wait::AN_HOUR },
    comes_twice: true,
    calls_again: false,
    asks_afterwards: true,
    ends_by_esc: false,
    hears_acceptances: false,
    notes: &["tmp"],
};

/// Read in 0.1.14 to 0.3.4 and 0.5.5 to 0.10.0 one by one, then 0.11.3, 0.14.0, 0.17.1, 0.19.1, 0.20.0,
/// 0.20.2, 0.22.4, 0.25.2 to 0.36.0 one by one, 0.45.0, 0.50.0, 0.55.0, and 0.58.0 to 0.61.0.
const BEHAVIOUR: Behaviour = Behaviour {
    known_to: Some((0, 61, 0)),
    connects: Releases::from((0, 1, 14)),
    lookups: &[
        Lookup::new(
            Releases::between((0, 1, 22), (0, 27, 0)),
            DiscoveryFile { readers: "Gemini CLI 0.1.22 to 0.26", ..PID_FILE },
            NameSearch::Spelled,
        )
        .unchecked(Releases::ALL),
        Lookup::new(
            Releases::from((0, 27, 0)),
            DiscoveryFile { name: PID_FILE.name, readers: "Gemini CLI 0.27.0 and newer", ..FILE },
            NameSearch::Spelled,
        )
        .unchecked(Releases::ALL),
        Lookup::new(Releases::between((0, 5, 3), (0, 31, 0)), FILE, NameSearch::ListedForPid),
        Lookup::new(Releases::from((0, 31, 0)), FILE, NameSearch::ListedForAnyPid),
    ],
    reads_variables: Releases::ALL,
    pid_variable: Releases::from((0, 31, 0)),
    token_variable: Releases::from((0, 20, 1)),
    sends_token: Releases::from((0, 6, 0)),
    knows_diff_rejected: Releases::from((0, 6, 0)),
    reads_editor_name: Releases::from((0, 7, 0)),
    terminals: &[
        VS_CODE,
        terminal((0, 25, 0), "TERM_PROGRAM", Some(Value::Is("sublime"))),
        terminal((0, 27, 0), "TERMINAL_EMULATOR", Some(Value::Contains("jetbrains"))),
        terminal((0, 35, 0), "TERM_PROGRAM", Some(Value::Is("Zed"))),
        terminal((0, 35, 0), "ZED_SESSION_ID", None),
        terminal((0, 35, 0), "XCODE_VERSION_ACTUAL", None),
    ],
    own_files_only: Releases::from((0, 58, 0)),
    one_unreadable_ends: Releases::until((0, 58, 0)),
    takes_misfit: Releases::from((0, 58, 0)),
    hosts: &[
        (Releases::until((0, 9, 0)), Hosts::OneOf("localhost")),
        (Releases::between((0, 9, 0), (0, 27, 0)), Hosts::OneOf("127.0.0.1")),
        (Releases::from((0, 27, 0)), Hosts::UnlessSet(REMOTE)),
    ],
    unproxied: &[
        (Releases::until((0, 2, 0)), Unproxied::Everything),
        (Releases::between((0, 2, 0), (0, 9, 0)), Unproxied::Host("localhost")),
        (Releases::between((0, 9, 0), (0, 27, 0)), Unproxied::Host("127.0.0.1")),
        (Releases::from((0, 27, 0)), Unproxied::Dialled),
    ],
    ..DEFAULT_BEHAVIOUR
};

const fn terminal(since: Release, variable: &'static str, value: Option<Value>) -> Terminal {
    Terminal { releases: Releases::from(since), variable, value }
}

/// The variables of a container in which the editor runs too.
const REMOTE: &[&str] = &["SSH_CONNECTION", "VSCODE_REMOTE_CONTAINERS_SESSION", "REMOTE_CONTAINERS"];

/// The file that every release of Gemini CLI since 0.5.3 lists.
const FILE: DiscoveryFile = DiscoveryFile {
    directory: Directory::Tmp("gemini/ide"),
    name: "gemini-ide-server-{pid}-{port}.json",
    fields: Fields::Contract,
    readers: "Gemini CLI 0.5.3 and newer",
};

/// The only file of the oldest releases. Releases since 0.27.0 look for its name in the directory of
/// [`FILE`].
const PID_FILE: DiscoveryFile = DiscoveryFile {
    directory: Directory::Tmp(""),
    name: "gemini-ide-server-{pid}.json",
    readers: "Gemini CLI 0.1.22 to 0.5.2",
    ..FILE
};

/// Read in the sources of 0.1.22, 0.2.2, 0.3.4, 0.4.1, 0.8.2, 0.20.0 to 0.29.0 one by one, 0.35.0, 0.53.0 and
/// 0.61.0.
static SETTINGS: SettingsFiles = SettingsFiles {
    directory: ".gemini",
    home_variable: Some(("GEMINI_CLI_HOME", (0, 28, 0))),
    base_variable: None,
    ide_file: None,
    local_file: None,
    system: SystemFiles {
        variable: Some("GEMINI_CLI_SYSTEM_SETTINGS_PATH"),
        defaults_variable: Some("GEMINI_CLI_SYSTEM_DEFAULTS_PATH"),
        file: "settings.json",
        linux: "/etc/gemini-cli",
        macos: "/Library/Application Support/GeminiCli",
        windows: "C:\\ProgramData\\gemini-cli",
    },
    trusted_folders_variable: Some("GEMINI_CLI_TRUSTED_FOLDERS_PATH"),
    trust_variable: Some("GEMINI_CLI_TRUST_WORKSPACE"),
    reads_mark_since: None,
    ide_mode: "IDE mode",
    ide_enabled: &[
        Name::until(&["ideMode"], (0, 0, 0), (0, 23, 0)),
        Name::new(&["ide", "enabled"], (0, 3, 0)),
    ],
    approval_argument: "--approval-mode",
    approval_mode: &[
        Name::new(&["general", "defaultApprovalMode"], (0, 29, 0)),
        // Since 0.29 the agent renames it to the name above when it starts.
        Name::new(&["tools", "approvalMode"], (0, 27, 0)),
    ],
    never_from_files: Some("yolo"),
    default_approval_modes: &[((0, 0, 0), "default")],
    folder_trust: &[
        Name::until(&["folderTrust"], (0, 0, 0), (0, 23, 0)),
        Name::new(&["security", "folderTrust", "enabled"], (0, 3, 0)),
    ],
    folder_trust_by_default: Some((0, 28, 0)),
};
