//! Measures the time from the start of an agent's hook until a desk has its proposal, for which the agent
//! waits. Measures the companion's part of that time as well, with and without a grant to check.

use std::io::Write as _;
use std::process::Stdio;
use std::time::Instant;

use alongside_contract::diff::DIFF_ACCEPTED;
use alongside_desk::HookProposal;
use anyhow::{Context as _, Result};
use serde_json::json;

use super::super::repetitions::{Bench, Seat, row_key};
use super::super::report::Unit;
use super::{between, file, micros, millis, text};

impl Bench<'_> {
    pub(in super::super) fn hooks(&mut self) -> Result<()> {
        (self.report_progress)("hooks");
        let mut entrants = self.start_subjects_with_hooks()?;
        let rows = [
            row_key("start of a hook → its proposal at a desk", Unit::Millis),
            row_key("for comparison: the same program says its version", Unit::Millis),
        ];
        let samples = self.plan.samples.min(20);
        let mut proposals = 0;
        self.repeat_in_turn(&rows, &mut entrants, self.plan.repetitions, |seat| {
            let mut shown = Vec::new();
            for _ in 0..samples {
                proposals += 1;
                shown.push(propose(seat, &format!("proposal {proposals}\n"))?);
            }
            let versions = (0..samples).map(|_| run_version(seat)).collect::<Result<_>>()?;
            Ok(vec![shown, versions])
        })?;
        self.proposals_with_grants()
    }

    /// Measures in a repository, because most projects are repositories.
    fn proposals_with_grants(&mut self) -> Result<()> {
        (self.report_progress)("proposals of hooks, without and with a grant");
        let mut entrants = self.start_subjects_with_hooks()?;
        let what = "a hook's proposal → a desk";
        let rows = [
            row_key(what, Unit::Micros),
            row_key(format!("{what}, while others may be accepted without a person"), Unit::Micros),
            row_key("the second of these, in times of the first", Unit::Count),
        ];
        let samples = self.plan.samples;
        self.repeat_in_turn(&rows, &mut entrants, self.plan.repetitions, |seat| {
            let git = seat.companion.project.join(".git");
            std::fs::create_dir_all(git.join("hooks"))?;
            std::fs::write(git.join("config"), GIT_CONFIG)?;
            let without = send_proposals(seat, samples)?;
            grant(seat)?;
            let with = send_proposals(seat, samples)?;
            seat.companion.desk()?.withdraw_grants()?;
            let times = median(&with) / median(&without);
            Ok(vec![without, with, vec![times]])
        })
    }
}

/// The configuration of a repository after `git clone`.
const GIT_CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\t\
    logallrefupdates = true\n[remote \"origin\"]\n\turl = https://git.example/project.git\n\t\
    fetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\t\
    merge = refs/heads/main\n";

/// Sends proposals as a hook that runs already. Returns the time until a desk had each, in microseconds.
fn send_proposals(seat: &mut Seat, samples: usize) -> Result<Vec<f64>> {
    let path = file(&seat.companion.project, "brought.rs");
    std::fs::write(&path, text(8 << 10, 0, ""))?;
    let desk = seat.companion.desk()?;
    let send = |sample| {
        let proposal = HookProposal {
            agent: "Claude Code".into(),
            session: "bench".into(),
            file: path.clone(),
            proposed: text(8 << 10, 3, &format!("proposal {sample}")).into(),
            patience_ms: 60_000,
            ..HookProposal::default()
        };
        let (sent_at, _hook) = desk.propose(&proposal)?;
        Ok(micros(between(sent_at, desk.wait_for_proposal(&path)?.at)))
    };
    (0..samples).map(send).collect()
}

/// Grants a session another file, and waits until the grant accepts a proposal.
fn grant(seat: &mut Seat) -> Result<()> {
    let path = file(&seat.companion.project, "granted.rs");
    seat.agents.connect_up_to(1)?;
    for text in ["asked", "granted"] {
        let arguments = json!({ "filePath": path, "newContent": format!("{text}\n") });
        let open = seat.agents.call(0, "openDiff", &arguments);
        seat.agents.ask(0, &open)?.result()?;
        if text == "asked" {
            let desk = seat.companion.desk()?;
            desk.grant(&desk.wait_for_proposal(&path)?)?;
            // The next openDiff is sent on another connection, and must not overtake the grant.
            seat.agents.drain_messages(std::time::Duration::from_millis(20))?;
        }
    }
    seat.agents.wait("the acceptance by a grant", |message| message.method == DIFF_ACCEPTED).map(drop)
}

fn median(samples: &[f64]) -> f64 {
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
    let mut command = seat.companion.program(&["hook", "claude"]).context("this companion has no hook")?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let since = Instant::now();
    let mut hook = command.spawn()?;
    let stdin = hook.stdin.take();
    stdin.context("the standard input is not piped")?.write_all(input.to_string().as_bytes())?;
    let shown = seat.companion.desk()?.wait_for_proposal(&path)?;
    // The review ends with its hook.
    hook.kill()?;
    hook.wait()?;
    Ok(millis(between(since, shown.at)))
}

fn run_version(seat: &Seat) -> Result<f64> {
    let mut command = seat.companion.program(&["--version"]).context("this companion has no program")?;
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let since = Instant::now();
    command.status()?;
    Ok(millis(since.elapsed()))
}
