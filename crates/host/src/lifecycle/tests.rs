//! Tests each rule of the lifecycle with artificial times.

use super::Departure::{Left, Vanished};
use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn editor(pid: u32) -> EditorProcess {
    EditorProcess { pid, name: "ed".into(), display_name: format!("Ed {pid}"), window: None }
}

fn desk(pid: u32) -> Party {
    let (name, roots) = (format!("desk {pid}"), Vec::new());
    Party { pid: Some(pid), role: Role::Desk, name, editor: None, roots }
}

fn keeper(pid: u32) -> Party {
    Party { role: Role::Keeper, name: format!("run {pid}"), ..desk(pid) }
}

/// Makes a server of an editor.
fn server(pid: u32) -> Party {
    Party { editor: Some(editor(pid)), name: format!("Ed {pid}"), ..desk(pid) }
}

fn publish(pid: u32) -> Vec<Step> {
    vec![Step::Publish(vec![stand_in(&desk(pid))])]
}

fn publish_editors(pids: &[u32]) -> Vec<Step> {
    vec![Step::Publish(pids.iter().copied().map(editor).collect())]
}

const NOTHING: &[Step] = &[];
const HIDE: &[Step] = &[Step::Hide];
const END: &[Step] = &[Step::End];

/// Makes a host that a desk (process 1) has started and joined as number 1.
fn started_by_desk() -> (Instant, Lifecycle) {
    let now = Instant::now();
    let mut lifecycle = Lifecycle::begin(vec![desk(1)], now);
    assert_eq!(lifecycle.joined(1, desk(1), now), NOTHING, "it is found as the desk's already");
    (now, lifecycle)
}

/// Makes a host that an editor (process 1) has started and joined as number 1.
fn started_by_editor() -> (Instant, Lifecycle) {
    let now = Instant::now();
    let mut lifecycle = Lifecycle::begin(vec![server(1)], now);
    assert_eq!(lifecycle.joined(1, server(1), now), NOTHING);
    (now, lifecycle)
}

#[test]
fn a_host_that_nobody_joins_ends() {
    let now = Instant::now();
    for expected in [vec![desk(1)], vec![server(7)], vec![server(7), desk(1), keeper(2)]] {
        let mut lifecycle = Lifecycle::begin(expected, now);
        assert_eq!(lifecycle.handle_deadline(now + GRACE - SECOND), NOTHING);
        assert_eq!(lifecycle.deadline(), Some(now + GRACE));
        assert_eq!(lifecycle.time_left(now), Some(GRACE));
        assert_eq!(lifecycle.handle_deadline(now + GRACE), END);
    }
}

/// The desk dies right after it has started a host.
#[test]
fn another_desk_replaces_a_starter_that_has_died() {
    let now = Instant::now();
    let begun = Lifecycle::begin(vec![desk(1), keeper(2), server(7)], now);
    assert_eq!(begun.expected_processes(), [1, 2], "the end of an editor is another matter");
    let mut lifecycle = Lifecycle::begin(vec![desk(1)], now);
    lifecycle.expected_ended(1);
    assert_eq!((lifecycle.expected_processes(), lifecycle.deadline()), (Vec::new(), Some(now + GRACE)));
    assert_eq!(lifecycle.handle_deadline(now + SECOND), NOTHING, "it may be opened again");
    assert_eq!(lifecycle.joined(1, desk(5), now + SECOND), publish(5));
    assert_eq!(lifecycle.deadline(), None);
    assert_eq!(lifecycle.parted(1, Left, now + SECOND), END);
}

#[test]
fn the_last_desk_to_leave_ends_the_host_at_once() {
    let (now, mut lifecycle) = started_by_desk();
    lifecycle.joined(2, desk(2), now);
    assert_eq!(lifecycle.parted(2, Left, now), NOTHING);
    assert_eq!(lifecycle.parted(1, Left, now), END);
}

