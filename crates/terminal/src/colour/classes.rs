//! The classes of tokens in source code. There are only a few, so that every palette has a readable colour
//! for each.

use syntect::parsing::{ParseScopeError, Scope};

/// The class of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Comment,
    /// Quoted text.
    String,
    Number,
    /// Another constant, such as an escape, and names of the language such as `self` and `None`.
    Constant,
    /// A keyword of the language, or a tag.
    Keyword,
    /// The name of a type.
    Type,
    /// The name of a function.
    Function,
}

impl Class {
    /// All classes, in the order of their discriminants.
    pub(crate) const ALL: [Self; 7] = [
        Self::Comment,
        Self::String,
        Self::Number,
        Self::Constant,
        Self::Keyword,
        Self::Type,
        Self::Function,
    ];
}

/// The scopes of grammars by prefix, with their classes. The first prefix that fits decides. `None`: the
/// token is plain, whatever scopes are around it.
const SCOPES: &[(&str, Option<Class>)] = &[
    ("comment", Some(Class::Comment)),
    ("constant.numeric", Some(Class::Number)),
    ("constant.character.escape", Some(Class::Constant)),
    ("constant.character", Some(Class::String)),
    ("constant", Some(Class::Constant)),
    ("string.unquoted", None),
    ("string", Some(Class::String)),
    ("meta.interpolation", None),
    ("meta.embedded", None),
    ("keyword.operator.word", Some(Class::Keyword)),
    ("keyword.operator.logical", Some(Class::Keyword)),
    ("keyword.operator", None),
    ("keyword", Some(Class::Keyword)),
    ("storage.type.numeric", Some(Class::Number)),
    ("storage", Some(Class::Keyword)),
    ("entity.name.function", Some(Class::Function)),
    ("entity.name.macro", Some(Class::Function)),
    ("entity.name.tag", Some(Class::Keyword)),
    ("entity.name.section", Some(Class::Keyword)),
    ("entity.name.constant", Some(Class::Constant)),
    ("entity.name.label", Some(Class::Constant)),
    ("entity.name.type", Some(Class::Type)),
    ("entity.name.class", Some(Class::Type)),
    ("entity.name.struct", Some(Class::Type)),
    ("entity.name.enum", Some(Class::Type)),
    ("entity.name.trait", Some(Class::Type)),
    ("entity.name.impl", Some(Class::Type)),
    ("entity.name.interface", Some(Class::Type)),
    ("entity.name.namespace", Some(Class::Type)),
    ("entity.other.inherited-class", Some(Class::Type)),
    ("entity.other.attribute-name", Some(Class::Function)),
    ("variable.function", Some(Class::Function)),
    ("variable.annotation", Some(Class::Function)),
    ("variable.language", Some(Class::Constant)),
    ("support.function", Some(Class::Function)),
    ("support.macro", Some(Class::Function)),
    ("support.type.property-name", Some(Class::Keyword)),
    ("support.type", Some(Class::Type)),
    ("support.class", Some(Class::Type)),
    ("support.constant", Some(Class::Constant)),
    ("markup.heading", Some(Class::Keyword)),
    ("markup.raw", Some(Class::String)),
    ("markup.underline.link", Some(Class::String)),
];

/// The table of scopes and their classes.
#[derive(Debug)]
pub(super) struct Classes(Vec<(Scope, Option<Class>)>);

impl Classes {
    /// Parses the table.
    ///
    /// # Errors
    /// If the table has an invalid scope.
    pub(super) fn new() -> Result<Self, ParseScopeError> {
        SCOPES.iter().map(|(name, class)| Ok((Scope::new(name)?, *class))).collect::<Result<_, _>>().map(Self)
    }

    /// The class of a token with these scopes, the innermost last.
    pub(super) fn of(&self, scopes: &[Scope]) -> Option<Class> {
        scopes.iter().rev().find_map(|scope| {
            let known = self.0.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope));
            known.map(|(_, class)| *class)
        })?
    }
}
