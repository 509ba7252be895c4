//! `cargo xtask chaos`: plays rounds of chaos, and keeps or shortens the plans that fail.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use alongside_rig::chaos::hooks::HooksHarness;
use alongside_rig::chaos::minimise::minimise;
use alongside_rig::chaos::paused::PausedHarness;
use alongside_rig::chaos::real::RealHarness;
use alongside_rig::chaos::results::{MAX_GROWTH_KIB, ResultLog, Totals};
use alongside_rig::chaos::turns::TurnsHarness;
use alongside_rig::chaos::{Harness, Plan, Record, Violation, play, small_disk};
use alongside_testing::chores::target_directory;
use anyhow::{Context as _, Result, anyhow, bail};

use crate::run::{Progress, interruption};

/// Options of `cargo xtask chaos`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Seed of the first round; the next rounds count up from it
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// Number of rounds
    #[arg(long, default_value_t = 200)]
    rounds: u64,

    /// Play the shipped agents' own clients and the real program on the machine's clock, instead of our own
    /// agents in this process on a paused clock. A round takes seconds, mostly of waiting: 4 jobs suit two
    /// cores
    #[arg(long)]
    real: bool,

    /// Play agents that run the program's hook, with the real program on the machine's clock. A round takes
    /// some seconds of waiting: 4 jobs suit two cores
    #[arg(long, conflicts_with_all = ["real", "full_disk", "without_receipts"])]
    hooks: bool,

    /// Play agents that note their turns, and persons who review them, with the real program on the machine's
    /// clock
    #[arg(long, conflicts_with_all = ["real", "hooks", "without_receipts"])]
    turns: bool,

    /// For each round that fails, search the shortest plan that breaks the same rule, and keep it in
    /// target/chaos
    #[arg(long)]
    minimise: bool,

    /// Replay rounds that were already played with these sources
    #[arg(long)]
    again: bool,

    /// Play this plan, as written by --minimise, instead of seeds, and show the record
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed", "rounds"])]
    plan: Option<PathBuf>,

    /// Play the same rounds on a disk that fills up, and kill a companion right after somebody typed
    #[arg(long)]
    full_disk: bool,

    /// Play against a companion with receipts broken in this way, to see that chaos notices
    #[arg(long, value_name = "HOW", value_parser = ["written", "blindly"], conflicts_with = "real")]
    without_receipts: Option<String>,

    /// Number of rounds at once
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=16))]
    jobs: u8,

    /// Show the record of each round
    #[arg(long)]
    show: bool,
}

pub(crate) fn chaos(options: &Options) -> Result<ExitCode> {
    if (options.full_disk || options.plan.is_some()) && !small_disk::are_mounted() {
        match small_disk::restart_with_small_disks(std::env::args_os().skip(1)) {
            Some((_place, mut restart)) => {
                let status = restart.status().context("cannot restart this program")?;
                return Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
            }
            None if options.full_disk => {
                bail!("--full-disk needs to mount a file system, which is not allowed here")
            }
            None => {}
        }
    }
    if let Some(path) = &options.plan {
        return play_file(harness(options)?.as_mut(), path);
    }
    let end = options.seed.checked_add(options.rounds).context("--seed plus --rounds is too large")?;
    let directory = target_directory().join("chaos");
    let mut log = ResultLog::open(&directory, &log_name(options)?)?;
    let seeds: Vec<u64> =
        (options.seed..end).filter(|seed| options.again || log.get(*seed).is_none()).collect();
    println!("==> playing {} of {} rounds; results: {}", seeds.len(), options.rounds, log.path().display());
    // Ctrl-C lets the present rounds finish, so that no process is left.
    let interrupted = interruption();
    let failed = play_all(options, &seeds, &mut log, &directory, interrupted)?;
    if interrupted.load(Ordering::Relaxed) {
        println!("Interrupted. The next run continues from here.");
        return Ok(ExitCode::from(130));
    }
    for (plan, broken) in failed.iter().filter(|_| options.minimise) {
        shorten(harness(options)?.as_mut(), plan, broken, &directory)?;
    }
    Ok(print_totals(options, &log, options.seed..end))
}

