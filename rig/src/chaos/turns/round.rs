//! A round with turns: its steps, the texts that each file may have, and the record.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::hook::start;
use crate::chaos::plan::{Action, Plan, ReviewEnd};
use crate::chaos::processes::{companions, signal};
use crate::chaos::record::{KeptComment, Record, TroubleKind, TurnFile};
use crate::chaos::small_disk::SmallDisk;
use crate::json_desk::JsonDesk;
use crate::program::alongside_bin;
use crate::sandbox::{Sandbox, files_below};

/// The longest wait for a message of a host that certainly lives.
const PATIENCE: Duration = Duration::from_secs(30);
/// The duration below which a hook has certainly not given up, in milliseconds.
const SAFE_HOOK_TIME: u64 = 1_900;
/// The longest wait for a message that may never be sent.
const OPTIONAL_WAIT: Duration = Duration::from_secs(2);

pub(super) struct Round<'a> {
    sandbox: Sandbox,
    plan: &'a Plan,
    disk: Option<&'a mut SmallDisk>,
    is_full: bool,
    /// The texts that each file may have; several after an interrupted undo.
    files: BTreeMap<String, Vec<String>>,
    /// The possible texts of each file in the baseline: at the first prompt with a certain snapshot, and at
    /// the ends of turn reviews since.
    baseline: Option<BTreeMap<String, BTreeSet<String>>>,
    /// The files that differ from every possible baseline.
    changed: BTreeSet<String>,
    texts: usize,
    record: Record,
}

impl<'a> Round<'a> {
    /// Begins a round in a repository with some files.
    pub(super) fn begin(plan: &'a Plan, mut disk: Option<&'a mut SmallDisk>) -> Result<Self> {
        let sandbox = Sandbox::new();
        if let Some(disk) = &mut disk {
            disk.link(&sandbox.home().join(".local/state/alongside"))?;
        }
        let files = BTreeMap::new();
        let record = Record::default();
        let mut round = Self {
            sandbox,
            plan,
            disk,
            is_full: false,
            files,
            baseline: None,
            changed: BTreeSet::new(),
            texts: 0,
            record,
        };
        for number in 0..plan.files {
            round.write(number)?;
        }
        round.changed.clear();
        round.sandbox.commit()?;
        Ok(round)
    }

