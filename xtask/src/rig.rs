//! `cargo xtask rig`: installs the real agents, the real editors, and the programs that drive them.

use std::path::Path;
use std::process::{Command, Stdio};

use alongside_rig::{Generation, InstallError};

use crate::run::must;
use crate::vscode;

/// Programs that tests call, and their Debian packages.
const PROGRAMS: [(&str, &str); 6] = [
    ("tmux", "tmux"),
    ("git", "git"),
    ("npm", "npm"),
    ("zsh", "zsh"),
    ("fish", "fish"),
    ("valgrind", "valgrind"),
];

/// Options of `cargo xtask rig`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Install only the editors.
    #[arg(long)]
    editors: bool,
}

/// Installs everything, or only the editors.
pub(crate) fn install(options: &Options) -> anyhow::Result<()> {
    if options.editors { editors() } else { rig() }
}

/// Installs everything. It fails when something is broken here, but not when a registry is out of reach.
pub(crate) fn rig() -> anyhow::Result<()> {
    system_packages();
    if available("the real agents", alongside_rig::install())?.is_some() {
        println!("==> the real agents are complete");
    }
    vscode::build_or_skip("tests that need it will be skipped")?;
    editors()
}

fn editors() -> anyhow::Result<()> {
    let Some(editors) = available("the editors", alongside_rig::install_editors())? else {
        return Ok(());
    };
    for generation in [Generation::Oldest, Generation::Newest] {
        for editor in [editors.neovim(generation), editors.helix(generation)] {
            println!("==> {} {}", editor.command(), editor.version);
        }
    }
    let others = [
        ("Emacs", alongside_rig::install_emacs(Generation::Newest)),
        ("Vim", alongside_rig::install_vim(Generation::Newest)),
    ];
    for (name, installed) in others {
        if let Some(editor) = available(name, installed)? {
            println!("==> {} {}", editor.command(), editor.version);
        }
    }
    if available("code-server and Chromium", alongside_rig::install_code_server())?.is_some() {
        println!("==> code-server and Chromium are complete");
    }
    if let Some(kate) = available("Kate", alongside_rig::install_kate())? {
        println!("==> kate {}", kate.version());
    }
    if let Some(kakoune) = available("Kakoune", alongside_rig::install_kakoune())? {
        println!("==> {} {}", kakoune.editor.command(), kakoune.editor.version);
    }
    Ok(())
}

/// The installation, or `None` with a message when this machine cannot have it.
fn available<T>(what: &str, installed: Result<T, InstallError>) -> anyhow::Result<Option<T>> {
    match installed {
        Ok(installed) => Ok(Some(installed)),
        Err(InstallError::Unavailable(why)) => {
            println!("SKIPPED: cannot install {what} ({why}); tests that need them will be skipped");
            Ok(None)
        }
        Err(broken) => Err(broken.into()),
    }
}

/// Installs missing programs where that needs no question: on Debian, as root.
fn system_packages() {
    let missing: Vec<_> = PROGRAMS.iter().filter(|(program, _)| !is_installed(program)).collect();
    if missing.is_empty() {
        return;
    }
    let names: Vec<_> = missing.iter().map(|(_, package)| *package).collect();
    let installed = is_installed("apt-get") && {
        let apt = || {
            let mut apt = Command::new("apt-get");
            apt.env("DEBIAN_FRONTEND", "noninteractive").arg("-q");
            apt
        };
        must(apt().arg("update")).is_ok()
            && must(apt().args(["install", "-y", "--no-install-recommends"]).args(&names)).is_ok()
    };
    if !installed {
        println!(
            "SKIPPED: cannot install {}; install them by hand, or tests that need them will be skipped",
            names.join(", ")
        );
    }
}

fn is_installed(program: &str) -> bool {
    let found = |directory: &Path| directory.join(program).is_file();
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|directory| found(&directory)))
        && Command::new(program)
            .arg(if program == "tmux" { "-V" } else { "--version" })
            .stdout(Stdio::null())
            .status()
            .is_ok()
}
