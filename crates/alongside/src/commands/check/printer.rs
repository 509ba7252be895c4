//! Prints the report for people: groups, a line for each check, and the facts that are needed to repair a
//! failure. Each sign has a word beside it, so that the report is readable without colour and Unicode.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use alongside_conformance::{Check, CheckResult, Clause, Group, Report, Verdict};
use alongside_desk::{harmless, without_error_codes};

use crate::line_mode::{Ink, Inks};

/// The lines of evidence that are printed without `--details`.
const MAX_EVIDENCE_LINES: usize = 6;

/// The printer of reports for people.
pub(super) struct Printer {
    pub(super) inks: Inks,
    pub(super) columns: usize,
    /// Whether all evidence is printed.
    pub(super) details: bool,
}

impl Printer {
    pub(super) fn report(&self, report: &Report) -> String {
        let mut text = self.head(report);
        if report.interrupted {
            self.write_summary(&mut text, report);
            return text;
        }
        for group in Group::ALL {
            if report.of(group).next().is_some() {
                self.write_group(&mut text, group, report);
            }
        }
        self.write_summary(&mut text, report);
        text
    }

    fn head(&self, report: &Report) -> String {
        let companion = &report.companion;
        let editor = companion.editor.as_deref().unwrap_or("an unnamed editor");
        let server = companion.server.as_deref().map(|server| format!(" ({server})")).unwrap_or_default();
        let mut text = String::new();
        let line = format!("The companion of {editor}{server} at {}", companion.address);
        self.write_line(&mut text, "", "", &line);
        if let Some(file) = &companion.file {
            self.write_line(&mut text, "", "", &format!("found by {}", file.display()));
        }
        text
    }

    fn write_group(&self, text: &mut String, group: Group, report: &Report) {
        let _ = writeln!(text, "\n{}", self.inks.ink(Ink::Heading, group.title()));
        // Checks with the same reason share an entry.
        let mut reasons: BTreeMap<(&str, &str), Vec<&CheckResult>> = BTreeMap::new();
        for result in report.of(group) {
            match &result.verdict {
                Verdict::Pass => self.write_passed(text, result),
                Verdict::Fail(why) => self.write_failed(text, result, why),
                Verdict::NotObservable(why) | Verdict::Skipped(why) => {
                    reasons.entry((result.verdict.word(), why)).or_default().push(result);
                }
            }
        }
        for ((word, why), results) in reasons {
            let ids: Vec<&str> = results.iter().map(|result| result.check.id).collect();
            self.write_line(text, &format!("  \u{2013} {word}: "), "    ", &without_error_codes(why));
            self.write_line(text, "    ", "    ", &ids.join(", "));
            if self.details {
                results.iter().for_each(|result| self.write_evidence(text, result));
            }
        }
    }

    fn write_passed(&self, text: &mut String, result: &CheckResult) {
        let sign = self.inks.ink(Ink::Added, "\u{2713} pass");
        let check = result.check;
        self.write_signed(text, &sign, "\u{2713} pass", &format!("{} \u{b7} {}", check.title, check.id));
        if self.details {
            self.write_evidence(text, result);
        }
    }

    fn write_failed(&self, text: &mut String, result: &CheckResult, why: &str) {
        let check = result.check;
        let sign = self.inks.ink(Ink::Removed, "\u{2717} FAIL");
        self.write_signed(text, &sign, "\u{2717} FAIL", check.title);
        let indent = "          ";
        self.write_line(text, indent, indent, &format!("{} \u{b7} {}", check.id, label(check.clause)));
        let write_labelled = |text: &mut String, label: &str, value: &str| {
            self.write_line(text, &format!("{indent}{label:<8} "), &format!("{indent}         "), value);
        };
        write_labelled(text, "seen:", &without_error_codes(why));
        write_labelled(text, "clause:", check.clause.says());
        if let Some(breaks) = check.clause.breaks() {
            write_labelled(text, "breaks:", breaks);
        }
        write_labelled(text, "harm:", check.harm);
        self.write_evidence(text, result);
    }

