//! `alongside install agent`: the settings and the hook of each agent, one question after the other.

use std::io::IsTerminal as _;
use std::ops::ControlFlow;
use std::process::ExitCode;

use alongside_adapters::agent_hook::AgentHook;
use alongside_adapters::agent_setting::{AgentSetting, start_asking};
use alongside_adapters::agents::Agent;
use alongside_adapters::user_environment::UserEnvironment;
use alongside_agent::find::Surroundings;
use alongside_agent::settings::hooks::HookScope;
use alongside_common::failure;

use crate::commands::agent_setup::{self, Answer, Numbering};
use crate::commands::consent::{Consent, No, note_dry_run};
use crate::commands::{note, print};

/// The hook to install.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct HookArgs {
    /// Agents: install the hook without asking; --yes alone installs none, and updates one that is there
    #[arg(long, requires = "what")]
    hook: bool,

    /// Agents: only the hook, in the settings of the current project instead of your own
    #[arg(long, requires = "what")]
    project: bool,
}

impl HookArgs {
    /// Whether the person gave one: editors run no hooks.
    pub(super) fn any(self) -> bool {
        self.hook || self.project
    }
}

/// Sets the agents up.
///
/// # Errors
/// When standard output or an approval mode cannot be written. Other errors are printed: the next agent may
/// be fine.
pub(super) async fn set_up(
    targets: &[Agent],
    args: HookArgs,
    consent: Consent,
    user: &UserEnvironment,
) -> anyhow::Result<ExitCode> {
    let here = Surroundings::of_this_process()?;
    let mut setup = Setup {
        args,
        consent,
        user,
        here,
        numbering: Numbering::of(0),
        worst: ExitCode::SUCCESS,
        was_dry_run: false,
        is_unasked: false,
        is_about_hooks: args.project || targets.iter().all(|target| target.row.settings.is_none()),
        not_offered: Vec::new(),
    };
    let questions: usize = targets.iter().map(|target| setup.questions_about(target)).sum();
    setup.numbering = Numbering::of(questions);
    for target in targets {
        let mut is_readable = true;
        if setup.changes_settings(target) {
            match setup.change_settings(target).await? {
                ControlFlow::Break(code) => return Ok(code),
                ControlFlow::Continue(is_changed) => is_readable = is_changed,
            }
        }
        match setup.hook_of(target) {
            Some(hook) if is_readable => {
                if let ControlFlow::Break(code) = setup.change_hook(&hook).await? {
                    return Ok(code);
                }
            }
            None if args.any() => {
                note(&format!("{} runs no hooks", target.name()));
            }
            _ => {}
        }
    }
    setup.finish(targets)
}

/// The set-up of several agents.
struct Setup<'a> {
    args: HookArgs,
    consent: Consent,
    user: &'a UserEnvironment,
    here: Surroundings,
    numbering: Numbering,
    /// The exit code if nothing breaks the command off.
    worst: ExitCode,
    was_dry_run: bool,
    /// Whether changes are only shown, because nobody can be asked.
    is_unasked: bool,
    /// Whether nothing but hooks is to be installed. Elsewhere an agent is set up without one, too.
    is_about_hooks: bool,
    /// The agents whose hook nobody could be asked about.
    not_offered: Vec<&'static str>,
}

