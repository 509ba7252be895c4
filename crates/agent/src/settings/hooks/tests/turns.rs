//! The turn hook, with and without the hook before each write.

use super::*;

const TURN: &str = "/usr/bin/alongside turn claude";

fn of_turns(agent: HookAgent, release: Option<Release>) -> WantedHook {
    WantedHook::new(OurHook::Turn, agent, release, Os::Linux, "/usr/bin/alongside")
}

fn hooks_in(text: &str, agent: HookAgent) -> Vec<(OurHook, String)> {
    let found = find_hook(text, agent).unwrap().into_iter();
    found.map(|found| (found.hook, found.event)).collect()
}

#[test]
fn a_turn_has_an_entry_for_its_prompt_and_one_for_each_end() {
    let text = with_hook(None, &of_turns(agent("claude"), Some((2, 1, 331)))).unwrap();
    let entry = r#"[
      {
        "hooks": [
          {
            "type": "command",
            "command": "/usr/bin/alongside turn claude",
            "timeout": 10
          }
        ]
      }
    ]"#;
    let events = ["UserPromptSubmit", "Stop", "StopFailure"];
    let entries = events.map(|event| format!("    \"{event}\": {entry}"));
    assert_eq!(text, format!("{{\n  \"hooks\": {{\n{}\n  }}\n}}\n", entries.join(",\n")));
    for one in alongside_contract::agents::with_hook().filter(|one| OurHook::Turn.is_run_by(*one)) {
        let wanted = of_turns(one, None);
        let text = with_hook(None, &wanted).unwrap();
        assert_eq!(with_hook(Some(&text), &wanted).unwrap(), text, "the second time changes nothing");
        let found = find_hook(&text, one).unwrap();
        assert_eq!(found.len(), wanted.registrations().len());
        for (found, entry) in found.iter().zip(&wanted.registrations()) {
            assert!(
                found.hook == OurHook::Turn && found.event == entry.event && found.covers_tools_of(entry)
            );
            assert_eq!((found.matcher.as_deref(), found.limit(one)), (None, Duration::from_secs(10)));
            assert!(found.time_budget(one) < found.limit(one), "{}", one.id);
        }
        let EntryShape::Groups { is_named } = one.hook.entries;
        assert_eq!(text.contains("\"name\": \"alongside-turn\""), is_named, "{text}");
        assert!(is_empty(&without_hook(&text, one, None).unwrap()), "{text}");
    }
}

/// A release that ignores the field would block its person for hours.
#[test]
fn the_waiting_hook_is_installed_only_for_releases_that_do_not_wait_for_it() {
    let claude = agent("claude");
    let old = of_turns(claude, Some((2, 1, 331)));
    let new = of_turns(claude, Some((2, 1, 332)));
    let before = with_hook(None, &old).unwrap();
    let text = with_hook(Some(&before), &new).unwrap();
    assert_eq!(with_hook(None, &new).unwrap().len(), text.len());
    assert_eq!(with_hook(Some(&text), &new).unwrap(), text, "the second time changes nothing");
    let json: Value = serde_json::from_str(&text).unwrap();
    let waits = &json["hooks"]["Stop"][1]["hooks"][0];
    let expected = serde_json::json!({ "type": "command", "command": format!("{TURN} --wait"),
        "timeout": 28_800, "asyncRewake": true });
    assert_eq!(*waits, expected, "{text}");
    let found = find_hook(&text, claude).unwrap();
    assert_eq!(found.iter().filter(|found| found.is_waiter).count(), 1);
    assert_eq!(with_hook(Some(&text), &old).unwrap(), before, "after a downgrade it goes");

    // A person's additions and an older program are distinguished from our argument.
    let moved =
        text.replace("/usr/bin/alongside turn claude --wait", "nice /old/alongside turn claude --wait");
    let now = with_hook(Some(&moved), &new).unwrap();
    assert_eq!(now, text.replace(&format!("{TURN} --wait"), &format!("nice {TURN} --wait")));
    let blocking = text.replace(",\n            \"asyncRewake\": true", "");
    assert_ne!(blocking, text);
    assert_eq!(with_hook(Some(&blocking), &new).unwrap(), text);
    assert!(is_empty(&without_hook(&text, claude, None).unwrap()), "{text}");
}

