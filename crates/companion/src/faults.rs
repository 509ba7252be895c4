//! What is broken on purpose, to see that the tests of chaos notice it. No release build has it.

use crate::Builder;
use crate::session::outbox::Receipts;

/// A way to get receipts wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// What was written counts as delivered: what a cut loses is lost.
    WrittenIsDelivered,
    /// Whatever was decided is sent again on every new stream, and at once: what returns crosses with what is
    /// asked anew.
    SentAgainBlindly,
}

/// A companion that has it.
#[must_use]
pub fn with(mut builder: Builder, fault: Fault) -> Builder {
    builder.receipts = match fault {
        Fault::WrittenIsDelivered => Receipts::Presumed,
        Fault::SentAgainBlindly => Receipts::Ignored,
    };
    builder
}
