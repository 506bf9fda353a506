import type { Items } from '@millrace/core';
import {
  carriedData,
  contentWithFiles,
  dataOf,
  defineProcessor,
  fillItems,
  itemsOf,
  storedTextFilesOf,
  templateNames,
  tenantOf,
  textOf,
  variablesOf,
} from '@millrace/core';
import { z } from 'zod';
import { renderInChild } from '../templates/render-in-child.ts';
import { templateDataProblems, templateFieldProblems } from '../templates/template-field.ts';

/** Configuration of a `template` processor. */
export const TemplateConfig = z.object({
  template: z
    .string({ error: 'Write a template in quotes, such as `"Review this: {{ content }}"`.' })
    .describe(
      'Jinja template of the new text. It knows `content`, `source`, the items of fan-outs by their names, the structured data as `data`, and their fields.',
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
  checkData: (config, shape) => templateDataProblems(config.template, shape, ['template']),
  compile: (config) => async (message, host) => {
    const given = textOf(message);
    const items = itemsOf(message);
    const own = { ...items, content: given, source: message.source };
    const files = config.attachments ? storedTextFilesOf([message]) : [];
    const { template, texts } = insertItems(config.template, items);
    const data = /\bdata\b/.test(template) ? { data: dataOf(message) } : {};
    const fields = [data, given, carriedData(message) ?? {}];
    const names = [templateNames(variablesOf(message)), ...fields, { ...own, ...texts }];
    const text = await renderInChild(template, names, tenantOf(host.run));
    const content = contentWithFiles(text, files);
    return { type: 'message', message: { ...message, content } };
  },
});

/** Replaces items, and their fields, that are alone by names: they are inserted as everywhere, not as the template engine prints them. */
function insertItems(written: string, items: Items) {
  const texts: Record<string, string> = {};
  const template = fillItems(written, items, (text) => {
    const name = `item_text_${Object.keys(texts).length}`;
    texts[name] = text;
    return `{{ ${name} }}`;
  });
  return { template, texts };
}
