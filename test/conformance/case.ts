import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Expected, ScriptedHuman } from './compare/expected.ts';
import { withoutRecordedPlaces } from './places.ts';

/** A golden case as it lies on disk. */
export interface Case {
  readonly name: string;
  /** Directory of the case, with the files that it brings along. */
  readonly folder: string;
  readonly workflowFile: string;
  readonly input: string;
  /** Paths of the files that are part of its task. */
  readonly attachments: readonly string[];
  readonly vars: Readonly<Record<string, unknown>>;
  readonly script: Readonly<Record<string, unknown>>;
  readonly people: ScriptedHuman;
  /** Seconds between two readings of the clock by loop timers; absent: real time. */
  readonly clockStep?: number;
  readonly expected: Expected;
}

interface CaseFile {
  readonly input?: string;
  readonly workflow?: string;
  /** Paths in the folder of the case. */
  readonly attachments?: readonly string[];
  readonly vars?: Readonly<Record<string, unknown>>;
  readonly scriptedLLM?: Readonly<Record<string, unknown>>;
  readonly scriptedHuman?: ScriptedHuman;
  readonly options?: { readonly loop_timer_clock_step?: number };
}

/** Every case below a folder, by name. */
export function casesIn(folder: string): readonly Case[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('case.json'))
    .map((name) => join(folder, dirname(name)));
  return names.sort().map(readCase);
}

function readCase(folder: string): Case {
  // The two files were written by the recorder, or beside this suite; a broken one fails its case with a clear enough error.
  const file = JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8')) as CaseFile;
  const expected = JSON.parse(withoutRecordedPlaces(readFileSync(join(folder, 'expected.json'), 'utf8'))) as Expected;
  const clockStep = file.options?.loop_timer_clock_step;
  return {
    name: folder.split(/[\\/]/).at(-1) ?? folder,
    folder,
    workflowFile: workflowFile(folder, file.workflow),
    input: file.input ?? '',
    attachments: (file.attachments ?? []).map((path) => resolve(folder, path.replace(/^<CASE>\//, ''))),
    vars: file.vars ?? {},
    script: file.scriptedLLM ?? {},
    people: file.scriptedHuman ?? {},
    ...(clockStep === undefined ? {} : { clockStep }),
    expected,
  };
}

/** The workflow lies beside the case, or, for recorded demos, among the recorded engine's own files. */
function workflowFile(folder: string, named: string | undefined): string {
  const own = join(folder, 'workflow.yaml');
  if (named === undefined || existsSync(own)) return own;
  return resolve(folder, '../../../chatdev', named.replace(/^ChatDev\//, ''));
}
