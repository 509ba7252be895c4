//! The guard of a hook: without its program, the agent continues, and the person reads the reason.

use alongside_contract::hook::Guard;

use super::*;

#[test]
fn an_entry_of_an_older_version_gets_its_guard_and_asks() {
    let wanted = guarded(COMMAND);
    let installed = |text: &str| with_write(Some(text), agent("claude"), &wanted).unwrap();
    let found = |text: &str| find_hook(text, agent("claude")).unwrap();
    for old in [with("{}\n"), with("{}\n").replace("/usr/bin/", ""), with("{}\n").replace("/usr/", "/old/")] {
        let hook = &found(&old)[0];
        assert!(!hook.asks_to_refuse(agent("claude")), "{old}");
        assert!(hook.can_ask_to_refuse(&before_write(), agent("claude"), &wanted));
        let now = installed(&old);
        assert_eq!(now, with_write(None, agent("claude"), &wanted).unwrap());
        assert!(found(&now)[0].asks_to_refuse(agent("claude")));
        assert!(is_empty(&without(&old)) && is_empty(&without(&now)), "{now}");
    }
    // Without a guard, a removed program would refuse every edit.
    assert!(!has_guard(COMMAND, agent("claude")) && has_guard(&wanted, agent("claude")));
    for one in alongside_contract::agents::with_hook() {
        let wants = one.hook.before_tool.on_failure.can_refuse() || one.hook.guard == Guard::AllInAnyShell;
        assert_eq!(has_guard(&command_line(Os::Linux, "alongside", one), one), wants, "{}", one.id);
    }
}

#[test]
fn a_persons_additions_stay_within_a_guard() {
    let wanted = guarded(COMMAND);
    let entry = |command: &str, more: &str| {
        let hook = serde_json::json!({ "command": command, "timeout": 3600 }).to_string();
        let hook = hook.replace('}', &format!("{more}}}"));
        format!("{{\"hooks\":{{\"PreToolUse\":[{{\"matcher\":\"Edit\",\"hooks\":[{hook}]}}]}}}}")
    };
    let installed = |text: &str| {
        let text = with_write(Some(text), agent("claude"), &wanted).unwrap();
        let mut found = find_hook(&text, agent("claude")).unwrap();
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(with_write(Some(&text), agent("claude"), &wanted).unwrap(), text);
        assert!(!without(&text).contains("alongside"), "{text}");
        found.remove(0)
    };
    let line = |line: &str| wanted.replace(&format!("exec {COMMAND}"), &format!("exec {line}"));
    // A line with words after the program gets a guard. A line with words before it stays as it is.
    let now = installed(&entry("/old/alongside hook claude --timeout 120", ""));
    assert_eq!(now.command, line("/usr/bin/alongside hook claude --timeout 120"));
    assert!(now.asks_to_refuse(agent("claude")));
    for theirs in ["nice /usr/bin/alongside hook claude", "alongside hook claude --timeout 120"] {
        let now = installed(&entry(theirs, ""));
        assert_eq!((now.command.as_str(), now.on_failure.as_deref()), (theirs, None));
    }
    // Words within a guard stay too.
    let theirs = line("nice /usr/bin/alongside hook claude 2>>/tmp/log");
    let now = installed(&entry(&theirs.replace("/usr/", "/old/"), ""));
    assert_eq!(now.command, theirs);
    assert!(now.asks_to_refuse(agent("claude")));
    let now = installed(&entry(COMMAND, ",\"onFailure\":\"continue\""));
    assert_eq!((now.command, now.on_failure.as_deref()), (wanted.clone(), Some("continue")));

    // The guard looks for the program that its line starts.
    let theirs = line("nice alongside hook claude");
    let now = installed(&entry(&theirs, ""));
    let looks = theirs.replace(" || test -f /usr/bin/alongside", "");
    assert_eq!(now.command, looks.replace("-v /usr/bin/alongside", "-v alongside"));
    // An older guard took a program that may not be executed for missing.
    let before = wanted.replace(" || test -f /usr/bin/alongside", "");
    assert!(before != wanted && has_guard(&before, agent("claude")));
    assert_eq!(installed(&entry(&before, "")).command, wanted);

    // A guard with another command is not ours.
    for other in [
        wanted.replacen("alongside >", "alongside; true >", 1),
        wanted.replace("; else", "; true; else"),
        wanted.replace("'; fi", "'; true; fi"),
        wanted.replace("echo '", "echo 'a' 'b"),
        wanted.replace("; fi", "; fi; rm x"),
        format!("true; {wanted}"),
    ] {
        assert!(!is_write(&other, agent("claude")), "{other}");
    }
}

