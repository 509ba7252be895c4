//! Explains the rules for one file: the fate of a change by each agent and of each kind, and the reason.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use alongside_common::failure::words;
use alongside_common::settings::Settings;
use alongside_companion::{AppDirs, Judgement, Ruling, Workspace, explain, real_path};
use alongside_contract::agent::Agent;
use alongside_contract::agents::AGENTS;
use alongside_desk::{ChangeKind, harmless};
use alongside_host::{Entry, Registry};
use alongside_platform::process;
use anyhow::Context;
use serde_json::json;

/// The reason if no change is reviewed, and each agent decides by itself.
const REVIEWS_ARE_OFF: &str = "reviews are off in the settings ([reviews] enabled = false)";

/// The precision with which systems report the start of a process.
const START_PRECISION: Duration = Duration::from_secs(2);

/// The fate of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Ruled(Ruling),
    /// The hook refuses the change: the companion shows no such change.
    Refused,
    /// Reviews are off.
    Unreviewed,
}

impl Fate {
    fn word(self) -> &'static str {
        match self {
            Self::Ruled(ruling) => ruling.word(),
            Self::Refused => "refuse",
            Self::Unreviewed => "unreviewed",
        }
    }

    /// Whether the agent can write the change without a decision at a desk.
    fn passes_undecided(self) -> bool {
        !matches!(self, Self::Ruled(Ruling::Ask) | Self::Refused)
    }
}

/// The changes with the same fate for the same reason.
struct FateGroup {
    fate: Fate,
    why: String,
    changes: Vec<(&'static Agent, ChangeKind)>,
}

/// The explanation of the rules for a file.
pub(super) struct Explanation {
    file: PathBuf,
    agents: Vec<&'static Agent>,
    groups: Vec<FateGroup>,
    /// Sentences about the whole explanation.
    notes: Vec<String>,
}

impl Explanation {
    /// Explains the rules for an absolute file, and for agents that work in `directory`. `agents`:
    /// identifiers; empty for all.
    ///
    /// # Errors
    /// If the person's settings hold a mistake, or an agent is unknown.
    pub(super) fn new(
        (file, directory): (&Path, &Path),
        agents: &[String],
        config: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let agents = agents_named(agents)?;
        let (roots, host) = roots(file, directory);
        let mut settings = Settings::load(config, &[])?;
        let unread = settings.read_projects(&roots);
        let untold = unread.iter().map(|(root, _)| root.clone()).collect();
        let asks = settings.project_rules.clone();
        let is_outside = is_outside(file, &roots);
        let mut notes: Vec<String> = unread
            .iter()
            .map(|(_, error)| format!("{}: every change is asked about.", words(error)))
            .collect();
        notes.extend(settings_note(host.as_ref(), &settings, &roots));
        let workspace = Workspace { roots, untold, asks, ..Workspace::default() };
        let own: Vec<PathBuf> = settings.file.iter().cloned().collect();
        let changes: Vec<_> =
            agents.iter().flat_map(|agent| ChangeKind::ALL.map(|kind| (*agent, kind))).collect();
        let named: Vec<_> = changes.iter().map(|(agent, kind)| (agent.display_name, *kind)).collect();
        let target = (file, &AppDirs::of_this_process());
        let judgements = explain(&settings.rules, &workspace, (&own, Settings::rules_of), target, &named)?;
        // In the order of their first changes.
        let mut groups: Vec<FateGroup> = Vec::new();
        for (Judgement { ruling, why }, change) in judgements.into_iter().zip(changes) {
            let (fate, why) = match change.0.hook {
                _ if !settings.reviews => (Fate::Unreviewed, REVIEWS_ARE_OFF.to_owned()),
                Some(_) if is_outside => {
                    (Fate::Refused, "its hook refuses a file outside the project".to_owned())
                }
                _ => (Fate::Ruled(ruling), why.to_string()),
            };
            match groups.iter_mut().find(|known| known.fate == fate && known.why == why) {
                Some(known) => known.changes.push(change),
                None => groups.push(FateGroup { fate, why, changes: vec![change] }),
            }
        }
        if groups.iter().any(|group| group.fate == Fate::Ruled(Ruling::Accept)) {
            notes.push(
                "A change is asked about all the same while an editor holds unsaved changes of the file, and \
                 where it does more than its lines show."
                    .to_owned(),
            );
            if std::fs::read(file).is_ok_and(|bytes| bytes.windows(2).any(|end| end == b"\r\n")) {
                notes.push("So is one that writes other line ends: the file has CRLF.".to_owned());
            }
        }
        Ok(Self { file: file.to_owned(), agents, groups, notes })
    }

    /// Returns 0 if a person decides on every change or it is refused, and 1 if a change can pass undecided.
    pub(super) fn exit_code(&self) -> ExitCode {
        match self.groups.iter().any(|group| group.fate.passes_undecided()) {
            true => ExitCode::FAILURE,
            false => ExitCode::SUCCESS,
        }
    }

    pub(super) fn text(&self) -> String {
        let mut text = format!("{}\n", harmless::path(&self.file));
        let has_one_group = self.groups.len() == 1;
        for FateGroup { fate, why, changes } in &self.groups {
            let description = if has_one_group { "every change".to_owned() } else { self.describe(changes) };
            text += &format!("  {}: {description} ({})\n", fate.word(), harmless::name(why));
        }
        for note in &self.notes {
            text += &format!("  {}\n", harmless::name(note));
        }
        text
    }

