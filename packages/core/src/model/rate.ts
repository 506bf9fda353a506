import { z } from 'zod';

const perMinute = (what: string) =>
  z
    .number({ error: `Write how many ${what} a minute may have.` })
    .positive({ error: 'Write more than 0.' })
    .optional();

/** How much may be asked of a model in a minute. */
export const RateLimit = z.strictObject({
  requests_per_minute: perMinute('requests').describe('Requests in a minute.'),
  tokens_per_minute: perMinute('tokens').describe('Tokens of prompts and answers in a minute.'),
});
export type RateLimit = z.infer<typeof RateLimit>;

/** A limit for the models that it names; what is left out fits all. */
export const RateRule = RateLimit.extend({
  provider: z.string().optional().describe('The provider; left out: any.'),
  name: z.string().optional().describe('The model; left out: any.'),
  base_url: z.string().optional().describe('URL of the API; left out: any.'),
});
export type RateRule = z.infer<typeof RateRule>;

/** Limits of an installation or a workflow. */
export const RateRules = z.array(RateRule, { error: 'Write a list of limits.' });

/** Whom a limit holds for. */
export interface RatedModel {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string;
}

/** The tightest of all limits that hold for a model. */
export function rateLimitOf({ provider, model, baseUrl }: RatedModel, rules: readonly RateRule[]): RateLimit {
  const holding = rules.filter(
    (rule) =>
      (rule.provider ?? provider) === provider &&
      (rule.name ?? model) === model &&
      (rule.base_url ?? baseUrl) === baseUrl,
  );
  const least = (key: keyof RateLimit): number =>
    Math.min(...holding.map((rule) => rule[key] ?? Number.POSITIVE_INFINITY));
  const requests = least('requests_per_minute');
  const tokens = least('tokens_per_minute');
  return {
    ...(requests === Number.POSITIVE_INFINITY ? {} : { requests_per_minute: requests }),
    ...(tokens === Number.POSITIVE_INFINITY ? {} : { tokens_per_minute: tokens }),
  };
}
