//! `alongside install`: installs adapters into editors, and sets agents up.

mod agents;
mod choice;
mod list;
mod passing_program;
mod target;

use std::process::ExitCode;

use alongside_adapters::agents::{VersionedAgent, find_agents};
use alongside_adapters::editor::{Editor, Request};
use alongside_adapters::ledger::Ledger;
use alongside_adapters::plan::{AdapterState, EditorProgram};
use alongside_adapters::user_environment::{UserEnvironment, major_minor};
use alongside_adapters::vscode;
use alongside_agent::find::Surroundings;
use alongside_common::failure::failure;
use alongside_common::own_program::own_program;
use alongside_desk::harmless;

use super::completions::Names;
use super::consent::ConsentOptions;
use super::{lists, note, print};
use agents::HookArgs;
use target::Target;

/// Install alongside into an editor, or set the agents up
///
/// Without a name it takes the editor whose terminal this is, or the only one on this machine, or asks which
/// one. It shows every change first, and changes nothing without your consent. Your files keep their
/// comments, order and formatting, and a copy is kept beside them. You can run it again at any time: it
/// leaves alone what is installed already.
///
/// In agents it recommends IDE mode, and a review after each turn: the agent runs `alongside turn` at your
/// prompt and at the end of its work, so that your desk can show all that changed. It also offers to ask
/// before each write: the agent runs `alongside hook`, and the changes that it makes without asking come to
/// your desk where a companion serves the project; elsewhere nothing changes. --yes takes the recommendation.
#[derive(Debug, clap::Args)]
#[command(after_help = examples())]
pub(crate) struct Args {
    #[arg(
        value_name = "WHAT",
        help = targets_help(),
        value_parser = Names::Installed,
        hide_possible_values = true
    )]
    what: Option<String>,

    /// List the editors and agents of this machine, and what is installed in them
    #[arg(long, conflicts_with_all = ["what", "yes", "dry_run", "languages", "hook", "turns", "project"])]
    list: bool,

    #[command(flatten)]
    consent: ConsentOptions,

    /// Helix, Kate: another language that gets alongside, beside the usual ones and those in your settings;
    /// in Kate it takes the place of that language's server; may be repeated
    #[arg(long = "language", value_name = "NAME")]
    languages: Vec<String>,

    #[command(flatten)]
    hook: HookArgs,
}

fn targets_help() -> String {
    format!("{}; agent (all agents), {}", lists::editors(), lists::agents("or"))
}

fn examples() -> String {
    format!(
        "\
Examples:
  alongside install neovim      the plugin, as a package of Neovim; init.lua stays as it is
  alongside install emacs       the package, for package.el; init.el stays as it is
  alongside install vim         the plugin, as a package of Vim; vimrc stays as it is
  alongside install kakoune     a script, and lines in kakrc that load it
{vscode}
  alongside install helix       a language server, in languages.toml
  alongside install kate        a language server, in the settings of its LSP client
{agent}
  alongside install agent --yes
                                the recommendation, without a question
  alongside install codex --hook
                                ask before each write, without a question
  alongside install --list      the editors and agents here, and what is installed

Exit codes: 0 if it is installed now; 1 after an error, or a no; 2 without a terminal and
without --yes; 130 after Ctrl-C. `alongside uninstall` removes it again.",
        vscode = lists::example(
            "alongside install vscode",
            32,
            &format!(
                "an extension, by `code --install-extension`; also into {}",
                lists::editors_like_vscode()
            ),
        ),
        agent = lists::example("alongside install agent", 32, &lists::effect_on_agents()),
    )
}

