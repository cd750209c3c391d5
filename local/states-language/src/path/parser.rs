//! The text of a path, read once, when a definition is created.

use super::{Path, Root, Segment, filter};
use crate::limits::MAX_PAYLOAD_DEPTH;

/// Why a text is not a path that this engine takes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PathError {
    #[error("must start with '$'")]
    Start,
    #[error("variables are not supported")]
    Variable,
    #[error("a filter must be of the form '[?(…)]'")]
    Filter,
    #[error("a filter is nested too deep")]
    FilterDepth,
    #[error("the filter operator {found:?} is not supported; ==, !=, <, <=, >, >=, &&, || and ! are")]
    FilterOperator { found: String },
    #[error("{found:?} is neither a path from '@' nor a number, a text in quotes, true, false or null")]
    FilterOperand { found: String },
    #[error("a path in a filter must have only names and indexes")]
    FilterPath,
    #[error("a path in a filter must start with '@'; '$' is not supported there")]
    FilterRoot,
    #[error("script expressions '[(…)]' are not supported")]
    Script,
    #[error("functions such as 'length()' are not supported")]
    Function,
    #[error("slices with a step '[from:to:step]' are not supported")]
    Step,
    #[error("a name is missing after '.'")]
    MissingName,
    #[error("'..' must be followed by a name or a bracket")]
    DanglingDescent,
    #[error("unexpected character {found:?}")]
    Unexpected { found: char },
    #[error("a bracket or quote is not closed")]
    Unclosed,
    #[error("a path has at most {MAX_PAYLOAD_DEPTH} steps")]
    Length,
    #[error("'{index}' is not an index")]
    Index { index: String },
    #[error("{rest:?} does not belong to a path")]
    Trailing { rest: String },
    #[error("must be a reference path: only names and indexes, so that it can name a single place")]
    NotReference,
    #[error("must not start from the context object '$$'")]
    Context,
}

/// Parses the path that `text` begins with, and returns what follows it: a path may stand among the arguments of an
/// intrinsic function, where `,`, `)` or a blank ends it.
pub(crate) fn parse_prefix(text: &str) -> Result<(Path, &str), PathError> {
    let mut cursor = Cursor {
        rest: text,
        in_filter: false,
    };
    if !cursor.take('$') {
        return Err(PathError::Start);
    }
    let root = if cursor.take('$') { Root::Context } else { Root::Data };
    if root == Root::Data && cursor.peek().is_some_and(is_name_char) {
        return Err(PathError::Variable);
    }
    let segments = cursor.segments(false)?;
    let used = text.len() - cursor.rest.len();
    Ok((Path::new(&text[..used], root, segments), cursor.rest))
}

fn is_name_char(found: char) -> bool {
    !found.is_whitespace()
        && !matches!(
            found,
            '.' | '[' | ']' | '(' | ')' | ',' | '\'' | '"' | '?' | '@' | '*' | ':'
        )
}

