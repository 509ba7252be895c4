//! Measures the steps that a companion consists of, without any companion: the figure of another row cannot
//! be smaller than the sum of its steps. Every repetition measures the steps for each subject again. The two
//! measurements are of the same thing, so the ratio shows how steady the machine was.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use rustix::event::epoll;
use tempfile::TempDir;

use super::super::repetitions::{Bench, row_key};
use super::super::report::Unit;
use super::{micros, millis};

/// The number of files that a companion of ours writes at its start, for all families and ancestors.
const DISCOVERY_FILES: usize = 38;

/// About the size of the `openDiff` of a small change, in bytes.
const MESSAGE_BYTES: usize = 1024;

/// A step: its name, the unit, and the function that measures it.
type Step<'a> = (String, Unit, &'a dyn Fn() -> Result<Vec<f64>>);

impl Bench<'_> {
    pub(in super::super) fn machine(&mut self) -> Result<()> {
        let samples = self.plan.samples;
        let listeners = self.plan.sessions.iter().copied().max().unwrap_or(1);
        let steps: [Step<'_>; 6] = [
            ("a program that does nothing, started and ended".into(), Unit::Millis, &|| {
                run_program(samples / 20)
            }),
            (format!("{DISCOVERY_FILES} files created and renamed"), Unit::Millis, &|| {
                create_files(samples / 20)
            }),
            ("a kibibyte appended to a file".into(), Unit::Micros, &|| append(samples)),
            ("a word to another thread and back".into(), Unit::Micros, &|| switch_threads(samples)),
            ("a kibibyte over TCP and back".into(), Unit::Micros, &|| round_trip(samples)),
            (format!("a line to each of {listeners} sockets, until the last has it"), Unit::Millis, &|| {
                broadcast(listeners, samples / 20)
            }),
        ];
        (self.report_progress)("the machine itself");
        for measurement in 0..self.plan.repetitions * self.subjects.len() {
            for (what, unit, step) in &steps {
                self.ensure_not_interrupted()?;
                let row = row_key(format!("this machine: {what}"), *unit);
                let samples = step().with_context(|| row.0.clone())?;
                self.table.cells(&row)[measurement % self.subjects.len()].repetitions.push(samples);
            }
        }
        Ok(())
    }
}

/// Measures a step `samples` times.
fn measure(
    samples: usize,
    unit: fn(Duration) -> f64,
    mut step: impl FnMut() -> Result<()>,
) -> Result<Vec<f64>> {
    let once = |_| {
        let since = Instant::now();
        step()?;
        Ok(unit(since.elapsed()))
    };
    (0..samples.max(1)).map(once).collect()
}

fn run_program(samples: usize) -> Result<Vec<f64>> {
    measure(samples, millis, || Command::new("true").status().map(drop).context("there is no program `true`"))
}

fn create_files(samples: usize) -> Result<Vec<f64>> {
    let directory = TempDir::new()?;
    let mut number = 0;
    measure(samples, millis, || {
        for _ in 0..DISCOVERY_FILES {
            number += 1;
            // Each file gets a new name: some file systems write a file that replaces another to disk at
            // once.
            let (new, name) = (directory.path().join("new"), directory.path().join(number.to_string()));
            fs::write(&new, [b'x'; 400])?;
            fs::rename(new, name)?;
        }
        Ok(())
    })
}

fn append(samples: usize) -> Result<Vec<f64>> {
    let directory = TempDir::new()?;
    let mut file = File::create(directory.path().join("journal"))?;
    measure(samples, micros, || Ok(file.write_all(&[b'x'; MESSAGE_BYTES])?))
}

fn switch_threads(samples: usize) -> Result<Vec<f64>> {
    let (to, there) = mpsc::channel();
    let (from, back) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || there.iter().try_for_each(|()| from.send(())));
        let took = measure(samples, micros, || {
            to.send(())?;
            Ok(back.recv()?)
        });
        // The other thread ends with the channel.
        drop(to);
        took
    })
}

fn round_trip(samples: usize) -> Result<Vec<f64>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut near = TcpStream::connect(listener.local_addr()?)?;
    let (mut far, _) = listener.accept()?;
    near.set_nodelay(true)?;
    far.set_nodelay(true)?;
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut message = [0; MESSAGE_BYTES];
            while far.read_exact(&mut message).and_then(|()| far.write_all(&message)).is_ok() {}
        });
        let mut response = [0; MESSAGE_BYTES];
        let took = measure(samples, micros, || {
            near.write_all(&[b'x'; MESSAGE_BYTES])?;
            Ok(near.read_exact(&mut response)?)
        });
        drop(near);
        took
    })
}

/// Measures a line to every socket with the fewest steps: one thread writes the lines, another reads them.
fn broadcast(listeners: usize, samples: usize) -> Result<Vec<f64>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let poll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let mut pairs = Vec::new();
    for number in 0..listeners {
        let near = TcpStream::connect(address)?;
        near.set_nodelay(true)?;
        let (far, _) = listener.accept()?;
        epoll::add(&poll, &far, epoll::EventData::new_u64(number as u64), epoll::EventFlags::IN)?;
        pairs.push((near, far));
    }
    let (mut writers, mut readers): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    let (start, starts) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for () in starts {
                writers.iter_mut().for_each(|writer| drop(writer.write_all(&[b'x'; 200])));
            }
        });
        let took = measure(samples, millis, || {
            start.send(())?;
            let mut missing = listeners;
            let mut events = Vec::with_capacity(64);
            while missing > 0 {
                events.clear();
                epoll::wait(&poll, rustix::buffer::spare_capacity(&mut events), None)?;
                for event in &events {
                    let number = usize::try_from(event.data.u64())?;
                    readers[number].read_exact(&mut [0; 200])?;
                    missing -= 1;
                }
            }
            Ok(())
        });
        drop(start);
        took
    })
}