#[test]
fn the_host_waits_for_the_last_desk_that_vanished() {
    let (now, mut lifecycle) = started_by_desk();
    assert_eq!(lifecycle.parted(1, Vanished, now), NOTHING);
    assert_eq!(lifecycle.handle_deadline(now + GRACE - SECOND), NOTHING);
    // The desk comes back as another process, under which agents then find the host.
    assert_eq!(lifecycle.joined(2, desk(5), now), publish(5));
    assert_eq!((lifecycle.deadline(), lifecycle.time_left(now)), (None, None));
    assert_eq!(lifecycle.parted(2, Left, now), END, "nobody waits for the first process any more");
}

#[test]
fn a_desk_that_vanished_counts_as_present_while_others_leave() {
    let (now, mut lifecycle) = started_by_desk();
    lifecycle.joined(2, desk(2), now);
    assert_eq!(lifecycle.parted(1, Vanished, now), publish(2));
    assert_eq!(lifecycle.parted(2, Left, now + SECOND), publish(1));
    assert_eq!(lifecycle.handle_deadline(now + GRACE), END);
}

#[test]
fn a_desk_knows_which_parties_keep_the_host_after_it() {
    let (now, mut lifecycle) = started_by_desk();
    assert_eq!(lifecycle.kept_by(1), [""; 0]);
    lifecycle.joined(2, keeper(2), now);
    assert_eq!(lifecycle.kept_by(1), ["run 2"]);
    lifecycle.joined(3, desk(3), now);
    assert_eq!(lifecycle.kept_by(1), ["desk 3"], "a keeper has no screen for a review");
    assert_eq!(lifecycle.kept_by(3), ["desk 1"]);
    assert_eq!(lifecycle.member_names(), ["desk 1", "run 2", "desk 3"]);
    lifecycle.joined(4, server(7), now);
    lifecycle.joined(5, server(7), now);
    assert_eq!(lifecycle.kept_by(1), ["desk 3", "Ed 7"], "one name for all servers of an editor");
    assert_eq!(lifecycle.kept_by(4), ["desk 1", "desk 3", "Ed 7"]);
}

#[test]
fn reviews_stay_while_another_desk_can_decide_them() {
    let (now, mut lifecycle) = started_by_editor();
    lifecycle.joined(2, server(2), now);
    lifecycle.joined(3, desk(3), now);
    assert_eq!(lifecycle.editor_ended(1, now), publish_editors(&[2]));
    assert_eq!(lifecycle.editor_ended(2, now), publish(3));
    assert_eq!(lifecycle.deadline(), None);
    assert_eq!(lifecycle.parted(3, Left, now + GRACE), END);
}

#[test]
fn a_remaining_desk_keeps_the_host_and_is_published() {
    let (now, mut lifecycle) = started_by_desk();
    assert_eq!(lifecycle.joined(2, desk(2), now), NOTHING);
    assert_eq!(lifecycle.parted(1, Vanished, now), publish(2));
    lifecycle.handle_deadline(now + GRACE);
    assert_eq!(lifecycle.deadline(), None);
}

#[test]
fn a_keeper_keeps_the_host_after_the_last_desk() {
    let (now, mut lifecycle) = started_by_desk();
    lifecycle.joined(2, keeper(2), now);
    assert_eq!(lifecycle.parted(1, Left, now), publish(2));
    assert_eq!(lifecycle.deadline(), None);
    assert_eq!(lifecycle.parted(2, Left, now), END);
}

#[test]
fn the_host_is_found_under_every_editor() {
    let (now, mut lifecycle) = started_by_desk();
    assert_eq!(lifecycle.joined(2, server(7), now), publish_editors(&[7]));
    assert_eq!(lifecycle.joined(3, server(8), now), publish_editors(&[8, 7]), "the newest was used last");
    assert_eq!(lifecycle.joined(4, server(8), now), NOTHING);
    assert_eq!(lifecycle.focused(2, now), publish_editors(&[7, 8]));
    assert_eq!(lifecycle.focused(2, now), NOTHING);
    assert_eq!(lifecycle.focused(1, now), NOTHING, "a desk in a terminal is no editor");
    assert_eq!(lifecycle.editor_processes(), [7, 8]);
    assert_eq!(lifecycle.parted(1, Left, now), NOTHING);
    assert_eq!(lifecycle.editor_ended(7, now), publish_editors(&[8]));
}

