//! The program of before beside this one, as on a machine that is upgraded while desks and agents run.

use std::path::Path;
use std::process::Stdio;

use alongside_rig::desk::Desk;
use alongside_rig::json_lines_process::JsonLinesProcess;
use alongside_rig::older_program::older_program;
use alongside_rig::wait::PATIENCE;
use alongside_rig::{Sandbox, alongside_bin, or_skip};
use anyhow::{Context as _, Result};
use rustix::process::Pid;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Child;

const ORIGINAL: &str = "one\ntwo\nthree\n";
const PROPOSED: &str = "ONE\ntwo\nTHREE\n";
const TYPED: &str = "one!\ntwo\nTHREE\n";

/// A desk for scripts, and the process of its host. It joins the host that is there, or starts one.
async fn desk(sandbox: &Sandbox, program: &Path, name: &str) -> Result<(Desk, Pid)> {
    let mut command = sandbox.command(program);
    command.args(["review", "--json"]);
    let process = JsonLinesProcess::spawn(sandbox, name, &mut command).await?;
    let host = process.pid();
    Ok((Desk::new(process), host))
}

/// A hook of Gemini CLI that is about to write [`PROPOSED`]. The one of before looks for hosts where
/// variables lead, and no option keeps it away from those of the real user: none of theirs serves this
/// project.
async fn hook(sandbox: &Sandbox, program: &Path, file: &Path) -> Result<Child> {
    let mut command = sandbox.command(program);
    command.args(["hook", "gemini"]).env_remove("ALONGSIDE_RUNTIME_DIR");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut hook = sandbox.spawn(&mut command);
    let call = json!({
        "session_id": "s",
        "cwd": sandbox.project(),
        "hook_event_name": "BeforeTool",
        "tool_name": "write_file",
        "tool_input": { "file_path": file, "content": PROPOSED },
    });
    hook.stdin.take().context("piped")?.write_all(call.to_string().as_bytes()).await?;
    Ok(hook)
}

async fn answer(hook: Child) -> Result<Value> {
    let output = tokio::time::timeout(PATIENCE, hook.wait_with_output()).await.context("no answer")??;
    let error = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success() && error.is_empty(), "{:?}: {error}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// A host of one program, with a desk of each, and a hook of each.
async fn work_together(host: &Path, other: &Path) -> Result<()> {
    let sandbox = Sandbox::new();
    let file = sandbox.write("notes.txt", ORIGINAL);
    let (first, theirs) = desk(&sandbox, host, "the desk of the host's program").await?;
    let (second, joined) = desk(&sandbox, other, "the desk of the other program").await?;
    assert_eq!(theirs, joined, "they share one host");

    // A hook and a desk of the other program: what is typed here is accepted there.
    let asking = hook(&sandbox, other, &file).await?;
    let review = second.review_of(PROPOSED).await?;
    assert_eq!(review.original.as_deref(), Some(ORIGINAL));
    let mut accepted = first.review_of(PROPOSED).await?;
    accepted.revision = second.edit(&review, TYPED).await?;
    first.accept(&accepted).await?;
    let told = answer(asking).await?;
    assert_eq!(told["hookSpecificOutput"]["tool_input"]["content"], TYPED, "{told}");
    assert_eq!(second.closed(accepted.id).await?.id, accepted.id);

    // A hook of the host's program, and a person at a desk of the other one.
    std::fs::write(&file, "another\n")?;
    let asking = hook(&sandbox, host, &file).await?;
    second.reject(&second.review_of(PROPOSED).await?).await?;
    let told = answer(asking).await?;
    assert_eq!(told["decision"], "deny", "{told}");
    Ok(())
}

#[tokio::test]
#[ignore = "cargo xtask test --all"]
async fn a_host_of_before_works_with_desks_and_hooks_of_now() -> Result<()> {
    let Some(before) = or_skip(older_program()) else { return Ok(()) };
    work_together(&before, &alongside_bin()?).await
}

#[tokio::test]
#[ignore = "cargo xtask test --all"]
async fn a_host_of_now_works_with_desks_and_hooks_of_before() -> Result<()> {
    let Some(before) = or_skip(older_program()) else { return Ok(()) };
    work_together(&alongside_bin()?, &before).await
}