/// Plays these rounds, several at once, and returns those that failed.
fn play_all(
    options: &Options,
    seeds: &[u64],
    log: &mut ResultLog,
    directory: &Path,
    interrupted: &AtomicBool,
) -> Result<Vec<(Plan, Vec<Violation>)>> {
    type Played = Result<(Plan, Record, Vec<Violation>, u64)>;
    let (next, mut failed) = (AtomicUsize::new(0), Vec::new());
    let (played, rounds) = mpsc::channel::<Played>();
    let worker = |played: mpsc::Sender<Played>| -> Result<()> {
        let mut harness = harness(options)?;
        while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed))
            && !interrupted.load(Ordering::Relaxed)
        {
            let plan = match (options.hooks, options.full_disk) {
                _ if options.turns => Plan::with_turns(*seed),
                (true, _) => Plan::with_hooks(*seed),
                (false, true) => Plan::on_full_disk(*seed),
                (false, false) => Plan::from_seed(*seed),
            };
            let began = Instant::now();
            let result = play(harness.as_mut(), &plan).with_context(|| format!("round {seed}"));
            let took = began.elapsed().as_millis() as u64;
            // Fails if the receiver was dropped after an error.
            let _ = played.send(result.map(|(record, broken)| (plan, record, broken, took)));
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..options.jobs)
            .map(|_| {
                let played = played.clone();
                scope.spawn(|| worker(played))
            })
            .collect();
        drop(played);
        let mut progress = Progress::of(seeds.len());
        for round in &rounds {
            // After an error the workers finish their present rounds.
            let (plan, record, broken, took) =
                round.inspect_err(|_| next.store(seeds.len(), Ordering::Relaxed))?;
            log.put(plan.seed, &record, &broken, took)?;
            progress.step();
            if options.show {
                print_record(&plan, &record);
            }
            if !broken.is_empty() {
                print_violations(plan.seed, &broken);
                keep(&plan, &record, directory)?;
                failed.push((plan, broken));
            }
        }
        for worker in workers {
            worker.join().map_err(|_| anyhow!("a round panicked"))??;
        }
        Ok(failed)
    })
}

fn harness(options: &Options) -> Result<Box<dyn Harness>> {
    if options.hooks {
        anyhow::ensure!(
            HooksHarness::can_play(),
            "--hooks needs a mount namespace, which is not allowed here"
        );
        return Ok(Box::new(HooksHarness::new()?));
    }
    if options.turns {
        anyhow::ensure!(TurnsHarness::can_play(), "--turns needs git");
        return Ok(Box::new(TurnsHarness::new()));
    }
    if options.real {
        return Ok(Box::new(RealHarness::new(alongside_rig::install_every_release()?)?));
    }
    if let Some(how) = &options.without_receipts {
        use alongside_rig::wire::ReceiptFault;
        let fault =
            if how == "written" { ReceiptFault::WrittenIsDelivered } else { ReceiptFault::SentAgainBlindly };
        return Ok(Box::new(PausedHarness::with(fault)));
    }
    Ok(Box::new(PausedHarness::default()))
}

