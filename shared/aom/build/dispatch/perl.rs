//! Evaluation of the Perl programs of libaom.

use std::collections::HashMap;

use crate::{Options, Result};

use super::Function;

/// A token of a program. Lists of quoted words are sequences of strings.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A string or a number.
    Text(String),
    /// The name of a variable with its sigil, or of a function.
    Name(String),
    Symbol(String),
}

/// The state of a program.
struct Evaluation<'a> {
    options: &'a Options<'a>,
    scalars: HashMap<String, String>,
    /// Lists, whose items are tuples.
    lists: HashMap<String, Vec<Vec<String>>>,
    /// The item of the innermost loop over a list of tuples.
    item: Vec<String>,
    functions: Vec<Function>,
}

/// Evaluates a program for an architecture. Returns the C code that it prints, and the functions that it defines.
pub(super) fn evaluate(
    program: &str,
    options: &Options<'_>,
    architecture: &str,
) -> Result<(String, Vec<Function>)> {
    let (_, printed) = program
        .split_once("print <<EOF\n")
        .ok_or("nothing is printed")?;
    let (preamble, rest) = printed
        .split_once("\nEOF\n}")
        .ok_or("the printed text has no end")?;
    // The name of the configuration file, which is never that of an old compiler.
    let rest = rest.replace("$opts{config} !~ /libs-x86-win32-vs.*/", "1");
    let mut evaluation = Evaluation {
        options,
        scalars: HashMap::from([("$opts{arch}".to_owned(), architecture.to_owned())]),
        lists: HashMap::new(),
        item: Vec::new(),
        functions: Vec::new(),
    };
    evaluation.block(&tokens(&rest)?)?;
    Ok((preamble.to_owned(), evaluation.functions))
}

