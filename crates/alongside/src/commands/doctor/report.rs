//! What a person reads: one line a verdict, what is wrong, what to do. And the same for scripts.

use std::fmt::Write as _;

use alongside_agent::find::{Step, Verdict};
use alongside_desk::harmless;
use serde_json::{Value, json};

use super::cause::{Cause, Cure, Of, Said, Weight};
use super::examine::{Finding, number};
use super::living::Machine;

/// Everything that is said.
pub(super) struct Report<'a> {
    pub(super) machine: &'a Machine,
    pub(super) findings: &'a [Finding],
    /// What is wrong with alongside itself.
    pub(super) ourselves: &'a [Cause],
    /// Whether each step is told.
    pub(super) verbose: bool,
    /// How wide lines may be; as wide as they are if it is not known.
    pub(super) columns: Option<usize>,
}

/// How an agent is called in commands.
fn of(finding: &Finding) -> Of {
    let family = finding.agent.family;
    let command = family.commands.first().copied().unwrap_or(family.id);
    Of { name: family.display_name, command: command.to_owned(), package: family.packages.first().copied() }
}

/// What is said of one agent, the most certain first.
pub(super) fn said(finding: &Finding) -> Vec<Said> {
    let of = of(finding);
    let mut said: Vec<Said> = finding.causes.iter().map(|cause| cause.say(&of)).collect();
    // Stable: apart from that, as the agent meets them.
    said.sort_by_key(|said| said.weight);
    said
}

/// What is said of alongside itself.
fn said_of_ourselves(causes: &[Cause]) -> Vec<Said> {
    let of = Of { name: "alongside", command: "alongside".into(), package: None };
    causes.iter().map(|cause| cause.say(&of)).collect()
}

/// Whether something is wrong.
pub(super) fn is_wrong(finding: &Finding) -> bool {
    said(finding).iter().any(|said| said.weight != Weight::Note)
}

