import { z } from 'zod';
import { activation } from '../../model/recorded.ts';

/*
 * An event is defined once: the fields that are stored, and the names that its readers get beside their ids. Everything
 * else is derived: the type of stored events (event.ts), and the schema and type of published ones (journal-event.ts).
 */

/** A type of events: its stored fields, and what its readers get beside them. */
export interface EventDefinition<
  Type extends string = string,
  Fields extends z.ZodRawShape = z.ZodRawShape,
  Names extends z.ZodRawShape = z.ZodRawShape,
> {
  readonly type: Type;
  readonly description: string;
  readonly fields: Fields;
  readonly names: Names;
}

type NoNames = Record<never, z.ZodType>;

/** Defines a type of events. `token`, which wakes a worker, is the one field that readers do not get. */
export const event = <Type extends string, Fields extends z.ZodRawShape, Names extends z.ZodRawShape = NoNames>(
  type: Type,
  description: string,
  fields: Fields,
  names: Names = {} as Names, // without names, the type is that of no names
): EventDefinition<Type, Fields, Names> => ({ type, description, fields, names });

/** Defines a type of events of activations. */
export const activationEvent = <
  Type extends string,
  Fields extends z.ZodRawShape,
  Names extends z.ZodRawShape = NoNames,
>(
  type: Type,
  description: string,
  fields: Fields,
  names: Names = {} as Names, // without further names, the type is that of none
) => event(type, description, { activation, ...fields }, { ...activationNames, ...names });

/** Length of a text in an event, in characters. */
const textLength = 200;
/** The beginning of a text, which readers get beside the id of its message. */
export const text = (of: string) =>
  z.string().optional().describe(`First ${textLength} characters of ${of}, and … if there are more.`);

const bodies = z.int().optional().describe('Number of new messages that were stored with the event.');

/** Fields that every stored event has. */
interface EveryEvent<Type extends string> {
  readonly type: z.ZodLiteral<Type>;
  readonly bodies: typeof bodies;
}

type StoredShape<D> = D extends EventDefinition<infer Type, infer Fields> ? EveryEvent<Type> & Fields : never;
type PublishedShape<D> =
  D extends EventDefinition<infer Type, infer Fields, infer Names>
    ? EveryEvent<Type> & Omit<Fields, 'token' | keyof Names> & Names
    : never;

/** The schema of the stored events of a type. */
export type StoredEvent<D extends EventDefinition> = z.ZodObject<StoredShape<D>, z.core.$strict>;
/** The schema of the published events of a type. */
export type PublishedEvent<D extends EventDefinition> = z.ZodObject<PublishedShape<D>>;

/** Returns the schema of the stored events of a type. */
export const storedEvent = <D extends EventDefinition>({ type, fields }: D): StoredEvent<D> =>
  z.strictObject({ type: z.literal(type), ...fields, bodies }) as StoredEvent<D>; // of its own fields

/** Returns the schema of the events of a type as their readers get them: with names, and without the token of a wake. */
export function publishedEvent<D extends EventDefinition>({ type, description, fields, names }: D): PublishedEvent<D> {
  const { token: _token, activation: id, ...others } = fields;
  // Names are read together with the id that they explain.
  const shape: z.ZodRawShape =
    id === undefined ? { ...others, ...names } : { activation: id, ...names, ...others, ...names };
  const { text, ...rest } = shape;
  const last = text === undefined ? { bodies } : { text, bodies };
  return z
    .object({ type: z.literal(type), ...rest, ...last })
    .meta({ id: `${type.split('.').map(capitalized).join('')}Event`, description }) as PublishedEvent<D>; // of its own fields
}

const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

/** Name of the graph of a scope. */
export const graphName = {
  graph: z.string().describe('Key of the graph: empty for the root graph, else the path of enclosing nodes.'),
};

/** Names of the node at which something happened. */
export const nodeNames = {
  nodeId: z.string().describe('Id of the node; empty for the count of votes.'),
  nodeType: z.string().describe('Type of the node, such as `agent`; empty for the count of votes.'),
  ...graphName,
};

/** Names of the activation with which something happened. */
const activationNames = {
  ...nodeNames,
  unit: z.int().optional().describe('Number of the unit in its fan-out, from 0.'),
  iteration: z.int().optional().describe('Iteration of the loop that the activation is part of, from 1.'),
};
