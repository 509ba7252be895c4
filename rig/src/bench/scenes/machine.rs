//! The time this machine takes for the steps that a companion is made of, without any companion: no figure of
//! the other rows can be smaller than the steps it consists of. Measured anew in each subject's turn, so that
//! the ratio says how still the machine was.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use rustix::event::epoll;
use tempfile::TempDir;

use super::super::report::Unit;
use super::super::turns::{Bench, row};
use super::{micros, millis};

/// The number of files that a companion of ours writes at its start, for all families and ancestors.
const FILES: usize = 38;

/// About the size of an `openDiff` of a small change.
const BYTES: usize = 1024;

/// A step: its name, the unit, and the function that measures it.
type Step<'a> = (String, Unit, &'a dyn Fn() -> Result<Vec<f64>>);

impl Bench<'_> {
    pub(in super::super) fn machine(&mut self) -> Result<()> {
        let samples = self.plan.samples;
        let listeners = self.plan.sessions.iter().copied().max().unwrap_or(1);
        let steps: [Step<'_>; 6] = [
            ("a program that does nothing, started and ended".into(), Unit::Millis, &|| {
                program(samples / 20)
            }),
            (format!("{FILES} files created and renamed"), Unit::Millis, &|| files(samples / 20)),
            ("a kibibyte appended to a file".into(), Unit::Micros, &|| appended(samples)),
            ("a word to another thread and back".into(), Unit::Micros, &|| handed_over(samples)),
            ("a kibibyte over TCP and back".into(), Unit::Micros, &|| there_and_back(samples)),
            (format!("a line to each of {listeners} sockets, until the last has it"), Unit::Millis, &|| {
                told(listeners, samples / 20)
            }),
        ];
        (self.tell)("the machine itself");
        for turn in 0..self.plan.turns * self.subjects.len() {
            for (what, unit, step) in &steps {
                self.go_on()?;
                let row = row(format!("this machine: {what}"), *unit);
                let samples = step().with_context(|| row.0.clone())?;
                self.table.row(&row)[turn % self.subjects.len()].turns.push(samples);
            }
        }
        Ok(())
    }
}

/// Measures a step so many times.
fn times(
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

fn program(samples: usize) -> Result<Vec<f64>> {
    times(samples, millis, || Command::new("true").status().map(drop).context("there is no program `true`"))
}

fn files(samples: usize) -> Result<Vec<f64>> {
    let directory = TempDir::new()?;
    let mut number = 0;
    times(samples, millis, || {
        for _ in 0..FILES {
            number += 1;
            // Each file gets a new name: a file that replaces another one is written to disk at once.
            let (new, name) = (directory.path().join("new"), directory.path().join(number.to_string()));
            fs::write(&new, [b'x'; 400])?;
            fs::rename(new, name)?;
        }
        Ok(())
    })
}

fn appended(samples: usize) -> Result<Vec<f64>> {
    let directory = TempDir::new()?;
    let mut file = File::create(directory.path().join("journal"))?;
    times(samples, micros, || Ok(file.write_all(&[b'x'; BYTES])?))
}

fn handed_over(samples: usize) -> Result<Vec<f64>> {
    let (to, there) = mpsc::channel();
    let (from, back) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || there.iter().try_for_each(|()| from.send(())));
        let took = times(samples, micros, || {
            to.send(())?;
            Ok(back.recv()?)
        });
        // The other thread ends with the channel.
        drop(to);
        took
    })
}

fn there_and_back(samples: usize) -> Result<Vec<f64>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut near = TcpStream::connect(listener.local_addr()?)?;
    let (mut far, _) = listener.accept()?;
    near.set_nodelay(true)?;
    far.set_nodelay(true)?;
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut said = [0; BYTES];
            while far.read_exact(&mut said).and_then(|()| far.write_all(&said)).is_ok() {}
        });
        let mut heard = [0; BYTES];
        let took = times(samples, micros, || {
            near.write_all(&[b'x'; BYTES])?;
            Ok(near.read_exact(&mut heard)?)
        });
        drop(near);
        took
    })
}

/// One thread writes a line to every socket, another reads them: as few steps as there can be.
fn told(listeners: usize, samples: usize) -> Result<Vec<f64>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let ears = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let mut pairs = Vec::new();
    for number in 0..listeners {
        let near = TcpStream::connect(address)?;
        near.set_nodelay(true)?;
        let (far, _) = listener.accept()?;
        epoll::add(&ears, &far, epoll::EventData::new_u64(number as u64), epoll::EventFlags::IN)?;
        pairs.push((near, far));
    }
    let (mut mouths, mut heard): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    let (begin, begun) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            begun
                .iter()
                .for_each(|()| mouths.iter_mut().for_each(|mouth| drop(mouth.write_all(&[b'x'; 200]))));
        });
        let took = times(samples, millis, || {
            begin.send(())?;
            let mut missing = listeners;
            let mut events = Vec::with_capacity(64);
            while missing > 0 {
                events.clear();
                epoll::wait(&ears, rustix::buffer::spare_capacity(&mut events), None)?;
                for event in &events {
                    let number = usize::try_from(event.data.u64())?;
                    heard[number].read_exact(&mut [0; 200])?;
                    missing -= 1;
                }
            }
            Ok(())
        });
        drop(begin);
        took
    })
}
