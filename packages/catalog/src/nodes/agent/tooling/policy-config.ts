import type { ConfigProblem, KnownTools, PolicyDefinition, ToolRule } from '@millrace/core';
import { didYouMean, parseDuration, singleLine } from '@millrace/core';
import { z } from 'zod';
import { Comparison, comparisonProblems } from '../../../comparison/comparison.ts';
import { toolPattern } from './tool-pattern.ts';

const Rule = z.strictObject(
  {
    tool: z
      .string({ error: 'Write the name of a tool, or a pattern such as `get_*`.' })
      .min(1, { error: 'Write the name of a tool, or a pattern such as `get_*`.' })
      .regex(singleLine)
      .optional()
      .describe('Name of the tools; `*` stands for any characters. All tools if omitted.'),
    annotation: z
      .enum(['destructive', 'read_only', 'idempotent'], {
        error: 'Write `destructive`, `read_only` or `idempotent`.',
      })
      .optional()
      .describe(
        'Hint of the MCP server about the tool. A hint only makes a policy stricter, unless the entry has `trust_annotations`: without it, every tool of a server counts as destructive, and no hint allows a call.',
      ),
    when: Comparison.strict()
      .optional()
      .describe('Comparison of an argument. An argument that cannot be compared counts as one that asks or denies.'),
    do: z
      .enum(['allow', 'ask', 'deny'], { error: 'Write `allow`, `ask` or `deny`.' })
      .describe('Make the call, ask a person first, or refuse it.'),
    expires: z
      .string({ error: 'Write a time such as `expires: 1h`.' })
      .regex(singleLine)
      .refine((text) => (parseDuration(text) ?? 0) > 0, { error: 'Write a time such as `30m`, `1h` or `2d`.' })
      .optional()
      .describe('With `ask`: time to decide, such as `1h`; after that the call counts as rejected. No end if omitted.'),
    reason: z
      .string({ error: 'Write a text.' })
      .min(1)
      .max(2000)
      .optional()
      .describe('With `deny`: what the model is told.'),
  },
  { error: 'Write rules such as `{tool: transfer, do: ask}`.' },
);

/** A list of rules about calls of tools. */
export const ToolPolicy: z.ZodType<readonly ToolRule[]> = z
  .array(Rule, { error: 'Write a list of rules, such as `- {tool: transfer, do: ask}`.' })
  .max(200, { error: 'Write at most 200 rules.' })
  .describe('Rules about calls of tools; the first one that applies counts, and without one the call is made.');

/** The policy of a graph for calls of tools. */
export const graphPolicy: PolicyDefinition = {
  type: 'tool_policy',
  summary: 'Allows, asks about or denies calls of tools.',
  config: ToolPolicy,
  check: (rules) => policyProblems(rules, { known: undefined, trusted: true }),
  checkTools: (rules, known) =>
    rules.flatMap((rule, at) =>
      // A rule about all tools holds for those that are added later.
      isAboutAll(rule) ? [] : unknownNames(rule, { known, owner: 'graph' }).map(atRule(at)),
    ),
};

const isAboutAll = ({ tool = '*' }: ToolRule): boolean => toolPattern(tool)('');

/**
 * Returns what is likely wrong with the policy of an operator, as warnings. Tools of servers may have any names, so a rule is
 * suspicious only if its name is similar to that of a function, or cannot be the name of a tool.
 */
export const operatorPolicyProblems = (
  rules: readonly ToolRule[],
  functions: Iterable<string>,
): readonly ConfigProblem[] => {
  const known = [...functions];
  return [
    ...policyProblems(rules, { known: undefined, trusted: false }),
    ...rules.flatMap((rule, at) => suspiciousName(rule, known).map(atRule(at))),
  ];
};

/** Characters that names of tools have, with the pattern for any; the names under which models call them have no others. */
const toolName = /^[\w.*/-]{1,200}$/;

function suspiciousName({ tool = '*' }: ToolRule, functions: readonly string[]): ConfigProblem[] {
  if (functions.some(toolPattern(tool))) return [];
  const problem = unknownName(tool, functions, {
    code: 'W_POLICY_TOOL_UNKNOWN',
    path: ['tool'],
    message: `The rule is about no function: none is called "${tool}". It applies to tools of servers with this name only.`,
  });
  return problem.hint === undefined && toolName.test(tool) ? [] : [problem];
}

const atRule =
  (at: number) =>
  (problem: ConfigProblem): ConfigProblem => ({ ...problem, path: [at, ...problem.path] });

