//! `alongside install agent`: the settings and the hooks of each agent, after one choice.

use std::collections::BTreeSet;
use std::io::IsTerminal as _;
use std::process::ExitCode;

use alongside_adapters::agent_hook::AgentHook;
use alongside_adapters::agent_setting::{AgentSetting, advice_to_start_asking};
use alongside_adapters::agents::VersionedAgent;
use alongside_adapters::plan::{EarlierTexts, Plan};
use alongside_adapters::user_environment::UserEnvironment;
use alongside_agent::find::Surroundings;
use alongside_agent::settings::Setting;
use alongside_agent::settings::hooks::{HookScope, OurHook};
use alongside_common::failure;

use super::choice::{Choice, Selection};
use crate::commands::agent_part::{Answer, Numbering, Part, PartKind, ask};
use crate::commands::agent_setup::{has_hook, is_reviewed_by_hook};
use crate::commands::consent::{Consent, No, note_dry_run, note_nobody_to_ask};
use crate::commands::{lists, note, print};

/// The hooks to install.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct HookArgs {
    /// Agents: have them ask before each write, without a question; --yes alone only updates that hook
    #[arg(long, requires = "what")]
    hook: bool,

    /// Agents: have them note their turns, for a review afterwards, without a question
    #[arg(long, requires = "what")]
    turns: bool,

    /// Agents: only hooks, in the settings of the current project instead of your own
    #[arg(long, requires = "what")]
    project: bool,
}

impl HookArgs {
    /// Whether the person gave one: editors run no hooks.
    pub(super) fn any(self) -> bool {
        self.hook || self.turns || self.project
    }

    /// Whether they name this hook.
    fn name(self, hook: OurHook) -> bool {
        match hook {
            OurHook::Write => self.hook,
            OurHook::Turn => self.turns,
        }
    }

    /// Whether they leave out a hook: those who name one without a yes mean no other.
    fn leave_out(self, hook: OurHook, consent: Consent) -> bool {
        (self.hook || self.turns) && !consent.yes && !self.name(hook)
    }
}

/// Sets the agents up.
///
/// # Errors
/// When standard output cannot be written. Other errors are printed: the next agent may be fine.
pub(super) async fn set_up(
    targets: &[VersionedAgent],
    args: HookArgs,
    consent: Consent,
    user: &UserEnvironment,
) -> anyhow::Result<ExitCode> {
    let here = Surroundings::of_this_process()?;
    let mut setup = Setup {
        targets,
        args,
        consent,
        user,
        here,
        worst: ExitCode::SUCCESS,
        was_dry_run: false,
        is_broken_off: false,
        unconnected: Vec::new(),
        shown_modes: Vec::new(),
    };
    let open = setup.open_parts()?;
    setup.change(open).await?;
    setup.finish()
}

/// The set-up of several agents.
struct Setup<'a> {
    targets: &'a [VersionedAgent],
    args: HookArgs,
    consent: Consent,
    user: &'a UserEnvironment,
    here: Surroundings,
    /// The exit code.
    worst: ExitCode,
    /// Whether changes were only shown, as the person has wished.
    was_dry_run: bool,
    /// Whether nothing more is to be said: the person has ended the command.
    is_broken_off: bool,
    /// The agents whose IDE mode stays off.
    unconnected: Vec<&'static str>,
    /// The agents whose approval mode was shown with its change.
    shown_modes: Vec<&'static str>,
}

/// A part with something to change.
struct OpenPart {
    part: Part,
    plan: Plan,
}

