//! `cargo xtask test`: everything that must hold before a commit is one to stop on.

mod checks;
mod flaky;
mod libtest;
mod programs;
mod skips;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use self::libtest::Sum;
use self::programs::Scope;
use crate::rig::rig;
use crate::run::{cargo, run};

/// Which tests to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Run only tests whose name contains this; leaves out formatting and lints
    filter: Option<String>,

    /// Run only formatting, lints, unit tests and tests on a paused clock: no agent, editor or network
    #[arg(long)]
    fast: bool,
}

/// Runs everything. The last line of the output is the sum, whatever fails.
pub(crate) fn test(options: &Options) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let mut sum = Sum::default();
    if !options.fast {
        rig()?;
    }
    if options.filter.is_none() {
        checks::quick(&mut sum)?;
        if !options.fast {
            checks::thorough(&mut sum)?;
        }
    }
    // Tests start the built programs as their users would.
    if run(cargo().args(["build", "--workspace", "--bins"]))?.success() {
        run_tests(options, &mut sum)?;
    } else {
        sum.check("build", false);
    }
    println!("finished in {}", minutes(started.elapsed()));
    println!("{sum}");
    Ok(if sum.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Which tests of editors to run.
#[derive(Debug, clap::Args)]
pub(crate) struct EditorOptions {
    /// Run only tests whose name contains this, such as `vim`
    filter: Option<String>,
}

/// Runs every test in a real editor, also those that [`test`] leaves out.
pub(crate) fn editors(options: &EditorOptions) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let mut sum = Sum::default();
    rig()?;
    if run(cargo().args(["build", "--workspace", "--bins"]))?.success() {
        let mut failures = Vec::new();
        for program in programs::build(Scope::Everything)?.unwrap_or_default() {
            if program.is_of_rig("editors") {
                failures = program.run(options.filter.as_deref(), &["--include-ignored"], &mut sum)?;
            }
        }
        flaky::rerun(&failures, &mut sum)?;
    }
    if sum == Sum::default() {
        sum.check("a test of editors", false);
    }
    println!("finished in {}", minutes(started.elapsed()));
    println!("{sum}");
    Ok(if sum.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run_tests(options: &Options, sum: &mut Sum) -> anyhow::Result<()> {
    let scope = if options.fast { Scope::Fast } else { Scope::Everything };
    let Some(programs) = programs::build(scope)? else {
        sum.check("build of the tests", false);
        return Ok(());
    };
    let mut failures = Vec::new();
    for program in programs {
        failures.extend(program.run(options.filter.as_deref(), &[], sum)?);
    }
    if !options.fast {
        programs::run_doc_tests(options.filter.as_deref(), sum)?;
    }
    flaky::rerun(&failures, sum)
}

fn minutes(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_are_named_from_sixty_seconds_on() {
        assert_eq!(minutes(Duration::from_millis(59_900)), "59 s");
        assert_eq!(minutes(Duration::from_secs(125)), "2 min 5 s");
    }
}
