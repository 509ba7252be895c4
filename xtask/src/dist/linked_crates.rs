//! The crates in the program for a target, as cargo reports them.

use std::collections::BTreeSet;
use std::process::Command;

use alongside_testing::chores::{cargo, checkout};
use anyhow::Context as _;
use serde_json::Value;

use super::tools;

/// The crates in a program, ours among them.
#[derive(Debug)]
pub(super) struct Crates {
    /// The packages, as `cargo metadata` describes them.
    pub(super) packages: Vec<Value>,
    /// The nodes of cargo's graph of dependencies.
    pub(super) nodes: Vec<Value>,
}

impl Crates {
    /// Returns the crates of the program for a target.
    ///
    /// # Errors
    /// When cargo fails.
    pub(super) fn of(target: &str) -> anyhow::Result<Self> {
        let linked = linked(target)?;
        let mut metadata = from_checkout("metadata");
        metadata.args(["--format-version", "1", "--filter-platform", target]);
        let mut metadata: Value = serde_json::from_str(&tools::output(&mut metadata)?)?;
        let packages = metadata["packages"].as_array_mut().context("cargo metadata names no packages")?;
        packages.retain(|package| linked.contains(&name_of(package)));
        let packages = std::mem::take(packages);
        let nodes = metadata["resolve"]["nodes"].as_array_mut().context("cargo metadata has no graph")?;
        Ok(Self { packages, nodes: std::mem::take(nodes) })
    }
}

/// Returns the name and the version of a package.
pub(super) fn name_of(package: &Value) -> String {
    let said = |field: &str| package[field].as_str().unwrap_or_default();
    format!("{} {}", said("name"), said("version"))
}

/// Returns the names and versions of the crates in the program.
fn linked(target: &str) -> anyhow::Result<BTreeSet<String>> {
    let mut tree = from_checkout("tree");
    tree.args(["--package", "alongside", "--edges", "normal", "--target", target]);
    let lines = tools::output(tree.args(["--prefix", "none", "--format", "{p}"]))?;
    let crates = lines.lines().filter_map(|line| line.split_once(" v"));
    let crates = crates.map(|(name, rest)| {
        let version = rest.split(' ').next().unwrap_or_default();
        format!("{name} {version}")
    });
    Ok(crates.collect())
}

fn from_checkout(command: &str) -> Command {
    let mut cargo = cargo();
    cargo.args([command, "--locked"]).current_dir(checkout());
    cargo
}
