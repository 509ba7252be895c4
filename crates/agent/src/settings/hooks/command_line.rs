//! The command line of a hook. It is ours also if a person has put a wrapper such as `nice` or an assignment
//! before our program, or options and a redirection after it, and also within a guard.

use std::path::Path;
use std::time::Duration;

use alongside_contract::agent::HookAgent;
use alongside_contract::hook::WindowsShell;
use alongside_platform::{Os, shell};

use super::guard::{Guard, guarded, has_other_command};
use super::registration::OurHook;

/// The last argument of the waiter.
const WAITER_ARGUMENT: &str = " --wait";

/// Returns the command line of the waiter, given that of the turn hook.
pub(super) fn waiter_command(command: &str) -> String {
    format!("{command}{WAITER_ARGUMENT}")
}

/// Whether a command line of ours starts the waiter.
pub(super) fn is_waiter(command: &str, agent: HookAgent) -> bool {
    CommandLine::of(command, agent).is_some_and(|line| line.is_waiter)
}

/// Returns the arguments of our program in a hook of this agent.
fn arguments(agent: HookAgent, hook: OurHook) -> String {
    format!(" {} {}", hook.argument(), agent.id)
}

/// Returns the command line of a hook.
pub(super) fn command(os: Os, program: &str, agent: HookAgent, hook: OurHook) -> String {
    let program = &quoted(os, program, agent);
    let line = format!("{program}{}", arguments(agent, hook));
    match os {
        Os::Linux | Os::MacOs => guarded(program, line, agent, hook),
        // A shell other than the usual one may read the line, and no guard works in every shell.
        Os::Windows => line,
    }
}

/// Quotes the program for the shell that runs the hook.
fn quoted(os: Os, program: &str, agent: HookAgent) -> String {
    if os != Os::Windows {
        return shell::quoted(os, program);
    }
    match agent.hook.windows_shell {
        // Bash and PowerShell both take such a path, and no backslash is lost. PowerShell does not run a
        // program in quotation marks.
        WindowsShell::BashIfThere { .. } => {
            let program = program.replace('\\', "/");
            let plain = shell::quoted(os, &program);
            if plain == program { plain } else { in_bash_quotes(&program) }
        }
        WindowsShell::PowerShell => match shell::quoted(os, program) {
            plain if plain == program => plain,
            _ => format!("{CALL}{}", shell::in_powershell_quotes(program)),
        },
        WindowsShell::Cmd => shell::quoted(os, program),
    }
}

fn in_bash_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns the line of an entry with its program and arguments in separate fields, as a shell of Unix would
/// read it.
pub(super) fn line_of(program: &str, arguments: &[String]) -> String {
    let words = std::iter::once(program).chain(arguments.iter().map(String::as_str));
    words.map(|word| shell::quoted(Os::Linux, word)).collect::<Vec<_>>().join(" ")
}

/// Splits a line into the program and its arguments. Returns `None` for a line with additions of a person.
pub(super) fn apart(command: &str, agent: HookAgent) -> Option<(String, Vec<String>)> {
    let line = CommandLine::of(command, agent).filter(|line| !line.is_changed() && line.guard.is_none())?;
    let arguments = command.rsplit_once(line.program)?.1;
    let arguments = arguments.split_whitespace().map(ToOwned::to_owned).collect();
    Some((shell::unquoted(Os::Linux, line.program)?, arguments))
}

/// PowerShell's operator that runs a quoted word.
const CALL: &str = "& ";

/// Returns the hook of ours that a command line starts: a program with our program's name is followed by our
/// arguments, and no other command comes after them.
pub fn hook_of(command: &str, agent: HookAgent) -> Option<OurHook> {
    CommandLine::of(command, agent).map(|line| line.hook)
}

/// Whether a command line of ours has a guard: without the program, it lets the agent continue and shows the
/// person a message.
pub fn has_guard(command: &str, agent: HookAgent) -> bool {
    CommandLine::of(command, agent).is_some_and(|line| line.guard.is_some())
}

/// The parts of a command line of ours.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommandLine<'a> {
    /// The hook of ours that it starts.
    hook: OurHook,
    /// Whether the hook is the waiter.
    is_waiter: bool,
    /// The words that a person has put before the program.
    before: &'a str,
    /// The program as the line has it.
    pub(super) program: &'a str,
    /// The words that a person has put after our arguments.
    behind: &'a str,
    /// Whether the whole line is a single word of another command, as in `sh -c '…'`.
    is_in_quotes: bool,
    /// The guard around the line, if there is one.
    guard: Option<Guard<'a>>,
}

impl<'a> CommandLine<'a> {
    pub(super) fn of(command: &'a str, agent: HookAgent) -> Option<Self> {
        match Guard::split(command.trim())? {
            (line, None) => Self::plain(line, agent),
            (line, guard) => Some(Self { guard, ..Self::plain(line, agent)? }),
        }
    }

    /// Parses a command line without a guard.
    fn plain(command: &'a str, agent: HookAgent) -> Option<Self> {
        OurHook::ALL.into_iter().find_map(|hook| Self::of_hook(command, agent, hook))
    }

