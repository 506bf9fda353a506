import type { ChatRequest, Host, PromptReuse } from '@millrace/core';
import { z } from 'zod';

const error = 'Write `auto`, `off`, or a mapping such as `ttl: 1h`.';

/** Which parts of prompts a provider is asked to keep: `cache` of agents and controllers. */
export const CacheConfig = z
  .union(
    [
      z.enum(['auto', 'off'], { error }),
      // In YAML 1.1 the word off is false.
      z.literal(false, { error }),
      z.strictObject(
        {
          ttl: z
            .enum(['5m', '1h'], { error: 'Write `5m` or `1h`.' })
            .describe('Time for which the provider keeps prompts, where it lets one choose; an hour costs more.'),
        },
        { error },
      ),
    ],
    { error },
  )
  .nullish()
  .describe(
    'Which parts of prompts the provider keeps, as far as the model is known to be asked for it: auto keeps what later requests likely repeat, off nothing; a `ttl` is asked of servers of others than the vendor, too, and also keeps the tools and the system prompt of an agent that auto takes for one that asks once.',
  );
/** A parsed `cache`. */
export type CacheConfig = z.infer<typeof CacheConfig>;

/** Bytes of tools and system prompt from which on they are kept; providers keep nothing below about 1,000 tokens. */
const worthKeeping = 6 * 1024;

/** A request, with what its node knows of later ones. */
export interface ReuseInput extends Pick<ChatRequest, 'messages' | 'tools'> {
  readonly cache: CacheConfig;
  /** The node will likely ask again. */
  readonly isRepeated: Host['isRepeated'];
  /** The next request of the activation begins with this one. */
  readonly continues: boolean;
}

/** Returns which parts of a request later ones repeat. */
export function promptReuse({ cache, isRepeated, continues, messages, tools = [] }: ReuseInput): PromptReuse {
  if (cache === 'off' || cache === false) return { whole: false, start: false };
  if (typeof cache === 'object' && cache !== null)
    return { whole: continues, start: true, written: true, ...(cache.ttl === '1h' ? { long: true } : {}) };
  return { whole: continues, start: isRepeated && isWorthKeeping({ messages, tools }) };
}

const isWorthKeeping = ({ messages, tools }: Pick<ReuseInput, 'messages' | 'tools'>): boolean =>
  Buffer.byteLength(JSON.stringify([tools, messages.filter(({ role }) => role === 'system')])) >= worthKeeping;
