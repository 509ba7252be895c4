//! `alongside install` and `uninstall` in a home whose editors are scripts: the preview, the questions, and
//! the files. `rig/tests/editors/installed.rs` tests the same with real editors and agents.

mod agents;
mod emacs;
mod hooks;
mod kakoune;
mod kate;
mod links;
mod machine;
mod owners;
mod refusals;
mod uninstalling;
mod vim;
mod vscode;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use alongside_companion::AppDirs;
use alongside_companion::drafts::Drafts;
use insta::assert_snapshot;

use crate::support::{Home, finish, mode_of, set_mode};
use machine::{LANGUAGES, NEOVIM, NEW_HELIX, OLD_HELIX};

/// The directory of the package for Neovim, below the home directory.
const PACKAGE: &str = ".local/share/nvim/site/pack/alongside/start/alongside";

#[test]
fn install_adds_one_package_to_neovim_and_uninstall_removes_it() {
    let home = Home::with_program("nvim", NEOVIM);
    let stamp = format!("{PACKAGE}/lua/alongside/installed.lua");
    assert_snapshot!(home.installs_and_removes_a_package(
        ("neovim", "Neovim"),
        ".local/share/nvim",
        &stamp,
        || {
            let tags = home.reads(&format!("{PACKAGE}/doc/tags"));
            assert!(tags.contains(":Alongside\talongside.txt\t/*:Alongside*\n"), "{tags}");
        }
    ));
}

