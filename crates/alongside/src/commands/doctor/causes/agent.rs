//! Causes in the agent: its release, its settings, when it was started and where it is installed.

use alongside_contract::agent::Agent;
use alongside_contract::family::{Family, OwnSettings};

use crate::commands::doctor::diagnosis::{Diagnosis, Fix, Severity, ShownPath};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::doctor) enum AgentCause {
    /// The release has no IDE mode.
    TooOld { needs: String },
    /// IDE mode is off. `set_by`: the file or variable that sets it; `None` for the default.
    IdeModeOff { set_by: Option<String> },
    /// The agent cannot read a settings file.
    BrokenSettings { path: ShownPath, error: String },
    /// The release accepts only terminals of VS Code.
    NeedsVscodeTerminal { needs: String },
    /// The release sends no token.
    SendsNoToken { needs: String },
    /// The agent edits without asking. With `setting` in `file` it would ask.
    ApprovalMode { mode: String, set_by: Option<String>, setting: String, file: ShownPath },
    /// The folder is not trusted.
    UntrustedFolder { set_by: Option<String> },
    /// The folder is neither trusted nor untrusted yet.
    UndecidedFolder,
    /// Agents run that were started before the companion.
    OlderThanCompanion { pids: Vec<u32> },
    /// The release is newer than the newest known one.
    UnknownRelease { release: String, known: String },
    /// The agent is installed in a directory that is not in PATH.
    NotInPath { program: ShownPath },
}

impl AgentCause {
    pub(super) fn diagnosis(&self, agent: &Agent) -> Diagnosis {
        match self {
            Self::TooOld { needs } => Diagnosis::fails(
                "old-agent",
                format!("this release has no IDE mode, which needs {needs}"),
                [Fix::update(agent)],
            ),
            Self::IdeModeOff { set_by } => Diagnosis::fails(
                "ide-mode-off",
                format!("IDE mode is off{}, so it connects to no companion", source(set_by)),
                [Fix::command("alongside install agent"), Fix::advice("or type `/ide enable` in the agent")],
            ),
            Self::BrokenSettings { path, error } => Diagnosis::fails(
                "broken-settings",
                format!("it cannot read its settings in {path}: {error}"),
                [Fix::advice(format!("correct {path}"))],
            ),
            Self::NeedsVscodeTerminal { needs } => Diagnosis::fails(
                "needs-vscode-terminal",
                format!("this release connects only in a terminal of VS Code; other editors need {needs}"),
                [
                    Fix::update(agent),
                    Fix::advice("or pretend to be in VS Code:"),
                    Fix::start_as_in_vscode(agent),
                ],
            ),
            Self::SendsNoToken { needs } => Diagnosis::fails(
                "sends-no-token",
                format!("this release sends no token, so the companion refuses it; tokens need {needs}"),
                [Fix::update(agent)],
            ),
            Self::ApprovalMode { mode, set_by, setting, file } => {
                let argument = agent.settings.map_or("--approval-mode", |table| table.approval_argument);
                let mut fixes = vec![
                    Fix::advice("for one session:"),
                    Fix::command(format!("{} {argument} default", agent.command())),
                ];
                // `alongside install` changes no mode that the person set.
                fixes.extend(match set_by {
                    None => vec![
                        Fix::advice("for good:"),
                        Fix::command(format!("alongside install {}", agent.id)),
                    ],
                    Some(_) => vec![Fix::advice(format!("for good: {setting} in {file}"))],
                });
                // A person who set the mode knows of its effect.
                let severity = if set_by.is_some() { Severity::Note } else { Severity::Hinders };
                let source = source(set_by);
                let text =
                    format!("in approval mode {mode}{source} it edits without asking, and opens no diff");
                Diagnosis::new("approval-mode", severity, text, fixes)
            }
            Self::UntrustedFolder { set_by } => Diagnosis::hinders(
                "untrusted-folder",
                format!("it does not trust this folder{}, and does little in it", source(set_by)),
                [Fix::advice(
                    "type `/permissions` in the agent (`/trust` in Qwen Code), and trust the folder",
                )],
            ),
            Self::UndecidedFolder => {
                Diagnosis::note("undecided-folder", "it will ask whether to trust this folder", [])
            }
            Self::OlderThanCompanion { pids } => {
                let rules = agent.family.as_ref().and_then(Family::lock_rules);
                let (fact, advice) = match rules.map(|rules| rules.own_settings) {
                    None => (
                        "; agents look for one only then",
                        "restart the agent; `/ide enable` is enough if it knew a companion when it started",
                    ),
                    Some(OwnSettings::ClaudeCode) => {
                        (", and is not connected", "type `/ide` in it, or restart it")
                    }
                    Some(OwnSettings::None) => (", and is not connected", "restart it"),
                };
                let text = format!("{} started before the companion{fact}", processes(pids));
                Diagnosis::hinders("started-earlier", text, [Fix::advice(advice)])
            }
            Self::UnknownRelease { release, known } => Diagnosis::note(
                "unknown-release",
                format!(
                    "{} {release} is newer than {known}, the newest release known here; the doctor treats it \
                     as that one",
                    agent.display_name
                ),
                [],
            ),
            Self::NotInPath { program } => {
                Diagnosis::note("agent-not-in-path", format!("{program} is not in a directory of PATH"), [])
            }
        }
    }
}

/// Returns the source of a setting in parentheses.
fn source(set_by: &Option<String>) -> String {
    set_by.as_ref().map_or(" (the default)".into(), |source| format!(" (set by {source})"))
}

fn processes(pids: &[u32]) -> String {
    let list: Vec<_> = pids.iter().map(ToString::to_string).collect();
    format!("{} {}", if pids.len() == 1 { "process" } else { "processes" }, list.join(", "))
}
