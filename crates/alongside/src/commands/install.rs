//! `alongside install`.

mod list;

use std::process::ExitCode;

use alongside_agent::find::Surroundings;
use alongside_desk::harmless;

use super::agreeing::{self, Consent};
use super::completions::Names;
use crate::adapters::agents::{self, Agent};
use crate::adapters::change::{self, Ours};
use crate::adapters::ledger::Ledger;
use crate::adapters::machine::{self, Machine};
use crate::adapters::terminal::{self, Other, Terminal};
use crate::adapters::{Editor, Plan, State, helix, neovim};
use crate::failure::{self, failure};
use crate::globals::Globals;

/// Install alongside into an editor, or switch IDE mode on in the agents
///
/// Without a name it takes the editor whose terminal this is, or the only one on this machine. Everything
/// that would be written is shown first, and nothing is written without your consent. Files that you wrote
/// keep their comments, order and form, and a copy is kept beside them. What is there already is left as it
/// is, so it can be repeated at any time.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  alongside install neovim      the plugin, as a package of Neovim; init.lua stays as it is
  alongside install helix       a language server more, in languages.toml
  alongside install agent       switch IDE mode on in Gemini CLI and Qwen Code
  alongside install --list      what is here, and what is installed

Exit codes: 0 when it is installed, or was; 1 after an error, or a no; 2 without a terminal and
without --yes; 130 after Ctrl-C. `alongside uninstall` takes everything out again.")]
pub(crate) struct Args {
    /// neovim or helix; agent (both agents), gemini or qwen
    #[arg(value_name = "WHAT", value_parser = Names::Installed, hide_possible_values = true)]
    what: Option<String>,

    /// List the editors and agents of this machine, and what is installed in them
    #[arg(long, conflicts_with_all = ["what", "yes", "dry_run", "languages"])]
    list: bool,

    #[command(flatten)]
    consent: Consent,

    /// Helix: a language that gets alongside, beside the usual ones and those in languages.toml; may be
    /// repeated
    #[arg(long = "language", value_name = "NAME")]
    languages: Vec<String>,
}

/// What is to be installed.
enum Target {
    Editor(Editor),
    Agents(Vec<Agent>),
}

