//! Tests of events from agents, other desks and the disk: the desk shows them at once, and stays at its
//! review.

use alongside_desk::{Closing, Event, Problem};
use insta::assert_snapshot;

use super::*;

#[tokio::test(start_paused = true)]
async fn an_agent_that_comes_by_its_hook_is_listed() {
    let mut stage = Stage::new(120, 24);
    stage.moment().await;
    stage.shows("none yet");
    let claude = alongside_desk::Agent { by_hook: true, ..agent(7, "Claude Code", "", 0) };
    stage.companion.open(1, &claude, "/shop/basket.py", &pieces());
    stage.companion.open(2, &claude, "/shop/other.py", &pieces());
    stage.a_while().await;
    stage.shows("Claude Code by its hook");
    stage.does_not_show("none yet");
    // No part of the other review has been on the screen.
    stage.shows("• other.py");
    assert_snapshot!("by_its_hook", stage.screen());
    for id in [1, 2] {
        stage.companion.close(id, Closing::AgentGone, None);
    }
    stage.a_while().await;
    stage.shows("Nothing to review.");
    stage.shows("Claude Code is there: its hook brings its changes here.");
    stage.does_not_show("No agent is connected yet");
    stage.resize(80, 24).await;
    stage.shows("Claude Code (by its hook)");
}

#[tokio::test(start_paused = true)]
async fn an_arriving_review_is_listed_and_changes_nothing_else() {
    let mut stage = Stage::reading(120, 24).await;
    stage.press("j").await;
    let page = |stage: &Stage| {
        stage
            .screen()
            .lines()
            .take(10)
            .map(|row| row.chars().skip(24).collect::<String>())
            .collect::<Vec<_>>()
    };
    let before = page(&stage);
    stage.propose(2, "/shop/b.py").await;
    assert_eq!(page(&stage), before);
    stage.shows("New review: b.py by Gemini CLI; 2 are waiting (Tab: next).");
    stage.shows_on("\t", "change 1 of 3").await;
    stage.shows_on("\t", "change 2 of 3").await;
}

#[tokio::test(start_paused = true)]
async fn a_review_that_takes_the_screen_is_announced() {
    let mut stage = Stage::connected(120, 28).await;
    stage.propose(1, "/shop/numbers.txt").await;
    stage.shows("New review: numbers.txt by Gemini CLI.");
    stage.a_while().await;
    stage.shows_on("a", "numbers.txt: accepted; Gemini CLI writes it.").await;
    stage.propose(2, "/shop/numbers.txt").await;
    stage.shows("New review: numbers.txt by Gemini CLI.");
    stage.does_not_show("accepted");
    stage.close(2, Closing::Accepted).await;
    stage.does_not_show("New review");
    // The message about the decision at another desk is not about this review, so it waits.
    stage.companion.decide_in("Neovim", 2, Closing::Rejected);
    stage.propose(3, "/shop/numbers.txt").await;
    stage.companion.decide_in("Neovim", 3, Closing::Rejected);
    stage.propose(4, "/shop/numbers.txt").await;
    stage.shows("New review: numbers.txt by Gemini CLI. (1 more: m)");
    stage.a_while().await;
    stage.shows_on("j", "numbers.txt: rejected in Neovim").await;
}

#[tokio::test(start_paused = true)]
async fn reviews_of_a_desk_that_opens_are_no_news() {
    let mut stage = Stage::new(120, 24);
    stage.open(1, "/shop/numbers.txt", &pieces());
    stage.moment().await;
    stage.shows("change 1 of 3");
    stage.does_not_show("New review");
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
        let mut stage = Stage::reading(120, 24).await;
        stage.propose(2, "/shop/b.py").await;
        stage.companion.close(1, closing, Some("/drafts/basket.py".into()));
        stage.moment().await;
        stage.shows(said);
        let draft = "Your edits are in /drafts/basket.py (`alongside drafts`)";
        // The agent may write these edits itself; the companion reports the edits that it did not write.
        if closing == Closing::AnsweredInAgent {
            stage.does_not_show(draft)
        } else {
            stage.shows(draft)
        }
        stage.shows("▸ b.py");
    }
}

