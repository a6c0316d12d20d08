//! Tables, links and anchors as GitHub renders them.

/// A table under construction.
pub(super) struct MarkdownTable {
    head: String,
    rows: Vec<String>,
}

impl MarkdownTable {
    /// Returns a table without rows.
    pub(super) fn new(columns: &[&str]) -> MarkdownTable {
        let head = columns.join(" | ");
        let rule = vec!["---"; columns.len()].join(" | ");
        MarkdownTable {
            head: format!("| {head} |\n| {rule} |\n"),
            rows: Vec::new(),
        }
    }

    /// Appends a row.
    pub(super) fn row(&mut self, cells: &[String]) {
        let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
        self.rows.push(format!("| {} |\n", cells.join(" | ")));
    }

    /// Returns the Markdown, which is empty if there are no rows.
    pub(super) fn finish(self) -> String {
        if self.rows.is_empty() {
            String::new()
        } else {
            self.head + &self.rows.concat()
        }
    }
}

/// Returns a link to a heading of the same page.
pub(super) fn link(text: &str, anchor: &str) -> String {
    format!("[{text}](#{anchor})")
}

/// Returns the anchor that GitHub gives a heading.
pub(super) fn anchor(heading: &str) -> String {
    let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let kept = heading.chars().filter(is_kept);
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Joins sentences: each ends with a full stop.
pub(super) fn sentences(parts: &[String]) -> String {
    let parts = parts.iter().filter(|part| !part.is_empty());
    let ended = parts.map(|part| {
        let is_ended = part.ends_with(['.', ':']);
        if is_ended {
            part.clone()
        } else {
            format!("{part}.")
        }
    });
    ended.collect::<Vec<_>>().join(" ")
}

/// Makes a text fit into one cell.
fn escape(cell: &str) -> String {
    cell.replace('\n', " ").replace('|', "\\|")
}
