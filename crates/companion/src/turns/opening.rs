//! A desk that opens a file of a turn review, and waits for its texts.

use alongside_desk::CallAnswer;

use crate::ids::DeskId;

#[derive(Debug)]
pub(super) struct Opening {
    pub(super) desk: DeskId,
    pub(super) answer: CallAnswer,
}
