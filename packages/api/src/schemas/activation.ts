import type { Message } from '@millrace/core';
import { textOf } from '@millrace/core';
import type {
  Activation as KnownActivation,
  ActivationDetail as KnownDetail,
  RunGraph as KnownGraph,
} from '@millrace/runtime';
import { z } from 'zod';
import { PageLimit } from './page.ts';
import { RunId } from './run.ts';

/** The id of an activation. */
export const ActivationId = z.string().regex(/^a\d{1,15}$/, 'must be the id of an activation, as in a2');

/** One activation in a path. */
export const ActivationPath = z.object({ id: RunId, aid: ActivationId });

/** Query for a page of activations. */
export const ActivationListQuery = z.object({
  limit: PageLimit,
  cursor: ActivationId.optional().describe('nextCursor of the page before.'),
});

const time = z.number().describe('Milliseconds since 1970.');

const Call = z
  .object({
    step: z.number().int(),
    name: z.string(),
    startedAt: time,
    completedAt: time.optional().describe('Milliseconds since 1970; absent while it is under way.'),
    usage: z
      .object({
        promptTokens: z.number(),
        completionTokens: z.number(),
        cachedTokens: z.number().optional(),
        microUsd: z.number().optional().describe('What it cost, in millionths of a US dollar, where that is known.'),
      })
      .optional(),
    failed: z.literal(true).optional().describe('It came to nothing.'),
  })
  .meta({ id: 'Call' });

/** One time a node was due. */
export const Activation = z
  .object({
    id: ActivationId,
    node: z.string().describe('Empty for the count of votes of a voting graph.'),
    graph: z.string().describe('Empty for the root graph; else the path of the nodes that it is inside of.'),
    part: z
      .enum(['whole', 'open', 'unit', 'close', 'exit'])
      .describe(
        'All of its work, or which part of a node that holds others; `exit`: it comes last in a graph that is stopped.',
      ),
    unit: z.number().int().optional().describe('Which unit of a fan-out it is, from 0.'),
    state: z
      .enum(['ready', 'working', 'waiting', 'opened', 'completed', 'failed', 'dropped'])
      .describe('`opened`: others do its work. `dropped`: the run ended before it had settled.'),
    attempts: z.number().int().describe('Attempts that took long enough to be announced.'),
    readyAt: time,
    startedAt: time.optional(),
    settledAt: time.optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional().describe('Why it failed last.'),
    question: z.string().optional().describe('What it asks a person now.'),
    askedAt: time.optional().describe('Time of its last question, in milliseconds since 1970.'),
    warnings: z.array(z.string()),
    calls: z.array(Call).describe('Models, tools and programs that it has called.'),
  })
  .meta({ id: 'Activation' });
/** Activation as responses have it. */
export type Activation = z.output<typeof Activation>;

/** A page of activations. */
export const ActivationList = z.object({
  data: z.array(Activation),
  nextCursor: ActivationId.nullable().describe('null when these are all that there are now.'),
});

const Said = z
  .object({
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    source: z.string().describe('The node that it came from, or TASK.'),
    text: z.string(),
    keep: z.boolean().describe('Whether it stays in the context of its node.'),
  })
  .meta({ id: 'Said' });

/** An activation and its messages. */
export const ActivationDetail = Activation.extend({
  input: z.array(Said).describe('All that the node is given, with what its context has kept.'),
  output: z.array(Said),
}).meta({ id: 'ActivationDetail' });
/** ActivationDetail as responses have it. */
export type ActivationDetail = z.output<typeof ActivationDetail>;

/** State of the graphs of a run. */
export const RunGraphs = z
  .object({
    graphs: z.array(
      z
        .object({
          key: z.string().describe('Empty for the root graph; else the path of the nodes that it is inside of.'),
          id: z.string(),
          logLevel: z.enum(['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL']),
          items: z
            .array(z.array(z.number().int()))
            .describe('What is due as one: places in `nodes`. The journal refers to items and nodes by number.'),
          nodes: z.array(
            z.object({
              id: z.string(),
              type: z.string(),
              guard: z.literal(true).optional().describe('It guards a loop.'),
              waits: z.literal(true).optional().describe('It waits for a person.'),
              discreet: z.literal(true).optional().describe('Its outputs are not meant to be shown.'),
              graph: z.string().optional().describe('The key of the graph inside it.'),
              status: z.enum(['idle', 'ready', 'working', 'waiting', 'failed', 'done']),
              runs: z.number().int().describe('How often it has completed; within other graphs, in calls under way.'),
              live: z.number().int().describe('Its activations that have not settled.'),
            }),
          ),
          edges: z.array(
            z.object({
              from: z.string(),
              to: z.string(),
              trigger: z.boolean(),
              carryData: z.boolean(),
              dynamic: z.boolean(),
              onError: z.boolean(),
              conditional: z.boolean(),
            }),
          ),
        })
        .meta({ id: 'RunGraph' }),
    ),
  })
  .meta({ id: 'RunGraphs' });
/** RunGraphs as responses have it. */
export type RunGraphs = z.output<typeof RunGraphs>;

/** An activation as the API shows it. */
export const activationOf = ({
  wait,
  asked: _last,
  warnings,
  calls,
  ...facts
}: KnownActivation): z.infer<typeof Activation> => ({
  ...facts,
  warnings: [...warnings],
  calls: [...calls],
  ...(wait === undefined ? {} : { question: wait.prompt }),
});

/** An activation with its messages as the API shows it. */
export const activationDetailOf = ({ input, output, ...rest }: KnownDetail): z.infer<typeof ActivationDetail> => ({
  ...activationOf(rest),
  input: input.map(saidOf),
  output: output.map(saidOf),
});

/** Graphs as the API shows them. */
export const graphsOf = (graphs: readonly KnownGraph[]): z.infer<typeof RunGraphs> => ({
  graphs: graphs.map(({ nodes, edges, items, ...graph }) => ({
    ...graph,
    items: items.map((members) => [...members]),
    nodes: [...nodes],
    edges: [...edges],
  })),
});

const saidOf = (message: Message): z.infer<typeof Said> => ({
  role: message.role,
  source: message.source,
  text: textOf(message),
  keep: message.keep,
});
