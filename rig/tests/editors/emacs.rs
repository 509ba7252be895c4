//! Emacs in a new home, with agents that are not set up for it: from the installation of the adapter to its
//! removal.

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
use crate::script::{IN_CAPITALS, REQUEST_AGAIN};
use crate::stage::{AGENT_WINDOW, Stage};

alongside_rig::tests! {
    emacs_and_gemini: from_installation_to_removal(Cli::Gemini),
    #[ignore = "cargo xtask test --all"]
    emacs_and_qwen: from_installation_to_removal(Cli::Qwen),
}

fn from_installation_to_removal(cli: Cli) -> Result<()> {
    let Some(stage) = Stage::new_or_skip(Generation::Newest)? else { return Ok(()) };
    let Some(emacs) = or_skip(install_emacs(Generation::Newest)) else { return Ok(()) };
    emacs.put_on_path(&stage.sandbox)?;
    let settings = stage.sandbox.write_home(".emacs.d/early-init.el", EMACS_SETTINGS);
    let (shell, other_file) = stage.install("emacs", "Installed. Restart Emacs")?;
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

    // The proposal is announced, and the person continues in another file.
    pane.wait_for("the proposal", |screen| screen.contains("proposes 3 changes"))?;
    agent.wait_until_it_asks()?;
    // C-g discards the keys that Emacs has not read yet, so the next keys wait for its effect.
    pane.press_and_see("C-g", "the selection to be given up", "Quit")?;
    run_and_see(&pane, "find-file", Some("other.md"), "the other file", "other.md  ")?;
    pane.type_and_see("a line of my own", "the typed text", "a line of my own")?;
    run_and_see(&pane, "save-buffer", None, "the file to be written", "Wrote ")?;
    assert_eq!(fs::read_to_string(other_file)?.trim_end(), "a line of my own");

    // The person drops the first change, edits the last one, and accepts the result.
    run_and_see(&pane, "alongside-review", None, "the review", "change 1 of 3: kept")?;
    pane.type_and_see("k", "a dropped change", "2 kept, 1 dropped")?;
    pane.type_text("nn")?;
    edit_line(&pane, "14")?;
    pane.wait_for("the edited change", |screen| screen.contains("change 3 of 3: edited"))?;
    press_all(&pane, &["C-c", "C-c"])?;
    pane.wait_for("the review to be over", |screen| !screen.contains("change 3 of 3"))?;
    assert_eq!(pane.screen()?.matches("-UU").count(), 1, "the window of the review has gone");
    stage.assert_accepted(&agent)?;
    run_command(&pane, "switch-to-buffer", Some("notes.md"))?;
    pane.wait_for("the file as it is now", |screen| screen.contains("\nEIGHT") && screen.contains("\n14"))?;

    // A rejected proposal leaves a draft with the text that the person typed.
    agent.ask_for_change(REQUEST_AGAIN)?;
    pane.wait_for("the next proposal", |screen| screen.contains("proposes 2 changes"))?;
    run_and_see(&pane, "alongside-review", None, "the review", "change 1 of 2: kept")?;
    edit_line(&pane, "typed by me")?;
    pane.wait_for("the edited change", |screen| screen.contains("change 1 of 2: edited"))?;
    press_all(&pane, &["C-c", "C-k"])?;
    pane.wait_for("the rejection", |screen| screen.contains("notes.md: rejected"))?;
    stage.assert_rejected(&shell, &agent)?;

    // Emacs ends while a proposal waits, after a question. The text that was typed just before is in a draft.
    let proposer = Proposer::gemini(&stage.sandbox)?;
    let proposal = proposer.propose(&stage.file, IN_CAPITALS)?;
    pane.wait_for("the last proposal", |screen| screen.contains("proposes 2 changes"))?;
    run_and_see(&pane, "alongside-review", None, "the review", "change 1 of 2: kept")?;
    pane.type_and_see("e", "the text", "Your text of a proposal")?;
    pane.type_text("typed at the end ")?;
    press_all(&pane, &["C-x", "C-c"])?;
    pane.wait_for("the question before Emacs ends", |screen| screen.contains("ending Emacs rejects it"))?;
    pane.enter("yes")?;
    stage.wait_until_closed(&pane)?;
    stage.assert_ended_and_uninstall(proposal, &agent, &shell)?;
    assert_eq!(files_below(settings.parent().unwrap()), [settings], "{}", shell.history()?);
    Ok(())
}