pub(super) struct Cursor<'a> {
    rest: &'a str,
    /// Within a filter an operator ends a name.
    in_filter: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// The steps of a path, up to what can't belong to it.
    pub(super) fn segments(&mut self, in_filter: bool) -> Result<Vec<Segment>, PathError> {
        let outside = std::mem::replace(&mut self.in_filter, in_filter);
        let mut segments = Vec::new();
        loop {
            // It could lead nowhere, or make a result that is nested deeper than a payload may be.
            if segments.len() > MAX_PAYLOAD_DEPTH {
                return Err(PathError::Length);
            }
            match self.peek() {
                Some('.') => {
                    self.bump();
                    if self.take('.') {
                        segments.push(Segment::Descent);
                        match self.peek() {
                            Some('[') => {}
                            Some(next) if next == '*' || self.is_name_char(next) => segments.push(self.name()?),
                            _ => return Err(PathError::DanglingDescent),
                        }
                    } else {
                        segments.push(self.name()?);
                    }
                }
                Some('[') => {
                    self.bump();
                    segments.push(self.bracket()?);
                }
                None | Some(',' | ')') => break,
                Some('=' | '!' | '<' | '>' | '&' | '|') if in_filter => break,
                Some(blank) if blank.is_whitespace() => break,
                Some('(') => return Err(PathError::Function),
                Some(found) => return Err(PathError::Unexpected { found }),
            }
        }
        self.in_filter = outside;
        Ok(segments)
    }

    fn is_name_char(&self, found: char) -> bool {
        is_name_char(found) && !(self.in_filter && matches!(found, '=' | '!' | '<' | '>' | '&' | '|'))
    }

    /// Takes a text whole, or nothing.
    pub(super) fn take_text(&mut self, wanted: &str) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// What stands up to a blank, an operator or a parenthesis; at least one character, unless nothing is left.
    pub(super) fn word(&mut self) -> String {
        let mut chars = self.rest.char_indices().skip(1);
        let end = chars
            .find(|(_, found)| found.is_whitespace() || "()[]=!<>&|,'\"@$".contains(*found))
            .map_or(self.rest.len(), |(at, _)| at);
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let found = chars.next();
        self.rest = chars.as_str();
        found
    }

    pub(super) fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// `name` or `*`, after a dot.
    fn name(&mut self) -> Result<Segment, PathError> {
        if self.take('*') {
            return Ok(Segment::Wildcard);
        }
        let end = self
            .rest
            .find(|found| !self.is_name_char(found))
            .unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() {
            return Err(self
                .peek()
                .map_or(PathError::MissingName, |found| PathError::Unexpected { found }));
        }
        if rest.starts_with('(') {
            return Err(PathError::Function);
        }
        self.rest = rest;
        Ok(Segment::Field(name.to_owned()))
    }

    /// What stands between `[` and `]`, both of which it consumes the latter of.
    fn bracket(&mut self) -> Result<Segment, PathError> {
        self.skip_blanks();
        let segment = match self.peek() {
            None => return Err(PathError::Unclosed),
            Some('?') => {
                self.bump();
                self.skip_blanks();
                if !self.take('(') {
                    return Err(PathError::Filter);
                }
                let test = filter::parse(self)?;
                self.skip_blanks();
                if !self.take(')') {
                    return Err(self
                        .peek()
                        .map_or(PathError::Unclosed, |found| PathError::Unexpected { found }));
                }
                Segment::Filter(test)
            }
            Some('(') => return Err(PathError::Script),
            Some('*') => {
                self.bump();
                Segment::Wildcard
            }
            Some('\'' | '"') => self.names()?,
            Some(_) => self.indexes()?,
        };
        self.skip_blanks();
        match self.bump() {
            Some(']') => Ok(segment),
            Some(found) => Err(PathError::Unexpected { found }),
            None => Err(PathError::Unclosed),
        }
    }

    fn names(&mut self) -> Result<Segment, PathError> {
        let mut names = vec![self.quoted()?];
        self.skip_blanks();
        while self.take(',') {
            self.skip_blanks();
            names.push(self.quoted()?);
            self.skip_blanks();
        }
        Ok(if names.len() == 1 {
            Segment::Field(names.swap_remove(0))
        } else {
            Segment::Fields(names)
        })
    }

    /// A name in quotes, in which a backslash takes the next character for itself.
    pub(super) fn quoted(&mut self) -> Result<String, PathError> {
        let quote = match self.bump() {
            Some(quote @ ('\'' | '"')) => quote,
            Some(found) => return Err(PathError::Unexpected { found }),
            None => return Err(PathError::Unclosed),
        };
        let mut name = String::new();
        loop {
            match self.bump() {
                None => return Err(PathError::Unclosed),
                Some('\\') => name.push(self.bump().ok_or(PathError::Unclosed)?),
                Some(found) if found == quote => return Ok(name),
                Some(found) => name.push(found),
            }
        }
    }

    fn indexes(&mut self) -> Result<Segment, PathError> {
        let end = self.rest.find(']').ok_or(PathError::Unclosed)?;
        let (inner, rest) = self.rest.split_at(end);
        self.rest = rest;
        let index = |text: &str| -> Result<i64, PathError> {
            text.trim().parse().map_err(|_| PathError::Index {
                index: text.trim().to_owned(),
            })
        };
        if inner.contains(':') {
            let bounds: Vec<&str> = inner.split(':').map(str::trim).collect();
            let bound = |text: &str| {
                if text.is_empty() {
                    Ok(None)
                } else {
                    index(text).map(Some)
                }
            };
            return match bounds.as_slice() {
                [from, to] => Ok(Segment::Slice(bound(from)?, bound(to)?)),
                _ => Err(PathError::Step),
            };
        }
        let mut all = inner.split(',').map(index).collect::<Result<Vec<_>, _>>()?;
        Ok(if all.len() == 1 {
            Segment::Index(all.swap_remove(0))
        } else {
            Segment::Indexes(all)
        })
    }
}
