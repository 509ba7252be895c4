//! Tests the recipes of package managers, for archives of all targets.

use std::fs;

use super::super::product::Product;
use super::super::recipes::DIRECTORY;
use super::super::{make, names, targets};
use super::Stage;

#[test]
fn each_recipe_names_archives_that_are_there_with_their_checksums() {
    let Some(stage) = Stage::new() else { return };
    let product =
        |target: &targets::Target| Product { target: target.triple.into(), ..stage.product.clone() };
    let products: Vec<_> = targets::TARGETS.iter().map(product).collect();
    let out = stage.sandbox.tmp().join("all");
    let from = "https://forge.example/o/alongside/releases/download/v1";
    make(&products, &out, Some(from)).unwrap();
    let made = names(&out).unwrap();
    let sums = fs::read_to_string(out.join("SHA256SUMS")).unwrap();
    for recipe in ["homebrew/alongside.rb", "aur/PKGBUILD", "aur/.SRCINFO", "nix/flake.nix", "mise/mise.toml"]
    {
        let text = fs::read_to_string(out.join(DIRECTORY).join(recipe)).unwrap();
        assert!(!text.contains('@'), "{recipe}: {text}");
        let words = || text.split(|c: char| c.is_whitespace() || "\"'();".contains(c));
        let archives: Vec<_> = words().filter_map(|word| word.strip_prefix(from)).collect();
        assert_eq!(archives.len(), 2, "{recipe}: {text}");
        for archive in archives {
            let archive = archive.trim_start_matches('/');
            assert!(made.iter().any(|name| name == archive), "{recipe}: {archive}");
            let sum = sums.lines().find_map(|line| line.strip_suffix(&format!("  {archive}"))).unwrap();
            assert!(text.contains(sum), "{recipe}: {archive}");
        }
    }
    let winget = out.join(DIRECTORY).join("winget");
    let installer = fs::read_to_string(winget.join("Alongside.Alongside.installer.yaml")).unwrap();
    let zip = format!("alongside-{}-x86_64-pc-windows-gnu.zip", stage.product.version);
    let sum = sums.lines().find_map(|line| line.strip_suffix(&format!("  {zip}"))).unwrap();
    assert!(installer.contains(&format!("{from}/{zip}")) && installer.contains(sum), "{installer}");
    let unpublished = fs::read_to_string(out.join(DIRECTORY).join("homebrew/alongside.rb")).unwrap();
    assert!(
        unpublished.contains("Unpublished") && unpublished.contains("\"https://forge.example/o/alongside\"")
    );
}

#[test]
fn a_recipe_without_all_its_archives_is_not_made() {
    let Some(stage) = Stage::new() else { return };
    for recipe in ["aur/PKGBUILD", "winget/Alongside.Alongside.yaml"] {
        assert!(!stage.out.join(DIRECTORY).join(recipe).exists(), "{recipe}");
    }
}
