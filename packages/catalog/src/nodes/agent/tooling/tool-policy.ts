import type { ToolAnnotations, ToolEffect, ToolPolicies, ToolRule } from '@millrace/core';
import { omitUndefined, parseDuration } from '@millrace/core';
import type { Comparison, ComparisonResult } from '../../../comparison/comparison.ts';
import { compileComparison, describeComparison } from '../../../comparison/comparison.ts';
import { toolPattern } from './tool-pattern.ts';

/*
 * Policies decide if a call of a tool is made. There are those of the tools' entry, of the graphs around it, and of the
 * operator. In each, the first rule that applies decides; of all of them, the strictest decision counts, so that nobody can
 * loosen the policy of another one. What a server says about its own tools is a hint: it can only make a decision stricter.
 */

/** A decision of policies about a call, with the rules that made it, in words. */
export type PolicyDecision =
  | { readonly do: 'allow' }
  | { readonly do: 'ask'; readonly rule: string; readonly expiresMs?: number }
  | { readonly do: 'deny'; readonly rule: string; readonly reason?: string };

/** A tool that policies decide about. */
export interface JudgedTool {
  /** Its own name. */
  readonly name: string;
  /** The name under which the model calls it. */
  readonly exposed: string;
  readonly hints: ToolHints;
}

/** Properties of a tool, as its server says, or as the installation knows for a function. */
export type ToolHints =
  | { readonly of: 'server'; readonly annotations: ToolAnnotations; readonly trusted: boolean }
  | { readonly of: 'function'; readonly effect: ToolEffect };

/** Arguments of a call, parsed from the model's JSON. */
type Arguments = Readonly<Record<string, unknown>>;

/** Decides about calls of tools. */
export type PolicyJudge = (tool: JudgedTool, args: Arguments) => Promise<PolicyDecision>;

/** A policy, and how its rules are named to people. */
interface Level {
  readonly name: string;
  readonly rules: readonly CompiledRule[];
  /** It believes the hints of servers that the workflow trusts. */
  readonly believes: boolean;
}

interface CompiledRule {
  readonly rule: ToolRule;
  readonly text: string;
  readonly names: (name: string) => boolean;
  readonly comparison: Comparison | undefined;
  readonly compare: ((args: Arguments) => Promise<ComparisonResult>) | undefined;
  /** Compares one of the values that the path of the comparison selects. */
  readonly compareValue: ((value: unknown) => Promise<ComparisonResult>) | undefined;
}

/** Returns the function that decides about calls by the policy of an entry and by all others. */
export function createPolicyJudge(own: readonly ToolRule[], { graphs, operator }: ToolPolicies): PolicyJudge {
  const levels = [
    level('policy', own, true),
    ...graphs.map((rules) => level('tool_policy', rules, true)),
    // What the author of a workflow trusts must not loosen the policy of the operator.
    level('policy of the operator', operator, false),
  ].filter(({ rules }) => rules.length > 0);
  return async (tool, args) => {
    let strictest: PolicyDecision = { do: 'allow' };
    for (const one of levels) strictest = stricter(strictest, await decideAt(one, tool, args));
    return strictest;
  };
}

const level = (name: string, rules: readonly ToolRule[], believes: boolean): Level => ({
  name,
  believes,
  rules: rules.map((rule) => ({
    rule,
    text: textOf(rule),
    names: toolPattern(rule.tool ?? '*'),
    // Of the schema of rules.
    comparison: rule.when as Comparison | undefined,
    compare: rule.when && compileComparison(rule.when as Comparison),
    compareValue: rule.when && compileComparison({ ...rule.when, path: '$' }),
  })),
});

/** Returns a rule in words, such as `transfer when amount above 100`. */
function textOf({ tool, annotation, when }: ToolRule): string {
  const named = tool ?? (annotation === undefined ? 'all tools' : 'tools');
  return [
    annotation === undefined ? named : `${named} that are ${annotation.replace('_', '-')}`,
    ...(when === undefined ? [] : [`when ${describeComparison(when as Comparison)}`]),
  ].join(' ');
}

