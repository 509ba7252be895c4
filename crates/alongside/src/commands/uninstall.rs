//! `alongside uninstall`: removes the changes of `alongside install`, and with `--all` the files of alongside
//! itself.

mod kept_texts;
mod own_files;
mod planned_removal;

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::process::ExitCode;

use alongside_adapters::agent_hook;
use alongside_adapters::agents::ID_PREFIX;
use alongside_adapters::editor::Editor;
use alongside_adapters::editors::EDITORS;
use alongside_adapters::installation::Installation;
use alongside_adapters::ledger::Ledger;
use alongside_adapters::plan::AdapterState;
use alongside_adapters::removal::display_name;
use alongside_adapters::user_environment::UserEnvironment;
use alongside_agent::find::Surroundings;
use alongside_common::failure::failure;
use alongside_desk::harmless;

use super::completions::Names;
use super::consent::{self, ConsentOptions, NoConsent};
use super::{lists, note, print, print_lines, waiting_host};
use own_files::OwnFiles;
use planned_removal::PlannedRemoval;

/// Remove what `alongside install` added
///
/// Without a name it asks which one of the installed to remove. A file that has not changed since gets back
/// every byte that it had before. From a file that has changed, only what was added is removed. Hooks in the
/// agents' settings go, also those that no list of ours names. It shows every change first.
#[derive(Debug, clap::Args)]
#[command(after_help = examples())]
pub(crate) struct Args {
    #[arg(
        value_name = "WHAT",
        help = target_help(),
        value_parser = Names::Installed,
        hide_possible_values = true
    )]
    what: Option<String>,

    /// Everything that was installed, sockets, logs, snapshots, and the files of companions that are gone
    #[arg(long, conflicts_with = "what")]
    all: bool,

    #[command(flatten)]
    consent: ConsentOptions,

    /// With --all: also delete the drafts, and the comments that no agent has read; --yes alone keeps them
    #[arg(long, requires = "all")]
    drafts: bool,
}

fn target_help() -> String {
    let agents = lists::agents("or");
    format!("An editor, as `alongside install` names it; agent (all agents), {agents}")
}

fn examples() -> String {
    let effect = format!("restore the settings of {}", lists::agents_for_people());
    format!(
        "\
Examples:
  alongside uninstall               choose by number what to remove
  alongside uninstall helix         restore languages.toml and config.toml
{}
  alongside uninstall --all         everything, and the files of alongside itself

Exit codes: 0; 1 after an error, or a no; 2 without a terminal and without --yes; 130 after Ctrl-C.",
        lists::example("alongside uninstall agent", 36, &effect)
    )
}

/// The name of the missing argument in a usage error.
pub(super) const WHAT: &str = "<WHAT>";

impl Args {
    /// Whether the arguments name nothing to remove, and nobody can be asked.
    pub(super) fn lacks_target(&self) -> bool {
        let must_not_ask = self.consent.yes || !std::io::stdin().is_terminal();
        self.what.is_none() && !self.all && must_not_ask
    }
}

pub(crate) async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let user = UserEnvironment::of_this_process()?;
    let mut ledger = Ledger::read(&user.state)?;
    let installed = installations(&ledger);
    let all_ids = || installed.keys().cloned().collect::<Vec<_>>();
    let (ids, all) = match &args.what {
        Some(what) => (ids_of(what, &user, &installed)?, false),
        None if args.all => (all_ids(), true),
        None => match choose(&all_ids()).await? {
            Ok(chosen) => chosen,
            Err(no) => return Ok(no.exit_code()),
        },
    };
    let removals: Vec<PlannedRemoval> = ids
        .iter()
        .filter_map(|id| Some((id, installed.get(id)?)))
        .map(|(id, installed)| PlannedRemoval::plan(id, installed, &user))
        .collect::<anyhow::Result<_>>()?;
    for removal in &removals {
        removal.show(&user, args.consent.verbose)?;
    }
    if !removals.is_empty() {
        note_running_editors(&ids, all).await;
    }
    let own_files = if all { Some(OwnFiles::find(&user).await) } else { None };
    if let Some(own_files) = &own_files {
        print_lines(&own_files.preview(&user))?;
        note_adapters_by_hand(&user, &ledger);
    }
    if removals.is_empty() && own_files.as_ref().is_none_or(OwnFiles::is_empty) {
        print("There is nothing to remove.\n")?;
        if let Some(own_files) = own_files.filter(|_| !args.consent.dry_run) {
            own_files.remove_empty(&user);
        }
    } else {
        // A removal that changes no file of the person needs no consent.
        let has_changes = own_files.as_ref().is_some_and(|files| !files.is_empty())
            || removals.iter().any(PlannedRemoval::has_changes);
        if (has_changes || args.consent.dry_run)
            && let Err(no) = args.consent.obtain("Remove this?", "nothing is changed").await
        {
            return Ok(no.exit_code());
        }
        let is_complete = removals.iter().all(PlannedRemoval::is_complete);
        for removal in removals {
            removal.carry_out(&mut ledger, &user).await?;
        }
        if let Some(own_files) = own_files {
            own_files.remove(&user).await?;
        }
        if !is_complete {
            note("not everything is removed: remove the links that are named above, and repeat this");
            return Ok(ExitCode::FAILURE);
        }
        print("Done.\n")?;
    }
    if all { kept_texts::delete(args.consent, args.drafts, &user).await } else { Ok(ExitCode::SUCCESS) }
}

