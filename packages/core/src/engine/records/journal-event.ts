import { z } from 'zod';
import type { DeepReadonly } from '../../model/recorded.ts';
import { activationEvents, stepEvents } from './activation-events.ts';
import type { EventType } from './event.ts';
import type { EventDefinition, PublishedEvent } from './event-definition.ts';
import { publishedEvent } from './event-definition.ts';
import { runEvents } from './run-events.ts';
import { graphEvents, scopeEvents } from './scope-events.ts';

/** All types of events. */
export const eventDefinitions = [
  ...runEvents,
  ...graphEvents,
  ...activationEvents,
  ...stepEvents,
  ...scopeEvents,
] as const;

type Published<D> = D extends EventDefinition ? z.output<PublishedEvent<D>> : never;

/** An event of a journal as its readers get it, by its type. */
export type JournalEvent = Published<(typeof eventDefinitions)[number]>;
export const JournalEvent = z
  .discriminatedUnion('type', eventDefinitions.map(publishedEvent) as readonly z.ZodObject[] as readonly [z.ZodObject])
  // The union of the definitions, which a mapping of them loses; what readers get is what is sent.
  .meta({ id: 'JournalEvent' }) as unknown as z.ZodType<JournalEvent, JournalEvent>;

/**
 * An event as a projection reads it: a stored one, or a published one with its names. It has the stored fields but the
 * token, and maybe names and the beginning of a text.
 */
export type ProjectedEvent = DeepReadonly<Projected<(typeof eventDefinitions)[number]>>;

type Projected<D> =
  D extends EventDefinition<infer _Type, infer Fields, infer Names>
    ? Omit<z.output<PublishedEvent<D>>, Exclude<keyof Names, keyof Fields>> & {
        [Name in keyof Names]?: z.output<Names[Name]>;
      }
    : never;

/** Names that readers of an event of a type get beside its ids. */
export type EventNames<T extends EventType = EventType> = NamesOf<
  Extract<(typeof eventDefinitions)[number], { readonly type: T }>
>;

type NamesOf<D> =
  D extends EventDefinition<infer _Type, infer _Fields, infer Names>
    ? Omit<z.output<z.ZodObject<Names>>, 'text'>
    : never;
