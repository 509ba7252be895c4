//! A tool call: the hooks of each event get the model's arguments, and then the tool writes, or the model
//! reads the reason of a refusal.

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
use super::hook_process::{self, CallEnd};
use super::machine::Machine;
use super::players::DeadHook;
use super::retry::Retry;
use super::tools;
use crate::chaos::record::{CallResult, HookEnd, HookRun};
use crate::chaos::shared_record::SharedRecord;
use crate::chaos::tool_call::{CallScript, Conduct};

/// The largest number of calls of a model that is asked to call again.
const MAX_CALLS: usize = 3;

/// A call in progress.
pub(super) struct CallInProgress<'a> {
    pub(super) machine: &'a Machine,
    pub(super) record: &'a SharedRecord,
    pub(super) slot: &'a AgentSlot,
    pub(super) agent: HookAgent,
    pub(super) script: CallScript,
    pub(super) tool: &'static Tool,
    /// The index of the call in the record.
    pub(super) index: usize,
    pub(super) directory: PathBuf,
    /// The path by which the agent names the file.
    pub(super) path: String,
    /// The path of the file with links resolved.
    pub(super) target: PathBuf,
    pub(super) call_end: watch::Receiver<CallEnd>,
}

/// The answer of all hooks to a call.
enum HooksAnswer {
    Runs(Map<String, Value>),
    Refused(String),
    /// The script has ended the call.
    CallEnded,
}

impl CallInProgress<'_> {
    /// Plays the call to its end.
    pub(super) async fn play(mut self, mut arguments: Map<String, Value>) -> Result<()> {
        let mut tool = self.tool;
        let mut result = CallResult::Refused(String::new());
        for _ in 0..MAX_CALLS {
            match self.run_hooks(tool, arguments.clone()).await? {
                HooksAnswer::CallEnded => {
                    let now = self.record.now();
                    self.record.lock().calls[self.index].departed = Some(now);
                    return Ok(());
                }
                HooksAnswer::Runs(arguments) => {
                    result = self.run_tool(tool, &arguments);
                    break;
                }
                HooksAnswer::Refused(why) => {
                    let next = Retry::read(&why).and_then(|retry| self.next_call(&retry, tool, &arguments));
                    result = CallResult::Refused(why);
                    match next {
                        Some(next) => (tool, arguments) = next,
                        None => break,
                    }
                }
            }
        }
        self.write(result)
    }

    /// Returns the call that the model makes after a refusal that asks for another call.
    fn next_call(
        &self,
        retry: &Retry,
        tool: &'static Tool,
        arguments: &Map<String, Value>,
    ) -> Option<(&'static Tool, Map<String, Value>)> {
        let all = tools::tools(self.agent.hook);
        match retry {
            Retry::Same => Some((tool, arguments.clone())),
            Retry::Text(text) => {
                let whole = all
                    .iter()
                    .copied()
                    .find(|tool| tools::replacement_arguments(tool, "", "", "").is_none())?;
                Some((whole, tools::arguments(whole, &self.path, None, text)))
            }
            Retry::Replace { old, new } => all
                .iter()
                .find_map(|tool| Some((*tool, tools::replacement_arguments(tool, &self.path, old, new)?))),
        }
    }

    async fn run_hooks(&mut self, tool: &Tool, mut arguments: Map<String, Value>) -> Result<HooksAnswer> {
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
                hook_process::run(&mut command, input, event, &self.slot.running, &mut self.call_end).await?;
            let has_call_ended = end == HookEnd::Abandoned;
            let run = HookRun { event: event.name, began, ended: self.record.now(), end };
            self.record.lock().calls[self.index].runs.push(run);
            if has_call_ended {
                return Ok(HooksAnswer::CallEnded);
            }
            let own_arguments = match (answer, self.slot.player.dead_hook) {
                (Answer::Refusal(why), _) => return Ok(HooksAnswer::Refused(why)),
                (Answer::Failure(why), DeadHook::Refuses) => {
                    return Ok(HooksAnswer::Refused(format!("the hook has failed: {why}")));
                }
                (Answer::Yes(_), _) if self.machine.fault == Some(HookFault::YesWithoutArguments) => None,
                (Answer::Yes(arguments), _) => arguments,
                // An agent that now asks in its own prompt gets the permission there.
                (Answer::Failure(_), DeadHook::LetsThrough) | (Answer::Silence, _) => None,
            };
            let other = self.script.other.filter(|other| other.rewrites && is_before_tool(event));
            let other_arguments = other.map(|_| self.arguments_of_other_hook(tool));
            let other_wins = other.is_some_and(|other| other.has_last_word);
            arguments = answers::arguments(event, arguments, own_arguments, other_arguments, other_wins);
        }
        Ok(HooksAnswer::Runs(arguments))
    }

    /// Returns the arguments of the other hook, which adds a line to the model's text.
    fn arguments_of_other_hook(&self, tool: &Tool) -> Map<String, Value> {
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

    /// Applies the tool to the present text of the file, without writing.
    fn run_tool(&self, tool: &Tool, arguments: &Map<String, Value>) -> CallResult {
        let present = fs::read_to_string(&self.target).ok();
        if tools::path(tool, arguments).as_ref() != Some(&self.path) {
            return CallResult::CannotWrite(format!("the hooks name another file: {arguments:?}"));
        }
        match tools::apply(tool, arguments, present.as_deref(), self.slot.player.last_line_end) {
            Ok(text) => CallResult::Writes(text),
            Err(why) => CallResult::CannotWrite(why),
        }
    }

    /// Writes the file as the agent does after this result, and records both.
    fn write(&self, result: CallResult) -> Result<()> {
        let mut record = self.record.lock();
        let call = &mut record.calls[self.index];
        let written = match (&result, self.script.conduct) {
            (CallResult::Writes(text), Conduct::Faithful | Conduct::WritesRejected) => Some(text.clone()),
            (CallResult::Writes(text), Conduct::WritesSomethingElse) => {
                Some(format!("{text}something else after {}\n", call.marker))
            }
            (CallResult::Refused(_), Conduct::WritesRejected) => Some(call.text.clone()),
            _ => None,
        };
        let now = self.record.now();
        call.result = Some((now, result));
        call.written.clone_from(&written);
        if let Some(text) = written {
            self.record.project.write(now, &self.target, &text)?;
        }
        Ok(())
    }
}

/// Whether the other hook runs at this event.
fn is_before_tool(event: &HookEvent) -> bool {
    match event.answered_by {
        AnsweredBy::Person => true,
        AnsweredBy::EarlierDecision => false,
    }
}
