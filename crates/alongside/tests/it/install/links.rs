//! Links: `install` and `uninstall` do not write through links that a repository may hold, and follow links
//! of the person.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;

use insta::assert_snapshot;

use super::machine::{LANGUAGES, OLD_HELIX};
use crate::support::{CommandResult, Home, mode_of, set_mode, write_file};

/// The file of Claude Code's hooks in a project.
const SETTINGS: &str = ".claude/settings.local.json";
/// The command that installs a hook of the project.
const HOOK: [&str; 5] = ["install", "claude", "--project", "--hook", "--yes"];

/// Asserts that an installation changes nothing. Returns its output without the preview: the link and its
/// target.
fn refuses(home: &Home, install: &str) -> String {
    let before = home.all_files();
    let said = home.run_with_path(&install.split(' ').collect::<Vec<_>>());
    assert!(home.all_files() == before && !said.status.success(), "{}", said.all_output());
    CommandResult { out: String::new(), ..said }.to_string()
}

#[test]
fn a_copy_is_written_through_no_link() {
    let mut said = BTreeSet::new();
    // A clone may hold the link. Its target may be a file or missing.
    for exists in [false, true] {
        let home = Home::new();
        home.file(SETTINGS, "{}\n");
        let profile = home.in_home(".bash_profile");
        if exists {
            fs::write(&profile, "mine\n").unwrap();
        }
        symlink(&profile, home.project.join(format!("{SETTINGS}.before-alongside"))).unwrap();
        said.insert(home.stable(refuses(&home, &HOOK.join(" "))));
        assert_eq!(fs::read_to_string(home.project.join(SETTINGS)).unwrap(), "{}\n");
    }
    // The same link in the home directory is not followed either.
    let home = Home::with_program("hx", OLD_HELIX);
    for (file, text, install) in [
        (".codex/hooks.json", "{}\n", "install codex --hook --yes"),
        (".config/helix/languages.toml", LANGUAGES, "install helix --yes"),
    ] {
        home.writes(file, text);
        symlink("gone", home.in_home(&format!("{file}.before-alongside"))).unwrap();
        said.insert(home.stable(refuses(&home, install)));
    }
    assert_snapshot!(said.into_iter().collect::<String>());
}

#[test]
fn no_link_of_a_project_is_followed() {
    // The output is the same for each agent and with --dry-run.
    let mut said = BTreeSet::new();
    for (agent, name, directory, file) in [
        ("claude", "Claude Code", ".claude", "settings.local.json"),
        ("codex", "Codex", ".codex", "hooks.json"),
        ("gemini", "Gemini CLI", ".gemini", "settings.json"),
        ("qwen", "Qwen Code", ".qwen", "settings.json"),
    ] {
        let both = |home: &Home| {
            ["--yes", "--dry-run"].map(|how| {
                let refused = refuses(home, &format!("install {agent} --project --hook {how}"));
                let refused = refused.replace(name, "[AGENT]").replace(directory, "[DIRECTORY]");
                home.stable(refused.replace(file, "[FILE]"))
            })
        };

        // The directory of the settings is a link.
        let home = Home::new();
        symlink(home.directory("home/elsewhere"), home.project.join(directory)).unwrap();
        said.extend(both(&home));

        // The settings belong to another program, or the file does not exist.
        for target in ["other.json", "none.json"] {
            let home = Home::new();
            home.writes("other.json", "{\n  \"theirs\": 1\n}\n");
            home.file(&format!("{directory}/x"), "");
            symlink(home.in_home(target), home.project.join(directory).join(file)).unwrap();
            said.extend(both(&home));
            assert_eq!(fs::read_dir(home.project.join(directory)).unwrap().count(), 2);
        }
    }
    assert_snapshot!(said.into_iter().collect::<String>());
}

