//! Tests the script and the package, made from the program that the tests use. `dist --try` does the same in
//! a clean Debian.

mod npm;
mod other_systems;
mod recipes;
mod repository;
mod wheel;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use alongside_rig::Sandbox;
use alongside_testing::skip;

use super::product::Product;
use super::targets::host;
use super::{make, names, tools};

/// The packages, and a home to install them in.
struct Stage {
    sandbox: Sandbox,
    out: PathBuf,
    product: Product,
}

impl Stage {
    /// The packed program is a script that starts the tests' program, which is too large to be packed often.
    fn new() -> Option<Self> {
        let Ok(built) = alongside_rig::alongside_bin() else {
            skip("the program is not built yet: cargo build");
            return None;
        };
        let sandbox = Sandbox::new();
        let program = sandbox.tmp().join("program");
        fs::write(&program, format!("#!/bin/sh\nexec '{}' \"$@\"\n", built.display())).unwrap();
        tools::run(Command::new("chmod").arg("755").arg(&program)).unwrap();
        let tar = tools::output(Command::new("tar").arg("--version")).unwrap_or_default();
        if !tar.contains("GNU tar") {
            skip("GNU tar is not installed");
            return None;
        }
        let product = Product {
            program,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            target: host().unwrap(),
            epoch: 1_700_000_000,
            licences: "the licences of others\n".to_owned(),
            sbom: "{}\n".to_owned(),
        };
        let out = sandbox.tmp().join("out");
        make(std::slice::from_ref(&product), &out, None).unwrap();
        Some(Self { sandbox, out, product })
    }

    /// Runs the script as a person does who has downloaded it.
    fn script(&self, variables: &[(&str, &str)], arguments: &[&str]) -> std::io::Result<Output> {
        let script = alongside_testing::chores::checkout().join("packaging/install.sh");
        let mut command = self.command("sh");
        command.arg(script).args(arguments).envs(variables.iter().copied()).output()
    }

