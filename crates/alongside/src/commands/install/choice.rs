//! The one choice of a person who sets agents up: the recommended parts, a decision before each write as
//! well, a question for each part, or nothing.

use alongside_agent::settings::Setting;
use alongside_agent::settings::hooks::OurHook;

use crate::commands::agent_part::PartKind;
use crate::commands::consent::{self, NoConsent};
use crate::commands::lists;

/// The parts that a person wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Selection {
    /// The recommended parts.
    Recommended,
    /// The recommended parts, and the hook before each write.
    WithWrites,
    /// Each part to which the person says yes.
    Each,
    /// No part.
    Nothing,
}

/// The options of a choice.
#[derive(Debug)]
pub(super) struct Choice<'a> {
    /// The display names of the agents.
    pub(super) agents: &'a [&'static str],
    /// The kinds of the recommended parts that are not installed.
    pub(super) recommended: &'a [PartKind],
    /// Whether the hook before each write can be added.
    pub(super) has_writes: bool,
    /// The display names of the agents whose hook waits for a minute only, and whose model then calls the
    /// tool again.
    pub(super) calling_again: &'a [&'static str],
}

impl Choice<'_> {
    /// Asks the person to choose.
    ///
    /// # Errors
    /// If there is nobody to ask, or the person ends the program.
    pub(super) async fn ask(&self) -> Result<Selection, NoConsent> {
        let options = self.options();
        let texts: Vec<&str> = options.iter().map(|(_, text)| text.as_str()).collect();
        let default = if self.recommended.is_empty() { texts.len() - 1 } else { 0 };
        let question = format!("How should alongside work with {}?", lists::of(self.agents, "and"));
        let chosen = consent::choose(&question, &texts, Some(default)).await?;
        Ok(options.get(chosen).map_or(Selection::Nothing, |(selection, _)| *selection))
    }

    fn options(&self) -> Vec<(Selection, String)> {
        let mut options = Vec::new();
        let (labels, effects): (Vec<_>, Vec<_>) =
            self.recommended.iter().map(|kind| label_and_effect(*kind)).unzip();
        if !labels.is_empty() {
            let labels = labels.join(", and ");
            options.push((Selection::Recommended, format!("recommended: {labels}\n{}", effects.join("\n"))));
        }
        if self.has_writes {
            let as_well = if labels.is_empty() { "" } else { " as well" };
            let effect = "While a desk or `alongside run` is open in the project, an agent waits for\nyour \
                          decision before each write, in every mode. Else it writes as before.";
            let limit = match self.calling_again {
                [] => String::new(),
                agents => format!("\n{} {WAIT_LIMIT}", lists::of(agents, "and")),
            };
            options.push((Selection::WithWrites, format!("ask before each write{as_well}\n{effect}{limit}")));
        }
        options.push((Selection::Each, "let me choose\nA question for each part of each agent.".into()));
        options.push((Selection::Nothing, "nothing".into()));
        options
    }
}

/// The sentence about agents whose hook waits for a minute only. docs/hooks.md has the details.
const WAIT_LIMIT: &str = "waits a minute at a time: its model is then asked to call the\ntool again. \
                             After about four minutes, its turn ends.";

/// Returns the label and the effect of a recommended part.
fn label_and_effect(kind: PartKind) -> (&'static str, &'static str) {
    match kind {
        PartKind::Setting(Setting::IdeMode) => {
            ("IDE mode", "IDE mode: an agent learns your open files; its questions come to your desk.")
        }
        PartKind::Hook(OurHook::Turn) => (
            "review after each turn",
            "After a turn: your desk shows all that changed, and you undo what you do\nnot want. No agent \
             waits for you.",
        ),
        PartKind::Hook(OurHook::Write) => {
            ("the newest form of the hooks", "The hooks before each write are there, in an older form.")
        }
        PartKind::Setting(Setting::ApprovalMode) => {
            ("the agent's own question", "Before an edit, the agent asks.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [PartKind; 2] = [PartKind::Setting(Setting::IdeMode), PartKind::Hook(OurHook::Turn)];

    #[test]
    fn an_installed_part_is_no_option() {
        let selections = |recommended: &[PartKind], has_writes| {
            let calling_again = &["Qwen Code"];
            let choice = Choice { agents: &["Codex", "Qwen Code"], recommended, has_writes, calling_again };
            let options = choice.options();
            // The number of an option takes five columns before it.
            assert!(
                options.iter().flat_map(|(_, text)| text.lines()).all(|line| line.len() <= 75),
                "{options:?}"
            );
            options.into_iter().map(|(selection, _)| selection).collect::<Vec<_>>()
        };
        use Selection::{Each, Nothing, Recommended, WithWrites};
        assert_eq!(selections(&BOTH, true), [Recommended, WithWrites, Each, Nothing]);
        assert_eq!(selections(&BOTH[1..], false), [Recommended, Each, Nothing]);
        assert_eq!(selections(&[], true), [WithWrites, Each, Nothing]);
    }

    #[test]
    fn an_agent_that_waits_for_a_minute_only_is_named() {
        let text = |calling_again: &[&'static str]| {
            let choice = Choice { agents: &["Qwen Code"], recommended: &[], has_writes: true, calling_again };
            choice.options()[0].1.clone()
        };
        let limit = "Qwen Code waits a minute at a time: its model is then asked to call the\ntool again. \
                     After about four minutes, its turn ends.";
        assert!(text(&["Qwen Code"]).ends_with(limit), "{}", text(&["Qwen Code"]));
        assert!(!text(&[]).contains("minute"));
    }
}
