//! The actions of people at the desks of a round.

use std::time::Duration;

use alongside_desk::{ActiveFile, ContextReport, Request, Review};
use anyhow::Result;
use rustix::process::Signal;

use super::agenda::Event;
use super::round::Round;
use crate::chaos::desk::Desk;
use crate::chaos::desk_requests::{self, REPLY_TIMEOUT};
use crate::chaos::desk_transport::Transport;
use crate::chaos::processes::signal;
use crate::chaos::record::TroubleKind;

impl Round<'_> {
    /// Starts a desk. In every other round the first one is an editor's, and of three the second one as well.
    pub(super) fn join(&mut self, desk: usize) -> Result<()> {
        let is_editor = desk < self.plan.desks.div_ceil(2) && self.plan.seed % 2 == 1;
        let transport = if is_editor { Transport::Lsp } else { Transport::Lines };
        self.desks[desk] = Some(Desk::start(&self.machine.sandbox, transport)?);
        self.joined[desk] = self.record.now();
        Ok(())
    }

    /// The desks that run.
    pub(super) fn present_desks(&self) -> impl Iterator<Item = (usize, &Desk)> {
        let desks = self.desks.iter().enumerate();
        desks.filter_map(|(number, desk)| Some((number, desk.as_ref().filter(|desk| !desk.seen().ended)?)))
    }

    /// A desk, if it runs.
    pub(super) fn present_desk(&self, number: usize) -> Option<&Desk> {
        self.present_desks().find(|(present, _)| *present == number).map(|(_, desk)| desk)
    }

    /// Waits until every desk has a companion.
    pub(super) async fn wait_until_served(&self) -> Result<()> {
        for (number, desk) in self.present_desks() {
            let served = desk.until(Duration::from_secs(30), |seen| seen.host).await;
            anyhow::ensure!(served.is_some(), "desk {number} has no companion after 30 s");
        }
        Ok(())
    }

    /// A desk is there again, and with it a companion.
    pub(super) fn rejoin(&mut self, number: usize) -> Result<()> {
        if self.present_desk(number).is_some() {
            return Ok(());
        }
        self.burn_token_unless_served();
        self.join(number)?;
        let troubles = std::mem::take(&mut self.troubles_until_desk);
        self.end_troubles_when_back(troubles, Vec::new(), self.desks[number].clone());
        Ok(())
    }

    pub(super) fn leave(&mut self, number: usize, says_so: bool) -> bool {
        let Some(desk) = self.present_desk(number).cloned() else { return false };
        self.desks[number] = None;
        self.burn_token_unless_served();
        if !says_so {
            desk.kill();
        }
        // Reviews stay while another desk can decide them. One that starts just now may come too late.
        let others = self.present_desks().next().is_some();
        let is_alone = !self.present_desks().any(|(_, desk)| desk.seen().host.is_some());
        match desk.editor {
            Some(editor) => {
                if says_so {
                    desk.leave();
                    signal(editor, Signal::TERM);
                }
                if is_alone {
                    let trouble = self.record.begin_trouble(TroubleKind::Hidden, None);
                    if others {
                        self.schedule(500, Event::Thaw(Vec::new(), Some(trouble)))
                    } else {
                        self.troubles_until_desk.push(trouble)
                    }
                }
            }
            None if says_so => {
                desk.leave();
                if !others {
                    let trouble = self.record.begin_trouble(TroubleKind::Stopped, None);
                    self.troubles_until_desk.push(trouble);
                }
            }
            None => {}
        }
        true
    }

    /// Review number `pick` of a desk, modulo the number of reviews.
    fn review(&self, desk: usize, pick: usize) -> Option<(Desk, Review)> {
        let desk = self.present_desk(desk)?;
        let reviews = desk.seen().reviews;
        let review = reviews.values().nth(pick % reviews.len().max(1))?.clone();
        Some((desk.clone(), review))
    }

    pub(super) fn edit(&mut self, number: usize, pick: usize) -> bool {
        let Some((desk, review)) = self.review(number, pick) else { return false };
        let typed = format!("typed {} in round {}", self.next_text(), self.plan.seed);
        desk_requests::edit(&self.record, &mut self.tasks, (number, desk), review, typed);
        true
    }

    pub(super) fn decide(&mut self, number: usize, pick: usize, accept: bool) -> bool {
        let Some((desk, review)) = self.review(number, pick) else { return false };
        self.decide_on(number, desk, &review, accept);
        true
    }

    /// A person decides on a review as it is shown.
    pub(super) fn decide_on(&mut self, number: usize, desk: Desk, review: &Review, accept: bool) {
        desk_requests::decide(&self.record, &mut self.tasks, (number, desk), review, accept);
    }

    pub(super) fn open_file(&mut self, number: usize, file: usize) -> bool {
        let Some(desk) = self.present_desk(number).cloned() else { return false };
        let path = self.files[file].display().to_string();
        let active = Some(ActiveFile { path, ..ActiveFile::default() });
        let report = ContextReport { active, ..ContextReport::default() };
        self.tasks.spawn(async move {
            desk.ask(&Request::ChangeContext(report), REPLY_TIMEOUT).await;
        });
        true
    }
}
