//! The tidy table as Parquet, for runs by the thousands: columns are packed, and a program reads the ones that it needs.
//!
//! Columns and values are those of the CSV; where a figure has no repeat and no interval there is null. One row group for each million rows.

use std::sync::Arc;

use narrows_model::Run;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::tidy::{COLUMNS, TidyRow, rows};

pub use parquet::errors::ParquetError;

/// Rows of a group, which are in memory at once.
const GROUP: usize = 1 << 20;

/// The columns' types: texts, but for these.
fn schema() -> String {
    let column = |name: &&str| match *name {
        "repeat" => "optional int32 repeat;".to_string(),
        "value" => "required double value;".to_string(),
        "low_95" | "high_95" => format!("optional double {name};"),
        name => format!("required binary {name} (STRING);"),
    };
    format!("message narrows {{ {} }}", COLUMNS.iter().map(column).collect::<Vec<_>>().join(" "))
}

/// The runs' tidy table as the bytes of a Parquet file.
///
/// # Errors
/// What the writer refuses.
pub fn parquet(runs: &[Run]) -> Result<Vec<u8>> {
    let schema = Arc::new(parse_message_type(&schema())?);
    let mut bytes = Vec::new();
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, properties)?;
    let mut rows = rows(runs).peekable();
    while rows.peek().is_some() {
        let group: Vec<TidyRow<'_>> = rows.by_ref().take(GROUP).collect();
        let mut columns = writer.next_row_group()?;
        for name in COLUMNS {
            let Some(mut column) = columns.next_column()? else { break };
            match name {
                "repeat" => {
                    let (values, levels) = known(group.iter().map(|row| row.repeat));
                    let values: Vec<i32> = values.into_iter().map(|repeat| repeat as i32).collect();
                    column.typed::<Int32Type>().write_batch(&values, Some(&levels), None)?;
                }
                "value" => {
                    let values: Vec<f64> = group.iter().map(|row| row.value).collect();
                    column.typed::<DoubleType>().write_batch(&values, None, None)?;
                }
                "low_95" | "high_95" => {
                    let end = |(low, high): (f64, f64)| if name == "low_95" { low } else { high };
                    let (values, levels) = known(group.iter().map(|row| row.interval_95.map(end)));
                    column.typed::<DoubleType>().write_batch(&values, Some(&levels), None)?;
                }
                _ => {
                    let text = |row: &TidyRow<'_>| ByteArray::from(row.text(name).into_bytes());
                    let values: Vec<ByteArray> = group.iter().map(text).collect();
                    column.typed::<ByteArrayType>().write_batch(&values, None, None)?;
                }
            }
            column.close()?;
        }
        columns.close()?;
    }
    writer.close()?;
    Ok(bytes)
}

/// Values that there are, and for each row whether it has one.
fn known<T>(all: impl Iterator<Item = Option<T>>) -> (Vec<T>, Vec<i16>) {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    for value in all {
        levels.push(i16::from(value.is_some()));
        values.extend(value);
    }
    (values, levels)
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    use super::super::tests::run;
    use super::*;

    #[test]
    fn what_is_written_is_read_again_by_the_columns_of_the_csv() {
        let bytes = parquet(&[run(), run()]).unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        let schema = reader.metadata().file_metadata().schema_descr();
        let names: Vec<&str> = schema.columns().iter().map(|column| column.name()).collect();
        assert_eq!(names, COLUMNS);
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        // Of each run two figures and three repeats.
        assert_eq!(rows.len(), 10);
        let at = |name: &str| COLUMNS.iter().position(|column| *column == name).unwrap();
        assert_eq!(rows[2].get_string(at("metric")).unwrap(), "latency_p99");
        assert_eq!(rows[2].get_int(at("repeat")).unwrap(), 2);
        assert_eq!(rows[2].get_double(at("value")).unwrap(), 3e6);
        assert!(rows[0].get_int(at("repeat")).is_err(), "the figure itself is no repeat");
        assert!(rows[0].get_double(at("low_95")).is_err(), "and has no interval");
        assert_eq!(rows[0].get_string(at("measurement")).unwrap(), "block.a\"b\\c\nd");
    }

    #[test]
    fn no_run_is_an_empty_table() {
        let bytes = parquet(&[]).unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
    }
}
