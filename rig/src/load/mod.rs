//! Load: hundreds of agents at once against the real program, for minutes, while the person moves the cursor
//! without a pause.
//!
//! Every agent listens and proposes now and then. Some agents read slowly or not at all, some lose their
//! stream, some end with or without the end of their session. The [text](proposal) of a proposal names the
//! outcome that it must get, and each outcome is compared with it. The figures of the [host] are taken once a
//! second. [`Report`] has the result, and the [rules](Report::broken) that were broken.

mod agent;
mod counters;
mod desk;
mod host;
mod proposal;
mod report;
mod stream_reader;
mod world;

use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use tokio::sync::watch;
use tokio::task::JoinSet;

use agent::Reading;
use counters::Counters;
use host::Host;
pub use report::{Minute, Report};
use stream_reader::NewestContext;
pub use world::Plan;
use world::{Phase, Reports, World};

use crate::sandbox::Sandbox;

/// The sessions that begin in a second: a listener's queue has room for only a few thousand connections.
const SESSIONS_PER_SECOND: u64 = 250;
/// The longest time until all open diffs have ended, and then until all agents have the last context.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(60);
/// The longest time until the host has freed all sessions. It frees a session 60 s after the last request;
/// under load it may take twice as long.
const FREE_TIMEOUT: Duration = Duration::from_secs(120);

/// Plays the load, and passes lines about the progress to `report_progress`. Ends early once `interrupted` is
/// ready.
pub async fn run(
    plan: Plan,
    program: &Path,
    interrupted: impl Future<Output = ()>,
    report_progress: impl Fn(&str),
) -> Result<Report> {
    alongside_platform::limits::raise_open_files();
    let sandbox = Sandbox::new();
    for file in desk::open_files(&sandbox.project()) {
        std::fs::write(file, "open\n")?;
    }
    let host = Host::start(program, &sandbox).await?;
    let (desk, address) = host.join().await?;
    // The host has then done the work of its start.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let base = host.figures()?;
    let world = Arc::new(World {
        address,
        project: sandbox.project(),
        pace: u64::try_from(plan.pace.as_millis())?,
        vanish: plan.vanish,
        phase: watch::Sender::new(Phase::Play),
        reports: Reports::default(),
        counters: Counters::default(),
        proposals: AtomicU64::new(0),
        agents: AtomicUsize::new(0),
        random: AtomicU64::new(1),
    });
    let mut background = JoinSet::new();
    background.spawn(stream_reader::measure_own_delay(world.clone()));
    let person = tokio::spawn(desk::play(desk, world.clone()));
    let newest: Vec<NewestContext> = (0..plan.sessions).map(|_| NewestContext::default()).collect();
    let mut agents = start_agents(&newest, &world);
    let mut report = Report::new(plan, base);
    let interrupted =
        watch_host(&host, &world, plan.seconds, interrupted, &mut report, &report_progress).await?;

    world.phase.send_replace(Phase::Settle);
    report.settled = eventually(SETTLE_TIMEOUT, || {
        let counters = &world.counters;
        let ended = counters.expected_outcomes.load(Relaxed)
            + counters.reviews_closed.load(Relaxed)
            + counters.errors.load(Relaxed);
        ended >= world.proposals.load(Relaxed)
    })
    .await;
    world.phase.send_replace(Phase::Compare);
    report.agree = eventually(SETTLE_TIMEOUT, || agree(&newest, &world)).await;
    world.phase.send_replace(Phase::Leave);
    while agents.join_next().await.is_some() {}
    report_progress("the agents have gone; waiting until the host has forgotten them");
    report.freed = eventually(FREE_TIMEOUT, || world.agents.load(Relaxed) == 0).await;
    // The host closes the descriptors of connections a moment after their end.
    let are_closed = || host.figures().is_ok_and(|figures| figures.open <= base.open);
    eventually(Duration::from_secs(10), are_closed).await;
    report.add_last(host.figures()?);
    world.phase.send_replace(Phase::Over);
    let desk = person.await.context("the desk has panicked")?;
    desk.leave().await;
    host.wait_for_end().await?;
    report.finish(&world, interrupted);
    Ok(report)
}

/// Starts all agents, [`SESSIONS_PER_SECOND`] in a second.
fn start_agents(newest: &[NewestContext], world: &Arc<World>) -> JoinSet<()> {
    let mut agents = JoinSet::new();
    for (number, newest) in newest.iter().cloned().enumerate() {
        let world = world.clone();
        agents.spawn(async move {
            tokio::time::sleep(Duration::from_millis(number as u64 * 1000 / SESSIONS_PER_SECOND)).await;
            agent::play(number, world.reading_of(number), newest, world).await;
        });
    }
    agents
}

/// Adds the host's figures to the report each second, for so many seconds. Returns whether the person
/// interrupted.
async fn watch_host(
    host: &Host,
    world: &World,
    seconds: u64,
    interrupted: impl Future<Output = ()>,
    report: &mut Report,
    report_progress: &impl Fn(&str),
) -> Result<bool> {
    tokio::pin!(interrupted);
    let mut each = tokio::time::interval(Duration::from_secs(1));
    for _ in 0..seconds {
        tokio::select! {
            _ = each.tick() => {
                if let Some(line) = report.add_second(host.figures()?, world) {
                    report_progress(&line);
                }
            }
            () = &mut interrupted => return Ok(true),
        }
    }
    Ok(false)
}

/// Whether all agents that read have the context of the last change, and the same context.
fn agree(newest: &[NewestContext], world: &World) -> bool {
    let all: Vec<_> = newest
        .iter()
        .enumerate()
        .filter(|(number, _)| world.reading_of(*number) == Reading::All)
        .map(|(_, newest)| *newest.lock().unwrap_or_else(PoisonError::into_inner))
        .collect();
    all.iter().all(|newest| newest.0 == world.reports.newest() && newest == &all[0])
}

/// Waits until a condition holds. Returns false if it does not hold in time.
async fn eventually(within: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + within;
    while !condition() {
        if until <= Instant::now() {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    true
}
