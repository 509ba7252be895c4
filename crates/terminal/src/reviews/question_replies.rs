//! The replies of the person to the questions of the desk.

use alongside_desk::review_model::{Question, Reply};
use alongside_desk::{Decision, Request};

use super::edit_kind::EditKind;
use super::requests::ReviewRequests;
use crate::output::{Effect, Purpose};

/// Carries out what the person replied to a question.
pub(crate) fn take(requests: &mut ReviewRequests, question: Question, reply: Reply) {
    match (reply, question) {
        (Reply::No, _) | (Reply::Yes, Question::AcceptAhead | Question::RejectWork) => {}
        (Reply::For(scope), _) => {
            if let Some(id) = requests.reviews().proposal_id() {
                requests.out_mut().ask(Request::Grant { id, scope }, Purpose::Grant);
            }
        }
        (Reply::Reject, _) => requests.decide(Decision::Reject),
        (Reply::Yes, Question::Leave | Question::LeaveAlone(_)) => {
            requests.out_mut().add_effect(Effect::Leave);
        }
        (
            Reply::Yes,
            Question::AcceptAnyway
            | Question::AcceptUnseen(_)
            | Question::AcceptWithout(_)
            | Question::AcceptEmptied,
        ) => requests.accept(Some(question)),
        (Reply::Yes, Question::SingleNewline) => {
            if let Some(view) = requests.reviews().current() {
                let id = view.review().id;
                let request = Request::replace_text(id, view.meant_revision(), "\n".into());
                requests.change(id, EditKind::SingleNewline, request, None);
            }
        }
    }
}