impl Setup<'_> {
    /// The parts that are not there yet, in the order in which a person is asked. Says of the others that
    /// nothing is to be done.
    fn open_parts(&mut self) -> anyhow::Result<Vec<OpenPart>> {
        let mut open = Vec::new();
        for target in self.targets {
            if self.args.any() && target.row.with_hook().is_none() {
                note(&format!("{} runs no hooks", target.name()));
            }
            for part in self.parts_of(target) {
                match part.plan(&EarlierTexts::new(), &self.here, self.user) {
                    Ok(plan) if plan.changes.is_empty() => {
                        for text in &plan.notes {
                            note(text);
                        }
                        print(&format!("{}\n", part.unchanged()))?;
                    }
                    Ok(plan) => open.push(OpenPart { part, plan }),
                    // The rest of the file would be lost with it.
                    Err(error) => {
                        open.retain(|open| open.part.agent_id() != target.row.id);
                        self.failed(target.name(), error);
                        break;
                    }
                }
            }
        }
        Ok(open)
    }

    fn parts_of(&self, target: &VersionedAgent) -> Vec<Part> {
        let ide_mode = self.changes_settings(target).then(|| AgentSetting::ide_mode(target));
        // An agent that begins to ask would stop scripts that run it.
        let mode = AgentSetting::approval_mode(target, &self.here);
        let mode = mode.filter(|_| self.changes_settings(target) && !self.consent.yes);
        // With this hook, its changes come to the desk in every mode.
        let mode = mode.filter(|_| !has_hook(target, OurHook::Write, HookScope::User, &self.here));
        let settings = ide_mode.into_iter().chain(mode).map(Part::Setting);
        let hooks = [OurHook::Turn, OurHook::Write].into_iter();
        let hooks = hooks.filter(|hook| !self.args.leave_out(*hook, self.consent));
        settings.chain(hooks.filter_map(|hook| self.hook_of(target, hook)).map(Part::Hook)).collect()
    }

    /// Whether its settings are to be changed, too, and not only its hooks.
    fn changes_settings(&self, agent: &VersionedAgent) -> bool {
        agent.row.settings.is_some() && !self.args.project
    }

    fn hook_of(&self, target: &VersionedAgent, hook: OurHook) -> Option<AgentHook> {
        let scope = if self.args.project { HookScope::Project } else { HookScope::User };
        let agent = target.row.with_hook().filter(|agent| hook.is_run_by(*agent))?;
        Some(AgentHook { hook, agent, release: target.release(), scope })
    }

    /// Whether alongside recommends a part. A hook before each write makes an agent wait for a person, so it
    /// is only brought up to date.
    fn recommends(&self, part: &Part) -> bool {
        match part {
            Part::Setting(setting) => setting.setting == Setting::IdeMode,
            Part::Hook(hook) => hook.hook == OurHook::Turn || hook.is_installed(&self.here),
        }
    }

    /// Whether the options agree to a part.
    fn agrees_to(&self, part: &Part) -> bool {
        let is_named = matches!(part, Part::Hook(hook) if self.args.name(hook.hook));
        is_named || self.consent.yes && self.recommends(part)
    }

    /// Makes the changes that the options or the person choose.
    async fn change(&mut self, open: Vec<OpenPart>) -> anyhow::Result<()> {
        let is_named = self.args.hook || self.args.turns;
        if open.is_empty() {
            return Ok(());
        }
        if self.consent.dry_run {
            self.was_dry_run = true;
            return self.show(&open);
        }
        if self.consent.yes {
            let (agreed, others): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|open| self.agrees_to(&open.part));
            self.ask_each(agreed).await?;
            self.note_left_out(&others);
            return Ok(());
        }
        if is_named || open.len() == 1 && std::io::stdin().is_terminal() {
            return self.ask_each(open).await;
        }
        let (mut recommended, others): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|open| self.recommends(&open.part));
        if !std::io::stdin().is_terminal() {
            if !recommended.is_empty() {
                self.show(&recommended)?;
                note_nobody_to_ask("nothing is changed");
                self.worst = No::NobodyToAsk.exit_code();
            } else {
                self.note_left_out(&others);
            }
            return Ok(());
        }
        match self.choose(&recommended, &others).await {
            Err(no) => self.break_off(no),
            Ok(Selection::Each) => {
                recommended.extend(others);
                self.ask_each(self.in_order(recommended)).await?;
            }
            Ok(Selection::Recommended) => self.ask_once(recommended).await?,
            Ok(Selection::WithWrites) => {
                recommended.extend(others.into_iter().filter(|open| is_before_writes(&open.part)));
                self.ask_once(self.in_order(recommended)).await?;
            }
            Ok(Selection::Nothing) => {
                note("nothing is changed");
                if !recommended.is_empty() {
                    self.break_off(No::Declined);
                }
            }
        }
        Ok(())
    }

    /// The agents in the order of the command, and their parts in that of the questions.
    fn in_order(&self, open: Vec<OpenPart>) -> Vec<OpenPart> {
        let order = [
            PartKind::Setting(Setting::IdeMode),
            PartKind::Setting(Setting::ApprovalMode),
            PartKind::Hook(OurHook::Turn),
            PartKind::Hook(OurHook::Write),
        ];
        let mut open = open;
        open.sort_by_key(|open| {
            let agent = self.targets.iter().position(|target| target.row.id == open.part.agent_id());
            (agent, order.iter().position(|kind| *kind == open.part.kind()))
        });
        open
    }

    async fn choose(&self, recommended: &[OpenPart], others: &[OpenPart]) -> Result<Selection, No> {
        let mut kinds: Vec<PartKind> = Vec::new();
        for open in recommended {
            if !kinds.contains(&open.part.kind()) {
                kinds.push(open.part.kind());
            }
        }
        let agents: Vec<_> = self.targets.iter().map(|target| target.row.display_name).collect();
        let has_writes = others.iter().any(|open| is_before_writes(&open.part));
        let calling_again = others.iter().filter_map(|open| open.part.calls_again());
        let calling_again: Vec<_> = calling_again.collect();
        let choice =
            Choice { agents: &agents, recommended: &kinds, has_writes, calling_again: &calling_again };
        choice.of_person().await
    }

    /// Only shows the changes. One of a file that an earlier one changes begins where that one ends.
    fn show(&mut self, open: &[OpenPart]) -> anyhow::Result<()> {
        let mut earlier = EarlierTexts::new();
        for OpenPart { part, plan } in open {
            let is_later = plan.changes.iter().any(|change| earlier.contains_key(&change.path));
            let later = is_later.then(|| part.plan(&earlier, &self.here, self.user)).transpose()?;
            let plan = later.as_ref().unwrap_or(plan);
            let texts = plan.changes.iter().filter_map(|it| Some((it.path.clone(), it.after.clone()?)));
            earlier.extend(texts);
            part.show(plan, self.consent, &self.here, self.user)?;
            if part.kind() == PartKind::Setting(Setting::ApprovalMode) {
                self.shown_modes.push(part.agent_id());
            }
        }
        Ok(())
    }

    /// Shows all changes, asks once, and makes them.
    async fn ask_once(&mut self, open: Vec<OpenPart>) -> anyhow::Result<()> {
        self.show(&open)?;
        // The changes may have scrolled away.
        let paths: BTreeSet<_> =
            open.iter().flat_map(|open| &open.plan.changes).map(|change| &change.path).collect();
        let paths: Vec<_> = paths.into_iter().map(|path| self.user.shown(path)).collect();
        print(&format!(
            "Files that change: {}\ny makes these changes; Enter makes none.\n",
            paths.join(", ")
        ))?;
        if let Err(no) = self.consent.obtain("Make these changes?", "nothing is changed").await {
            // Enter chose before; here it is a no.
            if no == No::Declined {
                note("run it again, and type y at this question, to make these changes");
            }
            self.break_off(no);
            return Ok(());
        }
        let mut changed = Vec::new();
        let mut said: Vec<String> = Vec::new();
        for OpenPart { part, plan } in open {
            let paths: Vec<_> = plan.changes.iter().map(|change| change.path.clone()).collect();
            // The plan that was shown notices a change by somebody else; the second one in a file has to
            // begin where the first one ended.
            let plan = match paths.iter().any(|path| changed.contains(path)) {
                true => part.plan(&EarlierTexts::new(), &self.here, self.user),
                false => Ok(plan),
            };
            match plan.and_then(|plan| part.make(&plan, self.user)) {
                Ok(lines) => {
                    said.extend(lines.into_iter().filter(|line| !said.contains(line)).collect::<Vec<_>>())
                }
                Err(error) => self.failed(part.agent_name(), error),
            }
            changed.extend(paths);
        }
        print(&said.iter().map(|line| format!("{line}\n")).collect::<String>())
    }

    /// Asks about each part, unless the options agree to it, and makes it.
    async fn ask_each(&mut self, open: Vec<OpenPart>) -> anyhow::Result<()> {
        let questions = open.iter().filter(|open| !self.agrees_to(&open.part)).count();
        let mut numbering = Numbering::of(questions);
        let is_about_hooks = open.iter().all(|open| matches!(open.part, Part::Hook(_)));
        let (mut made, mut declined) = (false, None);
        for OpenPart { part, .. } in open {
            let agent = part.agent_id();
            let is_mode = part.kind() == PartKind::Setting(Setting::ApprovalMode);
            if is_mode && self.unconnected.contains(&agent) {
                numbering.skip();
                continue;
            }
            let consent = Consent { yes: self.agrees_to(&part), ..self.consent };
            match ask(&part, consent, &mut numbering, &self.here, self.user).await {
                Ok(Answer::Made) => made = true,
                Ok(Answer::NothingToDo | Answer::DryRun) => {}
                Ok(Answer::No(no @ (No::Declined | No::NobodyToAsk))) => {
                    declined = Some(no);
                    if part.kind() == PartKind::Setting(Setting::IdeMode) {
                        self.unconnected.push(agent);
                        self.worst = no.exit_code();
                    }
                }
                Ok(Answer::No(no)) => {
                    self.break_off(no);
                    return Ok(());
                }
                Err(error) => self.failed(part.agent_name(), error),
            }
        }
        if let Some(no) = declined.filter(|_| is_about_hooks && !made) {
            self.worst = no.exit_code();
        }
        Ok(())
    }

    fn break_off(&mut self, no: No) {
        (self.worst, self.is_broken_off) = (no.exit_code(), true);
    }

    fn failed(&mut self, name: String, error: anyhow::Error) {
        failure::print(&error.context(format!("{name} is not changed")));
        self.worst = ExitCode::FAILURE;
    }

    /// Names the agents that do not ask before each write.
    fn note_left_out(&self, others: &[OpenPart]) {
        let names = others.iter().filter(|open| is_before_writes(&open.part));
        let names: Vec<_> = names.map(|open| open.part.agent_name()).collect();
        if !names.is_empty() {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let names = lists::of(&names, "and");
            note(&format!("left out: your decision before each write of {names}; --hook adds it"));
        }
    }

    /// The last lines.
    fn finish(&self) -> anyhow::Result<ExitCode> {
        if self.is_broken_off {
            return Ok(self.worst);
        }
        let connected = self.targets.iter().filter(|target| self.changes_settings(target));
        let is_told = |id: &&str| self.unconnected.contains(id) || self.shown_modes.contains(id);
        for target in connected.filter(|target| !is_told(&target.row.id)) {
            if let Some(asking) = advice_to_start_asking(target, &self.here)
                .filter(|_| !is_reviewed_by_hook(target, &self.here))
            {
                note(&asking);
            }
        }
        if self.was_dry_run {
            note_dry_run();
        } else if self.worst == ExitCode::SUCCESS {
            print(&next_step(self.targets))?;
        }
        Ok(self.worst)
    }
}

fn is_before_writes(part: &Part) -> bool {
    part.kind() == PartKind::Hook(OurHook::Write)
}

fn next_step(targets: &[VersionedAgent]) -> String {
    let editors = "in an editor: alongside install";
    let with_settings = targets.iter().find(|target| target.row.settings.is_some());
    if let Some(command) = with_settings.and_then(|target| target.row.commands.first()) {
        return format!("Next, in your project: alongside run -- {command} ({editors})\n");
    }
    let command = targets.iter().find_map(|target| target.row.commands.first());
    let command = command.map(|command| format!("; {command} in another terminal")).unwrap_or_default();
    format!("Next, in your project: alongside ({editors}){command}\n")
}
