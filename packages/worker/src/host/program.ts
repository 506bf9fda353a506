import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlanNode, Program, ProgramFiles, ProgramRun, RunId } from '@millrace/core';
import type { ActivationContext } from '../context/activation-context.ts';
import type { ActivationFiles } from '../context/activation-files.ts';
import { assertPresent } from '../context/activation-files.ts';
import { resolveSecrets } from '../context/secrets.ts';
import type { Steps } from '../context/steps.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { resolveInside } from '../files/confined-path.ts';
import { openWorkspace } from '../files/workspace.ts';
import type { CapturedOutput, ProcessCommand, ProcessResult } from '../programs/child-process.ts';
import { runProcess } from '../programs/child-process.ts';
import { programEnvironment } from '../programs/config.ts';

interface ProgramContext {
  readonly context: ActivationContext;
  readonly node: PlanNode;
  readonly steps: Steps;
  readonly openFiles: () => Promise<ActivationFiles>;
  readonly signal: AbortSignal;
}

/** Runs a program of a node, in a step: one that has ended is not run again. */
export function runProgram(worker: WorkerContext, callContext: ProgramContext, program: Program): Promise<ProgramRun> {
  const { context, node, steps } = callContext;
  const name = nameOf(program, () => scriptName(context, node));
  return steps.run({
    name: `run ${name}`,
    request: program,
    effect: 'program',
    action: async () => ({ value: await executeProgram(worker, callContext, program) }),
  });
}

/** Runs a program of a node as a part of a step. */
export async function executeProgram(
  worker: WorkerContext,
  { context, node, openFiles, signal }: Omit<ProgramContext, 'steps'>,
  program: Program,
): Promise<ProgramRun> {
  const workspace = (await openFiles()).workspace.directory;
  const script = join(
    workspace,
    nameOf(program, () => scriptName(context, node)),
  );
  return execute(worker, { workspace, script, run: context.wake.run, node, signal }, program);
}

/** File of a script that leaves none: a name that no program of a person is likely to have. */
const temporaryName = '.millrace-code.py';

function nameOf({ script, isTemporary }: Program, nodeName: () => string): string {
  if (typeof script !== 'string') return script.main;
  return isTemporary ? temporaryName : nodeName();
}

/** `<id>.py` for the first execution of the node, `<id>_run-<n>.py` from the second on; units count on. */
function scriptName({ runs, record, scope }: ActivationContext, { id }: PlanNode): string {
  const unit = scope.type === 'map' || scope.type === 'tree' ? (record.unit ?? 0) : 0;
  const n = runs + unit + 1;
  return `${id.replaceAll(/[^0-9A-Za-z_-]/gu, '_')}${n > 1 ? `_run-${n}` : ''}.py`;
}

interface ProgramSite {
  readonly workspace: string;
  readonly script: string;
  readonly run: RunId;
  readonly node: PlanNode;
  readonly signal: AbortSignal;
}

async function execute(worker: WorkerContext, site: ProgramSite, program: Program): Promise<ProgramRun> {
  const { workspace, script } = site;
  await assertPresent(workspace);
  if (typeof program.script === 'string') {
    // An earlier program may have left something else under this name, such as a link to a file that is not its own.
    await rm(script, { recursive: true, force: true });
    await writeFile(script, `${program.script}\n`, { flag: 'wx' });
  } else {
    await replaceFiles(workspace, program.script);
  }
  try {
    return await executeScript(worker, site, program);
  } finally {
    // The program may have put something else there.
    if (program.isTemporary) await rm(script, { recursive: true, force: true });
  }
}

async function executeScript(
  worker: WorkerContext,
  { workspace, script, run, node, signal }: ProgramSite,
  program: Program,
): Promise<ProgramRun> {
  const interpreter = await worker.interpreters.find(program.interpreter, workspace);
  if (interpreter === undefined) return { workspace, script, stdout: '', stderr: '', end: { type: 'missing' } };
  const { file, installation } = interpreter;
  const command = commandOf(program, { file, workspace, script, node: node.id, secret: worker.secret });
  const confined = await worker.sandbox.confine(command, { seconds: program.timeoutSeconds, run, installation });
  const ended = await runProcess(confined, { timeoutMs: program.timeoutSeconds * 1000, signal });
  return { workspace, script, ...readable(ended, program.encoding) };
}

interface CommandSite extends Pick<WorkerContext, 'secret'> {
  /** The program that executes the script. */
  readonly file: string;
  readonly workspace: string;
  readonly script: string;
  readonly node: string;
}

/** Returns the command of a program, before it is confined. */
export function commandOf(program: Program, { file, workspace, script, node, secret }: CommandSite): ProcessCommand {
  const written = Object.entries(program.env).map(([name, value]) => [name, resolveSecrets(value, secret)]);
  const env = {
    ...programEnvironment(),
    ...Object.fromEntries(written),
    MAC_CODE_WORKSPACE: workspace,
    MAC_CODE_SCRIPT: script,
    MAC_NODE_ID: node,
  };
  return { file, args: [...program.args, script], cwd: workspace, env };
}

async function replaceFiles(workspace: string, { files, main }: ProgramFiles): Promise<void> {
  for (const name of await readdir(workspace)) {
    if (name !== 'attachments') await rm(join(workspace, name), { recursive: true, force: true });
  }
  const { write } = openWorkspace(workspace);
  for (const { path, text } of files) await write(path, text, 'overwrite');
  await resolveInside(workspace, main);
}

function readable(
  { code, stdout, stderr }: ProcessResult,
  encoding: string,
): Pick<ProgramRun, 'stdout' | 'stderr' | 'end'> {
  return {
    stdout: textOf(stdout, encoding),
    stderr: textOf(stderr, encoding),
    end: code === undefined ? { type: 'timed out' } : { type: 'exited', code },
  };
}

function textOf({ start, total }: CapturedOutput, encoding: string): string {
  const isCut = total > start.length;
  // A character that the cut has split is left out.
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(start, { stream: isCut });
  return isCut ? `${text}\n[cut: the first ${start.length} of ${total} bytes]\n` : text;
}
