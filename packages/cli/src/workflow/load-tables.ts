import type { MappedTools } from '@millrace/catalog';
import type { ConfigProblem, ModelTable, Prices, RateRule, ToolRule, Vocabulary } from '@millrace/core';
import type { z } from 'zod';
import { CommandError } from '../exit/exit.ts';
import { fileInvalid } from '../exit/file-refusals.ts';
import { readCompanion } from './load-workflow.ts';

/** Reads a file with prices of models; one that cannot be used ends the command. */
export async function loadPrices(file: string): Promise<Prices> {
  const { Prices } = await import('@millrace/core');
  return load(file, Prices, 'prices: write a mapping such as `my-model: {input: 0.5, output: 1.5}`');
}

/** Reads a file with facts about models; one that cannot be used ends the command. */
export async function loadModelTable(file: string): Promise<ModelTable> {
  const { ModelTable } = await import('@millrace/core');
  return load(
    file,
    ModelTable,
    'facts about models: write a mapping with `models`, such as `models: {my-model: {context: 32768}}`',
  );
}

/** Reads a file with limits of models; one that cannot be used ends the command. */
export async function loadRateLimits(file: string): Promise<readonly RateRule[]> {
  const { RateRules } = await import('@millrace/core');
  return load(file, RateRules, 'limits: write a list such as `- {name: my-model, requests_per_minute: 60}`');
}

/** Reads the policy of the operator for calls of tools; one that cannot be used ends the command. */
export async function loadToolPolicy(file: string): Promise<readonly ToolRule[]> {
  const { graphPolicy } = await import('@millrace/catalog');
  const what = 'policy for tools: write a list such as `- {tool: transfer, do: ask}`';
  const rules = await load(file, graphPolicy.config, what);
  const errors = (graphPolicy.check?.(rules) ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return rules;
  const lines = errors.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  throw fileInvalid(`${file} holds no ${what}.\n${lines.join('\n')}`);
}

/** Returns what is likely wrong with the policy of the operator, for its log. */
export async function toolPolicyWarnings(
  rules: readonly ToolRule[],
  { tools }: Pick<Vocabulary, 'tools'>,
): Promise<readonly ConfigProblem[]> {
  const { operatorPolicyProblems } = await import('@millrace/catalog');
  return operatorPolicyProblems(rules, tools.keys()).filter(({ severity }) => severity === 'warning');
}

/** Reads a file that maps functions to tools of MCP servers; one that cannot be used ends the command. */
export async function loadMappedTools(file: string): Promise<MappedTools> {
  const { MappedTools } = await import('@millrace/catalog');
  return load(
    file,
    MappedTools,
    'map of functions: write a mapping such as `web_search: {mcp: https://search.example/mcp, tool: search, arguments: {q: $.query}}`',
  );
}

async function load<T>(file: string, schema: z.ZodType<T, unknown>, what: string): Promise<T> {
  const { parse } = await import('yaml');
  const refuse = (why: string) => fileInvalid(`${file} holds no ${what}.\n${why.trim()}`);
  let value: unknown;
  try {
    value = parse(readCompanion(file));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw refuse(error instanceof Error ? error.message : String(error));
  }
  const read = schema.safeParse(value ?? undefined);
  if (read.success) return read.data;
  throw refuse(read.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`).join('\n'));
}
