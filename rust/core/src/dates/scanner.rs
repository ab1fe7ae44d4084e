//! A place in the text of a date, and the steps that its forms are made of.

/// Reads along a text; a step that does not fit leaves the place where it was.
pub(super) struct Scanner<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    pub(super) fn eat(&mut self, byte: u8) -> Option<()> {
        self.eat_one(&[byte]).map(|_| ())
    }

    pub(super) fn eat_one(&mut self, bytes: &[u8]) -> Option<u8> {
        let byte = self.peek().filter(|byte| bytes.contains(byte))?;
        self.at += 1;
        Some(byte)
    }

    pub(super) fn run(&mut self, fits: impl Fn(u8) -> bool) -> &'a [u8] {
        let start = self.at;
        while self.peek().is_some_and(&fits) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// Exactly so many digits; a digit after them is left for the next step to refuse.
    pub(super) fn digits(&mut self, count: usize) -> Option<u32> {
        let found = self.text.get(self.at..self.at + count)?;
        if !found.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.at += count;
        Some(number(found))
    }

    /// One or two digits, as many as there are.
    pub(super) fn one_or_two(&mut self) -> Option<u32> {
        self.digits(2).or_else(|| self.digits(1))
    }

    pub(super) fn skip_spaces(&mut self) -> usize {
        self.run(is_space).len()
    }

    pub(super) fn require_spaces(&mut self) -> Option<()> {
        (self.skip_spaces() > 0).then_some(())
    }

    /// `(?:[.,](\d+))?` with the separators given.
    pub(super) fn fraction(&mut self, separators: &[u8]) -> Option<Option<&'a [u8]>> {
        if self.eat_one(separators).is_none() {
            return Some(None);
        }
        let digits = self.run(|byte| byte.is_ascii_digit());
        (!digits.is_empty()).then_some(Some(digits))
    }

    /// The end, or a last comment: `(?:[ \t\r\n]*\([^()]*\))?`.
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

    /// `[+-]\d\d:\d\d` or a `Z`.
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

    /// One of the names, or `[+-]\d\d(?::?\d\d)?`; all that is left, or nothing.
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

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

pub(super) fn number(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'))
}