    /// Writes a line that begins with a coloured sign.
    fn write_signed(&self, text: &mut String, coloured: &str, plain: &str, line_text: &str) {
        let mut line = String::new();
        self.write_line(&mut line, &format!("  {plain}  "), "          ", line_text);
        text.push_str(&line.replacen(plain, coloured, 1));
    }

    fn write_evidence(&self, text: &mut String, result: &CheckResult) {
        let lines = &result.evidence;
        let shown = if self.details {
            lines.as_slice()
        } else {
            &lines[lines.len().saturating_sub(MAX_EVIDENCE_LINES)..]
        };
        for line in shown {
            let line = harmless::name(line);
            if self.details {
                self.write_line(text, "            ", "              ", &line);
            } else {
                let max_chars = self.columns.saturating_sub(13);
                let cut: String = line.chars().take(max_chars).collect();
                let more = if line.chars().nth(max_chars).is_some() { "\u{2026}" } else { "" };
                let _ = writeln!(text, "            {cut}{more}");
            }
        }
    }

    fn write_summary(&self, text: &mut String, report: &Report) {
        let count = |word: &str| report.results.iter().filter(|result| result.verdict.word() == word).count();
        let counts = ["pass", "fail", "not observable", "skipped"].map(|word| (count(word), word));
        let counts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let took = report.took.as_secs_f32();
        let _ = writeln!(text, "\n{} of {} checks, in {took:.0} s", counts.join(", "), report.results.len());
        for result in report.failed() {
            self.write_line(
                text,
                "  \u{2717} ",
                "    ",
                &format!("{} ({})", result.check.id, label(result.check.clause)),
            );
        }
        if !report.driver_failures.is_empty() && !report.interrupted {
            self.write_driver_failures(text, report);
        }
        let unobserved = count("not observable") + count("skipped");
        let limits = match unobserved {
            0 => String::new(),
            1 => ", as far as could be seen (1 check says nothing)".into(),
            unobserved => format!(", as far as could be seen ({unobserved} checks say nothing)"),
        };
        let musts = report.failed().filter(|result| result.check.clause.is_must()).count();
        let conclusion = match (report.interrupted, musts) {
            (true, _) => "Interrupted; there is no verdict.".to_owned(),
            (false, 0) if report.serves_shipped_agents() => {
                format!("It conforms{limits}, and shipped agents find all they need.")
            }
            (false, 0) => format!("It conforms{limits}, but shipped agents need the rules that fail above."),
            (false, 1) => "It does not conform: one MUST is broken.".into(),
            (false, musts) => format!("It does not conform: {musts} MUSTs are broken."),
        };
        self.write_line(text, "", "", &conclusion);
    }

    /// Writes the driver's failures, because of which its checks observed nothing.
    fn write_driver_failures(&self, text: &mut String, report: &Report) {
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for failure in &report.driver_failures {
            *kinds.entry(failure).or_default() += 1;
        }
        for (why, times) in kinds {
            let times = if times > 1 { format!(" ({times} times)") } else { String::new() };
            self.write_line(text, "  ! ", "    ", &format!("{}{times}", without_error_codes(why)));
        }
        self.write_line(
            text,
            "",
            "",
            "The command of --drive failed, so its checks observed nothing. Fix the command; it must exit \
             with 3 for an action that the editor cannot do.",
        );
    }

    /// Writes a line, wrapped to the width.
    fn write_line(&self, text: &mut String, first_indent: &str, indent: &str, line: &str) {
        let line = harmless::name(line);
        let options = textwrap::Options::new(self.columns)
            .initial_indent(first_indent)
            .subsequent_indent(indent)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        for line in textwrap::wrap(&line, options) {
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
}

/// Returns the level and the source of a clause, as in `MUST of the companion specification`.
fn label(clause: Clause) -> String {
    match clause {
        Clause::Spec(..) | Clause::Mcp(..) => format!("{} of the {}", clause.level(), clause.source()),
        _ => clause.source().to_owned(),
    }
}

/// Returns a line for each check.
pub(super) fn list(checks: &[&'static Check]) -> String {
    let mut text = String::new();
    let widest = checks.iter().map(|check| check.id.len()).max().unwrap_or_default();
    for check in checks {
        let _ = writeln!(text, "{:<widest$}  {:<7}  {}", check.id, check.clause.level(), check.title);
    }
    text
}
