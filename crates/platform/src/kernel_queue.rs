//! The event queue of macOS, for events that `poll` does not report there: the end of a process, and a pipe
//! without readers.

use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};

use rustix::buffer::{Buffer, spare_capacity};
use rustix::event::kqueue::{Event, EventFilter, EventFlags, ProcessEvents, kevent, kqueue};
use rustix::process::Pid;

/// Creates a queue that becomes readable when the process ends; `None` if there is no such process.
pub(crate) fn end_of(pid: u32) -> Option<OwnedFd> {
    let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
    queue_of(EventFilter::Proc { pid, flags: ProcessEvents::EXIT })
}

/// Blocks until this pipe has no reader. Returns false if the system cannot report that.
pub(crate) fn wait_for_reader_loss(pipe: &impl AsFd) -> bool {
    let Some(queue) = queue_of(EventFilter::Write(pipe.as_fd().as_raw_fd())) else { return false };
    loop {
        let mut happened = Vec::with_capacity(1);
        match take(&queue, &[], spare_capacity(&mut happened)) {
            Ok(_) if happened.iter().any(|event| event.flags().contains(EventFlags::EOF)) => return true,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

/// Creates a queue of this one event, which reports each change once.
fn queue_of(filter: EventFilter) -> Option<OwnedFd> {
    let queue = kqueue().ok()?;
    let wanted = Event::new(filter, EventFlags::ADD | EventFlags::CLEAR, std::ptr::null_mut());
    let mut none = [const { MaybeUninit::<Event>::uninit() }; 0];
    take(&queue, &[wanted], none.as_mut_slice()).ok()?;
    Some(queue)
}

#[allow(unsafe_code, reason = "the descriptors of events are no borrowed ones, and no crate wraps that")]
fn take<B: Buffer<Event>>(queue: &OwnedFd, wanted: &[Event], happened: B) -> rustix::io::Result<B::Output> {
    // SAFETY: each caller holds the descriptor of its event, if there is one, until this returns.
    unsafe { kevent(queue, wanted, happened, None) }
}
