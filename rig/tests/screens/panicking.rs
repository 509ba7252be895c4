//! A panicking desk restores the terminal before it prints the reason. The test itself plays the companion,
//! which panics when the person pauses the context.

use std::env;
use std::path::Path;

use alongside_desk::{Event, Request, Seat, Status, pair};
use alongside_rig::screen::{Screen, Terminal};
use alongside_rig::{Sandbox, wait};
use anyhow::Result;

/// The variable that is set when this test runs as the desk. Its value says where to panic.
const PANIC_PLACE: &str = "ALONGSIDE_PANICS";

#[test]
fn panic_restores_the_terminal_and_stays_readable() -> Result<()> {
    if let Ok(place) = env::var(PANIC_PLACE) {
        return run_panicking_desk(&place);
    }
    for place in ["beside it", "within it"] {
        let sandbox = Sandbox::new();
        let terminal = Terminal::new(80, 24).with(PANIC_PLACE, place);
        let this = env::current_exe()?;
        let test = "panicking::panic_restores_the_terminal_and_stays_readable";
        let command = [this.as_path(), Path::new("--exact"), Path::new(test), Path::new("--nocapture")];
        let mut desk = Screen::start(&sandbox, &terminal, command)?;
        desk.wait_for_text("No agent is connected yet.")?;
        let is_drawn = |picture: &vt100::Screen| picture.alternate_screen() && picture.hide_cursor();
        desk.wait_for_picture("the whole screen", is_drawn)?;
        desk.press("p")?;
        let status = desk.wait_for_exit()?;
        assert!(!status.success(), "{place}: {status}");
        assert_eq!(desk.unrestored_state()?, Vec::<String>::new(), "{place}");
        let screen = desk.text()?;
        assert!(screen.contains("as the test wants it"), "{place}:\n{screen}");
        assert!(!screen.contains("No agent is connected"), "{place}:\n{screen}");
    }
    Ok(())
}

/// Runs a desk whose companion panics in a task beside the desk, or in the desk's own task.
fn run_panicking_desk(place: &str) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let (desk, seat) = pair();
        seat.events.send(Event::Status(Status::default()))?;
        let desk = alongside_terminal::run(desk, alongside_terminal::Options::default());
        let companion = panic_when_paused(seat);
        if place == "beside it" {
            tokio::spawn(companion);
            desk.await?;
        } else {
            tokio::select! {
                result = desk => { result?; }
                () = companion => {}
            }
        }
        // A panic in another task has ended the desk, and the process must fail.
        std::process::exit(101)
    })
}

/// Plays the companion, and panics when the person pauses the context.
async fn panic_when_paused(mut seat: Seat) {
    while let Some(call) = seat.calls.recv().await {
        assert!(!matches!(call.request, Request::PauseContext { .. }), "as the test wants it");
    }
    // The time limit ends this process even if the desk does not.
    tokio::time::sleep(wait::PATIENCE).await;
}
