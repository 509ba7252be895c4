//! Measures for how long a hook holds its agent up, without the time of a person: where no companion serves
//! the project, and where a desk accepts at once. Beside it, the smallest hooks in Node and in Python: they
//! read the tool call, and print nothing.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use super::super::plan::KB;
use super::super::repetitions::{Bench, row_key};
use super::super::report::Unit;
use super::super::sides::{Alternative, Measure, of_debian};
use super::super::subject::Subject;
use super::{edits, file, millis, text};
use crate::sandbox::Sandbox;

/// The size of the file that the agent writes, in bytes.
const FILE_BYTES: usize = 10 * KB;

const NODE_HOOK: &str = "process.stdin.resume()";
const PYTHON_HOOK: &str = "import sys; sys.stdin.buffer.read()";

impl Bench<'_> {
    pub(in super::super) fn hook_cost(&mut self) -> Result<()> {
        (self.report_progress)("hooks, from start to end");
        let rows = ["Node", "Python"].map(|other| {
            [
                row_key(format!("a hook without a companion; instead: a hook in {other}"), Unit::Millis),
                row_key(format!("a hook, accepted at once; instead: a hook in {other}"), Unit::Millis),
            ]
        });
        let samples = self.plan.keys;
        let node = of_debian("node").map(|node| interpreter(&node, ["-e", NODE_HOOK], samples));
        let python = of_debian("python3").map(|python| interpreter(&python, ["-c", PYTHON_HOOK], samples));
        let others = [(0..2, node), (2..4, python)];
        let others = others.into_iter().map(|(rows, measure)| Alternative { rows, measure }).collect();
        let begin = |subject: &Subject, program: &Path| hook(subject, program, samples);
        let repetitions = self.plan.repetitions;
        self.measure_sides(rows.as_flattened(), repetitions, begin, others)
    }
}

/// The call of a tool that writes a file of the project. The changed lines contain `version`: a companion
/// answers the same call from the review before.
fn tool_call(project: &Path, version: &str) -> String {
    let input = json!({
        "session_id": "bench",
        "cwd": project,
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_input": {
            "file_path": file(project, "hooked.rs"),
            "content": text(FILE_BYTES, edits(FILE_BYTES), version),
        },
    });
    input.to_string()
}

/// Measures alongside's hook alone, and with a desk that accepts each proposal at once.
fn hook(subject: &Subject, program: &Path, samples: usize) -> Result<Measure> {
    let mut companion = subject.start()?;
    let alone = Sandbox::new();
    let program = program.to_owned();
    let path = file(&companion.project, "hooked.rs");
    std::fs::write(&path, text(FILE_BYTES, 0, ""))?;
    let mut proposals = 0;
    Ok(Box::new(move || {
        let call = tool_call(&alone.project(), "version 1;");
        let run_alone = |_| run(&mut command(&program, &alone, ["hook", "claude"]), &call, || Ok(()));
        let without = (0..samples).map(run_alone).collect::<Result<Vec<_>>>()?;
        let mut with = Vec::new();
        for _ in 0..samples {
            proposals += 1;
            let call = tool_call(&companion.project, &format!("version {proposals};"));
            let mut hook = companion.program(&["hook", "claude"]).context("this companion has no program")?;
            let desk = companion.desk()?;
            let accept = || desk.accept(&desk.wait_for_proposal(&path)?).map(drop);
            with.push(run(&mut hook, &call, accept)?);
        }
        Ok(vec![without.clone(), with.clone(), without, with])
    }))
}

/// Measures a hook that an interpreter runs.
fn interpreter(program: &Path, arguments: [&'static str; 2], samples: usize) -> Measure {
    let (program, sandbox) = (program.to_owned(), Sandbox::new());
    Box::new(move || {
        let call = tool_call(&sandbox.project(), "version 1;");
        let once = |_| run(&mut command(&program, &sandbox, arguments), &call, || Ok(()));
        let took = (0..samples).map(once).collect::<Result<Vec<_>>>()?;
        Ok(vec![took.clone(), took])
    })
}

fn command(program: &Path, sandbox: &Sandbox, arguments: [&str; 2]) -> Command {
    // NODE_OPTIONS loads a script for agents in containers, which a hook does not need.
    let environment = sandbox.env().into_iter().filter(|(name, _)| *name != "NODE_OPTIONS");
    let mut command = Command::new(program);
    command.env_clear().envs(environment).current_dir(sandbox.project()).args(arguments);
    command
}

/// Runs a hook with a tool call. Returns the time from its start to its end, in milliseconds.
fn run(hook: &mut Command, call: &str, decide: impl FnOnce() -> Result<()>) -> Result<f64> {
    hook.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let since = Instant::now();
    let mut hook = hook.spawn().context("the hook does not start")?;
    let stdin = hook.stdin.take();
    stdin.context("the standard input is not piped")?.write_all(call.as_bytes())?;
    decide()?;
    let status = hook.wait()?;
    let took = millis(since.elapsed());
    ensure!(status.success(), "the hook has failed ({status})");
    Ok(took)
}