alongside_rig::tests! {
    emacs_obeys_no_name_and_no_text_of_an_agent: assert_obeys_nothing(hostile::every_fourth),
    #[ignore = "cargo xtask test --all"]
    emacs_obeys_no_row_of_the_table: assert_obeys_nothing(std::convert::identity),
}

/// The settings of a person who lets files set more than Emacs does by default, with a key for the next
/// proposal. The proposal may come later than the status that counts it, so the key waits for it.
const TRUSTING: &str = "(setq enable-local-eval t diff-font-lock-syntax 'hunk-also)
(global-set-key (kbd \"<f5>\") (lambda () (interactive)
  (while (not (alongside--reviews)) (accept-process-output nil 0.05))
  (alongside-next-review)))\n";

/// Shows each row in Emacs, edits it, goes to its file, and decides. Names that begin with a method of TRAMP
/// are outside the project, so Emacs asks before it accepts them.
fn assert_obeys_nothing(rows: fn(Vec<Row>) -> Vec<Row>) -> Result<()> {
    let Some(stage) = Stage::new_or_skip(Generation::Newest)? else { return Ok(()) };
    let Some(emacs) = or_skip(install_emacs(Generation::Newest)) else { return Ok(()) };
    let sandbox = &stage.sandbox;
    emacs.put_on_path(sandbox)?;
    adapters::emacs(sandbox)?;
    table::set_traps(sandbox)?;
    let init = sandbox.home().join(".emacs.d/init.el");
    fs::write(&init, fs::read_to_string(&init)? + TRUSTING)?;
    let pane = stage.terminal.window("emacs", AGENT_WINDOW)?;
    pane.enter("clear; emacs -nw notes.md")?;
    pane.wait_for("the file", |screen| screen.contains("fifteen") && screen.contains("Alongside[no agent]"))?;

    let mut rows = rows(table::rows(sandbox));
    rows.extend(["/ssh:host:/x.md", "/sudo::/x.md"].map(|path| Row {
        why: "TRAMP, outside the project",
        agent: path,
        path: path.into(),
        original: None,
        // The row is accepted, because Emacs then looks for a buffer of the file.
        proposed: format!("{path}\nrow at {path}!\n"),
        unique_line: format!("row at {path}"),
    }));
    hostile::decide_each(sandbox, rows, |row| {
        let is_shown = |screen: &str| screen.contains(&format!("+{}", row.unique_line));
        let is_mode_line = |line: &&str| line.starts_with('-') && line.contains("  F1  ");
        let has_windows = |count| move |screen: &str| screen.lines().filter(is_mode_line).count() == count;
        // The mode line, and not the message: that agents of earlier rows have left is a message as well.
        pane.wait_for("the announcement", |screen| screen.contains("Alongside[1 review]"))?;
        pane.press("F5")?;
        pane.wait_for("the proposal", is_shown)?;
        if row.original.is_some() {
            pane.type_text("o")?;
            pane.wait_for("the file", has_windows(2))?;
            press_all(&pane, &["C-x", "0"])?;
            pane.wait_for("the proposal alone", has_windows(1))?;
        }
        pane.type_text("e")?;
        pane.wait_for("the text", |screen| {
            screen.contains("Your text of a proposal") && screen.contains(&row.unique_line)
        })?;
        press_all(&pane, &["C-c", "C-c"])?;
        pane.wait_for("the proposal after that", is_shown)?;
        press_all(&pane, &["C-c", if hostile::is_accepted(row) { "C-c" } else { "C-k" }])?;
        if !row.path.starts_with(sandbox.project()) {
            pane.wait_for("the question before accepting", |screen| screen.contains("Accept all the same?"))?;
            pane.enter("yes")?;
        }
        pane.wait_for("the decision", |screen| !is_shown(screen) && !screen.contains("1 review")).map(drop)
    })
}

