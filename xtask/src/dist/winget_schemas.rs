//! The schemas of WinGet's manifests, against which `dist --try` checks ours. They are fetched once, below
//! the rig's cache, and never kept in the repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use alongside_testing::chores::cache_directory;
use anyhow::{Context as _, ensure};

use super::tools;

/// Their place at one commit of their owner. The version is that of our manifest, `packaging/recipes/winget`.
const FROM: &str = "https://raw.githubusercontent.com/microsoft/winget-cli/\
                    fa3d9e511d1bd9bed2f1b72e9f0fa25323e7f3eb/schemas/JSON/manifests/v1.10.0";

/// Their files, each with its SHA-256.
const SCHEMAS: [(&str, &str); 3] = [
    ("manifest.version.1.10.0.json", "330a3ece4ed602afb0c4f35290d14dec1e188e7b3c2fb330893ac3daac82b547"),
    ("manifest.installer.1.10.0.json", "cca7bea1fbdaa18a3d5231de7f9f896b1dd41283c33a03a0565771861d393b31"),
    (
        "manifest.defaultLocale.1.10.0.json",
        "77e406d25b35f908f70fb893335155e9e8a83aa59a6f3e9f959692e995e51e3c",
    ),
];

/// Returns the directory with the schemas, which are fetched where they are missing.
///
/// # Errors
/// When the schemas cannot be fetched, or have other checksums than the ones that a person read.
pub(super) fn schemas() -> anyhow::Result<PathBuf> {
    let cache = cache_directory().context("neither XDG_CACHE_HOME nor HOME is an absolute path")?;
    let directory = cache.join("winget-schemas-1.10.0");
    if are_whole(&directory).is_ok() {
        return Ok(directory);
    }
    fs::create_dir_all(&directory)?;
    for (name, _) in SCHEMAS {
        let mut curl = Command::new("curl");
        curl.args(["--fail", "--silent", "--show-error", "--location", "--max-time", "30", "--output"]);
        tools::run(curl.arg(directory.join(name)).arg(format!("{FROM}/{name}")))?;
    }
    are_whole(&directory)?;
    Ok(directory)
}

fn are_whole(directory: &Path) -> anyhow::Result<()> {
    for (name, wanted) in SCHEMAS {
        let said = tools::output(Command::new("sha256sum").arg("--").arg(directory.join(name)))?;
        let sum = said.split_whitespace().next().unwrap_or_default();
        ensure!(sum == wanted, "{name} is not the schema that was read: its SHA-256 is {sum}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use alongside_testing::chores::checkout;

    use super::*;

    #[test]
    fn the_schemas_are_those_of_the_manifest() {
        for (name, _) in SCHEMAS {
            let kind = name.split('.').nth(1).unwrap();
            let recipe = checkout().join(format!("packaging/recipes/winget/{kind}.yaml"));
            let recipe = fs::read_to_string(recipe).unwrap();
            let version = name.strip_prefix(&format!("manifest.{kind}.")).unwrap().strip_suffix(".json");
            let said = recipe.lines().find_map(|line| line.strip_prefix("ManifestVersion: "));
            assert_eq!(said, version, "{kind}");
        }
    }

    #[test]
    fn other_schemas_than_those_that_were_read_are_refused() {
        let directory = alongside_rig::Sandbox::new();
        assert!(are_whole(&directory.tmp()).is_err(), "there is none");
        for (name, _) in SCHEMAS {
            fs::write(directory.tmp().join(name), "{}").unwrap();
        }
        let why = are_whole(&directory.tmp()).unwrap_err().to_string();
        assert!(why.contains("is not the schema that was read"), "{why}");
    }
}
