//! Measures a real Neovim with the plugin: context, a proposal on its screen, the outcome, the problems in
//! files, and the memory of all its processes. No other plugin for these agents installs from Debian, npm or
//! crates.io, so there is nothing beside it.

use std::path::Path;
use std::time::{Duration, Instant};

use alongside_contract::context::CONTEXT_UPDATE;
use alongside_contract::diff::DIFF_ACCEPTED;
use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use super::super::agents::StreamMessage;
use super::super::diagnostics_agent::DiagnosticsAgent;
use super::super::neovim::Neovim;
use super::super::plan::{KB, PATIENCE};
use super::super::process;
use super::super::repetitions::{Bench, RowKey, row_key};
use super::super::report::Unit;
use super::super::sides::Measure;
use super::super::subject::Subject;
use super::{between, file, micros, millis, size, text};
use crate::procfs::command_line;

/// The setting with which a proposal opens in a pause.
const AUTO_OPEN: &str = "require('alongside').setup{ auto_open = true }";

/// Defines the function with which a linter's problems come into the open file.
const PROBLEMS: &str = "\
function Problems(count)
  local all = {}
  for n = 1, count do
    all[n] = { lnum = n - 1, col = 0, end_col = 4, severity = 2, message = 'problem ' .. n, source = 'bench' }
  end
  vim.diagnostic.set(vim.api.nvim_create_namespace('bench'), 0, all)
end";

/// The most problems in the companion's answer.
const MAX_ANSWERED: usize = 1_000;

/// The time after a key in which the plugin takes the person for typing, and a little more. The agent answers
/// pings meanwhile.
const PAUSE: Duration = Duration::from_millis(700);

/// The size of a proposal that fits on the screen with all of its changes, and their number.
const SMALL: (usize, usize) = (10 * KB, 3);

/// The processes of Neovim with the plugin: a name for each, and the word on its command line.
const PROCESSES: [(&str, &str); 3] = [("host", " host "), ("language server", " lsp"), ("Neovim", "nvim")];

impl Bench<'_> {
    pub(in super::super) fn neovim(&mut self) -> Result<()> {
        let samples = self.plan.keys;
        let row = |what: &str| row_key(what, Unit::Millis);
        let rows = [row("a move of the cursor in Neovim → its agent has the context, with the debounce")];
        self.in_neovim("context in Neovim", &rows, |program| contexts(program, samples))?;
        let rows = [
            row("a proposal of 10 KB → the screen of Neovim, with auto_open"),
            row("a key that accepts in Neovim → the notification"),
        ];
        self.in_neovim("proposals in Neovim", &rows, |program| proposals(program, samples.div_ceil(4)))?;
        for problems in self.plan.problems.clone() {
            let what = format!("getDiagnostics through Neovim, {problems} problems");
            let rows = [row_key(what.clone(), Unit::Micros)];
            self.in_neovim(&what, &rows, |program| diagnostics(program, problems, samples))?;
        }
        self.memory_in_neovim()
    }

    fn memory_in_neovim(&mut self) -> Result<()> {
        let (bytes, settling) = (self.plan.kept_proposal, self.plan.settling);
        let seconds = settling.as_secs_f32();
        let when = format!("{seconds} s after a proposal of {} in Neovim", size(bytes));
        let row = |of: &str| row_key(format!("memory {when}, {of}"), Unit::Kib);
        let mut rows = vec![row("all processes, resident"), row("all processes, their own")];
        rows.extend(PROCESSES.map(|(name, _)| row(&format!("{name}, its own"))));
        (self.report_progress)(&when);
        let begin = |_: &Subject, program: &Path| -> Result<Measure> {
            let program = program.to_owned();
            Ok(Box::new(move || memory(&program, bytes, settling)))
        };
        self.measure_sides(&rows, self.plan.repetitions.min(3), begin, Vec::new())
    }

    fn in_neovim(
        &mut self,
        progress: &str,
        rows: &[RowKey],
        begin: impl Fn(&Path) -> Result<Measure>,
    ) -> Result<()> {
        (self.report_progress)(progress);
        let begin = |_: &Subject, program: &Path| begin(program);
        self.measure_sides(rows, self.plan.repetitions, begin, Vec::new())
    }
}

/// Measures the time from a key that moves the cursor until the agent has the new line.
fn contexts(program: &Path, samples: usize) -> Result<Measure> {
    let mut neovim = Neovim::start(program, "")?;
    neovim.agents.connect_up_to(1)?;
    let mut line = 1;
    Ok(Box::new(move || {
        let mut took = Vec::new();
        for _ in 0..samples {
            line += 1;
            took.push(millis(move_down(&mut neovim, line)?));
        }
        Ok(vec![took])
    }))
}

