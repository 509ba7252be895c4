//! `cargo xtask dist --crates`: packs every crate as for a registry, and installs the program from the packed
//! crates, as `cargo install alongside` does. No registry has our crates, so `[patch]` replaces them with the
//! packed ones; crates of others come from the packed lock file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use alongside_testing::chores::{cargo, checkout, run_to_success};
use anyhow::{Context as _, ensure};

use super::{licences, tools};
use crate::systems::target::CHORES;

/// Packs the crates, installs the program from them, and runs its demo.
pub(super) fn try_out(version: &str, targets: &Path) -> anyhow::Result<()> {
    println!("==> the packed crates");
    // Not below a checkout, because cargo would read its manifest for the packed crates.
    let scratch = Scratch::new()?;
    let packed = scratch.0.join("packed");
    pack(&packed)?;
    let names = unpack(&packed.join("package"), version, &scratch.0)?;
    stand_in(&names, version, &scratch.0)?;
    let program = install(&scratch.0, version, targets)?;
    let mut said = Command::new(&program);
    let said = tools::output(said.arg("--version"))?;
    ensure!(said == format!("alongside {version}\n"), "the installed program calls itself {said}");
    let mut demo = Command::new(&program);
    // The program gets an empty home directory.
    demo.arg("demo").env_clear().env("HOME", &scratch.0).env("ALONGSIDE_RUNTIME_DIR", scratch.0.join("run"));
    tools::run(&mut demo)?;
    println!(
        "ok: {} crates are packed, and the program that is installed from them plays its demo",
        names.len()
    );
    Ok(())
}

/// Packs every crate that a registry gets. This compiles nothing: [`install`] does, all at once.
fn pack(out: &Path) -> anyhow::Result<()> {
    let mut pack = cargo();
    pack.args(["package", "--quiet", "--workspace", "--locked", "--no-verify", "--allow-dirty"]);
    pack.args(CHORES.iter().flat_map(|name| ["--exclude", name]));
    run_to_success(pack.arg("--target-dir").arg(out).current_dir(checkout()))
}

/// Unpacks each crate into a directory of its own. Returns their names.
fn unpack(packed: &Path, version: &str, to: &Path) -> anyhow::Result<Vec<String>> {
    let ending = format!("-{version}.crate");
    let mut names = Vec::new();
    for entry in fs::read_dir(packed).with_context(|| format!("cannot read {}", packed.display()))? {
        let entry = entry?;
        let Some(name) =
            entry.file_name().to_str().and_then(|file| file.strip_suffix(&ending)).map(str::to_owned)
        else {
            continue;
        };
        tools::run(Command::new("tar").arg("-xzf").arg(entry.path()).arg("-C").arg(to))?;
        for licence in licences::OWN {
            let text = fs::read(to.join(format!("{name}-{version}")).join(licence));
            let same =
                text.is_ok_and(|text| fs::read(checkout().join(licence)).is_ok_and(|ours| ours == text));
            ensure!(same, "the packed crate {name} lacks {licence}");
        }
        names.push(name);
    }
    ensure!(names.iter().any(|name| name == "alongside"), "cargo has packed no program: {names:?}");
    Ok(names)
}

/// Lets cargo find the packed crates instead of a registry's.
fn stand_in(names: &[String], version: &str, scratch: &Path) -> anyhow::Result<()> {
    let mut patch = String::from("[patch.crates-io]\n");
    for name in names.iter().filter(|name| *name != "alongside") {
        patch += &format!("{name} = {{ path = \"{name}-{version}\" }}\n");
    }
    fs::create_dir(scratch.join(".cargo"))?;
    fs::write(scratch.join(".cargo/config.toml"), patch)?;
    // The packed lock file names a registry that has them.
    let mut relock = cargo();
    run_to_success(
        relock.args(["update", "--quiet", "--workspace"]).current_dir(program_in(scratch, version)),
    )
}

/// Installs the program without optimisation. Returns its path.
fn install(scratch: &Path, version: &str, targets: &Path) -> anyhow::Result<PathBuf> {
    let root = scratch.join("root");
    let mut install = cargo();
    let words = "install --quiet --locked --debug --config profile.dev.debug=false --path .";
    install.args(words.split(' '));
    install.arg("--root").arg(&root).current_dir(program_in(scratch, version));
    // The compiled crates of others stay for the next run.
    install.env("CARGO_TARGET_DIR", targets.join("crates-trial")).stdin(Stdio::null());
    run_to_success(&mut install)?;
    Ok(root.join("bin/alongside"))
}

fn program_in(scratch: &Path, version: &str) -> PathBuf {
    scratch.join(format!("alongside-{version}"))
}

/// A directory that ends with the trial.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> anyhow::Result<Self> {
        let path = std::env::temp_dir().join(format!("alongside-crates-{}", std::process::id()));
        fs::create_dir(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            println!("cannot remove {}: {error}", self.0.display());
        }
    }
}
