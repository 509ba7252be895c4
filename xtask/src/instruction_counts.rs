//! `cargo xtask counts`: counts the instructions of the hot paths. Unlike time, the counts are the same on a
//! busy machine; docs/performance.md keeps them.
//!
//! Each path is a bench that runs once under valgrind, which counts only inside the bench's function `hot_…`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use alongside_testing::chores::{announce, cargo};
use anyhow::{Context as _, bail};

/// Options of `cargo xtask counts`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Count only paths whose name contains this
    only: Option<String>,

    /// Write the counts to docs/performance.md, whatever they were before
    #[arg(long)]
    write: bool,
}

/// The largest accepted growth of a path, in percent: each run has new hash seeds and other addresses of
/// texts.
const MAX_GROWTH: u64 = 5;

/// The page that keeps the counts.
const PAGE: &str = "docs/performance.md";
const HEADING: &str = "## Instruction counts";

/// A hot path.
struct Hot {
    name: &'static str,
    package: &'static str,
    bench: &'static str,
    /// The bench, and its argument if it has one.
    case: &'static str,
    /// The end of the names of the counted functions.
    function: &'static str,
}

const fn hot(name: &'static str, [package, bench, case, function]: [&'static str; 4]) -> Hot {
    Hot { name, package, bench, case, function }
}

const COMPANION: &str = "alongside-companion";
const DESK: &str = "alongside-desk";
const LSP: &str = "alongside-lsp";
const TERMINAL: &str = "alongside-terminal";

const PATHS: &[Hot] = &[
    hot("hunks, 10 KB, 4 edits", [COMPANION, "review", "hunks::10 KB, 4 edits", "hot_hunks"]),
    hot("hunks, 1 MB, 400 edits", [COMPANION, "review", "hunks::1 MB, 400 edits", "hot_hunks"]),
    hot("hunks, 10 MB, 400 edits", [COMPANION, "review", "hunks::10 MB, 400 edits", "hot_hunks"]),
    hot("hunks, 64 MB, 400 edits", [COMPANION, "review", "hunks::64 MB, 400 edits", "hot_hunks"]),
    hot("proposal prepared, 10 KB", [COMPANION, "review", "prepared::10 KB, 4 edits", "hot_prepared"]),
    hot(
        "one of 400 hunks dropped and kept, 1 MB",
        [COMPANION, "review", "one_dropped::1 MB, 400 edits", "hot_dropped_and_kept"],
    ),
    hot(
        "half of 400 hunks dropped and kept, 10 MB",
        [COMPANION, "review", "half_dropped::10 MB, 400 edits", "hot_dropped_and_kept"],
    ),
    hot("a character typed, 1 MB", [COMPANION, "review", "typed::1 MB, 400 edits", "hot_typed"]),
    hot("words of 100 lines", [COMPANION, "review", "words::100", "hot_words"]),
    hot("openDiff of 1 MB read", [COMPANION, "wire", "open_diff_in::1048576", "hot_open_diff_in"]),
    hot("contextUpdate written", [COMPANION, "wire", "context_out::200", "hot_context_out"]),
    hot("diffAccepted of 1 MB written", [COMPANION, "wire", "outcome_out::1048576", "hot_outcome_out"]),
    hot("review of 1 MB told to a desk", [DESK, "wire", "opened_out::25000", "hot_opened_out"]),
    hot("review of 1 MB read by a desk", [DESK, "wire", "opened_in::25000", "hot_opened_in"]),
    hot("lines of 10 MB found", [DESK, "wire", "lines::10485760", "hot_lines"]),
    hot(
        "position to offset, UTF-16, late in 8 MB",
        [LSP, "positions", "offset::Utf16, not ASCII, late", "hot_offset"],
    ),
    hot(
        "offset to position, UTF-16, late in 8 MB",
        [LSP, "positions", "position::Utf16, not ASCII, late", "hot_position"],
    ),
    hot("first frame, 200,000 lines", [TERMINAL, "frame", "first::200000", "hot_first"]),
    hot("the same frame, 200,000 lines", [TERMINAL, "frame", "same::200000", "hot_same"]),
    hot(
        "two frames: next change and back, 200,000 lines",
        [TERMINAL, "frame", "next_change_and_back::200000", "hot_there_and_back"],
    ),
    hot(
        "two frames: a page down and up, 200,000 lines",
        [TERMINAL, "frame", "page_down_and_up::200000", "hot_there_and_back"],
    ),
    hot(
        "a change printed in line mode, 200,000 lines",
        [TERMINAL, "frame", "emphasis_of_a_change::200000", "hot_emphasis"],
    ),
];

