//! `cargo xtask chaos`: rounds of chaos by the thousand, and what to do about one that failed.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use alongside_rig::chaos::minimise::minimise;
use alongside_rig::chaos::paused::PausedHarness;
use alongside_rig::chaos::real::RealHarness;
use alongside_rig::chaos::results::{MAX_GROWTH, ResultLog, Totals};
use alongside_rig::chaos::{Harness, Plan, Record, Violation, play, small_disk};
use anyhow::{Context as _, Result, anyhow, bail};

/// Which rounds, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The seed of the first round; the next ones follow by one
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// How many rounds
    #[arg(long, default_value_t = 200)]
    rounds: u64,

    /// Play the shipped agents' own clients and the real program, on the machine's clock, instead of our own
    /// agents in this process on a paused one: a round takes seconds, most of them spent in waiting, so that
    /// 4 jobs suit two cores
    #[arg(long)]
    real: bool,

    /// Look for the shortest plan that still breaks the same rule, of each round that fails, and keep it in
    /// target/chaos
    #[arg(long)]
    minimise: bool,

    /// Play rounds again that were played with these sources
    #[arg(long)]
    again: bool,

    /// Play this plan, as --minimise has written it, instead of seeds, and show what happened
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed", "rounds"])]
    plan: Option<PathBuf>,

    /// Play the same rounds while others fill the disk, and kill a companion when somebody has just typed
    #[arg(long)]
    full_disk: bool,

    /// Play against a companion that gets receipts wrong in this way, to see that it is noticed
    #[cfg(debug_assertions)]
    #[arg(long, value_name = "HOW", value_parser = ["written", "blindly"], conflicts_with = "real")]
    without_receipts: Option<String>,

    /// How many rounds at once
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=16))]
    jobs: u8,

    /// Show what happened in each round
    #[arg(long)]
    show: bool,
}

pub(crate) fn chaos(options: &Options) -> Result<ExitCode> {
    if (options.full_disk || options.plan.is_some()) && !small_disk::are_mounted() {
        match small_disk::restart_with_small_disks(std::env::args_os().skip(1)) {
            Some((_place, mut again)) => {
                let status = again.status().context("this program cannot be started again")?;
                return Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
            }
            None if options.full_disk => bail!("no file system can be mounted here, so no disk can be full"),
            None => {}
        }
    }
    if let Some(path) = &options.plan {
        return one(stage(options)?.as_mut(), path);
    }
    let end = options.seed.checked_add(options.rounds).context("there are no such seeds")?;
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/chaos");
    let mut log = ResultLog::open(&directory, &log_name(options)?)?;
    let due: Vec<u64> =
        (options.seed..end).filter(|seed| options.again || log.get(*seed).is_none()).collect();
    println!("==> {} rounds to play of {}; kept in {}", due.len(), options.rounds, log.path().display());
    let interrupted = interruption()?;
    let failed = play_all(options, &due, &mut log, &directory, &interrupted)?;
    if interrupted.load(Ordering::Relaxed) {
        println!("interrupted; what was played is kept, and the next run goes on from there");
        return Ok(ExitCode::from(130));
    }
    for (plan, broken) in failed.iter().filter(|_| options.minimise) {
        shorten(stage(options)?.as_mut(), plan, broken, &directory)?;
    }
    Ok(sum_up(options, &log, options.seed..end))
}

