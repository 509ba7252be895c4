//! A part of an agent's set-up, a setting or a hook: shows its change to a person, asks, and makes it.

use alongside_adapters::agent_hook::AgentHook;
use alongside_adapters::agent_setting::AgentSetting;
use alongside_adapters::plan::{EarlierTexts, Plan};
use alongside_adapters::user_environment::UserEnvironment;
use alongside_agent::find::Surroundings;
use alongside_agent::settings::Setting;
use alongside_agent::settings::hooks::OurHook;

use super::consent::{ConsentOptions, NoConsent};
use super::{note, print};

/// A part of an agent's set-up.
#[derive(Debug, Clone)]
pub(super) enum SetupPart {
    /// A setting that decides whether a person gets the agent's changes to review.
    Setting(AgentSetting),
    /// A hook of ours.
    Hook(AgentHook),
}

/// The kind of a part, without its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartKind {
    Setting(Setting),
    Hook(OurHook),
}

/// The result of offering the change of a part.
#[derive(Debug)]
pub(super) enum PartResult {
    /// The change was made.
    Made,
    /// The file has all changes already.
    NothingToDo,
    /// The change was only shown.
    DryRun,
    /// The person did not agree.
    NoConsent(NoConsent),
}

impl SetupPart {
    pub(super) fn kind(&self) -> PartKind {
        match self {
            Self::Setting(setting) => PartKind::Setting(setting.setting),
            Self::Hook(hook) => PartKind::Hook(hook.hook),
        }
    }

    /// Returns the identifier of the agent.
    pub(super) fn agent_id(&self) -> &'static str {
        match self {
            Self::Setting(setting) => setting.agent.row.id,
            Self::Hook(hook) => hook.agent.id,
        }
    }

    /// Returns the agent's name for people.
    pub(super) fn agent_name(&self) -> String {
        match self {
            Self::Setting(setting) => setting.agent.name(),
            Self::Hook(hook) => hook.agent.display_name.to_owned(),
        }
    }

    /// Returns the agent's name if the part is a hook for which the agent waits less time than a person
    /// needs, so that its model has to call the tool again.
    pub(super) fn agent_that_calls_again(&self) -> Option<&'static str> {
        match self {
            Self::Hook(hook) if hook.calls_again() => Some(hook.agent.display_name),
            Self::Hook(_) | Self::Setting(_) => None,
        }
    }

    /// Plans the changes on top of the `earlier` texts. The plan has no change if the file has all changes
    /// already.
    ///
    /// # Errors
    /// If the file cannot be read.
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

    /// Prints the fact that the person has to know before the change, and the change.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub(super) fn show(
        &self,
        plan: &Plan,
        consent: ConsentOptions,
        here: &Surroundings,
        user: &UserEnvironment,
    ) -> anyhow::Result<()> {
        let (fact, verbose) = match self {
            Self::Setting(setting) => (setting.fact(here), consent.verbose),
            // The person agrees to the command of the hook, so every line is shown.
            Self::Hook(hook) => (hook.fact(), true),
        };
        print(&format!("{fact}\n"))?;
        ConsentOptions { verbose, ..consent }.show(plan, user, &self.agent_name())
    }

    /// Returns the question before the change.
    fn question(&self) -> String {
        match self {
            Self::Setting(setting) => setting.question(),
            Self::Hook(hook) => hook.question(),
        }
    }

    /// Returns the line that is printed if the person declines.
    fn declined_message(&self) -> &'static str {
        match self {
            Self::Setting(_) => "nothing is changed",
            Self::Hook(_) => "the hook is not installed",
        }
    }

    /// Makes the changes, and returns the lines that report them.
    ///
    /// # Errors
    /// If a file has changed since the plan was made, or cannot be written.
    pub(super) fn make(&self, plan: &Plan, user: &UserEnvironment) -> anyhow::Result<Vec<String>> {
        match self {
            Self::Setting(setting) => setting.make(plan, user).map(|()| vec![setting.done_message()]),
            Self::Hook(hook) => hook.make(plan, user).map(|()| hook.done_messages(plan)),
        }
    }

    /// Returns the line that reports that nothing has to change.
    pub(super) fn nothing_to_do_message(&self) -> String {
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
    /// Creates the numbering of at most `total` questions.
    pub(super) fn of(total: usize) -> Self {
        Self { next: 1, total }
    }

    /// Returns the question with the next number, or without a number if it is the only question.
    fn number_question(&mut self, question: &str) -> String {
        let (number, total) = (self.next, self.total);
        self.advance();
        if total > 1 { format!("{number} of {total}: {question}") } else { question.to_owned() }
    }

    /// Goes to the next number, after a question was asked or left out.
    pub(super) fn advance(&mut self) {
        self.next += 1;
    }
}

/// Shows a change, asks for consent unless the options give it, and makes the change.
///
/// # Errors
/// If a file cannot be read or written, or standard output cannot be written.
pub(super) async fn offer(
    part: &SetupPart,
    consent: ConsentOptions,
    numbering: &mut Numbering,
    here: &Surroundings,
    user: &UserEnvironment,
) -> anyhow::Result<PartResult> {
    let plan = part.plan(&EarlierTexts::new(), here, user)?;
    if plan.changes.is_empty() {
        for text in &plan.notes {
            note(text);
        }
        return Ok(PartResult::NothingToDo);
    }
    part.show(&plan, consent, here, user)?;
    if consent.dry_run {
        return Ok(PartResult::DryRun);
    }
    let question = numbering.number_question(&part.question());
    if let Err(no) = consent.obtain(&question, part.declined_message()).await {
        return Ok(PartResult::NoConsent(no));
    }
    print(&format!("{}\n", part.make(&plan, user)?.join("\n")))?;
    Ok(PartResult::Made)
}
