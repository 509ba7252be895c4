//! Each rule of the lifecycle, on invented times.

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn editor(pid: u32) -> Owner {
    Owner { pid, name: "ed".into(), display_name: "Ed".into(), window: None }
}

fn desk(pid: u32) -> Party {
    Party { pid: Some(pid), role: Role::Desk, name: format!("desk {pid}"), owner: None }
}

fn keeper(pid: u32) -> Party {
    Party { role: Role::Keeper, name: format!("run {pid}"), ..desk(pid) }
}

fn relay(pid: u32) -> Party {
    Party { owner: Some(editor(pid)), ..desk(pid) }
}

fn show(pid: u32) -> Vec<Step> {
    vec![Step::ShowAs(stand_in(&desk(pid)))]
}

fn show_editor(pid: u32) -> Step {
    Step::ShowAs(editor(pid))
}

const NOTHING: &[Step] = &[];
const END: &[Step] = &[Step::End];

/// A host that a desk (process 1) has started and joined as number 1.
fn ownerless() -> (Instant, Lifecycle) {
    let now = Instant::now();
    let mut lifecycle = Lifecycle::begin(None, 1, now);
    assert_eq!(lifecycle.joined(1, desk(1)), NOTHING, "it is found as the desk's already");
    (now, lifecycle)
}

/// A host that an editor (process 1) has started and joined as number 1.
fn owned() -> (Instant, Lifecycle) {
    let now = Instant::now();
    let mut lifecycle = Lifecycle::begin(Some(editor(1)), 1, now);
    assert_eq!(lifecycle.joined(1, relay(1)), NOTHING);
    (now, lifecycle)
}

#[test]
fn a_host_that_nobody_joins_ends() {
    let now = Instant::now();
    let mut lifecycle = Lifecycle::begin(None, 1, now);
    assert_eq!(lifecycle.due(now + GRACE - SECOND), NOTHING);
    assert_eq!(lifecycle.deadline(), Some(now + GRACE));
    assert_eq!(lifecycle.due(now + GRACE), END);
}

#[test]
fn the_last_desk_to_leave_ends_the_host_at_once() {
    let (now, mut lifecycle) = ownerless();
    lifecycle.joined(2, desk(2));
    assert_eq!(lifecycle.parted(2, true, now), NOTHING);
    assert_eq!(lifecycle.parted(1, true, now), END);
}

#[test]
fn the_host_waits_for_the_last_desk_that_vanished() {
    let (now, mut lifecycle) = ownerless();
    assert_eq!(lifecycle.parted(1, false, now), NOTHING);
    assert_eq!(lifecycle.due(now + GRACE - SECOND), NOTHING);
    // It comes back, as another process, and agents find it as that.
    assert_eq!(lifecycle.joined(2, desk(5)), show(5));
    assert_eq!(lifecycle.deadline(), None);
    assert_eq!(lifecycle.parted(2, false, now), NOTHING);
    assert_eq!(lifecycle.due(now + GRACE), END);
}

#[test]
fn a_desk_knows_who_keeps_the_host_after_it() {
    let (now, mut lifecycle) = ownerless();
    assert_eq!(lifecycle.kept_by(1), [""; 0]);
    lifecycle.joined(2, keeper(2));
    assert_eq!(lifecycle.kept_by(1), ["run 2"]);
    lifecycle.joined(3, desk(3));
    assert_eq!(lifecycle.kept_by(1), ["desk 3"], "a keeper has no screen for a review");
    assert_eq!(lifecycle.kept_by(3), ["desk 1"]);
    assert_eq!(lifecycle.keepers(), ["desk 1", "run 2", "desk 3"]);
    lifecycle.parted(2, true, now);
    lifecycle.parted(3, false, now);
    assert_eq!(lifecycle.kept_by(1), [""; 0], "nobody knows whether a desk that vanished comes back");
}

#[test]
fn reviews_end_with_the_editor_whoever_else_is_there() {
    let (now, mut lifecycle) = owned();
    lifecycle.joined(2, desk(2));
    assert_eq!(lifecycle.kept_by(1), [""; 0]);
    assert_eq!(lifecycle.kept_by(2), ["Ed"]);
    lifecycle.joined(3, relay(1));
    assert_eq!(lifecycle.kept_by(1), ["Ed"], "the other server stays");
    lifecycle.owner_gone(now);
    assert_eq!(lifecycle.kept_by(2), [""; 0], "the heir is alone");
}

#[test]
fn a_remaining_desk_keeps_the_host_and_is_published() {
    let (now, mut lifecycle) = ownerless();
    assert_eq!(lifecycle.joined(2, desk(2)), NOTHING);
    assert_eq!(lifecycle.parted(1, false, now), show(2));
    assert_eq!(lifecycle.deadline(), None);
}

#[test]
fn a_keeper_keeps_the_host_after_the_last_desk() {
    let (now, mut lifecycle) = ownerless();
    lifecycle.joined(2, keeper(2));
    assert_eq!(lifecycle.parted(1, true, now), show(2));
    assert_eq!(lifecycle.deadline(), None);
    assert_eq!(lifecycle.parted(2, true, now), END);
}

