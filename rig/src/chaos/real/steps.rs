//! What a step does, if it can be done when its time comes.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use alongside_desk::{ActiveFile, ContextReport, Decision as Verdict, Request, Review};
use anyhow::Result;
use rustix::process::Signal;

use super::agent::Agent;
use super::desk::{Answer as Said, Desk, signal};
use super::hosts;
use super::world::{Act, Notes, ORIGINAL, TRIES_FOR, World};
use crate::chaos::plan::What;
use crate::chaos::record::{Answer, Close, Decision, Edit, Gone, Kind, Outcome, Proposal};
use crate::chaos::small::SmallDisk;
use crate::ide_client::{self, CliAnswer};
use crate::wire;

/// How long a desk waits for an answer before it counts as none.
const ANSWERED_WITHIN: Duration = Duration::from_secs(20);

impl World<'_> {
    /// Does what is due.
    ///
    /// # Errors
    /// When an agent or a desk cannot be started.
    pub(super) async fn act(&mut self, act: Act) -> Result<()> {
        self.lane.small.iter().for_each(SmallDisk::fill_again);
        let done = match act {
            Act::Step(what) => self.step(what).await?,
            Act::Thaw(pids, trouble) => {
                pids.into_iter().for_each(|pid| signal(pid, Signal::CONT));
                trouble.into_iter().for_each(|trouble| self.notes.over(trouble));
                return Ok(());
            }
            Act::Release { agent, trouble, cut } => {
                for proxy in self.proxies(Some(agent)) {
                    if cut {
                        proxy.cut();
                    }
                    proxy.hold(false);
                }
                self.notes.over(trouble);
                return Ok(());
            }
            Act::Vacate(trouble) => {
                self.squatter.get().leave();
                self.notes.over(trouble);
                return Ok(());
            }
            Act::Join(desk) => return self.come_back(desk),
            Act::FreeDisk(trouble) => {
                self.lane.small.iter_mut().for_each(SmallDisk::free);
                self.notes.over(trouble);
                return Ok(());
            }
            Act::Enable(agent) => {
                if self.waits(agent).is_none() {
                    self.enable(agent);
                }
                return Ok(());
            }
        };
        self.notes.write().steps += usize::from(done);
        Ok(())
    }

    /// Whether it could be done.
    async fn step(&mut self, what: What) -> Result<bool> {
        Ok(match what {
            What::Propose { agent, file } => self.propose(agent, file),
            What::Edit { desk, pick } => self.edit(desk, pick),
            What::Decide { desk, pick, accept } => self.decide(desk, pick, accept),
            What::Answer { agent } => self.answer(agent),
            What::EndAgent { agent, says_so } => self.end_agent(agent, says_so),
            What::StartAgent { agent } => self.start_agent(agent).await?,
            What::LeaveDesk { desk, says_so } => self.leave(desk, says_so),
            What::JoinDesk { desk } => {
                let is_away = self.living().all(|(number, _)| number != desk);
                if is_away {
                    self.come_back(desk)?;
                }
                is_away
            }
            What::Look { desk, file } => self.look(desk, file),
            What::Rewrite { file } => {
                self.texts += 1;
                let text = format!("{ORIGINAL}rewritten {}\n", self.texts);
                self.notes.project.write(self.notes.now(), &self.files[file], &text)?;
                true
            }
            What::Kill { back } => self.kill(back),
            What::Stop { back } => self.stop(back)?,
            What::HandOver { .. } => self.hand_over()?,
            What::Hide { back } => self.hide(back),
            What::Freeze { ms } => {
                let pids = hosts::signal_all(&self.lane.sandbox, Signal::STOP);
                let trouble = self.notes.trouble(Kind::Frozen, None);
                self.later(ms, Act::Thaw(pids, Some(trouble)));
                true
            }
            What::FreezeAgent { agent, ms } => self.freeze_agent(agent, ms),
            What::FreezeDesk { desk, ms } => {
                let pid = self.living().find(|(number, _)| *number == desk).map(|(_, desk)| desk.pid);
                pid.into_iter().for_each(|pid| {
                    signal(pid, Signal::STOP);
                    self.later(ms, Act::Thaw(vec![pid], None));
                });
                pid.is_some()
            }
            What::Cut { agent } => {
                let trouble = self.notes.trouble(Kind::Link, agent);
                self.proxies(agent).iter().for_each(|proxy| proxy.cut());
                self.notes.over(trouble);
                true
            }
            What::CutAfter { agent, stream, up, bytes } => self.cut_after(agent, stream, up, bytes),
            What::Hold { agent, ms } => self.hold(agent, ms, false),
            What::Stall { agent, ms } => self.hold(agent, ms, true),
            What::Clean => {
                let trouble = self.notes.trouble(Kind::Cleaned, None);
                self.lane.clean()?;
                self.notes.over(trouble);
                true
            }
            What::Squat { ms } => self.squat(ms),
            What::FillDisk { ms } => {
                let fills = self.lane.small.as_mut().is_some_and(|small| small.fill());
                if fills {
                    let trouble = self.notes.trouble(Kind::DiskFull, None);
                    self.later(ms, Act::FreeDisk(trouble));
                }
                fills
            }
        })
    }

    fn propose(&mut self, number: usize, file: usize) -> bool {
        let Some(agent) = self.seats[number].agent.clone().filter(|_| self.waits(number).is_none()) else {
            return false;
        };
        if !self.counts_on_us(number, &agent) {
            // It asks in its own prompt only. Its person sees why.
            self.enable(number);
            return true;
        }
        self.texts += 1;
        let mark = format!("proposal {} of round {}", self.texts, self.plan.seed);
        let text = format!("one\n{mark}\nthree\nfour\n");
        let path = self.files[file].clone();
        let proposal = Proposal {
            agent: number,
            life: self.seats[number].life,
            release: Some(agent.release().version),
            path: path.display().to_string(),
            mark,
            text: text.clone(),
            asked: self.notes.now(),
            shown: None,
            outcome: None,
            closed: None,
            gone: None,
        };
        let index = {
            let proposals = &mut self.notes.write().proposals;
            proposals.push(proposal);
            proposals.len() - 1
        };
        self.seats[number].latest = Some(index);
        let open = agent.client().open_diff(&path, &text);
        let (notes, shown_to) = (self.notes.clone(), (agent, text));
        self.tasks.spawn(async move {
            let waiting = open.outcome();
            tokio::pin!(waiting);
            let (agent, text) = shown_to;
            let outcome = tokio::select! {
                outcome = &mut waiting => outcome,
                shown = agent.client().wait_proposed(&text) => {
                    if shown.is_ok() {
                        let now = notes.now();
                        notes.write().proposals[index].shown = Some((now, Ok(())));
                    }
                    waiting.await
                }
            };
            returned(&notes, index, outcome);
        });
        true
    }

    /// Whether an agent has connected, and its stream is there or may yet come back.
    fn counts_on_us(&self, number: usize, agent: &Agent) -> bool {
        let seat = &self.seats[number];
        let may_return = self.notes.now() < seat.lost.load(Ordering::Acquire) + TRIES_FOR;
        seat.connected.load(Ordering::Acquire) && (agent.hears() || may_return)
    }

    /// The review that a desk shows at that place, counted around.
    fn shown(&self, desk: usize, pick: usize) -> Option<(Desk, Review)> {
        let (_, desk) = self.living().find(|(number, _)| *number == desk)?;
        let reviews = desk.seen().reviews;
        let review = reviews.values().nth(pick % reviews.len().max(1))?.clone();
        Some((desk.clone(), review))
    }

    fn edit(&mut self, number: usize, pick: usize) -> bool {
        let Some((desk, review)) = self.shown(number, pick) else { return false };
        self.texts += 1;
        let typed = format!("typed {} in round {}", self.texts, self.plan.seed);
        let text = format!("{}{typed}\n", review.current);
        let asked = self.notes.now();
        let proposal = mark_of(&review);
        let edit = Edit { desk: number, proposal, typed, asked, answered: (asked, Answer::Nothing) };
        let index = {
            let edits = &mut self.notes.write().edits;
            edits.push(edit);
            edits.len() - 1
        };
        let notes = self.notes.clone();
        self.tasks.spawn(async move {
            let said = desk.edit(&review, &text, ANSWERED_WITHIN).await;
            let now = notes.now();
            notes.write().edits[index].answered = (now, heard(said));
        });
        true
    }

    fn decide(&mut self, number: usize, pick: usize, accept: bool) -> bool {
        let Some((desk, review)) = self.shown(number, pick) else { return false };
        self.decide_on(number, desk, &review, accept);
        true
    }

    /// A person decides on a review as it is shown.
    pub(super) fn decide_on(&mut self, number: usize, desk: Desk, review: &Review, accept: bool) {
        let asked = self.notes.now();
        let decision = Decision {
            desk: number,
            proposal: mark_of(review),
            text: review.current.to_string(),
            accept,
            asked,
            answered: (asked, Answer::Nothing),
        };
        let index = {
            let decisions = &mut self.notes.write().decisions;
            decisions.push(decision);
            decisions.len() - 1
        };
        let (notes, id, revision) = (self.notes.clone(), review.id, review.revision);
        let verdict = if accept { Verdict::Accept } else { Verdict::Reject };
        self.tasks.spawn(async move {
            let said = desk.decide(id, revision, verdict, ANSWERED_WITHIN).await;
            let now = notes.now();
            notes.write().decisions[index].answered = (now, heard(said));
        });
    }

    /// A person sees the proposal in the agent's own prompt as well, once it is shown.
    fn answer(&mut self, number: usize) -> bool {
        let Some(index) = self.waits(number) else { return false };
        let Some(agent) = self.seats[number].agent.clone() else { return false };
        let asked = self.notes.now();
        let path = {
            let proposal = &mut self.notes.write().proposals[index];
            if proposal.closed.is_some() || proposal.shown.is_none() {
                return false;
            }
            proposal.closed = Some(Close { asked, answered: None });
            proposal.path.clone()
        };
        self.tasks.spawn(async move {
            // What comes of it is what its `openDiff` returns.
            let _ = agent.client().resolve_from_cli(path.as_ref(), CliAnswer::Accepted).await;
        });
        true
    }

    fn end_agent(&mut self, number: usize, says_so: bool) -> bool {
        let waits = self.waits(number);
        let seat = &mut self.seats[number];
        if seat.looking.load(Ordering::Acquire) {
            return false;
        }
        let Some(agent) = seat.agent.clone() else { return false };
        if says_so && waits.is_none() {
            seat.connected.store(false, Ordering::Release);
            self.tasks.spawn(async move { drop(agent.disable().await) });
            return true;
        }
        seat.agent = None;
        seat.connected.store(false, Ordering::Release);
        self.lane.lose(seat.place);
        agent.signal(Signal::KILL);
        if let Some(index) = waits {
            let now = self.notes.now();
            self.notes.write().proposals[index].gone = Some((now, Gone::Ended));
        }
        true
    }

    async fn start_agent(&mut self, number: usize) -> Result<bool> {
        let place = self.seats[number].place;
        let seat = &self.seats[number];
        match &seat.agent {
            None => {
                let agent = self.lane.agent(place).await?;
                self.seats[number].agent = Some(agent);
            }
            Some(agent) => {
                let is_well = seat.connected.load(Ordering::Acquire) && agent.hears();
                if is_well || self.waits(number).is_some() {
                    return Ok(false);
                }
            }
        }
        self.enable(number);
        Ok(true)
    }

    pub(super) fn leave(&mut self, number: usize, says_so: bool) -> bool {
        let Some(desk) = self.living().find(|(living, _)| *living == number).map(|(_, desk)| desk.clone())
        else {
            return false;
        };
        self.desks[number] = None;
        self.burns_unless_served();
        if !says_so {
            signal(desk.pid, Signal::KILL);
            desk.editor.into_iter().for_each(|editor| signal(editor, Signal::KILL));
        }
        // An editor's companion is its own; one without ends with the last desk.
        let others = self.living().next().is_some();
        match desk.editor {
            Some(editor) => {
                let trouble = self.notes.trouble(Kind::Hidden, None);
                if says_so {
                    desk.leave();
                    signal(editor, Signal::TERM);
                }
                if others {
                    self.later(500, Act::Thaw(Vec::new(), Some(trouble)))
                } else {
                    self.until_served.push(trouble)
                }
            }
            None if says_so => {
                desk.leave();
                if !others {
                    let trouble = self.notes.trouble(Kind::Stopped, None);
                    self.until_served.push(trouble);
                }
            }
            None => {}
        }
        true
    }

    /// A desk is there again, and with it a companion.
    fn come_back(&mut self, number: usize) -> Result<()> {
        if self.living().any(|(living, _)| living == number) {
            return Ok(());
        }
        self.burns_unless_served();
        self.join(number)?;
        let over = std::mem::take(&mut self.until_served);
        self.until_back(over, Vec::new(), self.desks[number].clone());
        Ok(())
    }

    fn look(&mut self, number: usize, file: usize) -> bool {
        let Some((_, desk)) = self.living().find(|(living, _)| *living == number) else { return false };
        let (desk, path) = (desk.clone(), self.files[file].display().to_string());
        let active = Some(ActiveFile { path, cursor: None, selected_text: None });
        let report = ContextReport { active, ..ContextReport::default() };
        self.tasks.spawn(async move {
            desk.ask(&Request::ChangeContext(report), ANSWERED_WITHIN).await;
        });
        true
    }

    /// What the connection of an agent passes, or that of every one.
    pub(super) fn proxies(&self, agent: Option<usize>) -> Vec<Arc<wire::Proxy>> {
        let seats = self.seats.iter().enumerate();
        let meant = seats.filter(|(number, _)| agent.is_none_or(|agent| agent == *number));
        meant.filter_map(|(_, seat)| seat.agent.as_ref()).flat_map(Agent::proxies).collect()
    }
}

