//! Causes in a terminal: stale variables, and the programs in PATH.

use insta::assert_snapshot;

use super::support::{TestMachine, dead_port, listener, without_tools};
use crate::support::{finish, write_program};

#[tokio::test]
async fn reports_variables_of_gone_and_foreign_companions() {
    let (mut machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0", "qwen 0.12.0"]).await;
    let port = dead_port();
    machine.qwen_file(port, &machine.theirs(port));
    machine.set("QWEN_CODE_IDE_SERVER_PORT", port);
    machine.set("GEMINI_CLI_IDE_SERVER_PORT", port);
    machine.record_causes("gemini # with a variable of a companion that is gone");
    machine.record_causes("qwen # with the same, which it needs");
    let port = listener(|_| None);
    let mut record = machine.theirs(port);
    record["workspacePath"] = "/elsewhere".into();
    machine.qwen_file(port, &record);
    machine.set("QWEN_CODE_IDE_SERVER_PORT", port);
    machine.set("QWEN_CODE_IDE_WORKSPACE_PATH", "/elsewhere");
    assert_snapshot!(machine.transcript_with("qwen # with those of another project"));
}

#[test]
fn reports_variables_without_editor_name() {
    let mut machine = TestMachine::with(&["gemini 0.61.0"]);
    machine.set("GEMINI_CLI_IDE_SERVER_PORT", listener(without_tools));
    let project = machine.home.project.display().to_string();
    machine.set("GEMINI_CLI_IDE_WORKSPACE_PATH", project);
    assert_snapshot!(machine.transcript_with(""), @"
    $ alongside doctor --json | causes
    gemini 0.61.0 does not connect
      fails variables-alone: GEMINI_CLI_IDE_SERVER_PORT GEMINI_CLI_IDE_WORKSPACE_PATH lead to a
      ↪ companion, but no file names its editor, and without a name the agent does not connect
          start the agent with the TMPDIR and HOME of the companion, or pretend to be in VS Code:
          TERM_PROGRAM=vscode gemini
    --- exit code 1
    ");
}

#[tokio::test]
async fn reports_alongside_missing_in_path_and_in_two_versions() {
    let (mut machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    machine.set("PATH", machine.home.path("bin").display());
    machine.record_causes("# without alongside in PATH");
    write_program(&machine.home.path("bin/alongside"), "#!/bin/sh\necho alongside 0.0.1\n");
    machine.set("PATH", machine.path_variable());
    assert_snapshot!(machine.transcript_with("# with two versions"));
}

#[test]
fn reports_an_agent_outside_of_path() {
    let machine = TestMachine::with(&[]);
    machine.install("home/.npm-global/bin", "gemini", "0.61.0");
    assert_snapshot!(machine.transcript_with(""), @"
    $ alongside doctor --json | causes
    gemini 0.61.0 does not connect
      fails no-companion: no companion serves this directory
          open the project in an editor that has alongside (`alongside install`), or in another
      ↪ terminal:
          alongside
      note agent-not-in-path: [HOME]/.npm-global/bin/gemini is not in a directory of PATH
    --- exit code 1
    ");
}

#[tokio::test]
async fn reports_adapters_that_lack_a_program_or_are_outdated() {
    let (machine, _desk, _record) = TestMachine::serving(&["gemini 0.61.0"]).await;
    write_program(&machine.home.path("bin/kak"), "#!/bin/sh\nexit 255\n");
    write_program(&machine.home.path("bin/nvim"), "#!/bin/sh\necho 'NVIM v0.10.4'\n");
    let path = format!("{}:/usr/bin:/bin", machine.path_variable());
    for editor in ["kakoune", "neovim"] {
        let mut install = machine.home.alongside(&["install", editor, "--yes"]);
        let installed = finish(install.env("PATH", &path));
        assert!(installed.status.success(), "{}", installed.err);
    }
    machine.record_causes("# without kakoune-lsp");
    write_program(&machine.home.path("bin/kak-lsp"), "#!/bin/sh\n");
    machine.record_causes("# with it");
    let package = machine.home.path("home/.local/share/nvim/site/pack/alongside/start/alongside");
    write_program(&package.join("plugin/alongside.lua"), "-- as an older version had it\n");
    assert_snapshot!(machine.transcript_with("# with an older plugin in Neovim"));
}
