//! A round with real processes: its agents, desks, agenda and record.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use rustix::process::Signal;
use tokio::task::JoinSet;

use super::agenda::{Agenda, Event};
use super::agent_slot::AgentSlot;
use super::machine::Machine;
use super::shared_squatter::SharedSquatter;
use crate::chaos::people::People;
use crate::chaos::plan::Plan;
use crate::chaos::shared_record::SharedRecord;
use crate::release::RELEASES;

/// The content of every project file until the script rewrites it.
pub(super) const ORIGINAL: &str = "one\ntwo\nthree\nfour\n";

/// The time for which clients try to reopen a lost stream, plus the delay of a busy machine, in milliseconds.
pub(super) const RETRY_PERIOD: u64 = 2_500 + 1_500;

/// The longest pause between two steps, in milliseconds. Plans have longer pauses, because a paused clock
/// skips them. Clients reopen a broken stream after a second, so a step at that moment keeps its time.
const LONGEST_PAUSE: u64 = 1_000;

/// The pause in place of a longer one than [`LONGEST_PAUSE`], in milliseconds.
const SHORTENED_PAUSE: u64 = 500;

/// The longest duration of a trouble, in milliseconds: a little longer than clients try to reconnect.
const LONGEST_TROUBLE: u64 = 3_000;

pub(super) struct Round<'a> {
    pub(super) machine: &'a mut Machine,
    pub(super) plan: &'a Plan,
    pub(super) files: Vec<PathBuf>,
    pub(super) slots: Vec<AgentSlot>,
    pub(super) people: People,
    pub(super) record: SharedRecord,
    /// The tasks that wait for responses.
    pub(super) tasks: JoinSet<()>,
    agenda: Agenda,
    /// The number of kills of the companion.
    pub(super) kills: usize,
    /// The troubles that end once a desk has joined again.
    pub(super) troubles_until_desk: Vec<usize>,
    pub(super) squatter: SharedSquatter,
    /// Whether a companion may have ended while no desk held its port. Its successors then refuse its token,
    /// and the connected agents with it.
    pub(super) is_token_burned: bool,
    /// The tasks that run until the round is over.
    _background: JoinSet<()>,
}

impl<'a> Round<'a> {
    /// Starts the desks and the agents, and waits until every agent has found the companion.
    pub(super) async fn begin(machine: &'a mut Machine, plan: &'a Plan) -> Result<Self> {
        let names = (0..plan.files).map(|number| format!("file-{number}.txt"));
        let files: Vec<_> = names.map(|name| machine.sandbox.write(name, ORIGINAL)).collect();
        let record = SharedRecord::new();
        for file in &files {
            record.project.write(0, file, ORIGINAL)?;
        }
        let squatter = SharedSquatter::default();
        let mut background = JoinSet::new();
        background.spawn(squatter.clone().run(machine.sandbox.clone(), record.clone()));
        let mut round = Self {
            squatter,
            _background: background,
            machine,
            plan,
            files,
            slots: Vec::new(),
            people: People::new(plan, &record),
            is_token_burned: false,
            record,
            tasks: JoinSet::new(),
            agenda: Agenda::default(),
            kills: 0,
            troubles_until_desk: Vec::new(),
        };
        round.machine.link_small_disk()?;
        for desk in 0..plan.desks {
            round.join(desk)?;
            round.wait_until_served().await?;
        }
        round.connect_agents().await?;
        Ok(round)
    }

    async fn connect_agents(&mut self) -> Result<()> {
        for release_index in self.machine.draw_releases(self.plan) {
            let agent = self.machine.agent(release_index).await?;
            self.slots.push(AgentSlot::new(release_index, agent));
            self.enable(self.slots.len() - 1);
        }
        while self.tasks.join_next().await.is_some() {}
        for number in 0..self.slots.len() {
            let release_index = self.slots[number].release_index;
            let release = RELEASES[release_index];
            if !self.slots[number].link.lock().is_connected {
                // Gemini CLI 0.27.4 detects its editor at its start, by a companion's discovery file. If it
                // was started without a companion, in the previous round, it never connects.
                eprintln!("agent {number} ({release}) of round {} is started anew", self.plan.seed);
                let old = self.slots[number].agent.take();
                old.iter().for_each(|old| old.signal(Signal::KILL));
                self.machine.remove_agent(release_index);
                self.slots[number].agent = Some(self.machine.agent(release_index).await?);
                self.enable(number);
                while self.tasks.join_next().await.is_some() {}
            }
            anyhow::ensure!(
                self.slots[number].link.lock().is_connected,
                "agent {number} ({release}) does not connect although there was no trouble"
            );
        }
        Ok(())
    }

    /// Carries out the plan.
    pub(super) async fn play(&mut self) -> Result<()> {
        let (mut at, mut planned) = (self.record.now(), 0);
        for step in &self.plan.steps {
            let pause = step.at.saturating_sub(planned);
            at += if pause > LONGEST_PAUSE { SHORTENED_PAUSE } else { pause };
            planned = step.at;
            self.agenda.add(at, Event::Step(step.action));
        }
        while let Some((at, event)) = self.agenda.take_next() {
            tokio::time::sleep_until(self.record.start + Duration::from_millis(at)).await;
            self.handle(event).await?;
        }
        Ok(())
    }

    /// Schedules an event after so many milliseconds.
    pub(super) fn schedule(&mut self, after: u64, event: Event) {
        self.agenda.add(self.record.now() + after.min(LONGEST_TROUBLE), event);
    }
}