#[test]
fn an_older_plugin_is_updated_and_changes_are_backed_up() {
    let home = Home::with_program("nvim", NEOVIM);
    home.succeeds(&["install", "nvim", "--yes"]);
    let (changed, gone) = (format!("{PACKAGE}/lua/alongside/log.lua"), format!("{PACKAGE}/README.md"));
    let log = home.reads(&changed);
    fs::write(home.in_home(&changed), "-- mine\n").unwrap();
    fs::remove_file(home.in_home(&gone)).unwrap();

    home.record_list_row("Neovim");
    let written = ".local/state/alongside/installed.json";
    let version = |version: &str| format!("\"version\":\"{version}\"");
    let older = home.reads(written).replace(&version(env!("CARGO_PKG_VERSION")), &version("0.0.1"));
    home.writes(written, &older);
    home.record_list_row("Neovim");
    let said = home.succeeds(&["install", "neovim", "--yes"]);
    assert!(said.contains("--- mine") && said.contains("You have changed"), "{said}");
    assert_eq!(home.reads(&changed), log);
    assert_eq!(home.reads(&format!("{changed}.before-alongside")), "-- mine\n");
    assert!(home.in_home(&gone).exists());
    assert_snapshot!(home.transcript(), @"
    $ alongside install --list
    …
    Neovim 0.10.4 installed ([VERSION]), changed: alongside install neovim
    …
    $ alongside install --list
    …
    Neovim 0.10.4 installed by 0.0.1: alongside install neovim
    …
    ");
}

#[test]
fn a_plugin_installed_by_hand_is_left_alone() {
    let linked = Home::with_program("nvim", NEOVIM);
    let clone = linked.writes("src/alongside/editors/neovim/lua/alongside/init.lua", "");
    let clone = clone.ancestors().nth(3).unwrap();
    let package = linked.in_home(PACKAGE);
    fs::create_dir_all(package.parent().unwrap()).unwrap();
    symlink(clone, &package).unwrap();

    let managed = Home::with_program("nvim", NEOVIM);
    managed.writes(
        ".config/nvim/lua/plugins/ai.lua",
        "return { dir = '~/src/alongside/editors/neovim', opts = {} }\n",
    );

    let cloned = Home::with_program("nvim", NEOVIM);
    cloned.writes(".local/share/nvim/lazy/alongside/editors/neovim/lua/alongside/init.lua", "");

    let said = [linked, managed, cloned].map(|home| {
        let before = home.all_files();
        home.run_recorded(&["install neovim --yes", "uninstall neovim --yes"]);
        home.record_list_row("Neovim");
        assert_eq!(home.all_files(), before);
        home.transcript()
    });
    assert_snapshot!(said.join("\n"));
}

#[test]
fn install_adds_our_server_to_helix_and_keeps_the_others() {
    let home = Home::with_program("hx", OLD_HELIX);
    home.writes(".config/helix/languages.toml", LANGUAGES);
    let before = home.all_files();

    home.run_recorded(&["install helix --yes --language nonsense"]);
    let languages = home.reads(".config/helix/languages.toml");
    assert!(languages.starts_with("# mine\n[[language]]\nname = \"rust\" # best\nauto-format = true\n"));
    assert!(
        languages.contains("language-servers = [\"ruff\", \"jedi\", \"alongside\"]"),
        "by name: {languages}"
    );
    assert!(!languages.contains("\"go\""), "this Helix does not know Go");
    assert_eq!(home.reads(".config/helix/languages.toml.before-alongside"), LANGUAGES);
    assert!(!home.in_home(".config/helix/config.toml").exists(), "25.01 would refuse the settings");

    home.run_recorded(&["install hx"]);
    home.writes(
        ".config/helix/languages.toml",
        &languages.replace(env!("CARGO_BIN_EXE_alongside"), "/gone/alongside"),
    );
    home.succeeds(&["install", "hx", "--yes"]);
    assert_eq!(
        home.reads(".config/helix/languages.toml"),
        languages,
        "a program that has moved is called where it is"
    );
    home.succeeds(&["uninstall", "helix", "--yes"]);
    assert_eq!(home.all_files(), before);
    assert_snapshot!(home.transcript());
}

#[test]
fn newer_helix_also_gets_the_cursor_settings() {
    let home = Home::with_program("helix", NEW_HELIX);
    home.writes(".config/helix/config.toml", "theme = \"x\" # dark\n");
    let before = home.all_files();
    home.succeeds(&["install", "helix", "--yes"]);
    assert_snapshot!(home.reads(".config/helix/config.toml"), @r#"
    theme = "x" # dark

    [editor]
    gutters = ["code-action-hint", "diagnostics", "spacer", "line-numbers", "spacer", "diff"]
    lsp.auto-document-highlight = true
    "#);
    home.succeeds(&["uninstall", "helix", "--yes"]);
    assert_eq!(home.all_files(), before);
}

#[test]
fn uninstall_keeps_later_changes() {
    let home = Home::with_program("hx", OLD_HELIX);
    let path = home.writes(".config/helix/languages.toml", LANGUAGES);
    home.succeeds(&["install", "helix", "--yes"]);
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str("\n[[language]]\nname = \"mine\" # new\nscope = \"source.mine\"\n");
    fs::write(&path, text).unwrap();
    // A second installation also adds alongside to the new entries.
    home.succeeds(&["install", "helix", "--yes"]);
    assert!(
        fs::read_to_string(&path)
            .unwrap()
            .contains("scope = \"source.mine\"\nlanguage-servers = [\"alongside\"]")
    );

    home.succeeds(&["uninstall", "helix", "--yes"]);
    let expected = format!("{LANGUAGES}\n[[language]]\nname = \"mine\" # new\nscope = \"source.mine\"\n");
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
}

#[test]
fn links_and_modes_are_kept() {
    let home = Home::with_program("hx", OLD_HELIX);
    let dotfile = home.writes("dotfiles/languages.toml", LANGUAGES);
    set_mode(&dotfile, 0o640);
    fs::create_dir_all(home.in_home(".config/helix")).unwrap();
    let link = home.in_home(".config/helix/languages.toml");
    symlink(&dotfile, &link).unwrap();
    let before = home.all_files();

    home.succeeds(&["install", "helix", "--yes"]);
    assert_eq!(fs::read_link(&link).unwrap(), dotfile);
    assert!(fs::read_to_string(&dotfile).unwrap().contains("alongside"));
    assert_eq!(mode_of(&dotfile), 0o640);
    home.succeeds(&["uninstall", "helix", "--yes"]);
    assert_eq!(home.all_files(), before);
}

#[test]
fn an_invalid_file_is_reported_with_its_line() {
    let home = Home::with_program("hx", OLD_HELIX);
    home.agent_program("gemini", "0.61.0");
    home.writes(".config/helix/languages.toml", "[[language]]\nname = rust\n");
    home.writes(".gemini/settings.json", "{\n  \"ide\": {,}\n}\n");
    home.changes_nothing(&["install helix --yes", "install agent --yes"]);
    assert_snapshot!(home.transcript());
}

#[test]
fn without_home_nothing_is_changed() {
    let home = Home::with_agent("gemini", "0.61.0");
    let gone = home.path("gone");
    let mut said = String::new();
    for value in [None, Some(""), Some("home"), gone.to_str()] {
        let within = |args: &[&str]| {
            let mut command = home.alongside(args);
            home.with_path(&mut command);
            home.stable(finish(command.env_remove("HOME").envs(value.map(|value| ("HOME", value)))))
        };
        let refused = within(&["install", "gemini", "--dry-run"]);
        assert_eq!(within(&["uninstall", "--all", "--dry-run"]), refused);
        said += &refused;
    }
    assert_snapshot!(said);
    assert!(!gone.exists());
}

#[test]
fn preview_is_short_and_shows_all_lines_of_the_person() {
    let home = Home::with_program("hx", NEW_HELIX);
    home.agent_program("gemini", "0.61.0");
    home.agent_program("qwen", "0.24.4");
    home.writes(".config/helix/languages.toml", LANGUAGES);
    home.run_recorded(&["install helix --dry-run"]);
    let long = home.succeeds(&["install", "helix", "--dry-run", "--verbose"]);
    assert!(long.lines().count() > 200 && !long.contains("more lines"), "{long}");

    let agents = home.succeeds(&["install", "agent", "--dry-run"]);
    assert_eq!(agents.matches("this was --dry-run").count(), 1, "{agents}");

    home.succeeds(&["install", "helix", "--yes"]);
    home.run_recorded(&["uninstall helix --dry-run"]);
    assert_snapshot!(home.transcript());
}

#[test]
fn a_byte_order_mark_of_helix_stays() {
    let home = Home::with_program("hx", OLD_HELIX);
    let marked = format!("\u{feff}{LANGUAGES}");
    home.writes(".config/helix/languages.toml", &marked);
    home.succeeds(&["install", "helix", "--yes"]);
    let text = home.reads(".config/helix/languages.toml");
    assert!(text.starts_with("\u{feff}# mine") && text.contains("alongside"), "{text}");
    assert_snapshot!(home.output_of(&["install", "helix", "--yes"]), @"
    Helix 25.01.1 has alongside [VERSION]; nothing to do.
    --- errors:
    alongside: This Helix tells agents where you type. Newer releases also send the cursor and the
      ↪ selection.
    ");
    home.writes(".config/helix/languages.toml", &text.replace("# mine", "# still mine"));
    home.succeeds(&["uninstall", "helix", "--yes"]);
    assert_eq!(home.reads(".config/helix/languages.toml"), marked.replace("# mine", "# still mine"));
}

#[test]
fn a_dangling_link_stays_a_link() {
    let home = Home::with_program("hx", NEW_HELIX);
    fs::create_dir_all(home.in_home(".config/helix")).unwrap();
    let link = home.in_home(".config/helix/config.toml");
    symlink("dots/config.toml", &link).unwrap();
    let before = home.all_files();
    home.succeeds(&["install", "helix", "--yes"]);
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("dots/config.toml"));
    assert!(home.reads(".config/helix/dots/config.toml").contains("auto-document-highlight"));
    home.succeeds(&["uninstall", "helix", "--yes"]);
    assert_eq!(home.all_files(), before);
    assert!(!home.in_home(".config/helix/dots").exists());
}

#[test]
fn comments_stay_beside_their_servers() {
    let home = Home::with_program("hx", OLD_HELIX);
    let theirs = "[[language]]\nname = \"rust\"\nlanguage-servers = [\n  \"typos\", # for \
                  words\n  \"rust-analyzer\", # best\n]\n";
    let path = home.writes(".config/helix/languages.toml", theirs);
    home.succeeds(&["install", "helix", "--yes"]);
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("  \"typos\", # for words\n  \"rust-analyzer\", # best\n  \"alongside\",\n]\n"),
        "{text}"
    );
    fs::write(&path, format!("# since\n{text}")).unwrap();
    home.succeeds(&["uninstall", "helix", "--yes"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("# since\n{theirs}"));
}

#[test]
fn a_failed_write_restores_the_other_files() {
    let home = Home::with_program("hx", NEW_HELIX);
    home.writes(".config/helix/languages.toml", LANGUAGES);
    let settings = home.writes(".config/helix/config.toml", "theme = \"x\"\n");
    set_mode(&settings, 0o444);
    let before = home.all_files();
    assert_snapshot!(home.output_of(&["install", "helix", "--yes"]));
    assert_eq!(home.all_files(), before);
}

#[test]
fn nothing_is_written_without_consent() {
    let home = Home::with_program("nvim", NEOVIM);
    home.agent_program("gemini", "0.61.0");
    home.changes_nothing(&[
        "install neovim",
        "install neovim --dry-run",
        "install agent",
        "install agent --dry-run",
    ]);
    home.succeeds(&["install", "neovim", "--yes"]);
    home.changes_nothing(&["uninstall neovim", "uninstall neovim --dry-run"]);
    assert_snapshot!(home.transcript());
}

#[tokio::test]
async fn at_a_terminal_only_yes_agrees() {
    let home = Home::with_program("nvim", NEOVIM);
    let before = home.all_files();
    for (answer, code) in [("\n", Some(1)), ("n\n", Some(1)), ("\x04", Some(1)), ("\x03", Some(130))] {
        let mut install = home.start_at_terminal(&["install", "neovim"]);
        install.shows("Install alongside into Neovim? [y/N] ").await;
        install.presses(answer);
        assert_eq!(install.ends().code(), code, "{answer:?}");
        assert_eq!(home.all_files(), before, "{answer:?}");
    }
    let mut install = home.start_at_terminal(&["install", "neovim"]);
    install.shows("[y/N] ").await;
    install.presses_and_shows("alongside run -- gemini\n", "Type y or n: ").await;
    install.presses_and_shows("y\n", "Installed. Restart Neovim, then start your agent.").await;
    assert!(install.ends().success());
    assert!(home.in_home(PACKAGE).join("plugin/alongside.lua").exists());
}

#[test]
fn without_a_name_the_terminal_tells_the_editor() {
    let home = Home::new();
    home.run_recorded(&["install --dry-run"]);
    home.program("hx", OLD_HELIX);
    assert!(home.succeeds(&["install", "--dry-run"]).starts_with("Helix 25.01.1 ("));
    home.program("nvim", NEOVIM);
    home.run_recorded(&["install --dry-run"]);

    let within = |variable: &str, value: &str| {
        let mut command = home.alongside(&["install", "--dry-run"]);
        home.with_path(&mut command);
        let said = finish(command.env(variable, value));
        home.add_to_transcript(
            &format!("install --dry-run, where {variable} is {value}"),
            &home.stable(said),
        );
    };
    within("NVIM", "/run/nvim.sock");
    within("TERM_PROGRAM", "vscode");
    assert_snapshot!(home.transcript());
}

#[tokio::test]
async fn several_editors_are_chosen_by_number() {
    let home = Home::with_program("nvim", NEOVIM);
    home.program("hx", OLD_HELIX);
    let before = home.all_files();
    let question =
        "Install alongside into which editor?\r\n  1  Neovim\r\n  2  Helix\r\nNumber (Enter for none): ";
    for (answer, code) in [("\n", 1), ("\x04", 1), ("\x03", 130)] {
        let mut install = home.start_at_terminal(&["install"]);
        install.shows(question).await;
        install.presses_and_shows(answer, "nothing is changed").await;
        assert_eq!(install.ends().code(), Some(code), "{answer:?}");
    }
    let mut install = home.start_at_terminal(&["install"]);
    install.shows(question).await;
    for wrong in ["helix\n", "3\n", "0\n"] {
        install.presses_and_shows(wrong, "Type a number from 1 to 2, or only Enter: ").await;
    }
    install.presses_and_shows("2\n", "Install alongside into Helix? [y/N] ").await;
    install.presses("n\n");
    assert_eq!(install.ends().code(), Some(1));
    assert_eq!(home.all_files(), before);
    // Without a terminal, no question is asked.
    assert_snapshot!(home.output_of(&["install", "--yes"]), @"
    --- errors:
    alongside: several editors are on this machine
      hint: name one: `alongside install neovim` or `alongside install helix`
    --- exit code 1
    ");
}

#[test]
fn the_list_has_editors_without_an_adapter() {
    let home = Home::with_program("lapce", "");
    home.record_list_row("Lapce");
    assert_snapshot!(home.transcript(), @"
    $ alongside install --list
    …
    Lapce here no adapter: add `alongside lsp` to its language servers (`alongside lsp --help`), or
      ↪ review changes in a terminal beside it: `alongside`
    …
    ");
}

#[test]
fn unknown_targets_get_a_hint() {
    let home = Home::new();
    home.program("nvim", "echo 'NVIM v0.9.5'\n");
    let unknown = ["zed", "helx", "spaceship", "helix", "neovim", "agent"];
    home.run_recorded(&unknown.map(|what| format!("install {what} --yes")));
    home.run_recorded(&["uninstall helix --yes"]);
    assert_snapshot!(home.transcript());
}

#[test]
fn uninstall_all_keeps_only_the_drafts() {
    let home = Home::with_program("nvim", NEOVIM);
    home.program("hx", OLD_HELIX);
    home.agent_program("gemini", "0.61.0");
    let before = home.all_files();
    for what in ["neovim", "helix", "agent"] {
        home.succeeds(&["install", what, "--yes"]);
    }
    let mut dirs = AppDirs::below(&home.path("home"));
    dirs.state = home.in_home(".local/state/alongside");
    let drafts = Drafts::open(&dirs);
    let draft = drafts.keep("/p/a.txt", "Gemini CLI", "it ended", "typed\n").unwrap();
    home.writes(".local/state/alongside/log/host.2026-01-01", "a line\n");
    let stale = home.path("tmp").join("gemini/ide/gemini-ide-server-1-9.json");
    fs::create_dir_all(stale.parent().unwrap()).unwrap();
    fs::write(&stale, r#"{"port":9,"workspacePath":"/p","authToken":"t","writer":"alongside"}"#).unwrap();

    let said = home.succeeds(&["uninstall", "--all", "--yes"]);
    assert!(!stale.exists(), "{said}");
    assert!(draft.exists(), "--yes is no consent to that: {said}");
    let mut rest = home.all_files();
    rest.retain(|path, _| !path.starts_with(home.in_home(".local/state/alongside/drafts")));
    assert_eq!(rest, before);
    let said = home.succeeds(&["uninstall", "--all", "--yes", "--drafts"]);
    let listed = "  1. /p/a.txt (Gemini CLI, just now): it ended\nDeleted 1 draft.\n";
    assert!(said.contains(listed), "as `alongside drafts` names it: {said}");
    assert!(!draft.exists());
    assert_eq!(home.all_files(), before);
}
