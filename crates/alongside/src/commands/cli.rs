//! The command line, which makes the parser, the completions and the manual pages.

use std::borrow::Cow;
use std::io::Write as _;
use std::process::ExitCode;

use alongside_common::globals::Globals;
use alongside_common::similar_name::nearest;
use alongside_desk::harmless;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser, Subcommand};

use super::{
    check, comments, completions, demo, desk, doctor, drafts, env, hook, host, install, lists, log, lsp, man,
    review, run, status, stdio, turn, turns, uninstall,
};

/// The version, with the commit and its date if the program was built from a checkout.
const VERSION: &str = env!("ALONGSIDE_VERSION");

/// The IDE companion for every editor
///
/// Coding agents such as Claude Code, Gemini CLI and Qwen Code find alongside by themselves. They learn which
/// files you have open, and you review each change that they propose: read it, edit it, and accept or reject
/// it. The agent writes the file; alongside never does.
///
/// Without a command, alongside opens the review desk of a project. Start your agent in another terminal of
/// the project. To see it all first, run `alongside demo`.
#[derive(Debug, Parser)]
#[command(
    version = VERSION,
    max_term_width = 100,
    override_usage = "alongside [OPTIONS] [DIR]...\n       alongside [OPTIONS] <COMMAND>"
)]
pub(crate) struct Cli {
    #[command(flatten)]
    desk: desk::Args,

    #[command(flatten)]
    pub(crate) globals: Globals,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Review(review::Args),
    Run(run::Args),
    Env(env::Args),
    Status(status::Args),
    Stdio(stdio::Args),
    Drafts(drafts::Args),
    Demo(demo::Args),
    Log(log::Args),
    Lsp(lsp::Args),
    Hook(hook::Args),
    Turn(turn::Args),
    Turns(turns::Args),
    Comments(comments::Args),
    Host(host::Args),
    Check(check::Args),
    Doctor(doctor::Args),
    Install(install::Args),
    Uninstall(uninstall::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Returns the command that is most similar to a mistyped word.
fn similar_command(word: &str) -> Option<String> {
    let commands = Cli::command();
    let shown = commands.get_subcommands().filter(|command| !command.is_hide_set());
    nearest(word, shown.map(clap::Command::get_name)).map(str::to_owned)
}

/// Adds an example to the error of a command whose argument is missing.
fn with_example(mut error: clap::Error) -> clap::Error {
    let missing = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(missing)) => missing.as_slice(),
        _ => &[],
    };
    let tip = match missing {
        [argument] if argument == run::AGENT => "name the agent, as in `alongside run -- gemini`".to_owned(),
        [argument] if argument == uninstall::WHAT => format!(
            "name neovim, helix, agent, {}, or remove everything with `alongside uninstall --all`",
            lists::agents("or")
        ),
        _ => return error,
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    error
}

/// Returns the error of `alongside uninstall` without a name if nobody can be asked for one.
fn missing_uninstall_target() -> clap::Error {
    let mut cli = Cli::command();
    cli.build();
    let mut error = clap::Error::new(ErrorKind::MissingRequiredArgument);
    if let Some(command) = cli.find_subcommand_mut("uninstall") {
        error = error.with_cmd(command);
        error.insert(ContextKind::Usage, ContextValue::StyledStr(command.render_usage()));
    }
    error.insert(ContextKind::InvalidArg, ContextValue::Strings(vec![uninstall::WHAT.into()]));
    with_example(error)
}

impl Cli {
    /// Parses the arguments of this process.
    ///
    /// # Errors
    /// If the arguments are wrong, or ask for help or the version.
    pub(crate) fn parse_arguments() -> Result<Self, clap::Error> {
        let cli = Self::try_parse().map_err(with_example)?;
        if cli.command.is_some() && cli.desk.any_given() {
            let message = "arguments of the desk precede a command; write a directory that is named like a \
                           command as ./NAME";
            return Err(Self::command().error(ErrorKind::ArgumentConflict, message));
        }
        if let Some(Command::Uninstall(args)) = &cli.command
            && args.lacks_target()
        {
            return Err(missing_uninstall_target());
        }
        if cli.command.is_none()
            && let Some(word) = cli.desk.missing_word()
            && let Some(command) = similar_command(word)
        {
            let message = format!(
                "there is no directory \"{word}\"; did you mean the command \"{command}\"?\n\n  \
                 alongside {command}"
            );
            return Err(Self::command().error(ErrorKind::InvalidSubcommand, message));
        }
        Ok(cli)
    }

    /// Whether this process becomes a host, which has no terminal.
    pub(crate) fn is_host(&self) -> bool {
        matches!(&self.command, Some(Command::Host(args)) if args.serves())
    }

    /// Whether this process is a hook. The agent takes every exit code but one for permission.
    pub(crate) fn is_hook(&self) -> bool {
        matches!(self.command, Some(Command::Hook(_)))
    }

    /// Whether this process is a turn hook. After another exit code than 0, an agent may work on.
    pub(crate) fn is_turn(&self) -> bool {
        matches!(self.command, Some(Command::Turn(_)))
    }

    /// Whether this process starts an agent, which is a program of the person.
    pub(crate) fn is_run(&self) -> bool {
        matches!(self.command, Some(Command::Run(_)))
    }

