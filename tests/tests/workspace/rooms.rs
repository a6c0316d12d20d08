//! The rooms of the crates: their modules, in an order from the bottom up. A room names what it
//! uses of another one by the name of that room, and uses only rooms before it.

use std::{collections::BTreeSet, fs, path::Path};

use proc_macro2::{TokenStream, TokenTree};

/// The rooms of a crate, in order, and the number of names that its root exports at most.
const ROOMS: [(&str, &str, usize); 6] = [
    (
        "domain",
        "env id errors naming settings signing renditions keys requests spaces folders uploads files webhooks access",
        0,
    ),
    (
        "table",
        "errors connection key item_keys condition read query write filtered_page transaction change spaces folders \
         files keys purges renditions requests upload_configs webhooks",
        1,
    ),
    (
        "space-store",
        "objects spaces requests keys webhooks folders files delivery uploads jobs",
        0,
    ),
    ("runtime", "connections context aws http", 0),
    ("http-api", "fields response caller request describe", 0),
    (
        "media",
        "format error bytes pixels color container orient completeness exif webp_tables probe animation decode encode \
         estimate render blurhash dominant_color image_metadata inspect strip transform",
        0,
    ),
];

fn tokens(path: &Path) -> Vec<TokenTree> {
    let text = fs::read_to_string(path).expect("a file");
    let parsed: TokenStream = text.parse().expect("tokens");
    parsed.into_iter().collect()
}

/// Adds the names that follow `crate::` in code, each the first of a path, except in modules of
/// tests.
fn add_used(tokens: &[TokenTree], used: &mut BTreeSet<String>) {
    let mut is_test = false;

    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(name) if name == "crate" => match tokens.get(index + 3) {
                Some(TokenTree::Group(names)) => used.extend(first_names(names.stream())),
                next => used.extend(next.map(ToString::to_string)),
            },
            TokenTree::Group(attribute) if attribute.to_string() == "[cfg (test)]" => {
                is_test = true;
            }
            TokenTree::Group(group) => {
                let is_module = index >= 2 && tokens[index - 2].to_string() == "mod";
                if !(is_test && is_module) {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    add_used(&inner, used);
                }
                is_test &= !is_module;
            }
            _ => {}
        }
    }
}

/// Returns the first name of each path in a list.
fn first_names(list: TokenStream) -> Vec<String> {
    let mut is_first = true;
    let mut names = Vec::new();
    for token in list {
        if is_first {
            names.push(token.to_string());
        }
        is_first = token.to_string() == ",";
    }
    names
}

/// Visits the files of a directory, except those of tests, with the names of their rooms.
fn visit_files(directory: &Path, room: Option<&str>, visit: &mut impl FnMut(&str, &Path)) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let is_source =
            path.is_dir() || path.extension().is_some_and(|extension| extension == "rs");
        if !is_source {
            continue;
        }

        let name = path.file_stem().and_then(|name| name.to_str());
        let name = name.expect("a name");

        if path.is_dir() {
            visit_files(&path, room.or(Some(name)), visit);
        } else if !["lib", "main", "tests", "fixtures"].contains(&name) {
            visit(room.unwrap_or(name), &path);
        }
    }
}

#[test]
fn rooms_use_those_before_them_by_name() {
    for (name, rooms, _) in ROOMS {
        let rooms: Vec<&str> = rooms.split(' ').collect();
        let place = |room: &str| rooms.iter().position(|other| *other == room);
        let sources = Path::new("../shared").join(name).join("src");
        let mut found = BTreeSet::new();

        visit_files(&sources, None, &mut |room, file| {
            let own = place(room);
            let own = own.unwrap_or_else(|| panic!("{name}: {room} has no place in the order"));
            found.insert(own);
            let mut used = BTreeSet::new();
            add_used(&tokens(file), &mut used);
            for used in used {
                let is_before = place(&used).is_some_and(|place| place <= own);
                assert!(
                    is_before,
                    "{} uses {used}, which is no room before it",
                    file.display()
                );
            }
        });
        assert_eq!(found.len(), rooms.len(), "{name} has no other rooms");
    }
}

#[test]
fn roots_export_few_names() {
    for (name, _, most) in ROOMS {
        let root = Path::new("../shared").join(name).join("src/lib.rs");
        let text = fs::read_to_string(root).expect("a root");
        let exports = text.split("\npub use ").skip(1);
        let names = exports.flat_map(|rest| rest.split(';').next().unwrap_or_default().split(','));
        let count = names
            .filter(|name| name.contains(char::is_alphabetic))
            .count();
        assert!(count <= most, "{name} exports {count} names");
    }
}