    /// Returns a command of somebody who has nothing but a home.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.sandbox.env()).current_dir(self.sandbox.project()).stdin(Stdio::null());
        command
    }

    fn variables(&self) -> [(&'static str, &str); 1] {
        [("ALONGSIDE_FROM", self.out.to_str().unwrap())]
    }

    fn products(&self) -> &[Product] {
        std::slice::from_ref(&self.product)
    }

    /// Returns every file below the home directory.
    fn home(&self) -> Vec<String> {
        let found = tools::output(Command::new("find").arg(self.sandbox.home())).unwrap();
        let mut found: Vec<_> = found.lines().map(str::to_owned).collect();
        found.sort();
        found
    }

    fn archive(&self) -> PathBuf {
        self.out.join(format!("alongside-{}-{}.tar.gz", self.product.version, self.product.target))
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Returns the output of a program that must succeed.
fn succeeded(output: std::io::Result<Output>) -> String {
    let output = output.unwrap();
    assert!(output.status.success(), "{}", said(&output));
    said(&output)
}

/// Returns the output of a program that must fail.
fn failed(output: std::io::Result<Output>) -> String {
    let output = output.unwrap();
    assert!(!output.status.success(), "{}", said(&output));
    said(&output)
}

#[test]
fn script_installs_and_uninstalls_a_working_program() {
    let Some(stage) = Stage::new() else { return };
    let before = stage.home();
    let installed = succeeded(stage.script(&stage.variables(), &[]));
    assert!(installed.contains("is not on your PATH"), "{installed}");

    let local = stage.sandbox.home().join(".local");
    let version = said(&stage.command(local.join("bin/alongside")).arg("--version").output().unwrap());
    assert!(version.starts_with(&format!("alongside {}", stage.product.version)), "{version}");
    for file in [
        "share/man/man1/alongside.1",
        "share/man/man1/alongside-review.1",
        "share/bash-completion/completions/alongside",
        "share/zsh/site-functions/_alongside",
        "share/fish/vendor_completions.d/alongside.fish",
        "share/doc/alongside/LICENSE-MIT",
        "share/doc/alongside/THIRD-PARTY-LICENSES.txt",
    ] {
        assert!(local.join(file).is_file(), "{file}");
    }

    // A page of another program exists, and the script runs a second time.
    fs::write(local.join("share/man/man1/other.1"), "").unwrap();
    succeeded(stage.script(&stage.variables(), &[]));
    let removed = succeeded(stage.script(&[], &["--uninstall"]));
    let mut left = stage.home();
    left.retain(|path| !before.contains(path));
    assert_eq!(left.last().map(|path| path.ends_with("other.1")), Some(true), "{left:?}");
    assert_eq!(left.len(), 5, ".local, share, man, man1 and the page: {left:?}");

    assert!(!removed.contains("still start"), "{removed}");

    let nothing = failed(stage.script(&[], &["--uninstall"]));
    assert!(nothing.contains("nothing is installed"), "{nothing}");
}

#[test]
fn script_names_the_settings_that_still_start_the_program() {
    let Some(stage) = Stage::new() else { return };
    let home = stage.sandbox.home();
    fs::create_dir_all(home.join(".local/share/alongside")).unwrap();
    fs::write(home.join(".local/share/alongside/installed"), "share/alongside/\n").unwrap();
    let state = home.join("state");
    fs::create_dir_all(state.join("alongside")).unwrap();
    let ledger = state.join("alongside/installed.json");
    fs::write(&ledger, "{}").unwrap();
    let removed = succeeded(stage.script(&[("XDG_STATE_HOME", state.to_str().unwrap())], &["--uninstall"]));
    let warning = format!(
        "install.sh: settings of your agents or editors still start alongside: {} lists them\n",
        ledger.display()
    );
    assert!(removed.contains(&warning), "{removed}");
    assert!(ledger.exists());
}

/// The working directory may belong to another user, such as one in `/tmp`.
#[test]
fn a_piped_script_takes_nothing_from_the_working_directory() {
    let Some(stage) = Stage::new() else { return };
    let script =
        fs::read_to_string(alongside_testing::chores::checkout().join("packaging/install.sh")).unwrap();
    let shared = stage.sandbox.project();
    for entry in fs::read_dir(&stage.out).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), shared.join(entry.file_name())).unwrap();
    }
    let install = |shell: &str, arguments: &[&str]| {
        let mut command = stage.command(shell);
        let mut child = command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A shell that has its script as an argument reads nothing.
        let _ = child.stdin.take().unwrap().write_all(script.as_bytes());
        child.wait_with_output()
    };
    for (shell, arguments) in [
        ("sh", &[][..]),
        ("bash", &[]),
        ("sh", &["-s", "--"]),
        ("sh", &["-c", &script]),
        ("sh", &["-c", &script, "install.sh"]),
        ("bash", &["-c", &script, "install.sh"]),
    ] {
        let said = failed(install(shell, arguments));
        assert!(said.contains("location of the archives is unknown"), "{said}");
    }
    // A person who names the script's place means the files beside it.
    succeeded(stage.command("sh").arg("./install.sh").output());
}

#[test]
fn failed_install_changes_nothing_and_says_what_to_do() {
    let Some(stage) = Stage::new() else { return };
    let before = stage.home();
    let refused = |variables: &[(&str, &str)], why: &str| {
        let said = failed(stage.script(variables, &[]));
        assert!(said.contains(why) && said.contains("hint: "), "{why}: {said}");
        assert_eq!(stage.home(), before, "{why}");
    };
    let [from] = stage.variables();
    refused(&[], "location of the archives");
    refused(&[("ALONGSIDE_FROM", "/nowhere")], "cannot read /nowhere/SHA256SUMS");
    refused(&[from, ("ALONGSIDE_VERSION", "99.0.0")], "no archive of version 99.0.0 for this machine");
    refused(&[from, ("PREFIX", "/proc/none")], "cannot write /proc/none");

    let mut archive = fs::File::options().append(true).open(stage.archive()).unwrap();
    archive.write_all(b"x").unwrap();
    refused(&[from], "is damaged");

    let sums = stage.out.join("SHA256SUMS");
    let listed = fs::read_to_string(&sums).unwrap();
    fs::write(&sums, listed.replace(&stage.product.target, "z80-unknown-none")).unwrap();
    refused(&[from], "no archive for this machine");
}

