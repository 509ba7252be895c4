//! A part of the release matrix: the oldest release with diffs and the newest release of each agent, compared
//! with the committed results of `cargo xtask matrix`.

use std::path::PathBuf;

use alongside_rig::matrix::{Cell, Results, Row, Subject, Tools, prove};
use alongside_rig::{Rig, alongside_bin, claude_code, install_every_release, or_skip};
use anyhow::{Context as _, Result};

/// This release knows only VS Code, sends no token, and reads no file.
#[tokio::test(flavor = "multi_thread")]
async fn gemini_0_1_19_does_what_the_matrix_says() -> Result<()> {
    assert_row("gemini", "0.1.19", |rig| rig.gemini_core("0.1.19")).await
}

/// This release sends no token, and connects over stdio.
#[tokio::test(flavor = "multi_thread")]
async fn qwen_0_0_14_does_what_the_matrix_says() -> Result<()> {
    assert_row("qwen", "0.0.14", |rig| rig.qwen_core("0.0.14")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn gemini_0_61_0_does_what_the_matrix_says() -> Result<()> {
    assert_row("gemini", "0.61.0", |rig| rig.gemini_core("0.61.0")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn qwen_0_24_4_does_what_the_matrix_says() -> Result<()> {
    assert_row("qwen", "0.24.4", |rig| rig.qwen_code("0.24.4")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_2_1_332_does_what_the_matrix_says() -> Result<()> {
    let Some(program) = or_skip(claude_code()) else { return Ok(()) };
    let directory = program.parent().context("the program has no parent directory")?.to_owned();
    assert_row("claude", "2.1.332", |_| directory.clone()).await
}

/// Tests a release. Fails unless the results are the committed ones.
async fn assert_row(agent: &str, version: &str, package: impl Fn(&Rig) -> PathBuf) -> Result<()> {
    let Some(rig) = or_skip(install_every_release()) else { return Ok(()) };
    let results = Results::committed()?;
    let committed = results.row(agent, version).context("the matrix has no such release")?;
    let tools = Tools { alongside: alongside_bin()?, node: rig.node().to_owned() };
    let (agent, version) = (agent.to_owned(), version.to_owned());
    let subject = Subject { agent, version, package: committed.package.clone(), directory: package(&rig) };
    let row = prove(&tools, &subject).await?;
    assert_eq!(row.needs, committed.needs, "what it needs");
    assert_eq!(working(&row), working(committed), "what works of {subject}: {row:#?}");
    Ok(())
}

/// Returns each step, and whether it works.
fn working(row: &Row) -> Vec<(String, bool)> {
    row.cells.iter().map(|(step, cell)| (format!("{step:?}"), *cell == Cell::Works)).collect()
}
