//! The public URL of the project. `repository` in `workspace.package` of Cargo.toml is its only source, once
//! it exists; until then, packages name no repository.

use std::fs;

use alongside_testing::chores::checkout;
use anyhow::bail;

/// The placeholder for this URL, and for that of the archives, in formats that require one; no such domain
/// can be registered.
pub(super) const NOWHERE: &str = "https://alongside.invalid";

/// Returns the address that Cargo.toml says, else that of the archives, if they are in a release of a forge.
///
/// # Errors
/// When Cargo.toml names another repository: registries compare a package with the repository that publishes
/// it.
pub(super) fn address(from: Option<&str>) -> anyhow::Result<Option<String>> {
    let manifest = fs::read_to_string(checkout().join("Cargo.toml"))?;
    let of_archives = from.and_then(|from| from.split_once("/releases/download/"));
    choose(said_in(&manifest), of_archives.map(|(repository, _)| repository))
}

fn choose(said: Option<&str>, of_archives: Option<&str>) -> anyhow::Result<Option<String>> {
    match (said, of_archives) {
        (Some(said), Some(other)) if said != other => {
            bail!("Cargo.toml names the repository {said}, and the archives are of {other}")
        }
        _ => Ok(said.or(of_archives).map(str::to_owned)),
    }
}

/// Returns the address in the manifest of the workspace.
fn said_in(manifest: &str) -> Option<&str> {
    let package = manifest.split_once("[workspace.package]\n")?.1;
    let lines = package.lines().take_while(|line| !line.starts_with('['));
    let value = lines.filter_map(|line| line.strip_prefix("repository = \"")).next()?;
    Some(value.split('"').next()?.trim_end_matches('/').trim_end_matches(".git"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other files that name the URL, each with the beginning of the line. A file may have no such line yet.
    const NAMED: [(&str, &str); 4] = [
        ("editors/emacs/alongside.el", ";; URL: "),
        ("editors/vscode/package.json", "  \"repository\": "),
        ("editors/vscode/package.json", "  \"homepage\": "),
        ("editors/vscode/package.json", "    \"package\": "),
    ];

    #[test]
    fn the_manifest_of_the_workspace_says_it_and_the_archives_are_of_it() {
        let manifest =
            "[workspace.package]\nversion = \"1\"\nrepository = \"https://forge.example/o/a.git\"\n[x]\n";
        let said = said_in(manifest);
        assert_eq!(said, Some("https://forge.example/o/a"));
        assert_eq!(said_in("[workspace.package]\n[x]\nrepository = \"https://other\"\n"), None);
        assert_eq!(choose(said, None).unwrap().as_deref(), said);
        assert_eq!(choose(None, said).unwrap().as_deref(), said);
        assert_eq!(choose(said, said).unwrap().as_deref(), said);
        assert!(choose(said, Some("https://forge.example/fork/a")).is_err());
    }

    #[test]
    fn no_file_names_another_address() {
        let read = |name: &str| fs::read_to_string(checkout().join(name)).unwrap();
        let manifest = read("Cargo.toml");
        let address = said_in(&manifest).unwrap_or(NOWHERE);
        for (name, line) in NAMED {
            for said in read(name).lines().filter_map(|said| said.strip_prefix(line)) {
                assert_eq!(said.matches("https://").count(), said.matches(address).count(), "{name}: {said}");
            }
        }
        let crates = fs::read_dir(checkout().join("crates")).unwrap();
        for directory in crates.map(|entry| entry.unwrap().path()).chain([checkout().join("editors")]) {
            let manifest = fs::read_to_string(directory.join("Cargo.toml")).unwrap();
            let is_published = !manifest.contains("\npublish.workspace = true\n");
            let is_named = manifest.contains("\nrepository.workspace = true\n");
            assert_eq!(is_named, is_published && address != NOWHERE, "{}", directory.display());
        }
    }
}