/// As on a system whose C library is too old.
#[test]
fn script_takes_the_static_program_where_the_other_does_not_start() {
    let Some(stage) = Stage::new() else { return };
    let other = stage.sandbox.tmp().join("other");
    fs::write(&other, "#!/nowhere/loader\n").unwrap();
    tools::run(Command::new("chmod").arg("755").arg(&other)).unwrap();
    let processor = stage.product.target.split('-').next().unwrap();
    let product = |system: &str, program: &Path| Product {
        target: format!("{processor}-unknown-linux-{system}"),
        program: program.to_owned(),
        ..stage.product.clone()
    };
    make(&[product("musl", &stage.product.program), product("gnu", &other)], &stage.out, None).unwrap();
    succeeded(stage.script(&stage.variables(), &[]));
    let version = stage.command(stage.sandbox.home().join(".local/bin/alongside")).arg("--version").output();
    assert!(said(&version.unwrap()).starts_with("alongside "));

    let sums = stage.out.join("SHA256SUMS");
    let listed = fs::read_to_string(&sums).unwrap();
    fs::write(&sums, listed.replace("musl", "other")).unwrap();
    let refused = failed(stage.script(&stage.variables(), &[]));
    assert!(refused.contains("does not start here"), "{refused}");
}

#[test]
fn newest_version_is_fetched_over_http() {
    let Some(stage) = Stage::new() else { return };
    if !tools::is_installed("curl") && !tools::is_installed("wget") {
        return skip("neither curl nor wget is installed");
    }
    // Older versions are listed, and their files are missing.
    let sums = stage.out.join("SHA256SUMS");
    let mut listed = fs::read_to_string(&sums).unwrap();
    for older in ["0.0.9", "0.0.10"] {
        listed += &format!("{}  alongside-{older}-{}.tar.gz\n", "0".repeat(64), stage.product.target);
    }
    fs::write(&sums, listed).unwrap();
    let url = serve(stage.out.clone());
    let installed = succeeded(stage.script(&[("ALONGSIDE_FROM", &url)], &[]));
    assert!(installed.contains(&format!("Installed alongside {}", stage.product.version)));
    let lost = failed(stage.script(&[("ALONGSIDE_FROM", &format!("{url}/none"))], &[]));
    assert!(lost.contains("cannot read"), "{lost}");
}

/// Returns a file of a package of npm.
fn in_npm(package: &Path, file: &str) -> String {
    let mut tar = Command::new("tar");
    tools::output(tar.arg("-xOzf").arg(package).arg(format!("package/{file}"))).unwrap()
}

/// Serves the files of a directory on the loopback until the tests end. Returns the URL.
fn serve(directory: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut request = String::new();
            let _ = reader.read_line(&mut request);
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            let path = request.split(' ').nth(1).unwrap_or_default().trim_start_matches('/').to_owned();
            let _ = match fs::read(directory.join(path)) {
                Ok(content) => stream
                    .write_all(
                        format!("HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n", content.len()).as_bytes(),
                    )
                    .and_then(|()| stream.write_all(&content)),
                Err(_) => stream.write_all(b"HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
            };
        }
    });
    url
}

