//! Tests of events from agents, other desks and the disk: the desk shows them at once, and stays at its
//! review.

use alongside_desk::{Closing, Event, Problem};
use insta::assert_snapshot;

use super::*;

#[tokio::test(start_paused = true)]
async fn an_agent_that_comes_by_its_hook_is_listed() {
    let mut desk = TestDesk::new(120, 24);
    desk.deliver_all().await;
    desk.assert_shows("none yet");
    let claude = alongside_desk::Agent { by_hook: true, ..agent(7, "Claude Code", "", 0) };
    desk.companion.open(1, &claude, "/shop/basket.py", &pieces());
    desk.companion.open(2, &claude, "/shop/other.py", &pieces());
    desk.wait_until_keys_count().await;
    desk.assert_shows("Claude Code by its hook");
    desk.assert_hides("none yet");
    // No part of the other review has been on the screen.
    desk.assert_shows("• other.py");
    assert_snapshot!("by_its_hook", desk.screen());
    for id in [1, 2] {
        desk.companion.close(id, Closing::AgentGone, None);
    }
    desk.wait_until_keys_count().await;
    desk.assert_shows("Nothing to review.");
    desk.assert_shows("Claude Code is there: its hook brings its changes here.");
    desk.assert_hides("No agent is connected yet");
    desk.resize(80, 24).await;
    desk.assert_shows("Claude Code (by its hook)");
}

#[tokio::test(start_paused = true)]
async fn an_arriving_review_is_listed_and_changes_nothing_else() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.press("j").await;
    let page = |desk: &TestDesk| {
        desk.screen().lines().take(10).map(|row| row.chars().skip(24).collect::<String>()).collect::<Vec<_>>()
    };
    let before = page(&desk);
    desk.propose(2, "/shop/b.py").await;
    assert_eq!(page(&desk), before);
    desk.assert_shows("New review: b.py by Gemini CLI; 2 are waiting (Tab: next).");
    desk.press_expecting("\t", "change 1 of 3").await;
    desk.press_expecting("\t", "change 2 of 3").await;
}

#[tokio::test(start_paused = true)]
async fn a_review_that_takes_the_screen_is_announced() {
    let mut desk = TestDesk::connected(120, 28).await;
    desk.propose(1, "/shop/numbers.txt").await;
    desk.assert_shows("New review: numbers.txt by Gemini CLI.");
    desk.wait_until_keys_count().await;
    desk.press_expecting("a", "numbers.txt: accepted; Gemini CLI writes it.").await;
    desk.propose(2, "/shop/numbers.txt").await;
    desk.assert_shows("New review: numbers.txt by Gemini CLI.");
    desk.assert_hides("accepted");
    desk.close(2, Closing::Accepted).await;
    desk.assert_hides("New review");
    // The message about the decision at another desk is not about this review, so it waits.
    desk.companion.decide_in("Neovim", 2, Closing::Rejected);
    desk.propose(3, "/shop/numbers.txt").await;
    desk.companion.decide_in("Neovim", 3, Closing::Rejected);
    desk.propose(4, "/shop/numbers.txt").await;
    desk.assert_shows("New review: numbers.txt by Gemini CLI. (1 more: m)");
    desk.wait_until_keys_count().await;
    desk.press_expecting("j", "numbers.txt: rejected in Neovim").await;
}

#[tokio::test(start_paused = true)]
async fn reviews_of_a_desk_that_opens_are_no_news() {
    let mut desk = TestDesk::new(120, 24);
    desk.open(1, "/shop/numbers.txt", &pieces());
    desk.deliver_all().await;
    desk.assert_shows("change 1 of 3");
    desk.assert_hides("New review");
}

