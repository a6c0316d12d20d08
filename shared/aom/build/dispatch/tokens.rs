//! Tokens of the Perl programs of libaom.

use crate::Result;

/// A token of a program. Lists of quoted words are sequences of strings.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A string or a number.
    Text(String),
    /// The name of a variable with its sigil, or of a function.
    Name(String),
    Symbol(String),
}

/// Operators of two characters.
const PAIRS: [&str; 6] = ["==", "!=", "<=", ">=", "&&", "||"];

/// Returns the tokens of a program without its comments.
pub(super) fn tokens(program: &str) -> Result<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = program.trim_start();
    while !rest.is_empty() {
        let length = read_tokens(rest, &mut tokens)?;
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// Appends the tokens at the start of a text, and returns their length in bytes.
fn read_tokens(text: &str, tokens: &mut Vec<Token>) -> Result<usize> {
    if text.starts_with('#') {
        return Ok(text.find('\n').unwrap_or(text.len()));
    }

    if let Some(words) = text.strip_prefix("qw/") {
        let length = words.find('/').ok_or("a list of words has no end")?;
        let words = words[..length].split_whitespace();
        tokens.extend(words.map(|word| Token::Text(word.to_owned())));
        return Ok("qw/".len() + length + "/".len());
    }

    for quote in ['"', '\''] {
        if let Some(string) = text.strip_prefix(quote) {
            let length = string.find(quote).ok_or("a string has no end")?;
            tokens.push(Token::Text(string[..length].to_owned()));
            return Ok(length + 2);
        }
    }

    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let sigil = usize::from(text.starts_with(['$', '@']));
    let length = text[sigil..]
        .find(|letter| !is_name(letter))
        .map_or(text.len(), |length| sigil + length);
    if length > 0 {
        let is_number = text.starts_with(|first: char| first.is_ascii_digit());
        let kind = if is_number { Token::Text } else { Token::Name };
        tokens.push(kind(text[..length].to_owned()));
        return Ok(length);
    }

    let is_pair = PAIRS.iter().any(|pair| text.starts_with(pair));
    let length = if is_pair { 2 } else { 1 };
    let symbol = text.get(..length).ok_or("a symbol is not ASCII")?;
    tokens.push(Token::Symbol(symbol.to_owned()));
    Ok(length)
}

/// Splits the tokens after an opening bracket into those up to its closing bracket, and the rest.
pub(super) fn group<'t>(
    tokens: &'t [Token],
    open: &str,
    close: &str,
) -> Result<(&'t [Token], &'t [Token])> {
    let [first, tokens @ ..] = tokens else {
        return Err("a bracket is missing".into());
    };
    if !first.is(open) {
        return Err(format!("{open} is missing before {tokens:?}").into());
    }

    let mut depth = 1;
    for (index, token) in tokens.iter().enumerate() {
        depth += i32::from(token.is(open)) - i32::from(token.is(close));
        if depth == 0 {
            return Ok((&tokens[..index], &tokens[index + 1..]));
        }
    }
    Err(format!("{close} is missing").into())
}

impl Token {
    /// Whether this is a symbol or a name, and not a string.
    pub(super) fn is(&self, text: &str) -> bool {
        match self {
            Token::Text(_) => false,
            Token::Name(own) | Token::Symbol(own) => own == text,
        }
    }
}
