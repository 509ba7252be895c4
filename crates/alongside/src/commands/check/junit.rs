//! The report for CI servers in JUnit's form: a suite for each group, and a case for each check.

use std::fmt::Write as _;
use std::time::Duration;

use alongside_conformance::{CheckResult, Group, Report, Verdict};
use alongside_desk::harmless;

/// Returns the report. A check that is not observable is a skipped test with the reason.
pub(super) fn junit(report: &Report) -> String {
    let mut suites = String::new();
    for group in Group::ALL {
        let [tests, skipped, failures] = counts(report.of(group));
        if tests > 0 {
            let _ = writeln!(
                suites,
                "    <testsuite name=\"{}\" tests=\"{tests}\" skipped=\"{skipped}\" errors=\"0\" \
                 failures=\"{failures}\">",
                escape(group.name())
            );
            suites.extend(report.of(group).map(case));
            suites.push_str("    </testsuite>\n");
        }
    }
    let [tests, skipped, failures] = counts(report.results.iter());
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"alongside check\" tests=\"{tests}\" skipped=\"{skipped}\" \
         failures=\"{failures}\" errors=\"0\" time=\"{}\">\n{suites}</testsuites>\n",
        seconds(report.took)
    )
}

/// Counts all checks, the skipped ones and the failed ones.
fn counts<'r>(results: impl Iterator<Item = &'r CheckResult>) -> [usize; 3] {
    results.fold([0; 3], |[tests, skipped, failures], result| {
        let is_skipped = matches!(result.verdict, Verdict::NotObservable(_) | Verdict::Skipped(_));
        let has_failed = matches!(result.verdict, Verdict::Fail(_));
        [tests + 1, skipped + usize::from(is_skipped), failures + usize::from(has_failed)]
    })
}

fn case(result: &CheckResult) -> String {
    let check = result.check;
    let level = escape(check.clause.level());
    let outcome = match &result.verdict {
        Verdict::Pass => String::new(),
        Verdict::Fail(why) => {
            let details = format!(
                "{}: {}\nWithout it: {}\n{}",
                check.clause.source(),
                check.clause.says(),
                check.harm,
                result.evidence.join("\n")
            );
            let (why, details) = (escape(why), escape(&details));
            format!("            <failure message=\"{why}\" type=\"{level}\">{details}</failure>\n")
        }
        Verdict::NotObservable(why) | Verdict::Skipped(why) => {
            let why = format!("{}: {why}", result.verdict.word());
            format!("            <skipped message=\"{}\"/>\n", escape(&why))
        }
    };
    format!(
        "        <testcase name=\"{}\" classname=\"alongside.check.{}\" time=\"{}\">\n            \
         <properties>\n                \
         <property name=\"title\" value=\"{}\"/>\n                \
         <property name=\"level\" value=\"{level}\"/>\n            \
         </properties>\n\
         {outcome}        </testcase>\n",
        escape(check.id),
        escape(check.group.name()),
        seconds(result.took),
        escape(check.title)
    )
}

fn seconds(took: Duration) -> String {
    format!("{:.3}", took.as_secs_f64())
}

/// Escapes a text for XML 1.0, within quotes or between tags. A character that XML forbids is replaced by an
/// escape of [`harmless`], or by U+FFFD.
fn escape(text: &str) -> String {
    let text = harmless::text(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
    let entities = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&apos;")];
    entities.into_iter().fold(text, |text, (character, entity)| text.replace(character, entity))
}

#[cfg(test)]
mod tests {
    use alongside_conformance::{CHECKS, Check, Companion};

    use super::*;

    fn result(at: usize, verdict: Verdict, evidence: &str) -> CheckResult {
        let took = Duration::from_micros(1_234_567);
        CheckResult { check: CHECKS[at], verdict, evidence: vec![evidence.to_owned()], took }
    }

    fn report(results: Vec<CheckResult>) -> String {
        let address = "127.0.0.1:1".to_owned();
        junit(&Report {
            companion: Companion { address, server: None, editor: None, file: None },
            results,
            took: Duration::from_millis(61_002),
            interrupted: false,
            driver_failures: Vec::new(),
        })
    }

    #[test]
    fn each_verdict_has_its_element() {
        let group = CHECKS[0].group.name();
        let is_of_group = |at: &usize| CHECKS[*at].group == CHECKS[0].group;
        let of_group: Vec<usize> = (0..CHECKS.len()).filter(is_of_group).take(3).collect();
        let [first, second, third] = of_group[..] else { panic!("{group} has only {of_group:?}") };
        let case = |at: usize, outcome: &str| {
            let Check { id, title, clause, .. } = &CHECKS[at];
            let (title, level) = (escape(title), clause.level());
            format!(
                r#"        <testcase name="{id}" classname="alongside.check.{group}" time="1.235">
            <properties>
                <property name="title" value="{title}"/>
                <property name="level" value="{level}"/>
            </properties>
{outcome}        </testcase>
"#
            )
        };
        let Check { clause, harm, .. } = &CHECKS[second];
        let details = escape(&format!("{}: {}\nWithout it: {harm}", clause.source(), clause.says()));
        let level = clause.level();
        let failure = format!(
            r#"            <failure message="no &quot;b&quot;" type="{level}">{details}
&lt;a&gt; &amp; &apos;b&apos;</failure>
"#
        );
        let skipped = "            <skipped message=\"not observable: nobody\"/>\n";
        let cases = [case(first, ""), case(second, &failure), case(third, skipped)].concat();
        let written = report(vec![
            result(first, Verdict::Pass, "→ hidden"),
            result(second, Verdict::Fail("no \"b\"".to_owned()), "<a> & 'b'"),
            result(third, Verdict::NotObservable("nobody".to_owned()), ""),
        ]);
        let expected = format!(
            r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="alongside check" tests="3" skipped="1" failures="1" errors="0" time="61.002">
    <testsuite name="{group}" tests="3" skipped="1" errors="0" failures="1">
{cases}    </testsuite>
</testsuites>
"#
        );
        assert_eq!(written, expected);
    }

    #[test]
    fn no_character_that_xml_forbids_is_written() {
        let hostile: String = (0..0x110_000).filter_map(char::from_u32).collect();
        let written = report(vec![result(0, Verdict::Fail(hostile.clone()), &hostile)]);
        let is_allowed = |c: char| {
            let is_space = matches!(c, '\t' | '\n' | '\r');
            is_space || matches!(c, ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
        };
        assert_eq!(written.chars().find(|c| !is_allowed(*c)), None);
        assert_eq!((written.matches('<').count(), written.matches('"').count() % 2), (13, 0));
        assert!(report(vec![result(0, Verdict::Fail("\u{1b}[31m".to_owned()), "")]).contains(r"\x1b[31m"));
    }
}
