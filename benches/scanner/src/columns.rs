//! The columns that the scanner fills, laid out as Arrow's: offsets, bytes, validity, list offsets.

/// A column of nullable texts.
#[derive(Default)]
pub struct Text {
    bytes: Vec<u8>,
    offsets: Vec<u32>,
    valid: Vec<bool>,
}

impl Text {
    fn sized(rows: usize, bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
            offsets: Vec::with_capacity(rows),
            valid: Vec::with_capacity(rows),
        }
    }

    /// Sets the text of the current row.
    #[inline(always)]
    pub fn put(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
    }

    /// Ends the row; it is null if no text was set.
    #[inline(always)]
    fn end(&mut self) {
        let end = self.bytes.len() as u32;
        self.valid
            .push(self.offsets.last().copied().unwrap_or(0) != end);
        self.offsets.push(end);
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// The number of rows that are not null.
    pub fn count(&self) -> usize {
        self.valid.iter().filter(|valid| **valid).count()
    }
}

/// The entries of a document.
pub struct Columns {
    pub loc: Text,
    pub lastmod_text: Text,
    pub changefreq: Text,
    /// The value of the current row.
    pub lastmod: i64,
    /// The value of the current row.
    pub priority: f32,
    pub offset: Vec<u64>,
    pub image: [Text; 3],
    pub video: [Text; 11],
    pub news: [Text; 4],
    pub alternate: [Text; 2],
    lastmods: Vec<i64>,
    priorities: Vec<f32>,
    lists: [Vec<u32>; 3],
}

impl Columns {
    /// Allocates columns for a document of so many bytes, estimated from its size.
    pub fn sized(bytes: usize) -> Self {
        let rows = bytes / 200;
        Self {
            loc: Text::sized(rows, bytes / 2),
            lastmod_text: Text::sized(rows, bytes / 8),
            changefreq: Text::sized(rows, bytes / 16),
            lastmod: 0,
            priority: 0.0,
            offset: Vec::with_capacity(rows),
            image: Default::default(),
            video: Default::default(),
            news: Default::default(),
            alternate: Default::default(),
            lastmods: Vec::with_capacity(rows),
            priorities: Vec::with_capacity(rows),
            lists: Default::default(),
        }
    }

    /// The number of entries.
    pub fn entries(&self) -> usize {
        self.loc.len()
    }

    /// Ends the row of an entry.
    #[inline(always)]
    pub fn end_row(&mut self) {
        self.loc.end();
        self.lastmod_text.end();
        self.changefreq.end();
        self.lastmods
            .push(std::mem::replace(&mut self.lastmod, i64::MIN));
        self.priorities
            .push(std::mem::replace(&mut self.priority, f32::NAN));
        let items = [
            self.image[0].len(),
            self.video[0].len(),
            self.alternate[0].len(),
        ];
        for (list, end) in self.lists.iter_mut().zip(items) {
            list.push(end as u32);
        }
        Self::end_item(&mut self.news);
    }

    /// Ends the row of one item of a list, or of a struct.
    #[inline(always)]
    pub fn end_item(fields: &mut [Text]) {
        for field in fields {
            field.end();
        }
    }
}