#[test]
fn the_host_hides_while_it_waits_for_a_closed_editor() {
    let (now, mut lifecycle) = started_by_editor();
    assert_eq!(lifecycle.editor_ended(1, now), HIDE);
    assert!(lifecycle.is_hidden() && lifecycle.editors() == [editor(1)]);
    assert_eq!(lifecycle.editor_processes(), [0; 0], "its process has ended");
    assert_eq!(lifecycle.handle_deadline(now + GRACE - SECOND), NOTHING);
    assert_eq!(lifecycle.time_left(now + SECOND), Some(GRACE - SECOND));
    // The editor is opened again on the same project.
    assert_eq!(lifecycle.joined(2, server(8), now), publish_editors(&[8]));
    assert!(!lifecycle.is_hidden());
    assert_eq!(lifecycle.deadline(), None);
    assert_eq!(lifecycle.parted(2, Left, now), HIDE);
    assert_eq!(lifecycle.handle_deadline(now + GRACE), END);
}

#[test]
fn one_editor_may_have_several_servers() {
    let (now, mut lifecycle) = started_by_editor();
    assert_eq!(lifecycle.joined(2, server(1), now), NOTHING);
    assert_eq!(lifecycle.parted(1, Left, now), NOTHING);
    assert_eq!(lifecycle.parted(2, Left, now), HIDE);
}

#[test]
fn windows_of_one_process_are_separate_editors_with_one_file_name() {
    let (now, mut lifecycle) = started_by_editor();
    let window = EditorProcess { window: Some("2".into()), ..editor(1) };
    let other = Party { editor: Some(window.clone()), ..desk(1) };
    assert_eq!(lifecycle.joined(2, other, now), [Step::Publish(vec![window])]);
    assert_eq!(lifecycle.parted(2, Left, now), publish_editors(&[1]));
    assert_eq!(lifecycle.editor_ended(1, now), HIDE);
}

#[test]
fn an_ended_editor_is_closed_though_its_server_lives() {
    let (now, mut lifecycle) = started_by_editor();
    assert_eq!(lifecycle.editor_ended(1, now), HIDE);
    assert_eq!(lifecycle.parted(1, Vanished, now + SECOND), NOTHING);
    assert_eq!(lifecycle.deadline(), Some(now + GRACE));
    assert_eq!(lifecycle.editor_ended(1, now + SECOND), NOTHING, "once");
}

#[test]
fn the_end_of_a_server_has_no_effect_before_the_grace_is_over() {
    let (now, mut lifecycle) = started_by_editor();
    assert_eq!(lifecycle.parted(1, Vanished, now), NOTHING);
    assert_eq!(lifecycle.joined(2, server(1), now), NOTHING);
    assert_eq!(lifecycle.deadline(), None);
    lifecycle.parted(2, Vanished, now);
    assert_eq!(lifecycle.editor_processes(), [1], "it may end meanwhile");
    assert_eq!(lifecycle.handle_deadline(now + GRACE), END);
}

#[test]
fn a_desk_takes_over_a_hidden_host() {
    let (now, mut lifecycle) = started_by_editor();
    lifecycle.editor_ended(1, now);
    assert_eq!(lifecycle.joined(2, desk(2), now), publish(2));
    assert_eq!((lifecycle.editors(), lifecycle.deadline()), (vec![], None));
    assert_eq!(lifecycle.parted(2, Left, now + SECOND), HIDE, "the editor may still come back");
    assert_eq!(lifecycle.handle_deadline(now + GRACE), END);
}

