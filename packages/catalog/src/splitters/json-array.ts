import { defineSplitter, NodeError, textOf } from '@millrace/core';
import { jsonrepair } from 'jsonrepair';
import { z } from 'zod';
import { createUnit } from './unit.ts';

/** Splitter whose units are the items of the JSON array in a message; models rarely answer with only the array. */
export const jsonArray = defineSplitter({
  type: 'json_array',
  summary: 'One unit for each item of the JSON array in the text.',
  config: z.object({}),
  compile: () => (messages) =>
    messages.flatMap((message) =>
      arrayIn(textOf(message)).map((item) =>
        createUnit(message, typeof item === 'string' ? item : JSON.stringify(item), { split_source: 'json_array' }),
      ),
    ),
});

function arrayIn(text: string): readonly unknown[] {
  const places = placesIn(text);
  for (const read of [JSON.parse, repaired]) {
    for (const place of places) {
      const value = attempt(read, place);
      if (Array.isArray(value)) return value;
    }
  }
  const start = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  throw new NodeError('SPLIT_NOT_AN_ARRAY', `There is no JSON array to split in the text: ${start}`);
}

/**
 * Returns the parts of a text that may be the array: the whole text, a fenced block, or the text from the first bracket
 * to the last, if no object encloses it.
 */
function placesIn(text: string): readonly string[] {
  const fenced = [...text.matchAll(/```[^\n]*\n(.*?)```/gs)].map((match) => match[1] ?? '');
  const opening = /^[^[{]*\[/.exec(text)?.[0].length ?? 0;
  const closing = text.lastIndexOf(']');
  const bracketed = opening === 0 ? [] : [text.slice(opening - 1, closing >= opening ? closing + 1 : undefined)];
  return [text, ...fenced, ...bracketed];
}

/** Repairs a text that starts as an array; the repair would make something of any text. */
const repaired = (text: string): unknown =>
  text.trimStart().startsWith('[') ? JSON.parse(jsonrepair(text)) : undefined;

function attempt(read: (text: string) => unknown, text: string): unknown {
  try {
    return read(text);
  } catch {
    // Not JSON: the next part, or the next way of reading, may be.
    return undefined;
  }
}
