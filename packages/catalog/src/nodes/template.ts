import type { Message } from '@millrace/core';
import {
  contentWithFiles,
  defineNode,
  mergeVariables,
  NodeError,
  singleLine,
  storedTextFilesOf,
  withVariables,
} from '@millrace/core';
import { z } from 'zod';
import {
  namesOf,
  rendererFor,
  Template,
  Templates,
  templateDataProblems,
  templateFieldProblems,
  withNames,
} from '../templates/template-field.ts';

/** Configuration of a `template` node. */
export const TemplateNodeConfig = z.object({
  text: Template.default('{{ text }}').describe('Text of the output.'),
  data: Templates.describe('Fields of structured data in the output, beside the text.'),
  variables: Templates.describe('Variables that are added to those of the input. Later ones can use earlier ones.'),
  metadata: Templates.describe('Metadata of the output.'),
  attachments: z
    .literal('text', { error: 'Write `text`, or leave it out.' })
    .nullish()
    .describe('With `text`, the text files that are attached to its input are attached to its output.'),
  branch: Template.nullish().describe('Name of the branch, for conditions of the type `branch`.'),
  fail: z
    .object({
      code: z.string().min(1).regex(singleLine).describe('Code of the failure.'),
      message: Template.describe('Reason of the failure. The node fails if it is not blank.'),
    })
    .nullish()
    .describe('Condition and code of a failure of the node.'),
});
type Config = z.infer<typeof TemplateNodeConfig>;

/** Node type that creates one message from its input and the variables of its messages. */
export const templateNode = defineNode({
  type: 'template',
  summary: 'Renders templates with its input and emits one message.',
  config: TemplateNodeConfig,
  check: (config) => fieldsOf(config).flatMap(([path, template]) => templateFieldProblems(template, path)),
  outputData: ({ data }) =>
    data.length === 0
      ? undefined
      : { type: 'object', properties: Object.fromEntries(data.map(([name]) => [name, {}])) },
  checkData: (config, shape) =>
    fieldsOf(config).flatMap(([path, template]) => templateDataProblems(template, shape, path)),
  async execute(config, input, host) {
    const render = rendererFor(host);
    let names = namesOf(input);
    const own: Record<string, unknown> = {};
    for (const [name, template] of config.variables) {
      // The names are never `__proto__`: no mapping of a workflow has that key.
      own[name] = await render.value(template, names);
      names = withNames(names, { [name]: own[name] });
    }
    const reason = config.fail ? (await render.text(config.fail.message, names)).trim() : '';
    if (config.fail && reason !== '') throw new NodeError(config.fail.code, reason);
    const values = async (templates: Config['data']) =>
      Object.fromEntries(
        await Promise.all(
          templates.map(async ([name, template]) => [name, await render.value(template, names)] as const),
        ),
      );
    const text = await render.text(config.text, names);
    const data = await values(config.data);
    const branch = config.branch ? (await render.text(config.branch, names)).trim() : '';
    const metadata = { ...(await values(config.metadata)), ...(branch === '' ? {} : { branch }) };
    const files = config.attachments ? storedTextFilesOf(input) : [];
    const message: Message = {
      role: 'assistant',
      content:
        Object.keys(data).length === 0 ? contentWithFiles(text, files) : [{ type: 'data', data, text }, ...files],
      source: host.node,
      keep: false,
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    };
    return { type: 'completed', outputs: [withVariables(message, { ...mergeVariables(input), ...own })] };
  },
});

function fieldsOf({ text, data, variables, metadata, branch, fail }: Config): [(string | number)[], string][] {
  const below = (name: string, templates: Config['data']): [string[], string][] =>
    templates.flatMap(([key, template]) =>
      typeof template === 'string' ? [[[name, key], template] satisfies [string[], string]] : [],
    );
  return [
    [['text'], text],
    ...below('data', data),
    ...below('variables', variables),
    ...below('metadata', metadata),
    ...(branch ? [[['branch'], branch] satisfies [string[], string]] : []),
    ...(fail ? [[['fail', 'message'], fail.message] satisfies [string[], string]] : []),
  ];
}
