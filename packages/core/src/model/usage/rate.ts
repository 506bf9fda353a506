import { z } from 'zod';
import { singleLine } from '../text/field-patterns.ts';

const name = z.string().regex(singleLine);

const perMinute = (unit: string) =>
  z
    .number({ error: `Write the maximum number of ${unit} per minute.` })
    .positive({ error: 'Write more than 0.' })
    .optional();

/** Rate limit of a model, per minute. */
export const RateLimit = z.strictObject({
  requests_per_minute: perMinute('requests').describe('Maximum number of requests per minute.'),
  tokens_per_minute: perMinute('tokens').describe('Maximum number of tokens of prompts and answers per minute.'),
});
export type RateLimit = z.infer<typeof RateLimit>;

/** A rate limit for the models that it names; an omitted name matches all. */
export const RateRule = RateLimit.extend({
  provider: name.optional().describe('Provider; any if omitted.'),
  name: name.optional().describe('Model; any if omitted.'),
  base_url: name.optional().describe('URL of the API; any if omitted.'),
});
export type RateRule = z.infer<typeof RateRule>;

/** Rate limits of an installation or a workflow. */
export const RateRules = z.array(RateRule.describe('Limit of the models that it names.'), {
  error: 'Write a list of limits.',
});

/** The model that a rate limit applies to. */
export interface RatedModel {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string;
}

/** Returns the lowest of all limits that apply to a model. */
export function rateLimitOf({ provider, model, baseUrl }: RatedModel, rules: readonly RateRule[]): RateLimit {
  const matching = rules.filter(
    (rule) =>
      (rule.provider ?? provider) === provider &&
      (rule.name ?? model) === model &&
      (rule.base_url ?? baseUrl) === baseUrl,
  );
  const least = (key: keyof RateLimit): number =>
    Math.min(...matching.map((rule) => rule[key] ?? Number.POSITIVE_INFINITY));
  const requests = least('requests_per_minute');
  const tokens = least('tokens_per_minute');
  return {
    ...(requests === Number.POSITIVE_INFINITY ? {} : { requests_per_minute: requests }),
    ...(tokens === Number.POSITIVE_INFINITY ? {} : { tokens_per_minute: tokens }),
  };
}