#[test]
fn a_guard_is_recognised_wherever_the_program_is() {
    let claude = agent("claude");
    for place in ["R&D", "a;b", "a`b", "a$(b)", "a\nb", "it's", "a b", "a|b", "a #b"] {
        let program = format!("/opt/{place}/alongside");
        let wanted = command_line(Os::Linux, &program, claude);
        assert!(is_write(&wanted, claude) && has_guard(&wanted, claude), "{wanted}");
        let installed = with_write(None, claude, &wanted).unwrap();
        assert_eq!(with_write(Some(&installed), claude, &wanted).unwrap(), installed);
        assert!(find_hook(&installed, claude).unwrap()[0].asks_to_refuse(claude), "{installed}");
        assert!(is_empty(&without(&installed)), "{installed}");
    }
    let wanted = guarded(COMMAND);
    for other in ["`rm x`", "$(rm x)", "a; rm x;", "a & rm x"] {
        let other = wanted.replacen("/usr/bin/alongside >", &format!("{other} >"), 1);
        assert!(!is_write(&other, claude), "{other}");
    }
}

/// Runs the guard as the agent does.
#[cfg(unix)]
#[test]
fn a_guard_lets_only_a_missing_program_through() {
    use std::os::unix::fs::PermissionsExt as _;

    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("it's $HERE").join("alongside");
    let line = command_line(Os::HERE, program.to_str().unwrap(), agent("claude"));
    let runs = || std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
    let output = runs();
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(said["systemMessage"].as_str().unwrap().starts_with("Nobody reviewed this change"), "{said}");
    assert_eq!((said.as_object().unwrap().len(), output.status.code()), (1, Some(0)));

    std::fs::create_dir(program.parent().unwrap()).unwrap();
    for (script, code) in [
        ("#!/bin/sh\nkill -9 $$\n", None),
        ("#!/bin/sh\nexit 1\n", Some(1)),
        ("#!/nowhere/sh\n", Some(127)),
        ("\u{7f}ELF", Some(126)),
        ("#!/bin/sh\necho \"$@\"\n", Some(0)),
    ] {
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let output = runs();
        assert_eq!(output.status.code(), code, "{script:?}");
        let expected = if code == Some(0) { "hook claude\n" } else { "" };
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{script:?}");
    }
    // A program that may not be executed is not missing.
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o644)).unwrap();
    for shell in ["sh", "bash"] {
        if let Ok(output) = std::process::Command::new(shell).args(["-c", &line]).output() {
            assert_eq!((output.status.code(), output.stdout.len()), (Some(126), 0), "{shell}");
        }
    }
}

#[test]
fn an_entry_of_codex_without_a_guard_gets_one_in_its_place() {
    let codex = agent("codex");
    for hook in OurHook::ALL {
        let new = WantedHook::new(hook, codex, None, Os::Linux, "/a b/alongside");
        let line = format!("'/a b/alongside' {} codex", hook.argument());
        assert!(new.command.starts_with("/bin/sh -c '") && new.command.ends_with(&line), "{}", new.command);
        let old = WantedHook { command: line.clone(), ..new.clone() };
        let (before, now) = (with_hook(None, &old).unwrap(), with_hook(None, &new).unwrap());
        assert_eq!(with_hook(Some(&before), &new).unwrap(), now);
        assert_eq!(with_hook(Some(&now), &new).unwrap(), now, "the second time changes nothing");
        for text in [&before, &now] {
            let found = find_hook(text, codex).unwrap();
            assert!(found.iter().all(|found| found.hook == hook), "{found:?}");
            assert!(found.iter().all(|found| found.program(codex) == Some("'/a b/alongside'")), "{found:?}");
            assert!(is_empty(&without_hook(text, codex, None).unwrap()), "{text}");
        }
        // The person's additions stay.
        let theirs = |line: &str| with_hook(None, &WantedHook { command: line.to_owned(), ..new.clone() });
        let behind = theirs(&format!("{line} --runtime-dir /x")).unwrap();
        let now = with_hook(Some(&behind), &new).unwrap();
        let found = find_hook(&now, codex).unwrap().swap_remove(0);
        assert_eq!(found.command, format!("{} --runtime-dir /x", new.command));
        let niced = theirs(&format!("nice {line}")).unwrap();
        assert_eq!(with_hook(Some(&niced), &new).unwrap(), niced);
    }
}

