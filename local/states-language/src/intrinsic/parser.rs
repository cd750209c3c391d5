//! The text of a call, read once, when a definition is created.

use serde_json::{Number, Value};

use super::{Argument, Call, Function, format};
use crate::limits::MAX_INTRINSIC_DEPTH;
use crate::path::{self, PathError};

/// Why a text is not a call that this engine can make.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SyntaxError {
    #[error("must be a path that starts with '$', or an intrinsic function such as States.Format('{{}}', $.name)")]
    NoCall,
    #[error("the intrinsic function '{name}' is not known")]
    Unknown { name: String },
    #[error("the intrinsic function '{name}' does not take {count} arguments")]
    Arity { name: String, count: usize },
    #[error("intrinsic functions may be nested {MAX_INTRINSIC_DEPTH} deep at most")]
    Depth,
    #[error("a string, a bracket or an argument list is not closed")]
    Unclosed,
    #[error("only \\', \\\\, \\{{ and \\}} are escapes")]
    Escape,
    #[error("'{found}' is no argument: a path, a string in single quotes, a number, true, false, null or a call is")]
    Argument { found: String },
    #[error("unexpected {found:?}")]
    Unexpected { found: char },
    #[error("path argument: {0}")]
    Path(#[from] PathError),
}

pub(super) fn parse(text: &str) -> Result<Call, SyntaxError> {
    let mut parser = Parser {
        rest: text.trim_start(),
    };
    let call = parser.call(1)?;
    match parser.rest.trim_start().chars().next() {
        None => Ok(call),
        Some(found) => Err(SyntaxError::Unexpected { found }),
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    /// `States.Name(arguments)`.
    fn call(&mut self, depth: usize) -> Result<Call, SyntaxError> {
        if depth > MAX_INTRINSIC_DEPTH {
            return Err(SyntaxError::Depth);
        }
        let whole = self.rest;
        let name = self.word();
        if !name.starts_with("States.") {
            return Err(SyntaxError::NoCall);
        }
        let function = Function::named(name).ok_or_else(|| SyntaxError::Unknown { name: name.to_owned() })?;
        self.skip_blanks();
        self.expect('(')?;
        let mut arguments = Vec::new();
        self.skip_blanks();
        if !self.take(')') {
            loop {
                self.skip_blanks();
                let is_template = function == Function::Format && arguments.is_empty();
                arguments.push(self.argument(depth, is_template)?);
                self.skip_blanks();
                if self.take(')') {
                    break;
                }
                self.expect(',')?;
            }
        }
        if !function.takes(arguments.len()) {
            return Err(SyntaxError::Arity {
                name: name.to_owned(),
                count: arguments.len(),
            });
        }
        let text = whole[..whole.len() - self.rest.len()].to_owned();
        Ok(Call {
            text,
            function,
            arguments,
        })
    }

    fn argument(&mut self, depth: usize, is_template: bool) -> Result<Argument, SyntaxError> {
        if self.rest.starts_with('$') {
            let (path, rest) = path::parse_prefix(self.rest)?;
            self.rest = rest;
            return Ok(Argument::Path(path));
        }
        if self.take('\'') {
            return self
                .string(is_template)
                .map(|text| Argument::Literal(Value::String(text)));
        }
        if self.rest.starts_with("States.") {
            return self.call(depth + 1).map(Argument::Call);
        }
        let word = self.word();
        let literal = match word {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            "null" => Some(Value::Null),
            number => serde_json::from_str::<Number>(number).ok().map(Value::Number),
        };
        match (literal, self.rest.is_empty()) {
            (Some(literal), _) => Ok(Argument::Literal(literal)),
            (None, true) if word.is_empty() => Err(SyntaxError::Unclosed),
            (None, _) => Err(SyntaxError::Argument { found: word.to_owned() }),
        }
    }

    /// The rest of a string after its opening quote. A template keeps its escapes, which `States.Format` needs to tell
    /// a brace from a place to fill.
    fn string(&mut self, is_template: bool) -> Result<String, SyntaxError> {
        let mut text = String::new();
        loop {
            match self.bump().ok_or(SyntaxError::Unclosed)? {
                '\'' => return Ok(text),
                '\\' => {
                    let escaped = self.bump().ok_or(SyntaxError::Unclosed)?;
                    if !format::is_escapable(escaped) {
                        return Err(SyntaxError::Escape);
                    }
                    if is_template {
                        text.push('\\');
                    }
                    text.push(escaped);
                }
                found => text.push(found),
            }
        }
    }

    fn word(&mut self) -> &'a str {
        let is_end = |found: char| found.is_whitespace() || matches!(found, '(' | ')' | ',' | '\'' | '$');
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn bump(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let found = chars.next();
        self.rest = chars.as_str();
        found
    }

    fn take(&mut self, wanted: char) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, wanted: char) -> Result<(), SyntaxError> {
        if self.take(wanted) {
            return Ok(());
        }
        Err(self
            .rest
            .chars()
            .next()
            .map_or(SyntaxError::Unclosed, |found| SyntaxError::Unexpected { found }))
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }
}
