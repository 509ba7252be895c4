//! The rules for one file, explained: which one holds for each agent and each kind of change, and why.

use std::path::{Path, PathBuf};

use alongside_common::settings::Settings;
use alongside_companion::{AppDirs, Judgement, Workspace, explain};
use alongside_contract::agent::Agent;
use alongside_contract::agents::AGENTS;
use alongside_desk::{ChangeKind, harmless};
use anyhow::Context;

/// The explanation for a file, absolute. `agents`: identifiers; empty for all.
///
/// # Errors
/// When the settings hold a mistake, or an agent is unknown.
pub(super) async fn explanation(
    file: &Path,
    agents: &[String],
    config: Option<&Path>,
) -> anyhow::Result<String> {
    let directory = file.parent().unwrap_or(file);
    let (roots, is_served) = roots(directory).await;
    let settings = Settings::load(config, &roots)?;
    let workspace = Workspace { roots, asks: settings.project_rules.clone(), ..Workspace::default() };
    let own: Vec<PathBuf> = settings.file.iter().cloned().collect();
    let agents = named(agents)?;
    // In the order in which they come, each with the agents and kinds that it holds for.
    let mut found: Vec<(Judgement, Vec<(&str, ChangeKind)>)> = Vec::new();
    let changes: Vec<_> =
        agents.iter().flat_map(|agent| ChangeKind::ALL.map(|kind| (agent.display_name, kind))).collect();
    let of = (file, &AppDirs::of_this_process());
    let judgements = explain(&settings.rules, &workspace, &own, of, &changes)?;
    for (judgement, change) in judgements.into_iter().zip(changes) {
        match found.iter_mut().find(|(known, _)| *known == judgement) {
            Some((_, changes)) => changes.push(change),
            None => found.push((judgement, vec![change])),
        }
    }
    let mut text = format!("{}\n", harmless::path(file));
    let is_one = found.len() == 1;
    for (judgement, changes) in found {
        let which = if is_one { "every change".to_owned() } else { which(&changes, &agents) };
        let (word, why) = (judgement.ruling.word(), judgement.why.to_string());
        text += &format!("  {word}: {which} ({})\n", harmless::name(&why));
    }
    if is_served {
        text += "  These are the settings as they are now. The companion that runs here keeps those of its \
                 start, and\n  what you accept ahead at a desk.\n";
    }
    Ok(text)
}

/// The roots of the companion that serves a directory, and whether there is one; else its project.
async fn roots(directory: &Path) -> (Vec<PathBuf>, bool) {
    let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let serves = |root: &PathBuf| real.starts_with(root.canonicalize().unwrap_or_else(|_| root.clone()));
    let mut served = alongside_host::reports().await.into_iter().map(|report| report.status.roots);
    if let Some(roots) = served.find(|roots| roots.iter().any(serves)) {
        return (roots, true);
    }
    let there = real.ancestors().find(|above| above.is_dir()).unwrap_or(&real);
    (vec![alongside_lsp::repository(there).unwrap_or(there).to_owned()], false)
}

fn named(agents: &[String]) -> anyhow::Result<Vec<&'static Agent>> {
    match agents {
        [] => Ok(AGENTS.iter().filter(|agent| agent.family.is_some() || agent.hook.is_some()).collect()),
        agents => {
            let row = |id: &String| Agent::named(id).with_context(|| format!("no agent is called {id}"));
            agents.iter().map(row).collect()
        }
    }
}

/// The agents and the kinds of changes in a few words.
fn which(changes: &[(&str, ChangeKind)], agents: &[&Agent]) -> String {
    let kinds_of = |agent: &str| -> Vec<ChangeKind> {
        changes.iter().filter(|(of, _)| *of == agent).map(|(_, kind)| *kind).collect()
    };
    let mut groups: Vec<(Vec<ChangeKind>, Vec<&str>)> = Vec::new();
    for agent in agents {
        let kinds = kinds_of(agent.display_name);
        match groups.iter_mut().find(|(known, _)| *known == kinds) {
            _ if kinds.is_empty() => {}
            Some((_, names)) => names.push(agent.display_name),
            None => groups.push((kinds, vec![agent.display_name])),
        }
    }
    let group = |(kinds, names): &(Vec<ChangeKind>, Vec<&str>)| {
        let kinds: Vec<_> = kinds.iter().map(|kind| kind.word()).collect();
        let kinds =
            if kinds.len() == ChangeKind::ALL.len() { "every change".into() } else { kinds.join(", ") };
        let by = (names.len() < agents.len()).then(|| format!(" by {}", names.join(", ")));
        kinds + &by.unwrap_or_default()
    };
    groups.iter().map(group).collect::<Vec<_>>().join("; ")
}
