//! The program under test: its path, and its output in a sandbox.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// Returns the `alongside` program under test: `$ALONGSIDE_BIN`, or else the program in the directory of this
/// test's build.
pub fn alongside_bin() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("ALONGSIDE_BIN") {
        return Ok(path.into());
    }
    let name = format!("alongside{}", std::env::consts::EXE_SUFFIX);
    let test = std::env::current_exe()?;
    // target/<profile>/deps/<test>, target/<profile>/<xtask>
    let profile = test.ancestors().skip(1).find(|dir| !dir.ends_with("deps"));
    let profile = profile.context("the test binary is not in a target directory")?;
    let path = profile.join(name);
    if !path.is_file() {
        let release = if profile.ends_with("release") { " --release" } else { "" };
        bail!("{} is missing; build it: cargo build -p alongside{release}", path.display());
    }
    Ok(path)
}

/// Starts the turn hook of an agent at an event of a session, in a process group of its own.
pub fn turn_hook(sandbox: &Sandbox, agent: &str, session: &str, event: &str) -> Result<Child> {
    let input = json!({
        "session_id": session, "turn_id": "t", "cwd": sandbox.project(), "prompt": "go on",
        "hook_event_name": event,
    });
    let mut command = Command::new(alongside_bin()?);
    command.env_clear().envs(sandbox.env()).current_dir(sandbox.project()).process_group(0);
    command.args(["turn", agent, "--state-dir"]).arg(sandbox.home().join(".local/state/alongside"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut hook = command.spawn().context("a hook does not start")?;
    // Fails if the hook has ended.
    let _ = hook
        .stdin
        .take()
        .context("the standard stream is not piped")?
        .write_all(input.to_string().as_bytes());
    Ok(hook)
}

/// Runs `alongside` with these arguments in the sandbox's project, and returns its output.
pub fn alongside(sandbox: &Sandbox, arguments: &[&str]) -> Result<String> {
    let output = run(sandbox, arguments)?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "alongside {} failed: {error}", arguments.join(" "));
    Ok(String::from_utf8(output.stdout)?)
}

/// Returns the companions that `alongside status --json` lists, as a JSON array.
pub fn companions(sandbox: &Sandbox) -> Result<Value> {
    // The exit code is ignored: it only shows whether a companion serves the project.
    let output = run(sandbox, &["status", "--json"])?;
    let status: Value = serde_json::from_slice(&output.stdout)?;
    Ok(status["companions"].clone())
}

fn run(sandbox: &Sandbox, arguments: &[&str]) -> Result<Output> {
    let mut alongside = Command::new(alongside_bin()?);
    alongside.env_clear().envs(sandbox.env()).current_dir(sandbox.project()).args(arguments);
    Ok(alongside.output()?)
}
