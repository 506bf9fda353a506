import type { EdgeHost, Items } from '@millrace/core';
import {
  contentWithFiles,
  defineProcessor,
  fillItems,
  itemsOf,
  parseJsonFields,
  storedTextFilesOf,
  templateNames,
  tenantOf,
  textOf,
  variablesOf,
} from '@millrace/core';
import { z } from 'zod';
import { renderInThread } from '../templates/render-in-thread.ts';
import { templateFieldProblems } from '../templates/template-field.ts';

/** Configuration of a `template` processor. */
export const TemplateConfig = z.object({
  template: z
    .string({ error: 'Write a template such as `Review this: {{ content }}`.' })
    .describe(
      'Jinja template of the new text. It knows `content`, `source`, the items of fan-outs by their names, and the fields of a JSON object.',
    ),
  attachments: z
    .literal('text', { error: 'Write `text`, or leave it out.' })
    .nullish()
    .describe('With `text`, the text files that are attached to the message stay attached.'),
});

/** Processor that replaces the text of a message by a rendered template. */
export const template = defineProcessor({
  type: 'template',
  summary: 'Renders a Jinja template with the message.',
  config: TemplateConfig,
  check: (config) => templateFieldProblems(config.template, ['template']),
  compile: (config) => async (message, host) => {
    const given = textOf(message);
    const items = itemsOf(message);
    const names = templateNames(variablesOf(message));
    const variables = { ...names, ...parseJsonFields(given), ...items, content: given, source: message.source };
    const files = config.attachments ? storedTextFilesOf([message]) : [];
    const text = await rendered(config.template, { variables, items, host });
    const content = contentWithFiles(text, files);
    return { type: 'message', message: { ...message, content } };
  },
});

function rendered(
  written: string,
  {
    variables,
    items,
    host,
  }: { readonly variables: Readonly<Record<string, unknown>>; readonly items: Items; readonly host: EdgeHost },
): Promise<string> {
  const texts: Record<string, string> = {};
  // An item, or one of its fields, that is alone is inserted as everywhere, not as the template engine prints it.
  const template = fillItems(written, items, (text) => {
    const name = `item_text_${Object.keys(texts).length}`;
    texts[name] = text;
    return `{{ ${name} }}`;
  });
  return renderInThread(template, { ...variables, ...texts }, tenantOf(host.run));
}