/// Plays these rounds, several at once. Returns those that failed.
fn play_all(
    options: &Options,
    due: &[u64],
    log: &mut ResultLog,
    directory: &Path,
    interrupted: &AtomicBool,
) -> Result<Vec<(Plan, Vec<Violation>)>> {
    type Played = Result<(Plan, Record, Vec<Violation>, u64)>;
    let (next, mut failed) = (AtomicUsize::new(0), Vec::new());
    let (played, rounds) = mpsc::channel::<Played>();
    let lane = |played: mpsc::Sender<Played>| -> Result<()> {
        let mut stage = stage(options)?;
        while let Some(seed) = due.get(next.fetch_add(1, Ordering::Relaxed))
            && !interrupted.load(Ordering::Relaxed)
        {
            let plan = if options.full_disk { Plan::on_full_disk(*seed) } else { Plan::from_seed(*seed) };
            let began = Instant::now();
            let came = play(stage.as_mut(), &plan).with_context(|| format!("round {seed}"));
            let took = began.elapsed().as_millis() as u64;
            // Nobody listens any more after an error.
            let _ = played.send(came.map(|(record, broken)| (plan, record, broken, took)));
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..options.jobs)
            .map(|_| {
                let played = played.clone();
                scope.spawn(|| lane(played))
            })
            .collect();
        drop(played);
        let mut progress =
            Progress { started: Instant::now(), said: Instant::now(), all: due.len(), done: 0 };
        for round in &rounds {
            // The lanes end when they have played what they are at.
            let (plan, record, broken, took) =
                round.inspect_err(|_| next.store(due.len(), Ordering::Relaxed))?;
            log.put(plan.seed, &record, &broken, took)?;
            progress.say();
            if options.show {
                show(&plan, &record);
            }
            if !broken.is_empty() {
                say(plan.seed, &broken);
                keep(&plan, &record, directory)?;
                failed.push((plan, broken));
            }
        }
        for lane in lanes {
            lane.join().map_err(|_| anyhow!("a round has panicked"))??;
        }
        Ok(failed)
    })
}

fn stage(options: &Options) -> Result<Box<dyn Harness>> {
    if options.real {
        return Ok(Box::new(RealHarness::new(alongside_rig::install()?)?));
    }
    #[cfg(debug_assertions)]
    if let Some(how) = &options.without_receipts {
        use alongside_rig::chaos::paused::Fault;
        let fault = if how == "written" { Fault::WrittenIsDelivered } else { Fault::SentAgainBlindly };
        return Ok(Box::new(PausedHarness::with(fault)));
    }
    Ok(Box::new(PausedHarness::default()))
}

