import type { ProcessorResult } from '@millrace/core';
import { defineProcessor, NodeError, textOf } from '@millrace/core';
import { z } from 'zod';
import { flagsOf, GroupField, patternFields, patternProblems } from '../regex/pattern-fields.ts';
import type { CompiledPattern } from '../regex/python-regex.ts';
import { groupNumber, pythonRegex } from '../regex/python-regex.ts';
import type { PatternMatch } from '../regex/search-in-child.ts';

/** Configuration of a `regex_extract` processor. */
export const RegexExtractConfig = z.object({
  ...patternFields,
  group: GroupField.describe('Group to extract, by number or name; the whole match if omitted.'),
  multiple: z
    .boolean({ error: 'Write `true` or `false`.' })
    .default(false)
    .describe('Extracts all matches, joined by newlines, instead of only the first.'),
  template: z
    .string({ error: 'Write a text with {match} in it.' })
    .nullish()
    .describe('New text, in which {match} is replaced by each extracted text; the extracted text if omitted.'),
  on_no_match: z
    .enum(['pass', 'default', 'drop'], { error: 'Write pass, default or drop.' })
    .default('pass')
    .describe(
      'Action without a match: pass leaves the message unchanged, default uses `default_value`, drop drops it.',
    ),
  default_value: z
    .string({ error: 'Write a text.' })
    .nullish()
    .describe('New text without a match, if `on_no_match` is default.'),
});

type Config = z.infer<typeof RegexExtractConfig>;

/** Processor that replaces the text of a message by the parts that a pattern matches. */
export const regexExtract = defineProcessor({
  type: 'regex_extract',
  summary: 'Extracts the parts of the text that a pattern matches.',
  config: RegexExtractConfig,
  check: (config) =>
    patternProblems({ ...config, flags: flagsOf(config), path: ['pattern'], group: config.group ?? undefined }),
  compile(config) {
    const pattern = pythonRegex(config.pattern, flagsOf(config));
    return async (message): Promise<ProcessorResult> => {
      const matches = await pattern.findAll(textOf(message));
      const values = matches.flatMap((match) => groupTexts(pattern, match, config.group ?? 0));
      const [first] = values;
      if (first === undefined) return withoutMatch(config, { type: 'message', message });
      const taken = config.multiple ? values : [first];
      const content = taken.map((value) => fillTemplate(config.template, value)).join('\n');
      return { type: 'message', message: { ...message, content } };
    };
  },
});

/** Returns the text of the group; nothing if the group did not take part in the match. */
function groupTexts(pattern: CompiledPattern, match: PatternMatch, group: string | number): readonly string[] {
  const number = groupNumber(pattern, group);
  if (number === undefined) throw new NodeError('REGEX_GROUP_UNKNOWN', `The pattern has no group "${group}"`);
  const value = match.groups[number];
  return value === undefined ? [] : [value];
}

const fillTemplate = (template: string | null | undefined, value: string): string =>
  template ? template.replaceAll('{match}', () => value) : value;

function withoutMatch(
  { on_no_match: action, default_value: text }: Config,
  unchanged: Extract<ProcessorResult, { type: 'message' }>,
): ProcessorResult {
  switch (action) {
    case 'pass':
      return unchanged;
    case 'default':
      return { type: 'message', message: { ...unchanged.message, content: text ?? '' } };
    case 'drop':
      return { type: 'drop' };
  }
}
