//! One round with turns: the files as the script knows them, and what was seen.

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

/// How long a desk may take whose host lives.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a hook takes at most that has not given up, in milliseconds.
const SURELY_IN_TIME: u64 = 1_900;
/// How long an answer is waited for that may never come.
const MAYBE: Duration = Duration::from_secs(2);

pub(super) struct Round<'a> {
    sandbox: Sandbox,
    plan: &'a Plan,
    disk: Option<&'a mut SmallDisk>,
    is_full: bool,
    /// The texts that each file may hold; more than one after an undo that was interrupted.
    files: BTreeMap<String, Vec<String>>,
    /// The text of each file at the first prompt that was surely noted, or the last review that may have
    /// ended.
    baseline: Option<BTreeMap<String, BTreeSet<String>>>,
    /// The files that have surely changed since the baseline, whichever it is.
    changed: BTreeSet<String>,
    texts: usize,
    record: Record,
}

impl<'a> Round<'a> {
    /// A repository with some files.
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
            let done = match step.action {
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
            self.record.steps += usize::from(done);
            self.look_at_files();
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

    /// A file gets a text that occurs nowhere else.
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

    /// An agent works, perhaps beside another one; its hooks may be killed.
    fn turn(&mut self, agent: usize, file: usize, beside: bool, kills: [Option<u64>; 2]) -> Result<bool> {
        for (is_prompt, kill) in [true, false].into_iter().zip(kills) {
            let mut hook = start(&self.sandbox, agent, is_prompt)?;
            let other = beside.then(|| start(&self.sandbox, agent + 1, is_prompt)).transpose()?;
            if let Some(ms) = kill {
                hook.kill_after(ms);
            }
            let others = other.map(super::hook::RunningHook::wait).transpose()?;
            let hook = hook.wait()?;
            let is_noted = [Some(&hook), others.as_ref()].into_iter().flatten().any(|hook| {
                // One that takes longer has given up.
                hook.code.is_some() && hook.took < SURELY_IN_TIME
            });
            if kill.is_some() && hook.code.is_none() {
                self.record.begin_trouble(TroubleKind::HookKilled, Some(agent), 0, 0);
            }
            self.record.turns.hooks.push(hook);
            self.record.turns.hooks.extend(others);
            if is_prompt {
                // The snapshot of a killed hook may be the baseline as well.
                if is_noted && self.baseline.is_none() && !self.is_full {
                    self.take_baseline();
                }
                self.write(file)?;
                if beside {
                    self.write((file + 1) % self.plan.files)?;
                }
            }
        }
        Ok(true)
    }

    /// The present texts, and those that were possible before, are the baseline from now on.
    fn take_baseline(&mut self) {
        let mut all = self.baseline.take().unwrap_or_default();
        for (name, texts) in &self.files {
            all.entry(name.clone()).or_default().extend(texts.iter().cloned());
        }
        self.baseline = Some(all);
        self.changed.clear();
    }

    /// A person looks, comments, marks a file and finishes. A process that is to be killed dies so many
    /// milliseconds after the request in question.
    fn review(&mut self, file: usize, undo: bool, send: bool, end: ReviewEnd, after: u64) -> Result<bool> {
        let Some(baseline) = self.baseline.clone() else { return Ok(false) };
        let mut desk = JsonDesk::start(&self.sandbox, &["--since"])?;
        let turn = self.list(&desk)?;
        let turn = self.comment(&mut desk, &turn, end, after);
        let name = Self::name(file);
        let place =
            |turn: &Value| turn["files"].as_array()?.iter().position(|file| file["path"] == name.as_str());
        let (id, mut revision) = (turn["id"].clone(), turn["revision"].clone());
        if let Some(place) = place(&turn).filter(|_| undo) {
            let mark = json!({ "turn": id, "revision": revision, "file": place, "undo": true });
            // Here and below, the desk may be dead.
            let _ = desk.ask("markTurnFile", &mark);
            let is_marked = |turn: &Value| turn["files"][place]["marked"] == "whole";
            match desk.told_within(MAYBE, "didChangeTurn", is_marked) {
                Some(turn) => revision = turn["revision"].clone(),
                // Its host is dead.
                None => return Ok(true),
            }
            self.possibly_undone(&name, &baseline);
        }
        let _ = desk.ask("finishTurn", &json!({ "turn": id, "revision": revision, "send": send }));
        match end {
            ReviewEnd::HostKilled => self.kill_host(after),
            ReviewEnd::DeskKilled => std::thread::sleep(Duration::from_millis(after)),
            // It is refused if the list is another one by now.
            _ => drop(desk.told_within(MAYBE, "didFinishTurn", |_| true)),
        }
        // The next baseline, if it has ended; and nothing else has changed.
        drop(desk);
        if end != ReviewEnd::Properly {
            self.settle()?;
        }
        self.look_at_files();
        self.take_baseline();
        Ok(true)
    }

    /// A comment is kept from the moment when the desk is told so.
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
            turn["comments"].as_array().is_some_and(|all| all.iter().any(|one| one["text"] == text.as_str()))
        };
        let told = desk.told_within(MAYBE, "didChangeTurn", has);
        if told.is_some() {
            self.record.turns.comments.push(KeptComment { text, found: Vec::new(), waits: false });
        }
        told.unwrap_or_else(|| turn.clone())
    }

    fn kill_host(&mut self, after: u64) {
        std::thread::sleep(Duration::from_millis(after));
        for pid in companions(&self.sandbox) {
            signal(pid, Signal::KILL);
            self.record.begin_trouble(TroubleKind::Killed, None, 0, 0);
        }
    }

    /// Waits until an undo is done that was under way when its desk or its host was killed. It ends with its
    /// host; in one that lives, a look waits for its end.
    fn settle(&self) -> Result<()> {
        let look = JsonDesk::start(&self.sandbox, &["--since"])?;
        // Without room on the disk there may be no look.
        look.has_looked(if self.is_full { MAYBE } else { PATIENCE });
        Ok(())
    }

    /// The file may be as at the baseline from now on, for good.
    fn possibly_undone(&mut self, name: &str, baseline: &BTreeMap<String, BTreeSet<String>>) {
        let before = baseline.get(name).into_iter().flatten().cloned();
        self.files.entry(name.to_owned()).or_default().extend(before);
        self.changed.remove(name);
    }

    /// The list as a desk is told it, with everything that has surely changed. The host tells at once
    /// what it knew before, and the look comes later.
    fn list(&mut self, desk: &JsonDesk) -> Result<Value> {
        let missing = |turn: &Value| -> Vec<String> {
            let listed = turn["files"].as_array().into_iter().flatten();
            let listed: BTreeSet<&str> = listed.filter_map(|file| file["path"].as_str()).collect();
            self.changed.iter().filter(|name| !listed.contains(name.as_str())).cloned().collect()
        };
        let first = desk.told_within(PATIENCE, "didChangeTurn", |_| true);
        first.with_context(|| format!("no list is told: {}", desk.history()))?;
        let whole = desk.told_within(MAYBE, "didChangeTurn", |turn| missing(turn).is_empty());
        let turn = whole.or_else(|| desk.told_within(MAYBE, "didChangeTurn", |_| true)).unwrap_or_default();
        let escaped = missing(&turn);
        self.record.turns.escaped.extend(escaped);
        self.record.turns.lists += 1;
        Ok(turn)
    }

    /// Every file holds a text that it may hold, and which one that is.
    fn look_at_files(&mut self) {
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

    /// Agents go on, everything that waits is read, and a last look shows what has changed.
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
            let hooks = self.record.turns.hooks.iter().filter(|hook| hook.said.contains(&comment.text));
            comment.found = hooks.map(|hook| hook.said.clone()).collect();
            comment.waits = listed.contains(&comment.text);
        }
        if self.baseline.is_some() {
            let desk = JsonDesk::start(&self.sandbox, &["--since"])?;
            self.list(&desk)?;
        }
        self.look_at_files();
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