/// Runs a command as [`run_command`] does, and waits until the screen shows `shown`.
fn run_and_see(pane: &Pane, command: &str, answer: Option<&str>, what: &str, shown: &str) -> Result<String> {
    run_command(pane, command, answer)?;
    pane.wait_for(what, |screen| screen.contains(shown))
}

/// Runs a command by its name, with an answer to its question.
fn run_command(pane: &Pane, command: &str, answer: Option<&str>) -> Result<()> {
    pane.press_and_see("M-x", "the command line", "M-x")?;
    pane.enter(command)?;
    if let Some(answer) = answer {
        pane.wait_for("the question of the command", |screen| {
            screen.lines().last().is_some_and(|line| line.contains(':') && !line.contains("M-x"))
        })?;
        // The answer begins with a directory, which the person deletes.
        pane.press("C-a")?;
        pane.press("C-k")?;
        pane.enter(answer)?;
    }
    Ok(())
}

/// Opens the proposal's text at the change at point, replaces the line there, and returns to the review.
fn edit_line(pane: &Pane, line: &str) -> Result<()> {
    pane.type_and_see("e", "the text", "Your text of a proposal")?;
    pane.press("C-k")?;
    pane.type_and_see(line, "the typed line", line)?;
    press_all(pane, &["C-c", "C-c"])
}

fn press_all(pane: &Pane, keys: &[&str]) -> Result<()> {
    keys.iter().try_for_each(|key| pane.press(key))
}

/// Runs Emacs in batch mode with these arguments in the adapter's directory, and returns its output.
fn run_batch(arguments: &[&str]) -> Result<Option<Output>> {
    let Some(emacs) = or_skip(install_emacs(Generation::Newest)) else { return Ok(None) };
    let sandbox = Sandbox::new();
    let adapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/emacs");
    let mut command = Command::new(&emacs.program);
    command.env_clear().envs(sandbox.env()).envs(emacs.environment.iter().map(|(name, value)| (name, value)));
    command.current_dir(adapter).args(&emacs.arguments).args(["-Q", "--batch", "-L", "."]).args(arguments);
    Ok(Some(command.output()?))
}

/// Fails unless Emacs succeeds in batch mode without a warning.
fn assert_clean(arguments: &[&str]) -> Result<()> {
    let Some(output) = run_batch(arguments)? else { return Ok(()) };
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8_lossy(&printed);
    assert!(output.status.success() && !printed.contains("arning"), "{printed}");
    Ok(())
}

#[test]
fn the_lisp_compiles_without_a_warning() -> Result<()> {
    let settings = "(setq byte-compile-error-on-warn t \
        byte-compile-dest-file-function (lambda (_) (make-temp-file \"alongside\")))";
    assert_clean(&["--eval", settings, "-f", "batch-byte-compile", "alongside.el"])
}

#[test]
fn checkdoc_finds_nothing() -> Result<()> {
    assert_clean(&["--eval", "(progn (require 'checkdoc) (checkdoc-file \"alongside.el\"))"])
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
    assert_clean(&[&["-L", &lint][..], &run, &["alongside.el"]].concat())
}

#[test]
fn the_adapters_own_tests_pass() -> Result<()> {
    let run = ["-l", "tests/alongside-test.el", "-f", "ert-run-tests-batch-and-exit"];
    let Some(output) = run_batch(&run)? else { return Ok(()) };
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.contains(" 0 unexpected"), "{stderr}");
    Ok(())
}
