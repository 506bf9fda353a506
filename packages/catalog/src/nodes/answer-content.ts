import type { DataBlock, Wait } from '@millrace/core';
import { RequestError } from '@millrace/core';
import { validateObject } from '../schema/schema-validator.ts';
import { schemaOf } from './data-output.ts';

/** An answer as it was given: a text, or data. */
export interface GivenAnswer {
  readonly text?: string | undefined;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Returns the text or the data of an answer to the question of a node. Throws RequestError, `ANSWER_INVALID`, for an answer that
 * is not what the question asks for; the question stays open.
 */
export async function answerContent(
  { node, wait: { schema } }: { readonly node: string; readonly wait: Pick<Wait, 'schema'> },
  { text, data }: GivenAnswer,
): Promise<string | DataBlock> {
  const refused = (reason: string) => new RequestError('ANSWER_INVALID', `The question of "${node}" takes ${reason}`);
  if (schema === undefined) {
    if (data === undefined) return text ?? '';
    throw refused('a text as its answer, not data. Send it as `text`.');
  }
  if (data === undefined) throw refused('data that match its schema, not a text. Send them as `data`.');
  const checked = await validateObject(schemaOf({ schema }), data);
  if (checked.type === 'invalid') throw refused(`data that match its schema: ${checked.problems.join('; ')}.`);
  return { type: 'data', data: checked.data, text: JSON.stringify(checked.data) };
}
