//! The terminal desk before a companion that plays a part: `cargo run -p alongside-terminal --example desk`.
//!
//! No agent, no port and no file is touched. A new proposal comes some seconds after the last one was
//! decided, and one is changed at "another desk" every now and then if an argument is given.

#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../src/scripted_companion/mod.rs"]
mod scripted_companion;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use alongside_desk::pair;
use scripted_companion::{Companion, Piece, agent, differs, same};

fn pieces() -> Vec<Piece> {
    let unchanged: String =
        (1..=60).map(|n| format!("# line {n} of a comment that stays as it is\n")).collect();
    vec![
        same("\"\"\"What is in the basket.\"\"\"\n\nfrom decimal import Decimal\n\n\n"),
        differs(
            "def total(items):\n    return sum(i.price for i in items)\n",
            "def total(items, tax=Decimal(0)):\n    \"\"\"The sum of all prices, with tax.\"\"\"\n\
             \x20   return sum(i.price for i in items) * (1 + tax)\n",
        ),
        same("\n\n"),
        same(&unchanged),
        differs("", "def count(items):\n\treturn len(items)  # 数える\n\n\n"),
        same("def names(items):\n    return [i.name for i in items]\n"),
        differs("\n\ndef unused():\n    pass\n", ""),
    ]
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let (desk, seat) = pair();
    tokio::spawn(play(seat));
    let options = alongside_terminal::Options { roots: vec!["/shop".into()], ..Default::default() };
    alongside_terminal::run(desk, options).await?;
    Ok(())
}

async fn play(seat: alongside_desk::Seat) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
    let mut companion = Companion::new(seat, vec!["/shop".into()]);
    let gemini = agent(1, "Gemini CLI", "0.61.0", now - 7_500_000);
    let qwen = agent(2, "Qwen Code", "0.24.4", now);
    companion.status.agents = vec![gemini.clone(), qwen.clone()];
    companion.shows(&["/shop/basket.py", "/shop/README.md"]);
    companion.tell_status();
    companion.open(1, &gemini, "/shop/basket.py", &pieces());
    companion.open(2, &qwen, "/shop/src/checkout/payment_provider.py", &pieces()[3..]);
    let mut last = 2;
    let mut every = tokio::time::interval(Duration::from_secs(5));
    let changes = std::env::args().len() > 1;
    loop {
        tokio::select! {
            call = companion.next() => match call {
                Some(call) => if !companion.answer(call) { return },
                None => return,
            },
            _ = every.tick() => {
                last += 1;
                if changes {
                    companion.change(1, |review, pieces| {
                        review.stale = true;
                        scripted_companion::keep_hunks(pieces, &[1], last % 2 == 0);
                    });
                } else if last < 5 {
                    companion.open(last, &qwen, &format!("/shop/new/{last}.py"), &pieces());
                }
            }
        }
    }
}
