//! A file in place of standard error, for a program that has no terminal: whoever starts the program hands it
//! a file so, which no other child can inherit by accident.

use std::fs::File;
use std::io;
use std::process::Stdio;

/// A standard error for a program that [takes](take) this file. On Windows, where none can, it leads
/// nowhere: the program would hold the file, and a lock on it, for good.
///
/// # Errors
/// If the system has no descriptor left.
pub fn handing_over(file: &File) -> io::Result<Stdio> {
    #[cfg(unix)]
    return file.try_clone().map(Into::into);
    #[cfg(not(unix))]
    {
        let _ = file;
        Ok(Stdio::null())
    }
}

/// Takes the file that this program was started with in place of standard error. From then on, standard error
/// leads nowhere.
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