#[tokio::test(start_paused = true)]
async fn a_decision_elsewhere_names_the_desk() {
    for (closing, said) in [
        (Closing::Accepted, "basket.py: accepted in Neovim; Gemini CLI writes it."),
        (Closing::Rejected, "basket.py: rejected in Neovim; Gemini CLI is told."),
    ] {
        let mut stage = Stage::reading(120, 24).await;
        stage.companion.decide_in("Neovim", 1, closing);
        stage.moment().await;
        stage.shows(said);
    }
}

#[tokio::test(start_paused = true)]
async fn a_replacement_takes_the_place_of_the_review_on_screen() {
    let mut stage = Stage::reading(120, 24).await;
    stage.propose(2, "/shop/b.py").await;
    stage.companion.close(1, Closing::Replaced, None);
    stage.open(3, "/shop/basket.py", &[differs("old\n", "newer\n")]);
    stage.moment().await;
    stage.shows("basket.py: replaced by a newer proposal of Gemini CLI.");
    stage.shows("newer");
    let listed = stage.screen();
    assert!(listed.find("▸ basket.py") < listed.find("• b.py"), "{listed}");
    stage.press("a").await;
    assert_eq!(stage.asked(), [], "the key was meant for the earlier review");
}

#[tokio::test(start_paused = true)]
async fn a_replacement_elsewhere_changes_only_the_list() {
    let mut stage = Stage::reading(120, 24).await;
    stage.propose(2, "/shop/b.py").await;
    stage.propose(3, "/shop/c.py").await;
    stage.companion.close(2, Closing::Replaced, None);
    stage.open(4, "/shop/b.py", &pieces());
    stage.moment().await;
    let screen = stage.screen();
    let at = |name: &str| screen.find(name).unwrap_or_else(|| panic!("{name} is not in\n{screen}"));
    assert!(at("▸ basket.py") < at("• b.py") && at("• b.py") < at("• c.py"), "{screen}");
}

