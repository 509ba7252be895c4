//! Emacs in a fresh home, and agents unaware of it: from the installation to its removal.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use alongside_rig::adapters::{self, EMACS_SETTINGS};
use alongside_rig::agent_cli::Cli;
use alongside_rig::hostile::{self as table, Row};
use alongside_rig::sandbox::files_below;
use alongside_rig::tmux::Pane;
use alongside_rig::{Generation, Proposer, Sandbox, install_emacs, or_skip};
use anyhow::Result;

use crate::hostile;
use crate::script::{REQUEST_AGAIN, SHOUTED};
use crate::stage::{ROOMY, Stage};

alongside_rig::tests! {
    emacs_and_gemini: from_installation_to_removal(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    emacs_and_qwen: from_installation_to_removal(Cli::Qwen),
}

fn from_installation_to_removal(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::set(Generation::Newest)? else { return Ok(()) };
    let Some(emacs) = or_skip(install_emacs(Generation::Newest)) else { return Ok(()) };
    emacs.put_on_path(&stage.sandbox)?;
    let settings = stage.sandbox.write_home(".emacs.d/early-init.el", EMACS_SETTINGS);
    let (shell, other) = stage.install("emacs", "Installed. Restart Emacs")?;
    let pane = stage.terminal.window("emacs", (100, 30))?;
    pane.enter("clear; emacs -nw notes.md")?;
    pane.wait_for("the file", |screen| screen.contains("fifteen") && screen.contains("Alongside[no agent]"))?;
    let Some(agent) = stage.start_agent(cli)? else { return Ok(()) };

    // The selection reaches the model.
    for key in ["C-n", "C-Space", "C-n", "C-n", "C-n"] {
        pane.press(key)?;
    }
    stage.wait_until_selected("two\nthree\nfour\n".len())?;
    stage.ask_with_selection(&agent, cli, 5)?;

    // The proposal is announced, and the person goes on in another file.
    pane.wait_for("the proposal", |screen| screen.contains("proposes 3 changes"))?;
    agent.wait_until_it_asks()?;
    // Quitting discards the keys that have come by then.
    pane.press_and_see("C-g", "the selection to be given up", "Quit")?;
    runs_and_sees(&pane, "find-file", Some("other.md"), "the other file", "other.md  ")?;
    pane.type_and_see("a line of my own", "the typed text", "a line of my own")?;
    runs_and_sees(&pane, "save-buffer", None, "the file to be written", "Wrote ")?;
    assert_eq!(fs::read_to_string(other)?.trim_end(), "a line of my own");

    // Its first change is dropped, its last one edited, and the rest is accepted.
    runs_and_sees(&pane, "alongside-review", None, "the review", "change 1 of 3: kept")?;
    pane.type_and_see("k", "a dropped change", "2 kept, 1 dropped")?;
    pane.type_text("nn")?;
    edits_line(&pane, "14")?;
    pane.wait_for("the edited change", |screen| screen.contains("change 3 of 3: edited"))?;
    presses(&pane, &["C-c", "C-c"])?;
    pane.wait_for("the review to be over", |screen| !screen.contains("change 3 of 3"))?;
    assert_eq!(pane.screen()?.matches("-UU").count(), 1, "the window of the review has gone");
    stage.sees_acceptance(&agent)?;
    runs(&pane, "switch-to-buffer", Some("notes.md"))?;
    pane.wait_for("the file as it is now", |screen| screen.contains("\nEIGHT") && screen.contains("\n14"))?;

    // A rejected proposal leaves a draft with the text that the person typed.
    agent.ask_for_change(REQUEST_AGAIN)?;
    pane.wait_for("the next proposal", |screen| screen.contains("proposes 2 changes"))?;
    runs_and_sees(&pane, "alongside-review", None, "the review", "change 1 of 2: kept")?;
    edits_line(&pane, "typed by me")?;
    pane.wait_for("the edited change", |screen| screen.contains("change 1 of 2: edited"))?;
    presses(&pane, &["C-c", "C-k"])?;
    pane.wait_for("the rejection", |screen| screen.contains("notes.md: rejected"))?;
    stage.sees_rejection(&shell, &agent)?;

    // Emacs ends while a proposal waits, after a question. The text that was typed just before is in a draft.
    let proposer = Proposer::gemini(&stage.sandbox)?;
    let proposal = proposer.propose(&stage.file, SHOUTED)?;
    pane.wait_for("the last proposal", |screen| screen.contains("proposes 2 changes"))?;
    runs_and_sees(&pane, "alongside-review", None, "the review", "change 1 of 2: kept")?;
    pane.type_and_see("e", "the text", "Your text of a proposal")?;
    pane.type_text("typed at the end ")?;
    presses(&pane, &["C-x", "C-c"])?;
    pane.wait_for("the question", |screen| screen.contains("ending Emacs rejects it"))?;
    pane.enter("yes")?;
    stage.wait_until_closed(&pane)?;
    stage.sees_end(proposal, &agent, &shell)?;
    assert_eq!(files_below(settings.parent().unwrap()), [settings], "{}", shell.history()?);
    Ok(())
}

alongside_rig::tests! {
    emacs_obeys_no_name_and_no_text_of_an_agent: obeys_nothing(hostile::some),
    #[ignore = "cargo xtask test --all"]
    emacs_obeys_no_row_of_the_table: obeys_nothing(std::convert::identity),
}

/// The settings of a person who lets files choose more than Emacs does, with a key for the next proposal,
/// which may come after the status that counts it.
const TRUSTING: &str = "(setq enable-local-eval t diff-font-lock-syntax 'hunk-also)
(global-set-key (kbd \"<f5>\") (lambda () (interactive)
  (while (not (alongside--reviews)) (accept-process-output nil 0.05))
  (alongside-next-review)))\n";

/// Emacs shows each row, edits it, goes to its file, and decides. Names that begin with a method of TRAMP lie
/// outside the project, which Emacs asks about.
fn obeys_nothing(rows: fn(Vec<Row>) -> Vec<Row>) -> Result<()> {
    let Some(stage) = Stage::set(Generation::Newest)? else { return Ok(()) };
    let Some(emacs) = or_skip(install_emacs(Generation::Newest)) else { return Ok(()) };
    let sandbox = &stage.sandbox;
    emacs.put_on_path(sandbox)?;
    adapters::emacs(sandbox)?;
    table::set_traps(sandbox)?;
    let init = sandbox.home().join(".emacs.d/init.el");
    fs::write(&init, fs::read_to_string(&init)? + TRUSTING)?;
    let pane = stage.terminal.window("emacs", ROOMY)?;
    pane.enter("clear; emacs -nw notes.md")?;
    pane.wait_for("the file", |screen| screen.contains("fifteen") && screen.contains("Alongside[no agent]"))?;

    let mut rows = rows(table::rows(sandbox));
    rows.extend(["/ssh:host:/x.md", "/sudo::/x.md"].map(|path| Row {
        why: "TRAMP, outside the project",
        agent: path,
        path: path.into(),
        original: None,
        // It is accepted: then Emacs looks for a buffer of the file.
        proposed: format!("{path}\nrow at {path}!\n"),
        unique_line: format!("row at {path}"),
    }));
    hostile::decide_each(sandbox, rows, |row| {
        let is_shown = |screen: &str| screen.contains(&format!("+{}", row.unique_line));
        let is_mode_line = |line: &&str| line.starts_with('-') && line.contains("  F1  ");
        let windows = |count| move |screen: &str| screen.lines().filter(is_mode_line).count() == count;
        // Agents of earlier rows leave meanwhile, and Emacs says that as well.
        pane.wait_for("the announcement", |screen| screen.contains("Alongside[1 review]"))?;
        pane.press("F5")?;
        pane.wait_for("the proposal", is_shown)?;
        if row.original.is_some() {
            pane.type_text("o")?;
            pane.wait_for("the file", windows(2))?;
            presses(&pane, &["C-x", "0"])?;
            pane.wait_for("the proposal alone", windows(1))?;
        }
        pane.type_text("e")?;
        pane.wait_for("the text", |screen| {
            screen.contains("Your text of a proposal") && screen.contains(&row.unique_line)
        })?;
        presses(&pane, &["C-c", "C-c"])?;
        pane.wait_for("the proposal after that", is_shown)?;
        presses(&pane, &["C-c", if hostile::is_accepted(row) { "C-c" } else { "C-k" }])?;
        if !row.path.starts_with(sandbox.project()) {
            pane.wait_for("the question", |screen| screen.contains("Accept all the same?"))?;
            pane.enter("yes")?;
        }
        pane.wait_for("the decision", |screen| !is_shown(screen) && !screen.contains("1 review")).map(drop)
    })
}

/// The same as [`runs`], and waits until the screen shows `shown`.
fn runs_and_sees(
    pane: &Pane,
    command: &str,
    answer: Option<&str>,
    what: &str,
    shown: &str,
) -> Result<String> {
    runs(pane, command, answer)?;
    pane.wait_for(what, |screen| screen.contains(shown))
}

/// Runs a command by its name, with an answer to its question.
fn runs(pane: &Pane, command: &str, answer: Option<&str>) -> Result<()> {
    pane.press_and_see("M-x", "the command line", "M-x")?;
    pane.enter(command)?;
    if let Some(answer) = answer {
        pane.wait_for("the question", |screen| {
            screen.lines().last().is_some_and(|line| line.contains(':') && !line.contains("M-x"))
        })?;
        // The question comes with a directory.
        pane.press("C-a")?;
        pane.press("C-k")?;
        pane.enter(answer)?;
    }
    Ok(())
}

/// Replaces the line of the change at point where the text is edited.
fn edits_line(pane: &Pane, line: &str) -> Result<()> {
    pane.type_and_see("e", "the text", "Your text of a proposal")?;
    pane.press("C-k")?;
    pane.type_and_see(line, "the typed line", line)?;
    presses(pane, &["C-c", "C-c"])
}

fn presses(pane: &Pane, keys: &[&str]) -> Result<()> {
    keys.iter().try_for_each(|key| pane.press(key))
}

/// The output of Emacs in batch mode with these arguments, in the adapter's directory.
fn batch(arguments: &[&str]) -> Result<Option<Output>> {
    let Some(emacs) = or_skip(install_emacs(Generation::Newest)) else { return Ok(None) };
    let sandbox = Sandbox::new();
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/emacs");
    let mut command = Command::new(&emacs.program);
    command.env_clear().envs(sandbox.env()).envs(emacs.environment.iter().map(|(name, value)| (name, value)));
    command.current_dir(ours).args(&emacs.arguments).args(["-Q", "--batch", "-L", "."]).args(arguments);
    Ok(Some(command.output()?))
}

/// Emacs succeeds, and complains of nothing.
fn is_clean(arguments: &[&str]) -> Result<()> {
    let Some(output) = batch(arguments)? else { return Ok(()) };
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success() && !said.contains("arning"), "{said}");
    Ok(())
}

