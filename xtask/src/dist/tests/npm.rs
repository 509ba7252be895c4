//! Tests the packages for npm as a registry has them.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use alongside_testing::skip;
use serde_json::{Value, json};

use super::super::product::Product;
use super::super::{make, names, targets, tools};
use super::{Stage, in_npm, said, serve, succeeded};

/// The directory below which npm installs for a person.
struct Prefix<'a> {
    stage: &'a Stage,
    directory: PathBuf,
}

impl Prefix<'_> {
    /// Returns the file that npm starts as a person's program.
    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = self.stage.command(self.directory.join("bin/alongside"));
        command.args(arguments).output().unwrap()
    }
}

/// Returns the packages, and the registry that has them and no others.
fn published() -> Option<(Stage, String)> {
    let stage = Stage::new()?;
    if targets::row_of(&stage.product.target).is_none() {
        skip("no package of npm is for this machine");
        return None;
    }
    if !tools::is_installed("npm") {
        skip("npm is not installed");
        return None;
    }
    let directory = stage.sandbox.tmp().join("registry");
    fs::create_dir(&directory).unwrap();
    let url = serve(directory.clone());
    for entry in fs::read_dir(&stage.out).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "tgz") {
            publish(&path, &directory, &url);
        }
    }
    Some((stage, url))
}

/// Adds a package to a registry of files.
fn publish(package: &Path, registry: &Path, url: &str) {
    let mut manifest: Value = serde_json::from_str(&in_npm(package, "package.json")).unwrap();
    let file = package.file_name().unwrap().to_str().unwrap();
    manifest["dist"] = json!({ "tarball": format!("{url}{file}") });
    let (name, version) = (manifest["name"].as_str().unwrap(), manifest["version"].as_str().unwrap());
    let mut about = json!({ "name": name, "dist-tags": { "latest": version } });
    about["versions"] = json!({ version: manifest.clone() });
    fs::write(registry.join(name), about.to_string()).unwrap();
    fs::copy(package, registry.join(file)).unwrap();
}

/// Runs npm to install packages as a person does, with further options.
fn install<'a>(stage: &'a Stage, options: &[&str], packages: &[&str]) -> Prefix<'a> {
    let directory = stage.sandbox.tmp().join("prefix");
    let mut npm = stage.command("npm");
    npm.args(["install", "--global", "--no-audit", "--no-fund", "--prefix"]).arg(&directory);
    succeeded(npm.args(options).args(packages).output());
    Prefix { stage, directory }
}

#[test]
fn npm_installs_the_program_of_this_system_without_a_script() {
    let Some((stage, url)) = published() else { return };
    let prefix = install(&stage, &["--registry", &url, "--ignore-scripts"], &["alongside"]);
    let version = said(&prefix.run(&["--version"]));
    assert!(version.starts_with(&format!("alongside {}", stage.product.version)), "{version}");
    succeeded(Ok(prefix.run(&["demo"])));
    assert_eq!(prefix.run(&["no-such-command"]).status.code(), Some(2));
    assert!(prefix.directory.join("share/man/man1/alongside-review.1").exists());

    let modules = prefix.directory.join("lib/node_modules/alongside");
    let manifest = fs::read_to_string(modules.join("package.json")).unwrap();
    assert!(!manifest.contains("\"scripts\""), "{manifest}");
    assert!(modules.join("LICENSE-MIT").is_file());
}

/// Before anything is published, docs/installation.md installs the files themselves.
#[test]
fn npm_installs_both_files_without_a_registry() {
    let Some((stage, _)) = published() else { return };
    let Some(target) = targets::row_of(&stage.product.target) else { return };
    let [program, launcher] = [format!("-{}", target.node.join("-")), String::new()].map(|name| {
        stage.out.join(format!("alongside{name}-{}.tgz", stage.product.version)).display().to_string()
    });
    let prefix = install(&stage, &["--offline"], &[&program, &launcher]);
    let version = said(&prefix.run(&["--version"]));
    assert!(version.starts_with("alongside "), "{version}");
}

#[test]
fn npm_gets_no_program_that_needs_a_newer_c_library_than_it_promises() {
    let Some(stage) = Stage::new() else { return };
    let program = stage.sandbox.tmp().join("newer");
    fs::copy(&stage.product.program, &program).unwrap();
    let mut script = fs::OpenOptions::new().append(true).open(&program).unwrap();
    script.write_all(b"# GLIBC_2.99 \n").unwrap();
    drop(script);
    let out = stage.sandbox.tmp().join("newer-out");
    make(&[Product { program, ..stage.product.clone() }], &out, None).unwrap();
    let made = names(&out).unwrap();
    assert!(!made.iter().any(|name| name.ends_with(".tgz")), "{made:?}");
    assert!(made.iter().any(|name| name.ends_with(".tar.gz")), "{made:?}");
}

