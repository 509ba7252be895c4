//! `alongside install agent`: changes the settings and the hooks of each agent, after one choice of the
//! person.

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
use crate::commands::agent_part::{Numbering, PartKind, PartResult, SetupPart, offer};
use crate::commands::agent_setup::{has_hook, is_reviewed_by_hook};
use crate::commands::consent::{ConsentOptions, NoConsent, note_dry_run, note_nobody_to_ask};
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
    /// Whether the person gave an option for hooks, which editors do not run.
    pub(super) fn any(self) -> bool {
        self.hook || self.turns || self.project
    }

    /// Whether an option names this hook.
    fn has(self, hook: OurHook) -> bool {
        match hook {
            OurHook::Write => self.hook,
            OurHook::Turn => self.turns,
        }
    }

    /// Whether the options exclude a hook: without `--yes`, a named hook excludes the other one.
    fn excludes(self, hook: OurHook, consent: ConsentOptions) -> bool {
        (self.hook || self.turns) && !consent.yes && !self.has(hook)
    }
}

/// Sets the agents up.
///
/// # Errors
/// If standard output cannot be written. Other errors are printed, and the next agent is set up.
pub(super) async fn set_up(
    targets: &[VersionedAgent],
    args: HookArgs,
    consent: ConsentOptions,
    user: &UserEnvironment,
) -> anyhow::Result<ExitCode> {
    let here = Surroundings::of_this_process()?;
    let mut setup = Setup {
        targets,
        args,
        consent,
        user,
        here,
        exit_code: ExitCode::SUCCESS,
        was_dry_run: false,
        was_aborted: false,
        unconnected: Vec::new(),
        shown_modes: Vec::new(),
    };
    let parts = setup.planned_parts()?;
    setup.change(parts).await?;
    setup.finish()
}

/// The set-up of several agents.
struct Setup<'a> {
    targets: &'a [VersionedAgent],
    args: HookArgs,
    consent: ConsentOptions,
    user: &'a UserEnvironment,
    here: Surroundings,
    exit_code: ExitCode,
    /// Whether the changes were only shown, because of `--dry-run`.
    was_dry_run: bool,
    /// Whether the person has ended the command, so that no closing line is printed.
    was_aborted: bool,
    /// The agents whose IDE mode stays off.
    unconnected: Vec<&'static str>,
    /// The agents whose approval mode was shown with its change.
    shown_modes: Vec<&'static str>,
}

/// A part whose plan has changes.
struct PlannedPart {
    part: SetupPart,
    plan: Plan,
}

