//! Keys with the type of what stands under them, and the map that they open.
//!
//! Only this crate makes keys, so that each is spelled once; a value is read as what its key says, or the reading doesn't compile.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A key of workloads or conditions, and what stands under it: `f64` for any number, `str`, `bool`, `[Value]` for a list,
/// `Map<String, Value>` for an object, `Value` for what has several shapes.
pub struct Key<T: ?Sized> {
    name: &'static str,
    /// The object that it is an entry of.
    inside: Option<&'static str>,
    of: PhantomData<fn(&T)>,
}

/// What a key is, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyDescription {
    /// Its name in a run file.
    pub name: &'static str,
    /// What stands under it: `a number`, `text`.
    pub holds: &'static str,
    /// What it says, in a sentence.
    pub about: &'static str,
}

/// Makes the keys as they are written there, and the list of what each is. An item added inside the braces is in it.
macro_rules! keys {
    ($all:ident: $($(#[doc = $doc:literal])* pub const $constant:ident: Key<$shape:ty> = Key::new($name:literal);)*) => {
        $(
            $(#[doc = $doc])*
            pub const $constant: $crate::condition::Key<$shape> = $crate::condition::Key::new($name);
        )*
        /// All of this table.
        pub(crate) const $all: &[$crate::condition::KeyDescription] = &[$(
            $crate::condition::KeyDescription {
                name: $name,
                holds: <$shape as $crate::condition::Shape>::WORDS,
                about: concat!($($doc),*),
            }
        ),*];
    };
}
pub(crate) use keys;

impl<T: ?Sized> Clone for Key<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Key<T> {}

impl<T: ?Sized> fmt::Debug for Key<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// As it is quoted: `sessions`, `server_settings.fsync`.
impl<T: ?Sized> fmt::Display for Key<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.inside {
            Some(object) => write!(f, "{object}.{}", self.name),
            None => f.write_str(self.name),
        }
    }
}

impl<T: ?Sized> Key<T> {
    pub(crate) const fn new(name: &'static str) -> Self {
        Key { name, inside: None, of: PhantomData }
    }

    /// Its name in a run file.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// As a sentence has it: `block bytes`.
    pub fn words(self) -> String {
        self.to_string().replace('_', " ")
    }

    /// The same key for who takes whatever stands there: a rule over keys of several types.
    pub const fn any(self) -> Key<Value> {
        Key { name: self.name, inside: self.inside, of: PhantomData }
    }

    /// The entry of that name in an object, in place of the key itself.
    pub const fn inside(self, object: Key<Map<String, Value>>) -> Self {
        Key { inside: Some(object.name), ..self }
    }
}

/// What can stand under a key.
pub trait Shape {
    /// What it is, for people.
    const WORDS: &'static str;

    /// As it is read.
    type Read<'a>;

    /// The value, if it has this shape.
    fn read(value: &Value) -> Option<Self::Read<'_>>;
}

impl Shape for f64 {
    const WORDS: &'static str = "a number";

    type Read<'a> = f64;

    fn read(value: &Value) -> Option<f64> {
        value.as_f64()
    }
}

impl Shape for str {
    const WORDS: &'static str = "text";

    type Read<'a> = &'a str;

    fn read(value: &Value) -> Option<&str> {
        value.as_str()
    }
}

/// CPUs, as a list or as their number; what is read is how many.
pub struct CpuCount;

impl Shape for CpuCount {
    const WORDS: &'static str = "CPUs: a list, or their number";

    type Read<'a> = f64;

    fn read(value: &Value) -> Option<f64> {
        value.as_f64().or_else(|| value.as_array().map(|list| list.len() as f64))
    }
}

impl Shape for bool {
    const WORDS: &'static str = "true or false";

    type Read<'a> = bool;

    fn read(value: &Value) -> Option<bool> {
        value.as_bool()
    }
}

impl Shape for [Value] {
    const WORDS: &'static str = "a list";

    type Read<'a> = &'a [Value];

    fn read(value: &Value) -> Option<&[Value]> {
        value.as_array().map(Vec::as_slice)
    }
}

impl Shape for Map<String, Value> {
    const WORDS: &'static str = "an object";

    type Read<'a> = &'a Map<String, Value>;

    fn read(value: &Value) -> Option<&Map<String, Value>> {
        value.as_object()
    }
}

impl Shape for Value {
    const WORDS: &'static str = "whatever stands there";

    type Read<'a> = &'a Value;

    fn read(value: &Value) -> Option<&Value> {
        Some(value)
    }
}

/// What a workload was, or what was obtained, by keys.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Conditions(BTreeMap<String, Value>);

impl Conditions {
    /// Sets what stands under a key; null says that it is known to be nothing.
    ///
    /// # Panics
    /// In a build with assertions, if the value hasn't the key's shape: nobody could read it.
    pub fn insert<T: Shape + ?Sized>(&mut self, key: Key<T>, value: impl Into<Value>) {
        let value = value.into();
        debug_assert!(key.inside.is_none(), "{key} is an entry of an object");
        debug_assert!(value.is_null() || T::read(&value).is_some(), "{key} can't be {value}");
        self.0.insert(key.name.to_string(), value);
    }

    /// Sets a server's setting under the server's own name for it, unless something stands there already.
    pub fn add_setting(&mut self, name: &str, value: &str) {
        self.0.entry(name.to_string()).or_insert_with(|| value.into());
    }

    /// Says why something wanted could not be had: `io_uring`, `polled completion`.
    pub fn add_refusal(&mut self, what: &str, why: &str) {
        self.0.insert(format!("{}_refused", what.replace(' ', "_")), why.into());
    }

    /// What stands under a key; `None` also for null and what an older or foreign file has of another shape.
    pub fn get<T: Shape + ?Sized>(&self, key: Key<T>) -> Option<T::Read<'_>> {
        let value = match key.inside {
            Some(object) => self.0.get(object)?.get(key.name)?,
            None => self.0.get(key.name)?,
        };
        T::read(value)
    }

    /// Whether anything stands there, null included.
    pub fn contains<T: ?Sized>(&self, key: Key<T>) -> bool {
        self.get(key.any()).is_some()
    }

    /// Takes away what stands there.
    pub fn remove<T: ?Sized>(&mut self, key: Key<T>) {
        self.0.remove(key.name);
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Everything, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Takes over what others are, in place of what stands under the same keys.
    pub fn extend(&mut self, others: Conditions) {
        self.0.extend(others.0);
    }
}

/// Whatever stands there, null where there is nothing.
impl<T: ?Sized> std::ops::Index<Key<T>> for Conditions {
    type Output = Value;

    fn index(&self, key: Key<T>) -> &Value {
        self.get(key.any()).unwrap_or(&Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const COUNT: Key<f64> = Key::new("count");
    const TABLE: Key<Map<String, Value>> = Key::new("table");
    const ENTRY: Key<str> = Key::new("entry");

    #[test]
    fn what_was_written_under_a_key_is_read_as_its_type_and_stored_as_it_was() {
        let mut conditions = Conditions::default();
        conditions.insert(COUNT, 3);
        conditions.insert(TABLE, json!({"entry": "on"}));
        assert_eq!(conditions.get(COUNT), Some(3.0));
        assert_eq!(conditions.get(ENTRY), None);
        assert_eq!(conditions.get(ENTRY.inside(TABLE)), Some("on"));
        assert_eq!(ENTRY.inside(TABLE).to_string(), "table.entry");
        let text = serde_json::to_string(&conditions).unwrap();
        assert_eq!(text, r#"{"count":3,"table":{"entry":"on"}}"#);
    }

    #[test]
    fn null_is_there_and_is_no_number() {
        let mut conditions = Conditions::default();
        conditions.insert(COUNT, Value::Null);
        assert_eq!(conditions.get(COUNT), None);
        assert!(conditions.contains(COUNT) && !conditions.contains(ENTRY));
    }

    #[test]
    #[should_panic(expected = "count can't be \"three\"")]
    fn a_value_that_its_key_cannot_read_is_refused_where_it_is_written() {
        Conditions::default().insert(COUNT, "three");
    }

    #[test]
    fn what_a_foreign_file_has_of_another_shape_is_absent() {
        let conditions: Conditions = serde_json::from_str(r#"{"count":"three"}"#).unwrap();
        assert_eq!(conditions.get(COUNT), None);
        assert_eq!(conditions.get(COUNT.any()), Some(&json!("three")));
    }
}
