//! Returns the memory of a process to the system once it is free.
//!
//! A proposal may have many megabytes. After the first one, glibc keeps such blocks for reuse, in up to eight
//! arenas per processor. With a thousand agents a host grew by a third in ten minutes, and nearly all of that
//! was free. Other allocators do not do this.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod glibc;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod pause;

/// The least size, in bytes, of a message after which free memory is returned.
const MIN_LARGE_BYTES: usize = 1 << 20;

/// Makes the allocator of this process return free memory to the system. A setting stays if the person has
/// set the allocator's own variable. Call this before a second thread starts, which would get an arena of
/// its own.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    glibc::configure();
}

/// Returns free memory to the system in a pause after a message of so many bytes, if it is a large one.
pub fn trim_after(bytes: usize) {
    if bytes >= MIN_LARGE_BYTES {
        trim_later();
    }
}

/// Returns all free memory to the system in a pause, after a call of [`give_back`]. Without such a call, the
/// process belongs to another program, and its allocator stays as it is.
///
/// At once would be too early: the next message would fault every page in again.
pub fn trim_later() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    glibc::trim_later();
}