fn tokens(program: &str) -> Result<Vec<Token>> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut tokens = Vec::new();
    let mut rest = program.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first == '#' {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(words) = rest.strip_prefix("qw/") {
            let length = words.find('/').ok_or("a list of words has no end")?;
            let words = words[..length].split_whitespace();
            tokens.extend(words.map(|word| Token::Text(word.to_owned())));
            length + 4
        } else if first == '"' || first == '\'' {
            let length = rest[1..].find(first).ok_or("a string has no end")?;
            tokens.push(Token::Text(rest[1..=length].to_owned()));
            length + 2
        } else if "$@".contains(first) || is_name(first) {
            let name = rest[1..]
                .find(|letter| !is_name(letter))
                .map_or(rest.len(), |length| length + 1);
            let length = if rest[name..].starts_with("{arch}") {
                name + 6
            } else {
                name
            };
            let text = rest[..length].to_owned();
            tokens.push(if first.is_ascii_digit() {
                Token::Text(text)
            } else {
                Token::Name(text)
            });
            length
        } else {
            let is_pair = ["==", "!=", "<=", ">=", "&&", "||"]
                .iter()
                .any(|pair| rest.starts_with(pair));
            let length = if is_pair { 2 } else { first.len_utf8() };
            tokens.push(Token::Symbol(rest[..length].to_owned()));
            length
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// Splits the tokens after an opening bracket into those up to its closing bracket, and the rest.
fn group<'t>(tokens: &'t [Token], open: &str, close: &str) -> Result<(&'t [Token], &'t [Token])> {
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
    fn is(&self, text: &str) -> bool {
        match self {
            Token::Text(_) => false,
            Token::Name(own) | Token::Symbol(own) => own == text,
        }
    }
}

impl Evaluation<'_> {
    fn block(&mut self, mut tokens: &[Token]) -> Result<()> {
        while let [first, rest @ ..] = tokens {
            tokens = if first.is("foreach") {
                self.each(rest)?
            } else if first.is("if") {
                self.branch(rest)?
            } else {
                let end = tokens.iter().position(|token| token.is(";"));
                let (statement, rest) = tokens.split_at(end.ok_or("a statement has no end")?);
                self.statement(statement)?;
                &rest[1..]
            };
        }
        Ok(())
    }

    /// Evaluates a loop after `foreach`, and returns the tokens after it.
    fn each<'t>(&mut self, tokens: &'t [Token]) -> Result<&'t [Token]> {
        let (variable, tokens) = match tokens {
            [Token::Name(name), rest @ ..] => (Some(name), rest),
            _ => (None, tokens),
        };
        let (list, rest) = group(tokens, "(", ")")?;
        let (body, rest) = group(rest, "{", "}")?;
        for item in self.items(list)? {
            if let Some(name) = variable {
                self.scalars.insert(name.clone(), item.concat());
            }
            self.item = item;
            self.block(body)?;
        }
        Ok(rest)
    }

    /// Evaluates the branches after `if`, and returns the tokens after them.
    fn branch<'t>(&mut self, tokens: &'t [Token]) -> Result<&'t [Token]> {
        let (condition, rest) = group(tokens, "(", ")")?;
        let (body, mut rest) = group(rest, "{", "}")?;
        let is_met = self.condition(&mut &*condition)?;
        if is_met {
            self.block(body)?;
        }

        if let [first, otherwise @ ..] = rest
            && first.is("else")
        {
            let (body, end) = group(otherwise, "{", "}")?;
            rest = end;
            if !is_met {
                self.block(body)?;
            }
        }
        Ok(rest)
    }

    fn statement(&mut self, tokens: &[Token]) -> Result<()> {
        match tokens {
            [Token::Text(_)] => {}
            [Token::Name(name), ..] if name == "forward_decls" => {}
            [Token::Name(name), rest @ ..] if name == "add_proto" => {
                self.define(self.values(rest)?)?;
            }
            [Token::Name(name), rest @ ..] if name == "specialize" => {
                self.specialize(self.values(rest)?)?;
            }
            [Token::Name(name), Token::Name(list), _, rest @ ..] if name == "push" => {
                let (item, condition) = group(rest, "[", "]")?;
                if condition.is_empty() || self.condition(&mut &condition[1..])? {
                    let item = self.values(item)?;
                    self.lists.entry(list.clone()).or_default().push(item);
                }
            }
            [Token::Name(list), _, rest @ ..] if list.starts_with('@') => {
                let items = self.items(rest)?;
                self.lists.insert(list.clone(), items);
            }
            [
                Token::Symbol(_),
                Token::Name(first),
                _,
                Token::Name(second),
                ..,
            ] => {
                for (name, value) in [first, second].into_iter().zip(&self.item) {
                    self.scalars.insert(name.clone(), value.clone());
                }
            }
            [names @ .., Token::Text(value)] => {
                for name in names.iter().filter(|token| !token.is("=")) {
                    let Token::Name(name) = name else {
                        return Err(format!("unknown statement {tokens:?}").into());
                    };
                    self.scalars.insert(name.clone(), value.clone());
                }
            }
            _ => return Err(format!("unknown statement {tokens:?}").into()),
        }
        Ok(())
    }

    /// Defines a function by its return type, its name and its parameters.
    fn define(&mut self, mut words: Vec<String>) -> Result<()> {
        let parameters = words.pop().ok_or("a function has no parameters")?;
        let name = words.pop().ok_or("a function has no name")?;
        self.functions.retain(|function| function.name != name);
        self.functions.push(Function {
            return_type: words.join(" "),
            name,
            parameters,
            variants: Vec::new(),
        });
        Ok(())
    }

    fn specialize(&mut self, words: Vec<String>) -> Result<()> {
        let mut words = words.into_iter();
        let name = words.next().ok_or("no function is specialized")?;
        let function = self
            .functions
            .iter_mut()
            .rfind(|function| function.name == name);
        // Some definitions have a condition that their variants lack.
        if let Some(function) = function {
            function.variants.extend(words);
        }
        Ok(())
    }

    /// Returns the items of a list, by its name or in parentheses.
    fn items(&self, tokens: &[Token]) -> Result<Vec<Vec<String>>> {
        match tokens {
            [Token::Name(list)] if list.starts_with('@') => {
                Ok(self.lists.get(list).ok_or("unknown list")?.clone())
            }
            _ => Ok(self
                .values(tokens)?
                .into_iter()
                .map(|value| vec![value])
                .collect()),
        }
    }

    /// Returns the values of strings and variables.
    fn values(&self, tokens: &[Token]) -> Result<Vec<String>> {
        let is_value = |token: &&Token| !matches!(token, Token::Symbol(_));
        tokens
            .iter()
            .filter(is_value)
            .map(|token| self.value(token))
            .collect()
    }

    fn value(&self, token: &Token) -> Result<String> {
        match token {
            Token::Text(text) => self.interpolated(text),
            Token::Name(name) => Ok(self
                .scalars
                .get(name)
                .ok_or_else(|| format!("unknown variable {name}"))?
                .clone()),
            Token::Symbol(symbol) => Err(format!("{symbol} is no value").into()),
        }
    }

    /// Returns a string with the values of its variables.
    fn interpolated(&self, text: &str) -> Result<String> {
        let mut parts = text.split('$');
        let mut result = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, rest) = match part.strip_prefix('{') {
                Some(braced) => braced.split_once('}').ok_or("a variable has no end")?,
                None => (part, ""),
            };
            result += &self.value(&Token::Name(format!("${name}")))?;
            result += rest;
        }
        Ok(result)
    }

    fn condition(&self, tokens: &mut &[Token]) -> Result<bool> {
        let mut is_met = self.comparison(tokens)?;
        while let [operator, rest @ ..] = *tokens {
            *tokens = rest;
            // Only parentheses mix these operators.
            let other = self.comparison(tokens)?;
            is_met = if operator.is("&&") {
                is_met && other
            } else {
                is_met || other
            };
        }
        Ok(is_met)
    }

    fn comparison(&self, tokens: &mut &[Token]) -> Result<bool> {
        if let [first, rest @ ..] = *tokens
            && first.is("!")
        {
            *tokens = rest;
            return Ok(!self.comparison(tokens)?);
        }
        if tokens.first().is_some_and(|token| token.is("(")) {
            let (mut inner, rest) = group(tokens, "(", ")")?;
            *tokens = rest;
            return self.condition(&mut inner);
        }

        let left = self.operand(tokens)?;
        let [operator, rest @ ..] = *tokens else {
            return Ok(left == "1");
        };
        *tokens = rest;
        let right = self.operand(tokens)?;
        let numbers =
            || Ok::<_, std::num::ParseIntError>((left.parse::<u32>()?, right.parse::<u32>()?));
        Ok(match operator {
            Token::Name(name) if name == "eq" => left == right,
            Token::Name(name) if name == "ne" => left != right,
            Token::Symbol(symbol) => {
                let (left, right) = numbers()?;
                match &symbol[..] {
                    "==" => left == right,
                    "!=" => left != right,
                    "<=" => left <= right,
                    ">=" => left >= right,
                    _ => return Err(format!("unknown operator {symbol}").into()),
                }
            }
            other => return Err(format!("unknown operator {other:?}").into()),
        })
    }

    /// Returns a value, a product or an option of libaom.
    fn operand(&self, tokens: &mut &[Token]) -> Result<String> {
        if let [function, _, Token::Text(option), _, rest @ ..] = *tokens
            && function.is("aom_config")
        {
            *tokens = rest;
            let is_set = self.options.get(&**option) == Some(&"1");
            return Ok(if is_set { "yes" } else { "" }.to_owned());
        }
        let [first, rest @ ..] = *tokens else {
            return Err("an operand is missing".into());
        };
        *tokens = rest;
        let value = self.value(first)?;
        if let [operator, second, rest @ ..] = *tokens
            && operator.is("*")
        {
            *tokens = rest;
            let product = value.parse::<u32>()? * self.value(second)?.parse::<u32>()?;
            return Ok(product.to_string());
        }
        Ok(value)
    }
}
