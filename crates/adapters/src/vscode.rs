//! VS Code and the editors made of it: an extension, which the editor's own command installs and removes.

mod extension;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use alongside_common::failure::{Hint as _, failure};
use alongside_desk::harmless;
use anyhow::Context as _;
use serde::Deserialize;
use tokio::process::Command;

use super::change;
use super::installed::Installed;
use super::plan::{AdapterState, Plan};
use super::user_environment::UserEnvironment;

/// How long the editor's command may take to install or remove an extension.
const TIMEOUT: Duration = Duration::from_secs(120);

/// The extension's id: publisher and name.
const EXTENSION: &str = "alongside.alongside";

/// An editor of this family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// Visual Studio Code.
    VsCode,
    /// VSCodium.
    VsCodium,
    /// Cursor.
    Cursor,
    /// Windsurf.
    Windsurf,
    /// code-server: VS Code in a browser.
    CodeServer,
}

impl Product {
    pub(super) const ALL: [Self; 5] =
        [Self::VsCode, Self::VsCodium, Self::Cursor, Self::Windsurf, Self::CodeServer];

    /// Its name on the command line and in the ledger.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::VsCode => "vscode",
            Self::VsCodium => "vscodium",
            Self::Cursor => "cursor",
            Self::Windsurf => "windsurf",
            Self::CodeServer => "code-server",
        }
    }

    /// Its name for people.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::VsCode => "VS Code",
            Self::VsCodium => "VSCodium",
            Self::Cursor => "Cursor",
            Self::Windsurf => "Windsurf",
            Self::CodeServer => "code-server",
        }
    }

    pub(super) fn commands(self) -> &'static [&'static str] {
        match self {
            Self::VsCode => &["code", "code-insiders"],
            Self::VsCodium => &["codium"],
            Self::Cursor => &["cursor"],
            Self::Windsurf => &["windsurf"],
            Self::CodeServer => &["code-server"],
        }
    }

    /// The oldest release that the extension runs in. Cursor and Windsurf count their releases in their own
    /// way, and check an extension themselves.
    pub(super) fn oldest(self) -> (u64, u64) {
        match self {
            Self::VsCode | Self::VsCodium => (1, 91),
            // code-server 4.91 holds VS Code 1.91.
            Self::CodeServer => (4, 91),
            Self::Cursor | Self::Windsurf => (0, 0),
        }
    }

    /// The directories of its extensions: those of its windows here, and those of windows of other machines.
    fn extensions(self, user: &UserEnvironment) -> Vec<PathBuf> {
        let below_home: &[&str] = match self {
            Self::VsCode => &[".vscode", ".vscode-insiders", ".vscode-server"],
            Self::VsCodium => &[".vscode-oss", ".vscodium-server"],
            Self::Cursor => &[".cursor", ".cursor-server"],
            Self::Windsurf => &[".windsurf", ".windsurf-server"],
            Self::CodeServer => {
                return vec![user.directory("XDG_DATA_HOME", ".local/share").join("code-server/extensions")];
            }
        };
        below_home.iter().map(|directory| user.home.join(directory).join("extensions")).collect()
    }
}

/// The extension on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledExtension {
    /// The directory that holds it.
    pub directory: PathBuf,
    version: String,
}

/// A row of the editor's `extensions.json`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    identifier: Identifier,
    version: String,
    relative_location: Option<String>,
}

#[derive(Deserialize)]
struct Identifier {
    id: String,
}

/// Our extension, if the editor has it.
///
/// # Errors
/// When the editor's list of extensions cannot be read.
pub fn find(product: Product, user: &UserEnvironment) -> anyhow::Result<Option<InstalledExtension>> {
    find_in(&product.extensions(user))
}

fn find_in(directories: &[PathBuf]) -> anyhow::Result<Option<InstalledExtension>> {
    for extensions in directories {
        let list = extensions.join("extensions.json");
        let Some(text) = change::read(&list)? else { continue };
        let rows: Vec<Row> = serde_json::from_str(&text)
            .with_context(|| format!("cannot read the extensions in {}", list.display()))?;
        let Some(row) = rows.into_iter().find(|row| row.identifier.id.eq_ignore_ascii_case(EXTENSION)) else {
            continue;
        };
        let usual = format!("{EXTENSION}-{}", row.version);
        let name = row.relative_location.into_iter().chain([usual]).find(|name| is_file_name(name));
        let name = name.with_context(|| format!("{} names no directory of ours", list.display()))?;
        return Ok(Some(InstalledExtension { directory: extensions.join(name), version: row.version }));
    }
    Ok(None)
}

/// Whether a name leads to nothing outside of its directory.
fn is_file_name(name: &str) -> bool {
    Path::new(name).file_name().is_some_and(|file_name| file_name == name)
}

pub(super) fn state(
    product: Product,
    user: &UserEnvironment,
    installed: Option<&Installed>,
) -> anyhow::Result<AdapterState> {
    let Some(found) = find(product, user)? else { return Ok(AdapterState::NotInstalled) };
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

/// The extension that is to be installed; none if the editor has it.
///
/// # Errors
/// When this program was built without the extension, or the editor's extensions cannot be read.
pub fn plan(product: Product, user: &UserEnvironment, installed: Option<&Installed>) -> anyhow::Result<Plan> {
    let mut plan = Plan::default();
    if state(product, user, installed)? != AdapterState::Current {
        let built = extension::BUILT.ok_or_else(|| {
            failure(
                "this alongside was built without the extension for VS Code",
                "in its checkout, with npm: `cargo xtask vscode`, then install alongside again",
            )
        })?;
        plan.extension = Some(extension::for_program(built, &user.program)?);
    }
    Ok(plan)
}

/// Has the editor's command install an extension file.
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

/// Has the editor's command remove the extension.
///
/// # Errors
/// When the command is not there, fails, or does not end in time.
pub async fn remove(
    product: Product,
    extension: &InstalledExtension,
    user: &UserEnvironment,
) -> anyhow::Result<()> {
    let command = user.find(product.commands()).ok_or_else(|| {
        failure(
            format!("the command {} is not in PATH, so the extension stays", product.commands()[0]),
            "remove the extension in the editor's view of extensions",
        )
    })?;
    run(&command, &["--uninstall-extension", EXTENSION]).await?;
    // The editor would remove it when it starts the next time.
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
    let output = tokio::time::timeout(TIMEOUT, started.output()).await;
    let line = format!("{} {}", command.display(), args[0]);
    let output = output
        .with_context(|| format!("`{line}` does not end"))?
        .with_context(|| format!("`{line}` does not start"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let last: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).rev().take(4).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    Err(anyhow::anyhow!("{}", harmless::text(&last.join("\n"))))
        .context(format!("`{line}` failed: {}", output.status))
        .hint("run that command by hand to see more")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_editors_own_list_names_the_directory() {
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
        // The directory is removed with the extension: no name may lead out of it.
        for outside in ["..", "/", "../a", "/etc"] {
            fs::write(&list, format!("[{}]", row(EXTENSION, outside))).unwrap();
            let found = find_in(&extensions).unwrap().unwrap();
            assert_eq!(found.directory, extensions[1].join("alongside.alongside-0.0.9"), "{outside}");
        }
        fs::write(list, "{").unwrap();
        assert!(find_in(&extensions).is_err());
    }
}
