//! Causes in the companion: it does not run, serves another directory, or has its files in a directory that
//! this terminal's agents do not search.

use alongside_contract::agent::Agent;

use crate::commands::doctor::diagnosis::{Diagnosis, Fix, ShownPath};
use crate::commands::shell_quoting::quoted;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::doctor) enum CompanionCause {
    /// No companion runs.
    NotRunning,
    /// Companions run, but none serves this directory.
    OtherDirectory { roots: Vec<String> },
    /// The editor has no folder open.
    NoFolder { editor: String },
    /// The release searches for the files of another process. `any_since`: the first release that accepts the
    /// files of every process.
    OtherProcess { name: String, port: u16, any_since: Option<String> },
    /// The companion's files are in another temporary directory.
    OtherTmpdir { name: String, theirs: ShownPath, ours: ShownPath },
    /// The companion's files are in another home.
    OtherHome { name: String, theirs: ShownPath, ours: ShownPath },
    /// The companion's files are in another base directory, such as QWEN_HOME.
    OtherBase { name: String, variable: &'static str, theirs: Option<ShownPath>, ours: Option<ShownPath> },
    /// The files of one of our hosts are gone.
    FilesGone { host: String, pid: u32 },
    /// The agent has never run, so its directory is missing, and the companion does not create it.
    NeverStarted { name: String, directory: ShownPath },
    /// One of our hosts waits for its editor.
    EditorGone { editor: String },
    /// The companion offers no diffs.
    NoDiffs { name: String },
    /// More than one companion serves this directory.
    Several { chosen: String, others: Vec<String> },
    /// The agent starts a companion of its own.
    StartsStdioServer { command: String },
}

impl CompanionCause {
    pub(super) fn diagnosis(&self, agent: &Agent) -> Diagnosis {
        match self {
            Self::NotRunning => {
                Diagnosis::fails("no-companion", "no companion serves this directory", start_fixes())
            }
            Self::OtherDirectory { roots } => {
                let mut fixes = vec![
                    Fix::advice("start one for this directory, in another terminal of it:"),
                    Fix::command("alongside"),
                ];
                if let Some(root) = roots.first() {
                    fixes.push(Fix::advice("or go to a directory that has one:"));
                    fixes.push(Fix::command(format!("cd {}", quoted(root))));
                }
                let roots = roots.join(", ");
                let text = format!("no companion serves this directory; those that run serve {roots}");
                Diagnosis::fails("other-directory", text, fixes)
            }
            Self::NoFolder { editor } => Diagnosis::fails(
                "no-folder-open",
                format!("{editor} has no folder open, so its companion serves no directory"),
                [Fix::advice("open the project's folder in the editor")],
            ),
            Self::OtherProcess { name, port, any_since } => {
                let since = any_since.as_ref();
                let since = since.map(|release| format!("; {release} and newer accept any process"));
                let text = format!(
                    "{name} (port {port}) serves this directory, but this release looks only for the process \
                     that started it{}",
                    since.unwrap_or_default()
                );
                let mut fixes = vec![Fix::command(format!("alongside run {}", agent.command()))];
                if any_since.is_some() {
                    fixes.extend([Fix::advice("or update the agent:"), Fix::update(agent)]);
                }
                Diagnosis::fails("other-process", text, fixes)
            }
            Self::OtherTmpdir { name, theirs, ours } => Diagnosis::fails(
                "other-tmpdir",
                format!(
                    "{name} serves this directory, but its files are in {theirs}; this terminal's temporary \
                     directory is {ours}"
                ),
                [Fix::command(format!("TMPDIR={} {}", theirs.quoted(), agent.command()))],
            ),
            Self::OtherHome { name, theirs, ours } => Diagnosis::fails(
                "other-home",
                format!(
                    "{name} serves this directory, but its files are in the home {theirs}; this terminal's \
                     home is {ours}"
                ),
                [Fix::command(format!("HOME={} {}", theirs.quoted(), agent.command()))],
            ),
            Self::OtherBase { name, variable, theirs, ours } => {
                let fix = match theirs {
                    Some(theirs) => format!("{variable}={} {}", theirs.quoted(), agent.command()),
                    None => format!("env -u {variable} {}", agent.command()),
                };
                let value =
                    |base: &Option<ShownPath>| base.as_ref().map_or("not set".into(), ToString::to_string);
                let (theirs, ours) = (value(theirs), value(ours));
                let text = format!(
                    "{name} serves this directory, but its {variable} is {theirs}, and this terminal's is \
                     {ours}"
                );
                Diagnosis::fails("other-base", text, [Fix::command(fix)])
            }
            Self::FilesGone { host, pid } => Diagnosis::fails(
                "files-gone",
                format!("alongside (process {pid}) serves this directory, but its discovery files are gone"),
                [Fix::command(format!("alongside host --replace {host}"))],
            ),
            Self::NeverStarted { name, directory } => Diagnosis::fails(
                "never-started",
                format!("{name} serves this directory, and writes its file as soon as {directory} exists"),
                [Fix::command(format!("mkdir {}", directory.quoted()))],
            ),
            Self::EditorGone { editor } => Diagnosis::fails(
                "editor-gone",
                format!(
                    "{editor} has ended; the companion of this directory waits a moment for it to return"
                ),
                [Fix::advice("start the editor again, or in another terminal:"), Fix::command("alongside")],
            ),
            Self::NoDiffs { name } => Diagnosis::hinders(
                "no-diffs",
                format!("{name} offers no diffs, so the agent asks about changes in its own prompt"),
                [Fix::advice("update that companion, or use alongside instead")],
            ),
            Self::Several { chosen, others } => {
                let others = others.join(", ");
                let text = format!(
                    "several companions serve this directory: the agent takes {chosen}, not {others}"
                );
                Diagnosis::note("several-companions", text, [])
            }
            Self::StartsStdioServer { command } => Diagnosis::note(
                "stdio-instead",
                format!(
                    "then it starts `{command} stdio` itself: it may get context, but nobody sees its \
                     proposals unless a desk is open"
                ),
                [],
            ),
        }
    }
}

/// Returns the fixes that start a companion for this directory.
pub(super) fn start_fixes() -> Vec<Fix> {
    let text =
        "open the project in an editor that has alongside (`alongside install`), or in another terminal:";
    vec![Fix::advice(text), Fix::command("alongside")]
}
