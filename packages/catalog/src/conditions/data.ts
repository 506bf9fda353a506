import type { ConfigProblem } from '@millrace/core';
import { dataOf, defineCondition, didYouMean } from '@millrace/core';
import { z } from 'zod';
import type { ComparisonResult } from '../comparison/comparison.ts';
import {
  Comparison,
  ComparisonFields,
  comparisonNames,
  comparisonProblems,
  compileComparison,
  describeComparison,
} from '../comparison/comparison.ts';
import { comparisonShapeProblems, routesOf } from '../schema/data-shape.ts';

/** Configuration of a `data` condition. */
export const DataConfig = ComparisonFields.extend({ path: Comparison.shape.path.optional() }).catchall(
  z.union([z.string(), z.number(), z.boolean(), z.null()], {
    error: 'Write a text, a number, true, false or null; for others write `path` and `equals`.',
  }),
);
type DataConfig = z.infer<typeof DataConfig>;

/**
 * Condition that compares a field of structured data: those that a message carries, or a text that is a JSON object. A
 * field that does not exist, or has another type than the comparison, lets nothing pass, with a warning.
 */
export const dataCondition = defineCondition({
  type: 'data',
  summary: 'Compares a field of structured data, or of a text that is a JSON object.',
  config: DataConfig,
  check(config) {
    const problems = formProblems(config);
    return problems.length > 0 ? problems : comparisonsOf(config).flatMap((one) => problemsOf(one, config));
  },
  checkData: (config, shape) =>
    comparisonsOf(config).flatMap((comparison) =>
      comparisonShapeProblems(shape, comparison, {
        path: isLong(config) ? ['path'] : [comparison.path],
        at: (name) => [isLong(config) ? name : comparison.path],
      }),
    ),
  routes: (config, shape) => routesOf(shape, comparisonsOf(config)),
  describe: (config) => comparisonsOf(config).map(describeComparison).join(' and '),
  compile(config) {
    const comparisons = comparisonsOf(config).map((comparison) => ({
      path: comparison.path,
      compare: compileComparison(comparison),
    }));
    return async (_text, message, warn) => {
      const data = dataOf(message);
      for (const { path, compare } of comparisons) {
        const result = await compare(data);
        if (result.type === 'missing')
          warn({ code: 'W_DATA_MISSING', message: sentence(path, message.source, result) });
        if (result.type !== 'holds') return false;
      }
      return true;
    };
  },
});

const sentence = (path: string, source: string, { reason }: Exclude<ComparisonResult, { type: 'holds' }>): string =>
  `A condition on the data of "${source}" does not hold: "${path}" ${reason}`;

/** The long form has a path and its comparisons, the short one the values of several fields. */
const isLong = ({ path }: DataConfig): boolean => path !== undefined;

/** Returns the comparisons of a configuration, which must all hold. */
function comparisonsOf(config: DataConfig): readonly Comparison[] {
  const { path } = config;
  if (path !== undefined) return [{ ...config, path }];
  return Object.entries(config).map(([name, equals]) => ({ path: name, equals }));
}

/** Returns the problems of a comparison; the path of one in the short form is a key. */
const problemsOf = (comparison: Comparison, config: DataConfig): readonly ConfigProblem[] =>
  comparisonProblems(comparison).map((problem) =>
    isLong(config) ? problem : { ...problem, path: [comparison.path, ...problem.path.slice(1)] },
  );

/** Returns the problems of what is written beside the comparisons. */
function formProblems(config: DataConfig): readonly ConfigProblem[] {
  const problem = (path: ConfigProblem['path'], message: string, hint?: string): ConfigProblem => ({
    code: 'E_FIELD_INVALID',
    severity: 'error',
    path,
    message,
    ...(hint === undefined ? {} : { hint }),
  });
  const names = Object.keys(config).filter((name) => name !== 'path');
  if (isLong(config)) {
    return names
      .filter((name) => !comparisonNames.includes(name))
      .map((name) =>
        problem(
          [name],
          `"${name}" is not a comparison`,
          didYouMean(name, comparisonNames) ?? `Comparisons: ${comparisonNames.join(', ')}.`,
        ),
      );
  }
  if (names.length === 0) return [problem([], 'Write a path and a comparison, or a field and its value')];
  return names
    .filter((name) => comparisonNames.includes(name))
    .map((name) => problem([name], `"${name}" has no path`, `Write "path" beside "${name}".`));
}