#[test]
fn a_guard_of_codex_with_another_command_is_not_ours() {
    let codex = agent("codex");
    let line = command_line(Os::Linux, "/usr/bin/alongside", codex);
    assert!(is_write(&line, codex) && !is_write(&line, agent("claude")));
    for other in [
        line.replacen("then exec", "then rm x; exec", 1),
        line.replacen("Nobody", "$(rm x)", 1),
        line.replacen("Nobody", "`rm x`", 1),
        line.replacen("Nobody", "\"; rm x; \"", 1),
        line.replacen("Nobody", "'; rm x; '", 1),
        format!("{line}; rm x"),
        format!("true; {line}"),
        line.replace("/usr/bin/alongside hook", "/usr/bin/true /usr/bin/alongside hook"),
    ] {
        assert!(other != line && !is_write(&other, codex), "{other}");
    }
}

/// Runs the guard as the agent does, in the person's own shell.
#[cfg(unix)]
#[test]
fn codexs_guard_works_in_every_installed_shell() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = tempfile::tempdir().unwrap();
    for (number, place) in ["plain", "a b", "it's \"$HERE\"", r"\ \\ \' %a !x"].into_iter().enumerate() {
        let program = home.path().join(number.to_string()).join(place).join("alongside");
        let line = command_line(Os::HERE, program.to_str().unwrap(), agent("codex"));
        let runs = |shell: &str| {
            let mut command = std::process::Command::new(shell);
            command.args(["-lc", &line]).env("HOME", home.path()).env("XDG_CONFIG_HOME", home.path());
            command.output().map(|output| {
                let said = String::from_utf8_lossy(&output.stdout).into_owned();
                (said, String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
            })
        };
        let shells = ["sh", "dash", "bash", "zsh", "fish"];
        for shell in shells {
            let Ok((said, error, code)) = runs(shell) else { continue };
            let said: Value =
                serde_json::from_str(&said).unwrap_or_else(|_| panic!("{shell}: {said}{error}"));
            let said = said["systemMessage"].as_str().unwrap();
            assert!(said.starts_with("Nobody reviewed this change: ") && said.ends_with("Codex."), "{said}");
            assert_eq!((error.as_str(), code), ("", Some(0)), "{shell}");
        }
        std::fs::create_dir_all(program.parent().unwrap()).unwrap();
        for (script, expected, code) in
            [("echo \"$@\"", "hook codex\n", 0), ("echo no >&2; exit 2", "", 2), ("exit 1", "", 1)]
        {
            std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
            for shell in shells {
                let Ok((said, _, ended)) = runs(shell) else { continue };
                assert_eq!((said.as_str(), ended), (expected, Some(code)), "{shell}: {line}");
            }
        }
    }
}