/// Node.js may go on after it has sent itself the signal, and ends with 0 then.
#[test]
fn the_launcher_of_a_program_that_a_signal_killed_never_ends_with_0() {
    let Some((stage, url)) = published() else { return };
    let prefix = install(&stage, &["--registry", &url], &["alongside"]);
    let modules = prefix.directory.join("lib/node_modules/alongside");
    let Some(target) = targets::row_of(&stage.product.target) else { return };
    let package = format!("node_modules/alongside-{}/bin/alongside", target.node.join("-"));
    fs::write(modules.join(package), "#!/bin/sh\nkill -9 $$\n").unwrap();
    // As if the signal came late.
    let late = stage.sandbox.tmp().join("late.js");
    fs::write(&late, "process.kill = () => true;\n").unwrap();
    let mut node = stage.command("node");
    let ended = node.arg("--require").arg(&late).arg(modules.join("bin/alongside.js")).output().unwrap();
    assert_eq!(ended.status.code(), Some(128 + 9), "{}", said(&ended));
}

/// A package manager that ignores the C library installs both programs.
#[test]
fn the_launcher_starts_the_static_program_where_the_other_finds_no_c_library() {
    let Some((stage, url)) = published() else { return };
    let prefix = install(&stage, &["--registry", &url], &["alongside"]);
    let Some(target) = targets::row_of(&stage.product.target) else { return };
    let modules = prefix.directory.join("lib/node_modules/alongside/node_modules");
    let package = modules.join(format!("alongside-{}", target.node.join("-")));
    let other = modules.join(format!("alongside-{}-musl/bin", target.node.join("-")));
    fs::create_dir_all(&other).unwrap();
    fs::copy(package.join("bin/alongside"), other.join("alongside")).unwrap();
    fs::write(other.join("../package.json"), "{}").unwrap();
    // The system answers so, too, where a program's loader is missing.
    fs::write(package.join("bin/alongside"), "#!/nowhere/loader\n").unwrap();
    let output = prefix.run(&["no-such-command"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let version = said(&prefix.run(&["--version"]));
    assert!(version.starts_with("alongside "), "{version}");
}

#[test]
fn npx_runs_the_demo() {
    let Some((stage, url)) = published() else { return };
    succeeded(stage.command("npx").args(["--yes", "--registry", &url, "alongside", "demo"]).output());
}

#[test]
fn pnpm_installs_a_program_that_reaches_the_demo() {
    let Some((stage, url)) = published() else { return };
    let Some(rig) = alongside_rig::or_skip(alongside_rig::install()) else { return };
    let home = stage.sandbox.tmp().join("pnpm");
    let bin = home.join("bin");
    let path = std::env::join_paths(
        [bin.clone(), rig.node().parent().unwrap().to_owned()]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )
    .unwrap();
    let mut pnpm = stage.command(rig.node());
    pnpm.arg(rig.modules("pnpm-10.34.8").join("pnpm/bin/pnpm.cjs")).args(["add", "--global", "alongside"]);
    pnpm.args(["--registry", &url, "--global-bin-dir"])
        .arg(&bin)
        .arg("--global-dir")
        .arg(home.join("global"));
    pnpm.arg("--store-dir").arg(home.join("store")).env("PNPM_HOME", &home).env("PATH", &path);
    succeeded(pnpm.output());
    succeeded(stage.command(bin.join("alongside")).arg("demo").env("PATH", &path).output());
}

#[test]
fn a_signal_for_the_launcher_ends_the_program() {
    let Some((stage, url)) = published() else { return };
    let prefix = install(&stage, &["--registry", &url], &["alongside"]);
    let mut review = stage.command(prefix.directory.join("bin/alongside"));
    review.args(["review", "--json"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = review.spawn().unwrap();
    // It has joined its companion when it writes its first line.
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains("didChangeStatus"), "{first}");
    tools::run(Command::new("kill").arg(child.id().to_string())).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143));
}

#[test]
fn a_launcher_without_its_program_says_what_is_missing() {
    let Some((stage, url)) = published() else { return };
    let prefix = install(&stage, &["--registry", &url], &["alongside"]);
    // As if the registry had none for this system.
    fs::remove_dir_all(prefix.directory.join("lib/node_modules/alongside/node_modules")).unwrap();
    let output = prefix.run(&["--version"]);
    assert_eq!(output.status.code(), Some(1));
    let said = said(&output);
    assert!(said.contains("is not installed") && said.contains("hint: "), "{said}");
}
