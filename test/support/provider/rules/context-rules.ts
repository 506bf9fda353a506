import type { Turn } from '../turn.ts';
import type { Refusal } from './refusal.ts';
import { invalid } from './refusal.ts';

/** Tokens of a prompt, and those that a model takes. */
interface PromptSize {
  readonly prompt: number;
  readonly context: number;
}

/** Returns the refusal of a vendor for a prompt that is longer than the context of its model, in the vendor's words. */
export function contextRefusal(turn: Turn, { prompt, context }: PromptSize): Refusal | undefined {
  const { api, limit = 0 } = turn;
  // Chat completions reserve the answer within the context; the other APIs end it early.
  if (prompt + (api === 'chat' ? limit : 0) <= context) return undefined;
  switch (api) {
    case 'chat':
      return invalid(
        limit === 0
          ? `This model's maximum context length is ${context} tokens. However, your messages resulted in ${prompt} tokens. Please reduce the length of the messages.`
          : `This model's maximum context length is ${context} tokens. However, you requested ${prompt + limit} tokens (${prompt} in the messages, ${limit} in the completion). Please reduce the length of the messages or completion.`,
        { param: 'messages', code: 'context_length_exceeded' },
      );
    case 'responses':
      return invalid('Your input exceeds the context window of this model. Please adjust your input and try again.', {
        param: 'input',
        code: 'context_length_exceeded',
      });
    case 'messages':
      return invalid(`prompt is too long: ${prompt} tokens > ${context} maximum`);
    case 'content':
      return invalid(`The input token count (${prompt}) exceeds the maximum number of tokens allowed (${context}).`);
  }
}
