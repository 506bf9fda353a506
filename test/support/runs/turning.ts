import type { Vocabulary, Workflow } from '@millrace/core';
import type { Redis } from 'ioredis';
import { workflowIn } from './stage.ts';

/** A loop of `turns` turns, each of which says something new; two activations a turn. */
export const turning = (turns: number, vocabulary: Vocabulary): Workflow => workflowIn(turningText(turns), vocabulary);

/** The same as a text. */
export const turningText = (turns: number): string => `
graph:
  id: turning
  start: [Speaker]
  end: [End]
  nodes:
    - {id: Speaker, type: literal, config: {content: ${'what is said on every turn, '.repeat(4)}}}
    - {id: Guard, type: loop_counter, config: {max_iterations: ${turns}}}
    - {id: End, type: passthrough, config: {}}
  edges:
    - {from: Speaker, to: Guard, clear_context: true}
    - {from: Guard, to: Speaker}
    - {from: Speaker, to: Speaker, clear_context: true}
    - {from: Guard, to: End}
`;

/** Bytes that the keys of an installation take in Redis, what workers wait with in memory not counted. */
export async function bytesIn(connection: Redis, prefix: string): Promise<number> {
  let bytes = 0;
  for (const key of await connection.keys(`${prefix}:run:*`)) bytes += (await connection.memory('USAGE', key)) ?? 0;
  return bytes;
}
