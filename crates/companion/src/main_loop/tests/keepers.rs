//! Each desk gets the editors that keep the companion after it, and the desk at which a review was decided.

use super::*;
use crate::DeskProfile;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn each_desk_gets_its_own_list_of_later_keepers() {
    let mut story = Story::begin().await;
    assert_eq!(story.next_status(|_| true).await.kept_by, None, "no desk has reported its keepers");
    let profile = DeskProfile { kept_by: Some(names(&["Neovim"])), ..DeskProfile::default() };
    let (number, other) = story.companion.join_as(profile);
    let first = std::mem::replace(&mut story.desk, other);
    assert_eq!(story.next_status(|_| true).await.kept_by, Some(names(&["Neovim"])), "in its first status");
    story.companion.set_kept_by(number, Vec::new());
    story.next_status(|status| status.kept_by == Some(Vec::new())).await;
    // The other desk keeps its own list.
    story.desk = first;
    assert_eq!(story.next_status(|status| status.desks == 2).await.kept_by, None);
}

#[tokio::test(start_paused = true)]
async fn a_decision_names_its_desk_at_the_other_desks() {
    let mut story = Story::begin().await;
    let review = story.propose("x\n").await;
    let profile = DeskProfile { name: Some("Neovim".into()), ..DeskProfile::default() };
    let (_, neovim) = story.companion.join_as(profile);
    let first = std::mem::replace(&mut story.desk, neovim);
    assert_eq!(story.decide(&review, Decision::Accept).await, Ok(()));
    let closed = story.next_closed().await;
    assert_eq!((closed.decided_here, closed.decided_in), (true, None));
    story.desk = first;
    let closed = story.next_closed().await;
    assert_eq!((closed.decided_here, closed.decided_in.as_deref()), (false, Some("Neovim")));
}
