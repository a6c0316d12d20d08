//! The attribute of tests that need a local stack.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as TokenStream2;
use quote::{ToTokens, format_ident, quote};
use syn::{
    Error, Expr, FnArg, ItemFn, Meta, Token, parse::Parser, parse_macro_input,
    punctuated::Punctuated,
};

/// Starts a stack for a test, and stops it after the test.
///
/// The test is an async function of `stack: &Stack`, of spaces, which are created in this order,
/// such as `acme: &TestSpace`, or of both. It fails if it leaves messages in the queues, or planned
/// faults that did not fire. Arguments:
/// - `options = EXPR`: starts the stack with these `StackOptions`.
/// - `undrained`: permits messages that are left in the queues.
/// - `multi_thread`: runs the test on a runtime with several threads.
#[proc_macro_attribute]
pub fn stack_test(arguments: TokenStream, function: TokenStream) -> TokenStream {
    let function = parse_macro_input!(function as ItemFn);

    Arguments::parse(arguments)
        .map_or_else(Error::into_compile_error, |arguments| {
            expand(&arguments, function)
        })
        .into()
}

/// The arguments of the attribute.
#[derive(Default)]
struct Arguments {
    options: Option<Expr>,
    is_undrained: bool,
    is_multi_thread: bool,
}

impl Arguments {
    fn parse(tokens: TokenStream) -> Result<Arguments, Error> {
        let metas = Punctuated::<Meta, Token![,]>::parse_terminated.parse(tokens)?;

        let mut arguments = Arguments::default();
        for meta in metas {
            match meta {
                Meta::NameValue(pair) if pair.path.is_ident("options") => {
                    arguments.options = Some(pair.value);
                }
                Meta::Path(path) if path.is_ident("undrained") => arguments.is_undrained = true,
                Meta::Path(path) if path.is_ident("multi_thread") => {
                    arguments.is_multi_thread = true;
                }
                other => {
                    let message = "expected `options = EXPR`, `undrained` or `multi_thread`";
                    return Err(Error::new_spanned(other, message));
                }
            }
        }
        Ok(arguments)
    }
}

/// Returns a test of the function's name, with the function inside it.
fn expand(arguments: &Arguments, mut function: ItemFn) -> TokenStream2 {
    let attributes = std::mem::take(&mut function.attrs);
    let name = function.sig.ident.clone();
    let is_multi_thread = arguments.is_multi_thread;
    let start = if let Some(options) = &arguments.options {
        quote!(start_with(#options))
    } else {
        quote!(start())
    };
    let stop = if arguments.is_undrained {
        quote!(stop_undrained)
    } else {
        quote!(stop)
    };

    let parameters: Vec<String> = function.sig.inputs.iter().map(parameter_name).collect();
    let spaces = parameters.iter().filter(|name| *name != "stack");
    let spaces = spaces.map(|name| {
        let space = format_ident!("{name}");
        let title = title(name);
        quote!(let #space = stack.space(#title).await;)
    });
    let passed = parameters.iter().map(|name| format_ident!("{name}"));

    quote! {
        #[::core::prelude::v1::test]
        #(#attributes)*
        fn #name() {
            #function

            let directory = ::core::env!("CARGO_TARGET_TMPDIR");
            let name = ::core::concat!(::core::module_path!(), "::", ::core::stringify!(#name));
            let test = async {
                let stack = ::tests::Stack::#start.await;
                #(#spaces)*
                ::std::boxed::Box::pin(#name(#(&#passed),*)).await;
                stack.#stop().await;
            };
            ::tests::run_test(directory, name, #is_multi_thread, ::std::boxed::Box::pin(test));
        }
    }
}

/// Returns the name of a parameter. The compiler reports parameters of other types.
fn parameter_name(parameter: &FnArg) -> String {
    match parameter {
        FnArg::Typed(typed) => typed.pat.to_token_stream().to_string(),
        FnArg::Receiver(receiver) => receiver.to_token_stream().to_string(),
    }
}

/// Returns a name with a capital letter.
fn title(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