/// Totals, the curve of memory, and the seeds that failed.
fn sum_up(options: &Options, log: &ResultLog, seeds: std::ops::Range<u64>) -> ExitCode {
    let (totals, rounds, broken) = log.totals(seeds);
    let Totals { steps, diffs, decisions, edits, outcomes, kills, ends, cuts, freezes, drafts, squats, took } =
        totals;
    let curve = log.memory_curve();
    for (round, memory) in &curve {
        println!("memory after {round} rounds: {memory} KiB");
    }
    let grown = match (curve.first(), curve.last()) {
        (Some((_, warm)), Some((_, last))) => last.saturating_sub(*warm),
        _ => 0,
    };
    if grown > MAX_GROWTH {
        println!("MEMORY GROWS: by {grown} KiB, and {MAX_GROWTH} KiB are allowed");
    }
    for seed in &broken {
        println!(
            "FAILED: round {seed}; play it again with: cargo xtask chaos{} --seed {seed} --rounds 1 --again --show --minimise",
            again(options)
        );
    }
    println!(
        "{steps} steps: {diffs} diffs, {edits} edits, {decisions} decisions, {outcomes} outcomes; {kills} kills, {ends} other ends, \
         {cuts} broken connections, {freezes} freezes, {squats} ports squatted; {drafts} drafts left; {} s",
        took / 1000
    );
    println!("{rounds} rounds, {} failed", broken.len());
    if broken.is_empty() && grown <= MAX_GROWTH { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Action else was asked for.
fn again(options: &Options) -> String {
    #[cfg(debug_assertions)]
    if let Some(how) = &options.without_receipts {
        return format!(" --without-receipts {how}");
    }
    let asked = [(options.real, " --real"), (options.full_disk, " --full-disk")];
    asked.iter().filter(|(is_asked, _)| *is_asked).map(|(_, option)| *option).collect()
}

fn say(seed: u64, broken: &[Violation]) {
    println!("round {seed}:");
    for broken in broken {
        println!("  {broken}");
    }
}

fn show(plan: &Plan, record: &Record) {
    println!("{}", serde_json::to_string_pretty(plan).unwrap_or_default());
    println!("{record:#?}");
}

/// Keeps what is known of a round that failed: the next time it may not.
fn keep(plan: &Plan, record: &Record, directory: &Path) -> Result<()> {
    let path = directory.join(format!("round-{}.txt", plan.seed));
    let diagnostics = record.diagnostics.join("\n\n");
    let plan = serde_json::to_string_pretty(plan)?;
    let record = Record { diagnostics: Vec::new(), ..record.clone() };
    std::fs::write(&path, format!("{plan}\n\n{record:#?}\n\n{diagnostics}\n"))
        .with_context(|| format!("cannot write {}", path.display()))?;
    println!("  what happened in it: {}", path.display());
    Ok(())
}

/// A plan from a file.
fn one(stage: &mut dyn Harness, path: &Path) -> Result<ExitCode> {
    let written = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let plan: Plan =
        serde_json::from_str(&written).with_context(|| format!("{} is no plan", path.display()))?;
    let (record, broken) = play(stage, &plan)?;
    show(&plan, &record);
    say(plan.seed, &broken);
    Ok(if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Keeps the shortest plan that breaks the first of these rules.
fn shorten(stage: &mut dyn Harness, plan: &Plan, broken: &[Violation], directory: &Path) -> Result<()> {
    let Some(first) = broken.first() else { return Ok(()) };
    println!("  looking for the shortest plan that breaks {:?} …", first.rule);
    let least = minimise(plan, |plan| -> Result<bool> {
        Ok(play(stage, plan)?.1.iter().any(|broken| broken.rule == first.rule))
    })?;
    let path = directory.join(format!("{:?}-{}.json", first.rule, plan.seed).to_lowercase());
    let written = serde_json::to_string_pretty(&least)?;
    std::fs::write(&path, written).with_context(|| format!("cannot write {}", path.display()))?;
    println!("  {} of {} steps: {}", least.steps.len(), plan.steps.len(), path.display());
    Ok(())
}

fn log_name(options: &Options) -> Result<String> {
    let disk = if options.full_disk { "-full" } else { "" };
    let name = format!("{}{disk}-{}", if options.real { "real" } else { "paused" }, sources()?);
    #[cfg(debug_assertions)]
    if let Some(how) = &options.without_receipts {
        return Ok(format!("{name}-{how}"));
    }
    Ok(name)
}

/// Results hold for one state of what is played and of what plays it, as it is committed.
fn sources() -> Result<String> {
    let name = |folder: &str| -> Result<String> {
        let tree = format!("HEAD:{folder}");
        let output = Command::new("git").args(["rev-parse", "--short", &tree]).output();
        let output = output.context("cannot start git")?;
        if !output.status.success() {
            bail!("git does not know {tree}: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    };
    Ok(format!("{}-{}", name("crates")?, name("rig/src")?))
}

/// Set when somebody presses Ctrl-C; the round that is being played is finished, so that nothing is left
/// behind.
fn interruption() -> Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")?;
    let flag = Arc::clone(&interrupted);
    std::thread::spawn(move || {
        if runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
            flag.store(true, Ordering::Relaxed);
        }
    });
    Ok(interrupted)
}

struct Progress {
    started: Instant,
    said: Instant,
    all: usize,
    done: usize,
}

impl Progress {
    /// Now and then.
    fn say(&mut self) {
        self.done += 1;
        if self.said.elapsed() < Duration::from_secs(10) {
            return;
        }
        self.said = Instant::now();
        let each = self.started.elapsed() / u32::try_from(self.done).unwrap_or(u32::MAX);
        let left = each * u32::try_from(self.all - self.done).unwrap_or(u32::MAX);
        println!("[{}/{}, {} min left]", self.done, self.all, left.as_secs().div_ceil(60));
    }
}