pub(crate) fn counts(options: &Options) -> anyhow::Result<ExitCode> {
    let kept = kept(&std::fs::read_to_string(PAGE).unwrap_or_default());
    let wanted = |hot: &&Hot| options.only.as_ref().is_none_or(|only| hot.name.contains(only));
    let benches = build()?;
    let mut counted = kept.clone();
    let mut grown = 0;
    for hot in PATHS.iter().filter(wanted) {
        let key = (hot.package.to_owned(), hot.bench.to_owned());
        let program = benches.get(&key).with_context(|| format!("cargo built no bench {key:?}"))?;
        let now = count(program, hot)?;
        let before = kept.get(hot.name).copied();
        let (change, more) = compare(before, now);
        println!("{:<50} {:>16} {change}", hot.name, grouped(now));
        grown += usize::from(more);
        counted.insert(hot.name.to_owned(), now);
    }
    if options.write {
        write(&counted)?;
        return Ok(ExitCode::SUCCESS);
    }
    if grown > 0 {
        println!(
            "{grown} paths grew by more than {MAX_GROWTH} %. If that is worth it, give the reason \
             in the commit and run `cargo xtask counts --write`"
        );
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds the benches, and returns their programs by package and name.
fn build() -> anyhow::Result<BTreeMap<(String, String), PathBuf>> {
    let mut build = cargo();
    build.args(["bench", "--no-run", "--benches", "--message-format=json-render-diagnostics"]);
    for package in [COMPANION, DESK, LSP, TERMINAL] {
        build.args(["--package", package]);
    }
    announce(&build);
    let output = build.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("cannot build the benches: {}", output.status);
    }
    let messages = String::from_utf8(output.stdout).context("cargo printed invalid UTF-8")?;
    let mut programs = BTreeMap::new();
    for message in messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()) {
        let (target, program) = (&message["target"], &message["executable"]);
        let (Some(name), Some(program)) = (target["name"].as_str(), program.as_str()) else { continue };
        let source = target["src_path"].as_str().map(Path::new);
        // …/crates/CRATE/benches/NAME.rs
        let home = source.and_then(|source| source.ancestors().nth(2)?.file_name()?.to_str());
        if let Some(home) = home {
            programs.insert((format!("alongside-{home}"), name.to_owned()), program.into());
        }
    }
    Ok(programs)
}

/// Runs a path once, and returns its instruction count.
fn count(program: &Path, hot: &Hot) -> anyhow::Result<u64> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    valgrind.arg(format!("--toggle-collect=*::{}", hot.function)).arg(program);
    valgrind.args(["--test", "--exact", &format!("{}::{}", hot.bench, hot.case)]);
    let ran = valgrind
        .stdin(Stdio::null())
        .output()
        .context("cannot start valgrind; on Debian: `apt-get install valgrind`")?;
    let report = String::from_utf8_lossy(&ran.stderr);
    let counted = report.lines().find_map(|line| line.split_once("Collected :"));
    let counted = counted.and_then(|(_, count)| count.trim().parse().ok()).unwrap_or(0);
    if !ran.status.success() || counted == 0 {
        bail!("{}: valgrind counted no {} ({}):\n{report}", hot.name, hot.function, ran.status);
    }
    Ok(counted)
}

