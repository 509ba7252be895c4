//! The guard of a hook: a line of shell that lets the agent continue after the program was removed without
//! `alongside uninstall`, and gives the person a message about it.
//!
//! Without a guard, an agent that refuses a change when its hook fails would refuse every edit in every
//! workspace, and other agents would show only an exit code.

use alongside_contract::agent::HookAgent;
use alongside_contract::hook;
use alongside_platform::{Os, shell};

use super::registration::OurHook;

/// The guard in a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard<'a> {
    /// A guard in the syntax of a POSIX shell, around the line: the text after the line.
    PosixShell(&'a str),
    /// A guard that starts `/bin/sh`, which works in any shell: the text before the line.
    AnyShell(&'a str),
}

/// The parts of a POSIX guard around the program, the line and the message to the person. `exec` leaves the
/// agent a single process to end.
const POSIX_PARTS: [&str; 5] =
    ["if command -v ", " >/dev/null 2>&1", "; then exec ", "; else echo '", "'; fi"];

/// The part that looks for a program by its path. Shells differ on whether `command -v` finds a file that may
/// not be executed, and the guard takes it for found.
const OR_FILE_EXISTS: &str = " || test -f ";

/// The parts around the message to the person in a guard for any shell; the line with the program follows.
/// The script is a single word, without a quotation mark or a backslash that a shell would read otherwise
/// than POSIX does: fish knows escapes within `'`, and nushell knows none.
const ANY_SHELL_PARTS: [&str; 2] = [
    r#"/bin/sh -c 'if command -v "$0" >/dev/null 2>&1 || test -f "$0"; then exec "$0" "$@"; else echo ""#,
    r#""; fi' "#,
];

/// Returns the command line of a hook, in its guard if it has one. Without the program, the guarded line
/// gives the agent a message and no verdict.
pub(super) fn guarded(program: &str, line: String, agent: HookAgent, hook: OurHook) -> String {
    let consequence = match hook {
        OurHook::Write => "Nobody reviewed this change",
        OurHook::Turn => "This turn is not noted",
    };
    let message = format!(
        "{consequence}: alongside is not where its hook starts it. Install it again, or take its hook out of \
         the settings of {}.",
        agent.display_name
    );
    // A shell reads the message within quotation unescaped.
    let message = message.replace(['\'', '\\', '"', '$', '`'], " ");
    match agent.hook.guard {
        hook::Guard::Refusing if hook.registrations(agent, None).iter().any(|entry| entry.can_refuse) => {
            let [.., else_echo, close] = POSIX_PARTS;
            let behind = format!("{else_echo}{{\"systemMessage\": \"{message}\"}}{close}");
            Guard::PosixShell(&behind).wrap(program, &line)
        }
        hook::Guard::Refusing => line,
        hook::Guard::AllInAnyShell => {
            let [start, end] = ANY_SHELL_PARTS;
            let before = format!("{start}{{\\\"systemMessage\\\": \\\"{message}\\\"}}{end}");
            Guard::AnyShell(&before).wrap(program, &line)
        }
    }
}

impl<'a> Guard<'a> {
    /// Splits a command into the line and its guard, if it has one. Returns `None` for a guard that holds
    /// other commands.
    pub(super) fn split(command: &'a str) -> Option<(&'a str, Option<Self>)> {
        if let Some(rest) = command.strip_prefix(ANY_SHELL_PARTS[0]) {
            let (message, line) = rest.split_once(ANY_SHELL_PARTS[1])?;
            let unescaped = message.replace("\\\"", "");
            let before = command.strip_suffix(line)?;
            return (!unescaped.contains(['\'', '"', '\\', '$', '`']))
                .then_some((line, Some(Self::AnyShell(before))));
        }
        let [if_found, silenced, then_run, else_echo, close] = POSIX_PARTS;
        let Some(command) = command.strip_prefix(if_found) else { return Some((command, None)) };
        let (looked_for, rest) = command.split_once(silenced)?;
        let (tested, rest) = rest.split_once(then_run)?;
        let tested = if tested.is_empty() { looked_for } else { tested.strip_prefix(OR_FILE_EXISTS)? };
        let (line, behind) = rest.split_at(rest.rfind(else_echo)?);
        let message = behind.strip_prefix(else_echo)?.strip_suffix(close)?;
        // Within quotation unescaped, the characters that separate commands are plain text.
        let is_word = |text: &str| shell::unquoted(Os::Linux, text).is_some() || !has_other_command(text);
        let has_others = message.contains('\'') || !is_word(looked_for) || !is_word(tested);
        (!has_others).then_some((line, Some(Self::PosixShell(behind))))
    }

    /// Puts this guard around another line.
    pub(super) fn wrap(self, program: &str, line: &str) -> String {
        match self {
            Self::AnyShell(before) => format!("{before}{line}"),
            Self::PosixShell(behind) => {
                let [if_found, silenced, then_run, ..] = POSIX_PARTS;
                let has_path = program.trim_matches(['"', '\'']).starts_with('/');
                let or_file_exists =
                    if has_path { format!("{OR_FILE_EXISTS}{program}") } else { String::new() };
                format!("{if_found}{program}{silenced}{or_file_exists}{then_run}{line}{behind}")
            }
        }
    }
}

/// Whether a shell would run another command. `2>&1` is not a command.
pub(super) fn has_other_command(text: &str) -> bool {
    text.replace(">&", ">").contains([';', '&', '|', '\n', '`']) || text.contains("$(")
}
