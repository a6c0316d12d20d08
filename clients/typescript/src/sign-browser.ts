// What `larder/sign` is in the bundle of a page: it has none of the functions, so that the bundler names the mistake.

throw new Error("larder/sign runs on servers only.");

export {};
