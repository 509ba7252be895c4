//! The time from the start of an agent's hook until a desk has its proposal: the agent waits for all of it.
//! And the companion's part of it, also where it has to find out whether it may accept the proposal without a
//! person.

use std::io::Write as _;
use std::process::Stdio;
use std::time::Instant;

use alongside_contract::diff::DIFF_ACCEPTED;
use alongside_desk::HookProposal;
use anyhow::{Context as _, Result, bail};
use serde_json::json;

use super::super::desk::Desk;
use super::super::editor_hands::Hands;
use super::super::report::Unit;
use super::super::turns::{Bench, Seat, row};
use super::{between, file, micros, millis, text};

impl Bench<'_> {
    pub(in super::super) fn hooks(&mut self) -> Result<()> {
        (self.tell)("hooks");
        let mut parties = self.seats_with_hooks()?;
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
        })?;
        self.ruled_proposals()
    }

    /// Measures in a repository, as most projects are one.
    fn ruled_proposals(&mut self) -> Result<()> {
        (self.tell)("proposals of hooks, without and with a grant");
        let mut parties = self.seats_with_hooks()?;
        let what = "a hook's proposal → a desk";
        let rows = [
            row(what, Unit::Micros),
            row(format!("{what}, while others may be accepted without a person"), Unit::Micros),
            row("the second of these, in times of the first", Unit::Count),
        ];
        let samples = self.plan.samples;
        self.turns(&rows, &mut parties, self.plan.turns, |seat| {
            let git = seat.companion.project.join(".git");
            std::fs::create_dir_all(git.join("hooks"))?;
            std::fs::write(git.join("config"), GIT_CONFIG)?;
            let without = bring(seat, samples)?;
            grant(seat)?;
            let with = bring(seat, samples)?;
            desk(seat)?.withdraw_grants()?;
            let times = middle(&with) / middle(&without);
            Ok(vec![without, with, vec![times]])
        })
    }
}

/// The configuration that `git clone` leaves.
const GIT_CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\t\
    logallrefupdates = true\n[remote \"origin\"]\n\turl = https://git.example/project.git\n\t\
    fetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\t\
    merge = refs/heads/main\n";

fn desk(seat: &mut Seat) -> Result<&Desk> {
    match seat.companion.hands()? {
        Hands::Desk(desk) => Ok(desk),
        Hands::Socket { .. } | Hands::Command { .. } => bail!("no desk is there"),
    }
}

/// Brings proposals as a hook does that runs already, each until a desk has it, in microseconds.
fn bring(seat: &mut Seat, samples: usize) -> Result<Vec<f64>> {
    let path = file(&seat.companion.project, "brought.rs");
    std::fs::write(&path, text(8 << 10, 0, ""))?;
    let desk = desk(seat)?;
    let bring = |sample| {
        let proposal = HookProposal {
            agent: "Claude Code".into(),
            session: "bench".into(),
            file: path.clone(),
            proposed: text(8 << 10, 3, &format!("proposal {sample}")).into(),
            patience_ms: 60_000,
            ..HookProposal::default()
        };
        let (since, _hook) = desk.propose(&proposal)?;
        Ok(micros(between(since, desk.shown(&path)?.at)))
    };
    (0..samples).map(bring).collect()
}

/// Has the person accept all that a session proposes for another file.
fn grant(seat: &mut Seat) -> Result<()> {
    let path = file(&seat.companion.project, "granted.rs");
    seat.crowd.grow(1)?;
    for turn in ["asked", "granted"] {
        let arguments = json!({ "filePath": path, "newContent": format!("{turn}\n") });
        let open = seat.crowd.call(0, "openDiff", &arguments);
        seat.crowd.ask(0, &open)?.result()?;
        if turn == "asked" {
            let desk = desk(seat)?;
            desk.grant(&desk.shown(&path)?)?;
            // A request that comes later may come sooner by another way.
            seat.crowd.calm_down(std::time::Duration::from_millis(20))?;
        }
    }
    seat.crowd.wait("the acceptance by a grant", |told| told.method == DIFF_ACCEPTED).map(drop)
}

fn middle(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
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
    let shown = desk(seat)?.shown(&path)?;
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
