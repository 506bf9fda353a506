import type { Block, Host, Message, Wait } from '@millrace/core';
import { completed, defineNode, NodeError, textOf } from '@millrace/core';
import { z } from 'zod';
import { describeSchema } from '../schema/describe-schema.ts';
import { validateObject } from '../schema/schema-validator.ts';
import { DataOutput, dataBlock, dataOutputProblems, knownSchema, schemaOf } from './data-output.ts';
import { flatten } from './flatten.ts';
import { Memories, memoryProblems, memoryUses, writtenStores } from './memory/memory-attachment.ts';

/** Configuration of a `human` node. */
export const HumanConfig = z.object({
  description: z.string({ error: 'Write the request to the person.' }).nullish().describe('Request to the person.'),
  output: DataOutput,
  memories: Memories,
});
type Config = z.infer<typeof HumanConfig>;

/** Node type that waits for a person. Conditions of its edges apply to the answer: a text, or the data of a form. */
export const human = defineNode({
  type: 'human',
  summary: 'Shows its input to a person and waits for an answer.',
  config: HumanConfig,
  traits: { waits: true, speaks: true },
  templates: ['description'],
  included: [['output', 'schema']],
  describeData: ({ output }) => (output == null ? undefined : describeSchema(schemaOf(output))),
  outputData: ({ output }) => (output == null ? undefined : knownSchema(output)),
  // A person sees the memories of every stage, so no stage is missing.
  check: ({ memories, output }) => [...dataOutputProblems(output), ...memoryProblems(memories, { thinks: true })],
  async execute(config, input, host) {
    const wait = await questionFor(config, input, host);
    if (host.answer === undefined) return { type: 'suspended', wait };
    const answer = config.output == null ? host.answer : await filledForm(config.output, host.answer, host);
    const output = answered(answer, host.node);
    const stores = writtenStores(config.memories, false);
    if (stores.length > 0) {
      // The answer of a person is stored whole.
      await host.remember({ role: wait.prompt, input: wait.input, output: textOf(answer), whole: true }, stores);
    }
    return completed([output]);
  },
});

async function questionFor(
  { description, output, memories }: Config,
  input: readonly Message[],
  host: Host,
): Promise<Wait> {
  const wait: Wait = {
    kind: 'human',
    prompt: description ?? '',
    input: flatten(input),
    ...(output == null ? {} : { schema: output.schema }),
  };
  const stages = ['pre_gen_thinking', 'gen', 'post_gen_thinking', 'finished'] as const;
  // In the original engine people have no memories, so none of its defaults apply.
  const uses = memoryUses(memories, { stages, compat: false });
  if (uses.length === 0) return wait;
  const query = [wait.prompt, wait.input].filter((text) => text !== '').join('\n\n');
  const memory = await host.recall({ stage: 'gen', uses, role: wait.prompt, query });
  return memory === undefined ? wait : { ...wait, memory };
}

/** Returns an answer with its data as the schema has them. The API has refused what does not match. */
async function filledForm(output: DataOutput, answer: Message, host: Host): Promise<Message> {
  const blocks = typeof answer.content === 'string' ? [] : answer.content;
  const given = blocks.find((block) => block.type === 'data')?.data;
  if (given === undefined)
    throw new NodeError('ANSWER_INVALID', 'The answer has no data, which the `output` asks for.');
  const checked = await validateObject(schemaOf(output), given);
  if (checked.type === 'invalid')
    throw new NodeError(
      'ANSWER_INVALID',
      `The answer does not match the schema of \`output\`: ${checked.problems.join('; ')}.`,
    );
  const others = blocks.filter((block) => block.type !== 'data');
  return { ...answer, content: [await dataBlock(host, output, checked.data), ...others] };
}

// Answers are always blocks, so that an empty one reads "[text block]", as in the original engine.
function answered({ content, metadata }: Message, source: string): Message {
  const blocks: readonly Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const message: Message = { role: 'user', content: blocks, source, keep: false };
  return metadata === undefined ? message : { ...message, metadata };
}
