//! `alongside check` drives a real Neovim by the script of docs/conformance.md, and finds no fault in
//! Neovim's companion.

use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_conformance::CHECKS;
use alongside_rig::tmux::Pane;
use alongside_rig::{Editor, Generation, adapters, agent_cli, alongside_bin};
use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::stage::Stage;

/// The script of docs/conformance.md. A test of `alongside-conformance` compares it with the page.
const DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/examples/drive-neovim.sh");

/// The time limit of a whole run. Checks wait for a minute until the companion forgets an agent, and for 30 s
/// until a host gives up a killed editor.
const PATIENCE: Duration = Duration::from_secs(400);

alongside_rig::tests! {
    #[ignore = "cargo xtask test --all"]
    nothing_is_wrong_in_the_oldest_neovim: assert_conforms(Generation::Oldest),
    #[ignore = "cargo xtask test --all"]
    nothing_is_wrong_in_the_newest_neovim: assert_conforms(Generation::Newest),
}

/// The script has every action, so every check must pass. A check that could not be judged because this
/// machine was late is run again.
fn assert_conforms(generation: Generation) -> Result<()> {
    let Some(stage) = Stage::new_or_skip(generation)? else { return Ok(()) };
    let pane = listening_neovim(&stage, &stage.editors.neovim(generation))?;
    let drive = format!("sh '{}'", Path::new(DRIVER).canonicalize()?.display());
    let mut all = checks(&stage, &["--drive", &drive])?;
    assert_eq!(all.len(), CHECKS.len());
    // The last action has ended Neovim.
    stage.wait_until_closed(&pane)?;
    for _ in 0..3 {
        let (late, judged): (Vec<_>, Vec<_>) = all.into_iter().partition(is_late);
        assert_passed(&judged);
        let again: Vec<&str> =
            late.iter().flat_map(|check| ["--only", check["id"].as_str().unwrap()]).collect();
        if again.is_empty() {
            return Ok(());
        }
        let pane = listening_neovim(&stage, &stage.editors.neovim(generation))?;
        all = checks(&stage, &[&["--drive", &drive], &again[..]].concat())?;
        pane.enter(":qa!")?;
        stage.wait_until_closed(&pane)?;
    }
    assert_passed(&all);
    Ok(())
}

/// Whether a check could not be judged because this machine was late.
fn is_late(check: &Value) -> bool {
    check["reason"].as_str().is_some_and(|why| why.starts_with("this machine was too busy"))
}

/// The host releases the agents of a killed editor after its grace period.
#[test]
#[ignore = "cargo xtask test --all"]
fn agents_of_a_killed_neovim_are_released() -> Result<()> {
    let Some(stage) = Stage::new_or_skip(Generation::Newest)? else { return Ok(()) };
    let editor = stage.editors.neovim(Generation::Newest);
    let _pane = listening_neovim(&stage, &editor)?;
    let neovim: Vec<_> = stage.processes_of(&editor).iter().map(i32::to_string).collect();
    assert_eq!(neovim.len(), 2, "its interface, and what runs plugins");
    let killer = format!("kills() {{ kill -KILL {}; }}; kills", neovim.join(" "));
    let checks = checks(&stage, &["--only", "stop", "--drive", &killer])?;
    assert_passed(&checks);
    assert_eq!(checks.len(), 4);
    Ok(())
}

/// Starts Neovim, set up as on the page, and waits for its companion.
fn listening_neovim(stage: &Stage, editor: &Editor) -> Result<Pane> {
    adapters::neovim(&stage.sandbox, "")?;
    let pane = stage.terminal.window(editor.command, (100, 30))?;
    pane.enter(&format!("clear; nvim --listen {} notes.md", socket(stage).display()))?;
    pane.wait_for("the file", |screen| screen.contains("\nfifteen"))?;
    stage.wait_until_served(1)?;
    Ok(pane)
}

fn socket(stage: &Stage) -> PathBuf {
    stage.sandbox.run().join("nvim.sock")
}

/// Runs `alongside check` in the project, and returns the checks in its report.
fn checks(stage: &Stage, arguments: &[&str]) -> Result<Vec<Value>> {
    let mut check = stage.sandbox.command(alongside_bin()?);
    check.args(["check", "--json"]).args(arguments);
    check.envs([agent_cli::path_variable(&stage.sandbox)?]).env("NVIM_SOCKET", socket(stage));
    check.stdin(std::process::Stdio::null());
    let runtime = tokio::runtime::Runtime::new()?;
    let output = runtime.block_on(async { tokio::time::timeout(PATIENCE, check.output()).await });
    let output = output.context("the checks do not end")??;
    let report: Value = serde_json::from_slice(&output.stdout).with_context(|| {
        let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        format!("no report, but {out}{error}")
    })?;
    let checks = report["checks"].as_array().cloned().context("the report has no checks")?;
    assert!(report["conforms"] == true || checks.iter().any(|check| check["verdict"] == "fail"));
    Ok(checks)
}

/// Fails unless every check passed: none may have failed, be skipped or be impossible.
fn assert_passed(checks: &[Value]) {
    let others = checks.iter().filter(|check| check["verdict"] != "pass").map(|check| {
        format!("{}: {} {} {:#}", check["id"], check["verdict"], check["reason"], check["evidence"])
    });
    let others: Vec<_> = others.collect();
    assert!(others.is_empty(), "{}", others.join("\n"));
}