impl Setup<'_> {
    /// The most questions that are asked about an agent.
    fn questions_about(&self, target: &Agent) -> usize {
        let agent = Some(target).filter(|target| self.changes_settings(target));
        let settings = agent.into_iter().flat_map(|agent| {
            [Some(AgentSetting::ide_mode(agent)), self.approval_mode(agent)].into_iter().flatten()
        });
        let hook = self.hook_of(target).filter(|hook| !self.agrees_to(hook) && self.changes(hook));
        settings.filter(|setting| self.asks_about(setting)).count() + usize::from(hook.is_some())
    }

    /// Whether its settings are to be changed, too, and not only its hook.
    fn changes_settings(&self, agent: &Agent) -> bool {
        agent.row.settings.is_some() && !self.args.project
    }

    fn asks_about(&self, setting: &AgentSetting) -> bool {
        agent_setup::asks_about(setting, &self.here, self.user)
    }

    /// `--yes` agrees to IDE mode: an agent that begins to ask would stop scripts that run it.
    fn approval_mode(&self, agent: &Agent) -> Option<AgentSetting> {
        AgentSetting::approval_mode(agent, &self.here).filter(|_| !self.consent.yes && !self.has_hook(agent))
    }

    /// Whether its changes come to the desk in every mode.
    fn has_hook(&self, agent: &Agent) -> bool {
        let (release, scope) = (agent.release(), HookScope::User);
        let agent = agent.row.with_hook();
        agent.is_some_and(|agent| AgentHook { agent, release, scope }.is_there(&self.here))
    }

    fn hook_of(&self, target: &Agent) -> Option<AgentHook> {
        let scope = if self.args.project { HookScope::Project } else { HookScope::User };
        let release = target.release();
        target.row.with_hook().map(|agent| AgentHook { agent, release, scope })
    }

    fn changes(&self, hook: &AgentHook) -> bool {
        hook.plan(&self.here, self.user).is_ok_and(|plan| !plan.changes.is_empty())
    }

    /// Whether the options agree to a hook. A hook makes an agent wait for a person, so `--yes` only updates
    /// one that is there.
    fn agrees_to(&self, hook: &AgentHook) -> bool {
        self.args.hook || (self.consent.yes && hook.is_there(&self.here))
    }

    /// Changes the settings of an agent. Breaks off where the person has ended the command; continues with
    /// whether its files can be changed.
    async fn change_settings(&mut self, agent: &Agent) -> anyhow::Result<ControlFlow<ExitCode, bool>> {
        let consent = self.consent;
        let ide_mode = AgentSetting::ide_mode(agent);
        match agent_setup::ask(&ide_mode, consent, &mut self.numbering, &self.here, self.user).await {
            Ok(Answer::Made) => {}
            Ok(Answer::NothingToDo) => {
                print(&format!("{}: {} is on; nothing to do.\n", agent.name(), agent.ide_mode()))?
            }
            Ok(Answer::DryRun) => self.was_dry_run = true,
            // A no to one setting is no answer to the next question.
            Ok(Answer::No(no)) if no == No::Declined || (no == No::NobodyToAsk && self.args.hook) => {
                self.worst = no.exit_code();
                if self.approval_mode(agent).is_some_and(|setting| self.asks_about(&setting)) {
                    self.numbering.skip();
                }
                return Ok(ControlFlow::Continue(true));
            }
            // The person sees all changes before they repeat it.
            Ok(Answer::No(no @ No::NobodyToAsk)) => {
                (self.worst, self.is_unasked, self.consent.dry_run) = (no.exit_code(), true, true);
            }
            Ok(Answer::No(no)) => return Ok(ControlFlow::Break(no.exit_code())),
            // The other agent's settings may be fine.
            Err(error) => {
                self.failed(agent.name(), error);
                return Ok(ControlFlow::Continue(false));
            }
        }
        if self.has_hook(agent) {
            return Ok(ControlFlow::Continue(true));
        }
        let Some(asking) = start_asking(agent, &self.here) else { return Ok(ControlFlow::Continue(true)) };
        let Some(setting) = self.approval_mode(agent) else {
            note(&asking);
            return Ok(ControlFlow::Continue(true));
        };
        match agent_setup::ask(&setting, self.consent, &mut self.numbering, &self.here, self.user).await? {
            Answer::No(no @ No::Interrupted(_)) => return Ok(ControlFlow::Break(no.exit_code())),
            Answer::No(_) => note(&asking),
            Answer::Made | Answer::NothingToDo | Answer::DryRun => {}
        }
        Ok(ControlFlow::Continue(true))
    }

    /// Offers the hook, and installs it if the person or the options agree.
    async fn change_hook(&mut self, hook: &AgentHook) -> anyhow::Result<ControlFlow<ExitCode>> {
        let name = hook.agent.display_name;
        let plan = match hook.plan(&self.here, self.user) {
            Ok(plan) => plan,
            Err(error) => {
                self.failed(name.to_owned(), error);
                return Ok(ControlFlow::Continue(()));
            }
        };
        if plan.changes.is_empty() {
            print(&format!("{name}: the hook is installed; nothing to do.\n"))?;
            return Ok(ControlFlow::Continue(()));
        }
        let agrees = self.agrees_to(hook);
        let must_not_ask = self.consent.yes || !std::io::stdin().is_terminal();
        if must_not_ask && !agrees && !self.consent.dry_run {
            self.not_offered.push(name);
            if self.is_about_hooks {
                self.worst = No::NobodyToAsk.exit_code();
            }
            return Ok(ControlFlow::Continue(()));
        }
        print(&format!("{}\n", hook.fact()))?;
        // The command is what the person agrees to, so no line is folded away.
        Consent { verbose: true, ..self.consent }.show(&plan, self.user, name)?;
        if self.consent.dry_run {
            self.was_dry_run = true;
            return Ok(ControlFlow::Continue(()));
        }
        if !agrees {
            let question = self.numbering.number(&hook.question());
            let consent = Consent { yes: false, ..self.consent };
            match consent.obtain_or_note(&question, "the hook is not installed").await {
                Ok(()) => {}
                Err(no @ No::Interrupted(_)) => return Ok(ControlFlow::Break(no.exit_code())),
                Err(no) => {
                    if self.is_about_hooks {
                        self.worst = no.exit_code();
                    }
                    return Ok(ControlFlow::Continue(()));
                }
            }
        }
        if let Err(error) = hook.make(&plan, self.user) {
            self.failed(name.to_owned(), error);
            return Ok(ControlFlow::Continue(()));
        }
        print(&format!("{}\n", hook.changed().join("\n")))?;
        Ok(ControlFlow::Continue(()))
    }

    fn failed(&mut self, name: String, error: anyhow::Error) {
        failure::print(&error.context(format!("{name} is not changed")));
        self.worst = ExitCode::FAILURE;
    }

    /// The last lines.
    fn finish(&self, targets: &[Agent]) -> anyhow::Result<ExitCode> {
        if !self.not_offered.is_empty() {
            note(&format!(
                "no hook is installed in {}: it needs a yes of its own, or --hook",
                self.not_offered.join(", ")
            ));
        }
        if self.was_dry_run && !self.is_unasked {
            note_dry_run();
        } else if self.worst == ExitCode::SUCCESS {
            print(&next_step(targets))?;
        }
        Ok(self.worst)
    }
}

fn next_step(targets: &[Agent]) -> String {
    let editors = "in an editor: alongside install";
    let with_settings = targets.iter().find(|target| target.row.settings.is_some());
    if let Some(command) = with_settings.and_then(|target| target.row.commands.first()) {
        return format!("Next, in your project: alongside run -- {command} ({editors})\n");
    }
    let command = targets.iter().find_map(|target| target.row.commands.first());
    let command = command.map(|command| format!("; {command} in another terminal")).unwrap_or_default();
    format!("Next, in your project: alongside ({editors}){command}\n")
}
