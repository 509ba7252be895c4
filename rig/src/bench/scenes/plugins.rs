//! Measures what the plugins for Neovim and Vim add to the start of their editor, and the time until agents
//! can find Neovim's companion.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::super::neovim::{Neovim, variables};
use super::super::repetitions::{Bench, row_key};
use super::super::report::Unit;
use super::super::sides::{Alternative, Measure};
use super::super::subject::Subject;
use super::super::timed_screen::TimedScreen;
use super::millis;
use crate::adapters;
use crate::editors::{Generation, install_editors, install_vim};
use crate::sandbox::Sandbox;

impl Bench<'_> {
    pub(in super::super) fn plugins(&mut self) -> Result<()> {
        self.start_ups("Neovim's --startuptime with the plugin", neovim_start)?;
        self.start_ups("Vim's --startuptime with the plugin", vim_start)?;
        (self.report_progress)("Neovim, until agents can find it");
        let rows = [row_key("start of Neovim → every discovery file", Unit::Millis)];
        let begin = |_: &Subject, program: &Path| -> Result<Measure> {
            let program = program.to_owned();
            Ok(Box::new(move || Ok(vec![vec![millis(Neovim::start(&program, "")?.time_to_found)]])))
        };
        self.measure_sides(&rows, self.plan.starts, begin, Vec::new())
    }

    /// Measures the start of an editor with and without its plugin. `prepare` returns the function that
    /// starts the editor once, with this program or without the plugin.
    fn start_ups(&mut self, what: &str, prepare: fn(Option<&Path>) -> Result<Start>) -> Result<()> {
        (self.report_progress)(what);
        let rows = [
            row_key(format!("{what}; instead: without it"), Unit::Millis),
            row_key(format!("{what}, beyond a start without it"), Unit::Millis),
        ];
        let samples = self.plan.keys.div_ceil(4);
        let begin = |_: &Subject, program: &Path| -> Result<Measure> {
            let (mut with, mut without) = (prepare(Some(program))?, prepare(None)?);
            Ok(Box::new(move || {
                let (mut whole, mut beyond) = (Vec::new(), Vec::new());
                for _ in 0..samples {
                    let (plain, took) = (without()?, with()?);
                    whole.push(took);
                    // A busy machine can start the plain editor more slowly.
                    beyond.push((took - plain).max(0.0));
                }
                Ok(vec![whole, beyond])
            }))
        };
        let plain = prepare(None).map(|mut start| -> Measure {
            Box::new(move || Ok(vec![(0..samples).map(|_| start()).collect::<Result<_>>()?]))
        });
        let plain = Alternative { rows: 0..1, measure: plain };
        self.measure_sides(&rows, self.plan.repetitions, begin, vec![plain])
    }
}

/// Starts an editor once. Returns the time in milliseconds.
type Start = Box<dyn FnMut() -> Result<f64>>;

/// Returns the start of Neovim, without a terminal.
fn neovim_start(program: Option<&Path>) -> Result<Start> {
    let editor = install_editors()?.neovim(Generation::Newest);
    let sandbox = Sandbox::new();
    match program {
        Some(_) => adapters::neovim(&sandbox, "")?,
        None => drop(sandbox.write_home(".config/nvim/init.lua", "")),
    }
    let log = sandbox.tmp().join("startuptime.log");
    let mut command = Command::new(&editor.program);
    command.env_clear().envs(sandbox.env()).envs(variables(&editor, &sandbox, program)?);
    command.args(["--headless", "-c", "autocmd VimEnter * lua vim.schedule(function() vim.cmd('qa!') end)"]);
    command.arg("--startuptime").arg(&log).arg(open_file(&sandbox)).current_dir(sandbox.project());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(Box::new(move || {
        // The sandbox ends with this function.
        let _sandbox = &sandbox;
        let status = command.status().context("Neovim does not start")?;
        ensure!(status.success(), "Neovim has failed ({status})");
        take_clock(&log)
    }))
}

/// Returns the start of Vim, which needs a terminal.
fn vim_start(program: Option<&Path>) -> Result<Start> {
    let editor = install_vim(Generation::Newest)?;
    let sandbox = Sandbox::new();
    match program {
        Some(_) => adapters::vim(&sandbox, "")?,
        None => drop(sandbox.write_home(".vim/vimrc", "")),
    }
    let log = sandbox.tmp().join("startuptime.log");
    let variables = variables(&editor, &sandbox, program)?;
    let words: [OsString; 6] = [
        editor.program.into(),
        open_file(&sandbox).into(),
        "--startuptime".into(),
        log.clone().into(),
        "-c".into(),
        "autocmd VimEnter * call timer_start(0, {-> execute('qa!')})".into(),
    ];
    Ok(Box::new(move || {
        TimedScreen::start(&sandbox, variables.clone(), words.clone())?.wait_for_end()?;
        take_clock(&log)
    }))
}

fn open_file(sandbox: &Sandbox) -> PathBuf {
    sandbox.write("open.rs", "a line\n".repeat(100))
}

/// Reads the editor's own clock at the end of its start, in milliseconds, and removes the file.
fn take_clock(log: &Path) -> Result<f64> {
    let times = std::fs::read_to_string(log).context("the editor has written no times")?;
    std::fs::remove_file(log)?;
    let started = times.lines().rev().find(|line| line.contains("VIM STARTED"));
    let clock = started.and_then(|line| line.split_whitespace().next()?.parse().ok());
    clock.with_context(|| format!("the editor has not started:\n{times}"))
}