/// Returns all installations by the id of their adapter: those of the ledger, and hooks that the ledger does
/// not list, because it is gone or a person wrote them.
fn installations(ledger: &Ledger) -> BTreeMap<String, Installation> {
    let listed = ledger.ids().into_iter().filter_map(|id| Some((id.clone(), ledger.get(&id)?.clone())));
    let mut installed: BTreeMap<String, Installation> = listed.collect();
    // Without a current directory, there is no project to search.
    let unlisted = Surroundings::of_this_process().map(|here| agent_hook::unlisted(ledger, &here));
    for (id, file) in unlisted.unwrap_or_default() {
        installed.entry(id).or_default().files.push(file);
    }
    installed
}

/// Returns the ids of the installations that the person names.
///
/// # Errors
/// If nothing of this name is installed.
fn ids_of(
    what: &str,
    user: &UserEnvironment,
    installed: &BTreeMap<String, Installation>,
) -> anyhow::Result<Vec<String>> {
    let what = what.to_lowercase();
    let editor = Editor::named(&what);
    let is_named = |id: &&String| match (editor, what.as_str()) {
        (Some(editor), _) => id.as_str() == editor.id,
        (None, "agent" | "agents") => id.starts_with(ID_PREFIX),
        (None, agent) => id.strip_prefix(ID_PREFIX) == Some(agent),
    };
    let ids: Vec<String> = installed.keys().filter(is_named).cloned().collect();
    if !ids.is_empty() {
        return Ok(ids);
    }
    if let Some(editor) = editor
        && let AdapterState::ByHand { at } = (editor.state)(editor, user, installed.get(editor.id))?
    {
        return Err(failure(
            format!("alongside in {} is not from `alongside install`: {}", editor.name, user.shown(&at)),
            "remove it by hand",
        ));
    }
    let ids: Vec<&str> = installed.keys().map(String::as_str).collect();
    let hint = match ids.as_slice() {
        [] => "nothing is installed; `alongside install --list` shows what can be".into(),
        ids => format!("it was installed for: {}; `alongside install --list` shows more", ids.join(", ")),
    };
    Err(failure(format!("nothing was installed for {:?}", harmless::name(&what)), hint))
}

/// Asks a person who has named nothing to choose an installation by its number, or everything, as with
/// `--all`.
///
/// # Errors
/// If nothing is installed.
async fn choose(installed: &[String]) -> anyhow::Result<Result<(Vec<String>, bool), NoConsent>> {
    if installed.is_empty() {
        return Err(failure(
            "`alongside install` has installed nothing",
            "`alongside uninstall --all` removes the files of alongside itself",
        ));
    }
    let names: Vec<_> = installed.iter().map(|id| display_name(id)).collect();
    let everything = "everything, and the files of alongside itself";
    let options: Vec<&str> = names.iter().map(AsRef::as_ref).chain([everything]).collect();
    match consent::choose("Remove alongside from which one?", &options, None).await {
        Ok(index) => Ok(Ok(match installed.get(index) {
            Some(id) => (vec![id.clone()], false),
            None => (installed.to_vec(), true),
        })),
        Err(no) => {
            note("nothing is changed");
            Ok(Err(no))
        }
    }
}

/// Prints the running editors that have loaded an adapter. Also prints the companions that wait for a closed
/// editor, unless the list of `all` has them.
async fn note_running_editors(ids: &[String], all: bool) {
    for report in alongside_host::reports().await {
        let adapted: Vec<_> = report.editors.iter().filter(|editor| ids.contains(&editor.name)).collect();
        if !waiting_host::only_waits(&report) {
            for editor in adapted {
                let name = harmless::name(&editor.display_name);
                note(&format!("{name} (process {}) keeps alongside until you close it", editor.pid));
            }
        } else if !all && !adapted.is_empty() {
            let (pid, waits) = (report.status.pid, waiting_host::wait_words(&report));
            note(&format!("the companion in process {pid} {waits}, then it ends by itself"));
        }
    }
}

/// Prints the adapters that were not installed by `alongside install`.
fn note_adapters_by_hand(user: &UserEnvironment, ledger: &Ledger) {
    for editor in EDITORS {
        if let Ok(AdapterState::ByHand { at }) = (editor.state)(editor, user, ledger.get(editor.id)) {
            note(&format!("{} stays: it is not from `alongside install`", user.shown(&at)));
        }
    }
}
