//! VS Code and its forks: the adapter is an extension, which the editor's own command installs and removes.

mod extension;

use std::fs;
use std::future::ready;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use alongside_common::failure::{Hint as _, failure};
use alongside_desk::harmless;
use anyhow::Context as _;
use serde::Deserialize;
use tokio::process::Command;

use super::change;
use super::editor::{Editor, Extensions, Request, TerminalVariable};
use super::installation::Installation;
use super::package;
use super::plan::{AdapterState, Plan};
use super::user_environment::UserEnvironment;

/// The longest run of the editor's command that installs or removes an extension.
const EXTENSION_TIMEOUT: Duration = Duration::from_secs(120);

/// The identifier of the extension: publisher and name.
const EXTENSION: &str = "alongside.alongside";

/// Visual Studio Code.
pub(super) const VSCODE: Editor = Editor {
    id: "vscode",
    name: "VS Code",
    commands: &["code", "code-insiders"],
    process_prefix: None,
    terminal: TerminalVariable::Shared { variable: "TERM_PROGRAM", value: "vscode" },
    oldest: "1.91",
    restart: "Reload the open windows (command Developer: Reload Window)",
    state,
    plan: |request| Box::pin(ready(plan(request))),
    remove: package::stays,
    package_of: None,
    missing_program: |_| None,
    own_directory: None,
    directories_made_by_queries: None,
    extensions: Some(Extensions::BelowHome(&[".vscode", ".vscode-insiders", ".vscode-server"])),
};

/// VSCodium.
pub(super) const VSCODIUM: Editor = Editor {
    id: "vscodium",
    name: "VSCodium",
    commands: &["codium"],
    extensions: Some(Extensions::BelowHome(&[".vscode-oss", ".vscodium-server"])),
    ..VSCODE
};

/// Cursor. Cursor and Windsurf number their releases in another way, so `oldest` refuses none. Both editors
/// check whether an extension suits their release.
pub(super) const CURSOR: Editor = Editor {
    id: "cursor",
    name: "Cursor",
    commands: &["cursor"],
    oldest: "0.0",
    extensions: Some(Extensions::BelowHome(&[".cursor", ".cursor-server"])),
    ..VSCODE
};

/// Windsurf.
pub(super) const WINDSURF: Editor = Editor {
    id: "windsurf",
    name: "Windsurf",
    commands: &["windsurf"],
    oldest: "0.0",
    extensions: Some(Extensions::BelowHome(&[".windsurf", ".windsurf-server"])),
    ..VSCODE
};

/// code-server: VS Code in a browser. Release 4.91 of code-server holds VS Code 1.91.
pub(super) const CODE_SERVER: Editor = Editor {
    id: "code-server",
    name: "code-server",
    commands: &["code-server"],
    oldest: "4.91",
    extensions: Some(Extensions::BelowData("code-server/extensions")),
    ..VSCODE
};

impl Extensions {
    fn directories(self, user: &UserEnvironment) -> Vec<PathBuf> {
        match self {
            Self::BelowHome(directories) => {
                directories.iter().map(|directory| user.home.join(directory).join("extensions")).collect()
            }
            Self::BelowData(directory) => {
                vec![user.directory("XDG_DATA_HOME", ".local/share").join(directory)]
            }
        }
    }
}

/// Our extension on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledExtension {
    /// The directory of the extension.
    pub directory: PathBuf,
    version: String,
}

/// An entry of the editor's `extensions.json`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExtensionEntry {
    identifier: Identifier,
    version: String,
    relative_location: Option<String>,
}

#[derive(Deserialize)]
struct Identifier {
    id: String,
}

/// Returns our extension, if the editor has it.
///
/// # Errors
/// When the editor's list of extensions cannot be read.
pub fn find(editor: &Editor, user: &UserEnvironment) -> anyhow::Result<Option<InstalledExtension>> {
    let directories = editor.extensions.map(|extensions| extensions.directories(user));
    find_in(&directories.unwrap_or_default())
}

fn find_in(directories: &[PathBuf]) -> anyhow::Result<Option<InstalledExtension>> {
    for extensions in directories {
        let list = extensions.join("extensions.json");
        let Some(text) = change::read(&list)? else { continue };
        let entries: Vec<ExtensionEntry> = serde_json::from_str(&text)
            .with_context(|| format!("cannot read the extensions in {}", list.display()))?;
        let is_ours = |entry: &ExtensionEntry| entry.identifier.id.eq_ignore_ascii_case(EXTENSION);
        let Some(entry) = entries.into_iter().find(is_ours) else {
            continue;
        };
        let default = format!("{EXTENSION}-{}", entry.version);
        let name = entry.relative_location.into_iter().chain([default]).find(|name| is_file_name(name));
        let name = name.with_context(|| format!("{} names no directory of ours", list.display()))?;
        return Ok(Some(InstalledExtension { directory: extensions.join(name), version: entry.version }));
    }
    Ok(None)
}