impl Report<'_> {
    /// For people.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (at, finding) in self.findings.iter().enumerate() {
            if at > 0 {
                text.push('\n');
            }
            self.finding(finding, &mut text);
        }
        let ourselves = said_of_ourselves(self.ourselves);
        if !ourselves.is_empty() {
            text.push('\n');
        }
        for said in &ourselves {
            self.line("! ", "  ", &said.what, &mut text);
            self.cures(&said.cure, "    ", &mut text);
        }
        text
    }

    fn finding(&self, finding: &Finding, text: &mut String) {
        let name = self.name(finding);
        let said = said(finding);
        let fails = said.iter().any(|said| said.weight == Weight::Fails);
        let mut rest = said.iter();
        match (self.reached(finding), fails, said.first()) {
            (Some(reached), false, _) => {
                self.line("✓ ", "  ", &format!("{name} would connect to {reached}"), text)
            }
            (_, _, Some(first)) => {
                rest.next();
                self.line("✗ ", "  ", &format!("{name} would fail: {}", first.what), text);
                self.cures(&first.cure, "    ", text);
            }
            (_, _, None) => self.line("✗ ", "  ", &format!("{name} would fail"), text),
        }
        for said in rest {
            let mark = if said.weight == Weight::Note { "  - " } else { "  ! " };
            self.line(mark, "    ", &said.what, text);
            self.cures(&said.cure, "      ", text);
        }
        if self.verbose {
            text.push_str("  what it does, step by step:\n");
            for Step { what, verdict, why } in &finding.trace.steps {
                let mark = match verdict {
                    Verdict::Good => "    ✓ ",
                    Verdict::PassedOver => "    · ",
                    Verdict::Fails => "    ✗ ",
                };
                self.line(
                    mark,
                    "        ",
                    &format!("{}: {}", harmless::name(what), harmless::name(why)),
                    text,
                );
            }
            for (attempt, answer) in finding.trace.attempts.iter().zip(&finding.answers) {
                self.line("    → ", "        ", &format!("{}: {answer}", super::probe::place(attempt)), text);
            }
        }
    }

    /// The agent, its release, and where it is if there are several.
    fn name(&self, finding: &Finding) -> String {
        let agent = &finding.agent;
        let version = match (&agent.version, &agent.program) {
            (Some(version), _) => format!(" {}", harmless::name(version)),
            (None, Some(_)) => " (of an unknown release)".into(),
            (None, None) => match agent.family.behaviour.known_to {
                Some(known) => format!(" (not installed here; {} taken for it)", number(known)),
                None => " (not installed here)".into(),
            },
        };
        let same = self.findings.iter().filter(|other| other.agent.family.id == agent.family.id).count();
        let at = agent
            .program
            .as_deref()
            .filter(|_| same > 1)
            .map(|program| format!(" ({})", harmless::path(program)));
        format!("{}{version}{}", agent.family.display_name, at.unwrap_or_default())
    }

    fn reached(&self, finding: &Finding) -> Option<String> {
        let port = finding.port()?;
        let living = self.machine.living.iter().find(|living| living.port == port);
        Some(
            living.map_or_else(
                || format!("port {port}"),
                |living| harmless::name(&living.shown()).into_owned(),
            ),
        )
    }

    /// What to do: sentences are folded, commands never.
    fn cures(&self, cures: &[Cure], indent: &str, text: &mut String) {
        for cure in cures {
            match cure {
                Cure::Do(sentence) => self.line(indent, indent, sentence, text),
                // Writing to a String does not fail.
                Cure::Run(command) => drop(writeln!(text, "{indent}$ {}", harmless::name(command))),
            }
        }
    }

    fn line(&self, first: &str, then: &str, what: &str, text: &mut String) {
        match self.columns {
            Some(columns) => {
                let options = textwrap::Options::new(columns)
                    .initial_indent(first)
                    .subsequent_indent(then)
                    .break_words(false)
                    .word_splitter(textwrap::WordSplitter::NoHyphenation);
                for line in textwrap::wrap(what, options) {
                    text.push_str(&line);
                    text.push('\n');
                }
            }
            None => drop(writeln!(text, "{first}{what}")),
        }
    }

    /// For scripts.
    pub(super) fn json(&self, mended: &[String]) -> Value {
        let agents: Vec<Value> = self.findings.iter().map(|finding| self.agent(finding)).collect();
        let ourselves: Vec<Value> = said_of_ourselves(self.ourselves).iter().map(cause).collect();
        json!({ "agents": agents, "alongside": ourselves, "mended": mended })
    }

    fn agent(&self, finding: &Finding) -> Value {
        let said = said(finding);
        let fails = said.iter().any(|said| said.weight == Weight::Fails);
        let steps: Vec<Value> = finding
            .trace
            .steps
            .iter()
            .map(|step| {
                let verdict = match step.verdict {
                    Verdict::Good => "good",
                    Verdict::PassedOver => "passedOver",
                    Verdict::Fails => "fails",
                };
                json!({ "what": step.what, "verdict": verdict, "why": step.why })
            })
            .collect();
        let mut json = json!({
            "family": finding.agent.family.id,
            "version": finding.agent.version,
            "program": finding.agent.program,
            "wouldConnect": finding.port().is_some() && !fails,
            "causes": said.iter().map(cause).collect::<Vec<_>>(),
            "steps": steps,
        });
        if let Some(port) = finding.port() {
            json["port"] = port.into();
            if let Some(living) = self.machine.living.iter().find(|living| living.port == port) {
                json["companion"] = json!({ "name": living.name, "roots": living.roots });
            }
        }
        json
    }
}

fn cause(said: &Said) -> Value {
    let weight = match said.weight {
        Weight::Fails => "fails",
        Weight::Hinders => "hinders",
        Weight::Note => "note",
    };
    let cure: Vec<&str> = said.cure.iter().map(Cure::text).collect();
    json!({ "id": said.id, "weight": weight, "what": said.what, "cure": cure })
}