/// Prints the totals, the memory curve, and the seeds that failed.
fn print_totals(options: &Options, log: &ResultLog, seeds: std::ops::Range<u64>) -> ExitCode {
    let (totals, rounds, broken) = log.totals(seeds);
    let Totals { steps, diffs, decisions, edits, outcomes, drafts, took, .. } = totals;
    let Totals { kills, ends, cuts, freezes, squats, .. } = totals;
    let Totals { calls, writes, dead_hooks, outvoted, turns, comments, lists, .. } = totals;
    let curve = log.memory_curve();
    for (round, memory) in &curve {
        println!("memory after {round} rounds: {memory} KiB");
    }
    let grown = match (curve.first(), curve.last()) {
        (Some((_, warm)), Some((_, last))) => last.saturating_sub(*warm),
        _ => 0,
    };
    if grown > MAX_GROWTH_KIB {
        println!("MEMORY GROWS by {grown} KiB; the limit is {MAX_GROWTH_KIB} KiB");
    }
    for seed in &broken {
        println!(
            "FAILED: round {seed}; replay it with: \
             cargo xtask chaos{} --seed {seed} --rounds 1 --again --show --minimise",
            repeated_options(options)
        );
    }
    println!(
        "{steps} steps: {diffs} diffs, {edits} edits, {decisions} decisions, {outcomes} outcomes; \
         {kills} kills, {ends} other ends, \
         {cuts} broken connections, {freezes} freezes, {squats} squatted ports; \
         {drafts} drafts left; {} s",
        took / 1000
    );
    if options.hooks {
        println!(
            "{calls} tool calls: {writes} wrote, {dead_hooks} had a dead hook, {outvoted} another last word"
        );
    }
    if options.turns {
        println!("{turns} hooks of turns, {comments} comments kept, {lists} lists");
    }
    println!("{rounds} rounds, {} failed", broken.len());
    if broken.is_empty() && grown <= MAX_GROWTH_KIB { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the options that a replay needs as well.
fn repeated_options(options: &Options) -> String {
    if let Some(how) = &options.without_receipts {
        return format!(" --without-receipts {how}");
    }
    let flags = [
        (options.real, " --real"),
        (options.hooks, " --hooks"),
        (options.turns, " --turns"),
        (options.full_disk, " --full-disk"),
    ];
    flags.iter().filter(|(is_set, _)| *is_set).map(|(_, option)| *option).collect()
}

fn print_violations(seed: u64, broken: &[Violation]) {
    println!("round {seed}:");
    for broken in broken {
        println!("  {broken}");
    }
}

fn print_record(plan: &Plan, record: &Record) {
    println!("{}", serde_json::to_string_pretty(plan).unwrap_or_default());
    println!("{record:#?}");
}

/// Writes the plan, record and diagnostics of a failed round to a file: the next time, the round may not
/// fail.
fn keep(plan: &Plan, record: &Record, directory: &Path) -> Result<()> {
    let path = directory.join(format!("round-{}.txt", plan.seed));
    let diagnostics = record.diagnostics.join("\n\n");
    let plan = serde_json::to_string_pretty(plan)?;
    let record = Record { diagnostics: Vec::new(), ..record.clone() };
    std::fs::write(&path, format!("{plan}\n\n{record:#?}\n\n{diagnostics}\n"))
        .with_context(|| format!("cannot write {}", path.display()))?;
    println!("  its record: {}", path.display());
    Ok(())
}

/// Plays a plan from a file.
fn play_file(harness: &mut dyn Harness, path: &Path) -> Result<ExitCode> {
    let written = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let plan: Plan =
        serde_json::from_str(&written).with_context(|| format!("{} is not a plan", path.display()))?;
    let (record, broken) = play(harness, &plan)?;
    print_record(&plan, &record);
    print_violations(plan.seed, &broken);
    Ok(if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Searches the shortest plan that breaks the first of these rules, and writes it to a file.
fn shorten(harness: &mut dyn Harness, plan: &Plan, broken: &[Violation], directory: &Path) -> Result<()> {
    let Some(first) = broken.first() else { return Ok(()) };
    println!("  searching the shortest plan that breaks {:?} …", first.rule);
    let least = minimise(plan, |plan| -> Result<bool> {
        Ok(play(harness, plan)?.1.iter().any(|broken| broken.rule == first.rule))
    })?;
    let path = directory.join(format!("{:?}-{}.json", first.rule, plan.seed).to_lowercase());
    let written = serde_json::to_string_pretty(&least)?;
    std::fs::write(&path, written).with_context(|| format!("cannot write {}", path.display()))?;
    println!("  {} of {} steps: {}", least.steps.len(), plan.steps.len(), path.display());
    Ok(())
}

fn log_name(options: &Options) -> Result<String> {
    let disk = if options.full_disk { "-full" } else { "" };
    let harness = match (options.hooks, options.real) {
        _ if options.turns => "turns",
        (true, _) => "hooks",
        (false, true) => "real",
        (false, false) => "paused",
    };
    let name = format!("{harness}{disk}-{}", sources()?);
    if let Some(how) = &options.without_receipts {
        return Ok(format!("{name}-{how}"));
    }
    Ok(name)
}

/// Returns a name for the committed sources of the program and of the rig, to which the results belong.
fn sources() -> Result<String> {
    let name = |folder: &str| -> Result<String> {
        let tree = format!("HEAD:{folder}");
        let output = Command::new("git").args(["rev-parse", "--short", &tree]).output();
        let output = output.context("cannot start git")?;
        if !output.status.success() {
            bail!("git cannot find {tree}: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    };
    Ok(format!("{}-{}", name("crates")?, name("rig/src")?))
}
