//! A round with hooks: its agents, desks and record, and the steps of its plan.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::task::JoinSet;

use super::agent_slot::AgentSlot;
use super::call::CallInProgress;
use super::machine::Machine;
use super::players::{DeadHook, PLAYERS};
use super::tools;
use crate::chaos::people::People;
use crate::chaos::plan::{Action, Plan};
use crate::chaos::record::{Call, push};
use crate::chaos::shared_record::SharedRecord;
use crate::chaos::tool_call::CallScript;
use crate::rng::Rng;

/// The content of the project files at the beginning. The second line becomes the marker of each call.
const ORIGINAL: &str = "one\ntwo\nthree\nfour\nfive\n";

/// The longest time until a first companion serves a desk.
const START_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) struct Round<'a> {
    pub(super) machine: &'a Arc<Machine>,
    pub(super) plan: &'a Plan,
    files: Vec<PathBuf>,
    pub(super) agents: Vec<AgentSlot>,
    pub(super) people: People,
    pub(super) record: SharedRecord,
    /// The tasks that end troubles.
    pub(super) tasks: JoinSet<()>,
    /// The calls of agents.
    pub(super) calls: JoinSet<Result<()>>,
    /// The number of kills of the companion.
    pub(super) kills: usize,
    /// The trouble that ends when a desk has joined again.
    pub(super) until_desk: Option<usize>,
}

impl<'a> Round<'a> {
    /// Starts the desks, and waits until they have a companion.
    pub(super) async fn begin(machine: &'a Arc<Machine>, plan: &'a Plan) -> Result<Self> {
        let project = machine.sandbox.project();
        let files: Vec<_> =
            (0..plan.files).map(|number| project.join(format!("file-{number}.txt"))).collect();
        machine.prepare(&files, !plan.seed.is_multiple_of(3))?;
        let record = SharedRecord::new();
        // In every second round, the first file does not exist yet.
        for file in files.iter().skip(usize::from(plan.seed % 2 == 1)) {
            record.project.write(0, file, ORIGINAL)?;
        }
        let mut rng = Rng::new(plan.seed ^ 0x5eed);
        let agents =
            (0..plan.agents).map(|number| AgentSlot::new(number, &PLAYERS[rng.index(PLAYERS.len())]));
        let mut round = Self {
            machine,
            plan,
            files,
            agents: agents.collect(),
            people: People::new(plan, &record),
            record,
            tasks: JoinSet::new(),
            calls: JoinSet::new(),
            kills: 0,
            until_desk: None,
        };
        for number in 0..plan.desks {
            let desk = round.join(number)?;
            let host = desk.until(START_TIMEOUT, |state| state.host).await;
            host.with_context(|| format!("desk {number} has no companion after {START_TIMEOUT:?}"))?;
        }
        Ok(round)
    }

    /// Carries out the plan.
    pub(super) async fn play(&mut self) -> Result<()> {
        let (plan, began) = (self.plan, self.record.now());
        for step in &plan.steps {
            let at = self.record.start + Duration::from_millis(began + step.at);
            tokio::time::sleep_until(at).await;
            let was_carried_out = self.carry_out(step.action).await?;
            self.record.lock().steps += usize::from(was_carried_out);
        }
        Ok(())
    }

    /// Carries out an action. Returns false if it was void.
    async fn carry_out(&mut self, action: Action) -> Result<bool> {
        Ok(match action {
            Action::Call { agent, file, call } => self.call(agent, file, call)?,
            Action::KillHook { agent } => self.kill_hook(agent),
            Action::FreezeHook { agent, ms } => self.freeze_hook(agent, ms),
            Action::EndAgent { agent, says_so } => self.end_call(agent, says_so),
            Action::Edit { desk, pick } => self.people.edit(desk, pick),
            Action::Drop { desk, pick } => self.people.drop_last_change(desk, pick),
            Action::Decide { desk, pick, accept } => self.people.decide(desk, pick, accept),
            Action::LeaveDesk { desk, says_so } => self.leave(desk, says_so),
            Action::JoinDesk { desk } => desk < self.plan.desks && self.rejoin(desk)?.is_some(),
            Action::FreezeDesk { desk, ms } => self.freeze_desk(desk, ms),
            Action::Kill { back } => self.kill_host(back),
            Action::Freeze { ms } => self.freeze_host(ms),
            Action::Rewrite { file } => self.rewrite(file)?,
            Action::Propose { .. }
            | Action::Answer { .. }
            | Action::StartAgent { .. }
            | Action::Look { .. }
            | Action::Stop { .. }
            | Action::HandOver { .. }
            | Action::Hide { .. }
            | Action::FreezeAgent { .. }
            | Action::Cut { .. }
            | Action::CutAfter { .. }
            | Action::Hold { .. }
            | Action::Stall { .. }
            | Action::Clean
            | Action::Squat { .. }
            | Action::FillDisk { .. }
            | Action::Turn { .. }
            | Action::ReviewTurn { .. } => false,
        })
    }

    /// Starts a tool call of an agent. Returns false if the agent is busy.
    fn call(&mut self, number: usize, file: usize, script: CallScript) -> Result<bool> {
        let Some(slot) = self.agents.get(number).cloned() else { return Ok(false) };
        let Some(call_end) = slot.begin_call() else { return Ok(false) };
        let target = self.files[file].clone();
        let name =
            target.file_name().and_then(|name| name.to_str()).context("the file has no name in UTF-8")?;
        let (directory, path) = self.machine.directory_and_path(script.file_path, name);
        let path = path.to_str().context("a path of the sandbox is not UTF-8")?.to_owned();
        let agent = slot.player.agent()?;
        let marker = format!("proposal {} of round {}", self.people.next_text(), self.plan.seed);
        let before = fs::read_to_string(&target).ok();
        let text = proposed_text(before.as_deref().unwrap_or(ORIGINAL), &marker);
        let all = tools::tools(agent.hook);
        let tool = all[script.tool % all.len()];
        let arguments = tools::arguments(tool, &path, before.as_deref(), &text);
        let call = Call {
            agent: number,
            player: slot.player.name,
            path: target.clone(),
            marker,
            text,
            before,
            script,
            refuses_without_hook: slot.player.dead_hook == DeadHook::Refuses,
            asked: self.record.now(),
            runs: Vec::new(),
            result: None,
            departed: None,
            written: None,
        };
        let index = push(&mut self.record.lock().calls, call);
        let (machine, record) = (self.machine.clone(), self.record.clone());
        self.calls.spawn(async move {
            let call = CallInProgress {
                machine: &machine,
                record: &record,
                slot: &slot,
                agent,
                script,
                tool,
                index,
                directory,
                path,
                target,
                call_end,
            };
            let result = call.play(arguments).await;
            slot.finish_call();
            result
        });
        Ok(true)
    }

    /// Writes a project file as another program.
    fn rewrite(&mut self, file: usize) -> Result<bool> {
        let text = format!("{ORIGINAL}rewritten {}\n", self.people.next_text());
        self.record.project.write(self.record.now(), &self.files[file], &text)?;
        Ok(true)
    }
}

/// Returns the text that a model proposes for `before`: two changed lines, the first of which is the marker.
fn proposed_text(before: &str, marker: &str) -> String {
    let mut lines: Vec<String> = before.lines().map(str::to_owned).collect();
    lines.resize(lines.len().max(4), "more".to_owned());
    marker.clone_into(&mut lines[1]);
    lines[3] = format!("four of {marker}");
    lines.iter().map(|line| format!("{line}\n")).collect()
}
