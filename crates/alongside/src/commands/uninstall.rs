//! `alongside uninstall`.

mod traces;

use std::process::ExitCode;

use alongside_companion::Places;
use alongside_companion::drafts::Drafts;
use alongside_desk::harmless;
use anyhow::Context as _;

use super::agreeing::Consent;
use super::completions::Names;
use crate::adapters::change::{self, Change, Ours};
use crate::adapters::ledger::{Installed, Ledger};
use crate::adapters::machine::Machine;
use crate::adapters::{self, Editor, Rest, State};
use crate::failure::failure;
use crate::globals::Globals;
use crate::host;
use traces::Traces;

/// Take out what `alongside install` put in
///
/// A file that nobody has changed since is byte for byte what it was before. From one that was changed only
/// what was put in is taken out. Everything that would be changed is shown first.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  alongside uninstall helix         languages.toml and config.toml are what they were
  alongside uninstall agent         IDE mode is what it was in Gemini CLI and Qwen Code
  alongside uninstall --all         everything, and what alongside itself has left behind

Exit codes: 0; 1 after an error, or a no; 2 without a terminal and without --yes; 130 after Ctrl-C.")]
pub(crate) struct Args {
    /// neovim or helix; agent (both agents), gemini or qwen
    #[arg(
        value_name = "WHAT",
        required_unless_present = "all",
        value_parser = Names::Installed,
        hide_possible_values = true
    )]
    what: Option<String>,

    /// Everything that was installed, and the files of companions that are gone, sockets and logs
    #[arg(long, conflicts_with = "what")]
    all: bool,

    #[command(flatten)]
    consent: Consent,

    /// With --all: delete the drafts too, texts that you typed; --yes alone keeps them
    #[arg(long, requires = "all")]
    drafts: bool,
}

pub(crate) async fn run(args: Args, _: Globals) -> anyhow::Result<ExitCode> {
    let machine = Machine::of_this_process()?;
    let mut ledger = Ledger::read(&machine.state)?;
    let names = match &args.what {
        None => ledger.names(),
        Some(what) => names(what, &machine, &ledger)?,
    };
    let out: Vec<TakenOut> = names
        .iter()
        .filter_map(|name| Some((name, ledger.get(name)?)))
        .map(|(name, installed)| TakenOut::of(name, installed))
        .collect::<anyhow::Result<_>>()?;
    for out in &out {
        show(out, &machine, args.consent.verbose)?;
    }
    if !out.is_empty() {
        say_who_runs(&names).await;
    }
    let traces = if args.all { Some(Traces::look(&machine).await) } else { None };
    if let Some(traces) = &traces {
        super::print(&traces.shown(&machine))?;
        by_hand(&machine, &ledger);
    }
    if out.is_empty() && traces.as_ref().is_none_or(Traces::is_empty) {
        super::print("There is nothing to take out.\n")?;
    } else {
        if let Err(code) = args.consent.to("Take this out?").await {
            return Ok(code);
        }
        for out in out {
            out.take(&mut ledger, &machine)?;
        }
        if let Some(traces) = traces {
            traces.remove()?;
        }
        super::print("Done.\n")?;
    }
    if args.all { drafts(&args).await } else { Ok(ExitCode::SUCCESS) }
}

/// The names under which that is written down; it is an error if nothing is.
fn names(what: &str, machine: &Machine, ledger: &Ledger) -> anyhow::Result<Vec<String>> {
    let what = what.to_lowercase();
    let editor = Editor::named(&what);
    let is_meant = |name: &String| match (editor, what.as_str()) {
        (Some(editor), _) => name == editor.id(),
        (None, "agent" | "agents") => name.starts_with("agent:"),
        (None, agent) => name.strip_prefix("agent:") == Some(agent),
    };
    let names: Vec<String> = ledger.names().into_iter().filter(is_meant).collect();
    if !names.is_empty() {
        return Ok(names);
    }
    if let Some(editor) = editor
        && let State::ByHand { at } = editor.state(machine, ledger)?
    {
        let at = machine.shown(&at);
        return Err(failure(
            format!("alongside in {} is not from `alongside install`: {at}", editor.name()),
            "take it out by hand",
        ));
    }
    let there = ledger.names().join(", ");
    let there = if there.is_empty() { "nothing".to_owned() } else { there };
    Err(failure(
        format!("nothing was installed for {:?}", harmless::name(&what)),
        format!("installed: {there}; `alongside install --list` shows more"),
    ))
}

/// What uninstalling one adapter does.
struct TakenOut {
    name: String,
    installed: Installed,
    changes: Vec<Change>,
    /// Files that stay as they are, and why.
    kept: Vec<(std::path::PathBuf, String)>,
}

