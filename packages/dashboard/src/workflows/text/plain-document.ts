import type { Document, ParsedNode, Scalar, ScalarTag } from 'yaml';
import { parseDocument, Schema } from 'yaml';

/*
 * YAML that is parsed to be written again: all scalars are texts, so that `010`, `yes` and `1e3` stay unchanged. Only null
 * is distinguished from texts.
 */

/** Parses YAML so that every scalar is written again as it was read. */
export const parsePlain = (text: string): Document.Parsed<ParsedNode> =>
  parseDocument(text, {
    schema: 'failsafe',
    customTags: () => ['map', 'seq', 'null', plainText],
    strict: false,
    uniqueKeys: false,
    keepSourceTokens: true,
  });

/** Writes a document without folding long lines. */
export const writePlain = (document: Document.Parsed<ParsedNode>): string =>
  document.toString({ lineWidth: 0, flowCollectionPadding: true });

/** The tag of texts, which writes them. */
const texts = new Schema({ schema: 'failsafe' }).tags.find(({ tag }) => tag === 'tag:yaml.org,2002:str') as ScalarTag; // it has one

const plainText: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) => typeof value === 'string',
  resolve: (text) => text,
  stringify: (item, context, ...rest) =>
    foldedAsWritten(item, context.indent) ?? texts.stringify?.(item, context, ...rest) ?? '',
};

/** Returns a folded text with its own line breaks; undefined for other texts. */
function foldedAsWritten({ type, srcToken }: Scalar, indent: string): string | undefined {
  if (type !== 'BLOCK_FOLDED' || srcToken?.type !== 'block-scalar') return undefined;
  const header = srcToken.props.find((prop) => prop.type === 'block-scalar-header');
  if (header === undefined || !('source' in header) || !/^>[-+]?$/.test(header.source)) return undefined;
  const lines = srcToken.source.replace(/\n$/, '').split('\n');
  const depth = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  return [header.source, ...lines.map((line) => (line.trim() === '' ? '' : `${indent}${line.slice(depth)}`))].join(
    '\n',
  );
}
