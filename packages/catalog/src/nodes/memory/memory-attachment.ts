import type { ConfigProblem, MemoryStage, MemoryUse } from '@millrace/core';
import { omitUndefined, singleLine } from '@millrace/core';
import { z } from 'zod';

const stages = ['pre_gen_thinking', 'gen', 'post_gen_thinking', 'post_gen', 'finished'] as const;
const stage = z.enum(stages, {
  error: 'Write `pre_gen_thinking`, `gen`, `post_gen_thinking` or `finished`, or a list of them.',
});

/** Use of one of the graph's memory stores by a node: an entry of `memories`. */
export const MemoryAttachment = z.object({
  name: z
    .string({ error: 'Write the name of a store under graph.memory, such as `name: notes`.' })
    .trim()
    .min(1, { error: 'Write the name of a store under graph.memory.' })
    .regex(singleLine)
    .describe('Name of the store under graph.memory.'),
  retrieve_stage: z
    .union([stage, z.array(stage)], {
      error: 'Write `pre_gen_thinking`, `gen`, `post_gen_thinking` or `finished`, or a list of them.',
    })
    .nullish()
    .describe(
      'When the memory is read: pre_gen_thinking, gen (the default), post_gen_thinking (or post_gen), finished.',
    ),
  top_k: z
    .int({ error: 'Write a whole number, such as `top_k: 5`.' })
    .min(1, { error: 'Write a number of at least 1.' })
    .optional()
    .describe('Maximum number of memories; 10 if omitted.'),
  similarity_threshold: z
    .number({ error: 'Write a number between 0 and 1.' })
    .optional()
    .describe(
      'Lowest similarity of the memories; 0.5 if omitted. 0 or less: no limit, and the newest memories are always included.',
    ),
  read: z
    .boolean({ error: 'Write `true` or `false`.' })
    .optional()
    .describe('The node reads the store. If both read and write are omitted, both are true.'),
  write: z
    .boolean({ error: 'Write `true` or `false`.' })
    .optional()
    .describe('The node writes its output to the store.'),
});

/** Memory stores of a node; null means none. */
export const Memories = z
  .array(MemoryAttachment.describe('A memory store that the node reads or writes.'), {
    error: 'Write a list of stores, such as `- name: notes`.',
  })
  .nullish()
  .describe('Memory stores that the node reads or writes.');

type Attachment = z.infer<typeof MemoryAttachment>;
type Attachments = z.infer<typeof Memories>;

/** Returns the stores that a node reads at one of these stages, with the options. */
export function memoryUses(
  memories: Attachments,
  { stages: wanted, compat }: { readonly stages: readonly MemoryStage[]; readonly compat: boolean },
): readonly MemoryUse[] {
  const read = (memories ?? []).filter((one) => reads(one, compat));
  return read
    .filter((one) => stagesOf(one, compat).some((stage) => wanted.includes(stage)))
    .map((one) => useOf(one, compat));
}

/** Returns the stores that a node writes. */
export const writtenStores = (memories: Attachments, compat: boolean): readonly string[] =>
  (memories ?? []).filter((one) => writes(one, compat)).map(({ name }) => name);

// The original engine's defaults are 3 memories and no lowest similarity.
function useOf({ name, top_k: topK, similarity_threshold: threshold }: Attachment, compat: boolean): MemoryUse {
  if (!compat) return { store: name, topK: topK ?? 10, threshold: threshold ?? 0.5 };
  return omitUndefined({ store: name, topK: topK ?? 3, threshold });
}

/** Returns the default of an omitted field: true in the original engine; here, only if both are omitted. */
const defaultAccess = ({ read, write }: Attachment, compat: boolean): boolean =>
  compat || (read === undefined && write === undefined);
const reads = (one: Attachment, compat: boolean): boolean => one.read ?? defaultAccess(one, compat);
const writes = (one: Attachment, compat: boolean): boolean => one.write ?? defaultAccess(one, compat);

function stagesOf({ retrieve_stage: written }: Attachment, compat: boolean): readonly MemoryStage[] {
  const named = written === undefined || written === null ? [] : [written].flat();
  // In the original engine, an empty list means every stage.
  if (named.length === 0) return compat ? ['pre_gen_thinking', 'gen', 'post_gen_thinking'] : ['gen'];
  return named.map((one) => (one === 'post_gen' ? 'post_gen_thinking' : one));
}

/** Returns problems of the memories of a node; `thinks`: the node has the stages of thinking. */
export function memoryProblems(memories: Attachments, { thinks }: { readonly thinks: boolean }): ConfigProblem[] {
  return (memories ?? []).flatMap((one, at): ConfigProblem[] => {
    const problems: ConfigProblem[] = [];
    if (one.read === undefined && one.write === undefined) {
      problems.push({
        code: 'W_MEMORY_READ_WRITE',
        severity: 'warning',
        path: ['memories', at],
        message: `The memory "${one.name}" has neither "read" nor "write"; it is both read and written`,
        hint: 'Write `read: true` and `write: true`, or the one that is wanted.',
      });
    }
    return thinks ? problems : [...problems, ...stageProblems(one, at)];
  });
}

function stageProblems(one: Attachment, at: number): ConfigProblem[] {
  if (!one.retrieve_stage) return [];
  const place = { code: 'W_MEMORY_STAGE', severity: 'warning', path: ['memories', at, 'retrieve_stage'] } as const;
  return stagesOf(one, false).flatMap((stage): ConfigProblem[] => {
    if (stage === 'pre_gen_thinking') {
      const message = `Without "thinking" there is no stage "pre_gen_thinking"; "${one.name}" is passed to the model with its input`;
      return [{ ...place, message, hint: 'Write `gen`, or add `thinking`.' }];
    }
    if (stage !== 'post_gen_thinking') return [];
    const message = `Without "thinking" there is no stage "post_gen_thinking"; "${one.name}" is not read there`;
    return [{ ...place, message, hint: 'Write `gen`, or add `thinking`.' }];
  });
}
