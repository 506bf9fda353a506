import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Issue, Vocabulary } from '@millrace/core';
import { readWorkflow } from '@millrace/core';
import type { Case } from './case.ts';
import type { PreparedCase } from './engines/engine.ts';
import { isolated } from './isolated.ts';
import { askedOnce } from './script.ts';

/** Result of preparing a case's workflow: it can run, or it was refused for these reasons. */
export type Preparation =
  | { readonly type: 'ready'; readonly prepared: PreparedCase }
  | { readonly type: 'refused'; readonly issues: readonly Issue[] };

/** Variables that locate the model of the recorded workflows; nothing answers there, because the script does. */
const environment = { BASE_URL: 'http://127.0.0.1:9/v1', API_KEY: 'scripted' };

/** Reads a case's workflow the way the original engine means it. */
export function prepare(golden: Case, vocabulary: Vocabulary): Preparation {
  const { workflow, issues } = readWorkflow(
    { file: golden.workflowFile, text: readFileSync(golden.workflowFile, 'utf8') },
    { vocabulary, mode: 'run', compat: 'chatdev', environment, variables: golden.vars, readFile },
  );
  const errors = issues.filter((issue) => issue.severity === 'error');
  if (workflow === undefined || errors.length > 0) return { type: 'refused', issues: errors };
  const { people, clockStep } = golden;
  return {
    type: 'ready',
    prepared: {
      workflow: { ...isolated(workflow, golden), compat: 'chatdev', script: askedOnce(golden.script) },
      input: golden.input,
      attachments: golden.attachments.map((path) => ({ name: basename(path), bytes: readFileSync(path) })),
      setting: clockStep === undefined ? { people } : { people, clockStep },
    },
  };
}

/** A subgraph's file: beside the file that names it, or in the folder of workflows around it. */
function readFile(path: string, from: string): { file: string; text: string } | undefined {
  const folder = dirname(from);
  const candidates = isAbsolute(path)
    ? [path]
    : [join(folder, path), join(folder, '../yaml_instance', path), join(folder, '..', path)];
  const file = candidates.find((candidate) => existsSync(candidate));
  return file === undefined ? undefined : { file, text: readFileSync(file, 'utf8') };
}
