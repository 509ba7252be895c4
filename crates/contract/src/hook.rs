//! The way in which an agent runs a hook before a tool writes a file: a user-defined command whose answer it
//! obeys.
//!
//! Every part of a row was measured with the agent, in the release that its file lists, because an answer
//! that the agent does not know lets the change through. `rig/tests/stories/hooks.rs` fails if a release
//! differs. If agents differ in more than a name or a number, the difference is an enum, so that the compiler
//! finds the code that has to handle a new variant.

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
    /// Git Bash, which does not accept a backslash in a path, or PowerShell if Git Bash is missing. No shell
    /// reads an entry with a separate list of arguments, which the agent accepts since this release.
    BashIfThere {
        /// The first release that was read to know such a list.
        list_since: Release,
    },
    /// PowerShell, which runs a quoted word only after `&`.
    PowerShell,
    /// The command prompt.
    Cmd,
}

/// The hooks whose line has a guard on Unix. Without the program, a guard lets the agent continue and shows
/// the person a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// The hooks that refuse a change when they fail. A POSIX shell reads their lines.
    Refusing,
    /// All hooks, because the agent shows only the exit code of a failed hook. The person's own shell reads
    /// their lines, such as bash, fish or nushell.
    AllInAnyShell,
}

/// The part of an agent that runs hooks.
#[derive(Debug, PartialEq, Eq)]
pub struct Hook {
    /// The file with the hooks.
    pub file: HookFile,
    /// The hooks that have a guard on Unix, and the shell that reads a hook's command line there.
    pub guard: Guard,
    /// The shell that reads the command line on Windows.
    pub windows_shell: WindowsShell,
    /// The shape of the hooks in the file.
    pub entries: EntryShape,
    /// The settings by which a person switches hooks off.
    pub off_switch: OffSwitch,
    /// Whether a person must trust a hook before the agent runs it.
    pub trust: Trust,
    /// The form of the hook's input.
    pub input: InputFormat,
    /// The tools that write files.
    pub tools: &'static [Tool],
    /// The rules by which the agent reads the path of a file.
    pub paths: PathRules,
    /// The treatment of a file that is not UTF-8 text by the agent's tools.
    pub other_encodings: OtherEncodings,
    /// The event before a tool runs.
    pub before_tool: HookEvent,
    /// The event before the agent asks the person whether the tool may run, if its hooks can decide.
    pub before_question: Option<HookEvent>,
    /// The time that the agent waits for a hook.
    pub wait: Wait,
    /// Whether the agent may propose the same edit twice, by `openDiff` and by the hook.
    pub comes_twice: bool,
    /// Whether the agent's model calls a tool again while its review is open, because the agent cannot wait
    /// longer.
    pub calls_again: bool,
    /// Whether the agent asks in its own prompt after the hook has let the tool run, in a mode that it does
    /// not report to the hook.
    pub asks_afterwards: bool,
    /// Whether the agent ends its hook when the person presses Esc. Otherwise the hook continues to wait, and
    /// its answer is ignored.
    pub ends_by_esc: bool,
    /// Whether the agent's model reads the message of a hook that lets the tool run. Every agent's model
    /// reads the message of a refusal.
    pub hears_acceptances: bool,
    /// The directories below the agent's own with its notes, such as plans.
    pub notes: &'static [&'static str],
}

impl Hook {
    /// Returns the events to register for.
    pub fn events(&self) -> impl Iterator<Item = &HookEvent> {
        std::iter::once(&self.before_tool).chain(&self.before_question)
    }

    /// Returns the event with this name.
    pub fn event(&self, name: &str) -> Option<&HookEvent> {
        self.events().find(|event| event.name == name)
    }
}

/// An event before which an agent runs hooks.
#[derive(Debug, PartialEq, Eq)]
pub struct HookEvent {
    /// Its name in the settings, and in the hook's input.
    pub name: &'static str,
    /// The pattern of the tools, with their names in the order of [`Hook::tools`].
    pub matcher: &'static str,
    /// The source of the answer.
    pub answered_by: AnsweredBy,
    /// The form of the hook's answer.
    pub answer: AnswerFormat,
    /// The treatment of other arguments in the answer.
    pub arguments: Arguments,
    /// The consequence of a hook that crashes, fails, is late, or gives an answer that the agent does not
    /// know.
    pub on_failure: OnFailure,
}

/// The source of the answer to a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnsweredBy {
    /// A person, or a decision that they made a moment ago.
    Person,
    /// Only a decision that they made a moment ago: the agent has run the hook for this call at another
    /// event.
    EarlierDecision,
}

/// The form of a hook's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerFormat {
    /// `decision` and `reason`. Other arguments are `tool_input` in `hookSpecificOutput`; without them, an
    /// empty answer accepts.
    Decision,
    /// `permissionDecision` and `permissionDecisionReason` in `hookSpecificOutput`. Other arguments are
    /// `updatedInput` there, and a message with an acceptance is `additionalContext`. Without arguments, an
    /// empty answer accepts: an explicit acceptance is an error in Codex and has no effect in Qwen Code.
    PermissionDecision,
    /// `decision` in `hookSpecificOutput`, with `behavior`, `message` and `updatedInput`.
    Behavior,
}

/// Whether an agent runs the tool with the arguments in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments {
    /// The agent runs the tool with them. Every acceptance contains arguments, even unchanged, because the
    /// agent takes the arguments of any of several hooks that sends some.
    Taken,
    /// The agent runs the tool as its model called it, or treats such an answer as a failure.
    Ignored,
}

/// The consequence of a hook that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFailure {
    /// The agent continues as if there were no hook.
    LetsThrough,
    /// The tool does not run if the hook's entry contains `"onFailure": "block"`. Without this key, and in
    /// older releases, which ignore it, the agent continues.
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
    /// An object with `hook_event_name`, `tool_name`, `tool_input`, `session_id` and `cwd`, and in some
    /// agents with `permission_mode`.
    SnakeCase,
}

/// The rules by which an agent reads the path of a file. All agents expand `~`, trim blanks, and resolve `..`
/// before links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathRules {
    /// It accepts only absolute paths.
    Absolute,
    /// It resolves the path below its own directory, without other changes.
    AsGiven,
    /// It joins a relative path to its directory, strips a leading `@`, and decodes `%2F`.
    Decoded,
}

/// The treatment of an existing file that is not UTF-8 text by an agent's tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherEncodings {
    /// An edit replaces every byte that it cannot read by U+FFFD, for good.
    Lost,
    /// The agent guesses the encoding, and writes the file in it.
    Guessed,
    /// The agent refuses to edit the file.
    Left,
}
