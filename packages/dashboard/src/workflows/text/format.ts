import { parsePlain, writePlain } from './plain-document.ts';

/** A formatted text, or why it cannot be formatted. */
export type Formatted =
  | { readonly type: 'formatted'; readonly text: string }
  | { readonly type: 'refused'; readonly reason: string };

/** Indents a text evenly. Comments, quotes and the order of fields are preserved. */
export function formatYaml(text: string): Formatted {
  const document = parsePlain(text);
  const [error] = document.errors;
  if (error !== undefined) {
    const line = error.linePos?.[0].line;
    return { type: 'refused', reason: `This is no YAML${line === undefined ? '' : `: see line ${line}`}.` };
  }
  const formatted = writePlain(document);
  if (contentOf(formatted) !== contentOf(text))
    return { type: 'refused', reason: 'The text would not mean the same afterwards, so it stays as it is.' };
  return { type: 'formatted', text: formatted };
}

const contentOf = (text: string): string => JSON.stringify(parsePlain(text).toJS({ maxAliasCount: 1000 }));
