//! The official conformance suite. Five of its scenarios apply to a companion; the others call tools, prompts
//! and resources of the suite's own sample server.

use std::process::Stdio;
use std::time::Duration;

use alongside_rig::companion::CompanionProcess;
use alongside_rig::{Rig, Sandbox};
use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::{COMPANION, proxy};

const PATIENCE: Duration = Duration::from_secs(60);

async fn passes(rig: Rig, scenario: &str) -> Result<()> {
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
    let run = sandbox.spawn(&mut command).wait_with_output();
    let run = tokio::time::timeout(PATIENCE, run).await;
    let run =
        run.with_context(|| format!("awaited the end of the scenario {scenario} for {PATIENCE:?}"))??;
    let said = String::from_utf8_lossy(&run.stdout);
    ensure!(
        run.status.success(),
        "{scenario}: {}\n{said}\n{}",
        run.status,
        String::from_utf8_lossy(&run.stderr)
    );

    let report = std::fs::read_dir(&results)?.next().context("the suite wrote no report")??;
    let report = std::fs::read(report.path().join("checks.json"))?;
    let checks: Vec<Value> = serde_json::from_slice(&report)?;
    let with = |status: &str| checks.iter().filter(|check| check["status"] == status).count();
    assert!(with("SUCCESS") > 0 && with("FAILURE") == 0 && with("WARNING") == 0, "{scenario}: {checks:#?}");
    Ok(())
}

crate::tests_with_rig! { passes:
    conformance_server_initialize: "server-initialize",
    conformance_ping: "ping",
    conformance_tools_list: "tools-list",
    conformance_several_streams: "server-sse-multiple-streams",
    conformance_dns_rebinding: "dns-rebinding-protection",
}
