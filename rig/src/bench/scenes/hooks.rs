//! From the start of an agent's hook until a desk has its proposal: the agent waits for all of it.

use std::io::Write as _;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context as _, Result};
use serde_json::json;

use super::super::editor_hands::Hands;
use super::super::report::Unit;
use super::super::turns::{Bench, Seat, row};
use super::{between, file, millis};

impl Bench<'_> {
    pub(in super::super) fn hooks(&mut self) -> Result<()> {
        (self.tell)("hooks");
        let mut parties = self.seats()?;
        // Other makers' companions have no hook, and neither have older programs of ours.
        parties.retain(|party| party.seat.as_ref().is_ok_and(|seat| seat.companion.has_hook()));
        let rows = [
            row("start of a hook → its proposal at a desk", Unit::Millis),
            row("for comparison: the same program says its version", Unit::Millis),
        ];
        let samples = self.plan.samples.min(20);
        let mut proposals = 0;
        self.turns(&rows, &mut parties, self.plan.turns, |seat| {
            let mut shown = Vec::new();
            for _ in 0..samples {
                proposals += 1;
                shown.push(propose(seat, &format!("proposal {proposals}\n"))?);
            }
            let said = (0..samples).map(|_| says_its_version(seat)).collect::<Result<_>>()?;
            Ok(vec![shown, said])
        })
    }
}

fn propose(seat: &mut Seat, text: &str) -> Result<f64> {
    let path = file(&seat.companion.project, "hooked.txt");
    let input = json!({
        "session_id": "bench",
        "cwd": seat.companion.project,
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_input": { "file_path": path, "content": text },
    });
    let mut command = seat.companion.program(&["hook", "claude"]).context("it has no hook")?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let since = Instant::now();
    let mut hook = command.spawn()?;
    let stdin = hook.stdin.take();
    stdin.context("its input is piped")?.write_all(input.to_string().as_bytes())?;
    let Hands::Desk(desk) = seat.companion.hands()? else { anyhow::bail!("no desk is there") };
    let shown = desk.shown(&path)?;
    // The review ends with its hook.
    hook.kill()?;
    hook.wait()?;
    Ok(millis(between(since, shown.at)))
}

fn says_its_version(seat: &Seat) -> Result<f64> {
    let mut command = seat.companion.program(&["--version"]).context("it has no program")?;
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let since = Instant::now();
    command.status()?;
    Ok(millis(since.elapsed()))
}
