//! Load: hundreds of agents at once against the real program, for minutes, while the person works on without
//! a pause.
//!
//! Every agent listens and proposes now and then; some read slowly or not at all, some lose their stream,
//! some go away with a word or without one. The [text](proposal) of a proposal says which outcome it must
//! get, so that each outcome is held against it. The [host] is looked at from outside, once a second.
//! [`Report`] has the result, and the [rules](Report::broken) that were broken.

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

use agent::Reads;
use counters::Counters;
use host::Host;
pub use report::{Minute, Report};
use stream_reader::Newest;
pub use world::Plan;
use world::{Phase, Reports, World};

use crate::sandbox::Sandbox;

/// Sessions that begin in a second: the system lets no more than some thousand wait at a port.
const BEGINNING: u64 = 250;
/// How long all agents may take to hear the last context, and what was proposed to be decided.
const SETTLED_WITHIN: Duration = Duration::from_secs(60);
/// The host frees a session 60 s after it was heard of last; here it may take twice as long.
const FREED_WITHIN: Duration = Duration::from_secs(120);

/// Plays; ends early when `interrupted` does. Now and then `tell` is given a line about how it goes.
pub async fn run(
    plan: Plan,
    program: &Path,
    interrupted: impl Future<Output = ()>,
    tell: impl Fn(&str),
) -> Result<Report> {
    alongside_platform::limits::raise_open_files();
    let sandbox = Sandbox::new();
    for file in desk::files(&sandbox.project()) {
        std::fs::write(file, "open\n")?;
    }
    let host = Host::start(program, &sandbox).await?;
    let (desk, address) = host.join().await?;
    // Until it has looked around.
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
    let mut others = JoinSet::new();
    others.spawn(stream_reader::watch_lateness(world.clone()));
    let person = tokio::spawn(desk::sit(desk, world.clone()));
    let newest: Vec<Newest> = (0..plan.sessions).map(|_| Newest::default()).collect();
    let mut agents = begin(&newest, &world);
    let mut report = Report::new(plan, base);
    let interrupted = watch_host(&host, &world, plan.seconds, interrupted, &mut report, &tell).await?;

    world.phase.send_replace(Phase::Settle);
    report.settled = eventually(SETTLED_WITHIN, || {
        let tally = &world.counters;
        let ended = tally.diffs.load(Relaxed) + tally.given_up.load(Relaxed) + tally.errors.load(Relaxed);
        ended >= world.proposals.load(Relaxed)
    })
    .await;
    world.phase.send_replace(Phase::Compare);
    report.agree = eventually(SETTLED_WITHIN, || agree(&newest, &world)).await;
    world.phase.send_replace(Phase::Leave);
    while agents.join_next().await.is_some() {}
    tell("the agents have gone; waiting until the host has forgotten them");
    report.freed = eventually(FREED_WITHIN, || world.agents.load(Relaxed) == 0).await;
    // Connections that have just ended are let go of.
    let back = || host.figures().is_ok_and(|figures| figures.open <= base.open);
    eventually(Duration::from_secs(10), back).await;
    report.left(host.figures()?);
    world.phase.send_replace(Phase::Over);
    let desk = person.await.context("the desk has panicked")?;
    desk.leave().await;
    host.ended().await?;
    report.end(&world, interrupted);
    Ok(report)
}

/// Has all agents begin, some after the other.
fn begin(newest: &[Newest], world: &Arc<World>) -> JoinSet<()> {
    let mut agents = JoinSet::new();
    for (number, newest) in newest.iter().cloned().enumerate() {
        let world = world.clone();
        agents.spawn(async move {
            tokio::time::sleep(Duration::from_millis(number as u64 * 1000 / BEGINNING)).await;
            agent::play(number, world.reads(number), newest, world).await;
        });
    }
    agents
}

/// Looks at the host for so many seconds, once in each; true if that was interrupted.
async fn watch_host(
    host: &Host,
    world: &World,
    seconds: u64,
    interrupted: impl Future<Output = ()>,
    report: &mut Report,
    tell: &impl Fn(&str),
) -> Result<bool> {
    tokio::pin!(interrupted);
    let mut each = tokio::time::interval(Duration::from_secs(1));
    for _ in 0..seconds {
        tokio::select! {
            _ = each.tick() => {
                if let Some(line) = report.look(host.figures()?, world) {
                    tell(&line);
                }
            }
            () = &mut interrupted => return Ok(true),
        }
    }
    Ok(false)
}

/// Whether all agents that read have heard of the last change, and were told the same.
fn agree(newest: &[Newest], world: &World) -> bool {
    let all: Vec<_> = newest
        .iter()
        .enumerate()
        .filter(|(number, _)| world.reads(*number) == Reads::All)
        .map(|(_, newest)| *newest.lock().unwrap_or_else(PoisonError::into_inner))
        .collect();
    all.iter().all(|newest| newest.0 == world.reports.newest() && newest == &all[0])
}

/// Waits for a condition; false if it does not come about in time.
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
