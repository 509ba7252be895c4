//! The guard of a hook: a line of shell that lets the agent go on where the program was removed without
//! `alongside uninstall`, and says so to the person.
//!
//! Without it, an agent that refuses a change when its hook fails would refuse every edit everywhere, and
//! others name nothing but an exit code.

use alongside_contract::agent::HookAgent;
use alongside_contract::hook;
use alongside_platform::{Os, shell};

use super::registration::OurHook;

/// A guard as it stands in a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard<'a> {
    /// In the words of a POSIX shell: the part behind the line.
    Around(&'a str),
    /// In a shell of its own, which every other one can start: the part before the line.
    Before(&'a str),
}

/// The parts around the program, the line, and the message to the person. `exec` leaves one process for the
/// agent to end.
const AROUND: [&str; 5] = ["if command -v ", " >/dev/null 2>&1", "; then exec ", "; else echo '", "'; fi"];

/// The part that looks for a program by its path. Shells differ on one that may not be run: it is there.
const IS_THERE: &str = " || test -f ";

/// The parts around the message to the person; the line with the program follows. The script is one word, and
/// has neither a quotation mark nor a backslash that a shell would read otherwise than POSIX does: fish knows
/// escapes within `'`, and nushell none.
const BEFORE: [&str; 2] = [
    r#"/bin/sh -c 'if command -v "$0" >/dev/null 2>&1 || test -f "$0"; then exec "$0" "$@"; else echo ""#,
    r#""; fi' "#,
];

/// The command line of a hook, in its guard where it has one. Without the program it gives no verdict, and a
/// message.
pub(super) fn guarded(program: &str, line: String, agent: HookAgent, hook: OurHook) -> String {
    let lost = match hook {
        OurHook::Write => "Nobody reviewed this change",
        OurHook::Turn => "This turn is not noted",
    };
    let message = format!(
        "{lost}: alongside is not where its hook starts it. Install it again, or take its hook out of the \
         settings of {}.",
        agent.display_name
    );
    // A shell reads this in quotation marks.
    let message = message.replace(['\'', '\\', '"', '$', '`'], " ");
    match agent.hook.guard {
        hook::Guard::Refusing if hook.registrations(agent, None).iter().any(|entry| entry.can_refuse) => {
            let [.., otherwise, end] = AROUND;
            let behind = format!("{otherwise}{{\"systemMessage\": \"{message}\"}}{end}");
            Guard::Around(&behind).around(program, &line)
        }
        hook::Guard::Refusing => line,
        hook::Guard::AllInAnyShell => {
            let [start, end] = BEFORE;
            let before = format!("{start}{{\\\"systemMessage\\\": \\\"{message}\\\"}}{end}");
            Guard::Before(&before).around(program, &line)
        }
    }
}

impl<'a> Guard<'a> {
    /// The line within a command, and its guard, if there is one. `None` for a guard with other commands.
    pub(super) fn split(command: &'a str) -> Option<(&'a str, Option<Self>)> {
        if let Some(rest) = command.strip_prefix(BEFORE[0]) {
            let (message, line) = rest.split_once(BEFORE[1])?;
            let marks = message.replace("\\\"", "");
            let before = command.strip_suffix(line)?;
            return (!marks.contains(['\'', '"', '\\', '$', '`']))
                .then_some((line, Some(Self::Before(before))));
        }
        let [looks, quietly, runs, otherwise, end] = AROUND;
        let Some(command) = command.strip_prefix(looks) else { return Some((command, None)) };
        let (looked_for, rest) = command.split_once(quietly)?;
        let (tested, rest) = rest.split_once(runs)?;
        let tested = if tested.is_empty() { looked_for } else { tested.strip_prefix(IS_THERE)? };
        let (line, behind) = rest.split_at(rest.rfind(otherwise)?);
        let message = behind.strip_prefix(otherwise)?.strip_suffix(end)?;
        // Quotes may hold anything that is a command elsewhere.
        let is_word = |text: &str| shell::unquoted(Os::Linux, text).is_some() || !has_other_command(text);
        let has_others = message.contains('\'') || !is_word(looked_for) || !is_word(tested);
        (!has_others).then_some((line, Some(Self::Around(behind))))
    }

    /// This guard around another line.
    pub(super) fn around(self, program: &str, line: &str) -> String {
        match self {
            Self::Before(before) => format!("{before}{line}"),
            Self::Around(behind) => {
                let [looks, quietly, runs, ..] = AROUND;
                let has_path = program.trim_matches(['"', '\'']).starts_with('/');
                let is_there = if has_path { format!("{IS_THERE}{program}") } else { String::new() };
                format!("{looks}{program}{quietly}{is_there}{runs}{line}{behind}")
            }
        }
    }
}

/// Whether a shell would run another command. `2>&1` is none.
pub(super) fn has_other_command(text: &str) -> bool {
    text.replace(">&", ">").contains([';', '&', '|', '\n', '`']) || text.contains("$(")
}
