//! The official conformance suite of MCP. Five of its scenarios apply to a companion; the others use tools,
//! prompts and resources of the suite's own sample server.

use std::process::Stdio;
use std::time::Duration;

use alongside_rig::companion::CompanionProcess;
use alongside_rig::{Rig, Sandbox};
use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::{COMPANION, proxy};

/// The time limit of a scenario.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a scenario against a companion. Fails unless every check succeeds.
async fn run_scenario(rig: Rig, scenario: &str) -> Result<()> {
    let sandbox = Sandbox::new();
    let companion = CompanionProcess::start(COMPANION, &sandbox).await?;
    let url = proxy::start(&companion).await?;
    let results = sandbox.tmp().join("results");
    let mut command = sandbox.command(rig.node());
    command.arg(rig.conformance().join("dist/index.js")).args([
        "server",
        "--url",
        &url,
        "--scenario",
        scenario,
    ]);
    command.arg("-o").arg(&results).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let end = sandbox.spawn(&mut command).wait_with_output();
    let output = tokio::time::timeout(PATIENCE, end).await;
    let output =
        output.with_context(|| format!("awaited the end of the scenario {scenario} for {PATIENCE:?}"))??;
    let stdout = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success(),
        "{scenario}: {}\n{stdout}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );

    let report = std::fs::read_dir(&results)?.next().context("the suite wrote no report")??;
    let report = std::fs::read(report.path().join("checks.json"))?;
    let checks: Vec<Value> = serde_json::from_slice(&report)?;
    let count = |status: &str| checks.iter().filter(|check| check["status"] == status).count();
    let is_passed = count("SUCCESS") > 0 && count("FAILURE") == 0 && count("WARNING") == 0;
    assert!(is_passed, "{scenario}: {checks:#?}");
    Ok(())
}

crate::tests_with_rig! { run_scenario:
    conformance_server_initialize: "server-initialize",
    conformance_ping: "ping",
    conformance_tools_list: "tools-list",
    conformance_several_streams: "server-sse-multiple-streams",
    conformance_dns_rebinding: "dns-rebinding-protection",
}
