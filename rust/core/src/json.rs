//! Records of texts from JSON (RFC 8259), as tables have them.
//!
//! Only the usual forms are read. For all others the functions return None, and the caller parses
//! the text in another way.

use std::borrow::Cow;

use crate::columns::{Record, RecordList};

/// Adds the objects of an array to the list of a row. An item may be a text, if the first field is
/// `loc`: the URL of an image. Returns None if the text is something else; it may be added in part.
pub fn add_list<const N: usize>(
    column: &mut RecordList<N>,
    row: usize,
    names: &[&str; N],
    text: &str,
) -> Option<()> {
    let mut json = Json::new(text);
    json.expect(b'[')?;
    if !json.skip(b']') {
        loop {
            let item = column.list.push(row);
            if json.peek() == Some(b'"') && names[0] == "loc" {
                column.items.fields[0].set(item, json.string()?.as_bytes());
            } else {
                json.object(&mut column.items, item, names)?;
            }
            if !json.skip(b',') {
                break;
            }
        }
        json.expect(b']')?;
    }
    json.end()
}

/// Adds an object as a record of a row. Returns None if the text is something else; it may be added
/// in part.
pub fn add_object<const N: usize>(
    record: &mut Record<N>,
    row: usize,
    names: &[&str; N],
    text: &str,
) -> Option<()> {
    let mut json = Json::new(text);
    json.object(record, row, names)?;
    json.end()
}

/// Unread rest of a text. Each method reads a token at its start, and the space after it, or fails.
struct Json<'a>(&'a str);

impl<'a> Json<'a> {
    fn new(text: &'a str) -> Self {
        let mut json = Self(text);
        json.advance(0);
        json
    }

    fn advance(&mut self, length: usize) {
        self.0 = self.0[length..].trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn peek(&self) -> Option<u8> {
        self.0.as_bytes().first().copied()
    }

    fn skip(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        if is_next {
            self.advance(1);
        }
        is_next
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.skip(byte).then_some(())
    }

    fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }

    /// Reads an object to the fields of a record. Fails if a key is unknown or repeated.
    fn object<const N: usize>(
        &mut self,
        record: &mut Record<N>,
        row: usize,
        names: &[&str; N],
    ) -> Option<()> {
        let mut is_known = [false; N];
        self.expect(b'{')?;
        if self.skip(b'}') {
            return Some(());
        }
        loop {
            let key = self.string()?;
            self.expect(b':')?;
            let field = names.iter().position(|name| *name == key)?;
            if std::mem::replace(&mut is_known[field], true) {
                return None;
            }
            if let Some(text) = self.value()? {
                record.fields[field].set(row, text.as_bytes());
            }
            if !self.skip(b',') {
                break;
            }
        }
        self.expect(b'}')
    }

    /// Reads a text, an integer, a truth value or null, and returns its text.
    fn value(&mut self) -> Option<Option<Cow<'a, str>>> {
        if self.peek()? == b'"' {
            return self.string().map(Some);
        }
        let end = self.0.find([',', '}', ' ', '\t', '\n', '\r'])?;
        let word = &self.0[..end];
        self.advance(end);
        match word {
            "null" => Some(None),
            "true" => Some(Some("yes".into())),
            "false" => Some(Some("no".into())),
            _ => is_integer(word).then_some(Some(word.into())),
        }
    }

    fn string(&mut self) -> Option<Cow<'a, str>> {
        let inner = self.0.strip_prefix('"')?;
        let is_special = |byte: u8| byte == b'"' || byte == b'\\' || byte < 0x20;
        let end = inner.bytes().position(is_special)?;
        if inner.as_bytes()[end] == b'"' {
            self.advance(end + 2);
            return Some(inner[..end].into());
        }
        let mut text = inner[..end].to_owned();
        let mut rest = &inner[end..];
        loop {
            let end = rest.bytes().position(is_special)?;
            text.push_str(&rest[..end]);
            let special = rest.as_bytes()[end];
            rest = &rest[end + 1..];
            match special {
                b'"' => break,
                b'\\' => rest = unescape(rest, &mut text)?,
                _ => return None,
            }
        }
        self.0 = rest;
        self.advance(0);
        Some(text.into())
    }
}

/// Reads what follows a backslash. Returns the rest.
fn unescape<'a>(rest: &'a str, text: &mut String) -> Option<&'a str> {
    let character = match rest.as_bytes().first()? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => return unescape_number(&rest[1..], text),
        byte @ (b'"' | b'\\' | b'/') => char::from(*byte),
        _ => return None,
    };
    text.push(character);
    Some(&rest[1..])
}

/// Reads the digits of a UTF-16 code unit, or of a pair of them. Returns the rest.
fn unescape_number<'a>(rest: &'a str, text: &mut String) -> Option<&'a str> {
    let unit = |digits: &str| {
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
    };
    let first = unit(rest.get(..4)?)?;
    let (units, length): (&[u16], usize) = if (0xd800..0xdc00).contains(&first) {
        rest.get(4..6).filter(|escape| *escape == "\\u")?;
        (&[first, unit(rest.get(6..10)?)?], 10)
    } else {
        (&[first], 4)
    };
    for character in char::decode_utf16(units.iter().copied()) {
        text.push(character.ok()?);
    }
    Some(&rest[length..])
}

/// Returns whether a number is an integer of 64 bits in the form in which Python writes it.
fn is_integer(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    matches!(digits.len(), 1..=18)
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (!digits.starts_with('0') || word == "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(text: &str) -> Option<Vec<[Option<String>; 2]>> {
        let mut column = RecordList::<2>::default();
        add_list(&mut column, 0, &["loc", "title"], text)?;
        let field = |item, number: usize| {
            let text: &[u8] = column.items.fields[number].get(item)?;
            Some(String::from_utf8_lossy(text).into_owned())
        };
        let items = column.list.get(0);
        Some(items.map(|item| [field(item, 0), field(item, 1)]).collect())
    }

    #[test]
    fn arrays_of_objects_are_lists_of_records() {
        let found = added(" [{\"loc\": \"a\\/\\u00e9\\ud83d\\ude00\", \"title\": -7}, \"b\",{}]\n");

        let text = |text: &str| Some(text.to_owned());
        let records = vec![[text("a/é😀"), text("-7")], [text("b"), None], [None, None]];
        assert_eq!(found, Some(records));
        assert_eq!(added("[]"), Some(vec![]));
    }

    #[test]
    fn other_json_is_refused() {
        for text in [
            "",
            "[",
            "[{}",
            "[{},]",
            "{}",
            "null",
            "[null]",
            "[{\"loc\":\"a\"}] x",
            "[\"\\ud800\"]",
            "[{\"loc\":1.5}]",
            "[{\"loc\":-0}]",
            "[{\"loc\":01}]",
            "[{\"url\":\"a\"}]",
            "[\"\\x\"]",
            "[{\"loc\":\"a\",\"loc\":null}]",
            "[\"a\nb\"]",
            "[{\"loc\":[]}]",
            "[{\"loc\"}]",
            "[\"\\u+123\"]",
        ] {
            assert_eq!(added(text), None, "{text}");
        }
    }
}
