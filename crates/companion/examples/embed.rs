//! The smallest host of a companion: it serves one directory and prints each proposal. The person decides in
//! the agent's own prompt.
//!
//! ```text
//! cargo run --example embed -- /home/me/project
//! ```

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use alongside_companion::Companion;
use alongside_companion::desk::{Event, harmless};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let root = std::env::args_os().nth(1).ok_or("the directory is missing: embed DIRECTORY")?;
    let companion = Companion::builder().editor("example", "Example").root(&root).start().await?;
    println!("Serving {}. Start an agent there; Ctrl-C ends.", root.display());
    let mut desk = companion.join();
    loop {
        tokio::select! {
            event = desk.next() => match event? {
                Event::Opened(review) => {
                    let (agent, file) = (harmless::name(&review.agent.name), harmless::name(&review.file));
                    println!("{agent} proposes {file}.");
                }
                Event::Closed(closed) => println!("Review {} has ended.", closed.id),
                _ => {}
            },
            _ = tokio::signal::ctrl_c() => break,
        }
    }
    companion.stop().await;
    Ok(())
}
