//! Installs the extension for VS Code by the editor's own command, and removes it. A test in
//! `rig/tests/editors` uses the real editor.

use std::fs;
use std::io::Read as _;

use crate::support::Home;

/// A script that answers as VS Code does. To install an extension, it copies the file, which the test
/// unpacks.
pub(super) const CODE: &str = r#"
extensions="$HOME/.vscode/extensions"
case "$1" in
  --version) printf '1.104.0\nabcdef\nx64\n' ;;
  --install-extension)
    /bin/mkdir -p "$extensions/alongside.alongside-0.1.0"
    /bin/cp "$2" "$extensions/alongside.alongside-0.1.0/packed"
    echo '[{"identifier":{"id":"alongside.alongside"},"version":"0.1.0",
      "relativeLocation":"alongside.alongside-0.1.0"}]' >"$extensions/extensions.json" ;;
  --uninstall-extension) [ "$2" = alongside.alongside ] && echo '[]' >"$extensions/extensions.json" ;;
esac
"#;

/// The directory of the installed extension, below the home directory.
const DIRECTORY: &str = ".vscode/extensions/alongside.alongside-0.1.0";

/// Whether the program under test includes the extension, which is built with npm.
fn has_extension(home: &Home) -> bool {
    let refused = home.run_with_path(&["install", "vscode", "--dry-run"]).all_output();
    let is_missing = refused.contains("built without the extension");
    if is_missing {
        assert!(refused.contains("cargo xtask vscode"), "{refused}");
        alongside_testing::skip("built without the extension for VS Code: cargo xtask vscode builds it");
    }
    !is_missing
}

#[test]
fn install_adds_one_extension_and_uninstall_removes_it() {
    let home = Home::with_program("code", CODE);
    if !has_extension(&home) {
        return;
    }
    let said = home.succeeds(&["install", "vscode", "--yes"]);
    assert!(said.contains("VS Code 1.104.0 (") && said.contains("new      the extension"), "{said}");
    let packed = fs::File::open(home.in_home(DIRECTORY).join("packed")).unwrap();
    let mut archive = zip::ZipArchive::new(packed).unwrap();
    for name in ["program", "digest"] {
        let mut text = String::new();
        archive.by_name(&format!("extension/{name}")).unwrap().read_to_string(&mut text).unwrap();
        home.writes(&format!("{DIRECTORY}/{name}"), &text);
    }
    assert_eq!(home.reads(&format!("{DIRECTORY}/program")), env!("CARGO_BIN_EXE_alongside"));
    assert!(archive.by_name("extension/package.json").is_ok());

    let installed = home.all_files();
    assert!(home.succeeds(&["install", "code"]).contains("nothing to do"));
    assert_eq!(home.all_files(), installed);
    assert!(home.list_row("VS Code").contains("VS Code 1.104.0"));

    let said = home.succeeds(&["uninstall", "vscode", "--yes"]);
    assert!(said.contains("remove   ~/.vscode/extensions/alongside.alongside-0.1.0"), "{said}");
    assert!(!home.in_home(DIRECTORY).exists());
    assert_eq!(home.reads(".vscode/extensions/extensions.json"), "[]\n");
    assert!(home.list_row("VS Code").contains("not installed: alongside install vscode"));
}

#[test]
fn a_command_that_fails_installs_nothing() {
    let home = Home::with_program(
        "code",
        "case $1 in --version) echo 1.104.0;; *) echo 'no space left' >&2; exit 3;; esac",
    );
    if !has_extension(&home) {
        return;
    }
    let before = home.all_files();
    let failed = home.run_with_path(&["install", "vscode", "--yes"]);
    assert!(failed.all_output().contains("no space left"), "{}", failed.all_output());
    assert_eq!(home.all_files(), before);
}
