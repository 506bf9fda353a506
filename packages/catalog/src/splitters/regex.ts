import type { Message } from '@millrace/core';
import { defineSplitter, textOf } from '@millrace/core';
import { z } from 'zod';
import { flagsOf, GroupField, patternFields, patternProblems } from '../regex/pattern-fields.ts';
import { groupNumber, pythonRegex } from '../regex/python-regex.ts';
import { createUnit } from './split-in-child.ts';

/** Configuration of a `regex` split. */
export const RegexSplitConfig = z.object({
  ...patternFields,
  group: GroupField.describe('Group that becomes the unit, by number or name; the whole match if omitted.'),
  on_no_match: z
    .enum(['pass', 'empty'], { error: 'Write pass or empty.' })
    .default('pass')
    .describe('Unit of a message without a match: the message itself, or an empty text.'),
});

/** Splitter whose units are the matches of a pattern. */
export const regexSplitter = defineSplitter({
  type: 'regex',
  summary: 'One unit for each match of a pattern.',
  config: RegexSplitConfig,
  check: (config) =>
    patternProblems({ ...config, flags: flagsOf(config), path: ['pattern'], group: config.group ?? undefined }),
  compile(config) {
    const pattern = pythonRegex(config.pattern, flagsOf(config));
    const group = groupNumber(pattern, config.group ?? 0) ?? 0;
    const withoutMatch = (whole: Message): Message =>
      config.on_no_match === 'pass' ? whole : createUnit(whole, '', { split_source: 'regex', split_no_match: true });
    return async (messages, maxItems) => {
      const units = messages.map(async (whole) => {
        const matches = await pattern.findAll(textOf(whole), maxItems + 1);
        if (matches.length === 0) return [withoutMatch(whole)];
        return matches.map((match) => createUnit(whole, match.groups[group] ?? '', { split_source: 'regex' }));
      });
      return (await Promise.all(units)).flat();
    };
  },
});