#[test]
fn the_lisp_compiles_without_a_warning() -> Result<()> {
    let to_nowhere = "(setq byte-compile-error-on-warn t \
        byte-compile-dest-file-function (lambda (_) (make-temp-file \"alongside\")))";
    is_clean(&["--eval", to_nowhere, "-f", "batch-byte-compile", "alongside.el"])
}

#[test]
fn checkdoc_finds_nothing() -> Result<()> {
    is_clean(&["--eval", "(progn (require 'checkdoc) (checkdoc-file \"alongside.el\"))"])
}

#[test]
fn package_lint_finds_nothing() -> Result<()> {
    let Some(emacs) = or_skip(install_emacs(Generation::Newest)) else { return Ok(()) };
    let share = emacs.program.with_file_name("../share/emacs/site-lisp/elpa-src");
    let found = fs::read_dir(&share)?.flatten().map(|entry| entry.path());
    let lint = found.filter(|path| path.to_string_lossy().contains("/package-lint-")).collect::<Vec<_>>();
    let [lint] = &lint[..] else { panic!("one package-lint in {}, not {lint:?}", share.display()) };
    let lint = lint.to_string_lossy();
    let without_compiler = "(setq native-comp-enable-subr-trampolines nil)";
    let run = ["--eval", without_compiler, "-l", "package-lint", "-f", "package-lint-batch-and-exit"];
    is_clean(&[&["-L", &lint][..], &run, &["alongside.el"]].concat())
}

#[test]
fn the_adapters_own_tests_pass() -> Result<()> {
    let run = ["-l", "tests/alongside-test.el", "-f", "ert-run-tests-batch-and-exit"];
    let Some(output) = batch(&run)? else { return Ok(()) };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains(" 0 unexpected"), "{said}");
    Ok(())
}