    fn of_hook(command: &'a str, agent: HookAgent, hook: OurHook) -> Option<Self> {
        let (start, behind) = command.trim_end().rsplit_once(arguments(agent, hook).as_str())?;
        let start = start.trim_end();
        let (is_waiter, behind) = match behind.strip_prefix(WAITER_ARGUMENT) {
            Some(rest) if hook == OurHook::Turn => (true, rest),
            _ => (false, behind),
        };
        let (begin, quote) = match start.strip_prefix(CALL) {
            Some(called) if last_word(called).0 == 0 => (0, None),
            _ => last_word(start),
        };
        let (before, program) = start.split_at(begin);
        let is_end = |c: char| c.is_whitespace() || Some(c) == quote;
        if !behind.is_empty() && !behind.starts_with(is_end) || !keeps_our_answer(behind) || !runs(before) {
            return None;
        }
        let name = program.trim_start_matches(CALL).trim_matches(['"', '\'']);
        let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let is_named_like_ours = name == "alongside" || name == "alongside.exe";
        let is_in_quotes = quote.is_some();
        is_named_like_ours.then_some(Self {
            hook,
            is_waiter,
            before,
            program,
            behind,
            is_in_quotes,
            guard: None,
        })
    }

    /// Whether a person has added something.
    pub(super) fn is_changed(&self) -> bool {
        !self.before.trim().is_empty() || !self.behind.trim().is_empty()
    }

    /// Returns the time that an option of the line lets the hook wait.
    pub(super) fn timeout(&self) -> Option<Duration> {
        let mut words = self.behind.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
        let word = words.find(|word| word.starts_with("--timeout"))?;
        let seconds = word.strip_prefix("--timeout=").or_else(|| words.next())?;
        seconds.parse().ok().map(Duration::from_secs)
    }

    /// Returns the command line that starts the program of `new`, with its guard. The person's additions
    /// stay, and so does a program that is found in PATH or through a variable. A line with words before the
    /// program gets no guard, because they may run the program elsewhere.
    pub(super) fn with_program_of(&self, new: &Self, agent: HookAgent) -> String {
        let path = self.program.trim_start_matches(CALL).trim_matches(['"', '\'']);
        let has_path = Path::new(path).is_absolute();
        let is_replaced = has_path && !self.is_in_quotes;
        let program = if is_replaced { new.program } else { self.program };
        let waiter = if self.is_waiter { WAITER_ARGUMENT } else { "" };
        let arguments = arguments(agent, self.hook);
        let line = format!("{}{program}{arguments}{waiter}{}", self.before, self.behind);
        match self.guard.or(new.guard.filter(|_| is_replaced && self.before.is_empty())) {
            Some(guard) => guard.wrap(program, &line),
            None => line,
        }
    }
}

/// Programs that run the command in their arguments.
const WRAPPERS: [&str; 17] = [
    "bash",
    "chrt",
    "command",
    "dash",
    "doas",
    "env",
    "exec",
    "ionice",
    "nice",
    "sh",
    "stdbuf",
    "sudo",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "zsh",
];

/// Whether these words before a command run it: assignments, and wrappers with their options and numbers.
/// `true`, `echo` and `#` do not run it, and the scripts of others may not.
fn runs(before: &str) -> bool {
    let is_assignment = |word: &str| {
        word.split_once('=').is_some_and(|(name, _)| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
    };
    let is_plain = |word: &str| {
        let program = word.rsplit('/').next().unwrap_or_default();
        word.is_empty()
            || word.starts_with('-')
            || is_assignment(word)
            || word.chars().all(|c| c.is_ascii_digit() || ['.', ','].contains(&c))
            || WRAPPERS.contains(&program)
    };
    !has_other_command(before) && words(before).iter().all(|word| is_plain(word))
}

/// Splits a text into words as a shell does, without their quotation marks. The words after an open mark
/// count too.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut open) = (Vec::new(), String::new(), None);
    for (index, c) in text.char_indices() {
        match (open, c) {
            (None, '"' | '\'') => open = Some((index, c)),
            (Some((_, quote)), c) if c == quote => open = None,
            (None, c) if c.is_whitespace() => words.push(std::mem::take(&mut word)),
            _ => word.push(c),
        }
    }
    match open {
        Some((index, _)) => words.extend(self::words(&text[index + 1..])),
        None => words.push(word),
    }
    words
}

/// Whether the words after our arguments leave the agent our answer, and our program its input.
fn keeps_our_answer(behind: &str) -> bool {
    let is_plain = |word: &str| {
        let asks_for_help = ["-h", "--help", "-V", "--version"].contains(&word.trim_matches(['"', '\'']));
        let redirects = word.contains('<') || word.contains('>') && !word.starts_with("2>");
        !asks_for_help && !redirects
    };
    !has_other_command(behind) && behind.split_whitespace().all(is_plain)
}

/// Returns the start of the last word, and the quotation mark that is open there.
fn last_word(text: &str) -> (usize, Option<char>) {
    let (mut begin, mut open) = (0, None);
    let mut chars = text.char_indices();
    while let Some((index, c)) = chars.next() {
        match (open, c) {
            (None, '"' | '\'') => open = Some((index, c)),
            (Some((_, quote)), c) if c == quote => open = None,
            (None | Some((_, '"')), '\\') => drop(chars.next()),
            (None, c) if c.is_whitespace() => begin = index + c.len_utf8(),
            _ => {}
        }
    }
    match open {
        None => (begin, None),
        // The line within the quotation marks.
        Some((index, quote)) => (index + 1 + last_word(&text[index + 1..]).0, Some(quote)),
    }
}
