//! `cargo xtask systems`: the program for Windows and macOS, as far as one Linux machine can show it.
//! Windows is built, and its tests run under Wine; macOS is compiled; static programs for Linux are built and
//! play their demo, one of another processor in QEMU.

pub(crate) mod debian_root;
mod static_demo;
pub(crate) mod target;
mod wine;
mod wine_tests;

use std::process::ExitCode;
use std::time::Instant;

use self::debian_root::Root;
use self::target::{MACOS, WINDOWS};

/// Which systems.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Run only tests whose name contains this, under Wine; leaves out the other checks
    filter: Option<String>,
}

/// Runs all checks. The last line is the sum. `build_static` builds the static programs, and names their
/// targets.
pub(crate) fn systems(
    options: &Options,
    build_static: fn(&Root) -> anyhow::Result<Vec<&'static str>>,
) -> anyhow::Result<ExitCode> {
    let begun = Instant::now();
    let root = match Root::made() {
        Ok(root) => root,
        Err(why) => {
            println!("SKIPPED: Windows and macOS: {why:#}");
            return Ok(ExitCode::SUCCESS);
        }
    };
    let mut failed = Vec::new();
    let (mut played, mut skipped) = (0, 0);
    if options.filter.is_none() {
        for target in [&MACOS, &WINDOWS] {
            println!("==> {}: the program and its tests compile, without a warning", target.triple);
            if !target.is_clean(&root)? {
                failed.push(format!("{}: it does not compile without a warning", target.triple));
            }
        }
        println!("==> static programs for Linux are built, as a rule 8 min");
        match build_static(&root) {
            Ok(triples) => {
                for triple in triples {
                    println!("==> {triple}: the demo");
                    match static_demo::plays(&root, triple)? {
                        true => played += 1,
                        false => failed.push(format!("{triple}: the demo")),
                    }
                }
            }
            Err(why) => {
                println!("SKIPPED: static programs for Linux: {why:#}");
                skipped += 1;
            }
        }
    }
    println!("==> {}: the tests are built, as a rule 10 min", WINDOWS.triple);
    let programs = target::tests_for_windows(&root)?;
    println!("==> {}: the tests of {} programs run under Wine", WINDOWS.triple, programs.len());
    let sum = wine::run(&root, &programs, options.filter.as_deref())?;
    failed.extend(sum.failed);
    println!("\nfinished in {} min", begun.elapsed().as_secs().div_ceil(60));
    failed.iter().for_each(|failed| println!("failed: {failed}"));
    println!("{} passed, {} failed, {} skipped", sum.passed + played, failed.len(), sum.skipped + skipped);
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