pub(crate) async fn run(args: Args, _: Globals) -> anyhow::Result<ExitCode> {
    let machine = Machine::of_this_process()?;
    if args.list {
        super::print(&list::text(&machine).await?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let target = match &args.what {
        Some(name) => named(name, &machine).await?,
        None => Target::Editor(guessed(&machine)?),
    };
    match target {
        Target::Editor(editor) => into_editor(editor, &args, &machine).await,
        Target::Agents(agents) => into_agents(&agents, &args, &machine).await,
    }
}

async fn named(name: &str, machine: &Machine) -> anyhow::Result<Target> {
    let name = name.to_lowercase();
    if let Some(editor) = Editor::named(&name) {
        return Ok(Target::Editor(editor));
    }
    if matches!(name.as_str(), "agent" | "agents") {
        let found = agents::found(machine, &Surroundings::of_this_process()?).await;
        return match found.is_empty() {
            false => Ok(Target::Agents(found)),
            true => Err(failure(
                "neither gemini nor qwen is on this machine's PATH",
                "install one first, or name the one whose settings to change: `alongside install gemini`",
            )),
        };
    }
    if let Some(agent) = agents::named(&name, machine, &Surroundings::of_this_process()?).await {
        return Ok(Target::Agents(vec![agent]));
    }
    if let Some(other) = Other::named(&name) {
        return Err(no_adapter(other));
    }
    let known = ["neovim", "helix", "agent", "gemini", "qwen"];
    let near = known.into_iter().find(|known| strsim::damerau_levenshtein(known, &name) <= 2);
    let what = format!("there is nothing to install for {:?}", harmless::name(&name));
    Err(match near {
        Some(near) => failure(what, format!("did you mean `alongside install {near}`?")),
        None => failure(
            what,
            "name neovim, helix, agent, gemini or qwen; any other editor with an LSP client takes `alongside lsp` as a language \
             server, and `alongside` in a terminal works beside all of them",
        ),
    })
}

fn no_adapter(other: Other) -> anyhow::Error {
    failure(format!("there is nothing to install for {}", other.name), other.instead)
}

/// The editor whose terminal this is, else the only one that is here.
fn guessed(machine: &Machine) -> anyhow::Result<Editor> {
    match terminal::here(machine) {
        Some(Terminal::Of(editor)) => {
            super::note(&format!("this is a terminal of {}", editor.name()));
            return Ok(editor);
        }
        Some(Terminal::OfOther(other)) => {
            let what = format!("this is a terminal of {}, for which there is nothing to install", other.name);
            let hint = format!("{}; or name another editor: `alongside install --list`", other.instead);
            return Err(failure(what, hint));
        }
        None => {}
    }
    let here: Vec<Editor> = Editor::ALL.into_iter().filter(|editor| editor.is_here(machine)).collect();
    match here[..] {
        [editor] => Ok(editor),
        [] => Err(failure(
            "neither Neovim nor Helix is on this machine",
            "any other editor with an LSP client takes `alongside lsp` as a language server, and `alongside` in a terminal \
             works beside all of them",
        )),
        _ => {
            let names: Vec<_> =
                here.iter().map(|editor| format!("`alongside install {}`", editor.id())).collect();
            Err(failure("several editors are here", format!("say which: {}", names.join(" or "))))
        }
    }
}

async fn into_editor(editor: Editor, args: &Args, machine: &Machine) -> anyhow::Result<ExitCode> {
    let mut ledger = Ledger::read(&machine.state)?;
    if let State::ByHand { at } = editor.state(machine, &ledger)? {
        super::print(&format!(
            "{} has alongside already, not from `alongside install`: {}\nNothing is changed. To have it installed, take that out first.\n",
            editor.name(),
            machine.shown(&at)
        ))?;
        return Ok(ExitCode::SUCCESS);
    }
    let found = editor.find(machine).await;
    let found = found.ok_or_else(|| {
        failure(
            format!("{} is not on this machine", editor.name()),
            "install it first; if it is there, add its directory to PATH",
        )
    })?;
    let oldest = editor.oldest();
    if let Some(version) = &found.version
        && machine::major_minor(version).is_some_and(|version| version < oldest)
    {
        let (what, needed) = (editor.name(), format!("{}.{:02}", oldest.0, oldest.1));
        return Err(failure(
            format!("{} is {what} {version}, which is too old", machine.shown(&found.program)),
            format!("{what} {needed} or newer works; `alongside` in a terminal works beside any"),
        ));
    }
    let name = match &found.version {
        Some(version) => format!("{} {}", editor.name(), harmless::name(version)),
        None => editor.name().to_owned(),
    };
    let plan = match editor {
        Editor::Neovim => neovim::plan(machine, &ledger)?,
        Editor::Helix => helix::plan(machine, &found, &args.languages).await?,
    };
    if plan.changes.is_empty() {
        plan.notes.iter().for_each(|note| super::note(note));
        super::print(&format!("{name} has alongside {}; nothing to do.\n", env!("CARGO_PKG_VERSION")))?;
        return Ok(ExitCode::SUCCESS);
    }
    show(&plan, args, machine, &format!("{name} ({})", machine.shown(&found.program)))?;
    if let Err(code) = args.consent.to(&format!("Install alongside into {}?", editor.name())).await {
        return Ok(code);
    }
    write(editor.id(), &plan, &mut ledger, machine)?;
    super::print(&format!(
        "{} has alongside. Start it again in a project, then an agent beside it.\n{}",
        editor.name(),
        next(machine).await
    ))?;
    Ok(ExitCode::SUCCESS)
}

async fn into_agents(agents: &[Agent], args: &Args, machine: &Machine) -> anyhow::Result<ExitCode> {
    let here = Surroundings::of_this_process()?;
    let mut ledger = Ledger::read(&machine.state)?;
    let (mut worst, mut is_only_shown) = (ExitCode::SUCCESS, false);
    for agent in agents {
        let version = agent.version.as_deref().map(|version| format!(" {}", harmless::name(version)));
        let name = format!("{}{}", agent.family.display_name, version.unwrap_or_default());
        let plan = match agent.plan(&here, machine) {
            Ok(plan) => plan,
            // What is wrong with one agent's file is no reason to leave the other's.
            Err(error) => {
                failure::print(&error.context(format!("{name} stays as it is")));
                worst = ExitCode::FAILURE;
                continue;
            }
        };
        if plan.changes.is_empty() {
            plan.notes.iter().for_each(|note| super::note(note));
            super::print(&format!("{name}: IDE mode is on; nothing to do.\n"))?;
            continue;
        }
        show(&plan, args, machine, &name)?;
        if args.consent.dry_run {
            is_only_shown = true;
            continue;
        }
        let question = format!("Switch IDE mode on in {}?", agent.family.display_name);
        match args.consent.to(&question).await {
            Ok(()) => {}
            // A no to one agent is none to the next.
            Err(code) if code == ExitCode::FAILURE => {
                worst = code;
                continue;
            }
            Err(code) => return Ok(code),
        }
        write(&agent.id(), &plan, &mut ledger, machine)?;
        super::print(&format!("{name}: IDE mode is on from its next start.\n"))?;
    }
    if is_only_shown {
        agreeing::only_shown();
    }
    Ok(worst)
}

fn show(plan: &Plan, args: &Args, machine: &Machine, into: &str) -> anyhow::Result<()> {
    let changes = change::shown(&plan.changes, machine, Ours::Come, args.consent.verbose);
    super::print(&format!("{into}:\n{changes}"))?;
    plan.notes.iter().for_each(|note| super::note(note));
    if let Some(summary) = &plan.summary {
        super::print(&format!("{summary}\n"))?;
    }
    Ok(())
}

/// Makes the changes and writes them down; neither without the other.
fn write(name: &str, plan: &Plan, ledger: &mut Ledger, machine: &Machine) -> anyhow::Result<()> {
    let done = change::make(&plan.changes, true)?;
    ledger.add(name, &plan.changes, done);
    ledger.write(&machine.state).inspect_err(|_| {
        for change in plan.changes.iter().rev() {
            // The first error is the one to tell.
            let _ = change::put(&change.path, change.before.as_deref());
        }
    })
}

/// What is still to be done, if an agent would not look for a companion.
async fn next(machine: &Machine) -> String {
    let Ok(here) = Surroundings::of_this_process() else { return String::new() };
    let off = agents::found(machine, &here)
        .await
        .into_iter()
        .filter(|agent| agent.settings(&here).is_some_and(|settings| !settings.ide_enabled.value));
    let names: Vec<_> = off.map(|agent| agent.family.display_name).collect();
    match names.is_empty() {
        true => String::new(),
        false => {
            format!("IDE mode is off in {}: `alongside install agent`.\n", names.join(" and "))
        }
    }
}