#[test]
fn on_windows_each_agents_shell_reads_the_program() {
    let line = |id: &str, program: &str| command_line(Os::Windows, program, agent(id));
    let (plain, blank) = (r"C:\Users\ada\alongside.exe", r"C:\Users\Ada L\alongside.exe");
    // Git Bash takes a backslash for an escape, and PowerShell takes a quoted word for text.
    assert_eq!(line("claude", plain), "C:/Users/ada/alongside.exe hook claude");
    assert_eq!(line("claude", blank), "'C:/Users/Ada L/alongside.exe' hook claude");
    assert_eq!(line("gemini", plain), r"C:\Users\ada\alongside.exe hook gemini");
    assert_eq!(line("gemini", blank), r"& 'C:\Users\Ada L\alongside.exe' hook gemini");
    assert_eq!(line("gemini", r"C:\it's\alongside.exe"), r"& 'C:\it''s\alongside.exe' hook gemini");
    let curly = "C:\\it\u{2019}s\\alongside.exe";
    assert_eq!(line("gemini", curly), "& 'C:\\it\u{2019}\u{2019}s\\alongside.exe' hook gemini");
    // PowerShell takes a comma for a list, and `cmd` takes it for a blank.
    assert_eq!(line("gemini", r"C:\a,b\alongside.exe"), r"& 'C:\a,b\alongside.exe' hook gemini");
    assert_eq!(line("claude", r"C:\a,b\alongside.exe"), "'C:/a,b/alongside.exe' hook claude");
    assert_eq!(line("qwen", r"C:\a,b\alongside.exe"), r#""C:\a,b\alongside.exe" hook qwen"#);
    for id in ["qwen", "codex"] {
        assert_eq!(line(id, plain), format!(r"C:\Users\ada\alongside.exe hook {id}"));
        assert_eq!(line(id, blank), format!("\"C:\\Users\\Ada L\\alongside.exe\" hook {id}"));
    }
    for (one, program) in alongside_contract::agents::with_hook().flat_map(|one| [(one, plain), (one, blank)])
    {
        let command = command_line(Os::Windows, program, one);
        assert!(is_write(&command, one), "{command}");
        let text = with_write(None, one, &command).unwrap();
        let found = find_hook(&text, one).unwrap();
        let read = alongside_platform::shell::unquoted(Os::Windows, found[0].program(one).unwrap()).unwrap();
        assert_eq!(read.replace('/', "\\"), program, "{command}");
    }
}

#[test]
fn no_shell_of_windows_reads_a_program_whose_path_claude_would_have_to_quote() {
    let claude = agent("claude");
    let program = r"C:\Users\Ada L\alongside.exe";
    let wanted = |release, program| WantedHook::new(OurHook::Turn, claude, release, Os::Windows, program);
    let newest = Some((2, 1, 332));
    let text = with_hook(None, &wanted(newest, program)).unwrap();
    let content: Value = serde_json::from_str(&text).unwrap();
    let (entry, waiting) = (&content["hooks"]["UserPromptSubmit"], &content["hooks"]["Stop"]);
    let entry = &entry[0]["hooks"][0];
    assert_eq!(entry["command"], "C:/Users/Ada L/alongside.exe", "{text}");
    assert_eq!(entry["args"], serde_json::json!(["turn", "claude"]), "{text}");
    let waits = |entry: &Value| entry["hooks"][0]["args"] == serde_json::json!(["turn", "claude", "--wait"]);
    assert!(waiting.as_array().unwrap().iter().any(waits), "{text}");
    assert_eq!(with_hook(Some(&text), &wanted(newest, program)).unwrap(), text, "the second time");
    assert!(is_empty(&without(&text)), "{}", without(&text));
    assert_eq!(other_hooks(&text, claude, OurHook::Turn, newest).unwrap(), Vec::<String>::new());

    // Another path, and an older release, whose entry never has a list.
    let plain = with_hook(Some(&text), &wanted(newest, r"C:\alongside.exe")).unwrap();
    assert!(plain.contains("\"C:/alongside.exe turn claude\"") && !plain.contains("args"), "{plain}");
    assert_eq!(with_hook(Some(&plain), &wanted(newest, program)).unwrap().matches("args").count(), 4);
    for release in [None, Some((2, 1, 331))] {
        let text = with_hook(None, &wanted(release, program)).unwrap();
        assert!(
            text.contains("'C:/Users/Ada L/alongside.exe' turn claude") && !text.contains("args"),
            "{text}"
        );
    }
    // A person's own list, on any system.
    let theirs = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/a b/alongside",
        "args": ["turn", "claude", "--runtime-dir", "/x y"]}]}]}}"#;
    let found = find_hook(theirs, claude).unwrap();
    assert_eq!(
        (found.len(), found[0].has_argument_list, found[0].program(claude)),
        (1, true, Some("'/a b/alongside'"))
    );
    let kept = with_hook(Some(theirs), &wanted(None, "/b/alongside")).unwrap();
    assert!(kept.contains(r#""args": ["turn", "claude", "--runtime-dir", "/x y"]"#), "{kept}");
}

#[test]
fn names_that_the_command_prompt_would_replace_are_refused() {
    let install =
        |id, os, program| with_hook(None, &WantedHook::new(OurHook::Write, agent(id), None, os, program));
    let refused = install("qwen", Os::Windows, r"C:\%TEMP%\alongside.exe").unwrap_err();
    assert!(refused.contains("between two %"), "{refused}");
    assert!(install("qwen", Os::Windows, r"C:\100%\alongside.exe").unwrap().contains("100%"));
    assert!(install("gemini", Os::Windows, r"C:\%TEMP%\alongside.exe").unwrap().contains("& '"));
    assert!(install("qwen", Os::Linux, "/%TEMP%/alongside").is_ok());
}
