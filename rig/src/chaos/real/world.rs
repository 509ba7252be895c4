//! One round in the real world while it lasts: who is there, what happens when, and what is written down of
//! it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use anyhow::Result;
use rustix::process::Pid;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::agent::Agent;
use super::desk::{Desk, Speech};
use super::hosts;
use super::lane::Lane;
use super::squat::Shared;
use crate::chaos::plan::{Plan, What};
use crate::chaos::project::Project;
use crate::chaos::record::{Kind, Record, Trouble};
use crate::ide_client::RELEASES;

/// What every file of the project holds until the script writes it anew.
pub(super) const ORIGINAL: &str = "one\ntwo\nthree\nfour\n";

/// How long clients try to get a lost stream back, and a busy machine's share, in milliseconds.
pub(super) const TRIES_FOR: u64 = 2_500 + 1_500;

/// No pause between two steps is longer, in milliseconds: plans are made for a clock that costs nothing. A
/// client opens a broken stream again after a second, and steps that are to meet that still do.
const LONGEST_PAUSE: u64 = 1_000;

/// What a longer one becomes.
const SHORTENED: u64 = 500;

/// Nobody is away for longer, in milliseconds: some longer than clients try to come back.
const LONGEST_TROUBLE: u64 = 3_000;

/// How long a desk may take to hold the port of its companion, in milliseconds.
const HOLDS_AFTER: u64 = 1_000;

/// See the module.
pub(super) struct World<'a> {
    pub(super) lane: &'a mut Lane,
    pub(super) plan: &'a Plan,
    pub(super) files: Vec<PathBuf>,
    pub(super) seats: Vec<Seat>,
    pub(super) desks: Vec<Option<Desk>>,
    pub(super) notes: Notes,
    /// Whatever waits for an answer.
    pub(super) tasks: JoinSet<()>,
    agenda: Vec<(u64, Act)>,
    /// How many texts were made.
    pub(super) texts: usize,
    /// How often the companion was killed: desks give up on one that crashes again and again.
    pub(super) kills: usize,
    /// Troubles that last until a desk is there again.
    pub(super) until_served: Vec<usize>,
    pub(super) squatter: Shared,
    /// When each desk was started.
    joined: Vec<u64>,
    /// A companion ended while no desk held its port: agents are refused from then on.
    pub(super) is_burned: bool,
    /// What goes on until the round is over.
    _beside: JoinSet<()>,
}

/// An agent of the round.
pub(super) struct Seat {
    /// Which of the lane's.
    pub(super) place: usize,
    pub(super) agent: Option<Agent>,
    pub(super) life: usize,
    /// It has looked for a companion in this life, and found one.
    pub(super) connected: Arc<AtomicBool>,
    /// It is looking.
    pub(super) looking: Arc<AtomicBool>,
    /// When it last ceased to hear anything.
    pub(super) lost: Arc<AtomicU64>,
    /// What it proposed last.
    pub(super) latest: Option<usize>,
}

/// What is to happen.
#[derive(Debug, Clone)]
pub(super) enum Act {
    Step(What),
    /// These go on, and the trouble is over.
    Thaw(Vec<Pid>, Option<usize>),
    /// What was held passes, or is cut.
    Release {
        agent: usize,
        trouble: usize,
        cut: bool,
    },
    /// The squatter goes.
    Vacate(usize),
    /// A desk is there again.
    Join(usize),
    /// `/ide enable`.
    Enable(usize),
    /// There is room on the disk again.
    FreeDisk(usize),
}

/// The record, which whoever waits for something writes into when it comes.
#[derive(Clone)]
pub(super) struct Notes {
    record: Arc<Mutex<Record>>,
    /// The files that are proposed for.
    pub(super) project: Project,
    start: Instant,
    /// What happens from now on is no more of the round's.
    pub(super) sealed: Arc<AtomicBool>,
}

