//! The recipes of package managers that have no package of ours yet: `packaging/recipes`, filled in with the
//! version, the URLs of the archives and their checksums. None is published.

use std::fs;
use std::path::Path;

use alongside_testing::chores::checkout;
use anyhow::{Context as _, bail, ensure};

use super::archive;
use super::repository_url::NOWHERE;

/// Their directory, beside the packages.
pub(super) const DIRECTORY: &str = "recipes";

/// A recipe is filled in from its file in `packaging/recipes`, and written where its package manager looks.
const RECIPES: [(&str, &str); 8] = [
    ("alongside.rb", "homebrew/alongside.rb"),
    ("PKGBUILD", "aur/PKGBUILD"),
    ("SRCINFO", "aur/.SRCINFO"),
    ("flake.nix", "nix/flake.nix"),
    ("mise.toml", "mise/mise.toml"),
    ("winget/version.yaml", "winget/Alongside.Alongside.yaml"),
    ("winget/installer.yaml", "winget/Alongside.Alongside.installer.yaml"),
    ("winget/defaultLocale.yaml", "winget/Alongside.Alongside.locale.en-US.yaml"),
];

/// Writes the recipes for the archives that `sums`, the content of SHA256SUMS, lists. A recipe for a target
/// without an archive is skipped with a message.
pub(super) fn make(
    sums: &str,
    version: &str,
    from: Option<&str>,
    repository: Option<&str>,
    out: &Path,
) -> anyhow::Result<()> {
    let from = from.unwrap_or(NOWHERE).trim_end_matches('/');
    let facts = Facts { sums, version, from, home: repository.unwrap_or(from) };
    for (name, place) in RECIPES {
        let template = fs::read_to_string(checkout().join("packaging/recipes").join(name))?;
        match facts.fill_in(&template)? {
            Ok(recipe) => {
                let file = out.join(DIRECTORY).join(place);
                fs::create_dir_all(file.parent().context("a file in a directory")?)?;
                fs::write(file, recipe)?;
            }
            Err(target) => println!("SKIPPED: the recipe {place}: there is no archive for {target}"),
        }
    }
    Ok(())
}

struct Facts<'a> {
    sums: &'a str,
    version: &'a str,
    from: &'a str,
    home: &'a str,
}

impl Facts<'_> {
    /// Returns a template with each `@WORD@` replaced; `Err` names a target that it wants and that has no
    /// archive.
    fn fill_in(&self, template: &str) -> anyhow::Result<Result<String, String>> {
        let mut filled = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('@') {
            let (word, after) = after.split_once('@').context("a recipe has an odd number of @")?;
            filled += before;
            match self.value_of(word)? {
                Ok(value) => filled += &value,
                Err(target) => return Ok(Err(target)),
            }
            rest = after;
        }
        Ok(Ok(filled + rest))
    }

    fn value_of(&self, word: &str) -> anyhow::Result<Result<String, String>> {
        let (kind, target) = word.split_once(':').unwrap_or((word, ""));
        let file = archive::file_name(self.version, target);
        Ok(match kind {
            "VERSION" => Ok(self.version.to_owned()),
            // Arch's versions have no hyphen.
            "PKGVER" => Ok(self.version.replace('-', "")),
            "FROM" => Ok(self.from.to_owned()),
            "HOME" => Ok(self.home.to_owned()),
            "ARCHIVE" => self.sum_of(&file)?.map(|_| file).ok_or_else(|| target.to_owned()),
            "SHA256" => self.sum_of(&file)?.map(str::to_owned).ok_or_else(|| target.to_owned()),
            _ => bail!("a recipe has the unknown word @{word}@"),
        })
    }

    /// Returns the checksum of a file; `None` if there is no such file.
    fn sum_of(&self, file: &str) -> anyhow::Result<Option<&str>> {
        let Some((sum, _)) =
            self.sums.lines().filter_map(|line| line.split_once("  ")).find(|(_, name)| *name == file)
        else {
            return Ok(None);
        };
        ensure!(sum.len() == 64, "{file} has no SHA-256 but {sum}");
        Ok(Some(sum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: &str = "x86_64-unknown-linux-gnu";

    fn fill_in(template: &str) -> anyhow::Result<Result<String, String>> {
        let sums = format!("{}  alongside-0.2.0-rc.1-{TARGET}.tar.gz\n", "a".repeat(64));
        let home = "https://forge.example/o/alongside";
        let from = format!("{home}/releases/download/v0.2.0-rc.1");
        Facts { sums: &sums, version: "0.2.0-rc.1", from: &from, home }.fill_in(template)
    }

    #[test]
    fn words_of_a_recipe_are_replaced() {
        let filled =
            fill_in(&format!("@VERSION@ @PKGVER@ @HOME@\n@FROM@/@ARCHIVE:{TARGET}@ @SHA256:{TARGET}@"));
        let wanted = format!(
            "0.2.0-rc.1 0.2.0rc.1 https://forge.example/o/alongside\n\
             https://forge.example/o/alongside/releases/download/v0.2.0-rc.1/\
             alongside-0.2.0-rc.1-{TARGET}.tar.gz {}",
            "a".repeat(64)
        );
        assert_eq!(filled.unwrap(), Ok(wanted));
    }

    #[test]
    fn a_recipe_without_its_archive_is_not_made() {
        assert_eq!(fill_in("@SHA256:z80-unknown-none@").unwrap(), Err("z80-unknown-none".to_owned()));
        assert!(fill_in("@OTHER@").is_err() && fill_in("one @").is_err());
    }
}
