import type { Run, RunHandle } from '@millrace/client';
import type { LoadCommand } from '../../process/cli.ts';

/** Commands that control a run, in the order of `--help`. */
export const controlCommands: Readonly<Record<string, LoadCommand>> = {
  pause: actionOnRun('pause a run; executing activations may finish', (run) => run.pause()),
  resume: async () => (await import('./resume.ts')).addResume,
  stop: async () => (await import('./stop.ts')).addStop,
  signal: async () => (await import('./signal.ts')).addSignal,
  retry: actionOnRun('continue a failed run from its failures; finished work is kept', (run) => run.retry()),
};

/** Returns the loader of a command whose only input is the run. */
function actionOnRun(description: string, perform: (run: RunHandle) => Promise<Run>): LoadCommand {
  return async (name) => {
    const { actOnRun } = await import('../../follow/act-on-run.ts');
    return (program, cli) =>
      program
        .command(name)
        .description(description)
        .addHelpText('after', `\nExample:\n  millrace ${name} run_0199a1b2`)
        .argument('<run>', 'id of the run, or the beginning of it')
        .option('--json', 'print {runId, status}')
        .action(async (run: string, { json }: { json?: boolean }) =>
          actOnRun(cli, { run, json: json === true, perform }),
        );
  };
}