impl Notes {
    /// Milliseconds since the round began.
    pub(super) fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// The record, for as long as it takes to write a line.
    pub(super) fn write(&self) -> MutexGuard<'_, Record> {
        self.record.lock().expect("nobody panics who writes")
    }

    /// Something is done to somebody from now on.
    pub(super) fn trouble(&self, kind: Kind, agent: Option<usize>) -> usize {
        let from = self.now();
        let troubles = &mut self.write().troubles;
        troubles.push(Trouble { kind, agent, from, until: u64::MAX });
        troubles.len() - 1
    }

    /// It is over.
    pub(super) fn over(&self, trouble: usize) {
        let now = self.now();
        let trouble = &mut self.write().troubles[trouble];
        trouble.until = trouble.until.min(now);
    }
}

impl<'a> World<'a> {
    /// The first desks are there, and every agent has found the companion.
    pub(super) async fn begin(lane: &'a mut Lane, plan: &'a Plan) -> Result<Self> {
        let names = (0..plan.files).map(|number| format!("file-{number}.txt"));
        let files: Vec<_> = names.map(|name| lane.sandbox.write(name, ORIGINAL)).collect();
        let notes = Notes {
            record: Arc::default(),
            project: Project::default(),
            start: Instant::now(),
            sealed: Arc::default(),
        };
        for file in &files {
            notes.project.write(0, file, ORIGINAL)?;
        }
        let squatter = Shared::default();
        let mut beside = JoinSet::new();
        beside.spawn(squatter.clone().play(lane.sandbox.clone(), notes.clone()));
        let mut world = Self {
            squatter,
            _beside: beside,
            lane,
            plan,
            files,
            seats: Vec::new(),
            desks: vec![None; plan.desks],
            joined: vec![0; plan.desks],
            is_burned: false,
            notes,
            tasks: JoinSet::new(),
            agenda: Vec::new(),
            texts: 0,
            kills: 0,
            until_served: Vec::new(),
        };
        world.lane.lead_to_small_disk()?;
        for desk in 0..plan.desks {
            world.join(desk)?;
            world.is_served().await?;
        }
        for place in world.lane.places(plan) {
            let agent = Some(world.lane.agent(place).await?);
            let (connected, looking, lost) = (Arc::default(), Arc::default(), Arc::default());
            world.seats.push(Seat { place, agent, life: 0, connected, looking, lost, latest: None });
            let number = world.seats.len() - 1;
            world.enable(number);
        }
        while world.tasks.join_next().await.is_some() {}
        for number in 0..world.seats.len() {
            let place = world.seats[number].place;
            let release = RELEASES[place];
            let is_connected = |world: &Self| world.seats[number].connected.load(Ordering::Acquire);
            if !is_connected(&world) {
                // Gemini CLI 0.27.4 detects its editor when it starts, by a companion's file; one that was
                // started while there was none, in the round before, never connects.
                eprintln!("agent {number} ({release}) of round {} is started anew", plan.seed);
                let old = world.seats[number].agent.take();
                old.iter().for_each(|old| old.signal(rustix::process::Signal::KILL));
                world.lane.lose(place);
                world.seats[number].agent = Some(world.lane.agent(place).await?);
                world.enable(number);
                while world.tasks.join_next().await.is_some() {}
            }
            anyhow::ensure!(
                is_connected(&world),
                "agent {number} ({release}) does not connect, and nothing is in its way"
            );
        }
        Ok(world)
    }

    /// Does what the plan says, when it says so.
    pub(super) async fn play(&mut self) -> Result<()> {
        let (mut at, mut planned) = (self.notes.now(), 0);
        for step in &self.plan.steps {
            let pause = step.at.saturating_sub(planned);
            at += if pause > LONGEST_PAUSE { SHORTENED } else { pause };
            planned = step.at;
            self.agenda.push((at, Act::Step(step.what)));
        }
        while let Some(next) = self.next_act() {
            let (at, act) = self.agenda.remove(next);
            tokio::time::sleep_until(self.notes.start + Duration::from_millis(at)).await;
            self.act(act).await?;
        }
        Ok(())
    }

    /// The earliest; of several the one that was planned first.
    fn next_act(&self) -> Option<usize> {
        (0..self.agenda.len()).min_by_key(|index| self.agenda[*index].0)
    }

