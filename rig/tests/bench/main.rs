//! A small part of `cargo xtask bench`: the bench measures, names the measurements that fail, and leaves
//! nothing behind. No test asserts speed.

use std::sync::atomic::AtomicBool;

use alongside_rig::bench::{Kind, Plan, Report, Scene, Subject, run};
use alongside_rig::{alongside_bin, install, or_skip};
use anyhow::{Context as _, Result, ensure};

fn measure(plan: &Plan, subjects: &[Subject]) -> Result<Report> {
    run(plan, subjects, &AtomicBool::new(false), &|_| {})
}

fn alongside(name: &str) -> Result<Subject> {
    Ok(Subject { name: name.into(), kind: Kind::Ours(alongside_bin()?), drive: None })
}

fn from_command(line: &str) -> Subject {
    Subject { name: "theirs".into(), kind: Kind::Command(line.into()), drive: None }
}

fn plan_of(scenes: &[Scene]) -> Plan {
    Plan { scenes: scenes.to_vec(), ..Plan::quick() }
}

/// Fails unless every row has a plausible figure for every subject.
fn ensure_plausible(report: &Report) -> Result<()> {
    for row in &report.rows {
        for figure in &row.figures {
            ensure!(figure.failed.is_none(), "{}: {figure:?}", row.what);
            let median = figure.median.with_context(|| format!("{} has no figure: {report}", row.what))?;
            let p99 = figure.p99.context("a figure with a median has no 99th percentile")?;
            ensure!(median.is_finite() && 0.0 <= median && median <= p99, "{}: {figure:?}", row.what);
        }
    }
    Ok(())
}

#[test]
fn every_row_is_measured_and_two_companions_are_compared() -> Result<()> {
    let mut plan = Plan::quick();
    plan.scenes.retain(|scene| !FELT_SCENES.contains(scene));
    let report = measure(&plan, &[alongside("one")?, alongside("other")?])?;
    ensure_plausible(&report)?;
    let median = |what: &str| {
        let row = report.rows.iter().find(|row| row.what.starts_with(what));
        let row = row.with_context(|| format!("there is no row of {what}: {report}"))?;
        row.figures[0].median.with_context(|| format!("the row of {what} has no median"))
    };
    for (what, at_least) in [
        ("this machine: a kibibyte over TCP", 1.0),
        ("spawn → every discovery file", 0.1),
        ("the same as a language server", 0.1),
        ("memory idle, resident", 1000.0),
        ("memory with 5 sessions, its own", 300.0),
        ("memory after 20 sessions were opened and dropped", 1000.0),
        ("openDiff, 3 sessions", 10.0),
        ("closeDiff, 1 session", 10.0),
        ("tools/list, 1 session", 10.0),
        ("decision → notification, 3 sessions", 10.0),
        ("context beyond the debounce, 5 sessions, the last to hear", 0.0),
        ("updates during 0.6 s", 1.0),
        ("openDiff of 1 MB with 400 edits, until a desk has its hunks", 1.0),
        ("processor during 2 idle seconds, 1 session", 0.0),
        ("wake-ups during 2 idle seconds, 0 sessions", 0.0),
        ("a hook's proposal → a desk, while others may be accepted", 10.0),
        ("stop with 3 sessions open, until it is gone", 0.1),
    ] {
        let median = median(what)?;
        ensure!(median >= at_least, "{what} is {median}");
    }
    let compared = report.rows.iter().filter(|row| row.ratio.is_some()).count();
    ensure!(compared + 4 >= report.rows.len(), "ratios are missing: {report}");
    let ends = report.rows.iter().flat_map(|row| &row.figures).filter_map(|figure| figure.note.as_deref());
    let ends: Vec<_> = ends.filter(|note| note.contains("ended properly")).collect();
    assert_eq!(ends, ["3 of 3 streams ended properly, 0 files are left"; 2]);
    let json = serde_json::to_value(&report)?;
    ensure!(json["rows"][0]["figures"][0]["median"].is_number(), "JSON has the same: {json}");
    ensure!(report.to_string().contains("ratio"), "{report}");
    let lines = report.markdown().lines().filter(|line| line.matches('|').count() == 5).count();
    ensure!(lines == report.rows.len() + 2, "each row is one of the table: {}", report.markdown());
    Ok(())
}

/// The scenes of what people feel.
const FELT_SCENES: [Scene; 5] =
    [Scene::Desk, Scene::LineMode, Scene::Plugins, Scene::HookCost, Scene::Neovim];