#[test]
fn a_leaving_keeper_leaves_a_lost_desk_its_time() {
    let (now, mut lifecycle) = ownerless();
    lifecycle.joined(2, keeper(2));
    lifecycle.parted(1, false, now);
    assert_eq!(lifecycle.parted(2, true, now + 5 * SECOND), NOTHING);
    assert_eq!(lifecycle.deadline(), Some(now + GRACE));
    // But nothing is owed to a desk that was lost long ago.
    let (now, mut lifecycle) = ownerless();
    lifecycle.joined(2, keeper(2));
    lifecycle.parted(1, false, now);
    assert_eq!(lifecycle.parted(2, true, now + 2 * GRACE), END);
}

#[test]
fn an_editor_takes_over_an_unowned_host() {
    let (now, mut lifecycle) = ownerless();
    assert_eq!(lifecycle.joined(2, relay(7)), [show_editor(7)]);
    assert_eq!(lifecycle.owner(), Some(&editor(7)));
    assert_eq!(lifecycle.parted(1, true, now), NOTHING);
    assert_eq!(lifecycle.deadline(), None);
}

#[test]
fn the_host_hides_while_it_waits_for_its_editor() {
    let (now, mut lifecycle) = owned();
    assert_eq!(lifecycle.parted(1, true, now), [Step::Hide]);
    assert!(lifecycle.is_hidden());
    assert_eq!(lifecycle.due(now + GRACE - SECOND), NOTHING);
    // Reopened on the same project.
    assert_eq!(lifecycle.joined(2, relay(8)), [show_editor(8)]);
    assert!(!lifecycle.is_hidden());
    assert_eq!(lifecycle.deadline(), None);
    lifecycle.parted(2, true, now);
    assert_eq!(lifecycle.due(now + GRACE), END);
}

#[test]
fn one_editor_may_have_several_servers() {
    let (now, mut lifecycle) = owned();
    assert_eq!(lifecycle.joined(2, relay(1)), NOTHING);
    assert_eq!(lifecycle.parted(1, true, now), NOTHING);
    assert_eq!(lifecycle.parted(2, true, now), [Step::Hide]);
}

#[test]
fn windows_of_one_editor_are_separate_owners() {
    let (now, mut lifecycle) = owned();
    let window = Owner { window: Some("2".into()), ..editor(1) };
    assert_eq!(lifecycle.joined(2, Party { owner: Some(window), ..desk(1) }), NOTHING);
    assert_eq!(lifecycle.owner(), Some(&editor(1)), "the first one lives");
    let steps = lifecycle.parted(1, true, now);
    assert_eq!(steps.first(), Some(&Step::Hide));
}

#[test]
fn an_ended_editor_is_gone_though_its_server_lives() {
    let (now, mut lifecycle) = owned();
    assert_eq!(lifecycle.owner_gone(now), [Step::Hide]);
    assert_eq!(lifecycle.parted(1, false, now + SECOND), NOTHING);
    assert_eq!(lifecycle.deadline(), Some(now + GRACE));
    assert_eq!(lifecycle.owner_gone(now + SECOND), NOTHING, "once");
}

#[test]
fn an_editor_may_restart_a_crashed_server() {
    let (now, mut lifecycle) = owned();
    assert_eq!(lifecycle.parted(1, false, now), NOTHING);
    assert_eq!(lifecycle.joined(2, relay(1)), NOTHING);
    assert_eq!(lifecycle.deadline(), None);
    lifecycle.parted(2, false, now);
    assert_eq!(lifecycle.due(now + GRACE), [Step::Hide]);
    assert_eq!(lifecycle.due(now + 2 * GRACE), END);
}

#[test]
fn a_joined_desk_inherits_the_host_of_a_gone_editor() {
    let (now, mut lifecycle) = owned();
    lifecycle.joined(2, desk(2));
    assert_eq!(lifecycle.parted(1, true, now), [vec![Step::Hide], show(2)].concat());
    assert_eq!(lifecycle.owner(), None);
    assert_eq!(lifecycle.deadline(), None);
    assert_eq!(lifecycle.parted(2, true, now), END);
}

#[test]
fn a_new_desk_takes_over_a_hidden_host() {
    let (now, mut lifecycle) = owned();
    lifecycle.parted(1, true, now);
    assert_eq!(lifecycle.joined(2, desk(2)), show(2));
    assert_eq!((lifecycle.owner(), lifecycle.deadline()), (None, None));
}

#[test]
fn no_editor_takes_the_host_of_a_living_one() {
    let (now, mut lifecycle) = owned();
    assert_eq!(lifecycle.joined(2, relay(9)), NOTHING);
    assert_eq!(lifecycle.owner(), Some(&editor(1)));
    assert_eq!(lifecycle.parted(2, true, now), NOTHING);
    assert!(!lifecycle.is_hidden());
}

#[test]
fn an_unknown_party_cannot_part() {
    let (now, mut lifecycle) = ownerless();
    assert_eq!(lifecycle.parted(9, true, now), NOTHING);
}

#[test]
fn the_starter_may_join_late_but_not_too_late() {
    let now = Instant::now();
    let mut lifecycle = Lifecycle::begin(None, 1, now);
    assert_eq!(lifecycle.joined(1, keeper(2)), NOTHING, "it was started for another");
    assert_eq!(lifecycle.joined(2, desk(1)), NOTHING);
    assert_eq!(lifecycle.deadline(), None);

    let mut lifecycle = Lifecycle::begin(None, 1, now);
    lifecycle.joined(1, keeper(2));
    assert_eq!(lifecycle.due(now + GRACE), show(2));
    assert_eq!(lifecycle.deadline(), None);
}