#[test]
fn package_follows_debian_and_is_reproducible() {
    let Some(stage) = Stage::new() else { return };
    if !super::debian_package::can_be_made() {
        return skip("dpkg-deb is not installed");
    }
    let package = stage.out.join(super::debian_package::file_name(&stage.product).unwrap());
    let listed = tools::output(Command::new("dpkg-deb").arg("--contents").arg(&package)).unwrap();
    for (mode, file) in [
        ("-rwxr-xr-x root/root", "./usr/bin/alongside"),
        ("-rw-r--r-- root/root", "./usr/share/man/man1/alongside.1.gz"),
        ("-rw-r--r-- root/root", "./usr/share/bash-completion/completions/alongside"),
        ("-rw-r--r-- root/root", "./usr/share/zsh/vendor-completions/_alongside"),
        ("-rw-r--r-- root/root", "./usr/share/fish/vendor_completions.d/alongside.fish"),
        ("-rw-r--r-- root/root", "./usr/share/doc/alongside/copyright"),
        ("-rw-r--r-- root/root", "./usr/share/doc/alongside/changelog.gz"),
        ("-rw-r--r-- root/root", "./usr/share/doc/alongside/changelog.Debian.gz"),
    ] {
        let line =
            listed.lines().find(|line| line.ends_with(file)).unwrap_or_else(|| panic!("{file}: {listed}"));
        assert!(line.starts_with(mode) && line.contains("2023-11-14"), "{line}");
    }
    let about = tools::output(Command::new("dpkg-deb").arg("--info").arg(&package)).unwrap();
    assert!(about.contains(&format!("Version: {}-1", stage.product.version)), "{about}");
    let control = stage.sandbox.tmp().join("control");
    tools::run(Command::new("dpkg-deb").arg("--control").args([&package, &control])).unwrap();
    let sums = fs::read_to_string(control.join("md5sums")).unwrap();
    assert!(sums.lines().any(|line| line.ends_with("  usr/bin/alongside")), "{sums}");

    let again = stage.sandbox.tmp().join("again");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    make(stage.products(), &again, None).unwrap();
    assert_eq!(names(&stage.out).unwrap(), names(&again).unwrap());
    for name in names(&again).unwrap() {
        let read = |directory: &Path| fs::read(directory.join(&name)).unwrap();
        assert!(read(&stage.out) == read(&again), "{name} differs when it is made again");
    }
}

#[test]
fn published_script_has_its_https_url() {
    let Some(stage) = Stage::new() else { return };
    let out = stage.sandbox.tmp().join("published");
    make(stage.products(), &out, Some("https://example.org/alongside")).unwrap();
    let script = fs::read_to_string(out.join("install.sh")).unwrap();
    assert!(script.contains("\npublished='https://example.org/alongside'\n"));
    for bad in ["http://example.org", "https://example.org/'; rm -rf ~ #"] {
        assert!(make(stage.products(), &out, Some(bad)).is_err(), "{bad}");
    }
}

/// `cargo binstall` fills in what the program's own manifest says.
#[test]
fn binstall_finds_the_archive_and_the_program_in_it() {
    let Some(stage) = Stage::new() else { return };
    let manifest = alongside_testing::chores::checkout().join("crates/alongside/Cargo.toml");
    let manifest = fs::read_to_string(manifest).unwrap();
    let said = |key: &str| {
        let line = manifest.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = ")).unwrap();
        line.trim_matches('"')
            .replace("{ repo }", "REPOSITORY")
            .replace("{ name }", "alongside")
            .replace("{ version }", &stage.product.version)
            .replace("{ target }", &stage.product.target)
            .replace("{ bin }", "alongside")
            .replace("{ binary-ext }", "")
    };
    let archive = stage.archive();
    let name = archive.file_name().unwrap().to_str().unwrap();
    assert_eq!(said("pkg-url"), format!("REPOSITORY/releases/download/v{}/{name}", stage.product.version));
    assert_eq!(said("pkg-fmt"), "tgz");
    let listed = tools::output(Command::new("tar").arg("-tzf").arg(&archive)).unwrap();
    assert!(listed.lines().any(|line| line == said("bin-dir")), "{listed}");
}