/// The rows of what people feel, with the beginning of each name.
const FELT_ROWS: [&str; 21] = [
    "start of the desk → 10 KB painted; instead: git diff in less",
    "a key at the desk → the screen, 10 KB; instead: a line further in less",
    "start of the desk → 10 KB painted; instead: git diff with delta",
    "a key at the desk → the screen, 10 KB; instead: a line further in delta's less",
    "a proposal of 10 KB → the screen of an open desk",
    "the first paint of 10 KB → its colours",
    "a letter in line mode → the next change, 10 KB; instead: git add -p",
    "Neovim's --startuptime with the plugin; instead: without it",
    "Vim's --startuptime with the plugin; instead: without it",
    "start of Neovim → every discovery file",
    "a hook without a companion; instead: a hook in Node",
    "a hook, accepted at once; instead: a hook in Python",
    "a move of the cursor in Neovim → its agent has the context",
    "a proposal of 10 KB → the screen of Neovim",
    "a key that accepts in Neovim → the notification",
    "getDiagnostics through Neovim, 0 problems",
    "getDiagnostics through Neovim, 20 problems",
    "memory 0.2 s after a proposal of 10 KB in Neovim, all processes, resident",
    "memory 0.2 s after a proposal of 10 KB in Neovim, host, its own",
    "memory 0.2 s after a proposal of 10 KB in Neovim, language server, its own",
    "memory 0.2 s after a proposal of 10 KB in Neovim, Neovim, its own",
];

#[test]
fn rows_that_people_feel_are_beside_other_programs() -> Result<()> {
    let report = measure(&plan_of(&FELT_SCENES), &[alongside("one")?])?;
    let people = &report.people;
    assert_eq!(people.columns, ["one", "instead"]);
    for what in FELT_ROWS {
        ensure!(
            people.rows.iter().any(|row| row.what.starts_with(what)),
            "there is no row of {what}: {report}"
        );
    }
    for row in &people.rows {
        let has_alternative = row.what.contains("; instead: ");
        let columns = if has_alternative { 2 } else { 1 };
        for figure in &row.figures[..columns] {
            ensure!(figure.failed.is_none(), "{}: {figure:?}", row.what);
            // A machine without the editor, or without the other program, is no failure.
            let is_missing = figure.note.as_ref().is_some_and(|note| note.starts_with("not measured here: "));
            ensure!(is_missing || figure.median.is_some_and(f64::is_finite), "{}: {figure:?}", row.what);
        }
        ensure!(has_alternative || row.figures[1].samples == 0, "{} has a second figure", row.what);
    }
    ensure!(report.to_string().contains("instead"), "{report}");
    let lines = report.markdown().lines().filter(|line| line.matches('|').count() == 5).count();
    ensure!(lines == people.rows.len() + 2, "each row is one of the table: {}", report.markdown());
    Ok(())
}

#[test]
fn the_baseline_can_be_measured() -> Result<()> {
    let Some(rig) = or_skip(install()) else { return Ok(()) };
    let baseline = Subject { name: "baseline".into(), kind: Kind::Baseline(Box::new(rig)), drive: None };
    let scenes =
        [Scene::Starts, Scene::Memory, Scene::Requests, Scene::Decisions, Scene::Contexts, Scene::Stops];
    let mut report = measure(&plan_of(&scenes), &[baseline])?;
    // The baseline is not a language server.
    report.rows.retain(|row| !row.what.contains("language server"));
    ensure_plausible(&report)
}

#[test]
fn a_companion_that_dies_is_reported_with_its_status() -> Result<()> {
    // The host can be found. It is killed 0.2 s after the scene has written its file.
    let host = alongside_bin()?;
    let dies = format!(
        "sh -c '\"{}\" host --serve bench --starter $$ -- \"$PWD\" & \
         until test -e asked.rs; do sleep 0.1; done; sleep 0.2; kill -9 $!; wait; exit 9'",
        host.display()
    );
    let plan = Plan { samples: 1_000_000, ..plan_of(&[Scene::Requests]) };
    let report = measure(&plan, &[from_command(&dies), from_command("false")])?;
    for (figure, status) in report.rows[0].figures.iter().zip(["9", "1"]) {
        let why = figure.failed.as_deref().context("the figure of a companion that died has no failure")?;
        ensure!(why.contains(&format!("the companion has died (exit status: {status})")), "{why}");
    }
    Ok(())
}

#[test]
fn rows_without_a_driver_are_skipped() -> Result<()> {
    let host = format!("\"{}\" host --serve bench --starter $$ -- \"$PWD\"", alongside_bin()?.display());
    let report = measure(&plan_of(&[Scene::Requests, Scene::Decisions]), &[from_command(&host)])?;
    for row in &report.rows {
        let figure = &row.figures[0];
        match &figure.failed {
            None => {
                ensure!(figure.samples > 0 && !row.what.contains("decision"), "{}: {figure:?}", row.what)
            }
            Some(why) => {
                ensure!(row.what.contains("decision") && why.contains("--drive"), "{}: {why}", row.what)
            }
        }
    }
    Ok(())
}

#[test]
fn an_interrupted_bench_ends() -> Result<()> {
    let interrupted = AtomicBool::new(true);
    let error = run(&Plan::quick(), &[alongside("one")?], &interrupted, &|_| {})
        .err()
        .context("the interrupted bench goes on")?;
    ensure!(error.to_string() == "interrupted", "{error:#}");
    Ok(())
}