#[test]
fn the_projects_are_those_of_all_members() {
    let (now, mut lifecycle) = started_by_editor();
    let roots = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
    let served = |lifecycle: &Lifecycle| lifecycle.roots().cloned().collect::<Vec<_>>();
    lifecycle.joined(2, Party { roots: roots(&["/a", "/b"]), ..server(2) }, now);
    lifecycle.joined(3, Party { roots: roots(&["/a/c"]), ..desk(3) }, now);
    assert_eq!(served(&lifecycle), roots(&["/a", "/b", "/a/c"]));
    lifecycle.change_roots(2, roots(&["/d"]), &roots(&["/a"]));
    lifecycle.parted(3, Left, now);
    assert_eq!(served(&lifecycle), roots(&["/b", "/d"]));
    lifecycle.parted(2, Vanished, now);
    assert_eq!(served(&lifecycle), roots(&["/b", "/d"]), "it may come back");
    lifecycle.handle_deadline(now + GRACE);
    assert_eq!(served(&lifecycle), roots(&[]));
}

#[test]
fn after_a_crash_the_host_waits_for_every_editor() {
    let now = Instant::now();
    let mut lifecycle = Lifecycle::begin(vec![server(1), server(2), desk(3)], now);
    assert_eq!(
        lifecycle.handle_deadline(now),
        publish_editors(&[1, 2]),
        "its start publishes it as the first only"
    );
    assert_eq!(lifecycle.joined(1, desk(3), now), NOTHING);
    assert_eq!(lifecycle.joined(2, server(2), now), publish_editors(&[2, 1]));
    assert_eq!(lifecycle.handle_deadline(now + GRACE), publish_editors(&[2]));
}

#[test]
fn after_a_crash_the_host_waits_for_every_desk() {
    let now = Instant::now();
    let mut lifecycle = Lifecycle::begin(vec![desk(1), desk(2)], now);
    assert_eq!(lifecycle.joined(1, desk(1), now), NOTHING);
    assert_eq!(lifecycle.kept_by(1), ["desk 2"]);
    // A desk that is opened meanwhile does not replace the other one.
    assert_eq!(lifecycle.joined(2, desk(3), now), NOTHING);
    assert_eq!(lifecycle.parted(1, Left, now), publish(3));
    assert_eq!(lifecycle.parted(2, Left, now), publish(2));
    let mut with_it = lifecycle.clone();
    assert_eq!(with_it.joined(3, desk(2), now), NOTHING);
    assert_eq!(with_it.deadline(), None);
    assert_eq!(with_it.parted(3, Left, now), END);
    // The host waits no longer for a desk that does not come than for one that vanished.
    assert_eq!(lifecycle.handle_deadline(now + GRACE - SECOND), NOTHING);
    assert_eq!(lifecycle.handle_deadline(now + GRACE), END);
}

#[test]
fn a_host_after_a_crash_expects_all_parties_of_the_last_one() {
    let (now, mut lifecycle) = started_by_desk();
    lifecycle.joined(2, keeper(2), now);
    lifecycle.joined(3, server(7), now);
    lifecycle.joined(4, Party { pid: None, ..desk(4) }, now);
    lifecycle.parted(2, Vanished, now);
    let expected = |pid, role, name: &str| PartyRecord { pid, role, name: name.into() };
    let others = [expected(1, Role::Desk, "desk 1"), expected(2, Role::Keeper, "run 2")];
    assert_eq!(lifecycle.parties_without_editor(), others);
    assert_eq!(lifecycle.editors(), [editor(7)]);
    assert_eq!(
        Lifecycle::begin(vec![desk(1), keeper(2)], now).parties_without_editor(),
        others,
        "also the next one"
    );
}

#[test]
fn the_parting_of_an_unknown_party_has_no_effect() {
    let (now, mut lifecycle) = started_by_desk();
    assert_eq!(lifecycle.parted(9, Left, now), NOTHING);
}

#[test]
fn a_host_waits_for_its_starter_though_others_joined_first() {
    let now = Instant::now();
    let mut lifecycle = Lifecycle::begin(vec![desk(1)], now);
    assert_eq!(lifecycle.joined(1, keeper(2), now), publish(2), "it was started for another");
    assert_eq!(lifecycle.parted(1, Left, now), publish(1));
    assert_eq!(lifecycle.joined(2, desk(1), now), NOTHING);
    assert_eq!(lifecycle.deadline(), None);
}
