/** Way in which a file is previewed. */
export type FileKind = 'image' | 'markdown' | 'text' | 'none';

/** Bytes of a text that are loaded for its preview. */
export const previewBytes = 32 * 1024;
/** Bytes up to which an image is previewed. */
export const longestImage = 20 * 1024 * 1024;

/** Images that a browser draws without running anything in them; SVG is text. */
const images = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);
const texts = /^(text\/|application\/(json|xml|x-?yaml|yaml|toml|javascript|typescript|x-sh|sql|x-ndjson)|image\/svg)/;
const textNames =
  /\.(py|js|ts|tsx|jsx|mjs|sh|sql|ya?ml|toml|ini|cfg|log|env|rs|go|java|c|h|cpp|css|html?|svg|csv|tsv|txt|jsonl?)$/i;

/** Returns the kind of preview of a file. HTML and SVG are shown as their text. */
export function kindOf({ path, mimeType }: { readonly path: string; readonly mimeType: string }): FileKind {
  if (images.has(mimeType)) return 'image';
  if (mimeType === 'text/markdown' || /\.(md|markdown)$/i.test(path)) return 'markdown';
  return texts.test(mimeType) || textNames.test(path) ? 'text' : 'none';
}
