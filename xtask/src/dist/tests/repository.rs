//! Tests that each package names the repository that its archives are of, and none where there is none.

use std::process::Command;

use super::super::{make, names, targets, tools};
use super::{Stage, in_npm};

/// Returns the manifest of each package in a directory: the text that names the repository, if one does.
fn manifests(stage: &Stage, out: &std::path::Path) -> Vec<String> {
    let version = &stage.product.version;
    let made = names(out).unwrap();
    let read = |mut command: Command| tools::output(&mut command).unwrap();
    let mut texts = Vec::new();
    for name in made.iter().filter(|name| name.ends_with(".tgz")) {
        texts.push(in_npm(&out.join(name), "package.json"));
    }
    for name in made.iter().filter(|name| name.ends_with(".whl")) {
        let mut python = Command::new("python3");
        let script = "import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]).decode())";
        python
            .args(["-c", script])
            .arg(out.join(name))
            .arg(format!("alongside-{version}.dist-info/METADATA"));
        texts.push(read(python).split_once("\n\n").unwrap().0.to_owned());
    }
    for name in made.iter().filter(|name| name.ends_with(".deb")) {
        let mut dpkg = Command::new("dpkg-deb");
        dpkg.arg("--field").arg(out.join(name));
        texts.push(read(dpkg));
    }
    texts
}

#[test]
fn each_package_names_the_repository_of_its_archives() {
    let Some(stage) = Stage::new() else { return };
    if targets::row_of(&stage.product.target).is_none() {
        return alongside_testing::skip("no package is for this machine");
    }
    let without = manifests(&stage, &stage.out);
    let address = "https://forge.example/o/alongside";
    let out = stage.sandbox.tmp().join("published");
    make(stage.products(), &out, Some(&format!("{address}/releases/download/v1"))).unwrap();
    let with = manifests(&stage, &out);
    assert!(!with.is_empty() && with.len() == without.len(), "{with:?}");
    for (with, without) in with.iter().zip(&without) {
        assert!(with.contains(address) && !without.contains("https://"), "{with}\n{without}");
    }
}