const ranks = { allow: 0, ask: 1, deny: 2 } as const;

function stricter(one: PolicyDecision, other: PolicyDecision): PolicyDecision {
  if (ranks[other.do] > ranks[one.do]) return other;
  if (one.do !== 'ask' || other.do !== 'ask') return one;
  const expiresMs = Math.min(one.expiresMs ?? Number.POSITIVE_INFINITY, other.expiresMs ?? Number.POSITIVE_INFINITY);
  return { do: 'ask', rule: `${one.rule}; ${other.rule}`, ...(Number.isFinite(expiresMs) ? { expiresMs } : {}) };
}

async function decideAt({ name, rules, believes }: Level, tool: JudgedTool, args: Arguments): Promise<PolicyDecision> {
  for (const compiled of rules) {
    if (!(await applies(compiled, { tool, args, believes }))) continue;
    const { rule, text } = compiled;
    if (rule.do === 'allow') return { do: 'allow' };
    const named = `${name}: ${text}`;
    if (rule.do === 'deny') return { do: 'deny', rule: named, ...omitUndefined({ reason: rule.reason }) };
    const expiresMs = rule.expires === undefined ? undefined : parseDuration(rule.expires);
    return { do: 'ask', rule: named, ...omitUndefined({ expiresMs }) };
  }
  return { do: 'allow' };
}

interface JudgedCall {
  readonly tool: JudgedTool;
  readonly args: Arguments;
  readonly believes: boolean;
}

async function applies(
  { rule, names, comparison, compare, compareValue }: CompiledRule,
  { tool, args, believes }: JudgedCall,
): Promise<boolean> {
  const restricts = rule.do !== 'allow';
  // A prefix, which the author chooses, must not lead to a rule that allows another tool.
  if (!names(tool.name) && !(restricts && names(tool.exposed))) return false;
  if (rule.annotation !== undefined && !hasHint(tool.hints, rule.annotation, { restricts, believes })) return false;
  if (compare === undefined || comparison === undefined) return true;
  const compared = await compare(args);
  if (compared.type === 'holds') return true;
  if (!restricts) return false;
  return compared.values.some((value) => isOfAnotherType(value, comparison)) || hasUnfit(compared.values, compareValue);
}

/** Returns whether a value has another type than all those that a rule names, such as a list in place of a text. */
function isOfAnotherType(value: unknown, { equals, in: list }: Comparison): boolean {
  const named = equals === undefined ? list : [equals];
  return named?.every((one) => one !== null && typeOf(one) !== typeOf(value)) === true;
}

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value);

/** Returns whether a value cannot be compared as a rule says, such as a number as text: it must not evade the rule. */
async function hasUnfit(values: readonly unknown[], compareValue: CompiledRule['compareValue']): Promise<boolean> {
  for (const value of values) if ((await compareValue?.(value))?.type === 'missing') return true;
  return false;
}

function hasHint(
  hints: ToolHints,
  hint: NonNullable<ToolRule['annotation']>,
  { restricts, believes }: { readonly restricts: boolean; readonly believes: boolean },
): boolean {
  if (hints.of === 'function') {
    const { effect } = hints;
    return { destructive: effect !== 'read', read_only: effect === 'read', idempotent: effect !== 'once' }[hint];
  }
  const { readOnlyHint = false, destructiveHint = true, idempotentHint = false } = hints.annotations;
  const trusted = hints.trusted && believes;
  const said = {
    destructive: !readOnlyHint && destructiveHint,
    read_only: readOnlyHint,
    idempotent: readOnlyHint || idempotentHint,
  }[hint];
  if (trusted) return said;
  // Not to be destructive is a hint that would loosen the policy.
  return restricts && (said || hint === 'destructive');
}
