//! One tool call: the model's arguments pass the hooks at each event, and the tool writes, or the model reads
//! why not.

use std::fs;
use std::path::PathBuf;

use alongside_contract::agent::HookAgent;
use alongside_contract::hook::{AnsweredBy, HookEvent, Tool};
use anyhow::Result;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::agent_slot::AgentSlot;
use super::answers::{self, Answer};
use super::fault::HookFault;
use super::hook_process::{self, Leave};
use super::machine::Machine;
use super::players::DeadHook;
use super::retry::Retry;
use super::tools;
use crate::chaos::record::{HookEnd, HookRun, Ruling};
use crate::chaos::shared_record::SharedRecord;
use crate::chaos::tool_call::{CallScript, Conduct};

/// How often a model calls again after a refusal that asks for it.
const MAX_CALLS: usize = 3;

/// A call under way.
pub(super) struct CallInProgress<'a> {
    pub(super) machine: &'a Machine,
    pub(super) record: &'a SharedRecord,
    pub(super) slot: &'a AgentSlot,
    pub(super) agent: HookAgent,
    pub(super) script: CallScript,
    pub(super) tool: &'static Tool,
    /// Its index in the record.
    pub(super) index: usize,
    pub(super) directory: PathBuf,
    /// The path by which the agent names the file, and where that leads.
    pub(super) path: String,
    pub(super) target: PathBuf,
    pub(super) leave: watch::Receiver<Leave>,
}

/// The answer of all hooks to one call.
enum Verdict {
    Runs(Map<String, Value>),
    Refused(String),
    /// The script has ended the call.
    Left,
}

impl CallInProgress<'_> {
    /// Plays the call to its end.
    pub(super) async fn play(mut self, mut arguments: Map<String, Value>) -> Result<()> {
        let mut tool = self.tool;
        let mut ruling = Ruling::Refused(String::new());
        for _ in 0..MAX_CALLS {
            match self.pass_hooks(tool, arguments.clone()).await? {
                Verdict::Left => {
                    let now = self.record.now();
                    self.record.lock().calls[self.index].departed = Some(now);
                    return Ok(());
                }
                Verdict::Runs(arguments) => {
                    ruling = self.run_tool(tool, &arguments);
                    break;
                }
                Verdict::Refused(why) => {
                    let again = Retry::read(&why).and_then(|retry| self.again(&retry, tool, &arguments));
                    ruling = Ruling::Refused(why);
                    match again {
                        Some(again) => (tool, arguments) = again,
                        None => break,
                    }
                }
            }
        }
        self.obey(ruling)
    }

    /// The call that the model makes after a refusal that asks for it.
    fn again(
        &self,
        retry: &Retry,
        tool: &'static Tool,
        arguments: &Map<String, Value>,
    ) -> Option<(&'static Tool, Map<String, Value>)> {
        let all = tools::tools(self.agent.hook);
        match retry {
            Retry::Same => Some((tool, arguments.clone())),
            Retry::Text(text) => {
                let whole = all.iter().copied().find(|tool| tools::replacing(tool, "", "", "").is_none())?;
                Some((whole, tools::arguments(whole, &self.path, None, text)))
            }
            Retry::Replace { old, new } => {
                all.iter().find_map(|tool| Some((*tool, tools::replacing(tool, &self.path, old, new)?)))
            }
        }
    }

    async fn pass_hooks(&mut self, tool: &Tool, mut arguments: Map<String, Value>) -> Result<Verdict> {
        for event in self.slot.player.events(self.agent) {
            let began = self.record.now();
            let mut command = self.machine.hook(
                self.agent,
                &self.directory,
                self.script.variables,
                self.script.program_missing,
            )?;
            let input = self.input(event, tool, &arguments);
            let (end, answer) =
                hook_process::run(&mut command, input, event, &self.slot.running, &mut self.leave).await?;
            let is_left = end == HookEnd::Abandoned;
            let run = HookRun { event: event.name, began, ended: self.record.now(), end };
            self.record.lock().calls[self.index].runs.push(run);
            if is_left {
                return Ok(Verdict::Left);
            }
            let ours = match (answer, self.slot.player.dead_hook) {
                (Answer::Refusal(why), _) => return Ok(Verdict::Refused(why)),
                (Answer::Failure(why), DeadHook::Refuses) => {
                    return Ok(Verdict::Refused(format!("the hook has failed: {why}")));
                }
                (Answer::Yes(_), _) if self.machine.fault == Some(HookFault::YesWithoutArguments) => None,
                (Answer::Yes(arguments), _) => arguments,
                // Before its own question, the agent then asks, and its person says yes.
                (Answer::Failure(_), DeadHook::LetsThrough) | (Answer::Silence, _) => None,
            };
            let other = self.script.other.filter(|other| other.rewrites && is_before_tool(event));
            let theirs = other.map(|_| self.rewritten(tool));
            let has_last_word = other.is_some_and(|other| other.has_last_word);
            arguments = answers::arguments(event, arguments, ours, theirs, has_last_word);
        }
        Ok(Verdict::Runs(arguments))
    }

    /// The arguments of the other hook, which formats the model's text.
    fn rewritten(&self, tool: &Tool) -> Map<String, Value> {
        let text = self.record.lock().calls[self.index].text.clone() + "formatted by another hook\n";
        let present = fs::read_to_string(&self.target).ok();
        tools::arguments(tool, &self.path, present.as_deref(), &text)
    }

    fn input(&self, event: &HookEvent, tool: &Tool, arguments: &Map<String, Value>) -> String {
        let input = json!({
            "session_id": format!("session of agent {}", self.slot.number),
            "cwd": self.directory,
            "hook_event_name": event.name,
            "permission_mode": "acceptEdits",
            "tool_name": tool.name,
            "tool_input": arguments,
            "tool_use_id": format!("call {}", self.index),
        });
        input.to_string()
    }

    /// The text that the tool makes of the file.
    fn run_tool(&self, tool: &Tool, arguments: &Map<String, Value>) -> Ruling {
        let present = fs::read_to_string(&self.target).ok();
        if tools::path(tool, arguments).as_ref() != Some(&self.path) {
            return Ruling::CannotWrite(format!("the hooks name another file: {arguments:?}"));
        }
        match tools::apply(tool, arguments, present.as_deref(), self.slot.player.last_line_end) {
            Ok(text) => Ruling::Writes(text),
            Err(why) => Ruling::CannotWrite(why),
        }
    }

    /// Does what the agent does after this ruling.
    fn obey(&self, ruling: Ruling) -> Result<()> {
        let mut record = self.record.lock();
        let call = &mut record.calls[self.index];
        let written = match (&ruling, self.script.conduct) {
            (Ruling::Writes(text), Conduct::Faithful | Conduct::WritesRejected) => Some(text.clone()),
            (Ruling::Writes(text), Conduct::WritesSomethingElse) => {
                Some(format!("{text}something else after {}\n", call.mark))
            }
            (Ruling::Refused(_), Conduct::WritesRejected) => Some(call.text.clone()),
            _ => None,
        };
        let now = self.record.now();
        call.ruling = Some((now, ruling));
        call.written.clone_from(&written);
        if let Some(text) = written {
            self.record.project.write(now, &self.target, &text)?;
        }
        Ok(())
    }
}

/// Whether hooks of others run at the event.
fn is_before_tool(event: &HookEvent) -> bool {
    match event.answered_by {
        AnsweredBy::Person => true,
        AnsweredBy::EarlierDecision => false,
    }
}
