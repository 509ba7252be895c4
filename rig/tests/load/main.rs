//! A small part of `cargo xtask load`, and the file limit: the host raises its own limit for a thousand
//! agents, and leaves the limits of other programs as they are.

use std::time::Duration;

use alongside_rig::load::{Plan, run};
use alongside_rig::{Sandbox, alongside_bin};
use anyhow::{Context as _, Result};

#[tokio::test(flavor = "multi_thread")]
async fn fifty_agents_are_served_beside_slow_ones() -> Result<()> {
    let plan = Plan { sessions: 50, seconds: 8, pace: Duration::from_secs(2), vanish: false };
    let report = run(plan, &alongside_bin()?, std::future::pending(), |_| {}).await?;
    assert!(report.broken.is_empty(), "{report}");
    let diffs: u64 = report.minutes.iter().map(|minute| minute.diffs).sum();
    assert!(diffs > 50, "nobody did anything: {report}");
    assert!(report.open[1] >= 100, "each agent takes two connections: {report}");
    Ok(())
}

/// Prints the file limits of an agent and of its companion.
const AGENT: &str = r#"
ulimit -S -n
host=$(grep -o '"pid":[0-9]*' "$ALONGSIDE_RUNTIME_DIR"/*.json | head -n 1 | tr -dc 0-9)
awk '/^Max open files/ { print $4, $5 }' "/proc/$host/limits"
"#;

#[tokio::test]
async fn host_raises_its_file_limit_and_agents_keep_theirs() -> Result<()> {
    let sandbox = Sandbox::new();
    let mut shell = sandbox.command("sh");
    shell.args(["-c", r#"ulimit -S -n 300; exec "$0" run --no-desk -- sh -c "$1""#]);
    let output = shell.arg(alongside_bin()?).arg(AGENT).output().await?;
    let limits = String::from_utf8(output.stdout)?;
    let mut lines = limits.lines();
    assert_eq!(lines.next(), Some("300"), "the agent's limit: {output:?}", output = output.stderr);
    let host = lines.next().context("the output has no line about the host")?;
    let (soft, hard) =
        host.split_once(' ').context("the line about the host lacks the soft or the hard limit")?;
    let expected = hard.parse::<u64>().map_or(65_536, |hard| hard.min(65_536));
    assert_eq!(soft, expected.to_string(), "of {hard}");
    Ok(())
}
