//! The actions of people at the desks of a round.

use std::time::Duration;

use alongside_desk::{ActiveFile, ContextReport, Request};
use anyhow::Result;
use rustix::process::Signal;

use super::agenda::Event;
use super::round::Round;
use crate::chaos::desk::Desk;
use crate::chaos::desk_transport::Transport;
use crate::chaos::people::REPLY_TIMEOUT;
use crate::chaos::processes::signal;
use crate::chaos::record::TroubleKind;

impl Round<'_> {
    /// Starts a desk. If the seed is odd, the first half of the desks are editors': one of one or two, two of
    /// three.
    pub(super) fn join(&mut self, number: usize) -> Result<Desk> {
        let is_editor = number < self.plan.desks.div_ceil(2) && self.plan.seed % 2 == 1;
        let transport = if is_editor { Transport::Lsp } else { Transport::Lines };
        let desk = Desk::start(&self.machine.sandbox, transport)?;
        Ok(self.people.join(number, desk))
    }

    /// Waits until every desk has a companion.
    pub(super) async fn wait_until_served(&self) -> Result<()> {
        for (number, desk) in self.people.present() {
            let host = desk.until(Duration::from_secs(30), |state| state.host).await;
            anyhow::ensure!(host.is_some(), "desk {number} has no companion after 30 s");
        }
        Ok(())
    }

    /// Lets a desk join again, if it is away. The troubles that wait for a desk end once it has a companion.
    pub(super) fn rejoin(&mut self, number: usize) -> Result<()> {
        if self.people.desk(number).is_some() {
            return Ok(());
        }
        self.burn_token_unless_served();
        let desk = self.join(number)?;
        let troubles = std::mem::take(&mut self.troubles_until_desk);
        self.end_troubles_when_back(troubles, Vec::new(), Some(desk));
        Ok(())
    }

    pub(super) fn leave(&mut self, number: usize, says_so: bool) -> bool {
        let Some(desk) = self.people.leave(number) else { return false };
        self.burn_token_unless_served();
        if !says_so {
            desk.kill();
        }
        // Reviews stay open while another desk can decide them. A desk that has just started may join too
        // late.
        let has_other_desk = self.people.present().next().is_some();
        let may_lose_reviews = !self.people.have_companion();
        match desk.editor {
            Some(editor) => {
                if says_so {
                    desk.leave();
                    signal(editor, Signal::TERM);
                }
                if may_lose_reviews {
                    let trouble = self.record.begin_trouble(TroubleKind::EditorGone, None);
                    if has_other_desk {
                        self.schedule(500, Event::Thaw(Vec::new(), Some(trouble)))
                    } else {
                        self.troubles_until_desk.push(trouble)
                    }
                }
            }
            None if says_so => {
                desk.leave();
                if !has_other_desk {
                    let trouble = self.record.begin_trouble(TroubleKind::Stopped, None);
                    self.troubles_until_desk.push(trouble);
                }
            }
            None => {}
        }
        true
    }

    pub(super) fn open_file(&mut self, number: usize, file: usize) -> bool {
        let Some(desk) = self.people.desk(number).cloned() else { return false };
        let path = self.files[file].display().to_string();
        let active = Some(ActiveFile { path, ..ActiveFile::default() });
        let report = ContextReport { active, ..ContextReport::default() };
        self.tasks.spawn(async move {
            desk.ask(&Request::ChangeContext(report), REPLY_TIMEOUT).await;
        });
        true
    }
}