#[tokio::test(start_paused = true)]
async fn a_replacement_that_does_not_come_leaves_no_empty_screen() {
    let mut stage = Stage::reading(120, 24).await;
    stage.propose(2, "/shop/b.py").await;
    stage.close(1, Closing::Replaced).await;
    stage.shows("▸ b.py");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_changes_on_disk_is_reported_at_once() {
    let mut stage = Stage::reading(120, 24).await;
    stage.companion.change(1, |review, _| review.stale = true);
    stage.moment().await;
    stage.shows("basket.py: the file changed on disk; accepting undoes that change.");
    stage.companion.change(1, |review, _| review.dirty = true);
    stage.moment().await;
    stage.shows("basket.py: an editor now holds unsaved changes to the file.");
    stage.does_not_show("another desk");
}

#[tokio::test(start_paused = true)]
async fn a_foreign_change_elsewhere_moves_nothing() {
    let mut stage = Stage::reading(120, 24).await;
    stage.press("j").await;
    let row = |stage: &Stage| stage.screen().lines().position(|row| row.contains("def count"));
    let before = row(&stage);
    assert!(before.is_some());
    stage.companion.drop_elsewhere(1, &[0]);
    stage.moment().await;
    assert_eq!(row(&stage), before);
    stage.shows("change 2 of 3");
}

#[tokio::test(start_paused = true)]
async fn agents_come_go_and_are_away() {
    let mut stage = Stage::new(120, 24);
    stage.moment().await;
    stage.connect().await;
    stage.shows("Qwen Code is connected.");
    stage.companion.status.agents[0].listening = false;
    stage.tell_status().await;
    stage.shows("Gemini CLI is away, and is told of decisions once it is back.");
    stage.companion.status.agents.remove(0);
    stage.tell_status().await;
    stage.shows("Gemini CLI has left.");
}

#[tokio::test(start_paused = true)]
async fn a_problem_is_shown_with_what_to_do() {
    let mut stage = Stage::reading(120, 24).await;
    let hint = Some("make room".to_owned());
    stage.companion.tell(Event::Problem(Problem { what: "disk \x1bfull".into(), hint }));
    stage.moment().await;
    stage.shows("Problem: disk \\x1bfull");
    stage.shows("make room");
}

#[tokio::test(start_paused = true)]
async fn agent_news_does_not_push_a_problem_off_the_screen() {
    let mut stage = Stage::reading(120, 24).await;
    let hint = Some("make room".to_owned());
    stage.companion.tell(Event::Problem(Problem { what: "disk full".into(), hint }));
    for _ in 0..3 {
        let agents = std::mem::take(&mut stage.companion.status.agents);
        stage.tell_status().await;
        stage.companion.status.agents = agents;
        stage.tell_status().await;
    }
    stage.a_while().await;
    stage.shows("Problem: disk full; make room");
    stage.does_not_show("Qwen Code is connected.");
    stage.shows_on("j", "Qwen Code is connected.").await;
}

#[tokio::test(start_paused = true)]
async fn warnings_come_one_after_the_other_and_take_one_line() {
    let mut stage = Stage::reading(120, 24).await;
    let page = |stage: &Stage| stage.screen().lines().take(22).map(str::to_owned).collect::<Vec<_>>();
    let before = page(&stage);
    stage.tell_problems(&["first", "second", "third"]).await;
    stage.shows("Problem: third (2 more: m)");
    stage.does_not_show("second");
    assert_eq!(page(&stage), before, "no message covers the review");
    stage.reads_on("⎋", "Problem: second (1 more: m)").await;
    stage.reads_on("⎋", "Problem: first").await;
    stage.key(KeyCode::Esc).await;
    stage.does_not_show("Problem");
}

#[tokio::test(start_paused = true)]
async fn the_answer_to_a_key_is_shown_over_waiting_warnings() {
    let mut stage = Stage::reading(120, 24).await;
    stage.tell_problems(&["first", "second", "third"]).await;
    stage.shows("Problem: third (2 more: m)");
    stage.press("p").await;
    stage.shows("Context is paused: agents learn nothing about your files (p resumes). (2 more: m)");
    stage.a_while().await;
    stage.shows_on("⎋", "Problem: second (1 more: m)").await;
    stage.a_while().await;
    stage.shows_on("w", "All long lines are wrapped. (1 more: m)").await;
    stage.a_while().await;
    stage.shows_on("⎋", "Problem: first").await;
    stage.does_not_show("more: m");
}

#[tokio::test(start_paused = true)]
async fn a_long_message_takes_rows_from_the_page_and_covers_none() {
    let mut stage = Stage::reading(60, 24).await;
    let what = "the disk is full, and nothing that you type can be kept until there is room on it";
    stage.companion.tell(Event::Problem(Problem { what: what.into(), hint: Some("make room".into()) }));
    stage.moment().await;
    stage.shows(&format!("Problem: {what}; make room"));
    stage.shows_on("jjj", "change 3 of 3").await;
    stage.shows("def unused():");
}

#[tokio::test(start_paused = true)]
async fn messages_stay_until_they_have_been_seen() {
    let mut stage = Stage::reading(120, 24).await;
    stage.shared.stuck.store(true, Ordering::Relaxed);
    stage.press("j").await;
    stage.companion.close(1, Closing::AgentGone, Some("/drafts/basket.py".into()));
    stage.press("jj").await;
    stage.shared.stuck.store(false, Ordering::Relaxed);
    stage.a_while().await;
    stage.shows("/drafts/basket.py");
    stage.press("j").await;
    stage.does_not_show("/drafts/basket.py");
}

#[tokio::test(start_paused = true)]
async fn messages_end_with_their_subject() {
    let mut stage = Stage::reading(120, 24).await;
    stage.propose(2, "/shop/b.py").await;
    let arrived = "New review: b.py by Gemini CLI";
    stage.shows(arrived);
    stage.key(KeyCode::Tab).await;
    stage.does_not_show(arrived);
    stage.companion.change(2, |review, _| review.stale = true);
    stage.moment().await;
    stage.shows("b.py: the file changed on disk");
    stage.companion.change(2, |review, _| review.stale = false);
    stage.moment().await;
    stage.does_not_show("changed on disk");
    stage.companion.refuse = Some(alongside_desk::Refusal::CannotSplit);
    stage.a_while().await;
    stage.shows_on("s", "This change cannot be split any further.").await;
    stage.close(2, Closing::Accepted).await;
    stage.does_not_show("cannot be split");
}

#[tokio::test(start_paused = true)]
async fn a_flush_waits_for_no_frame() {
    let mut stage = Stage::reading(120, 24).await;
    stage.shared.stuck.store(true, Ordering::Relaxed);
    stage.press("j").await;
    stage.companion.tell(Event::FlushReview { id: ReviewId(1) });
    stage.moment().await;
    assert_eq!(stage.asked(), [Request::Flushed { id: ReviewId(1) }]);
}

#[tokio::test(start_paused = true)]
async fn the_desk_ends_when_the_companion_stops() {
    let stage = Stage::reading(120, 24).await;
    let Stage { companion, ended, input: _input, .. } = stage;
    drop(companion);
    assert_eq!(ended.await.unwrap().0.unwrap(), Ending::Gone);
}

#[tokio::test(start_paused = true)]
async fn clicks_open_reviews_mean_changes_and_open_folds() {
    let mut stage = Stage::reading(120, 24).await;
    stage.propose(2, "/shop/b.py").await;
    let place = |stage: &Stage, text: &str| {
        let screen = stage.screen();
        let found = screen.lines().enumerate().find_map(|(row, line)| {
            line.find(text).map(|at| (line[..at].chars().count() as u16, row as u16))
        });
        found.unwrap_or_else(|| panic!("{text:?} is not in\n{screen}"))
    };
    let (column, row) = place(&stage, "def count");
    stage.click(column, row).await;
    stage.shows("change 2 of 3");
    let (column, row) = place(&stage, "unchanged lines");
    stage.click(column, row).await;
    stage.shows("# 10");
    let (column, row) = place(&stage, "• b.py");
    stage.click(column + 3, row).await;
    stage.shows("▸ b.py");
    assert_eq!(stage.asked(), []);
}

#[tokio::test(start_paused = true)]
async fn the_path_is_copied_as_it_is() {
    let mut stage = Stage::reading(120, 24).await;
    stage.press("y").await;
    assert_eq!(*stage.shared.copied.lock().unwrap(), ["/shop/basket.py"]);
}

#[tokio::test(start_paused = true)]
async fn focus_is_reported_at_most_once_a_second() {
    let mut stage = Stage::new(120, 24);
    let focused =
        |stage: &Stage| stage.companion.asked.iter().filter(|asked| **asked == Request::Focus).count();
    stage.moment().await;
    assert_eq!(focused(&stage), 1, "a new desk has the focus");
    for _ in 0..5 {
        stage.input(Typed::FocusGained).await;
    }
    assert_eq!(focused(&stage), 1);
    sleep(Duration::from_secs(1)).await;
    stage.input(Typed::FocusGained).await;
    assert_eq!(focused(&stage), 2);
}

#[tokio::test(start_paused = true)]
async fn a_review_is_announced_only_without_the_focus() {
    let options = Options { notify: Some(Notification::Bell), ..Options::default() };
    let mut stage = Stage::with_options(120, 24, "false", options);
    let rung = |stage: &Stage| stage.shared.notified.lock().unwrap().len();
    stage.connect().await;
    stage.propose(1, "/shop/basket.py").await;
    stage.propose(2, "/shop/b.py").await;
    assert_eq!(rung(&stage), 0, "the person sees them");
    stage.input(Typed::FocusLost).await;
    stage.propose(3, "/shop/c.py").await;
    assert_eq!(rung(&stage), 1);
    stage.propose(4, "/shop/d.py").await;
    assert_eq!(rung(&stage), 1, "together they ring once");
    sleep(Duration::from_secs(1)).await;
    stage.propose(5, "/shop/e.py").await;
    assert_eq!(rung(&stage), 2);
    sleep(Duration::from_secs(1)).await;
    stage.input(Typed::FocusGained).await;
    stage.propose(6, "/shop/f.py").await;
    assert_eq!(rung(&stage), 2);
    stage.types(Typed::FocusLost);
    // A person who types has the focus here, whatever the terminal reported.
    stage.press("j").await;
    stage.propose(7, "/shop/g.py").await;
    assert_eq!(rung(&stage), 2);
}

#[tokio::test(start_paused = true)]
async fn without_the_setting_no_review_is_announced() {
    let mut stage = Stage::reading(120, 24).await;
    stage.input(Typed::FocusLost).await;
    stage.propose(2, "/shop/b.py").await;
    assert!(stage.shared.notified.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn agents_of_one_name_have_numbers() {
    let mut stage = Stage::reading(120, 24).await;
    stage.does_not_show("Gemini CLI #");
    let first = stage.gemini.clone();
    let second = Agent { number: 77, ..first.clone() };
    stage.companion.open(2, &second, "/shop/b.py", &pieces());
    stage.moment().await;
    stage.shows(&format!("Gemini CLI #{}", first.number));
    stage.shows("Gemini CLI #77");
}

#[tokio::test(start_paused = true)]
async fn a_version_is_shown_whole_or_not_at_all() {
    let mut stage = Stage::new(120, 24);
    stage.gemini.since = NOW - 60_000;
    stage.gemini.version = "0.61.10".into();
    stage.qwen.version = "0.61.100".into();
    stage.qwen.name = "Gemini CLI".into();
    stage.connect().await;
    let row = |stage: &Stage, number: usize| {
        let screen = stage.screen();
        let row = screen.lines().find(|row| row.starts_with(&format!("Gemini CLI #{number}"))).unwrap();
        row.split('│').next().unwrap().trim_end().to_owned()
    };
    assert_eq!(row(&stage, 1), "Gemini CLI #1      1 min");
    stage.qwen.name = "Qwen".into();
    stage.connect().await;
    stage.shows("Gemini CLI 0.61.10 1 min");
    stage.shows("Qwen 0.61.100 3 min");
}

#[tokio::test(start_paused = true)]
async fn a_late_key_leaves_the_end_of_the_review_on_the_screen() {
    let mut stage = Stage::reading(120, 24).await;
    stage.close(1, Closing::Rejected).await;
    stage.shows_on("a", "basket.py: rejected at another desk").await;
    stage.a_while().await;
    stage.shows_on("a", "Nothing to review.").await;
    stage.does_not_show("basket.py: rejected");
}

#[tokio::test(start_paused = true)]
async fn the_selection_goes_to_an_agent_that_takes_files() {
    let mut stage = Stage::connected(120, 24).await;
    stage.does_not_show("S send");
    stage.press("S").await;
    let active = Request::MentionFile { path: None, lines: None, agent: None };
    assert_eq!(stage.asked(), [active]);
}

#[tokio::test(start_paused = true)]
async fn a_key_before_the_first_frame_of_a_review_stays_at_its_first_change() {
    for key in ["j", "k"] {
        let mut stage = Stage::reading(120, 24).await;
        stage.propose(2, "/shop/2.py").await;
        stage.code(KeyCode::Tab, KeyModifiers::NONE);
        stage.press_fast(key).await;
        stage.shows("2.py");
        stage.shows("change 1 of 3");
    }
}