/// Returns the change of a count in words, and whether it is too much.
fn compare(before: Option<u64>, now: u64) -> (String, bool) {
    let Some(before) = before.filter(|before| *before > 0) else { return ("new".into(), false) };
    let change = (now as f64 / before as f64 - 1.0) * 100.0;
    let more = now * 100 > before * (100 + MAX_GROWTH);
    (format!("{change:+.1} %{}", if more { "  GREW" } else { "" }), more)
}

/// Returns the counts in a page.
fn kept(page: &str) -> BTreeMap<String, u64> {
    let section = page.split_once(HEADING).map_or("", |(_, rest)| rest.split("\n## ").next().unwrap_or(rest));
    let row = |line: &str| {
        let (what, number) = line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | ")?;
        Some((what.to_owned(), number.replace(',', "").parse().ok()?))
    };
    section.lines().filter_map(row).collect()
}

fn write(counted: &BTreeMap<String, u64>) -> anyhow::Result<()> {
    let page = std::fs::read_to_string(PAGE).with_context(|| format!("{PAGE} cannot be read"))?;
    let written = with_table(&page, counted)?;
    std::fs::write(PAGE, written).with_context(|| format!("{PAGE} cannot be written"))
}

/// Returns the page with this table in place of its own.
fn with_table(page: &str, counted: &BTreeMap<String, u64>) -> anyhow::Result<String> {
    const TOP: &str = "| path | instructions |\n|---|---:|\n";
    let section = page.find(HEADING).with_context(|| format!("{PAGE} has no section {HEADING:?}"))?;
    let start =
        section + page[section..].find(TOP).with_context(|| format!("{HEADING:?} has no table"))? + TOP.len();
    let rows = page[start..].split_inclusive('\n').take_while(|line| line.starts_with('|'));
    let end = start + rows.map(str::len).sum::<usize>();
    let row = |hot: &Hot| Some(format!("| {} | {} |\n", hot.name, grouped(*counted.get(hot.name)?)));
    let table: String = PATHS.iter().filter_map(row).collect();
    Ok(format!("{}{table}{}", &page[..start], &page[end..]))
}

/// Returns a number with thousands separators.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_counts_are_read_and_the_rest_stays() {
        let page = format!(
            "# P\n\n{HEADING}\n\nSaid.\n\n| path | instructions |\n|---|---:|\n\
             | old | 1 |\n\nMore.\n\n## Size\n\n| a | 7 |\n"
        );
        let counted = BTreeMap::from([(PATHS[0].name.to_owned(), 1_234_567), (PATHS[1].name.to_owned(), 89)]);
        let written = with_table(&page, &counted).unwrap();
        assert_eq!(kept(&written), counted);
        assert!(
            written.contains("| 1,234,567 |\n")
                && written.ends_with("| 89 |\n\nMore.\n\n## Size\n\n| a | 7 |\n")
        );
        assert_eq!(with_table(&written, &counted).unwrap(), written);
        assert!(with_table("# P\n", &counted).is_err());
    }

    #[test]
    fn a_path_may_grow_a_little() {
        assert_eq!(compare(None, 7), ("new".into(), false));
        assert_eq!(compare(Some(1000), 1050), ("+5.0 %".into(), false));
        assert_eq!(compare(Some(1000), 1051), ("+5.1 %  GREW".into(), true));
        assert_eq!(compare(Some(1000), 900), ("-10.0 %".into(), false));
    }

    #[test]
    fn every_path_has_a_bench() {
        let crates = alongside_testing::chores::checkout().join("crates");
        for hot in PATHS {
            let home = hot.package.trim_start_matches("alongside-");
            let bench = crates.join(home).join("benches").join(hot.bench).with_extension("rs");
            let source = std::fs::read_to_string(&bench).unwrap();
            let name = hot.case.split("::").next().unwrap();
            assert!(
                source.contains(&format!("fn {name}(")),
                "{}: no {name} in {}",
                hot.name,
                bench.display()
            );
            let function = format!("#[inline(never)]\nfn {}(", hot.function);
            assert!(source.contains(&function), "{}: no {} of its own", hot.name, hot.function);
        }
    }
}
