//! The proposals of large texts that are not compared with their files yet. `openDiff` is answered before the
//! comparison, so until then the agent may close or replace such a proposal, and it may end like a review.

use std::sync::Arc;

use alongside_desk::Agent;

use super::large_text::LargeText;
use crate::persistence::journal::Undecided;

/// The proposals in preparation.
#[derive(Debug, Default)]
pub(crate) struct UnpreparedProposals(Vec<UnpreparedProposal>);

/// A proposal in preparation.
#[derive(Debug)]
pub(crate) struct UnpreparedProposal {
    pub(crate) session: String,
    pub(crate) agent: Agent,
    /// The path as the agent spells it.
    pub(crate) file_path: String,
    pub(crate) proposed: Arc<LargeText>,
}

impl UnpreparedProposals {
    /// Adds a proposal. The caller has ended the review or proposal that it replaces.
    pub(crate) fn add(&mut self, proposal: UnpreparedProposal) {
        self.0.push(proposal);
    }

    /// Removes and returns the proposal with this text; `None` if it has ended.
    pub(crate) fn take(&mut self, proposed: &Arc<LargeText>) -> Option<UnpreparedProposal> {
        self.take_where(|proposal| Arc::ptr_eq(&proposal.proposed, proposed)).pop()
    }

    /// Removes and returns the proposals that `belongs` is true of.
    pub(crate) fn take_where(
        &mut self,
        belongs: impl Fn(&UnpreparedProposal) -> bool,
    ) -> Vec<UnpreparedProposal> {
        self.0.extract_if(.., |proposal| belongs(proposal)).collect()
    }

    /// Iterates over the proposals of a session for the journal. They have no text there: an agent that gets
    /// no text from `closeDiff` writes its own proposal, which is the same text.
    pub(super) fn undecided(&self, session: &str) -> impl Iterator<Item = Undecided> {
        let of_session = self.0.iter().filter(move |proposal| proposal.session == session);
        of_session.map(|proposal| Undecided {
            file_path: proposal.file_path.clone(),
            text: None,
            draft: None,
        })
    }
}

impl UnpreparedProposal {
    /// Whether the session has proposed this for the file. Paths are compared byte for byte.
    pub(crate) fn is_of(&self, session: &str, file_path: &str) -> bool {
        self.session == session && self.file_path == file_path
    }
}