#[tokio::test(start_paused = true)]
async fn endings_name_the_draft_of_the_edits() {
    for (closing, said) in [
        (Closing::AnsweredInAgent, "basket.py: answered in Gemini CLI."),
        (Closing::AgentGone, "basket.py: closed, because Gemini CLI has left."),
        (Closing::Accepted, "basket.py: accepted at another desk; Gemini CLI writes it."),
        (Closing::EditorGone, "basket.py: rejected, because the editor ended."),
        (Closing::Interrupted, "basket.py: rejected, because the companion was interrupted."),
        (Closing::Stopped, "basket.py: rejected, because the companion stopped."),
    ] {
        let mut desk = TestDesk::reading(120, 24).await;
        desk.propose(2, "/shop/b.py").await;
        desk.companion.close(1, closing, Some("/drafts/basket.py".into()));
        desk.deliver_all().await;
        desk.assert_shows(said);
        let draft = "Your edits are in /drafts/basket.py (`alongside drafts`)";
        // The agent may write these edits itself; the companion reports the edits that it did not write.
        if closing == Closing::AnsweredInAgent {
            desk.assert_hides(draft)
        } else {
            desk.assert_shows(draft)
        }
        desk.assert_shows("▸ b.py");
    }
}

#[tokio::test(start_paused = true)]
async fn a_decision_elsewhere_names_the_desk() {
    for (closing, said) in [
        (Closing::Accepted, "basket.py: accepted in Neovim; Gemini CLI writes it."),
        (Closing::Rejected, "basket.py: rejected in Neovim; Gemini CLI is told."),
    ] {
        let mut desk = TestDesk::reading(120, 24).await;
        desk.companion.decide_in("Neovim", 1, closing);
        desk.deliver_all().await;
        desk.assert_shows(said);
    }
}

#[tokio::test(start_paused = true)]
async fn a_replacement_takes_the_place_of_the_review_on_screen() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.propose(2, "/shop/b.py").await;
    desk.companion.close(1, Closing::Replaced, None);
    desk.open(3, "/shop/basket.py", &[differs("old\n", "newer\n")]);
    desk.deliver_all().await;
    desk.assert_shows("basket.py: replaced by a newer proposal of Gemini CLI.");
    desk.assert_shows("newer");
    let listed = desk.screen();
    assert!(listed.find("▸ basket.py") < listed.find("• b.py"), "{listed}");
    desk.press("a").await;
    assert_eq!(desk.requests(), [], "the key was meant for the earlier review");
}

#[tokio::test(start_paused = true)]
async fn a_replacement_elsewhere_changes_only_the_list() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.propose(2, "/shop/b.py").await;
    desk.propose(3, "/shop/c.py").await;
    desk.companion.close(2, Closing::Replaced, None);
    desk.open(4, "/shop/b.py", &pieces());
    desk.deliver_all().await;
    let screen = desk.screen();
    let at = |name: &str| screen.find(name).unwrap_or_else(|| panic!("{name} is not in\n{screen}"));
    assert!(at("▸ basket.py") < at("• b.py") && at("• b.py") < at("• c.py"), "{screen}");
}

#[tokio::test(start_paused = true)]
async fn a_replacement_that_does_not_come_leaves_no_empty_screen() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.propose(2, "/shop/b.py").await;
    desk.close(1, Closing::Replaced).await;
    desk.assert_shows("▸ b.py");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_changes_on_disk_is_reported_at_once() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.companion.change(1, |review, _| review.stale = true);
    desk.deliver_all().await;
    desk.assert_shows("basket.py: the file changed on disk; accepting undoes that change.");
    desk.companion.change(1, |review, _| review.dirty = true);
    desk.deliver_all().await;
    desk.assert_shows("basket.py: an editor now holds unsaved changes to the file.");
    desk.assert_hides("another desk");
}

#[tokio::test(start_paused = true)]
async fn a_foreign_change_elsewhere_moves_nothing() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.press("j").await;
    let row = |desk: &TestDesk| desk.screen().lines().position(|row| row.contains("def count"));
    let before = row(&desk);
    assert!(before.is_some());
    desk.companion.drop_elsewhere(1, &[0]);
    desk.deliver_all().await;
    assert_eq!(row(&desk), before);
    desk.assert_shows("change 2 of 3");
}

