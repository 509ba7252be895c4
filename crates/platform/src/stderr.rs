//! Passes a file to a program without a terminal in place of its standard error, so that no other child
//! process can inherit the file by accident.

use std::fs::File;
use std::io;
use std::process::Stdio;

/// Returns a standard error for a program that [takes](take) this file. On Windows, where no program can take
/// it, returns the null device: the program would hold the file, and a lock on it, until its end.
///
/// # Errors
/// If the system has no file descriptor left.
pub fn handing_over(file: &File) -> io::Result<Stdio> {
    #[cfg(unix)]
    return file.try_clone().map(Into::into);
    #[cfg(not(unix))]
    {
        let _ = file;
        Ok(Stdio::null())
    }
}

/// Takes the file that this program was started with in place of standard error. Afterwards, standard error
/// is the null device.
///
/// # Errors
/// If standard error is closed, or the system cannot replace it, as Windows.
pub fn take() -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd as _;
        let file = io::stderr().as_fd().try_clone_to_owned()?;
        rustix::stdio::dup2_stderr(File::options().write(true).open("/dev/null")?)?;
        Ok(file.into())
    }
    #[cfg(not(unix))]
    Err(io::ErrorKind::Unsupported.into())
}