/** Facts that a policy is checked with. */
interface PolicyFacts {
  /** Tools that it is about; undefined where only servers know them. */
  readonly known: KnownTools | undefined;
  /** Hints of the server may allow calls. */
  readonly trusted: boolean;
}

/** Returns what is wrong with the field `policy` of an entry of `tooling`. */
export const policyFieldProblems = (
  { policy }: { readonly policy?: readonly ToolRule[] | null | undefined },
  facts: PolicyFacts,
): readonly ConfigProblem[] =>
  policyProblems(policy ?? [], facts).map((problem) => ({ ...problem, path: ['policy', ...problem.path] }));

/** Returns what is wrong with rules that their schema accepts; paths are relative to the list. */
const policyProblems = (rules: readonly ToolRule[], facts: PolicyFacts): readonly ConfigProblem[] =>
  rules.flatMap((rule, at) =>
    [
      ...ruleProblems(rule, facts),
      ...(rules.slice(0, at).some((before) => covers(before, rule)) ? [unreachable] : []),
    ].map(atRule(at)),
  );

function ruleProblems(rule: ToolRule, { known, trusted }: PolicyFacts): readonly ConfigProblem[] {
  const { annotation, when } = rule;
  return [
    ...(known === undefined ? [] : unknownNames(rule, { known, owner: 'entry' })),
    ...(annotation !== undefined && rule.do === 'allow' && !trusted ? [untrusted] : []),
    ...(rule.expires !== undefined && rule.do !== 'ask' ? [onlyWith('expires', 'ask')] : []),
    ...(rule.reason !== undefined && rule.do !== 'deny' ? [onlyWith('reason', 'deny')] : []),
    ...(when === undefined ? [] : comparisonProblems(when as Comparison)).map((problem) => ({
      ...problem,
      path: ['when', ...problem.path],
    })),
  ];
}

/** Returns whether a rule applies to every call that another one applies to, as far as can be said without the tools. */
const covers = ({ tool = '*', annotation, when }: ToolRule, other: ToolRule): boolean =>
  annotation === undefined && when === undefined && (tool === '*' || tool === other.tool);

const unreachable: ConfigProblem = {
  code: 'W_POLICY_UNREACHABLE',
  severity: 'warning',
  path: [],
  message: 'The rule never applies: a rule above it applies to all of its calls.',
  hint: 'Move it above that rule, or remove it.',
};

const untrusted: ConfigProblem = {
  code: 'W_POLICY_UNTRUSTED',
  severity: 'warning',
  path: ['annotation'],
  message: 'The rule allows nothing: a hint of a server only makes a policy stricter.',
  hint: 'Name the tools, or write `trust_annotations: true` if you trust what the server says about its tools.',
};

const onlyWith = (field: string, word: ToolRule['do']): ConfigProblem => ({
  code: 'E_FIELD_INVALID',
  severity: 'error',
  path: [field],
  message: `"${field}" only has a meaning with \`do: ${word}\`.`,
});

/** Warns of a rule about no tool, and of one that compares an argument which its tools do not have. */
function unknownNames(
  { tool = '*', when }: ToolRule,
  { known, owner }: { readonly known: KnownTools; readonly owner: 'entry' | 'graph' },
): ConfigProblem[] {
  const matches = toolPattern(tool);
  const tools = [...known].filter(([name]) => matches(name));
  if (tools.length === 0)
    return [
      unknownName(tool, [...known.keys()], {
        code: 'W_POLICY_TOOL_UNKNOWN',
        path: ['tool'],
        message: `The rule is about no tool: none of this ${owner} is called "${tool}".`,
      }),
    ];
  const [, argument] = /^([\w-]+)(?:\.|$)/.exec(String(when?.['path'] ?? '')) ?? [];
  const names = tools.flatMap(([, own]) => own ?? []);
  const isOpen = tools.some(([, own]) => own === undefined);
  if (argument === undefined || isOpen || names.includes(argument) || when?.['exists'] === false) return [];
  return [
    unknownName(argument, names, {
      code: 'W_POLICY_ARGUMENT_UNKNOWN',
      path: ['when', 'path'],
      message: `The rule never applies: its tools have no argument "${argument}".`,
    }),
  ];
}

function unknownName(
  name: string,
  names: readonly string[],
  problem: Pick<ConfigProblem, 'code' | 'path' | 'message'>,
): ConfigProblem {
  const hint = didYouMean(name, names);
  return { ...problem, severity: 'warning', ...(hint === undefined ? {} : { hint }) };
}