#[tokio::test(start_paused = true)]
async fn agents_come_go_and_are_away() {
    let mut desk = TestDesk::new(120, 24);
    desk.deliver_all().await;
    desk.connect().await;
    desk.assert_shows("Qwen Code is connected.");
    desk.companion.status.agents[0].listening = false;
    desk.send_status().await;
    desk.assert_shows("Gemini CLI is away, and is told of decisions once it is back.");
    desk.companion.status.agents.remove(0);
    desk.send_status().await;
    desk.assert_shows("Gemini CLI has left.");
}

#[tokio::test(start_paused = true)]
async fn a_problem_is_shown_with_what_to_do() {
    let mut desk = TestDesk::reading(120, 24).await;
    let hint = Some("make room".to_owned());
    desk.companion.send(Event::Problem(Problem { what: "disk \x1bfull".into(), hint }));
    desk.deliver_all().await;
    desk.assert_shows("Problem: disk \\x1bfull");
    desk.assert_shows("make room");
}

#[tokio::test(start_paused = true)]
async fn agent_news_does_not_push_a_problem_off_the_screen() {
    let mut desk = TestDesk::reading(120, 24).await;
    let hint = Some("make room".to_owned());
    desk.companion.send(Event::Problem(Problem { what: "disk full".into(), hint }));
    for _ in 0..3 {
        let agents = std::mem::take(&mut desk.companion.status.agents);
        desk.send_status().await;
        desk.companion.status.agents = agents;
        desk.send_status().await;
    }
    desk.wait_until_keys_count().await;
    desk.assert_shows("Problem: disk full; make room");
    desk.assert_hides("Qwen Code is connected.");
    desk.press_expecting("j", "Qwen Code is connected.").await;
}

#[tokio::test(start_paused = true)]
async fn warnings_come_one_after_the_other_and_take_one_line() {
    let mut desk = TestDesk::reading(120, 24).await;
    let page = |desk: &TestDesk| desk.screen().lines().take(22).map(str::to_owned).collect::<Vec<_>>();
    let before = page(&desk);
    desk.send_problems(&["first", "second", "third"]).await;
    desk.assert_shows("Problem: third (2 more: m)");
    desk.assert_hides("second");
    assert_eq!(page(&desk), before, "no message covers the review");
    desk.press_and_wait_expecting("⎋", "Problem: second (1 more: m)").await;
    desk.press_and_wait_expecting("⎋", "Problem: first").await;
    desk.key(KeyCode::Esc).await;
    desk.assert_hides("Problem");
}

#[tokio::test(start_paused = true)]
async fn the_answer_to_a_key_is_shown_over_waiting_warnings() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.send_problems(&["first", "second", "third"]).await;
    desk.assert_shows("Problem: third (2 more: m)");
    desk.press("p").await;
    desk.assert_shows("Context is paused: agents learn nothing about your files (p resumes). (2 more: m)");
    desk.wait_until_keys_count().await;
    desk.press_expecting("⎋", "Problem: second (1 more: m)").await;
    desk.wait_until_keys_count().await;
    desk.press_expecting("w", "All long lines are wrapped. (1 more: m)").await;
    desk.wait_until_keys_count().await;
    desk.press_expecting("⎋", "Problem: first").await;
    desk.assert_hides("more: m");
}

#[tokio::test(start_paused = true)]
async fn a_long_message_takes_rows_from_the_page_and_covers_none() {
    let mut desk = TestDesk::reading(60, 24).await;
    let what = "the disk is full, and nothing that you type can be kept until there is room on it";
    desk.companion.send(Event::Problem(Problem { what: what.into(), hint: Some("make room".into()) }));
    desk.deliver_all().await;
    desk.assert_shows(&format!("Problem: {what}; make room"));
    desk.press_expecting("jjj", "change 3 of 3").await;
    desk.assert_shows("def unused():");
}