/// An older Claude Code ignores the whole file, together with the hook before each write.
#[test]
fn an_event_that_a_release_does_not_know_is_not_in_its_settings() {
    let claude = agent("claude");
    let new = with_hook(None, &of_turns(claude, Some((2, 1, 78)))).unwrap();
    for release in [Some((2, 1, 77)), None] {
        let text = with_hook(None, &of_turns(claude, release)).unwrap();
        assert!(!text.contains("StopFailure"), "{text}");
        // After a downgrade, an installation removes the entry.
        assert_eq!(with_hook(Some(&new), &of_turns(claude, release)).unwrap(), text);
    }
}

#[test]
fn each_hook_is_installed_and_updated_without_the_other() {
    for one in alongside_contract::agents::with_hook() {
        let write = WantedHook::new(OurHook::Write, one, None, Os::Linux, "/usr/bin/alongside");
        let turn = of_turns(one, None);
        for (first, second) in [(&write, &turn), (&turn, &write)] {
            let alone = with_hook(Some("{\n  // mine\n}\n"), first).unwrap();
            let both = with_hook(Some(&alone), second).unwrap();
            assert_eq!(
                hooks_in(&both, one).len(),
                first.registrations().len() + second.registrations().len()
            );
            for wanted in [first, second] {
                let old = both.replace(
                    &format!("/usr/bin/alongside {}", wanted.hook.argument()),
                    &format!("/old/alongside {}", wanted.hook.argument()),
                );
                assert_ne!(old, both);
                assert_eq!(with_hook(Some(&old), wanted).unwrap(), both, "the other one stays");
            }
            assert_eq!(without_hook(&both, one, None).unwrap(), "{\n  // mine\n}\n");
        }
    }
}

#[test]
fn entries_that_a_person_wrote_or_changed_are_recognised() {
    let claude = agent("claude");
    let by_hand = r#"{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command":
        "alongside turn claude"}, {"type": "command", "command": "mine"}]}], "Stop": []}}"#;
    assert_eq!(hooks_in(by_hand, claude), [(OurHook::Turn, "UserPromptSubmit".to_owned())]);
    let text = with_hook(Some(by_hand), &of_turns(claude, None)).unwrap();
    assert_eq!(text.matches(TURN).count(), 2, "{text}");
    assert!(text.contains("mine") && !text.contains("matcher"), "{text}");
    let rest = without_hook(&text, claude, Some(by_hand)).unwrap();
    assert!(rest.contains("mine") && rest.contains("Stop") && !rest.contains("alongside"), "{rest}");

    let installed = with_hook(None, &of_turns(claude, None)).unwrap();
    let nice = installed.replace(TURN, &format!("nice {TURN}"));
    assert_eq!(with_hook(Some(&nice), &of_turns(claude, None)).unwrap(), nice);
    for (line, hook) in [
        ("alongside turn claude", Some(OurHook::Turn)),
        ("alongside hook claude", Some(OurHook::Write)),
        ("alongside turns claude", None),
        ("alongside turn codex", None),
        ("alongside turn claude; rm x", None),
    ] {
        assert_eq!(hook_of(line, claude), hook, "{line}");
    }
}

#[test]
fn each_hook_has_its_own_switch_and_its_own_other_hooks() {
    let gemini = agent("gemini");
    let disabled = r#"{"hooksConfig": {"disabled": ["alongside-turn"]}}"#;
    assert_eq!(switched_off_by(disabled, gemini, OurHook::Turn), Some("hooksConfig.disabled"));
    assert_eq!(switched_off_by(disabled, gemini, OurHook::Write), None);
    let text = r#"{"hooks": {"BeforeTool": [{"hooks": [{"command": "at a tool"}]}],
        "AfterAgent": [{"hooks": [{"command": "at an end"}, {"command": "alongside turn gemini"}]}]}}"#;
    assert_eq!(other_hooks(text, gemini, OurHook::Turn, None).unwrap(), ["at an end"]);
    assert_eq!(other_hooks(text, gemini, OurHook::Write, None).unwrap(), ["at a tool"]);
}
