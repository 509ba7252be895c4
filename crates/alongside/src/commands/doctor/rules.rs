//! The rules for one file, explained: what becomes of a change by each agent and of each kind, and why.

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

/// Where nobody is asked, and the agents go on by themselves.
const REVIEWS_OFF: &str = "reviews are off in the settings ([reviews] enabled = false)";

/// How exactly systems tell when a process has started.
const START_PRECISION: Duration = Duration::from_secs(2);

/// The fate of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Ruled(Ruling),
    /// The hook refuses it: the companion shows no such change.
    Refused,
    /// Nobody reviews here.
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

    /// Whether the change can be written without a decision of the person at a desk.
    fn passes(self) -> bool {
        !matches!(self, Self::Ruled(Ruling::Ask) | Self::Refused)
    }
}

/// A fate, the reason for it, and the changes that have it.
struct Explained {
    fate: Fate,
    why: String,
    changes: Vec<(&'static Agent, ChangeKind)>,
}

/// The explanation for a file.
pub(super) struct Explanation {
    file: PathBuf,
    agents: Vec<&'static Agent>,
    explained: Vec<Explained>,
    /// Sentences about all of it.
    notes: Vec<String>,
}

impl Explanation {
    /// For a file, absolute, and agents that work in a directory. `agents`: identifiers; empty for all.
    ///
    /// # Errors
    /// When the person's settings hold a mistake, or an agent is unknown.
    pub(super) fn new(
        (file, directory): (&Path, &Path),
        agents: &[String],
        config: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let agents = named(agents)?;
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
        let of = (file, &AppDirs::of_this_process());
        let judgements = explain(&settings.rules, &workspace, (&own, Settings::rules_of), of, &named)?;
        // In the order in which they come, each with the agents and kinds that it holds for.
        let mut explained: Vec<Explained> = Vec::new();
        for (Judgement { ruling, why }, change) in judgements.into_iter().zip(changes) {
            let (fate, why) = match change.0.hook {
                _ if !settings.reviews => (Fate::Unreviewed, REVIEWS_OFF.to_owned()),
                Some(_) if is_outside => {
                    (Fate::Refused, "its hook refuses a file outside the project".to_owned())
                }
                _ => (Fate::Ruled(ruling), why.to_string()),
            };
            match explained.iter_mut().find(|known| known.fate == fate && known.why == why) {
                Some(known) => known.changes.push(change),
                None => explained.push(Explained { fate, why, changes: vec![change] }),
            }
        }
        if explained.iter().any(|one| one.fate == Fate::Ruled(Ruling::Accept)) {
            notes.push(
                "A change is asked about all the same while an editor holds unsaved changes of the file, and \
                 where it does more than its lines show."
                    .to_owned(),
            );
            if std::fs::read(file).is_ok_and(|bytes| bytes.windows(2).any(|end| end == b"\r\n")) {
                notes.push("So is one that writes other line ends: the file has CRLF.".to_owned());
            }
        }
        Ok(Self { file: file.to_owned(), agents, explained, notes })
    }

    /// 0 if a person decides on every change, or none is made; 1 if one passes without a decision.
    pub(super) fn exit_code(&self) -> ExitCode {
        match self.explained.iter().any(|one| one.fate.passes()) {
            true => ExitCode::FAILURE,
            false => ExitCode::SUCCESS,
        }
    }

    pub(super) fn text(&self) -> String {
        let mut text = format!("{}\n", harmless::path(&self.file));
        let is_one = self.explained.len() == 1;
        for Explained { fate, why, changes } in &self.explained {
            let which = if is_one { "every change".to_owned() } else { self.which(changes) };
            text += &format!("  {}: {which} ({})\n", fate.word(), harmless::name(why));
        }
        for note in &self.notes {
            text += &format!("  {}\n", harmless::name(note));
        }
        text
    }

    pub(super) fn json(&self) -> serde_json::Value {
        let changes = self.explained.iter().flat_map(|one| {
            let (ruling, why) = (one.fate.word(), &one.why);
            self.groups(&one.changes).into_iter().map(move |(kinds, agents)| {
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

    /// The agents with the same kinds of changes, and these kinds.
    fn groups(
        &self,
        changes: &[(&'static Agent, ChangeKind)],
    ) -> Vec<(Vec<ChangeKind>, Vec<&'static Agent>)> {
        let mut groups: Vec<(Vec<ChangeKind>, Vec<&Agent>)> = Vec::new();
        for agent in &self.agents {
            let its = changes.iter().filter(|(of, _)| of.id == agent.id);
            let kinds: Vec<_> = its.map(|(_, kind)| *kind).collect();
            match groups.iter_mut().find(|(known, _)| *known == kinds) {
                _ if kinds.is_empty() => {}
                Some((_, agents)) => agents.push(agent),
                None => groups.push((kinds, vec![agent])),
            }
        }
        groups
    }

    /// The agents and the kinds of changes in a few words.
    fn which(&self, changes: &[(&'static Agent, ChangeKind)]) -> String {
        let group = |(kinds, agents): (Vec<ChangeKind>, Vec<&Agent>)| {
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
                // The shorter list of names says the same.
                others if others.len() < names.len() => {
                    let others: Vec<_> = others.iter().map(|agent| agent.display_name).collect();
                    format!("{kinds} by every agent but {}", others.join(", "))
                }
                _ => format!("{kinds} by {}", names.join(", ")),
            }
        };
        self.groups(changes).into_iter().map(group).collect::<Vec<_>>().join("; ")
    }
}

/// Whether some reading of a path leads out of these projects.
fn is_outside(file: &Path, roots: &[PathBuf]) -> bool {
    let roots: Vec<_> = roots.iter().map(|root| real_path::resolve(root)).collect();
    let is_inside = |reading: &PathBuf| {
        let real = real_path::resolve(reading);
        roots.iter().any(|root| real.starts_with(root))
    };
    !real_path::readings(file).iter().all(is_inside)
}

/// The projects by which the rules are applied, and the host that serves them: as a hook finds them, that of
/// the file, else that of the directory; without one, the repository of the file, else of the directory.
fn roots(file: &Path, directory: &Path) -> (Vec<PathBuf>, Option<Entry>) {
    let real = real_path::resolve(file);
    let own = real.parent().unwrap_or(&real);
    let entries = Registry::of_this_process().entries();
    let serving = [own, directory].iter().find_map(|at| entries.iter().find(|entry| entry.serves(at)));
    if let Some(host) = serving {
        return (host.roots().to_vec(), Some(host.clone()));
    }
    let there = own.ancestors().find(|above| above.is_dir()).unwrap_or(own);
    let repository = alongside_lsp::repository(there).or_else(|| alongside_lsp::repository(directory));
    (vec![repository.unwrap_or(directory).to_owned()], None)
}

/// Whether these settings are those of the companion that runs here.
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

fn named(agents: &[String]) -> anyhow::Result<Vec<&'static Agent>> {
    match agents {
        [] => Ok(AGENTS.iter().filter(|agent| agent.family.is_some() || agent.hook.is_some()).collect()),
        agents => {
            let row = |id: &String| Agent::named(id).with_context(|| format!("no agent is called {id}"));
            agents.iter().map(row).collect()
        }
    }
}