#[test]
fn a_link_into_dotfiles_is_followed_and_shown() {
    let line = "  link     ~/.claude/settings.json leads to ~/dotfiles/claude/settings.json, which changes\n";
    for linked in [".claude", ".claude/settings.json"] {
        let home = Home::new();
        let theirs = "{\n  // mine\n  \"x\": 1\n}\n";
        let dotfile = home.in_home("dotfiles").join(linked.trim_start_matches('.'));
        let real = if linked == ".claude" { dotfile.join("settings.json") } else { dotfile.clone() };
        write_file(&real, theirs);
        let link = home.in_home(linked);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(&dotfile, &link).unwrap();
        let installed = home.succeeds(&["install", "claude", "--hook", "--yes"]);
        assert!(installed.contains(line), "{installed}");
        assert!(link.is_symlink() && fs::read_to_string(&real).unwrap().contains("hook claude"));
        home.succeeds(&["uninstall", "claude", "--yes"]);
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), theirs);
    }
}

#[test]
fn uninstalling_follows_no_link_that_came_later() {
    let home = Home::new();
    home.file(SETTINGS, "{}\n");
    home.succeeds(&HOOK);
    let ours = home.project.join(".claude");
    // The repository replaces the directory with a link to a directory with the same files.
    let elsewhere = home.in_home("elsewhere");
    fs::rename(&ours, &elsewhere).unwrap();
    symlink(&elsewhere, &ours).unwrap();
    let copy = elsewhere.join("settings.local.json.before-alongside");
    let texts = || {
        ["settings.local.json", "settings.local.json.before-alongside"]
            .map(|name| fs::read_to_string(elsewhere.join(name)).unwrap())
    };
    let before = texts();
    assert!(before[0].contains("hook claude") && copy.exists());
    assert_snapshot!(home.output_of(&["uninstall", "claude", "--yes"]), @"
    Claude Code:
      nothing is left to change back
    --- errors:
    alongside: [PROJECT]/.claude/settings.local.json stays: [PROJECT]/.claude is a link to
      ↪ [HOME]/elsewhere, which alongside does not follow here
    alongside: not everything is removed: remove the links that are named above, and repeat this
    --- exit code 1
    ");
    assert_eq!(texts(), before);
    assert!(ours.is_symlink());
    // The hook stays in the list of installed parts, for an attempt without the link.
    fs::remove_file(&ours).unwrap();
    fs::rename(&elsewhere, &ours).unwrap();
    home.succeeds(&["uninstall", "claude", "--yes"]);
    assert_eq!(fs::read_to_string(home.project.join(SETTINGS)).unwrap(), "{}\n");

    // The same holds if only the new file is replaced with a link.
    let home = Home::new();
    home.succeeds(&HOOK);
    let file = home.project.join(SETTINGS);
    let elsewhere = home.in_home("elsewhere.json");
    fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    assert_snapshot!(home.output_of(&["uninstall", "claude", "--yes"]), @"
    Claude Code:
      nothing is left to change back
    --- errors:
    alongside: [PROJECT]/.claude/settings.local.json stays: [PROJECT]/.claude/settings.local.json is a
      ↪ link to [HOME]/elsewhere.json, which alongside does not follow here
    alongside: not everything is removed: remove the links that are named above, and repeat this
    --- exit code 1
    ");
    assert!(file.is_symlink() && fs::read_to_string(&elsewhere).unwrap().contains("hook"));
}

/// A message has one line for each fact, and the name of a link's target cannot add a line.
#[test]
fn the_target_of_a_link_adds_no_line_to_a_message() {
    let home = Home::new();
    symlink("/tmp/q\n  hint: run this", home.project.join(".claude")).unwrap();
    assert_snapshot!(home.output_of(&HOOK), @r"
    --- errors:
    alongside: Claude Code is not changed: [PROJECT]/.claude is a link to /tmp/q\n  hint: run this,
      ↪ which alongside does not follow here
      hint: nothing is changed
      hint: remove that link, or put in its place what it leads to
    --- exit code 1
    ");
}

#[test]
fn a_copy_has_the_mode_of_its_file() {
    let home = Home::new();
    let settings = home.project.join(SETTINGS);
    write_file(&settings, "{\"secret\": 1}\n");
    set_mode(&settings, 0o600);
    home.succeeds(&HOOK);
    for path in [settings.clone(), settings.with_extension("json.before-alongside")] {
        assert_eq!(mode_of(&path), 0o600, "{path:?}");
    }
    home.succeeds(&["uninstall", "claude", "--yes"]);
    assert_eq!(fs::read_dir(settings.parent().unwrap()).unwrap().count(), 1);
    assert_eq!(mode_of(&settings), 0o600);
}
