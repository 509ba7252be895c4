//! Tests the hook that waits for a message beside an idle session.

use std::time::{Duration, Instant};

use alongside_companion::turns::source::TurnLook;

use super::fixture::{Project, reader};
use crate::{Claimed, Delivery, Waiter, clear};

impl Project {
    fn claims(&self, delivery: Delivery) -> Claimed {
        self.claim_by("s", delivery).unwrap()
    }

    fn waits(&self) -> Option<Waiter> {
        Waiter::begin(&self.dirs, &self.top, &reader("s")).unwrap()
    }

    fn words(&self, look: &TurnLook) -> String {
        self.feedback(look).route.unwrap().words
    }

    fn sends(&self, look: &TurnLook) {
        self.comment_on_all(look, "louder");
        self.send(look);
    }
}

#[test]
fn desks_say_that_a_message_is_read_at_once_while_a_hook_waits() {
    let Some(project) = Project::new() else { return };
    assert!(project.waits().is_none(), "no turn was noted yet");
    project.prompt();
    let look = project.look();
    let mut waiter = project.waits().unwrap();
    assert_eq!(project.words(&look), "Codex reads it with your next prompt", "the turn has not ended");
    project.end();
    assert_eq!(project.words(&look), "Codex reads it at once");
    assert!(waiter.take_news() && !waiter.take_news() && !waiter.is_over().unwrap());
    assert!(project.waits().is_none(), "one waits for a session");

    project.sends(&look);
    assert_eq!(project.feedback(&look).message.unwrap().words, "Codex reads it at once");
    assert!(waiter.take_news());
    let Claimed::Message(claimed) = project.claims(Delivery::Wake) else { panic!("a message waits") };
    // A waiting hook tries again in that case.
    assert!(matches!(project.claims(Delivery::Prompt), Claimed::Busy));
    claimed.mark_delivered().unwrap();
    drop(waiter);
    let feedback = project.feedback(&look);
    assert_eq!(feedback.route.unwrap().words, "Codex reads it with your next prompt");
    assert_eq!(feedback.message.unwrap().words, "Codex has read it, and goes on");
    assert!(matches!(project.claims(Delivery::Prompt), Claimed::Nothing));
    assert!(project.waits().is_some(), "the next one waits");
}

#[test]
fn during_a_turn_desks_say_whether_its_end_delivers_the_message() {
    use alongside_contract::turns::Moment;
    let Some(project) = Project::new() else { return };
    project.event_of(Moment::Prompt, "s", true).unwrap();
    let look = project.look();
    let after = "Codex reads it when its turn ends, or with your next prompt";
    assert_eq!(project.words(&look), after);
    project.sends(&look);
    assert_eq!(project.feedback(&look).message.unwrap().words, after);
    project.end();
    assert_eq!(project.words(&look), "Codex reads it with your next prompt", "no hook waits");
    let _waiter = project.waits().unwrap();
    assert_eq!(project.words(&look), "Codex reads it at once");
    project.prompt();
    assert_eq!(project.words(&look), "Codex reads it with your next prompt", "its end wakes nobody");
}

#[test]
fn the_next_prompt_or_the_removal_of_the_store_ends_the_wait() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    project.end();
    let waiter = project.waits().unwrap();
    project.event(alongside_contract::turns::Moment::Prompt, "beside").unwrap();
    assert!(!waiter.is_over().unwrap(), "it is another session's");
    project.prompt();
    assert!(waiter.is_over().unwrap());
    drop(waiter);
    project.end();
    let waiter = project.waits().unwrap();
    clear(&project.dirs, &project.top, Instant::now() + Duration::from_secs(9)).unwrap();
    assert!(waiter.is_over().unwrap());
}
