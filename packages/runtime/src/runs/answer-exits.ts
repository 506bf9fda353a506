import type { GraphPlan, PlanEdge, PlanNode } from '@millrace/core';
import type { AnswerExit, TextTest } from '../contract/answer-exit.ts';

/** Returns the nodes that the answer to a human node leads to, in the order of the edges. */
export const answerExits = ({ nodes, edges }: GraphPlan, { index }: PlanNode): readonly AnswerExit[] =>
  edges
    .filter(({ from, trigger, onError }) => from === index && trigger && !onError)
    .map((edge) => ({
      to: nodes[edge.to]?.id ?? '',
      ...(edge.conditionText === undefined ? {} : { condition: edge.conditionText }),
      ...testOf(edge),
    }));

/** Configuration of a `keyword` or `regex` condition, as the catalogue has parsed it. */
interface TextTestConfig {
  readonly any?: readonly string[];
  readonly all?: readonly string[];
  readonly none?: readonly string[];
  readonly regex?: readonly string[];
  readonly case_sensitive?: boolean;
  readonly pattern?: string;
  readonly flags?: readonly string[];
}

function testOf({ condition }: PlanEdge): { readonly test?: TextTest } {
  if (condition === null) return {};
  const config = condition.config as TextTestConfig; // only the two types below are looked at
  if (condition.type === 'keyword') {
    const { any = [], all = [], none = [], regex = [], case_sensitive: caseSensitive = true } = config;
    return { test: { any, all, none, patterns: regex, flags: caseSensitive ? [] : ['IGNORECASE'] } };
  }
  if (condition.type !== 'regex' || config.pattern === undefined) return {};
  return { test: { any: [], all: [], none: [], patterns: [config.pattern], flags: [...(config.flags ?? [])] } };
}
