//! A panicking desk restores the terminal before it prints the reason. The companion belongs to the test, and
//! panics when the person pauses the context.

use std::env;
use std::path::Path;

use alongside_desk::{Event, Request, Seat, Status, pair};
use alongside_rig::screen::{Screen, Terminal};
use alongside_rig::{Sandbox, wait};
use anyhow::Result;

/// Set when this test runs as the desk; its value is the place of the panic.
const IS_THE_DESK: &str = "ALONGSIDE_PANICS";

#[test]
fn panic_restores_the_terminal_and_stays_readable() -> Result<()> {
    if let Ok(place) = env::var(IS_THE_DESK) {
        return desk_that_panics(&place);
    }
    for place in ["beside it", "within it"] {
        let sandbox = Sandbox::new();
        let terminal = Terminal::new(80, 24).with(IS_THE_DESK, place);
        let this = env::current_exe()?;
        let test = "panicking::panic_restores_the_terminal_and_stays_readable";
        let words = [this.as_path(), Path::new("--exact"), Path::new(test), Path::new("--nocapture")];
        let mut desk = Screen::start(&sandbox, &terminal, words)?;
        desk.wait_for_text("No agent is connected yet.")?;
        let drawn = |picture: &vt100::Screen| picture.alternate_screen() && picture.hide_cursor();
        desk.wait_for_picture("the whole screen", drawn)?;
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

fn desk_that_panics(place: &str) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let (desk, seat) = pair();
        seat.events.send(Event::Status(Status::default()))?;
        let desk = alongside_terminal::run(desk, alongside_terminal::Options::default());
        let companion = panics_when_paused(seat);
        if place == "beside it" {
            tokio::spawn(companion);
            desk.await?;
        } else {
            tokio::select! {
                ended = desk => { ended?; }
                () = companion => {}
            }
        }
        // A panic elsewhere ends the desk, and the process fails.
        std::process::exit(101)
    })
}

async fn panics_when_paused(mut seat: Seat) {
    while let Some(call) = seat.calls.recv().await {
        assert!(!matches!(call.request, Request::PauseContext { .. }), "as the test wants it");
    }
    // Without a desk nothing would end this process.
    tokio::time::sleep(wait::PATIENCE).await;
}