impl Setup<'_> {
    /// Returns the parts that are not installed yet, in the order of the questions. Prints a line for each
    /// installed part.
    fn planned_parts(&mut self) -> anyhow::Result<Vec<PlannedPart>> {
        let mut planned = Vec::new();
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
                        print(&format!("{}\n", part.nothing_to_do_message()))?;
                    }
                    Ok(plan) => planned.push(PlannedPart { part, plan }),
                    // The other parts of this agent may change the same file, which cannot be read.
                    Err(error) => {
                        planned.retain(|planned: &PlannedPart| planned.part.agent_id() != target.row.id);
                        self.report_failure(target.name(), error);
                        break;
                    }
                }
            }
        }
        Ok(planned)
    }

    fn parts_of(&self, target: &VersionedAgent) -> Vec<SetupPart> {
        let ide_mode = self.changes_settings(target).then(|| AgentSetting::ide_mode(target));
        // With `--yes` the mode stays: an agent that begins to ask would stop the scripts that run it.
        let mode = AgentSetting::approval_mode(target, &self.here);
        let mode = mode.filter(|_| self.changes_settings(target) && !self.consent.yes);
        // With the hook before each write, changes come to the desk in every mode.
        let mode = mode.filter(|_| !has_hook(target, OurHook::Write, HookScope::User, &self.here));
        let settings = ide_mode.into_iter().chain(mode).map(SetupPart::Setting);
        let hooks = [OurHook::Turn, OurHook::Write].into_iter();
        let hooks = hooks.filter(|hook| !self.args.excludes(*hook, self.consent));
        settings.chain(hooks.filter_map(|hook| self.hook_of(target, hook)).map(SetupPart::Hook)).collect()
    }

    /// Whether the settings of the agent are to change as well as its hooks.
    fn changes_settings(&self, agent: &VersionedAgent) -> bool {
        agent.row.settings.is_some() && !self.args.project
    }

    fn hook_of(&self, target: &VersionedAgent, hook: OurHook) -> Option<AgentHook> {
        let scope = if self.args.project { HookScope::Project } else { HookScope::User };
        let agent = target.row.with_hook().filter(|agent| hook.is_run_by(*agent))?;
        Some(AgentHook { hook, agent, release: target.release(), scope })
    }

    /// Whether alongside recommends a part. The hook before each write makes an agent wait for a person, so
    /// alongside recommends only its update.
    fn recommends(&self, part: &SetupPart) -> bool {
        match part {
            SetupPart::Setting(setting) => setting.setting == Setting::IdeMode,
            SetupPart::Hook(hook) => hook.hook == OurHook::Turn || hook.is_installed(&self.here),
        }
    }

    /// Whether the options of the command agree to a part.
    fn agrees_to(&self, part: &SetupPart) -> bool {
        let is_named = matches!(part, SetupPart::Hook(hook) if self.args.has(hook.hook));
        is_named || self.consent.yes && self.recommends(part)
    }

    /// Makes the changes that the options or the person choose.
    async fn change(&mut self, planned: Vec<PlannedPart>) -> anyhow::Result<()> {
        let is_named = self.args.hook || self.args.turns;
        if planned.is_empty() {
            return Ok(());
        }
        if self.consent.dry_run {
            self.was_dry_run = true;
            return self.show(&planned);
        }
        if self.consent.yes {
            let (agreed, others): (Vec<_>, Vec<_>) =
                planned.into_iter().partition(|planned| self.agrees_to(&planned.part));
            self.ask_each(agreed).await?;
            self.note_left_out(&others);
            return Ok(());
        }
        if is_named || planned.len() == 1 && std::io::stdin().is_terminal() {
            return self.ask_each(planned).await;
        }
        let (mut recommended, others): (Vec<_>, Vec<_>) =
            planned.into_iter().partition(|planned| self.recommends(&planned.part));
        if !std::io::stdin().is_terminal() {
            if !recommended.is_empty() {
                self.show(&recommended)?;
                note_nobody_to_ask("nothing is changed");
                self.exit_code = NoConsent::NobodyToAsk.exit_code();
            } else {
                self.note_left_out(&others);
            }
            return Ok(());
        }
        match self.choose(&recommended, &others).await {
            Err(no) => self.abort(no),
            Ok(Selection::Each) => {
                recommended.extend(others);
                self.ask_each(self.in_order(recommended)).await?;
            }
            Ok(Selection::Recommended) => self.ask_once(recommended).await?,
            Ok(Selection::WithWrites) => {
                recommended.extend(others.into_iter().filter(|planned| is_before_writes(&planned.part)));
                self.ask_once(self.in_order(recommended)).await?;
            }
            Ok(Selection::Nothing) => {
                note("nothing is changed");
                if !recommended.is_empty() {
                    self.abort(NoConsent::Declined);
                }
            }
        }
        Ok(())
    }

    /// Sorts the parts by agent, in the order of the command, and then in the order of the questions.
    fn in_order(&self, mut planned: Vec<PlannedPart>) -> Vec<PlannedPart> {
        let order = [
            PartKind::Setting(Setting::IdeMode),
            PartKind::Setting(Setting::ApprovalMode),
            PartKind::Hook(OurHook::Turn),
            PartKind::Hook(OurHook::Write),
        ];
        planned.sort_by_key(|planned| {
            let agent = self.targets.iter().position(|target| target.row.id == planned.part.agent_id());
            (agent, order.iter().position(|kind| *kind == planned.part.kind()))
        });
        planned
    }

    async fn choose(
        &self,
        recommended: &[PlannedPart],
        others: &[PlannedPart],
    ) -> Result<Selection, NoConsent> {
        let mut kinds: Vec<PartKind> = Vec::new();
        for planned in recommended {
            if !kinds.contains(&planned.part.kind()) {
                kinds.push(planned.part.kind());
            }
        }
        let agents: Vec<_> = self.targets.iter().map(|target| target.row.display_name).collect();
        let has_writes = others.iter().any(|planned| is_before_writes(&planned.part));
        let calling_again: Vec<_> =
            others.iter().filter_map(|planned| planned.part.agent_that_calls_again()).collect();
        let choice =
            Choice { agents: &agents, recommended: &kinds, has_writes, calling_again: &calling_again };
        choice.ask().await
    }

    /// Shows the changes. If several parts change a file, each begins with the text after the previous part.
    fn show(&mut self, planned: &[PlannedPart]) -> anyhow::Result<()> {
        let mut earlier = EarlierTexts::new();
        for PlannedPart { part, plan } in planned {
            let is_follow_up = plan.changes.iter().any(|change| earlier.contains_key(&change.path));
            let follow_up = is_follow_up.then(|| part.plan(&earlier, &self.here, self.user)).transpose()?;
            let plan = follow_up.as_ref().unwrap_or(plan);
            let changes = plan.changes.iter();
            let texts = changes.filter_map(|change| Some((change.path.clone(), change.after.clone()?)));
            earlier.extend(texts);
            part.show(plan, self.consent, &self.here, self.user)?;
            if part.kind() == PartKind::Setting(Setting::ApprovalMode) {
                self.shown_modes.push(part.agent_id());
            }
        }
        Ok(())
    }

    /// Shows all changes, asks once, and makes them.
    async fn ask_once(&mut self, planned: Vec<PlannedPart>) -> anyhow::Result<()> {
        self.show(&planned)?;
        // The changes may have scrolled away, so their files are named again.
        let paths: BTreeSet<_> =
            planned.iter().flat_map(|planned| &planned.plan.changes).map(|change| &change.path).collect();
        let paths: Vec<_> = paths.into_iter().map(|path| self.user.shown(path)).collect();
        print(&format!(
            "Files that change: {}\ny makes these changes; Enter makes none.\n",
            paths.join(", ")
        ))?;
        if let Err(no) = self.consent.obtain("Make these changes?", "nothing is changed").await {
            // Enter chose the recommendation before; at this question it declines.
            if no == NoConsent::Declined {
                note("run it again, and type y at this question, to make these changes");
            }
            self.abort(no);
            return Ok(());
        }
        let mut changed_paths = Vec::new();
        let mut report: Vec<String> = Vec::new();
        for PlannedPart { part, plan } in planned {
            let paths: Vec<_> = plan.changes.iter().map(|change| change.path.clone()).collect();
            // The shown plan fails if another program has changed the file. A second plan for a file has to
            // begin with the text after the first one, so it is made anew.
            let plan = match paths.iter().any(|path| changed_paths.contains(path)) {
                true => part.plan(&EarlierTexts::new(), &self.here, self.user),
                false => Ok(plan),
            };
            match plan.and_then(|plan| part.make(&plan, self.user)) {
                Ok(lines) => {
                    report.extend(lines.into_iter().filter(|line| !report.contains(line)).collect::<Vec<_>>())
                }
                Err(error) => self.report_failure(part.agent_name(), error),
            }
            changed_paths.extend(paths);
        }
        print(&report.iter().map(|line| format!("{line}\n")).collect::<String>())
    }

    /// Asks about each part, unless the options agree to it, and makes its changes.
    async fn ask_each(&mut self, planned: Vec<PlannedPart>) -> anyhow::Result<()> {
        let questions = planned.iter().filter(|planned| !self.agrees_to(&planned.part)).count();
        let mut numbering = Numbering::of(questions);
        let has_only_hooks = planned.iter().all(|planned| matches!(planned.part, SetupPart::Hook(_)));
        let (mut has_changed, mut declined) = (false, None);
        for PlannedPart { part, .. } in planned {
            let agent = part.agent_id();
            let is_mode = part.kind() == PartKind::Setting(Setting::ApprovalMode);
            if is_mode && self.unconnected.contains(&agent) {
                numbering.advance();
                continue;
            }
            let consent = ConsentOptions { yes: self.agrees_to(&part), ..self.consent };
            match offer(&part, consent, &mut numbering, &self.here, self.user).await {
                Ok(PartResult::Made) => has_changed = true,
                Ok(PartResult::NothingToDo | PartResult::DryRun) => {}
                Ok(PartResult::NoConsent(no @ (NoConsent::Declined | NoConsent::NobodyToAsk))) => {
                    declined = Some(no);
                    if part.kind() == PartKind::Setting(Setting::IdeMode) {
                        self.unconnected.push(agent);
                        self.exit_code = no.exit_code();
                    }
                }
                Ok(PartResult::NoConsent(no)) => {
                    self.abort(no);
                    return Ok(());
                }
                Err(error) => self.report_failure(part.agent_name(), error),
            }
        }
        if let Some(no) = declined.filter(|_| has_only_hooks && !has_changed) {
            self.exit_code = no.exit_code();
        }
        Ok(())
    }

    /// Ends the set-up with the exit code of this answer, and without a closing line.
    fn abort(&mut self, no: NoConsent) {
        (self.exit_code, self.was_aborted) = (no.exit_code(), true);
    }

    /// Prints that the set-up of this agent failed.
    fn report_failure(&mut self, name: String, error: anyhow::Error) {
        failure::print(&error.context(format!("{name} is not changed")));
        self.exit_code = ExitCode::FAILURE;
    }

    /// Prints the agents whose hook before each write was left out.
    fn note_left_out(&self, others: &[PlannedPart]) {
        let with_hook = others.iter().filter(|planned| is_before_writes(&planned.part));
        let names: Vec<_> = with_hook.map(|planned| planned.part.agent_name()).collect();
        if !names.is_empty() {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let names = lists::of(&names, "and");
            note(&format!("left out: your decision before each write of {names}; --hook adds it"));
        }
    }

    /// Prints the closing lines, and returns the exit code.
    fn finish(&self) -> anyhow::Result<ExitCode> {
        if self.was_aborted {
            return Ok(self.exit_code);
        }
        let with_settings = self.targets.iter().filter(|target| self.changes_settings(target));
        let needs_no_note = |id: &&str| self.unconnected.contains(id) || self.shown_modes.contains(id);
        for target in with_settings.filter(|target| !needs_no_note(&target.row.id)) {
            if let Some(asking) = advice_to_start_asking(target, &self.here)
                .filter(|_| !is_reviewed_by_hook(target, &self.here))
            {
                note(&asking);
            }
        }
        if self.was_dry_run {
            note_dry_run();
        } else if self.exit_code == ExitCode::SUCCESS {
            print(&next_step(self.targets))?;
        }
        Ok(self.exit_code)
    }
}

fn is_before_writes(part: &SetupPart) -> bool {
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
