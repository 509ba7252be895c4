//! The words for every cause, in one place: its id, which stays, for scripts and for whoever asks for help;
//! how it is said; and what helps.

use std::path::{Path, PathBuf};

use alongside_desk::harmless;
use alongside_platform::files;

use super::super::env::quoted;
use super::cause::{Cause, Cure, Of, Said, Weight};

/// This program's version.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Whether this user may delete a file: in a shared directory such as `/tmp` only its owner may.
fn may_delete(file: &Path) -> bool {
    let is_ours = |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|found| files::is_ours(&found));
    is_ours(file) || file.parent().is_some_and(is_ours)
}

impl Cause {
    /// Its name, how bad it is, and both in words.
    pub(super) fn say(&self, of: &Of) -> Said {
        use Weight::{Fails, Hinders, Note};
        let agent = &of.command;
        let by = |by: &Option<String>| match by {
            Some(by) => format!(" ({by} says so)"),
            None => " (that is its default)".to_owned(),
        };
        let path = |path: &Path| harmless::path(path);
        let quoted = |path: &Path| quoted(&path.to_string_lossy());
        let run = |text: &str| Cure::Run(text.to_owned());
        let tell = |text: &str| Cure::Do(text.to_owned());
        let update = || match of.package {
            Some(package) => Cure::Run(format!("npm install -g {package}")),
            None => Cure::Do(format!("install a newer {}", of.name)),
        };
        let delete = |file: &Path| match may_delete(file) {
            true => Cure::Run(format!("rm {}", quoted(file))),
            false => Cure::Do(format!(
                "{} is another user's: ask them or root to remove it; or set TMPDIR to a directory of yours, here and where \
                 the editor runs",
                path(file)
            )),
        };
        let start = || {
            vec![
                tell(
                    "open the project in an editor that has alongside (`alongside install`), or in another terminal:",
                ),
                run("alongside"),
            ]
        };
        let (id, weight, what, cure) = match self {
            Self::OldAgent { needs } => (
                "old-agent",
                Fails,
                format!("this release has no IDE mode, which came with {needs}"),
                vec![update()],
            ),
            Self::IdeModeOff { by: said } => (
                "ide-mode-off",
                Fails,
                format!("IDE mode is off in its settings{}, so it looks for nobody", by(said)),
                vec![run("alongside install agent"), tell("or type `/ide enable` in the agent")],
            ),
            Self::BrokenSettings { path: file, why } => (
                "broken-settings",
                Fails,
                format!("its settings in {} cannot be read: {why}", path(file)),
                vec![Cure::Do(format!("mend {}", path(file)))],
            ),
            Self::NeedsTerminal { needs } => (
                "needs-vscode-terminal",
                Fails,
                format!(
                    "this release connects only in a terminal of VS Code; other editors came with {needs}"
                ),
                vec![
                    update(),
                    tell("or pretend to be one:"),
                    Cure::Run(format!("TERM_PROGRAM=vscode {agent}")),
                ],
            ),
            Self::NoEditorName { path: file } => (
                "no-editor-name",
                Fails,
                format!("{} does not say which editor it is of (ideInfo), so it is not believed", path(file)),
                vec![
                    tell("update the companion that wrote it, or pretend to be in VS Code:"),
                    Cure::Run(format!("TERM_PROGRAM=vscode {agent}")),
                ],
            ),
            Self::VariablesAlone { names } => (
                "variables-alone",
                Fails,
                format!(
                    "{names} say where a companion is, but no file says which editor it is of, and without that the \
                         agent does not connect"
                ),
                vec![
                    tell(
                        "start the agent with the TMPDIR and HOME that the companion has, or pretend to be in VS Code:",
                    ),
                    Cure::Run(format!("TERM_PROGRAM=vscode {agent}")),
                ],
            ),
            Self::OverridingFile { path: file } => (
                "overriding-file",
                Fails,
                format!(
                    "{} counts more than any other file, whatever it says, and it leads nowhere",
                    path(file)
                ),
                vec![delete(file)],
            ),
            Self::NoFolder { name } => (
                "no-folder-open",
                Fails,
                format!("{name} has no folder open, and serves no directory"),
                vec![tell("open the project's folder in it")],
            ),
            Self::Delimiter { root } => (
                "delimiter-in-path",
                Fails,
                format!(
                    "{} holds the character that separates directories in discovery files; no agent can read it",
                    path(root)
                ),
                vec![tell(
                    "rename the directory, or open it through a link without that character and start both there",
                )],
            ),
            Self::CaseDiffers { root } => (
                "case-differs",
                Fails,
                format!(
                    "the companion serves {}, which differs from this directory in upper and lower case only",
                    path(root)
                ),
                vec![Cure::Run(format!("cd {}", quoted(root)))],
            ),
            Self::VariablesElsewhere { names, workspace } => (
                "variables-elsewhere",
                Fails,
                format!("{names} in this terminal lead to a companion of {}", harmless::name(workspace)),
                vec![Cure::Run(format!("unset {names}"))],
            ),
            Self::StaleVariables { names, port } => (
                "stale-variables",
                Fails,
                format!("{names} in this terminal name port {port}, where nobody answers any more"),
                vec![Cure::Run(format!("unset {names}"))],
            ),
            Self::UnreadableFile { path: file, why } => (
                "unreadable-file",
                Fails,
                format!("{} cannot be read ({why}), which ends the search", path(file)),
                vec![Cure::Run(format!("rm -r {}", quoted(file)))],
            ),
            Self::MalformedFile { path: file, why } => (
                "malformed-file",
                Fails,
                format!("{} is the only file for this place, and {why}", path(file)),
                vec![delete(file), tell("and start the companion that wrote it again")],
            ),
            Self::OtherUser { path: file } => (
                "other-user",
                Fails,
                format!("{} belongs to another user, so it is not believed", path(file)),
                vec![tell("start the editor and the agent as the same user")],
            ),
            Self::LedByOtherUser { path: file } => (
                "led-by-other-user",
                Fails,
                format!(
                    "it goes by {}, which another user wrote: it would connect to whatever that user says",
                    path(file)
                ),
                vec![delete(file)],
            ),
            Self::DeadEditor { path: file, pid } => (
                "dead-editor",
                Fails,
                format!(
                    "{} names process {pid} as its editor, which is gone; the agent deletes the file",
                    path(file)
                ),
                vec![tell("start the editor, or the companion, again")],
            ),
            Self::MissingWorkspace { path: file } => (
                "missing-workspace",
                Fails,
                format!(
                    "{} names no editor process and several directories; the agent deletes it",
                    path(file)
                ),
                vec![tell("update the companion that wrote it")],
            ),
            Self::OtherProcess { name, port, reads_any } => (
                "other-process",
                Fails,
                format!(
                    "{name} (port {port}) serves this directory, but this release looks only for the process it was \
                         started under{}",
                    reads_any
                        .as_ref()
                        .map(|since| format!("; any process will do since {since}"))
                        .unwrap_or_default()
                ),
                match reads_any {
                    Some(_) => {
                        vec![Cure::Run(format!("alongside run {agent}")), tell("or update it:"), update()]
                    }
                    None => vec![Cure::Run(format!("alongside run {agent}"))],
                },
            ),
            Self::OtherTmpdir { name, theirs, ours } => (
                "other-tmpdir",
                Fails,
                format!(
                    "{name} serves this directory, but its files lie in {}, and this terminal's temporary directory \
                         is {}",
                    path(theirs),
                    path(ours)
                ),
                vec![Cure::Run(format!("TMPDIR={} {agent}", quoted(theirs)))],
            ),
            Self::OtherHome { name, theirs, ours } => (
                "other-home",
                Fails,
                format!(
                    "{name} serves this directory, but its files lie in the home {}, and this terminal's is {}",
                    path(theirs),
                    path(ours)
                ),
                vec![Cure::Run(format!("HOME={} {agent}", quoted(theirs)))],
            ),
            Self::OtherBase { name, variable, theirs, ours } => {
                let set = |base: &Option<PathBuf>| base.as_deref().map_or("not set".to_owned(), path);
                let cure = match theirs {
                    Some(theirs) => Cure::Run(format!("{variable}={} {agent}", quoted(theirs))),
                    None => Cure::Run(format!("env -u {variable} {agent}")),
                };
                (
                    "other-base",
                    Fails,
                    format!(
                        "{name} serves this directory, but for it {variable} is {}, and for this terminal {}",
                        set(theirs),
                        set(ours)
                    ),
                    vec![cure],
                )
            }
            Self::FilesGone { host, pid } => (
                "files-gone",
                Fails,
                format!(
                    "alongside (process {pid}) serves this directory, but somebody has removed its files"
                ),
                vec![Cure::Run(format!("alongside host --replace {host}"))],
            ),
            Self::Waiting { editor } => (
                "editor-gone",
                Fails,
                format!(
                    "the companion of this directory was {editor}'s, which has ended; it is kept for a moment"
                ),
                vec![tell("start the editor again, or in another terminal:"), run("alongside")],
            ),
            Self::Elsewhere { roots } => {
                let cd = roots.first().map(|root| Cure::Run(format!("cd {}", self::quoted(root))));
                (
                    "other-directory",
                    Fails,
                    format!(
                        "companions run, but none serves this directory; they serve {}",
                        harmless::name(&roots.join(", "))
                    ),
                    [tell("start one for this directory, in another terminal of it:"), run("alongside")]
                        .into_iter()
                        .chain(cd.into_iter().flat_map(|cd| [tell("or go where one is:"), cd]))
                        .collect(),
                )
            }
            Self::StaleFileWins { path: file, living } => (
                "stale-file-wins",
                Fails,
                format!(
                    "{} is of a companion that is gone, and hides the one that runs (port {living})",
                    path(file)
                ),
                vec![delete(file)],
            ),
            Self::StaleFile { path: file } => (
                "stale-file",
                Fails,
                format!("the companion that wrote {} is gone", path(file)),
                [vec![delete(file)], start()].concat(),
            ),
            Self::PortClosed { path: file, port, pid } => (
                "port-closed",
                Fails,
                format!(
                    "the companion in process {pid} has stopped listening: nobody answers at port {port} ({})",
                    path(file)
                ),
                vec![tell("start the companion in that editor again, or the editor")],
            ),
            Self::ContainerHost { host, port, minds_variables, is_carried } => (
                "container-host",
                if *is_carried { Note } else { Fails },
                format!(
                    "in a container it dials {host}:{port} and gets no answer, but the companion listens in here{}",
                    if *is_carried {
                        "; `alongside stdio`, which it starts then, carries it there"
                    } else {
                        ""
                    }
                ),
                match minds_variables {
                    true => vec![
                        tell("with this it dials 127.0.0.1:"),
                        Cure::Run(format!("REMOTE_CONTAINERS=1 {agent}")),
                    ],
                    false => vec![
                        tell("make that name mean this machine, as root:"),
                        Cure::Run("echo '127.0.0.1 host.docker.internal' >> /etc/hosts".into()),
                    ],
                },
            ),
            Self::Proxy { variable, host } => (
                "proxy",
                Fails,
                format!("{variable} sends it through a proxy to reach {host}"),
                vec![Cure::Run(format!("NO_PROXY=\"$NO_PROXY,{host}\" {agent}"))],
            ),
            Self::SendsNoToken { needs } => (
                "sends-no-token",
                Fails,
                format!("this release presents no token, so it is refused; tokens came with {needs}"),
                vec![update()],
            ),
            Self::NoToken { path: file } => (
                "no-token",
                Fails,
                format!(
                    "the companion wants a token, and {} has none",
                    file.as_deref().map_or("the environment".into(), path)
                ),
                vec![tell("start the companion again, so that it writes its file anew")],
            ),
            Self::WrongToken { path: file } => (
                "wrong-token",
                Fails,
                format!(
                    "the companion refuses the token in {}",
                    file.as_deref().map_or("the environment".into(), path)
                ),
                file.as_deref().map_or_else(
                    || vec![run("eval \"$(alongside env)\"")],
                    |file| {
                        vec![
                            delete(file),
                            tell("and start the companion again, so that it writes its file anew"),
                        ]
                    },
                ),
            ),
            Self::Hangs { port } => (
                "hangs",
                Fails,
                format!("what listens at port {port} does not answer"),
                vec![tell("start the editor, or its companion, again")],
            ),
            Self::Stranger { port, path: file } => (
                "stranger",
                Fails,
                format!(
                    "another program has port {port} by now, and agents would show it the token of the companion that is gone"
                ),
                file.as_deref()
                    .map_or_else(|| vec![run("eval \"$(alongside env)\"")], |file| vec![delete(file)]),
            ),
            Self::NotACompanion { port, said } => (
                "not-a-companion",
                Fails,
                format!("what answers at port {port} is no companion of this kind: {}", harmless::name(said)),
                vec![tell("update or restart the program that wrote the file")],
            ),
            Self::NoCompanion => {
                ("no-companion", Fails, "no companion serves this directory".into(), start())
            }
            Self::NoDiffs { name } => (
                "no-diffs",
                Hinders,
                format!("{name} offers no diffs, so changes are asked for in the agent's own prompt"),
                vec![tell("update that companion, or use alongside in its place")],
            ),
            Self::ApprovalMode { mode, by: said, setting, file } => (
                "approval-mode",
                // Whoever wrote it down knows.
                if said.is_some() { Note } else { Hinders },
                format!("in its mode {mode}{} it edits without asking, and opens no diff", by(said)),
                vec![
                    tell("for one session:"),
                    Cure::Run(format!("{agent} --approval-mode default")),
                    Cure::Do(format!("for good: {setting} in {}", path(file))),
                ],
            ),
            Self::UntrustedFolder { by: said } => (
                "untrusted-folder",
                Hinders,
                format!("it does not trust this folder{}, and does little in it", by(said)),
                vec![tell("type `/permissions` in the agent (`/trust` in Qwen Code), and trust the folder")],
            ),
            Self::StartedEarlier { pids } => (
                "started-earlier",
                Hinders,
                format!("{} started before the companion, and looked for one only then", processes(pids)),
                vec![tell(
                    "start it again; `/ide enable` in it is enough if it knew of a companion when it started",
                )],
            ),
            Self::UnknownRelease { release, known } => (
                "unknown-release",
                Note,
                format!(
                    "{} {release} is newer than the newest known here, {known}; it is taken for that one",
                    of.name
                ),
                vec![],
            ),
            Self::UndecidedFolder => {
                ("undecided-folder", Note, "it will ask whether to trust this folder".into(), vec![])
            }
            Self::Several { taken, others } => (
                "several-companions",
                Note,
                format!(
                    "several companions serve this directory: it takes {taken}, not {}",
                    others.join(", ")
                ),
                vec![],
            ),
            Self::StaleFileBeside { path: file } => (
                "stale-file-beside",
                Note,
                format!("{} is of a companion that is gone; the agent tries it first, in vain", path(file)),
                vec![delete(file)],
            ),
            Self::StaleVariablesBeside { names, port } => (
                "stale-variables-beside",
                Note,
                format!(
                    "{names} in this terminal name port {port}, where nobody answers; it connects all the same"
                ),
                vec![Cure::Run(format!("unset {names}"))],
            ),
            Self::StdioInstead { command } => (
                "stdio-instead",
                Note,
                format!(
                    "after that it starts `{} stdio` itself: context may come from there, but nobody sees its \
                     proposals unless a desk is open",
                    harmless::name(command)
                ),
                vec![],
            ),
            Self::AgentNotInPath { program } => (
                "agent-not-in-path",
                Note,
                format!("{} is not in a directory of PATH", path(program)),
                vec![],
            ),
            Self::OldAdapter { editor, id: editor_id, by } => (
                "old-adapter",
                Note,
                format!(
                    "{editor} has what version {by} of alongside installed, and this one, {VERSION}, brings something newer"
                ),
                vec![Cure::Run(format!("alongside install {editor_id}"))],
            ),
            Self::OldHost { name, version } => (
                "old-host",
                Note,
                format!("the companion of this directory is alongside {version}; this is {VERSION}"),
                vec![Cure::Run(format!("alongside host --replace {name}"))],
            ),
            Self::NotInPath { program } => (
                "alongside-not-in-path",
                Note,
                format!(
                    "editors start `alongside` by that name, and no directory of PATH has it; this is {}",
                    path(program)
                ),
                vec![Cure::Run(format!(
                    "export PATH=\"$PATH:{}\"",
                    program.parent().unwrap_or(program).display()
                ))],
            ),
            Self::TwoVersions { programs } => {
                let each =
                    programs.iter().map(|(program, version)| format!("{version} in {}", path(program)));
                (
                    "two-alongsides",
                    Note,
                    format!(
                        "PATH has several versions of alongside: {}",
                        each.collect::<Vec<_>>().join(", ")
                    ),
                    vec![tell("keep the one you want; editors start the first")],
                )
            }
            Self::StaleFilesOfOurs { count } => (
                "stale-files-of-ours",
                Note,
                format!("{count} discovery files of alongside are left of companions that are gone"),
                vec![run("alongside doctor --fix")],
            ),
        };
        Said { id, weight, what, cure }
    }
}

fn processes(pids: &[u32]) -> String {
    let list: Vec<_> = pids.iter().map(ToString::to_string).collect();
    format!("{} {}", if pids.len() == 1 { "process" } else { "processes" }, list.join(", "))
}
