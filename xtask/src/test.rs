//! `cargo xtask test`: the tests, in three tiers.

mod flaky;
mod libtest;
mod output;
mod program_table;
mod programs;
mod run_result;
mod runner;
mod skips;
mod static_checks;
mod steps;
mod tier;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use alongside_testing::chores::run_to_success;

use self::libtest::Sum;
use self::output::Output;
use self::programs::Program;
use self::run_result::Outcome;
use self::steps::{Counter, Step, minutes};
use self::tier::Tier;
use crate::rig;

/// Which tests to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Run only tests whose name contains this; leaves out formatting and lints
    filter: Option<String>,

    /// Run only formatting, lints, unit tests and tests on a paused clock: no agent, editor or network
    #[arg(long, conflicts_with = "all")]
    fast: bool,

    /// Run everything: also Kakoune, Kate and VS Code, older releases, and every story in every editor
    #[arg(long)]
    all: bool,
}

/// Returns a step that takes so many seconds as a rule.
fn step<'a>(
    name: &str,
    seconds: u64,
    work: impl FnOnce(&mut Output) -> anyhow::Result<Outcome> + Send + 'a,
) -> Step<'a> {
    Step { name: name.to_owned(), usually: Duration::from_secs(seconds), work: Box::new(work) }
}

/// Runs a tier. The output ends with the names of all failures, and the sum as its last line.
pub(crate) fn test(options: &Options) -> anyhow::Result<ExitCode> {
    let tier = match (options.fast, options.all) {
        (true, _) => Tier::Fast,
        (false, true) => Tier::All,
        (false, false) => Tier::Default,
    };
    let started = Instant::now();
    let outcome = run_tier(tier, options.filter.as_deref())?;
    println!("\nfinished in {}", minutes(started.elapsed()));
    for failed in outcome.failed() {
        println!("failed: {failed}");
    }
    println!("{}", outcome.sum);
    Ok(if outcome.sum.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run_tier(tier: Tier, filter: Option<&str>) -> anyhow::Result<Outcome> {
    let mut total = Outcome::default();
    let is_whole = filter.is_none();
    let mut checks = Vec::new();
    if is_whole {
        checks.push(step("lints", 75, static_checks::lints));
        if tier != Tier::Fast {
            checks.push(step("crates that we depend on", 1, static_checks::crates));
        }
        if tier == Tier::All {
            checks.push(step("other systems", 90, static_checks::other_targets));
        }
    }
    let mut counter = Counter::of(checks.len());
    if is_whole {
        counter.add(1);
        let formatting = vec![step("formatting", 1, static_checks::formatting)];
        total.add(steps::run(formatting, 1, &mut counter)?);
    }
    let Some(programs) = build(tier, &mut counter)? else {
        total.check("build of the tests", false, &mut Output::at_once());
        return Ok(total);
    };
    counter.add(programs.len());
    let of_program = |program: &Program| {
        let program = program.clone();
        let (title, usually) = (program.title(), program.usually(tier).as_secs());
        step(&title, usually, move |output| runner::run(&program, filter, tier, output))
    };
    let mut all: Vec<_> = programs.iter().map(of_program).chain(checks).collect();
    if tier != Tier::Fast {
        counter.add(1);
        all.push(step("examples in the documentation", 20, |output| runner::run_doc_tests(filter, output)));
    }
    let outcome = steps::run(all, tier.lanes(), &mut counter)?;
    let ran = outcome.sum;
    total.add(outcome);
    if let Some(filter) = filter
        && ran == Sum::default()
    {
        // Probably the name is mistyped, or another tier runs the test.
        total.check(&format!("a test whose name contains {filter:?}"), false, &mut Output::at_once());
    }
    flaky::rerun(&mut total)?;
    Ok(total)
}

/// Builds the test programs, and the programs that they start, and installs the agents and editors.
fn build(tier: Tier, counter: &mut Counter) -> anyhow::Result<Option<Vec<Program>>> {
    counter.add(1);
    counter.begin("build of the tests", Duration::from_secs(if tier == Tier::Fast { 150 } else { 240 }));
    let built = programs::build(tier)?;
    if built.is_none() || tier == Tier::Fast {
        return Ok(built);
    }
    counter.add(1);
    counter.begin("agents and editors", Duration::ZERO);
    let all = (tier == Tier::All).then_some("--all");
    run_to_success(rig::built().arg("rig").args(all))?;
    if tier != Tier::All {
        return Ok(built);
    }
    counter.add(1);
    counter.begin("the extension for VS Code, and the program with it", Duration::from_secs(60));
    run_to_success(rig::built().args(["vscode", "--or-say", "tests that need it will be skipped"]))?;
    programs::build(tier)
}