impl TakenOut {
    fn of(name: &str, installed: &Installed) -> anyhow::Result<Self> {
        let mut out =
            Self { name: name.into(), installed: installed.clone(), changes: Vec::new(), kept: Vec::new() };
        for written in &installed.files {
            let Some(now) = change::read(&written.path)? else { continue };
            let after = match adapters::take_out(name, written, &now)
                .with_context(|| format!("cannot take alongside out of {}", written.path.display()))?
            {
                Rest::Text(rest) => Some(rest),
                Rest::Nothing => None,
                Rest::Kept(why) => {
                    out.kept.push((written.path.clone(), why));
                    continue;
                }
            };
            if after.as_ref() != Some(&now) {
                let is_theirs = Editor::named(name) != Some(Editor::Neovim);
                out.changes.push(Change { path: written.path.clone(), before: Some(now), after, is_theirs });
            }
        }
        Ok(out)
    }

    fn take(self, ledger: &mut Ledger, machine: &Machine) -> anyhow::Result<()> {
        change::make(&self.changes, false)?;
        for backup in &self.installed.backups {
            let of = self.installed.files.iter().find(|file| change::backup_of(&file.path) == *backup);
            let is_as_it_was = change::read(backup)
                .is_ok_and(|now| now.is_some() && now == of.and_then(|file| file.before.clone()));
            if is_as_it_was {
                change::put(backup, None)?;
            }
        }
        change::remove_empty(&self.installed.directories);
        ledger.remove(&self.name);
        ledger.write(&machine.state)
    }
}

fn show(out: &TakenOut, machine: &Machine, all: bool) -> anyhow::Result<()> {
    super::print(&format!(
        "{}:\n{}",
        adapters::name_of(&out.name),
        change::shown(&out.changes, machine, Ours::Go, all)
    ))?;
    for (path, why) in &out.kept {
        super::note(&format!("{} stays: {why}", machine.shown(path)));
    }
    Ok(())
}

/// Says which editors run that have loaded what is taken out.
async fn say_who_runs(names: &[String]) {
    for owner in host::reports().await.into_iter().filter_map(|report| report.owner) {
        if names.contains(&owner.name) {
            let name = harmless::name(&owner.display_name);
            super::note(&format!("{name} (process {}) runs and has it until it is closed", owner.pid));
        }
    }
}

/// Says what is there and was not installed by us.
fn by_hand(machine: &Machine, ledger: &Ledger) {
    for editor in Editor::ALL {
        if let Ok(State::ByHand { at }) = editor.state(machine, ledger) {
            super::note(&format!("{} stays: it is not from `alongside install`", machine.shown(&at)));
        }
    }
}

/// Drafts are what a person typed: they go only if they say so.
async fn drafts(args: &Args) -> anyhow::Result<ExitCode> {
    let drafts = Drafts::open(&Places::of_this_process());
    drafts.settle();
    let all = drafts.list().with_context(|| format!("cannot read {}", drafts.directory().display()))?;
    if all.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let count = all.len();
    let many = if count == 1 { "a draft".to_owned() } else { format!("{count} drafts") };
    if args.consent.dry_run && !args.drafts {
        return Ok(ExitCode::SUCCESS);
    }
    let verb = if count == 1 { "stays" } else { "stay" };
    let stay = format!("{many} {verb}: `alongside drafts` shows what you typed, --drafts deletes it");
    // What cannot be had back is named before anything is asked.
    if args.drafts || !args.consent.yes {
        super::print("What you typed and no agent took:\n")?;
        for draft in &all {
            let (file, agent) = (harmless::name(&draft.file), harmless::name(&draft.agent));
            super::print(&format!("  draft    {file} ({agent})\n"))?;
        }
    }
    if args.consent.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    if !args.consent.yes {
        let question = format!("Delete {many}, which you typed and no agent took (`alongside drafts`)?");
        if let Err(code) = args.consent.to_or(&question, &stay).await {
            return Ok(if code == ExitCode::FAILURE { ExitCode::SUCCESS } else { code });
        }
    } else if !args.drafts {
        super::note(&stay);
        return Ok(ExitCode::SUCCESS);
    }
    for draft in &all {
        drafts.delete(&draft.id).with_context(|| format!("cannot delete {}", draft.path.display()))?;
    }
    let directory = drafts.directory();
    change::remove_empty(&[directory.parent().unwrap_or(&directory).to_owned(), directory]);
    super::print(&format!("Deleted {many}.\n"))?;
    Ok(ExitCode::SUCCESS)
}
