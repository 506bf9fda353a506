import type { Issue, Vocabulary, Workflow } from '@millrace/core';
import { readWorkflow } from '@millrace/core';
import type { ProblemDetail } from './contracts/problem.ts';
import type { StartRun } from './contracts/run.ts';
import { Refused } from './refusal.ts';

/**
 * The workflow that a request brings. It sees neither the files nor the environment of this process. Throws Refused
 * with the place of every error.
 */
export function readDefinition({ workflow: { yaml }, vars, compat }: StartRun, vocabulary: Vocabulary): Workflow {
  const { workflow, issues } = readWorkflow(
    { file: 'workflow.yaml', text: yaml },
    {
      vocabulary,
      mode: 'run',
      ...(vars === undefined ? {} : { variables: vars }),
      ...(compat === undefined ? {} : { compat }),
    },
  );
  if (workflow !== undefined) return workflow;
  const errors = issues.filter(({ severity }) => severity === 'error');
  const count = errors.length === 1 ? 'an error' : `${errors.length} errors`;
  throw new Refused('WORKFLOW_INVALID', `The workflow has ${count}; nothing was started.`, errors.map(detailOf));
}

const detailOf = ({ code, path, message, hint, line, column }: Issue): ProblemDetail => ({
  code,
  pointer: path,
  detail: message,
  line,
  column,
  ...(hint === undefined ? {} : { hint }),
});
