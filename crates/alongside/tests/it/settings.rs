//! Mistakes in settings files, as the program reports them.

use insta::assert_snapshot;

use crate::support::{Home, finish, write_file};

#[test]
fn a_wrong_key_stops_the_program_with_file_and_line() {
    let home = Home::with_settings("[context]\nexlude = []\n");
    // Commands that do not need settings work.
    assert_snapshot!(home.prints(&["review", "run true", "drafts"]));
}

#[test]
fn a_named_file_must_exist_and_xdg_moves_the_default_one() {
    let home = Home::new();
    assert_snapshot!(home.prints(&["--config nowhere.toml review"]), @"
    $ alongside --config nowhere.toml review
    --- errors:
    alongside: cannot read the settings nowhere.toml: No such file or directory
      hint: name a file that exists, or leave --config away to use the default file
    --- exit code 1
    ");
    write_file(&home.path("xdg/alongside/config.toml"), "[server]\nlisten = 1\n");
    let moved = finish(home.alongside(&["review"]).env("XDG_CONFIG_HOME", home.path("xdg")));
    assert_snapshot!(home.stable(moved), @"
    --- errors:
    alongside: [BASE]/xdg/alongside/config.toml:2: [server] listen must be a string, not a number
    --- exit code 1
    ");
}

/// Without a companion, no change of the project would be reviewed.
#[tokio::test]
async fn a_project_with_wrong_settings_is_served_and_always_asks() {
    let home = Home::with_settings("[reviews]\nrules = [{ path = \"docs/**\", then = \"accept\" }]\n");
    home.file(".alongside.toml", "[context]\nexlude = []\n");
    let mut desk = home.review(&[]);
    desk.shows("/.alongside.toml:2: there is no key \"exlude\" in [context]").await;
    desk.shows("every change is asked about").await;
    let hook = crate::hook::write(&home, &home.in_project("docs/a.md"), "x\n").await;
    crate::hook::decides(&mut desk, "r").await;
    crate::hook::refused(&hook.answer().await);
    let mut other = home.review(&[]);
    other.shows("/.alongside.toml:2: there is no key \"exlude\" in [context]").await;
    // Corrected settings take effect without a restart.
    home.file(".alongside.toml", "[context]\nexclude = []\n");
    other.shows("were changed, and are read anew.").await;
    let hook = crate::hook::write(&home, &home.in_project("docs/a.md"), "x\n").await;
    assert_eq!(hook.answer().await["hookSpecificOutput"]["permissionDecision"], "allow", "the rule holds");
    let mut third = home.review(&[]);
    third.shows("Waiting for proposals.").await;
    third.leaves();
    assert!(!third.out.text().contains("exlude"), "{}", third.out.text());
    // The settings file is removed and restored, as by a change of the branch.
    std::fs::remove_file(home.in_project(".alongside.toml")).unwrap();
    other.shows("/.alongside.toml held a mistake, and is gone").await;
    home.file(".alongside.toml", "[reviews]\nrules = [{ path = \"docs/b*\", then = \"ask\" }]\n");
    other.shows("were changed, and are read anew.").await;
    let hook = crate::hook::write(&home, &home.in_project("docs/a.md"), "y\n").await;
    assert_eq!(hook.answer().await["hookSpecificOutput"]["permissionDecision"], "allow", "served again");
    let hook = crate::hook::write(&home, &home.in_project("docs/b.md"), "x\n").await;
    crate::hook::decides(&mut other, "r").await;
    crate::hook::refused(&hook.answer().await);
}

#[tokio::test]
async fn a_project_may_add_exclusions_but_not_reveal_hidden_files() {
    for (mistake, said) in [
        ("[context]\nenabled = false\n", "[context] enabled cannot be set here"),
        ("[context]\nexclude = [\"!.env\"]\n", "takes an exclusion back"),
    ] {
        let home = Home::new();
        home.file(".alongside.toml", mistake);
        home.review(&[]).shows(said).await;
    }
}

#[test]
fn an_unusable_listen_address_names_its_setting() {
    let home = Home::new();
    let config = home.path("home/config.toml");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    home.name_number("127.0.0.1:", address.port(), "TAKEN PORT");
    std::fs::write(&config, format!("[server]\nlisten = '{address}'\n")).unwrap();
    let refused = home.run(&["--config", config.to_str().unwrap(), "review"]);
    assert_snapshot!(home.stable(refused), @"
    --- errors:
    alongside: cannot start the companion: cannot listen on 127.0.0.1:[TAKEN PORT]: Address already in
      ↪ use
      hint: [server] listen in the settings names this address; it must be one of this machine, with a
      ↪ port that is free
    --- exit code 1
    ");
}
