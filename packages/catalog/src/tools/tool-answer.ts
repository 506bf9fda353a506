import type { Block, ToolAnswer } from '@millrace/core';
import { z } from 'zod';

/** More than any model could read; a tool that gives more is told to give less. */
const longestAnswer = 1_000_000;

const Attachment = z.object({
  id: z.string(),
  name: z.string(),
  mimeType: z.string(),
  size: z.number().optional(),
  digest: z.string().optional(),
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
 * What a tool's result is to the model: texts as they are, lists of blocks as blocks, objects as JSON over several
 * lines, everything else as JSON; the original engine spelled that last part as Python does.
 */
export function answerOf(result: unknown, { compat }: { readonly compat: boolean }): ToolAnswer {
  const content = contentOf(result, compat);
  const size = typeof content === 'string' ? content.length : JSON.stringify(content, withoutContents).length;
  if (size > longestAnswer) {
    throw new Error(`the result has ${size} characters; at most ${longestAnswer} are allowed. Ask for a part of it.`);
  }
  return { content };
}

/** Contents of attachments are not read by the model as text; they have a limit of their own. */
const withoutContents = (key: string, value: unknown): unknown =>
  key === 'uri' && typeof value === 'string' && value.startsWith('data:') ? undefined : value;

function contentOf(result: unknown, compat: boolean): string | readonly Block[] {
  if (typeof result === 'string') return result;
  if (Array.isArray(result)) {
    const blocks = Blocks.safeParse(result);
    // The schema knows all kinds of blocks; what it leaves out where a field is absent is absent in the type too.
    if (blocks.success) return blocks.data as readonly Block[];
  }
  if (typeof result === 'object' && result !== null && !Array.isArray(result)) return JSON.stringify(result, null, 2);
  return compat ? pythonStrOfJson(result) : (JSON.stringify(result) ?? 'null');
}

/** A plain JSON value as Python's `str()` spells it. */
export const pythonStrOfJson = (value: unknown): string => (typeof value === 'string' ? value : spelled(value));

function spelled(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(spelled).join(', ')}]`;
  if (typeof value === 'object') {
    const fields = Object.entries(value).map(([key, field]) => `${quoted(key)}: ${spelled(field)}`);
    return `{${fields.join(', ')}}`;
  }
  return String(value);
}

/** In single quotes, unless only double ones save an escape. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll(quote, `\\${quote}`);
  return `${quote}${escaped}${quote}`;
}
