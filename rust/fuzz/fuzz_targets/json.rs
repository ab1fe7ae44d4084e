//! JSON of a column: what is accepted is JSON with the same values, as another parser reads it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use urlset_core::columns::{IMAGE_FIELDS, NEWS_FIELDS, Record, RecordList};
use urlset_core::json::{add_list, add_object};
use urlset_fuzz::text;

fuzz_target!(|data: &[u8]| {
    let text = text(data);
    let mut column = RecordList::default();
    if add_list(&mut column, 0, &IMAGE_FIELDS, &text).is_some() {
        let Ok(Value::Array(items)) = serde_json::from_str(&text) else { panic!("no list") };
        assert_eq!(column.list.items(), items.len());
        for (item, value) in items.iter().enumerate() {
            if let Value::String(loc) = value {
                assert_eq!(column.items.fields[0].get(item), Some(loc.as_bytes()));
            } else {
                check(&column.items, item, &IMAGE_FIELDS, value);
            }
        }
    }
    let mut record = Record::default();
    if add_object(&mut record, 0, &NEWS_FIELDS, &text).is_some() {
        let value = serde_json::from_str(&text).expect("no JSON");
        check(&record, 0, &NEWS_FIELDS, &value);
    }
});

fn check<const N: usize>(record: &Record<N>, row: usize, names: &[&str; N], value: &Value) {
    let Value::Object(object) = value else { panic!("no object: {value}") };
    for (texts, name) in record.fields.iter().zip(names) {
        let expected = match object.get(*name) {
            None | Some(Value::Null) => None,
            Some(Value::Bool(is_true)) => Some(if *is_true { "yes" } else { "no" }.to_owned()),
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            Some(other) => panic!("{name}: {other}"),
        };
        assert_eq!(texts.get(row), expected.as_ref().map(String::as_bytes), "{name}");
    }
}
