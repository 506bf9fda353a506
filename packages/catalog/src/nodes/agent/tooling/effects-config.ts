import type { ConfigProblem, ToolEffect } from '@millrace/core';
import { didYouMean, omitUndefined, singleLine } from '@millrace/core';
import { z } from 'zod';
import { pathArgumentProblems } from '../../../comparison/path-arguments.ts';
import { toolPattern } from './tool-pattern.ts';

const toolName = z
  .string()
  .min(1, { error: 'Write the name of a tool, or a pattern such as `get_*`.' })
  .regex(singleLine);

/** The field `effects` of an entry of `tooling`. */
export const Effects = z
  .record(toolName, z.enum(['read', 'idempotent', 'once'], { error: 'Write `read`, `idempotent` or `once`.' }), {
    error: 'Write a mapping of tools to `read`, `idempotent` or `once`.',
  })
  .nullish()
  .describe(
    'Effect of a call of a tool: `read` changes nothing, `idempotent` may be repeated with the same key, `once` must not be made twice. `*` in a name stands for any characters; an exact name counts before the first pattern that matches.',
  );

const Verification = z.strictObject({
  verify: z
    .strictObject(
      {
        tool: toolName.describe('Tool of the same entry that reads whether the call took effect.'),
        arguments: z
          .record(z.string(), z.unknown(), { error: 'Write a mapping of arguments.' })
          .default({})
          .describe('Its arguments; a text that starts with `$` is a JSONPath in the arguments of the call.'),
      },
      { error: 'Write a mapping with `tool` and `arguments`.' },
    )
    .describe('A tool is asked, and the model gets its answer.'),
});

/** The field `on_unknown` of an entry of `tooling`. */
export const OnUnknown = z
  .record(
    toolName,
    z.union([z.enum(['tell', 'ask', 'repeat', 'fail']), Verification], {
      error: 'Write `tell`, `ask`, `repeat`, `fail` or a mapping `verify: {tool: …, arguments: {…}}`.',
    }),
    { error: 'Write a mapping of tools to rules.' },
  )
  .nullish()
  .describe(
    'What decides when the outcome of a call with the effect `once` is unknown: `tell`, the default, has the model check; `verify` asks a tool; `ask` asks a person; `repeat` makes the call again with the same key; `fail` fails the node.',
  );

/** The fields of an entry of `tooling` that concern effects. */
export interface EffectFields {
  readonly effects?: z.infer<typeof Effects>;
  readonly on_unknown?: z.infer<typeof OnUnknown>;
}

/** What an entry says about a tool: its effect, and the rule for calls with an unknown outcome. */
export interface WrittenEffect {
  readonly effect?: ToolEffect;
  readonly rule?: UnknownRuleField;
}

type UnknownRuleField = NonNullable<EffectFields['on_unknown']>[string];

/** Returns what an entry says about the tool of this name. */
export const writtenEffect = (name: string, { effects, on_unknown: rules }: EffectFields): WrittenEffect =>
  omitUndefined({ effect: valueFor(name, effects), rule: valueFor(name, rules) });

/**
 * Returns what is wrong with the fields. `known`: the effects of the tools of the entry by their names; undefined where only a
 * server knows them.
 */
export function effectProblems(
  fields: EffectFields,
  known: ReadonlyMap<string, ToolEffect> | undefined,
): readonly ConfigProblem[] {
  const { effects, on_unknown: rules } = fields;
  const unknownTools = (['effects', 'on_unknown'] as const).flatMap((field) =>
    Object.keys(fields[field] ?? {}).flatMap((name) => toolProblem(name, { known, path: [field, name] })),
  );
  return [
    ...unknownTools,
    ...Object.entries(rules ?? {}).flatMap(([name, rule]): readonly ConfigProblem[] => {
      const path = ['on_unknown', name];
      const effect = valueFor(name, effects) ?? known?.get(name);
      if (effect !== undefined && effect !== 'once') return [neverUnknown(name, effect, path)];
      return typeof rule === 'string' ? [] : verifyProblems(rule.verify, { effects, known, path: [...path, 'verify'] });
    }),
  ];
}

interface Checking {
  readonly known: ReadonlyMap<string, ToolEffect> | undefined;
  readonly path: readonly (string | number)[];
}

function toolProblem(name: string, { known, path }: Checking): ConfigProblem[] {
  if (known === undefined || [...known.keys()].some(toolPattern(name))) return [];
  const hint = didYouMean(name, known.keys());
  const message = `This entry binds no tool "${name}".`;
  return [{ code: 'E_TOOL_UNKNOWN', severity: 'error', path, message, ...(hint === undefined ? {} : { hint }) }];
}

const neverUnknown = (name: string, effect: ToolEffect, path: Checking['path']): ConfigProblem => ({
  code: 'E_FIELD_INVALID',
  severity: 'error',
  path,
  message: `The rule for "${name}" never applies: the effect of the tool is \`${effect}\`, so its calls are repeated.`,
  hint: `Write \`effects: {${name}: once}\`, or remove the rule.`,
});

function verifyProblems(
  { tool, arguments: written }: z.infer<typeof Verification>['verify'],
  { effects, known, path }: Checking & Pick<EffectFields, 'effects'>,
): readonly ConfigProblem[] {
  const effect = valueFor(tool, effects) ?? known?.get(tool) ?? 'read';
  const changes: ConfigProblem = {
    code: 'E_FIELD_INVALID',
    severity: 'error',
    path: [...path, 'tool'],
    message: `"${tool}" cannot verify a call: its effect is \`${effect}\`.`,
    hint: 'Name a tool that only reads, and write `effects: {<name>: read}` for it.',
  };
  return [
    ...toolProblem(tool, { known, path: [...path, 'tool'] }),
    ...(effect === 'read' ? [] : [changes]),
    ...pathArgumentProblems(written).map(
      ({ name, message }): ConfigProblem => ({
        code: 'E_JSON_PATH_INVALID',
        severity: 'error',
        path: [...path, 'arguments', name],
        message,
      }),
    ),
  ];
}

/** Returns the value for a tool: that of its name, or else that of the first pattern that matches. */
function valueFor<Value>(name: string, values: Readonly<Record<string, Value>> | null | undefined): Value | undefined {
  if (values == null) return undefined;
  if (Object.hasOwn(values, name)) return values[name];
  return Object.entries(values).find(([pattern]) => toolPattern(pattern)(name))?.[1];
}
