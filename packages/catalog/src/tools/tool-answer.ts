import type { Block, ToolAnswer } from '@millrace/core';
import { z } from 'zod';

/** Maximum number of characters in an answer: more than any model can read. */
const longestAnswer = 1_000_000;
/** Maximum number of blocks in an answer; each attachment is stored by itself. */
const mostBlocks = 1000;

/** A reference to content at an address. Sizes and digests are left out: they are those of what was stored, which a tool cannot know. */
const Attachment = z.object({
  id: z.string(),
  name: z.string(),
  mimeType: z.string(),
  uri: z.string().optional(),
});

const Blocks = z
  .array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({
        type: z.enum(['image', 'audio', 'video', 'file']),
        attachment: Attachment,
        text: z.string().optional(),
      }),
      z.object({ type: z.literal('data'), data: z.record(z.string(), z.unknown()), text: z.string().optional() }),
    ]),
  )
  .min(1);

/**
 * Returns a tool's result as an answer for the model: texts as they are, lists of blocks as blocks, objects as JSON
 * over several lines, everything else as JSON. The original engine writes lists as Python writes JSON, and the rest as Python
 * prints it.
 */
export function answerOf(result: unknown, { compat }: { readonly compat: boolean }): ToolAnswer {
  const content = contentOf(result, compat);
  assertFits(content);
  return { content };
}

/** Throws an Error for the model when an answer is too large for it. */
export function assertFits(content: ToolAnswer['content']): void {
  if (typeof content === 'string') return assertLength(content.length);
  assertCount(content.length);
  assertLength(JSON.stringify(content, withoutContents).length);
}

/** Throws an Error for the model when an answer has too many blocks. */
export function assertCount(blocks: number): void {
  if (blocks <= mostBlocks) return;
  throw new Error(`the result has ${blocks} parts; at most ${mostBlocks} are allowed. Ask for some of them.`);
}

function assertLength(characters: number): void {
  if (characters <= longestAnswer) return;
  throw new Error(
    `the result has ${characters} characters; at most ${longestAnswer} are allowed. Ask for a part of it.`,
  );
}

/**
 * Returns a value as JSON over several lines. Throws an Error for the model when it is too long: deep lists become a
 * thousand times as long by their indentation, so that is computed first.
 */
export function indentedJson(value: unknown): string {
  const compact = JSON.stringify(value) ?? 'null';
  assertLength(compact.length);
  assertLength(indentedLength(compact));
  return JSON.stringify(value, null, 2) ?? 'null';
}

/** Returns the length of compact JSON with an indentation of two, at least: empty lists are counted as if they had entries. */
export function indentedLength(compact: string): number {
  // Brackets and commas in texts are no structure.
  const structure = compact.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  let [length, depth] = [compact.length, 0];
  for (const character of structure) {
    if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
    if (character === ':') length += 1;
    else if ('[]{},'.includes(character)) length += 1 + 2 * depth;
  }
  return length;
}

/**
 * Leaves contents of attachments out of the size: models do not read them as text, and they have a limit of their own.
 */
const withoutContents = (key: string, value: unknown): unknown =>
  key === 'uri' && typeof value === 'string' && value.startsWith('data:') ? undefined : value;

function contentOf(result: unknown, compat: boolean): string | readonly Block[] {
  if (typeof result === 'string') return result;
  if (Array.isArray(result)) {
    const blocks = Blocks.safeParse(result);
    // The schema covers all kinds of blocks; fields that it leaves out are optional in the type, too.
    if (blocks.success) return blocks.data as readonly Block[];
  }
  if (typeof result === 'object' && result !== null && !Array.isArray(result)) return indentedJson(result);
  return compat ? asOriginal(result) : (JSON.stringify(result) ?? 'null');
}

/** Returns a list as Python's `json.dumps` writes it without escapes, and any other plain value as `str()` does. */
function asOriginal(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return pythonJson(value);
}

function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}: ${pythonJson(field)}`);
  return `{${fields.join(', ')}}`;
}