    /// Runs the command, or the terminal desk.
    ///
    /// # Errors
    /// If the command fails.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        let globals = self.globals;
        let Some(command) = self.command else { return desk::run(self.desk, globals).await };
        match command {
            Command::Review(args) => review::run(args, globals).await,
            Command::Run(args) => run::run(args, globals).await,
            Command::Env(args) => env::run(&args).await,
            Command::Status(args) => status::run(&args).await,
            Command::Stdio(args) => stdio::run(args, globals).await,
            Command::Drafts(args) => drafts::run(args).await,
            Command::Demo(args) => demo::run(&args).await,
            Command::Log(args) => log::run(&args).await,
            Command::Lsp(args) => lsp::run(args, globals).await,
            Command::Hook(args) => Ok(hook::run(args).await),
            Command::Turn(args) => Ok(turn::run(args).await),
            Command::Turns(args) => turns::run(args).await,
            Command::Comments(args) => comments::run(args).await,
            Command::Host(args) => host::run(args, globals).await,
            Command::Check(args) => check::run(args, globals).await,
            Command::Doctor(args) => doctor::run(args, globals).await,
            Command::Install(args) => install::run(args).await,
            Command::Uninstall(args) => uninstall::run(args).await,
            Command::Completions(args) => completions::run(&args, &Self::command()),
            Command::Man(args) => man::run(&args, Self::command()),
        }
    }
}

/// Prints a usage error of clap. Escapes the arguments in it, which may be file names that a shell has
/// expanded.
pub(crate) fn print_usage_error(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    match harmless::text(&text) {
        Cow::Borrowed(_) => drop(error.print()),
        Cow::Owned(safe) => drop(std::io::stderr().lock().write_all(safe.as_bytes())),
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

#[cfg(test)]
mod tests {
    use alongside_testing::pages::{self, Page};

    use super::*;

    /// Replaces a placeholder of a page by a word that a reader could type.
    fn without_placeholder(word: &str) -> &str {
        match word {
            "AGENT" => "claude",
            "COMMAND" => "review",
            "NAME" => "vim",
            word => word,
        }
    }

    /// Returns the reason why a text is not a command of the program.
    fn fault(command: &pages::Command) -> Option<String> {
        let words = &command.words;
        let words: Vec<&str> =
            words.iter().map(|word| without_placeholder(word.trim_matches(['[', ']']))).collect();
        let parsed = Cli::try_parse_from(["alongside"].iter().chain(&words));
        match parsed {
            Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => None,
            Err(error) if !command.is_line && error.kind() == ErrorKind::MissingRequiredArgument => None,
            Err(error) => error.to_string().lines().next().map(str::to_owned),
            // The parser takes a word that is not a command for a directory.
            Ok(Cli { command: None, .. }) => {
                let is_command = |word: &str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
                let first = words.first().filter(|word| is_command(word) && !word.starts_with('-'));
                first.map(|word| format!("{word} is no command"))
            }
            Ok(_) => None,
        }
    }

    /// Returns the help of each command as a page.
    fn help_pages() -> Vec<Page> {
        let help = |command: &clap::Command| {
            let text = command.get_after_help().or(command.get_after_long_help());
            Page::parse(
                command.get_name().to_owned(),
                format!("```\n{}\n```\n", text.cloned().unwrap_or_default()),
            )
        };
        Cli::command().get_subcommands().map(help).collect()
    }

    #[test]
    fn every_command_of_a_page_and_of_the_help_exists() {
        let (mut wrong, mut count) = (Vec::new(), 0);
        for page in pages::pages().into_iter().chain(help_pages()) {
            for command in page.commands("alongside") {
                count += 1;
                let line = command.words.join(" ");
                wrong.extend(fault(&command).map(|why| format!("{}: alongside {line}: {why}", page.path)));
            }
        }
        assert!(count > 300, "only {count} commands were found");
        assert!(wrong.is_empty(), "commands that do not exist:\n{}", wrong.join("\n"));
    }

    #[test]
    fn every_command_stands_on_the_page_of_commands() {
        let all = pages::pages();
        let page = all.iter().find(|page| page.path == "docs/commands.md").unwrap();
        let cli = Cli::command();
        let shown = cli.get_subcommands().filter(|command| !command.is_hide_set());
        let missing: Vec<&str> =
            shown.map(clap::Command::get_name).filter(|name| !page.has_code(name)).collect();
        assert!(missing.is_empty(), "docs/commands.md lacks {}", missing.join(", "));
    }

    #[test]
    fn unknown_commands_and_options_are_faults() {
        let fault = |line: &str, is_line| {
            fault(&pages::Command { words: line.split(' ').map(str::to_owned).collect(), is_line })
        };
        for right in ["review", "review --since REV", "[DIR …]", "~/api", "hook AGENT", "run -- gemini -m x"]
        {
            assert_eq!(fault(right, true), None, "{right}");
        }
        for wrong in ["reviews", "review --sinc", "hook nobody", "--nothing"] {
            assert!(fault(wrong, false).is_some(), "{wrong}");
        }
        assert!(fault("hook", true).is_some(), "a line that people copy");
        assert_eq!(fault("hook", false), None, "a sentence about the command");
    }
}