#[tokio::test(start_paused = true)]
async fn messages_stay_until_they_have_been_seen() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.shared.stuck.store(true, Ordering::Relaxed);
    desk.press("j").await;
    desk.companion.close(1, Closing::AgentGone, Some("/drafts/basket.py".into()));
    desk.press("jj").await;
    desk.shared.stuck.store(false, Ordering::Relaxed);
    desk.wait_until_keys_count().await;
    desk.assert_shows("/drafts/basket.py");
    desk.press("j").await;
    desk.assert_hides("/drafts/basket.py");
}

#[tokio::test(start_paused = true)]
async fn messages_end_with_their_subject() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.propose(2, "/shop/b.py").await;
    let arrived = "New review: b.py by Gemini CLI";
    desk.assert_shows(arrived);
    desk.key(KeyCode::Tab).await;
    desk.assert_hides(arrived);
    desk.companion.change(2, |review, _| review.stale = true);
    desk.deliver_all().await;
    desk.assert_shows("b.py: the file changed on disk");
    desk.companion.change(2, |review, _| review.stale = false);
    desk.deliver_all().await;
    desk.assert_hides("changed on disk");
    desk.companion.refuse = Some(alongside_desk::Refusal::CannotSplit);
    desk.wait_until_keys_count().await;
    desk.press_expecting("s", "This change cannot be split any further.").await;
    desk.close(2, Closing::Accepted).await;
    desk.assert_hides("cannot be split");
}

#[tokio::test(start_paused = true)]
async fn a_flush_waits_for_no_frame() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.shared.stuck.store(true, Ordering::Relaxed);
    desk.press("j").await;
    desk.companion.send(Event::FlushReview { id: ReviewId(1) });
    desk.deliver_all().await;
    assert_eq!(desk.requests(), [Request::Flushed { id: ReviewId(1) }]);
}

#[tokio::test(start_paused = true)]
async fn the_desk_ends_when_the_companion_stops() {
    let desk = TestDesk::reading(120, 24).await;
    let TestDesk { companion, ended, input: _input, .. } = desk;
    drop(companion);
    assert_eq!(ended.await.unwrap().0.unwrap(), Ending::Gone);
}

#[tokio::test(start_paused = true)]
async fn clicks_open_reviews_mean_changes_and_open_folds() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.propose(2, "/shop/b.py").await;
    let place = |desk: &TestDesk, text: &str| {
        let screen = desk.screen();
        let found = screen.lines().enumerate().find_map(|(row, line)| {
            line.find(text).map(|at| (line[..at].chars().count() as u16, row as u16))
        });
        found.unwrap_or_else(|| panic!("{text:?} is not in\n{screen}"))
    };
    let (column, row) = place(&desk, "def count");
    desk.click(column, row).await;
    desk.assert_shows("change 2 of 3");
    let (column, row) = place(&desk, "unchanged lines");
    desk.click(column, row).await;
    desk.assert_shows("# 10");
    let (column, row) = place(&desk, "• b.py");
    desk.click(column + 3, row).await;
    desk.assert_shows("▸ b.py");
    assert_eq!(desk.requests(), []);
}

#[tokio::test(start_paused = true)]
async fn the_path_is_copied_as_it_is() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.press("y").await;
    assert_eq!(*desk.shared.copied.lock().unwrap(), ["/shop/basket.py"]);
}

#[tokio::test(start_paused = true)]
async fn focus_is_reported_at_most_once_a_second() {
    let mut desk = TestDesk::new(120, 24);
    let focused =
        |desk: &TestDesk| desk.companion.requests.iter().filter(|asked| **asked == Request::Focus).count();
    desk.deliver_all().await;
    assert_eq!(focused(&desk), 1, "a new desk has the focus");
    for _ in 0..5 {
        desk.input(TerminalEvent::FocusGained).await;
    }
    assert_eq!(focused(&desk), 1);
    sleep(Duration::from_secs(1)).await;
    desk.input(TerminalEvent::FocusGained).await;
    assert_eq!(focused(&desk), 2);
}

