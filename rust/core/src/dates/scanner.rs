//! Scanner for date formats.

/// Scanner over the text of a date. A step that fails does not move the position.
pub(super) struct Scanner<'a> {
    /// Text of the date.
    pub(super) text: &'a [u8],
    /// Current offset.
    pub(super) at: usize,
}

impl<'a> Scanner<'a> {
    /// Creates a scanner at the start of a text.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// Returns the next byte.
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Returns whether the text is consumed.
    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// Skips a byte if it comes next, else fails.
    pub(super) fn eat(&mut self, byte: u8) -> Option<()> {
        self.eat_one(&[byte]).map(|_| ())
    }

    /// Skips one of the bytes if it comes next, else fails. Returns the byte.
    pub(super) fn eat_one(&mut self, bytes: &[u8]) -> Option<u8> {
        let byte = self.peek().filter(|byte| bytes.contains(byte))?;
        self.at += 1;
        Some(byte)
    }

    /// Skips and returns all bytes that satisfy a predicate.
    pub(super) fn run(&mut self, fits: impl Fn(u8) -> bool) -> &'a [u8] {
        let start = self.at;
        while self.peek().is_some_and(&fits) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// Reads exactly `count` digits. The next step rejects any further digit.
    pub(super) fn digits(&mut self, count: usize) -> Option<u32> {
        let found = self.text.get(self.at..self.at + count)?;
        if !found.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.at += count;
        Some(number(found))
    }

    /// Reads two digits if there are two, else one.
    pub(super) fn one_or_two(&mut self) -> Option<u32> {
        self.digits(2).or_else(|| self.digits(1))
    }

    /// Skips white space and returns its length.
    pub(super) fn skip_spaces(&mut self) -> usize {
        self.run(is_space).len()
    }

    /// Skips white space, or fails if there is none.
    pub(super) fn require_spaces(&mut self) -> Option<()> {
        (self.skip_spaces() > 0).then_some(())
    }

    /// Matches `(?:[.,](\d+))?` with the given separators.
    pub(super) fn fraction(&mut self, separators: &[u8]) -> Option<Option<&'a [u8]>> {
        if self.eat_one(separators).is_none() {
            return Some(None);
        }
        let digits = self.run(|byte| byte.is_ascii_digit());
        (!digits.is_empty()).then_some(Some(digits))
    }

    /// Matches the end, optionally after a comment: `(?:[ \t\r\n]*\([^()]*\))?`.
    pub(super) fn comment_to_end(&mut self) -> Option<()> {
        if self.is_at_end() {
            return Some(());
        }
        self.skip_spaces();
        self.eat(b'(')?;
        self.run(|byte| !matches!(byte, b'(' | b')'));
        self.eat(b')')?;
        self.is_at_end().then_some(())
    }

    /// Matches `[+-]\d\d:\d\d` or `Z`.
    pub(super) fn w3c_zone(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        if self.eat(b'Z').is_none() {
            self.eat_one(b"+-")?;
            self.digits(2)?;
            self.eat(b':')?;
            self.digits(2)?;
        }
        Some(&self.text[start..self.at])
    }

    /// Matches one of the names or `[+-]\d\d(?::?\d\d)?` against the whole rest, which may be
    /// empty.
    pub(super) fn zone_to_end(&mut self, names: &[&[u8]]) -> Option<Option<&'a [u8]>> {
        let rest = &self.text[self.at..];
        self.at = self.text.len();
        match rest {
            [] => Some(None),
            [b'+' | b'-', tail @ ..] => {
                let digits: &[u8] = match tail {
                    [a, b] => &[*a, *b],
                    [a, b, b':', c, d] | [a, b, c, d] => &[*a, *b, *c, *d],
                    _ => return None,
                };
                digits.iter().all(u8::is_ascii_digit).then_some(Some(rest))
            }
            _ => names.contains(&rest).then_some(Some(rest)),
        }
    }
}

/// Returns whether a byte is white space.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Returns the value of decimal digits.
pub(super) fn number(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'))
}
