//! How an agent runs a hook before a tool writes a file: a user-defined command whose answer it obeys.
//!
//! Everything in a row was measured with the agent, in the release that its file names: an answer that the
//! agent does not know lets the change through. `rig/tests/stories/hooks.rs` fails where a release differs.
//! Where agents differ in more than a name or a number, the difference is an enum, and the compiler names
//! the code that has to know a new variant.

mod registration;
mod tool;
mod wait;

use crate::settings::Release;

pub use registration::{EntryShape, HookFile, Json, OffSwitch, OwnFile, Trust};
pub use tool::{EditArguments, Escapes, FileArguments, LineEnds, Mark, Replacing, Tool, ToolArguments};
pub use wait::{TimeoutUnit, Wait};

/// A shell of Windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowsShell {
    /// Git Bash, to which a backslash is no part of a path, and PowerShell where that is missing. No shell
    /// reads an entry whose arguments are a list of their own, which the agent knows since this release.
    BashIfThere {
        /// The first release that was read to know such a list.
        list_since: Release,
    },
    /// PowerShell, which runs a word in quotes only behind `&`.
    PowerShell,
    /// The command prompt.
    Cmd,
}

/// The hooks whose line has a guard on Unix. Where the program is gone, a guard lets the agent go on, and
/// tells the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// Those that refuse a change when they fail. A POSIX shell reads their lines.
    Refusing,
    /// All, for the agent tells no more of them than an exit code. The person's own shell reads their lines,
    /// as bash, fish or nushell.
    AllInAnyShell,
}

/// The part of an agent that runs hooks.
#[derive(Debug, PartialEq, Eq)]
pub struct Hook {
    /// The file that names the hooks.
    pub file: HookFile,
    /// The hooks that have a guard on Unix, and the shell that reads a hook's command line there.
    pub guard: Guard,
    /// The shell that reads it on Windows.
    pub windows_shell: WindowsShell,
    /// The shape of the hooks in that file.
    pub entries: EntryShape,
    /// The settings by which a person switches hooks off.
    pub off_switch: OffSwitch,
    /// Whether a person must trust a hook before the agent runs it.
    pub trust: Trust,
    /// The form of the hook's input.
    pub input: InputFormat,
    /// The tools that write files.
    pub tools: &'static [Tool],
    /// How the agent reads the path of a file.
    pub paths: PathRules,
    /// The treatment of a file that is not UTF-8 text, by its tools.
    pub other_encodings: OtherEncodings,
    /// The event before a tool runs.
    pub before_tool: HookEvent,
    /// The event before the agent asks its person whether the tool may run, if hooks of it can decide.
    pub before_question: Option<HookEvent>,
    /// How long the agent waits for a hook.
    pub wait: Wait,
    /// Whether it may bring the same edit once more, by `openDiff` or by the hook.
    pub comes_twice: bool,
    /// Whether its model calls a tool again whose review is still open, because the agent cannot wait longer.
    pub calls_again: bool,
    /// Whether it asks in its own prompt after the hook let the tool run, in a mode of which the hook does
    /// not hear.
    pub asks_afterwards: bool,
    /// Whether it ends its hook when its person stops it by Esc. Elsewhere the hook waits on, and its answer
    /// is for nobody.
    pub ends_by_esc: bool,
    /// Whether its model reads a message of a hook that lets the tool run. A refusal is read in every agent.
    pub hears_acceptances: bool,
    /// The directories below its own where it keeps notes for itself, as plans.
    pub notes: &'static [&'static str],
}

impl Hook {
    /// The events to register for.
    pub fn events(&self) -> impl Iterator<Item = &HookEvent> {
        std::iter::once(&self.before_tool).chain(&self.before_question)
    }

    /// The event of that name.
    pub fn event(&self, name: &str) -> Option<&HookEvent> {
        self.events().find(|event| event.name == name)
    }
}

/// An event before which an agent runs hooks.
#[derive(Debug, PartialEq, Eq)]
pub struct HookEvent {
    /// Its name in the settings, and in the hook's input.
    pub name: &'static str,
    /// The pattern of the tools, which names them in the order of [`Hook::tools`].
    pub matcher: &'static str,
    /// The source of the answer.
    pub answered_by: AnsweredBy,
    /// The form of the hook's answer.
    pub answer: AnswerFormat,
    /// Other arguments in the answer.
    pub arguments: Arguments,
    /// The consequence of a hook that dies, fails, is late, or gives an answer that the agent does not know.
    pub on_failure: OnFailure,
}

/// The source of the answer to a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnsweredBy {
    /// A person, or their decision of a moment ago.
    Person,
    /// Their decision of a moment ago alone: the agent has run the hook for this call at another event.
    EarlierDecision,
}

/// The form of a hook's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerFormat {
    /// `decision` and `reason`; other arguments are `tool_input` in `hookSpecificOutput`. Without those, a
    /// yes is silence.
    Decision,
    /// `permissionDecision` and `permissionDecisionReason` in `hookSpecificOutput`; other arguments are
    /// `updatedInput` there, and a message beside a yes is `additionalContext`. A yes without arguments is
    /// silence: said, it is an error in Codex, and nothing in Qwen Code.
    PermissionDecision,
    /// `decision` in `hookSpecificOutput`, with `behavior`, `message` and `updatedInput`.
    Behavior,
}

/// Whether an agent runs the tool with the arguments in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments {
    /// It does. Every yes gives them, also unchanged: of several hooks, it takes those of one that gives
    /// some.
    Taken,
    /// It runs the tool as its model called it, or takes such an answer for a failure.
    Ignored,
}

/// The consequence of a hook that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFailure {
    /// The agent goes on as if there were no hook.
    LetsThrough,
    /// The tool does not run where the hook's entry says `"onFailure": "block"`. Without a word in the entry,
    /// and in older releases, which overlook it, the agent goes on.
    RefusesIfAsked {
        /// The first release that obeys the entry.
        since: Release,
    },
}

impl OnFailure {
    /// Whether an entry of the hook can ask the agent to refuse.
    pub fn can_refuse(self) -> bool {
        match self {
            Self::LetsThrough => false,
            Self::RefusesIfAsked { .. } => true,
        }
    }
}

/// The form of a hook's input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputFormat {
    /// One object with `hook_event_name`, `tool_name`, `tool_input`, `session_id`, `cwd`, and in some agents
    /// `permission_mode`.
    SnakeCase,
}

/// How an agent reads the path of a file. All expand `~`, trim blanks, and resolve `..` before links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathRules {
    /// It takes absolute paths.
    Absolute,
    /// It takes the path as it is, below its own directory.
    AsGiven,
    /// It joins a relative path to its directory, strips `@` there, and decodes `%2F`.
    Decoded,
}

/// The treatment of a file that is there and is not UTF-8 text, by an agent's tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherEncodings {
    /// An edit puts U+FFFD in place of every byte that it cannot read, for good.
    Lost,
    /// The encoding is guessed, and written again.
    Guessed,
    /// No edit is made.
    Left,
}