/// What an agent's `openDiff` returned. Answered in its own prompt, it returns the text that `closeDiff` got.
fn returned(notes: &Notes, index: usize, outcome: Result<ide_client::Outcome>) {
    let now = notes.now();
    let proposal = &mut notes.write().proposals[index];
    if proposal.gone.is_some() || notes.sealed.load(Ordering::Acquire) {
        return;
    }
    match outcome {
        Ok(ide_client::Outcome::Accepted { content }) => match &mut proposal.closed {
            Some(close) => {
                let text = content.map(Some).ok_or_else(|| "the client got no text".to_owned());
                close.answered = Some((now, text));
            }
            None => {
                let text = content.filter(|text| !text.is_empty()).unwrap_or_else(|| proposal.text.clone());
                // As agents do.
                notes
                    .project
                    .write(now, Path::new(&proposal.path), &text)
                    .expect("the project can be written");
                proposal.outcome = Some((now, Outcome::Accepted(text)));
            }
        },
        Ok(ide_client::Outcome::Rejected) => {
            // It came before the answer to `closeDiff`.
            proposal.closed = None;
            proposal.outcome = Some((now, Outcome::Rejected));
        }
        Err(error) => {
            let words = error.to_string();
            if words.contains("got the error") {
                proposal.shown = Some((now, Err(words)));
            }
        }
    }
}

/// The line by which the script knows a proposal again.
fn mark_of(review: &Review) -> String {
    review.proposed.lines().nth(1).unwrap_or_default().to_owned()
}

fn heard(said: Said) -> Answer {
    match said {
        Said::Done(_) => Answer::Taken,
        // Its host is gone, and may have taken it before.
        Said::Refused(why) if why == "interrupted" || why == "stopped" => Answer::Nothing,
        Said::Refused(why) => Answer::Refused(why),
        Said::Silent => Answer::Nothing,
    }
}
