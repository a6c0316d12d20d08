//! Evaluation of the Perl programs of libaom.

use std::collections::HashMap;

use crate::{Options, Result};

use super::{
    Function,
    tokens::{Token, group, tokens},
};

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

/// Evaluates a program for an architecture. Returns the C code that it prints, and the functions
/// that it defines.
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

    let program = rest
        .replace("$opts{arch}", &format!("\"{architecture}\""))
        // The name of the configuration file, which is never that of an old compiler.
        .replace("$opts{config} !~ /libs-x86-win32-vs.*/", "1");

    let mut evaluation = Evaluation {
        options,
        scalars: HashMap::new(),
        lists: HashMap::new(),
        item: Vec::new(),
        functions: Vec::new(),
    };
    evaluation.block(&tokens(&program)?)?;
    Ok((preamble.to_owned(), evaluation.functions))
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
            [Token::Text(_)] => Ok(()),
            [Token::Name(name), rest @ ..] => match &name[..] {
                "forward_decls" => Ok(()),
                "add_proto" => self.define(self.values(rest)?),
                "specialize" => self.specialize(self.values(rest)?),
                "push" => self.push(rest),
                _ => self.assign(tokens),
            },
            _ => self.assign(tokens),
        }
    }

    /// Appends an item to a list, if a condition that may follow is met.
    fn push(&mut self, tokens: &[Token]) -> Result<()> {
        let [Token::Name(list), _, rest @ ..] = tokens else {
            return Err(format!("unknown item {tokens:?}").into());
        };
        let (item, condition) = group(rest, "[", "]")?;

        if condition.is_empty() || self.condition(&mut &condition[1..])? {
            let item = self.values(item)?;
            self.lists.entry(list.clone()).or_default().push(item);
        }
        Ok(())
    }

    /// Assigns to a list, to the two variables of an item, or to variables of the same value.
    fn assign(&mut self, tokens: &[Token]) -> Result<()> {
        if let [Token::Name(list), _, rest @ ..] = tokens
            && list.starts_with('@')
        {
            let items = self.items(rest)?;
            self.lists.insert(list.clone(), items);
            return Ok(());
        }

        if let [
            Token::Symbol(_),
            Token::Name(first),
            _,
            Token::Name(second),
            ..,
        ] = tokens
        {
            let names = [first.clone(), second.clone()];
            self.scalars
                .extend(names.into_iter().zip(self.item.clone()));
            return Ok(());
        }

        let [names @ .., Token::Text(value)] = tokens else {
            return Err(format!("unknown statement {tokens:?}").into());
        };
        for name in names.iter().filter(|token| !token.is("=")) {
            let Token::Name(name) = name else {
                return Err(format!("unknown statement {tokens:?}").into());
            };
            self.scalars.insert(name.clone(), value.clone());
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