/// Moves the cursor down to this line. Returns the time until the agent had the line.
fn move_down(neovim: &mut Neovim, line: u64) -> Result<Duration> {
    neovim.agents.drain_messages(Duration::from_millis(60))?;
    let pressed_at = neovim.screen.press("j")?;
    let is_wanted =
        |message: &StreamMessage| message.method == CONTEXT_UPDATE && message.cursor_line() == line;
    Ok(between(pressed_at, neovim.agents.wait("the context", is_wanted)?.at))
}

/// Measures the time until a proposal is on the screen, and from the key that accepts it until the agent has
/// the text.
fn proposals(program: &Path, samples: usize) -> Result<Measure> {
    let mut neovim = Neovim::start(program, AUTO_OPEN)?;
    neovim.agents.connect_up_to(1)?;
    let (bytes, edits) = SMALL;
    let path = file(&neovim.sandbox.project(), "seen.rs");
    std::fs::write(&path, text(bytes, 0, ""))?;
    let mut proposals = 0;
    Ok(Box::new(move || {
        let (mut shown, mut accepted) = (Vec::new(), Vec::new());
        for _ in 0..samples {
            proposals += 1;
            let version = format!("version {proposals};");
            let proposed = text(bytes, edits, &version);
            neovim.agents.drain_messages(PAUSE)?;
            shown.push(millis(show(&mut neovim, &path, &proposed, &version)?));
            neovim.agents.drain_messages(PAUSE)?;
            let pressed_at = neovim.screen.press("\\a")?;
            let outcome = neovim.agents.wait("the outcome", |message| message.method == DIFF_ACCEPTED)?;
            ensure!(outcome.params["content"] == proposed, "another text was accepted");
            accepted.push(millis(between(pressed_at, outcome.at)));
        }
        Ok(vec![shown, accepted])
    }))
}

/// Proposes a text. Returns the time until `version` was on the screen.
fn show(neovim: &mut Neovim, path: &str, proposed: &str, version: &str) -> Result<Duration> {
    let open = neovim.agents.call(0, "openDiff", &json!({ "filePath": path, "newContent": proposed }));
    let proposed_at = Instant::now();
    neovim.agents.ask(0, &open)?.result()?;
    let shown_at = neovim.screen.wait_for("the proposal", |text| text.contains(version))?;
    Ok(between(proposed_at, shown_at))
}

/// Measures the response of an agent's question for the problems in files.
fn diagnostics(program: &Path, problems: usize, samples: usize) -> Result<Measure> {
    let neovim = Neovim::start(program, PROBLEMS)?;
    let mut agent = DiagnosticsAgent::connect(&neovim.agents.address)?;
    // The first problem shows that Neovim is asked, also where none is left to report.
    report_problems(&neovim, &mut agent, 1)?;
    let answered = report_problems(&neovim, &mut agent, problems)?;
    Ok(Box::new(move || {
        let _running = &neovim;
        let mut took = Vec::new();
        for _ in 0..samples {
            let (found, time) = agent.ask_for_problems()?;
            ensure!(found == answered, "{found} problems are reported, not {answered}");
            took.push(micros(time));
        }
        Ok(vec![took])
    }))
}

/// Sets the number of problems in Neovim, and waits until the agent hears of them. Returns how many it hears
/// of.
fn report_problems(neovim: &Neovim, agent: &mut DiagnosticsAgent, problems: usize) -> Result<usize> {
    let answered = problems.min(MAX_ANSWERED);
    neovim.screen.press(&format!(":lua Problems({problems})\r"))?;
    let until = Instant::now() + PATIENCE;
    while agent.ask_for_problems()?.0 != answered {
        ensure!(Instant::now() < until, "Neovim does not report {problems} problems");
    }
    Ok(answered)
}

/// Measures the memory of all processes of a new Neovim some time after a proposal.
fn memory(program: &Path, bytes: usize, settling: Duration) -> Result<Vec<Vec<f64>>> {
    let mut neovim = Neovim::start(program, AUTO_OPEN)?;
    neovim.agents.connect_up_to(1)?;
    let path = file(&neovim.sandbox.project(), "large.rs");
    std::fs::write(&path, text(bytes, 0, ""))?;
    show(&mut neovim, &path, &text(bytes, SMALL.1, "version 1;"), "version 1;")?;
    std::thread::sleep(settling);
    let (mut resident, mut own, mut parts) = (0.0, 0.0, [0.0; PROCESSES.len()]);
    for pid in neovim.sandbox.processes() {
        let (pid, line) = (pid.as_raw_nonzero().get(), command_line(pid.as_raw_nonzero()));
        let Some(part) = PROCESSES.iter().position(|(_, word)| line.contains(word)) else { continue };
        let memory = process::memory(u32::try_from(pid).context("a negative process id")?)?;
        resident += memory.resident;
        own += memory.own;
        parts[part] += memory.own;
    }
    Ok([resident, own].into_iter().chain(parts).map(|kib| vec![kib]).collect())
}
