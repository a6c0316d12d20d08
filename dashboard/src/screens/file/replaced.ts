// Files whose bytes were replaced on this page.
//
// - A URL stays the same, and a browser shows what it has of it for five minutes. A parameter that the service ignores
//   makes it another URL to the browser. A signed URL is another one each time, and would not allow it.

/** Numbers of replacements by id of the file. */
const replaced = new Map<string, number>();

/** Notes that the bytes of a file were replaced. */
export function noteReplaced(id: string): void {
  replaced.set(id, Date.now());
}

/** Returns the URL of an image of a file, so that the browser shows the current one. */
export function currentUrl(id: string, url: string): string {
  const at = replaced.get(id);
  return at && !url.includes("signature=") ? `${url}${url.includes("?") ? "&" : "?"}replaced=${at}` : url;
}
