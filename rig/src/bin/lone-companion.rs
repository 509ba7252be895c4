//! A companion in a process of its own, for tests that measure its memory or kill it. The first argument is
//! the directory of all its files, with the workspace in `project`. The program prints the port and the token
//! as a line of JSON, accepts every review if the second argument is `accept`, and stops at the end of its
//! input.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::path::PathBuf;

use alongside_companion::desk::{Decision, Event, Request};
use alongside_companion::{AppDirs, Companion};
use tokio::io::AsyncReadExt;

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args_os().skip(1);
    let below = PathBuf::from(arguments.next().expect("a directory as argument"));
    let accepts = arguments.next().is_some_and(|word| word == "accept");
    let companion = Companion::builder().root(below.join("project")).app_dirs(AppDirs::below(&below));
    let companion = companion.start().await.expect("the companion starts");
    println!("{}", serde_json::json!({ "port": companion.port(), "token": companion.token() }));

    let mut desk = companion.join();
    tokio::spawn(async move {
        while let Ok(event) = desk.next().await {
            if let (true, Event::Opened(review)) = (accepts, event) {
                let request = Request::DecideReview {
                    id: review.id,
                    revision: review.revision,
                    decision: Decision::Accept,
                };
                drop(desk.send(request));
            }
        }
    });
    let mut end = Vec::new();
    let _ = tokio::io::stdin().read_to_end(&mut end).await;
    companion.stop().await;
}