pub(crate) async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let user = UserEnvironment::of_this_process()?;
    if args.list {
        print(&list::text(&user).await?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let target = match &args.what {
        Some(name) => Target::named(name, &user).await?,
        None => match target::editor_of_terminal(&user, args.consent.yes).await? {
            Ok(editor) => Target::Editor(editor),
            Err(no) => return Ok(no.exit_code()),
        },
    };
    if let Some(warning) = passing_program::warning(&own_program()) {
        note(&warning);
    }
    match target {
        Target::Editor(editor) if args.hook.any() => Err(failure(
            format!("{} runs no hooks: --hook, --turns and --project are for agents", editor.name),
            "name an agent: `alongside install claude --hook`",
        )),
        Target::Editor(editor) => install_into_editor(editor, &args, &user).await,
        Target::Agents(targets) => agents::set_up(&targets, args.hook, args.consent, &user).await,
    }
}

async fn install_into_editor(
    editor: &Editor,
    args: &Args,
    user: &UserEnvironment,
) -> anyhow::Result<ExitCode> {
    let mut ledger = Ledger::read(&user.state)?;
    let installed = ledger.get(editor.id);
    if let AdapterState::ByHand { at } = (editor.state)(editor, user, installed)? {
        print(&format!(
            "{} has alongside already, but not from `alongside install`: {}\n\
             Nothing is changed. Remove that first to install this.\n",
            editor.name,
            user.shown(&at)
        ))?;
        return Ok(ExitCode::SUCCESS);
    }
    let program = supported_program(editor, user).await?;
    let request = Request { editor, user, program: &program, installed, languages: &args.languages };
    let plan = (editor.plan)(request).await?;
    let name = match &program.version {
        Some(version) => format!("{} {}", editor.name, harmless::name(version)),
        None => editor.name.to_owned(),
    };
    if plan.is_empty() {
        for text in &plan.notes {
            note(text);
        }
        print(&format!("{name} has alongside {}; nothing to do.\n", env!("CARGO_PKG_VERSION")))?;
        return Ok(ExitCode::SUCCESS);
    }
    args.consent.show(&plan, user, &format!("{name} ({})", user.shown(&program.path)))?;
    let question = format!("Install alongside into {}?", editor.name);
    if let Err(no) = args.consent.obtain(&question, "nothing is changed").await {
        return Ok(no.exit_code());
    }
    if let Some(extension) = &plan.extension {
        note(&format!("{} installs the extension", user.shown(&program.path)));
        vscode::install(&program.path, extension).await?;
    }
    ledger.make(editor.id, &plan, &user.state)?;
    let next = ide_mode_hint(user).await;
    print(&format!("Installed. {}, then start your agent.\n{next}", editor.restart))?;
    Ok(ExitCode::SUCCESS)
}

/// Finds the editor's program.
///
/// # Errors
/// If the program is not on this machine, or too old for the adapter.
async fn supported_program(editor: &Editor, user: &UserEnvironment) -> anyhow::Result<EditorProgram> {
    let name = editor.name;
    let program = editor.program(user).await.ok_or_else(|| {
        failure(
            format!("{name} is not on this machine"),
            "install it first; if it is installed, add its directory to PATH",
        )
    })?;
    if let Some(version) = &program.version
        && major_minor(version).is_some_and(|version| Some(version) < major_minor(editor.oldest))
    {
        return Err(failure(
            format!("{} is {name} {version}, which is too old", user.shown(&program.path)),
            format!(
                "update to {name} {} or newer, or use `alongside` in a terminal beside it",
                editor.oldest
            ),
        ));
    }
    Ok(program)
}

/// Returns the next step for the person if IDE mode is off in an agent, and else an empty text.
async fn ide_mode_hint(user: &UserEnvironment) -> String {
    let Ok(here) = Surroundings::of_this_process() else { return String::new() };
    let is_off =
        |agent: &VersionedAgent| agent.settings(&here).is_some_and(|settings| !settings.ide_enabled.value);
    let agents = find_agents(user, &here).await.into_iter().filter(is_off);
    let names: Vec<_> = agents.map(|agent| agent.row.display_name).collect();
    if names.is_empty() {
        return String::new();
    }
    format!("IDE mode is off in {}. Switch it on: `alongside install agent`.\n", names.join(" and "))
}
