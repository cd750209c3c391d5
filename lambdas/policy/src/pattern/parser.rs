//! Reads a pattern's text.

use super::set::Set;
use super::{Node, PatternError};
use crate::limits;

const BOUNDED: &str = "repeats are bounded, write {1,200} or {0,200}";

pub(super) fn parse(text: &str) -> Result<Node, PatternError> {
    let length = text.chars().count();
    if length > limits::PATTERN_LENGTH {
        let message = format!(
            "it has {length} characters, at most {} are allowed",
            limits::PATTERN_LENGTH
        );
        return Err(PatternError { at: None, message });
    }
    let mut parser = Parser {
        text: text.chars().collect(),
        at: 0,
    };
    let node = parser.either(0)?;
    match parser.peek() {
        None => Ok(node),
        Some(_) => Err(parser.refuse("this ) closes no group, write \\)")),
    }
}

struct Parser {
    text: Vec<char>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek();
        self.at += usize::from(next.is_some());
        next
    }

    fn take(&mut self, wanted: char) -> bool {
        let taken = self.peek() == Some(wanted);
        self.at += usize::from(taken);
        taken
    }

    /// A refusal of the character that stands next.
    fn refuse(&self, message: impl Into<String>) -> PatternError {
        PatternError {
            at: Some(self.at + 1),
            message: message.into(),
        }
    }

    fn either(&mut self, depth: usize) -> Result<Node, PatternError> {
        let mut nodes = vec![self.sequence(depth)?];
        while self.take('|') {
            nodes.push(self.sequence(depth)?);
        }
        Ok(single(nodes, Node::Either))
    }

    fn sequence(&mut self, depth: usize) -> Result<Node, PatternError> {
        let mut nodes = Vec::new();
        while !matches!(self.peek(), None | Some('|' | ')')) {
            let node = self.one(depth)?;
            nodes.push(self.repeated(node)?);
        }
        if nodes.is_empty() {
            return Err(self.refuse("something must stand here; for what may be left out, write ? behind it"));
        }
        Ok(single(nodes, Node::Sequence))
    }

    fn one(&mut self, depth: usize) -> Result<Node, PatternError> {
        match self.peek() {
            Some('(') => self.group(depth),
            Some('[') => self.class().map(Node::One),
            Some('\\') => self.escaped().map(Node::One),
            Some('.') => {
                self.at += 1;
                Ok(Node::One(Set::IN_LINE))
            }
            Some('^' | '$') => {
                Err(self.refuse("the whole value must match anyway: leave ^ and $ out, or write \\^ or \\$"))
            }
            Some('*' | '+') => Err(self.refuse(BOUNDED)),
            Some('?' | '{') => Err(self.refuse("there is nothing to repeat, write \\? or \\{")),
            Some(closing @ (']' | '}')) => Err(self.refuse(format!("write \\{closing}"))),
            _ => self.literal().map(Node::One),
        }
    }

    fn group(&mut self, depth: usize) -> Result<Node, PatternError> {
        if depth == limits::PATTERN_DEPTH {
            return Err(self.refuse(format!("groups nest {} deep at most", limits::PATTERN_DEPTH)));
        }
        let start = self.at;
        self.at += 1;
        if self.take('?') && !self.take(':') {
            return Err(self.refuse("after (? only : is allowed: no look-around, no flags, no names"));
        }
        let node = self.either(depth + 1)?;
        if !self.take(')') {
            self.at = start;
            return Err(self.refuse("this group is not closed, write ) or \\("));
        }
        Ok(node)
    }

    fn repeated(&mut self, node: Node) -> Result<Node, PatternError> {
        let start = self.at;
        let (min, max) = match self.peek() {
            Some('?') => {
                self.at += 1;
                (0, 1)
            }
            Some('{') => self.bounds()?,
            Some('*' | '+') => return Err(self.refuse(BOUNDED)),
            _ => return Ok(node),
        };
        if matches!(self.peek(), Some('?' | '{' | '*' | '+')) {
            return Err(self.refuse("a repeat of a repeat needs a group; ? and + as in .{1,9}? are not known"));
        }
        if node.accepts_empty() {
            self.at = start;
            return Err(self.refuse("what is repeated may itself be empty, and engines disagree on that"));
        }
        Ok(Node::Repeat {
            node: Box::new(node),
            min,
            max,
        })
    }

    fn bounds(&mut self) -> Result<(u32, u32), PatternError> {
        let start = self.at;
        self.at += 1;
        let min = self.number()?;
        let max = if !self.take(',') {
            min
        } else if self.peek() == Some('}') {
            return Err(self.refuse(BOUNDED));
        } else {
            self.number()?
        };
        if !self.take('}') {
            return Err(self.refuse("a repeat is {n}, {n,m} or ?; for a brace write \\{"));
        }
        if max == 0 || min > max || max as usize > limits::VALUE_LENGTH {
            self.at = start;
            let longest = limits::VALUE_LENGTH;
            return Err(self.refuse(format!("a repeat {{n,m}} needs n ≤ m and 1 ≤ m ≤ {longest}")));
        }
        Ok((min, max))
    }

    fn number(&mut self) -> Result<u32, PatternError> {
        let mut number: Option<u32> = None;
        while let Some(digit) = self.peek().and_then(|next| next.to_digit(10)) {
            number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(digit));
            self.at += 1;
        }
        number.ok_or_else(|| self.refuse("a repeat is {n}, {n,m} or ?; for a brace write \\{"))
    }

    fn class(&mut self) -> Result<Set, PatternError> {
        let start = self.at;
        self.at += 1;
        let negated = self.take('^');
        let mut set = Set::NONE;
        let mut empty = true;
        loop {
            match self.peek() {
                None => {
                    self.at = start;
                    return Err(self.refuse("this class is not closed, write ] or \\["));
                }
                Some(']') if empty => return Err(self.refuse("a class can't be empty; for a bracket write \\]")),
                Some(']') => break,
                Some('-') if !empty && self.text.get(self.at + 1) != Some(&']') => {
                    return Err(self.refuse("a - stands first, last or as \\-"));
                }
                _ => set = set.union(self.range()?),
            }
            empty = false;
        }
        self.at += 1;
        Ok(if negated { set.negated() } else { set })
    }

    fn range(&mut self) -> Result<Set, PatternError> {
        let start = self.at;
        let first = self.member()?;
        let is_range = self.peek() == Some('-') && !matches!(self.text.get(self.at + 1), None | Some(']'));
        if !is_range {
            return Ok(Set::range(first, first));
        }
        self.at += 1;
        let last = self.member()?;
        if first > last {
            self.at = start;
            return Err(self.refuse("this range runs backwards"));
        }
        Ok(Set::range(first, last))
    }

    /// One character of a class.
    fn member(&mut self) -> Result<u8, PatternError> {
        match self.peek() {
            Some('\\') => self.escape(true),
            Some('[') => Err(self.refuse("a class in a class means different things to different engines, write \\[")),
            Some('^') => Err(self.refuse("a ^ that is meant as itself is written \\^")),
            Some(pair @ ('&' | '~')) if self.text.get(self.at + 1) == Some(&pair) => Err(self.refuse(format!(
                "{pair}{pair} is an operator to some engines, write {pair} once"
            ))),
            _ => self.ascii(),
        }
    }

    fn escaped(&mut self) -> Result<Set, PatternError> {
        self.escape(false).map(|byte| Set::range(byte, byte))
    }

    fn literal(&mut self) -> Result<Set, PatternError> {
        self.ascii().map(|byte| Set::range(byte, byte))
    }

    /// A backslash and the character that it makes an ordinary one. JavaScript's strict mode allows no others.
    fn escape(&mut self, in_class: bool) -> Result<u8, PatternError> {
        self.at += 1;
        match self.peek() {
            Some(meant) if r"^$\.*+?()[]{}|/".contains(meant) || (in_class && meant == '-') => self.ascii(),
            Some(_) => Err(self.refuse(
                "a backslash stands only before a character with a meaning; for a class write [0-9] or [A-Za-z0-9_]",
            )),
            None => Err(self.refuse("nothing follows the backslash, write \\\\")),
        }
    }

    fn ascii(&mut self) -> Result<u8, PatternError> {
        let byte = self
            .peek()
            .filter(|next| matches!(next, ' '..='~'))
            .and_then(|next| u8::try_from(next).ok());
        let byte = byte.ok_or_else(|| self.refuse("only printable ASCII is allowed, or . for anything"))?;
        self.next();
        Ok(byte)
    }
}

fn single(mut nodes: Vec<Node>, several: impl Fn(Vec<Node>) -> Node) -> Node {
    match nodes.len() {
        1 => nodes.remove(0),
        _ => several(nodes),
    }
}
