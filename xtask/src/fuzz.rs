//! `cargo xtask fuzz`: runs the pinned cargo-fuzz. `fuzz/src` holds the property of each target; the tests
//! below check it on the seeds without cargo-fuzz.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use alongside_testing::chores::{announce, cargo_program, checkout, target_directory};
use anyhow::{Context as _, bail};

/// The pinned release; a newer one may need another toolchain.
const CARGO_FUZZ: &str = "0.13.2";
/// The fuzz targets.
const TARGETS: [&str; 9] =
    ["http", "json_rpc", "lsp", "proposals", "discovery", "composition", "positions", "harmless", "hooks"];

/// Returns the maximum length of an input, in bytes. Targets that compare texts character by character are
/// slow on long ones, which show nothing new.
fn max_length(target: &str) -> usize {
    match target {
        "composition" | "positions" | "harmless" => 128,
        // A sequence of requests about a proposal is long.
        "proposals" => 1400,
        _ => 1024,
    }
}

/// Options of `cargo xtask fuzz`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Run only this target.
    #[arg(value_parser = TARGETS)]
    target: Option<String>,
    /// Seconds per target.
    #[arg(long, default_value_t = 60, conflicts_with = "inputs")]
    seconds: u64,
    /// Inputs per target, instead of seconds.
    #[arg(long)]
    inputs: Option<u64>,
}

/// Runs the targets until one fails, and prints how to replay its input.
pub(crate) fn fuzz(options: &Options) -> anyhow::Result<ExitCode> {
    let cargo_fuzz = cargo_program("cargo-fuzz", CARGO_FUZZ, &[])?;
    let limit = match options.inputs {
        Some(inputs) => format!("-runs={inputs}"),
        None => format!("-max_total_time={}", options.seconds),
    };
    for target in
        TARGETS.into_iter().filter(|target| options.target.as_deref().is_none_or(|one| one == *target))
    {
        if !run(&cargo_fuzz, target, &limit)? {
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs one target; false if it failed.
fn run(cargo_fuzz: &Path, target: &str, limit: &str) -> anyhow::Result<bool> {
    let fuzz = checkout().join("fuzz");
    let known = target_directory().join("fuzz").join(target);
    std::fs::create_dir_all(&known).with_context(|| format!("cannot make {}", known.display()))?;
    let mut command = Command::new(cargo_fuzz);
    // Sanitizers need a nightly compiler, and there is no unsafe code to check.
    command.args(["run", "--sanitizer", "none", "--fuzz-dir"]).arg(&fuzz).arg(target);
    command.arg(&known).arg(fuzz.join("corpus").join(target));
    command.args([
        "--",
        limit,
        &format!("-max_len={}", max_length(target)),
        "-print_final_stats=1",
        "-verbosity=1",
    ]);
    command.current_dir(&fuzz).stdin(Stdio::null()).stderr(Stdio::piped());
    announce(&command);
    let mut child = command.spawn().context("cannot start cargo-fuzz")?;
    let output = child.stderr.take().context("cargo-fuzz has no output")?;
    let (mut output_lines, mut stats) = (Vec::new(), Stats::default());
    for line in BufReader::new(output).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        // libFuzzer prints a line per kept input, and its progress at every power of two.
        match line.strip_prefix('#') {
            Some(kept) => {
                if let Some(inputs) = pulse(kept) {
                    eprintln!("{target}: {inputs} inputs so far");
                }
            }
            None => {
                stats.take(&line);
                output_lines.push(line);
            }
        }
    }
    if !child.wait()?.success() {
        // The last lines describe the failure; the output of the build and libFuzzer's first lines come
        // before.
        output_lines.iter().skip(output_lines.len().saturating_sub(80)).for_each(|line| eprintln!("{line}"));
        println!(
            "{target}: FAILED; the input is in fuzz/artifacts/{target}. The lines above end with the command \
             that replays it"
        );
        return Ok(false);
    }
    let Stats { inputs: Some(inputs), speed: Some(speed) } = stats else {
        bail!("libFuzzer printed no statistics for {target}");
    };
    println!("{target}: {inputs} inputs, {speed} a second, no failure");
    Ok(true)
}

/// Returns the number of inputs so far, from a progress line after its `#`.
fn pulse(line: &str) -> Option<u64> {
    let (inputs, event) = line.split_once('\t')?;
    event.starts_with("pulse").then(|| inputs.trim().parse().ok())?
}

/// libFuzzer's final statistics.
#[derive(Debug, Default, PartialEq, Eq)]
struct Stats {
    inputs: Option<u64>,
    speed: Option<u64>,
}

impl Stats {
    fn take(&mut self, line: &str) {
        let number = |name: &str| line.strip_prefix(name)?.trim().parse().ok();
        self.inputs = number("stat::number_of_executed_units:").or(self.inputs);
        self.speed = number("stat::average_exec_per_sec:").or(self.speed);
    }
}

/// The fuzzers' own files, which are outside the workspace.
#[cfg(test)]
#[path = "../../fuzz/src/lib.rs"]
#[allow(unreachable_pub)]
mod fuzzed;

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a target on its seeds and on pieces of each seed.
    fn seeds_hold(target: &str, holds: fn(&[u8])) {
        let seeds = checkout().join("fuzz/corpus").join(target);
        let mut held = 0;
        for seed in std::fs::read_dir(seeds).expect("the seeds are there") {
            let seed = std::fs::read(seed.expect("a seed").path()).expect("a seed that can be read");
            holds(&seed);
            held += 1;
            let step = (seed.len() / 64).max(1);
            for at in (0..seed.len()).step_by(step) {
                holds(&seed[..at]);
                holds(&[&seed[..at], &seed[at + 1..]].concat());
                holds(&[&seed[..at], b"\xff\n\"", &seed[at..]].concat());
            }
        }
        assert!(held > 3, "{target} has {held} seeds");
    }

    macro_rules! seeds_hold {
        ($($target:ident),*) => {
            const TRIED: &[&str] = &[$(stringify!($target)),*];
            $(
                #[test]
                fn $target() {
                    seeds_hold(stringify!($target), fuzzed::$target::check);
                }
            )*
        };
    }

    mod seeds_hold {
        use super::{super::fuzzed, seeds_hold};

        seeds_hold!(http, json_rpc, lsp, proposals, discovery, composition, positions, harmless, hooks);

        #[test]
        fn of_every_target() {
            assert_eq!(TRIED, super::TARGETS);
        }
    }

    #[test]
    fn stats_come_from_libfuzzers_last_lines() {
        let mut stats = Stats::default();
        for line in [
            "Done 7 runs in 0 second(s)",
            "stat::number_of_executed_units: 7",
            "stat::average_exec_per_sec:     3",
        ] {
            stats.take(line);
        }
        assert_eq!(stats, Stats { inputs: Some(7), speed: Some(3) });
        assert_eq!(
            pulse("1048576\tpulse  cov: 812 ft: 2301 corp: 90/7033b lim: 128 exec/s: 20971 rss: 66Mb"),
            Some(1_048_576)
        );
        assert_eq!(pulse("7\tNEW    cov: 812 ft: 2301"), None);
    }
}
