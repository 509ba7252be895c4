//! `cargo xtask rig`: installs the real agents, the real editors, and the programs that drive them.

use std::path::Path;
use std::process::{Command, Stdio};

use alongside_rig::install::{claude_code, codex, opencode};
use alongside_rig::{Generation, InstallError};
use alongside_testing::chores::run_to_success;

/// The programs that tests call, with their Debian packages.
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
    /// Also install what only `cargo xtask test --all` needs: older releases, Kakoune, Kate and VS Code
    #[arg(long)]
    all: bool,
}

/// Installs the missing parts of the rig. Fails if a part is broken, but not if a registry is unreachable.
pub(crate) fn install(options: &Options) -> anyhow::Result<()> {
    install_system_packages();
    let agents = [
        ("Gemini CLI, Qwen Code and the SDKs", alongside_rig::install().map(drop)),
        ("Claude Code", claude_code().map(drop)),
        ("Codex", codex().map(drop)),
        ("OpenCode", opencode().map(drop)),
    ];
    for (name, installed) in agents {
        report_if_missing(name, installed)?;
    }
    report_if_missing("Neovim and Helix", alongside_rig::install_editors().map(drop))?;
    for generation in [Generation::Oldest, Generation::Newest] {
        report_if_missing("Vim", alongside_rig::install_vim(generation).map(drop))?;
    }
    report_if_missing("Emacs", alongside_rig::install_emacs(Generation::Newest).map(drop))?;
    report_if_missing("delta", alongside_rig::install_delta().map(drop))?;
    if options.all {
        report_if_missing("older releases", alongside_rig::install_every_release().map(drop))?;
        report_if_missing("Kakoune", alongside_rig::install_kakoune().map(drop))?;
        report_if_missing("Kate", alongside_rig::install_kate().map(drop))?;
        report_if_missing("code-server and Chromium", alongside_rig::install_code_server().map(drop))?;
    }
    println!("==> the agents and editors are complete");
    Ok(())
}

/// Prints a line if this machine cannot have a program.
fn report_if_missing(name: &str, installed: Result<(), InstallError>) -> anyhow::Result<()> {
    match installed {
        Err(InstallError::Unavailable(why)) => {
            println!("SKIPPED: cannot install {name} ({why}); tests that need it will be skipped");
            Ok(())
        }
        installed => Ok(installed?),
    }
}

/// Installs missing programs where no password is needed: on Debian, as root.
fn install_system_packages() {
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
        run_to_success(apt().arg("update")).is_ok()
            && run_to_success(apt().args(["install", "-y", "--no-install-recommends"]).args(&names)).is_ok()
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
