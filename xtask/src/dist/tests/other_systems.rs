//! Tests the packages for systems that no program of is run here: their names, and what is in them.

use std::process::Command;

use serde_json::Value;

use super::{Stage, in_npm};
use crate::dist::product::Product;
use crate::dist::{make, names, targets, tools};

/// Returns the names in a zip.
fn in_zip(stage: &Stage, file: &str) -> Vec<String> {
    let file = stage.sandbox.tmp().join("foreign").join(file);
    let list = "import sys, zipfile; print('\\n'.join(zipfile.ZipFile(sys.argv[1]).namelist()))";
    let said = tools::output(Command::new("python3").args(["-c", list]).arg(file)).unwrap();
    said.lines().map(str::to_owned).collect()
}

#[test]
fn packages_for_windows_and_macos_say_how_far_they_were_run() {
    let Some(stage) = Stage::new() else { return };
    let foreign = targets::TARGETS.iter().filter(|target| target.libc == targets::Libc::OfSystem);
    let product =
        |target: &targets::Target| Product { target: target.triple.into(), ..stage.product.clone() };
    let products: Vec<_> = foreign.map(product).collect();
    let out = stage.sandbox.tmp().join("foreign");
    make(&products, &out, None).unwrap();
    let made = names(&out).unwrap();
    let version = &stage.product.version;
    assert!(!made.iter().any(|name| name.ends_with(".deb")), "{made:?}");
    for (npm, program, words) in [
        ("win32-x64", "alongside.exe", "under Wine, and never on Windows"),
        ("darwin-arm64", "alongside", "Nobody has ever run it"),
        ("darwin-x64", "alongside", "Nobody has ever run it"),
    ] {
        let package = out.join(format!("alongside-{npm}-{version}.tgz"));
        assert!(in_npm(&package, "README.md").contains(words), "{npm}");
        assert!(!in_npm(&package, &format!("bin/{program}")).is_empty(), "{npm}");
        let manifest: Value = serde_json::from_str(&in_npm(&package, "package.json")).unwrap();
        let (os, cpu) = npm.split_once('-').unwrap();
        assert_eq!((&manifest["os"][0], &manifest["cpu"][0]), (&os.into(), &cpu.into()));
        assert!(manifest["libc"].is_null(), "npm has none to choose: {manifest}");
    }

    let stem = format!("alongside-{version}-x86_64-pc-windows-gnu");
    let zip = in_zip(&stage, &format!("{stem}.zip"));
    for file in ["alongside.exe", "completions/_alongside.ps1", "LICENSE-MIT", "THIRD-PARTY-LICENSES.txt"] {
        assert!(zip.iter().any(|name| *name == format!("{stem}/{file}")), "{file}: {zip:?}");
    }
    assert!(!zip.iter().any(|name| name.ends_with(".1")), "Windows has no reader of manual pages: {zip:?}");
    let wheel = in_zip(&stage, &format!("alongside-{version}-py3-none-win_amd64.whl"));
    let script = format!("alongside-{version}.data/scripts/alongside.exe");
    assert!(wheel.contains(&script) && wheel.iter().any(|name| name.ends_with("/RECORD")), "{wheel:?}");
    for archive in ["aarch64-apple-darwin", "x86_64-apple-darwin"] {
        assert!(made.contains(&format!("alongside-{version}-{archive}.tar.gz")), "{made:?}");
    }
}
