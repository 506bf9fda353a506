import type { ActivationId, RunId } from '@millrace/core';
import { textOf } from '@millrace/core';
import type { TenantRuntime } from '@millrace/runtime';

/** Maximum number of shown characters of an answer. */
const maxChars = 200;
const pageSize = 1000;

/** Answer to a question. */
interface GivenAnswer {
  /** Beginning of its text. */
  readonly text: string;
  /** Person who has answered, if known. */
  readonly by?: string;
}

/**
 * Returns the last answer of an activation; undefined if there is none. The record of an activation that has continued no
 * longer exists, so the journal is searched.
 */
export async function findAnswer(
  tenantRuntime: TenantRuntime,
  run: RunId,
  activation: ActivationId,
): Promise<GivenAnswer | undefined> {
  let found: GivenAnswer | undefined;
  for (let after = '0'; ; ) {
    const page = await tenantRuntime.run(run).journal(after, pageSize);
    for (const { event } of page) {
      if (event.type !== 'activation.answered' || event.activation !== activation) continue;
      const body = await tenantRuntime.run(run).message(event.answer.id);
      const text = body === undefined ? '' : textOf(body);
      found = { text: beginningOf(text), ...(event.by === undefined ? {} : { by: event.by }) };
    }
    const last = page.at(-1);
    if (last === undefined) return found;
    after = last.id;
  }
}

const beginningOf = (text: string): string => {
  const characters = [...text.slice(0, 2 * maxChars + 2)];
  return characters.length > maxChars ? `${characters.slice(0, maxChars).join('')}…` : text;
};
