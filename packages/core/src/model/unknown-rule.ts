import type { Recorded, UnknownRule as UnknownRuleSchema } from './recorded.ts';

/**
 * The rule that decides about a call whose outcome is unknown: the model is told, a tool checks it for the model, a person is
 * asked, it is made again, or the node fails.
 */
export type UnknownRule = Recorded<typeof UnknownRuleSchema>;
