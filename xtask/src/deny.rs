//! What the program is made of: licences, bans and sources of every crate by `deny.toml`, and known
//! advisories where their database can be reached.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::Context as _;

use crate::run::{cargo, run};

/// A release of cargo-deny that understands our `deny.toml`.
const RELEASE: &str = "0.20.2";

/// What came of one part; `None` where it cannot be checked here, which was said.
pub(crate) type Checked = (&'static str, Option<bool>);

/// Checks what can be checked here.
pub(crate) fn deny() -> anyhow::Result<[Checked; 2]> {
    const CRATES: &str = "licences, bans and sources of crates";
    const ADVISORIES: &str = "advisories about crates";
    let Some(program) = installed()? else {
        let why = format!("cargo-deny {RELEASE} is not there and cannot be installed");
        return Ok([CRATES, ADVISORIES].map(|part| skip(part, &why)));
    };
    let deny = |arguments: &[&str]| {
        let mut deny = Command::new(&program);
        deny.args(["--log-level", "error"]).args(arguments);
        deny
    };
    let crates = run(&mut deny(&["check", "licenses", "bans", "sources"]))?.success();
    // Out of reach and out of order look alike, so the database is fetched apart.
    let mut fetch = deny(&["fetch", "db"]);
    let is_reached = fetch.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let advisories = match is_reached.is_ok_and(|status| status.success()) {
        true => (ADVISORIES, Some(run(&mut deny(&["check", "--disable-fetch", "advisories"]))?.success())),
        false => skip(ADVISORIES, "their database cannot be reached (cargo deny fetch db)"),
    };
    Ok([(CRATES, Some(crates)), advisories])
}

fn skip(part: &'static str, why: &str) -> Checked {
    println!("SKIPPED: {part}: {why}");
    (part, None)
}

/// Installs it once, beside the agents of the rig. `None` where it cannot be had.
fn installed() -> anyhow::Result<Option<PathBuf>> {
    let root =
        alongside_rig::install::cache_dir().context("there is no place for cargo-deny")?.join("cargo-deny");
    let program = root.join("bin").join(format!("cargo-deny{}", std::env::consts::EXE_SUFFIX));
    if !is_there(&program) {
        println!("cargo-deny {RELEASE} is compiled, once; that takes some minutes");
        let install = ["install", "--quiet", "--locked", "--version", RELEASE, "--root"];
        let done = run(cargo().args(install).arg(&root).arg("cargo-deny"))?;
        if !done.success() {
            return Ok(None);
        }
    }
    Ok(Some(program))
}

fn is_there(program: &std::path::Path) -> bool {
    let said = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    said.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).trim().ends_with(RELEASE))
}