    /// Has something happen after so many milliseconds.
    pub(super) fn later(&mut self, after: u64, act: Act) {
        let at = self.notes.now() + after.min(LONGEST_TROUBLE);
        self.agenda.push((at, act));
    }

    /// How a desk of the round speaks: in every other round the first one is an editor's.
    pub(super) fn speech(&self, desk: usize) -> Speech {
        if desk == 0 && self.plan.seed % 2 == 1 { Speech::Framed } else { Speech::Lines }
    }

    /// Starts a desk.
    pub(super) fn join(&mut self, desk: usize) -> Result<()> {
        self.desks[desk] = Some(Desk::start(&self.lane.sandbox, self.speech(desk))?);
        self.joined[desk] = self.notes.now();
        Ok(())
    }

    /// The companion ends now: a desk that has been there for a while holds its port, another one may not
    /// have come to that.
    pub(super) fn burns_unless_held(&mut self) {
        let since = self.notes.now().saturating_sub(HOLDS_AFTER);
        let holds =
            self.living().any(|(number, desk)| self.joined[number] <= since && desk.seen().host.is_some());
        self.is_burned |= !holds;
    }

    /// The desks that are there.
    pub(super) fn living(&self) -> impl Iterator<Item = (usize, &Desk)> {
        let desks = self.desks.iter().enumerate();
        desks.filter_map(|(number, desk)| Some((number, desk.as_ref().filter(|desk| !desk.seen().ended)?)))
    }

    /// A desk comes or goes while there is no companion: one that comes holds nothing and may start it first,
    /// and one that goes may have been the last that held its port.
    pub(super) fn burns_unless_served(&mut self) {
        self.is_burned |= hosts::all(&self.lane.sandbox).is_empty();
    }

    /// Waits until every desk that is there has been told of a companion.
    async fn is_served(&self) -> Result<()> {
        for (number, desk) in self.living() {
            let served = desk.until(Duration::from_secs(30), |seen| seen.host).await;
            anyhow::ensure!(served.is_some(), "desk {number} has no companion after 30 s");
        }
        Ok(())
    }

    /// Has an agent look for a companion, while everything else goes on.
    pub(super) fn enable(&mut self, number: usize) {
        let seat = &mut self.seats[number];
        let Some(agent) = seat.agent.clone() else { return };
        if seat.looking.swap(true, Ordering::AcqRel) {
            return;
        }
        seat.life += 1;
        seat.lost.store(self.notes.now(), Ordering::Release);
        let (connected, looking, lost) = (seat.connected.clone(), seat.looking.clone(), seat.lost.clone());
        connected.store(false, Ordering::Release);
        let (sandbox, notes) = (self.lane.sandbox.clone(), self.notes.clone());
        self.tasks.spawn(async move {
            let looked = agent.enable(&sandbox).await;
            let is_connected = looked.unwrap_or_else(|error| {
                eprintln!("{} cannot look for a companion: {error:#}", agent.release());
                false
            });
            for proxy in agent.proxies() {
                let (mut listening, lost, notes) = (proxy.watch_listening(), lost.clone(), notes.clone());
                // It ends with the proxy.
                tokio::spawn(async move {
                    while listening.changed().await.is_ok() {
                        if listening.borrow_and_update().open == 0 {
                            lost.store(notes.now(), Ordering::Release);
                        }
                    }
                });
            }
            connected.store(is_connected, Ordering::Release);
            looking.store(false, Ordering::Release);
        });
    }

    /// Whether an agent waits for an outcome.
    pub(super) fn waits(&self, number: usize) -> Option<usize> {
        let latest = self.seats[number].latest?;
        is_waiting(&self.notes.write().proposals[latest]).then_some(latest)
    }
}

/// Whether nothing has come of it yet.
pub(super) fn is_waiting(proposal: &crate::chaos::record::Proposal) -> bool {
    let answered = proposal.closed.as_ref().is_some_and(|close| close.answered.is_some());
    let failed = matches!(proposal.shown, Some((_, Err(_))));
    proposal.outcome.is_none() && proposal.gone.is_none() && !answered && !failed
}
