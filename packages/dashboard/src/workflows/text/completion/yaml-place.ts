import { isMap, isPair, isScalar, isSeq, parseDocument, visit } from 'yaml';
import type { DocumentPath } from './schema-walk.ts';

/** Word that is being written, and its place in the document. */
export interface WrittenWord {
  readonly kind: 'key' | 'value';
  /** Place of the mapping that gets a key, or of the value. */
  readonly path: DocumentPath;
  /** Position in the text at which the word begins. */
  readonly from: number;
  /** The document without the word, as far as it can be read. */
  readonly value: unknown;
}

const mark = 'MILLRACE_CURSOR';

/** Reads what it can of a text that is being written, without warnings. */
const lenient = { strict: false, uniqueKeys: false, logLevel: 'error' } as const;

/** Returns the word before a position of a text; undefined where no word is expected, as in a comment or a long text. */
export function wordBefore(text: string, position: number): WrittenWord | undefined {
  const begin = text.lastIndexOf('\n', position - 1) + 1;
  const before = text.slice(begin, position);
  const word = /[\w$.-]*$/.exec(before)?.[0] ?? '';
  const kind = kindOf(before.slice(0, before.length - word.length));
  if (kind === undefined) return undefined;
  const rest = text.slice(position).replace(/^[\w$.-]*/, '');
  const isNamed = /^\s*:/.test(rest.split('\n', 1)[0] ?? '');
  const marked = `${text.slice(0, position - word.length)}${mark}${kind === 'key' && !isNamed ? ': ' : ''}${rest}`;
  const found = markedPlace(marked);
  return found === undefined || found.kind !== kind ? undefined : { ...found, from: position - word.length };
}

/** Tests if a word after this beginning of a line is a key or a value. */
function kindOf(before: string): WrittenWord['kind'] | undefined {
  if (/(?:^|\s)#/.test(before)) return undefined;
  if (/:\s+["']?$/.test(before)) return 'value';
  if (/^\s*(?:- +)*$/.test(before)) return 'key';
  if (!/[{[,]\s*$/.test(before)) return undefined;
  return before.lastIndexOf('[') > before.lastIndexOf('{') ? 'value' : 'key';
}

function markedPlace(text: string): Omit<WrittenWord, 'from'> | undefined {
  const document = parseDocument(text, lenient);
  let found: Omit<WrittenWord, 'from' | 'value'> | undefined;
  visit(document, {
    Scalar(key, node, ancestors) {
      if (typeof node.value !== 'string' || !node.value.includes(mark) || node.value.trim() !== mark) return;
      const path = pathOf([...ancestors, node]);
      found = key === 'key' ? { kind: 'key', path: path.slice(0, -1) } : { kind: 'value', path };
      return visit.BREAK;
    },
  });
  return found && { ...found, value: contentOf(document) };
}

/** Returns the place of a key or a value that contains a position of a text; undefined where there is none. */
export function placeAt(text: string, position: number): { path: DocumentPath; value: unknown } | undefined {
  const document = parseDocument(text, lenient);
  let path: DocumentPath | undefined;
  visit(document, {
    Scalar(key, node, ancestors) {
      const [from = 0, to = 0] = node.range ?? [];
      if (position < from || position > to) return;
      path = pathOf([...ancestors, node]);
      return key === 'key' || key === 'value' || typeof key === 'number' ? visit.BREAK : undefined;
    },
  });
  return path && { path, value: contentOf(document) };
}

/** Returns the steps that lead from the root to the last of these nodes. */
function pathOf(nodes: readonly unknown[]): DocumentPath {
  const path: (string | number)[] = [];
  nodes.forEach((node, at) => {
    const next = nodes[at + 1];
    if (isSeq(node)) path.push(node.items.indexOf(next));
    else if (isMap(node) && isPair(next)) path.push(isScalar(next.key) ? String(next.key.value) : '');
  });
  return path;
}

function contentOf(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    return undefined;
  }
}
