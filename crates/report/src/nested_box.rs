//! A part of a machine or of a drawing, with what lies in it: what the tree in text and the boxes in a picture are made of.

/// A part and what lies in it, each in a line of words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct NestedBox {
    /// `2 × package (0-1), L3 32 MiB`.
    pub words: String,
    /// What is to be seen at once, in words that need no colour: `BELOW what both ends could do: …`.
    pub marks: Vec<String>,
    pub within: Vec<NestedBox>,
}

impl NestedBox {
    /// A part in which nothing lies.
    pub fn leaf(words: impl Into<String>) -> NestedBox {
        NestedBox::of(words, Vec::new())
    }

    /// A part with others in it.
    pub fn of(words: impl Into<String>, within: Vec<NestedBox>) -> NestedBox {
        NestedBox { words: words.into(), marks: Vec::new(), within }
    }
}
