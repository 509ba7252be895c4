//! Tests the wheel for PyPI as pip installs it.

use std::fs;
use std::process::Command;

use alongside_testing::skip;

use super::super::{names, targets, tools};
use super::{Stage, succeeded};

#[test]
fn pip_installs_the_program_with_its_pages_and_no_network() {
    let Some(stage) = Stage::new() else { return };
    if targets::row_of(&stage.product.target).is_none() {
        return skip("no wheel is for this machine");
    }
    if tools::output(Command::new("python3").args(["-m", "pip", "--version"])).is_err() {
        return skip("Python's pip is not installed");
    }
    let to = stage.sandbox.tmp().join("site");
    let mut pip = stage.command("python3");
    let words = "-m pip install --no-index --disable-pip-version-check --no-warn-script-location";
    pip.args(words.split(' '));
    succeeded(pip.arg("--target").arg(&to).arg("--find-links").arg(&stage.out).arg("alongside").output());

    succeeded(stage.command(to.join("bin/alongside")).arg("demo").output());
    for file in [
        "share/man/man1/alongside-review.1".to_owned(),
        "share/bash-completion/completions/alongside".to_owned(),
        format!("alongside-{}.dist-info/licenses/THIRD-PARTY-LICENSES.txt", stage.product.version),
    ] {
        assert!(to.join(&file).is_file(), "{file}");
    }
    let record = to.join(format!("alongside-{}.dist-info/RECORD", stage.product.version));
    let record = fs::read_to_string(record).unwrap();
    assert!(!record.contains(".py,"), "no code of Python is in it: {record}");
}

#[test]
fn a_wheel_is_named_after_the_systems_that_its_program_starts_on() {
    let Some(stage) = Stage::new() else { return };
    let Some(target) = targets::row_of(&stage.product.target) else { return };
    let wheel = format!("alongside-{}-py3-none-{}.whl", stage.product.version, target.wheel);
    let made = names(&stage.out).unwrap();
    assert!(made.contains(&wheel), "{made:?}");
    for target in targets::TARGETS {
        let processor = target.triple.split('-').next().unwrap();
        for system in target.wheel.split('.') {
            let named = match target.node[0] {
                "win32" => "amd64",
                "darwin" if processor == "aarch64" => "arm64",
                _ => processor,
            };
            assert!(system.ends_with(named), "{system}");
            assert_eq!(system.starts_with("musllinux"), target.triple.ends_with("musl"), "{system}");
        }
    }
}
