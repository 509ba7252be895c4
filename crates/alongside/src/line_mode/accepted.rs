//! Prints the changes that were accepted without the person: by rules, and by grants.

use std::path::PathBuf;

use alongside_desk::review_model::CompanionState;
use alongside_desk::{harmless, messages};

/// Returns the list of these changes, the newest first; with a number, the diff of that entry.
pub(super) fn text(companion: &CompanionState, number: Option<usize>, roots: &[PathBuf]) -> String {
    let entries: Vec<_> = companion.accepted().iter().rev().collect();
    if let Some(number) = number {
        let Some(entry) = number.checked_sub(1).and_then(|at| entries.get(at)) else {
            return "Nothing in that list has that number; L shows it.".into();
        };
        let mut lines = vec![messages::acceptance(entry, roots)];
        lines.extend(entry.diff.lines().map(|line| harmless::name(line).into_owned()));
        lines.extend(entry.is_cut.then(|| "… the end is too long to be kept".to_owned()));
        return lines.join("\n");
    }
    let grants = companion.status().grants.iter().map(|grant| {
        let (place, agent) = (messages::granted_place(grant, roots), harmless::name(&grant.agent));
        format!("Accepted ahead, until {agent} ends: {place} (F - takes it back)")
    });
    let entry = |(at, entry): (usize, _)| format!("{}. {}", at + 1, messages::acceptance(entry, roots));
    let lines: Vec<_> = grants.chain(entries.iter().copied().enumerate().map(entry)).collect();
    match lines.is_empty() {
        true => messages::NOTHING_ACCEPTED.into(),
        false => lines.join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use alongside_desk::{ChangeKind, Grant, RuleAcceptance, Scope, Status};

    use super::*;

    #[test]
    fn accepted_changes_are_listed_harmless_and_shown_on_demand() {
        let mut companion = CompanionState::default();
        let roots = [PathBuf::from("/p")];
        assert_eq!(text(&companion, None, &roots), messages::NOTHING_ACCEPTED);
        let entry = RuleAcceptance {
            number: 1,
            agent: "Claude\x1b Code".into(),
            file: "/p/docs/a\x1b.md".into(),
            by: "rule docs/** (c.toml:2)".into(),
            added: 1,
            diff: "@@ -1,0 +1,1 @@\n+\x1b[8m\n".into(),
            ..RuleAcceptance::default()
        };
        let notice = companion.take_acceptance(entry.clone(), &roots).unwrap().text;
        let shown = r"docs/a\x1b.md (edit, +1 -0) by Claude\x1b Code, rule docs/** (c.toml:2)";
        assert_eq!(notice, format!("Accepted without you: {shown}. L lists it."));
        assert_eq!(
            companion.take_acceptance(entry, &roots),
            None,
            "the companion sends it again after an interruption"
        );
        let old =
            RuleAcceptance { number: 2, file: "/p/b".into(), is_earlier: true, ..RuleAcceptance::default() };
        assert_eq!(companion.take_acceptance(old, &roots), None);
        let grant = Grant { agent: "Codex".into(), path: "/p/docs".into(), scope: Scope::Folder };
        companion.take_status(Status { grants: vec![grant], ..Status::default() });
        let listed = text(&companion, None, &roots);
        let ahead = "Accepted ahead, until Codex ends: docs/ (F - takes it back)";
        assert_eq!(listed, format!("{ahead}\n1. b (edit, +0 -0) by , \n2. {shown}"));
        assert_eq!(text(&companion, Some(2), &roots), format!("{shown}\n@@ -1,0 +1,1 @@\n+\\x1b[8m"));
        let moved = RuleAcceptance {
            number: 3,
            file: "/p/docs/b".into(),
            from: Some("/p/src/b".into()),
            kind: ChangeKind::Move,
            ..RuleAcceptance::default()
        };
        let notice = companion.take_acceptance(moved, &roots).unwrap().text;
        assert!(notice.contains("docs/b (move from src/b, +0 -0)"), "{notice}");
        let part =
            RuleAcceptance { number: 4, file: "/p/docs/c".into(), parts: 2, ..RuleAcceptance::default() };
        assert!(
            companion
                .take_acceptance(part.clone(), &roots)
                .unwrap()
                .text
                .contains("none is written before all are")
        );
        let part = RuleAcceptance { is_broken_off: true, ..part };
        let notice = companion.take_acceptance(part.clone(), &roots).unwrap().text;
        assert_eq!(notice, "docs/c: not written, because its patch was broken off.");
        assert_eq!(companion.take_acceptance(part, &roots), None);
        assert!(
            text(&companion, None, &roots).contains("docs/c (edit, +0 -0) by , ; not written, because its")
        );
        assert_eq!(text(&companion, Some(5), &roots), "Nothing in that list has that number; L shows it.");
    }
}
