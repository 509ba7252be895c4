//! `cargo xtask rig`: the real agents and the programs that drive them.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::run::must;

/// Programs that tests call, and the Debian packages that bring them.
const PROGRAMS: [(&str, &str); 3] = [("tmux", "tmux"), ("git", "git"), ("npm", "npm")];

/// Installs everything; fails only when something is broken here, not when a registry is out of reach.
pub(crate) fn rig() -> anyhow::Result<()> {
    system_packages();
    match alongside_rig::install() {
        Ok(_) => println!("==> the rig is complete"),
        Err(alongside_rig::InstallError::Unavailable(why)) => {
            println!(
                "SKIPPED: the real agents cannot be installed here ({why}); tests that need them will be skipped"
            );
        }
        Err(broken) => return Err(broken.into()),
    }
    Ok(())
}

/// Installs missing programs where that is possible without asking: on Debian, as root.
fn system_packages() {
    let missing: Vec<_> = PROGRAMS.iter().filter(|(program, _)| !is_there(program)).collect();
    if missing.is_empty() {
        return;
    }
    let names: Vec<_> = missing.iter().map(|(_, package)| *package).collect();
    let installed = is_there("apt-get") && {
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
            "SKIPPED: {} cannot be installed here; install by hand what tests shall not be skipped",
            names.join(", ")
        );
    }
}

fn is_there(program: &str) -> bool {
    let found = |directory: &Path| directory.join(program).is_file();
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|directory| found(&directory)))
        && Command::new(program)
            .arg(if program == "tmux" { "-V" } else { "--version" })
            .stdout(Stdio::null())
            .status()
            .is_ok()
}
