//! Reads typical settings, and checks that an edit leaves everything else as it is.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use alongside_contract::agent::Agent;

use super::*;

/// A person's machine: a home directory, a project, and the administrator's settings.
struct Machine {
    directory: tempfile::TempDir,
    variables: HashMap<String, String>,
}

impl Machine {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        for below in ["home", "project", "etc"] {
            fs::create_dir(directory.path().join(below)).unwrap();
        }
        let etc = |name: &str| directory.path().join("etc").join(name).to_str().unwrap().to_owned();
        let variables = HashMap::from([
            ("GEMINI_CLI_SYSTEM_SETTINGS_PATH".to_owned(), etc("gemini.json")),
            ("QWEN_CODE_SYSTEM_SETTINGS_PATH".to_owned(), etc("qwen.json")),
        ]);
        Self { directory, variables }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.directory.path().join(below)
    }

    fn with(self, below: &str, text: &str) -> Self {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn trusting(self) -> Self {
        let rules = format!(r#"{{ {:?}: "TRUST_FOLDER" }}"#, self.path("project"));
        self.with("home/.gemini/trustedFolders.json", &rules)
    }

    fn here(&self) -> Surroundings {
        Surroundings {
            tmp: self.path("tmp"),
            home: self.path("home"),
            variables: self.variables.clone(),
            cwd: self.path("project"),
            pid: std::process::id(),
        }
    }

    fn settings(&self, agent: &str, release: Option<Release>) -> Settings {
        Settings::of(Agent::of_command(agent).unwrap(), release, &self.here()).unwrap()
    }

    fn let_review(
        &self,
        setting: Setting,
        agent: &str,
        release: Option<Release>,
    ) -> Result<Option<Edit>, Error> {
        let_review_after(setting, Agent::of_command(agent).unwrap(), release, &self.here(), |_| None)
    }

    fn switch_on(&self, agent: &str, release: Option<Release>) -> Option<Edit> {
        self.let_review(Setting::IdeMode, agent, release).unwrap()
    }
}

/// Takes back an edit of `before`, which made `made` of it, in a file that is `now`.
fn back(agent: &str, before: Option<&str>, made: &str, now: &str) -> Option<String> {
    take_back(Agent::of_command(agent).unwrap(), Path::new("x"), (before, made), now).unwrap()
}

fn value(text: &str) -> serde_json::Value {
    json::Reader::ANY.object(text).unwrap()
}

fn file(machine: &Machine, below: &str) -> Option<Source> {
    Some(Source::File(machine.path(below)))
}

#[test]
fn without_files_each_family_has_its_defaults() {
    let machine = Machine::new();
    let gemini = machine.settings("gemini", None);
    assert_eq!(gemini.ide_enabled, Effective { value: false, source: None });
    assert_eq!(gemini.approval_mode.value, ApprovalMode::Default);
    assert_eq!((gemini.folder_trust.value, gemini.trust.value), (true, Trust::Undecided));
    assert_eq!(gemini.user_file, machine.path("home/.gemini/settings.json"));

    let qwen = machine.settings("qwen", None);
    assert_eq!((qwen.approval_mode.value, qwen.trust.value), (ApprovalMode::Auto, Trust::Trusted));
    let older = machine.settings("qwen", Some((0, 12, 0)));
    assert_eq!(older.approval_mode.value, ApprovalMode::Default);
    assert!(!machine.settings("gemini", Some((0, 27, 4))).folder_trust.value);
}

#[test]
fn administrator_overrides_project_and_project_overrides_person() {
    let machine = Machine::new()
        .trusting()
        .with("etc/system-defaults.json", r#"{"ide": {"enabled": false}}"#)
        .with("home/.gemini/settings.json", "{\"ide\": {\"enabled\": true} // for alongside\n}");
    let enabled = |machine: &Machine| machine.settings("gemini", None).ide_enabled;
    let on = Effective { value: true, source: file(&machine, "home/.gemini/settings.json") };
    assert_eq!(enabled(&machine), on);
    let machine = machine.with("project/.gemini/settings.json", r#"{"ide": {"enabled": false}}"#);
    let off = Effective { value: false, source: file(&machine, "project/.gemini/settings.json") };
    assert_eq!(enabled(&machine), off);
    let machine = machine.with("etc/gemini.json", r#"{"ide": {"enabled": true}}"#);
    assert_eq!(enabled(&machine), Effective { value: true, source: file(&machine, "etc/gemini.json") });
}

#[test]
fn an_untrusted_folder_ignores_project_settings() {
    let machine = Machine::new()
        .with("home/.gemini/settings.json", r#"{"general": {"defaultApprovalMode": "auto_edit"}}"#)
        .with("project/.gemini/settings.json", r#"{"ide": {"enabled": true}}"#);
    let settings = machine.settings("gemini", None);
    assert_eq!(settings.trust.value, Trust::Undecided);
    assert!(!settings.ide_enabled.value && settings.approval_mode.value.opens_diffs());

    let machine = machine.trusting();
    let settings = machine.settings("gemini", None);
    assert_eq!(settings.trust.source, file(&machine, "home/.gemini/trustedFolders.json"));
    assert!(settings.ide_enabled.value);
    let mode =
        Effective { value: ApprovalMode::AutoEdit, source: file(&machine, "home/.gemini/settings.json") };
    assert_eq!(settings.approval_mode, mode);
    assert!(!settings.approval_mode.value.opens_diffs());

    let mut machine = machine;
    machine.variables.insert("GEMINI_CLI_TRUST_WORKSPACE".into(), "false".into());
    let trust = machine.settings("gemini", None).trust;
    assert_eq!(
        trust,
        Effective { value: Trust::Untrusted, source: Some(Source::Variable("GEMINI_CLI_TRUST_WORKSPACE")) }
    );
}

#[test]
fn the_deepest_then_the_stricter_trust_rule_applies() {
    let machine = Machine::new().with("home/.gemini/trustedFolders.json", "");
    let rules = |text: String| {
        fs::write(machine.path("home/.gemini/trustedFolders.json"), text).unwrap();
        machine.settings("gemini", None).trust.value
    };
    let path = |below: &str| format!("{:?}", machine.path(below));
    assert_eq!(rules(format!("{{{}: \"TRUST_PARENT\"}}", path("other"))), Trust::Trusted);
    let denied = format!("{{{}: \"TRUST_FOLDER\", {}: \"DO_NOT_TRUST\"}}", path(""), path("project"));
    assert_eq!(rules(denied), Trust::Untrusted);
    let again = format!("{{{}: \"DO_NOT_TRUST\", {}: \"TRUST_FOLDER\"}}", path(""), path("project"));
    assert_eq!(rules(again), Trust::Trusted);
    let both = format!("{{{}: \"DO_NOT_TRUST\", {}: \"TRUST_PARENT\"}}", path("project"), path("project/x"));
    assert_eq!(rules(both), Trust::Untrusted);
    assert_eq!(rules(format!("{{{}: \"TRUST_FOLDER\"}}", path("home"))), Trust::Undecided);
}

#[test]
fn old_names_apply_to_the_releases_that_read_them() {
    let machine = Machine::new().with("home/.gemini/settings.json", r#"{"ideMode": true}"#);
    for (release, on) in [((0, 2, 2), true), ((0, 8, 2), true), ((0, 27, 4), false)] {
        assert_eq!(machine.settings("gemini", Some(release)).ide_enabled.value, on, "{release:?}");
    }
    assert!(!machine.settings("gemini", None).ide_enabled.value);

    let machine = machine.with("home/.qwen/settings.json", r#"{"ideMode": true, "approvalMode": "yolo"}"#);
    let settings = machine.settings("qwen", None);
    assert!(settings.ide_enabled.value && settings.approval_mode.value == ApprovalMode::Yolo);
    let machine = machine.with("home/.qwen/settings.json", r#"{"$version": 3, "ideMode": true}"#);
    assert!(!machine.settings("qwen", None).ide_enabled.value);
}

#[test]
fn gemini_never_takes_yolo_from_a_file_and_qwen_does() {
    let file = r#"{"tools": {"approvalMode": "yolo"}, "security": {"folderTrust": {"enabled": false}}}"#;
    let machine =
        Machine::new().with("home/.gemini/settings.json", file).with("home/.qwen/settings.json", file);
    assert_eq!(machine.settings("gemini", None).approval_mode.value, ApprovalMode::Default);
    assert_eq!(machine.settings("qwen", None).approval_mode.value, ApprovalMode::Yolo);
}

#[test]
fn variables_move_the_files_and_are_replaced_in_them() {
    let mut machine = Machine::new()
        .with("elsewhere/settings.json", r#"{"tools": {"approvalMode": "${MODE:-plan}"}}"#)
        .with("other/.gemini/settings.json", r#"{"ide": {"enabled": true}}"#);
    machine.variables.insert("QWEN_HOME".into(), "../elsewhere".into());
    machine.variables.insert("GEMINI_CLI_HOME".into(), machine.path("other").display().to_string());
    assert_eq!(machine.settings("qwen", None).approval_mode.value, ApprovalMode::Plan);
    machine.variables.insert("MODE".into(), "auto_edit".into());
    assert_eq!(machine.settings("qwen", None).approval_mode.value, ApprovalMode::AutoEdit);
    assert!(machine.settings("gemini", None).ide_enabled.value);
    assert!(!machine.settings("gemini", Some((0, 27, 4))).ide_enabled.value, "0.27 does not read it yet");
}

#[test]
fn at_home_the_persons_file_is_not_also_the_projects() {
    let machine = Machine::new().with("home/.gemini/settings.json", r#"{"ide": {"enabled": true}}"#);
    let mut here = machine.here();
    here.cwd = here.home.clone();
    let settings = Settings::of(Agent::of_command("gemini").unwrap(), None, &here).unwrap();
    assert_eq!(settings.ide_enabled.source, file(&machine, "home/.gemini/settings.json"));
}

#[test]
fn a_file_that_the_agent_cannot_read_is_reported_with_the_line() {
    let machine =
        Machine::new().with("home/.gemini/settings.json", "{\n  \"ide\": {\"enabled\": true,},\n}\n");
    let settings = machine.settings("gemini", None);
    assert_eq!(settings.broken.len(), 1);
    assert!(settings.broken[0].1.contains("line 2"), "{}", settings.broken[0].1);
    assert!(!settings.ide_enabled.value);

    let error = machine.let_review(Setting::IdeMode, "gemini", None).unwrap_err();
    assert!(error.to_string().contains("line 2"), "{error}");
    let machine = machine.with("home/.gemini/settings.json", r#"{"ide": true}"#);
    let error = machine.let_review(Setting::IdeMode, "gemini", None).unwrap_err();
    assert!(error.to_string().contains("\"ide\""), "{error}");
}

#[test]
fn switching_on_changes_one_key_and_leaves_every_other_byte() {
    let cases = [
        (None, "{\n  \"ide\": {\n    \"enabled\": true\n  }\n}\n"),
        (Some("{}"), "{\n  \"ide\": {\n    \"enabled\": true\n  }\n}"),
        (
            Some(
                "{\n    // mine\n    \"ide\": { \"hasSeenNudge\": true, \"enabled\": false }, /* b */\n\
                 \x20   \"z\": [1,2]\n}\n",
            ),
            "{\n    // mine\n    \"ide\": { \"hasSeenNudge\": true, \"enabled\": true }, /* b */\n\
             \x20   \"z\": [1,2]\n}\n",
        ),
        (
            Some("{\n\t\"ui\": {\"theme\": \"x\"} // last\n}\n"),
            "{\n\t\"ui\": {\"theme\": \"x\"}, // last\n\t\"ide\": {\n\t\t\"enabled\": true\n\t}\n}\n",
        ),
        (
            Some("{\r\n  \"a\": 1\r\n}\r\n"),
            "{\r\n  \"a\": 1,\r\n  \"ide\": {\r\n    \"enabled\": true\r\n  }\r\n}\r\n",
        ),
    ];
    for (before, after) in cases {
        let machine = Machine::new();
        let machine = before.into_iter().fold(machine, |it, text| it.with("home/.qwen/settings.json", text));
        let edit = machine.switch_on("qwen", None).unwrap();
        assert_eq!((edit.before.as_deref(), edit.after.as_str()), (before, after));
        let machine = machine.with("home/.qwen/settings.json", &edit.after);
        assert_eq!(machine.switch_on("qwen", None), None, "a second time there is nothing to do");
        assert!(machine.settings("qwen", None).ide_enabled.value);
        let back = back("qwen", before, &edit.after, &edit.after);
        assert_eq!(back.as_deref().map(value), before.map(value), "{back:?}");
    }
}

#[test]
fn of_two_settings_with_one_key_the_last_is_read_and_changed() {
    for (before, after) in [
        (
            r#"{"ide": {"enabled": true}, "ide": {"enabled": false}}"#,
            r#"{"ide": {"enabled": true}, "ide": {"enabled": true}}"#,
        ),
        (r#"{"ide": {"enabled": true, "enabled": false}}"#, r#"{"ide": {"enabled": true, "enabled": true}}"#),
        (r#"{"ide": 1, "ide": {"enabled": false}}"#, r#"{"ide": 1, "ide": {"enabled": true}}"#),
    ] {
        let machine = Machine::new().with("home/.qwen/settings.json", before);
        assert!(!machine.settings("qwen", None).ide_enabled.value, "{before}");
        let edit = machine.switch_on("qwen", None).unwrap();
        assert_eq!(edit.after, after);
        let machine = machine.with("home/.qwen/settings.json", after);
        assert!(machine.settings("qwen", None).ide_enabled.value, "{after}");
        let later = after.replace("{\"ide\"", "{\"a\": 1, \"ide\"");
        assert_eq!(
            back("qwen", Some(before), after, &later).unwrap(),
            before.replacen("{\"ide\"", "{\"a\": 1, \"ide\"", 1)
        );
    }
}

#[test]
fn a_byte_order_mark_is_read_as_the_agent_does_and_stays() {
    let text = "\u{feff}{\n  \"tools\": {\n    \"approvalMode\": \"yolo\"\n  }\n}\n";
    let qwen = Machine::new().with("home/.qwen/settings.json", text);
    assert_eq!(qwen.settings("qwen", None).approval_mode.value, ApprovalMode::Yolo);
    assert_eq!(qwen.settings("qwen", Some((0, 12, 0))).broken.len(), 1, "this release does not read it");
    let edit = qwen.switch_on("qwen", None).unwrap();
    assert!(edit.after.starts_with("\u{feff}{\n  \"tools\"") && edit.after.contains("\"ide\""), "{edit:?}");
    assert_eq!(back("qwen", Some(text), &edit.after, &edit.after).unwrap(), text);

    let claude = Machine::new().with("home/.claude.json", "\u{feff}{\"autoConnectIde\": false}");
    assert_eq!(claude.switch_on("claude", None).unwrap().after, "\u{feff}{\"autoConnectIde\": true}");
    let gemini = Machine::new().with("home/.gemini/settings.json", "\u{feff}{}");
    let settings = gemini.settings("gemini", None);
    assert!(settings.broken[0].1.contains("byte-order mark"), "{:?}", settings.broken);
    let error = gemini.let_review(Setting::IdeMode, "gemini", None).unwrap_err();
    assert!(error.to_string().contains("save it without one"), "{error}");
}

#[test]
fn old_setting_names_are_switched_on_as_well() {
    let machine = Machine::new().with("home/.gemini/settings.json", r#"{"ideMode": false}"#);
    let edit = machine.switch_on("gemini", Some((0, 8, 2))).unwrap();
    let machine = machine.with("home/.gemini/settings.json", &edit.after);
    assert!(machine.settings("gemini", Some((0, 8, 2))).ide_enabled.value);
    assert!(machine.settings("gemini", None).ide_enabled.value);

    let edit = Machine::new().switch_on("gemini", Some((0, 2, 2))).unwrap();
    assert_eq!(edit.after, "{\n  \"ideMode\": true\n}\n");
}

#[test]
fn taking_back_leaves_what_others_have_changed_since() {
    let ours = "{\"ide\": {\"enabled\": true}}";
    let back = |before: Option<&str>, now: &str| back("qwen", before, ours, now);
    let now = "{\n  \"a\": 1, // one\n  \"ide\": {\n    \"enabled\": true\n  },\n  \"$version\": 3\n}\n";
    assert_eq!(back(Some("{\"a\": 1}"), now).unwrap(), "{\n  \"a\": 1, // one\n  \"$version\": 3\n}\n");
    assert_eq!(back(None, "{\"ide\": {\"enabled\": true}}"), None, "nothing is left of a file of ours");
    let off = "{\"ide\": {\"enabled\": false}}";
    assert_eq!(back(None, off).unwrap(), off, "the person has switched it off");
    let more = "{\"ide\": {\"enabled\": true, \"hasSeenNudge\": true}}";
    assert!(back(Some("{}"), more).unwrap().contains("hasSeenNudge"));
    let was_off = "{\"ide\": {\"enabled\": false}, \"b\": 2}";
    assert!(back(Some(off), "{\"ide\": {\"enabled\": true}, \"b\": 2}").unwrap() == was_off);
}

#[test]
fn the_approval_mode_is_set_and_taken_back_on_its_own() {
    for before in [None, Some("{\n  \"tools\": {\n    \"approvalMode\": \"auto\"\n  }\n}\n")] {
        let machine = Machine::new();
        let machine = before.into_iter().fold(machine, |it, text| it.with("home/.qwen/settings.json", text));
        assert_eq!(machine.settings("qwen", None).approval_mode.value, ApprovalMode::Auto);
        let edit = machine.let_review(Setting::ApprovalMode, "qwen", None).unwrap().unwrap();
        assert_eq!(edit.summary, "tools.approvalMode = \"default\"");
        assert_eq!(edit.after, "{\n  \"tools\": {\n    \"approvalMode\": \"default\"\n  }\n}\n");
        let machine = machine.with("home/.qwen/settings.json", &edit.after);
        assert_eq!(machine.settings("qwen", None).approval_mode.value, ApprovalMode::Default);
        assert_eq!(machine.let_review(Setting::ApprovalMode, "qwen", None).unwrap(), None);

        let more = edit.after.replace("{\n  \"tools\"", "{\n  \"a\": 1,\n  \"tools\"");
        let back = back("qwen", before, &edit.after, &more).unwrap();
        let expected = before.map_or("{\n  \"a\": 1\n}\n".to_owned(), |before| {
            before.replace("{\n  \"tools\"", "{\n  \"a\": 1,\n  \"tools\"")
        });
        assert_eq!(value(&back), value(&expected), "{back}");
    }
    // The person chose this mode, and only IDE mode was switched on.
    let (before, ours) = ("{\"tools\": {\"approvalMode\": \"auto\"}}", "{\"ide\": {\"enabled\": true}}");
    let now = "{\"tools\": {\"approvalMode\": \"default\"}, \"ide\": {\"enabled\": true}}";
    let ours = format!("{{\"tools\": {{\"approvalMode\": \"auto\"}}, {}", &ours[1..]);
    let back = back("qwen", Some(before), &ours, now).unwrap();
    assert_eq!(value(&back), value("{\"tools\": {\"approvalMode\": \"default\"}}"));
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_projects_settings_does_not_block() {
    let machine = Machine::new().trusting().with("project/.gemini/x", "");
    let pipe = machine.path("project/.gemini/settings.json");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let settings = machine.settings("gemini", None);
    assert!(settings.broken.iter().any(|(path, _)| *path == pipe), "{:?}", settings.broken);
}

/// A settings file holds the mode. Another file, which also holds the whole history, decides whether the
/// agent connects.
#[test]
fn claude_keeps_its_settings_in_two_files() {
    let machine = Machine::new();
    let now = machine.settings("claude", None);
    assert_eq!((now.ide_enabled.value, now.approval_mode.value), (false, ApprovalMode::Auto));
    assert_eq!(machine.settings("claude", Some((2, 1, 281))).approval_mode.value, ApprovalMode::Default);

    let history = "{\n  \"numStartups\": 3,\n  \"projects\": {\"/p\": {\"history\": [\"a\"]}}\n}\n";
    let machine = machine
        .with("home/.claude.json", history)
        .with("home/.claude/settings.json", r#"{ "permissions": { "allow": ["Read"] } }"#);
    let edit = machine.switch_on("claude", None).unwrap();
    assert_eq!(edit.path, machine.path("home/.claude.json"));
    assert_eq!(edit.after, history.replace("}}\n}", "}},\n  \"autoConnectIde\": true\n}"));
    let asks = machine.let_review(Setting::ApprovalMode, "claude", None).unwrap().unwrap();
    assert_eq!(asks.path, machine.path("home/.claude/settings.json"));
    assert!(
        asks.after.contains(r#""allow": ["Read"]"#) && asks.after.contains(r#""defaultMode": "default""#)
    );

    let later = edit.after.replace("3", "4");
    assert_eq!(back("claude", Some(history), &edit.after, &later).unwrap(), history.replace("3", "4"));

    let machine = machine
        .with("home/.claude.json", &edit.after)
        .with("project/.claude/settings.json", r#"{"permissions":{"defaultMode":"acceptEdits"}}"#);
    assert!(machine.settings("claude", None).ide_enabled.value);
    assert_eq!(machine.settings("claude", None).approval_mode.value, ApprovalMode::AutoEdit);
    let mut machine =
        machine.with("project/.claude/settings.local.json", r#"{"permissions":{"defaultMode":"default"}}"#);
    assert_eq!(machine.settings("claude", None).approval_mode.value, ApprovalMode::Default);
    let elsewhere = machine.path("elsewhere").to_str().unwrap().to_owned();
    machine.variables.insert("CLAUDE_CONFIG_DIR".to_owned(), elsewhere);
    assert!(!machine.settings("claude", None).ide_enabled.value);
}
