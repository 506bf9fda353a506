import type { Turn } from '../turn.ts';
import { fieldProblem } from './fields.ts';
import { messagesRefusal } from './openai-conversation-rules.ts';
import type { Refusal } from './refusal.ts';
import { firstRefusal } from './refusal.ts';

/** Fields that every server with the API of OpenAI knows. */
const fields = {
  model: 'string',
  messages: 'array',
  frequency_penalty: 'number',
  max_tokens: 'integer',
  n: 'integer',
  presence_penalty: 'number',
  response_format: 'object',
  seed: 'integer',
  stop: 'string|array',
  stream: 'boolean',
  stream_options: 'object',
  temperature: 'number',
  tool_choice: ['none', 'auto'],
  tools: 'array',
  top_p: 'number',
};

/** Returns the refusal of a server that knows only what all servers know, in the words of pydantic, as most have them. */
export function compatibleRefusal({ api, body }: Turn): Refusal | undefined {
  if (api !== 'chat') return { refuse: 404, message: 'Not Found', body: { detail: 'Not Found' } };
  return firstRefusal(
    () => {
      const problem = fieldProblem(body, fields);
      if (problem === undefined) return undefined;
      const { name, value } = problem;
      const [type, msg] =
        problem.type === 'unknown'
          ? ['extra_forbidden', 'Extra inputs are not permitted']
          : problem.type === 'word'
            ? ['literal_error', `Input should be ${problem.words.map((word) => `'${word}'`).join(' or ')}`]
            : ['type_error', `Input should be a valid ${problem.expected}`];
      const detail = [{ type, loc: ['body', name], msg, input: value }];
      return {
        refuse: 422,
        message: msg,
        body: { object: 'error', message: { detail }, type: 'invalid_request_error' },
      };
    },
    () => messagesRefusal(body),
  );
}
