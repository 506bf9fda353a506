import type { Message } from '@millrace/core';
import { carriedData, NodeError, textOf } from '@millrace/core';
import { ProcessPool, TaskOverrun } from '../processes/process-pool.ts';
import type { Split } from './item-texts.ts';
import { isStandardPath, itemTexts } from './item-texts.ts';
import type { PackedTexts } from './packed-texts.ts';
import { unpackTexts } from './packed-texts.ts';

/** A text to split, for another process. */
export interface SplitTask {
  readonly split: Split;
  readonly text: string;
  /** Maximum number of items that are returned. */
  readonly most: number;
}

const processorMs = 3000;
const heapMb = 512;
/** Maximum length of a text that is split in this process: the repair of JSON takes quadratic time. */
const maxCharactersHere = 8 * 1024;

/** Processes that split; they start with the first long text or JSONPath. */
const processes = new ProcessPool<SplitTask, PackedTexts | undefined>({
  module: new URL('./split-child.js', import.meta.url),
  size: 2,
  processorMs,
  heapMb,
});

/** Units of a split, which are made when they are taken. */
export interface SplitUnits extends Iterable<Message> {
  readonly size: number;
}

/**
 * Returns a unit for each item of the texts of messages. `otherwise` makes the units of a message that is not the JSON that is
 * split. There are hardly more than `maxItems`, so that a caller that accepts no more can refuse them without much memory. Throws
 * SPLIT_LIMIT if it takes too much time or memory.
 */
export async function splitMessages(
  split: Split,
  messages: readonly Message[],
  maxItems: number,
  otherwise: (message: Message) => Message,
): Promise<SplitUnits> {
  const parts: Iterable<Message>[] = [];
  let size = 0;
  for (const message of messages) {
    const items = await itemsOf({ split, text: splitText(split, message), most: maxItems + 1 - size });
    parts.push(items === undefined ? [otherwise(message)] : unitsOf(message, items.texts, split));
    size += items?.size ?? 1;
    if (size > maxItems) break;
  }
  return { size, [Symbol.iterator]: () => joined(parts) };
}

function* joined(parts: readonly Iterable<Message>[]): Generator<Message> {
  for (const part of parts) yield* part;
}

function* unitsOf(message: Message, texts: Iterable<string>, { by }: Split): Generator<Message> {
  for (const text of texts) yield createUnit(message, text, { split_source: by });
}

/** Returns the text that is split: a path leads into the data that a message carries, whose text is for people. */
function splitText(split: Split, message: Message): string {
  const data = split.by === 'json_path' && !split.compat ? carriedData(message) : undefined;
  return data === undefined ? textOf(message) : JSON.stringify(data);
}

interface ItemTexts {
  readonly size: number;
  readonly texts: Iterable<string>;
}

async function itemsOf(task: SplitTask): Promise<ItemTexts | undefined> {
  const { split, text, most } = task;
  const isShort = text.length <= maxCharactersHere && !(split.by === 'json_path' && isStandardPath(split));
  if (isShort) {
    const texts = itemTexts(split, text, most);
    return texts && { size: texts.length, texts };
  }
  try {
    const packed = await processes.run(task);
    return packed && { size: packed.ends.length, texts: unpackTexts(packed) };
  } catch (error) {
    if (!(error instanceof TaskOverrun)) throw error;
    const limit =
      error.message === 'time' ? `${processorMs / 1000} seconds of processor time` : `${heapMb} MiB of memory`;
    const what = split.by === 'json_path' ? `by the path "${split.path}"` : `by ${split.by}`;
    throw new NodeError(
      'SPLIT_LIMIT',
      `Splitting a text of ${text.length} characters ${what} takes more than ${limit}.`,
    );
  }
}

/** Returns a unit with a part of a message: it has the message's role and source, and metadata about the split. */
export const createUnit = (message: Message, content: string, facts: Readonly<Record<string, unknown>>): Message => ({
  role: message.role,
  content,
  source: message.source,
  keep: false,
  metadata: { ...message.metadata, ...facts },
});