    pub(super) fn json(&self) -> serde_json::Value {
        let changes = self.groups.iter().flat_map(|group| {
            let (ruling, why) = (group.fate.word(), &group.why);
            self.agents_by_kinds(&group.changes).into_iter().map(move |(kinds, agents)| {
                let kinds: Vec<_> = kinds.iter().map(|kind| kind.word()).collect();
                let agents: Vec<_> = agents.iter().map(|agent| agent.id).collect();
                json!({ "ruling": ruling, "why": why, "agents": agents, "kinds": kinds })
            })
        });
        json!({
            "path": self.file.to_string_lossy(),
            "changes": changes.collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }

    /// Returns each set of kinds in these changes, with the agents that have exactly these kinds.
    fn agents_by_kinds(
        &self,
        changes: &[(&'static Agent, ChangeKind)],
    ) -> Vec<(Vec<ChangeKind>, Vec<&'static Agent>)> {
        let mut by_kinds: Vec<(Vec<ChangeKind>, Vec<&Agent>)> = Vec::new();
        for agent in &self.agents {
            let of_agent = changes.iter().filter(|(changing, _)| changing.id == agent.id);
            let kinds: Vec<_> = of_agent.map(|(_, kind)| *kind).collect();
            match by_kinds.iter_mut().find(|(known, _)| *known == kinds) {
                _ if kinds.is_empty() => {}
                Some((_, agents)) => agents.push(agent),
                None => by_kinds.push((kinds, vec![agent])),
            }
        }
        by_kinds
    }

    /// Describes the kinds of changes and their agents in a few words.
    fn describe(&self, changes: &[(&'static Agent, ChangeKind)]) -> String {
        let describe_group = |(kinds, agents): (Vec<ChangeKind>, Vec<&Agent>)| {
            let words: Vec<_> = kinds.iter().map(|kind| kind.word()).collect();
            let kinds = match kinds.len() == ChangeKind::ALL.len() {
                true => "every change".to_owned(),
                false => words.join(", "),
            };
            let names: Vec<_> = agents.iter().map(|agent| agent.display_name).collect();
            let others: Vec<_> =
                self.agents.iter().filter(|agent| !names.contains(&agent.display_name)).collect();
            match others.as_slice() {
                [] => kinds,
                // Of the agents with and the agents without these kinds, the shorter list is named.
                others if others.len() < names.len() => {
                    let others: Vec<_> = others.iter().map(|agent| agent.display_name).collect();
                    format!("{kinds} by every agent but {}", others.join(", "))
                }
                _ => format!("{kinds} by {}", names.join(", ")),
            }
        };
        self.agents_by_kinds(changes).into_iter().map(describe_group).collect::<Vec<_>>().join("; ")
    }
}

/// Whether some interpretation of the path, by links and `..`, leads out of these projects.
fn is_outside(file: &Path, roots: &[PathBuf]) -> bool {
    let roots: Vec<_> = roots.iter().map(|root| real_path::resolve(root)).collect();
    let is_inside = |reading: &PathBuf| {
        let real = real_path::resolve(reading);
        roots.iter().any(|root| real.starts_with(root))
    };
    !real_path::readings(file).iter().all(is_inside)
}

/// Returns the projects whose rules apply, and the host that serves them. As a hook does, takes the host of
/// the file, or else the host of the directory; without a host, the repository of the file, or else of the
/// directory.
fn roots(file: &Path, directory: &Path) -> (Vec<PathBuf>, Option<Entry>) {
    let real = real_path::resolve(file);
    let own = real.parent().unwrap_or(&real);
    let entries = Registry::of_this_process().entries();
    let serving = [own, directory].iter().find_map(|at| entries.iter().find(|entry| entry.serves(at)));
    if let Some(host) = serving {
        return (host.roots().to_vec(), Some(host.clone()));
    }
    let existing = own.ancestors().find(|above| above.is_dir()).unwrap_or(own);
    let repository = alongside_lsp::repository(existing).or_else(|| alongside_lsp::repository(directory));
    (vec![repository.unwrap_or(directory).to_owned()], None)
}

/// Returns a sentence on whether the companion that runs here has these settings.
fn settings_note(host: Option<&Entry>, settings: &Settings, roots: &[PathBuf]) -> Option<String> {
    let Some(host) = host else {
        return Some(
            "No companion serves this directory now: until one does, each agent goes on by itself.".into(),
        );
    };
    let files = settings.file.iter().cloned().chain(roots.iter().map(|root| Settings::project_file(root)));
    let changed = files.filter_map(|file| file.metadata().ok()?.modified().ok()).max();
    Some(match (process::started(host.pid), changed) {
        (Some(started), Some(changed)) if changed > started + START_PRECISION => {
            "The settings have changed since the companion here started, and it keeps those of its start: \
             `alongside host --stop` ends it."
                .into()
        }
        (Some(_), _) => "The companion here has these settings, and what you accept ahead at a desk.".into(),
        (None, _) => {
            "The companion here keeps the settings of its start, and what you accept ahead at a desk.".into()
        }
    })
}

fn agents_named(agents: &[String]) -> anyhow::Result<Vec<&'static Agent>> {
    match agents {
        [] => Ok(AGENTS.iter().filter(|agent| agent.family.is_some() || agent.hook.is_some()).collect()),
        agents => {
            let row = |id: &String| Agent::named(id).with_context(|| format!("no agent is called {id}"));
            agents.iter().map(row).collect()
        }
    }
}
