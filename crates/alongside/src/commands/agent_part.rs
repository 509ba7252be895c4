//! A part of an agent's set-up: a setting or a hook, which a person is shown, asked about, and gets.

use alongside_adapters::agent_hook::AgentHook;
use alongside_adapters::agent_setting::AgentSetting;
use alongside_adapters::plan::{EarlierTexts, Plan};
use alongside_adapters::user_environment::UserEnvironment;
use alongside_agent::find::Surroundings;
use alongside_agent::settings::Setting;
use alongside_agent::settings::hooks::OurHook;

use super::consent::{Consent, No};
use super::{note, print};

/// A part of an agent's set-up.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Setting(AgentSetting),
    Hook(AgentHook),
}

/// The kind of a part, whichever agent it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartKind {
    Setting(Setting),
    Hook(OurHook),
}

/// The answer to a change.
#[derive(Debug)]
pub(super) enum Answer {
    Made,
    /// The file says so already.
    NothingToDo,
    /// The change was only shown.
    DryRun,
    /// The person did not agree.
    No(No),
}

impl Part {
    pub(super) fn kind(&self) -> PartKind {
        match self {
            Self::Setting(setting) => PartKind::Setting(setting.setting),
            Self::Hook(hook) => PartKind::Hook(hook.hook),
        }
    }

    /// The identifier of its agent.
    pub(super) fn agent_id(&self) -> &'static str {
        match self {
            Self::Setting(setting) => setting.agent.row.id,
            Self::Hook(hook) => hook.agent.id,
        }
    }

    /// The agent, for people.
    pub(super) fn agent_name(&self) -> String {
        match self {
            Self::Setting(setting) => setting.agent.name(),
            Self::Hook(hook) => hook.agent.display_name.to_owned(),
        }
    }

    /// The agent, if this is a hook for which it does not wait as long as a person needs.
    pub(super) fn calls_again(&self) -> Option<&'static str> {
        match self {
            Self::Hook(hook) if hook.calls_again() => Some(hook.agent.display_name),
            Self::Hook(_) | Self::Setting(_) => None,
        }
    }

    /// The changes after these earlier ones; none if the file has them already.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn plan(
        &self,
        earlier: &EarlierTexts,
        here: &Surroundings,
        user: &UserEnvironment,
    ) -> anyhow::Result<Plan> {
        match self {
            Self::Setting(setting) => setting.plan(earlier, here, user),
            Self::Hook(hook) => hook.plan(earlier, here, user),
        }
    }

    /// Shows what changes, and why.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub(super) fn show(
        &self,
        plan: &Plan,
        consent: Consent,
        here: &Surroundings,
        user: &UserEnvironment,
    ) -> anyhow::Result<()> {
        let (fact, verbose) = match self {
            Self::Setting(setting) => (setting.fact(here), consent.verbose),
            // The command is what the person agrees to, so no line is folded away.
            Self::Hook(hook) => (hook.fact(), true),
        };
        print(&format!("{fact}\n"))?;
        Consent { verbose, ..consent }.show(plan, user, &self.agent_name())
    }

    /// The question before the change.
    fn question(&self) -> String {
        match self {
            Self::Setting(setting) => setting.question(),
            Self::Hook(hook) => hook.question(),
        }
    }

    /// The line after a no.
    fn otherwise(&self) -> &'static str {
        match self {
            Self::Setting(_) => "nothing is changed",
            Self::Hook(_) => "the hook is not installed",
        }
    }

    /// Makes the changes. Returns the lines that say so.
    ///
    /// # Errors
    /// When a file has changed since the plan was made, or cannot be written.
    pub(super) fn make(&self, plan: &Plan, user: &UserEnvironment) -> anyhow::Result<Vec<String>> {
        match self {
            Self::Setting(setting) => setting.make(plan, user).map(|()| vec![setting.done_message()]),
            Self::Hook(hook) => hook.make(plan, user).map(|()| hook.done_messages(plan)),
        }
    }

    /// The line where nothing is to be changed.
    pub(super) fn unchanged(&self) -> String {
        match self {
            Self::Setting(AgentSetting { agent, setting: Setting::IdeMode }) => {
                format!("{}: {} is on; nothing to do.", agent.name(), agent.ide_mode())
            }
            Self::Setting(AgentSetting { agent, setting: Setting::ApprovalMode }) => {
                format!("{} asks before it edits; nothing to do.", agent.name())
            }
            Self::Hook(hook) => hook.up_to_date_message(),
        }
    }
}

/// The number of each question, for a person who has to answer several.
#[derive(Debug)]
pub(super) struct Numbering {
    next: usize,
    total: usize,
}

impl Numbering {
    /// For so many questions at most.
    pub(super) fn of(total: usize) -> Self {
        Self { next: 1, total }
    }

    /// A question with its number, unless it is the only one.
    fn number(&mut self, question: &str) -> String {
        let (number, total) = (self.next, self.total);
        self.skip();
        if total > 1 { format!("{number} of {total}: {question}") } else { question.to_owned() }
    }

    /// A question is not asked after all.
    pub(super) fn skip(&mut self) {
        self.next += 1;
    }
}

/// Shows a change, asks unless the options answer, and makes it.
///
/// # Errors
/// When a file cannot be read or written.
pub(super) async fn ask(
    part: &Part,
    consent: Consent,
    numbering: &mut Numbering,
    here: &Surroundings,
    user: &UserEnvironment,
) -> anyhow::Result<Answer> {
    let plan = part.plan(&EarlierTexts::new(), here, user)?;
    if plan.changes.is_empty() {
        for text in &plan.notes {
            note(text);
        }
        return Ok(Answer::NothingToDo);
    }
    part.show(&plan, consent, here, user)?;
    if consent.dry_run {
        return Ok(Answer::DryRun);
    }
    let question = numbering.number(&part.question());
    if let Err(no) = consent.obtain(&question, part.otherwise()).await {
        return Ok(Answer::No(no));
    }
    print(&format!("{}\n", part.make(&plan, user)?.join("\n")))?;
    Ok(Answer::Made)
}
