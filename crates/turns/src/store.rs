//! The store as the companion reads it.

use std::path::Path;

use alongside_companion::turns::source::{FoundFile, TurnLook, TurnSource, TurnTexts, Undo};
use alongside_desk::UndoneFile;

use crate::places::Places;

/// The stores of all working trees of this user.
#[derive(Debug, Clone)]
pub struct TurnStore {
    places: Places,
}

impl TurnStore {
    /// The stores in these places. Touches nothing until something is looked for or kept.
    pub fn new(places: Places) -> Self {
        Self { places }
    }
}

impl TurnSource for TurnStore {
    fn look(&self, directory: &Path, since: Option<&str>) -> Result<TurnLook, String> {
        let _ = (directory, since, &self.places);
        Err("this companion keeps no turns yet".into())
    }

    fn texts(&self, look: &TurnLook, file: &FoundFile) -> Result<TurnTexts, String> {
        let _ = (look, file);
        Err("this companion keeps no turns yet".into())
    }

    fn undo(&self, look: &TurnLook, files: &[Undo]) -> Vec<UndoneFile> {
        let _ = look;
        let refused = Some("this companion keeps no turns yet".to_owned());
        let path = |undo: &Undo| undo.file.told.path.clone();
        files.iter().map(|undo| UndoneFile { path: path(undo), refused: refused.clone(), draft: None }).collect()
    }
}
