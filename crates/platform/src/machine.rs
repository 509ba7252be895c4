//! This machine, apart from others that share a home with it, and from itself before its last start.

use serde::{Deserialize, Serialize};

/// A machine from its start on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Boot {
    /// A name of this start, which no other one has. Containers have that of their machine.
    id: String,
    /// The machine, as far as files name it.
    machine: String,
}

/// A boot as seen from this machine now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It is this one, or nobody can tell.
    Here,
    /// This machine has started again since.
    EarlierBoot,
    /// It is that of another machine.
    OtherMachine,
}

impl Boot {
    /// This one; `None` where the system does not name it.
    pub fn here() -> Option<Self> {
        #[cfg(target_os = "linux")]
        {
            let read = |path: &str| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
            let id = read("/proc/sys/kernel/random/boot_id")?;
            let names =
                ["/proc/sys/kernel/hostname", "/etc/machine-id"].map(|path| read(path).unwrap_or_default());
            // Others must not learn the id of a machine.
            let machine = format!("{:016x}", hash(&names));
            Some(Self { id, machine })
        }
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// Where this boot is, seen from `here`.
    pub fn origin(&self, here: Option<&Self>) -> Origin {
        match here {
            None => Origin::Here,
            Some(here) if here.id == self.id => Origin::Here,
            Some(here) if here.machine == self.machine => Origin::EarlierBoot,
            Some(_) => Origin::OtherMachine,
        }
    }
}

#[cfg(target_os = "linux")]
fn hash(names: &[String]) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    names.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boot_is_told_from_an_earlier_one_and_from_other_machines() {
        let boot = |id: &str, machine: &str| Boot { id: id.into(), machine: machine.into() };
        let here = boot("1", "a");
        assert_eq!(here.origin(Some(&here)), Origin::Here);
        assert_eq!(boot("1", "container").origin(Some(&here)), Origin::Here);
        assert_eq!(boot("0", "a").origin(Some(&here)), Origin::EarlierBoot);
        assert_eq!(boot("0", "b").origin(Some(&here)), Origin::OtherMachine);
        assert_eq!(boot("0", "b").origin(None), Origin::Here);
        assert_eq!(Boot::here(), Boot::here());
    }
}
