//! Writes the doctor's findings: for people, a line with the result, then each cause and its fixes; for
//! scripts, JSON.

use std::fmt::Write as _;

use alongside_agent::find::{Step, StepResult};
use alongside_agent::settings::hooks::OurHook;
use alongside_contract::settings::release_number;
use alongside_desk::harmless;
use serde_json::{Value, json};

use super::diagnosis::{Diagnosis, Fix, Severity, any_fails};
use super::finding::Finding;
use super::hooks::HookFinding;
use super::probe;
use super::running_companions::Companions;

/// All findings of the doctor, and the form of their report.
pub(super) struct Report<'a> {
    pub(super) companions: &'a Companions,
    pub(super) findings: &'a [Finding],
    pub(super) hooks: &'a [HookFinding],
    /// The diagnoses of alongside itself.
    pub(super) installation: &'a [Diagnosis],
    /// Whether to list each step of an agent's search.
    pub(super) verbose: bool,
    /// The columns at which lines are wrapped. `None`: lines are not wrapped.
    pub(super) columns: Option<usize>,
}

impl Report<'_> {
    /// Returns the report for people.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (at, finding) in self.findings.iter().enumerate() {
            if at > 0 {
                text.push('\n');
            }
            self.write_finding(finding, &mut text);
        }
        self.write_hooks(&mut text);
        if !self.installation.is_empty() {
            text.push('\n');
        }
        for diagnosis in self.installation {
            let mark = if diagnosis.severity == Severity::Fails { "✗ " } else { "! " };
            self.write_line(mark, "  ", &diagnosis.text, &mut text);
            self.write_fixes(&diagnosis.fixes, "    ", &mut text);
        }
        text
    }

    fn write_finding(&self, finding: &Finding, text: &mut String) {
        let name = self.agent_name(finding);
        let diagnoses = finding.diagnoses();
        let mut rest = diagnoses.iter();
        match (self.companion_label(finding), any_fails(&diagnoses), diagnoses.first()) {
            (Some(companion), false, _) => {
                self.write_line("✓ ", "  ", &format!("{name} would connect to {companion}"), text);
            }
            (_, _, Some(first)) => {
                rest.next();
                self.write_line("✗ ", "  ", &format!("{name} would fail: {}", first.text), text);
                self.write_fixes(&first.fixes, "    ", text);
            }
            (_, _, None) => self.write_line("✗ ", "  ", &format!("{name} would fail"), text),
        }
        self.write_diagnoses(rest, text);
        if self.verbose {
            self.write_steps(finding, text);
        }
    }

    /// Writes about the hooks in the agents' settings. An agent without a hook is no fault.
    fn write_hooks(&self, text: &mut String) {
        if !self.hooks.is_empty() && !text.is_empty() {
            text.push('\n');
        }
        for hook in OurHook::ALL {
            self.write_hook(hook, text);
        }
    }

    /// Writes about one of our hooks in all agents.
    fn write_hook(&self, hook: OurHook, text: &mut String) {
        let (with, without): (Vec<_>, Vec<_>) = self
            .hooks
            .iter()
            .filter(|finding| finding.hook == hook)
            .partition(|finding| !finding.files.is_empty());
        for finding in &with {
            let files: Vec<_> = finding.files.iter().map(|path| harmless::path(path)).collect();
            let name = finding.agent.display_name;
            let diagnoses = finding.diagnoses();
            let works = finding.works();
            let fact = match hook {
                OurHook::Write => "has the hook",
                OurHook::Turn => "notes its turns",
            };
            let fact = if works { fact.to_owned() } else { format!("{fact}, with a fault") };
            let mark = if works { "✓ " } else { "✗ " };
            self.write_line(mark, "  ", &format!("{name} {fact} ({})", files.join(", ")), text);
            self.write_diagnoses(diagnoses.iter(), text);
        }
        for finding in &without {
            self.write_diagnoses(finding.diagnoses().iter(), text);
        }
        let names: Vec<_> = without.iter().map(|finding| finding.agent.display_name).collect();
        if !names.is_empty() {
            let target = if let [only] = without[..] { only.agent.id } else { "agent" };
            let names = names.join(", ");
            let lack = match hook {
                OurHook::Write => {
                    format!("no hook before the writes of {names}: they are not reviewed first")
                }
                OurHook::Turn => format!("no review after the turns of {names}: nothing notes them"),
            };
            let line = format!("{lack} (`alongside install {target}`)");
            self.write_line("- ", "  ", &line, text);
        }
    }

    fn write_diagnoses<'m>(&self, diagnoses: impl Iterator<Item = &'m Diagnosis>, text: &mut String) {
        for diagnosis in diagnoses {
            let mark = if diagnosis.severity == Severity::Note { "  - " } else { "  ! " };
            self.write_line(mark, "    ", &diagnosis.text, text);
            self.write_fixes(&diagnosis.fixes, "      ", text);
        }
    }

    fn write_steps(&self, finding: &Finding, text: &mut String) {
        text.push_str("  the agent's search, step by step:\n");
        for Step { what, result, why } in &finding.trace.steps {
            let mark = match result {
                StepResult::Good => "    ✓ ",
                StepResult::PassedOver => "    · ",
                StepResult::Fails => "    ✗ ",
            };
            let line = format!("{}: {}", harmless::name(what), harmless::name(why));
            self.write_line(mark, "        ", &line, text);
        }
        for (attempt, result) in finding.trace.attempts.iter().zip(&finding.results) {
            let line = format!("{}: {result}", probe::destination(attempt));
            self.write_line("    → ", "        ", &line, text);
        }
    }

    /// Returns the name and the release of the agent, with its path if the agent is installed more than once.
    fn agent_name(&self, finding: &Finding) -> String {
        let agent = &finding.agent;
        let version = match (&agent.version, &agent.program) {
            (Some(version), _) => format!(" {}", harmless::name(version)),
            (None, Some(_)) => " (unknown release)".into(),
            (None, None) => match agent.row.family.behaviour.known_to {
                Some(known) => format!(" (not installed here; examined as {})", release_number(known)),
                None => " (not installed here)".into(),
            },
        };
        let installations = self.findings.iter().filter(|other| other.agent.row.id == agent.row.id).count();
        let program = agent.program.as_deref().filter(|_| installations > 1);
        let program = program.map(|program| format!(" ({})", harmless::path(program)));
        format!("{}{version}{}", agent.row.display_name, program.unwrap_or_default())
    }

    fn companion_label(&self, finding: &Finding) -> Option<String> {
        let port = finding.port()?;
        Some(match self.companions.at_port(port) {
            Some(companion) => harmless::name(&companion.label()).into_owned(),
            None => format!("port {port}"),
        })
    }

    /// Writes the fixes. Advice is wrapped, but a command stays on one line, so that a person can copy it.
    fn write_fixes(&self, fixes: &[Fix], indent: &str, text: &mut String) {
        for fix in fixes {
            match fix {
                Fix::Advice(sentence) => self.write_line(indent, indent, sentence, text),
                // Writing to a String does not fail.
                Fix::Command(command) => drop(writeln!(text, "{indent}$ {}", harmless::name(command))),
            }
        }
    }

    fn write_line(&self, first_indent: &str, indent: &str, line: &str, text: &mut String) {
        let Some(columns) = self.columns else {
            // Writing to a String does not fail.
            let _ = writeln!(text, "{first_indent}{line}");
            return;
        };
        let options = textwrap::Options::new(columns)
            .initial_indent(first_indent)
            .subsequent_indent(indent)
            .break_words(false)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        for line in textwrap::wrap(line, options) {
            text.push_str(&line);
            text.push('\n');
        }
    }

    /// Returns the report for scripts. `removed`: the lines about files that `--fix` has removed.
    pub(super) fn json(&self, removed: &[String]) -> Value {
        let agents: Vec<Value> = self.findings.iter().map(|finding| self.finding_json(finding)).collect();
        let findings_about =
            |hook| self.hooks.iter().filter(move |finding| finding.hook == hook).map(hook_json);
        let hooks: Vec<Value> = findings_about(OurHook::Write).collect();
        let turns: Vec<Value> = findings_about(OurHook::Turn).collect();
        json!({ "agents": agents, "hooks": hooks, "turns": turns, "alongside": self.installation,
            "mended": removed })
    }

    fn finding_json(&self, finding: &Finding) -> Value {
        let diagnoses = finding.diagnoses();
        let step_json = |step: &Step| {
            let result = match step.result {
                StepResult::Good => "good",
                StepResult::PassedOver => "passedOver",
                StepResult::Fails => "fails",
            };
            json!({ "what": step.what, "verdict": result, "why": step.why })
        };
        let mut json = json!({
            "family": finding.agent.row.id,
            "version": finding.agent.version,
            "program": finding.agent.program,
            "wouldConnect": finding.port().is_some() && !any_fails(&diagnoses),
            "causes": diagnoses,
            "steps": finding.trace.steps.iter().map(step_json).collect::<Vec<_>>(),
        });
        if let Some(port) = finding.port() {
            json["port"] = port.into();
            if let Some(companion) = self.companions.at_port(port) {
                json["companion"] = json!({ "name": companion.name, "roots": companion.roots });
            }
        }
        json
    }
}

fn hook_json(finding: &HookFinding) -> Value {
    let files: Vec<_> = finding.files.iter().map(|path| path.to_string_lossy()).collect();
    json!({ "agent": finding.agent.id, "files": files, "causes": finding.diagnoses() })
}