    pub(super) fn play(&mut self) -> Result<()> {
        let plan = self.plan;
        for step in &plan.steps {
            let was_carried_out = match step.action {
                Action::Turn { agent, file, beside, kill_prompt, kill_end } => {
                    self.turn(agent, file, beside, [kill_prompt, kill_end])?
                }
                Action::ReviewTurn { file, undo, send, end, after } => {
                    self.free_disk();
                    self.review(file, undo, send, end, after)?
                }
                Action::Rewrite { file } => self.write(file).map(|()| true)?,
                Action::FillDisk { .. } => self.fill_disk(),
                _ => false,
            };
            self.record.steps += usize::from(was_carried_out);
            self.check_files();
        }
        Ok(())
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.sandbox.env()).current_dir(self.sandbox.project());
        command.stdin(Stdio::null());
        command
    }

    fn path(&self, name: &str) -> PathBuf {
        self.sandbox.project().join(name)
    }

    fn name(number: usize) -> String {
        format!("file-{number}.txt")
    }

    /// Writes a file with a text that occurs nowhere else.
    fn write(&mut self, number: usize) -> Result<()> {
        self.texts += 1;
        let (name, text) = (Self::name(number), format!("one\ntext {}\nthree\n", self.texts));
        fs::write(self.path(&name), &text)?;
        self.files.insert(name.clone(), vec![text]);
        self.changed.insert(name);
        Ok(())
    }

    fn fill_disk(&mut self) -> bool {
        let fills = self.disk.as_mut().is_some_and(|disk| disk.fill());
        if fills {
            self.record.begin_trouble(TroubleKind::DiskFull, None, 0, 0);
        }
        self.is_full |= fills;
        fills
    }

    fn free_disk(&mut self) {
        if let Some(disk) = self.disk.as_mut().filter(|_| std::mem::take(&mut self.is_full)) {
            disk.free();
        }
    }

    /// Plays the turn of an agent, or of two agents at once. The hooks of the first may be killed.
    fn turn(&mut self, agent: usize, file: usize, beside: bool, kills: [Option<u64>; 2]) -> Result<bool> {
        for (is_prompt, kill) in [true, false].into_iter().zip(kills) {
            let mut hook = start(&self.sandbox, agent, is_prompt)?;
            let other = beside.then(|| start(&self.sandbox, agent + 1, is_prompt)).transpose()?;
            if let Some(ms) = kill {
                hook.kill_after(ms);
            }
            let other = other.map(super::hook::RunningHook::wait).transpose()?;
            let hook = hook.wait()?;
            let has_snapshot = [Some(&hook), other.as_ref()].into_iter().flatten().any(|hook| {
                // A hook that takes longer may have given up.
                hook.code.is_some() && hook.took < SAFE_HOOK_TIME
            });
            if kill.is_some() && hook.code.is_none() {
                self.record.begin_trouble(TroubleKind::HookKilled, Some(agent), 0, 0);
            }
            self.record.turns.hooks.push(hook);
            self.record.turns.hooks.extend(other);
            if is_prompt {
                // An earlier snapshot, of a killed hook, may also be the baseline.
                if has_snapshot && self.baseline.is_none() && !self.is_full {
                    self.extend_baseline();
                }
                self.write(file)?;
                if beside {
                    self.write((file + 1) % self.plan.files)?;
                }
            }
        }
        Ok(true)
    }

    /// Adds the present texts to the texts that the baseline may have.
    fn extend_baseline(&mut self) {
        let mut possible = self.baseline.take().unwrap_or_default();
        for (name, texts) in &self.files {
            possible.entry(name.clone()).or_default().extend(texts.iter().cloned());
        }
        self.baseline = Some(possible);
        self.changed.clear();
    }

    /// Plays a turn review: a person comments, marks a file and finishes. `end` may kill the host or the
    /// desk, `after` milliseconds after a request.
    fn review(&mut self, file: usize, undo: bool, send: bool, end: ReviewEnd, after: u64) -> Result<bool> {
        let Some(baseline) = self.baseline.clone() else { return Ok(false) };
        let mut desk = JsonDesk::start(&self.sandbox, &["--since"])?;
        let turn = self.list(&desk)?;
        let turn = self.comment(&mut desk, &turn, end, after);
        let name = Self::name(file);
        let index_of =
            |turn: &Value| turn["files"].as_array()?.iter().position(|file| file["path"] == name.as_str());
        let (id, mut revision) = (turn["id"].clone(), turn["revision"].clone());
        if let Some(index) = index_of(&turn).filter(|_| undo) {
            let mark = json!({ "turn": id, "revision": revision, "file": index, "undo": true });
            // This and later requests fail if the desk was killed.
            let _ = desk.ask("markTurnFile", &mark);
            let is_marked = |turn: &Value| turn["files"][index]["marked"] == "whole";
            match desk.wait_within(OPTIONAL_WAIT, "didChangeTurn", is_marked) {
                Some(turn) => revision = turn["revision"].clone(),
                // The host was killed.
                None => return Ok(true),
            }
            self.allow_undo(&name, &baseline);
        }
        let _ = desk.ask("finishTurn", &json!({ "turn": id, "revision": revision, "send": send }));
        match end {
            ReviewEnd::HostKilled => self.kill_host(after),
            ReviewEnd::DeskKilled => std::thread::sleep(Duration::from_millis(after)),
            // The companion refuses the request if the list has changed.
            _ => drop(desk.wait_within(OPTIONAL_WAIT, "didFinishTurn", |_| true)),
        }
        drop(desk);
        if end != ReviewEnd::Properly {
            self.wait_for_undo()?;
        }
        self.check_files();
        // If the turn review has ended, the present texts are the baseline.
        self.extend_baseline();
        Ok(true)
    }

    /// Adds a comment to the turn review. It is recorded once the companion has confirmed it. Returns the
    /// newest list.
    fn comment(&mut self, desk: &mut JsonDesk, turn: &Value, end: ReviewEnd, after: u64) -> Value {
        self.texts += 1;
        let text = format!("comment {} of this round.", self.texts);
        let add = json!({ "turn": turn["id"], "revision": turn["revision"], "text": text });
        let _ = desk.ask("addComment", &add);
        match end {
            ReviewEnd::HostKilledWithComment => self.kill_host(after),
            ReviewEnd::DeskKilledWithComment => std::thread::sleep(Duration::from_millis(after)),
            _ => {}
        }
        let has = |turn: &Value| {
            turn["comments"]
                .as_array()
                .is_some_and(|all| all.iter().any(|comment| comment["text"] == text.as_str()))
        };
        let newest = desk.wait_within(OPTIONAL_WAIT, "didChangeTurn", has);
        if newest.is_some() {
            let comment = KeptComment { text, deliveries: Vec::new(), is_waiting: false };
            self.record.turns.comments.push(comment);
        }
        newest.unwrap_or_else(|| turn.clone())
    }

    fn kill_host(&mut self, after: u64) {
        std::thread::sleep(Duration::from_millis(after));
        for pid in companions(&self.sandbox) {
            signal(pid, Signal::KILL);
            self.record.begin_trouble(TroubleKind::Killed, None, 0, 0);
        }
    }

    /// Waits for the end of an undo whose desk or host was killed. The undo ends with its host; in a host
    /// that lives, a look waits for its end.
    fn wait_for_undo(&self) -> Result<()> {
        let desk = JsonDesk::start(&self.sandbox, &["--since"])?;
        // On a full disk, there may be no look.
        desk.wait_for_look(if self.is_full { OPTIONAL_WAIT } else { PATIENCE });
        Ok(())
    }

    /// Adds the texts of the baseline to the texts that a file may have.
    fn allow_undo(&mut self, name: &str, baseline: &BTreeMap<String, BTreeSet<String>>) {
        let before = baseline.get(name).into_iter().flatten().cloned();
        self.files.entry(name.to_owned()).or_default().extend(before);
        self.changed.remove(name);
    }

    /// Waits for the list with all files of `changed`, and records the missing ones. The host first sends the
    /// list that it has, and a newer one after a look.
    fn list(&mut self, desk: &JsonDesk) -> Result<Value> {
        let missing = |turn: &Value| -> Vec<String> {
            let listed = turn["files"].as_array().into_iter().flatten();
            let listed: BTreeSet<&str> = listed.filter_map(|file| file["path"].as_str()).collect();
            self.changed.iter().filter(|name| !listed.contains(name.as_str())).cloned().collect()
        };
        let first = desk.wait_within(PATIENCE, "didChangeTurn", |_| true);
        first.with_context(|| format!("no list is told: {}", desk.history()))?;
        let whole = desk.wait_within(OPTIONAL_WAIT, "didChangeTurn", |turn| missing(turn).is_empty());
        let turn =
            whole.or_else(|| desk.wait_within(OPTIONAL_WAIT, "didChangeTurn", |_| true)).unwrap_or_default();
        let escaped = missing(&turn);
        self.record.turns.escaped.extend(escaped);
        self.record.turns.lists += 1;
        Ok(turn)
    }

    /// Checks that every file has a text that it may have, and keeps only this text as possible.
    fn check_files(&mut self) {
        for (name, possible) in &mut self.files {
            let found = fs::read_to_string(self.sandbox.project().join(name)).ok();
            let known = found.as_ref().filter(|found| possible.contains(found)).cloned();
            match known {
                Some(known) => *possible = vec![known],
                None => {
                    let (path, possible) = (name.clone(), possible.clone());
                    self.record.turns.files.push(TurnFile { path, possible, found });
                }
            }
        }
    }

    /// Ends the round: lets agents read all waiting messages, gets a last list, and checks the files.
    pub(super) fn end(mut self) -> Result<Record> {
        self.free_disk();
        for pid in companions(&self.sandbox) {
            signal(pid, Signal::KILL);
        }
        for agent in [0, 1, 0, 1] {
            let hook = start(&self.sandbox, agent, true)?.wait()?;
            self.record.turns.hooks.push(hook);
        }
        let mut command = self.command(alongside_bin()?);
        let listed = command.args(["comments", "--json"]).output()?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        for comment in &mut self.record.turns.comments {
            let hooks = self.record.turns.hooks.iter().filter(|hook| hook.stdout.contains(&comment.text));
            comment.deliveries = hooks.map(|hook| hook.stdout.clone()).collect();
            comment.is_waiting = listed.contains(&comment.text);
        }
        if self.baseline.is_some() {
            let desk = JsonDesk::start(&self.sandbox, &["--since"])?;
            self.list(&desk)?;
        }
        self.check_files();
        let known = |path: &PathBuf| {
            let name = path.strip_prefix(self.sandbox.project()).ok();
            let name = name.and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with(".git/") || self.files.contains_key(name)
        };
        let all = files_below(self.sandbox.project());
        let strays = all.into_iter().filter(|path| !known(path));
        self.record.leftovers.strays = strays.map(|path| format!("a file: {}", path.display())).collect();
        let log = self.command(alongside_bin()?).args(["log"]).output()?;
        self.record.diagnostics = vec![String::from_utf8_lossy(&log.stdout).into_owned(), listed];
        Ok(self.record)
    }
}
