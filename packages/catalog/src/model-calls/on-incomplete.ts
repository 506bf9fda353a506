import { z } from 'zod';

const actions = ['auto', 'fail', 'accept', 'retry', 'continue'] as const;
const error = 'Write `auto`, `fail`, `accept`, `retry` or `continue`, or a mapping such as `length: retry`.';
const Action = z.enum(actions, { error }).default('auto');

/** What happens with a reply that is not whole: `on_incomplete` of agents and controllers. */
export const OnIncomplete = z
  .union(
    [
      z.enum(actions, { error }),
      z.strictObject({
        length: Action.describe('The reply was cut at its limit of tokens.'),
        empty: Action.describe('The reply has no text and no calls.'),
        refusal: Action.describe('The model refused, or a filter withheld the reply.'),
        malformed: Action.describe('A call has arguments that are no JSON object.'),
        limit: z
          .int()
          .min(1)
          .optional()
          .describe('Limit of tokens of a repetition; twice the limit before if omitted.'),
        times: z.int().min(1).max(10).default(2).describe('Maximum number of repetitions.'),
      }),
    ],
    { error },
  )
  .nullish()
  .describe(
    'What happens with a reply that was cut, empty, refused or malformed. auto repeats, tells the model or fails, as the guide says; fail never repeats; accept goes on with the text and a warning; retry asks again, with a larger limit; continue asks for the rest of a text.',
  );

/** A parsed `on_incomplete`. */
export type OnIncomplete = z.infer<typeof OnIncomplete>;