/// Whether `name` is one path component, which cannot lead out of its directory.
fn is_file_name(name: &str) -> bool {
    Path::new(name).file_name().is_some_and(|file_name| file_name == name)
}

fn state(
    editor: &Editor,
    user: &UserEnvironment,
    installed: Option<&Installation>,
) -> anyhow::Result<AdapterState> {
    let Some(found) = find(editor, user)? else { return Ok(AdapterState::NotInstalled) };
    if installed.is_none() {
        return Ok(AdapterState::ByHand { at: found.directory });
    }
    let is_current =
        found.version == env!("CARGO_PKG_VERSION") && extension::is_ours(&found.directory, &user.program)?;
    match is_current {
        true => Ok(AdapterState::Current),
        false => Ok(AdapterState::Outdated { by: found.version }),
    }
}

/// Plans to install the extension; the plan is empty if the editor has it.
///
/// # Errors
/// When this program was built without the extension, or the editor's extensions cannot be read.
fn plan(Request { editor, user, installed, .. }: Request<'_>) -> anyhow::Result<Plan> {
    let mut plan = Plan::default();
    if state(editor, user, installed)? != AdapterState::Current {
        let built = alongside_editors::VSCODE.ok_or_else(|| {
            failure(
                "this alongside was built without the extension for VS Code",
                "in its checkout, with npm: `cargo xtask vscode`, then install alongside again",
            )
        })?;
        plan.extension = Some(extension::for_program(built, &user.program)?);
    }
    Ok(plan)
}

/// Runs the editor's command that installs the extension file `vsix`.
///
/// # Errors
/// When the command does not start, fails, or does not end in time.
pub async fn install(command: &Path, vsix: &[u8]) -> anyhow::Result<()> {
    let directory = tempfile::tempdir().context("cannot make a temporary directory")?;
    let file = directory.path().join("alongside.vsix");
    fs::write(&file, vsix).with_context(|| format!("cannot write {}", file.display()))?;
    // Without --force, VS Code asks before it replaces a newer version.
    run(command, &["--install-extension", &file.display().to_string(), "--force"]).await
}

/// Runs the editor's command that removes the extension.
///
/// # Errors
/// When the command is not in PATH, fails, or does not end in time.
pub async fn remove(
    editor: &Editor,
    extension: &InstalledExtension,
    user: &UserEnvironment,
) -> anyhow::Result<()> {
    let command = user.find(editor.commands).ok_or_else(|| {
        let command = editor.commands.first().unwrap_or(&editor.id);
        failure(
            format!("the command {command} is not in PATH, so the extension stays"),
            "remove the extension in the editor's view of extensions",
        )
    })?;
    run(&command, &["--uninstall-extension", EXTENSION]).await?;
    // The editor would remove the directory only at its next start.
    match fs::remove_dir_all(&extension.directory) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", extension.directory.display()))
        }
        _ => Ok(()),
    }
}

async fn run(command: &Path, args: &[&str]) -> anyhow::Result<()> {
    let mut started = Command::new(command);
    started.args(args).stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(EXTENSION_TIMEOUT, started.output()).await;
    let line = format!("{} {}", command.display(), args[0]);
    let output = output
        .with_context(|| format!("`{line}` does not end"))?
        .with_context(|| format!("`{line}` does not start"))?;
    if output.status.success() {
        return Ok(());
    }
    let printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let last: Vec<&str> = printed.lines().filter(|line| !line.trim().is_empty()).rev().take(4).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    Err(anyhow::anyhow!("{}", harmless::text(&last.join("\n"))))
        .context(format!("`{line}` failed: {}", output.status))
        .hint("run that command by hand to see more")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_json_names_the_directory_of_our_extension() {
        let home = tempfile::tempdir().unwrap();
        let extensions = [home.path().join("one"), home.path().join("other")];
        assert_eq!(find_in(&extensions).unwrap(), None);
        fs::create_dir_all(&extensions[1]).unwrap();
        let row = |id: &str, name: &str| {
            format!(
                r#"{{"identifier":{{"id":"{id}"}},"version":"0.0.9","relativeLocation":"{name}","more":1}}"#
            )
        };
        let list = extensions[1].join("extensions.json");
        fs::write(&list, format!("[{},{}]", row("other.one", "o"), row("Alongside.alongside", "a"))).unwrap();
        let found = find_in(&extensions).unwrap().unwrap();
        assert_eq!((found.directory, found.version.as_str()), (extensions[1].join("a"), "0.0.9"));
        fs::write(&list, format!("[{}]", row("other.one", "o"))).unwrap();
        assert_eq!(find_in(&extensions).unwrap(), None);
        // The directory is removed with the extension, so no name may lead to another directory.
        for outside in ["..", "/", "../a", "/etc"] {
            fs::write(&list, format!("[{}]", row(EXTENSION, outside))).unwrap();
            let found = find_in(&extensions).unwrap().unwrap();
            assert_eq!(found.directory, extensions[1].join("alongside.alongside-0.0.9"), "{outside}");
        }
        fs::write(list, "{").unwrap();
        assert!(find_in(&extensions).is_err());
    }
}