#[tokio::test(start_paused = true)]
async fn a_review_is_announced_only_without_the_focus() {
    let options = Options { notify: Some(Notification::Bell), ..Options::default() };
    let mut desk = TestDesk::with_options(120, 24, "false", options);
    let rung = |desk: &TestDesk| desk.shared.notified.lock().unwrap().len();
    desk.connect().await;
    desk.propose(1, "/shop/basket.py").await;
    desk.propose(2, "/shop/b.py").await;
    assert_eq!(rung(&desk), 0, "the person sees them");
    desk.input(TerminalEvent::FocusLost).await;
    desk.propose(3, "/shop/c.py").await;
    assert_eq!(rung(&desk), 1);
    desk.propose(4, "/shop/d.py").await;
    assert_eq!(rung(&desk), 1, "together they ring once");
    sleep(Duration::from_secs(1)).await;
    desk.propose(5, "/shop/e.py").await;
    assert_eq!(rung(&desk), 2);
    sleep(Duration::from_secs(1)).await;
    desk.input(TerminalEvent::FocusGained).await;
    desk.propose(6, "/shop/f.py").await;
    assert_eq!(rung(&desk), 2);
    desk.send_input(TerminalEvent::FocusLost);
    // A person who types has the focus here, whatever the terminal reported.
    desk.press("j").await;
    desk.propose(7, "/shop/g.py").await;
    assert_eq!(rung(&desk), 2);
}

#[tokio::test(start_paused = true)]
async fn without_the_setting_no_review_is_announced() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.input(TerminalEvent::FocusLost).await;
    desk.propose(2, "/shop/b.py").await;
    assert!(desk.shared.notified.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn agents_of_one_name_have_numbers() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.assert_hides("Gemini CLI #");
    let first = desk.gemini.clone();
    let second = Agent { number: 77, ..first.clone() };
    desk.companion.open(2, &second, "/shop/b.py", &pieces());
    desk.deliver_all().await;
    desk.assert_shows(&format!("Gemini CLI #{}", first.number));
    desk.assert_shows("Gemini CLI #77");
}

#[tokio::test(start_paused = true)]
async fn a_version_is_shown_whole_or_not_at_all() {
    let mut desk = TestDesk::new(120, 24);
    desk.gemini.since = NOW - 60_000;
    desk.gemini.version = "0.61.10".into();
    desk.qwen.version = "0.61.100".into();
    desk.qwen.name = "Gemini CLI".into();
    desk.connect().await;
    let row = |desk: &TestDesk, number: usize| {
        let screen = desk.screen();
        let row = screen.lines().find(|row| row.starts_with(&format!("Gemini CLI #{number}"))).unwrap();
        row.split('│').next().unwrap().trim_end().to_owned()
    };
    assert_eq!(row(&desk, 1), "Gemini CLI #1      1 min");
    desk.qwen.name = "Qwen".into();
    desk.connect().await;
    desk.assert_shows("Gemini CLI 0.61.10 1 min");
    desk.assert_shows("Qwen 0.61.100 3 min");
}

#[tokio::test(start_paused = true)]
async fn a_late_key_leaves_the_end_of_the_review_on_the_screen() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.close(1, Closing::Rejected).await;
    desk.press_expecting("a", "basket.py: rejected at another desk").await;
    desk.wait_until_keys_count().await;
    desk.press_expecting("a", "Nothing to review.").await;
    desk.assert_hides("basket.py: rejected");
}

#[tokio::test(start_paused = true)]
async fn the_selection_goes_to_an_agent_that_takes_files() {
    let mut desk = TestDesk::connected(120, 24).await;
    desk.assert_hides("S send");
    desk.press("S").await;
    let active = Request::MentionFile { path: None, lines: None, agent: None };
    assert_eq!(desk.requests(), [active]);
}

#[tokio::test(start_paused = true)]
async fn a_key_before_the_first_frame_of_a_review_stays_at_its_first_change() {
    for key in ["j", "k"] {
        let mut desk = TestDesk::reading(120, 24).await;
        desk.propose(2, "/shop/2.py").await;
        desk.code(KeyCode::Tab, KeyModifiers::NONE);
        desk.press_fast(key).await;
        desk.assert_shows("2.py");
        desk.assert_shows("change 1 of 3");
    }
}
