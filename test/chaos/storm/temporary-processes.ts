import { setTimeout as sleep } from 'node:timers/promises';
import type { RunId } from '@millrace/core';
import { ask } from '../../support/http/http.ts';
import type { RunningCommand } from '../../support/processes/millrace.ts';
import { startMillrace } from '../../support/processes/millrace.ts';
import type { Fleet } from '../../support/runs/fleet.ts';
import type { Scenario } from '../../support/runs/scenario.ts';

/** Long enough for a run to be under way when the pair is killed. */
const delayMs = 800;

/** A server and a worker that take part in a storm for a while. */
export interface TemporaryProcesses {
  /** Starts both with these variables; resolves when the server answers and the worker takes work. */
  join(env: Readonly<Record<string, string>>): Promise<TemporaryPair>;
  /** Kills all that are left. */
  close(): Promise<void>;
}

/** A server and a worker. */
export interface TemporaryPair {
  /** Starts a run under this id through the server. */
  start(run: RunId, scenario: Scenario): Promise<void>;
  kill(): Promise<void>;
}

/** Starts processes at the Redis of a fleet. */
export function openTemporaryProcesses(fleet: Fleet): TemporaryProcesses {
  const alive = new Set<RunningCommand>();
  const start = (args: readonly string[], env: Readonly<Record<string, string>>): RunningCommand => {
    const running = startMillrace(args, { env: { ...env, REDIS_URL: fleet.proxy.url } });
    alive.add(running);
    return running;
  };
  const kill = async (processes: Iterable<RunningCommand>): Promise<void> => {
    for (const running of processes) {
      await running.stop('SIGKILL');
      alive.delete(running);
    }
  };
  return {
    async join(env) {
      const server = start(['serve', '--port', '0'], env);
      const worker = start(['worker', '--concurrency', '4'], env);
      const [[, url = '']] = await Promise.all([server.says(/HTTP API is at (\S+)/), worker.says(/Working on runs/)]);
      return {
        async start(run, scenario) {
          const order = { runId: run, workflow: { yaml: scenario.yaml(delayMs) }, input: scenario.input };
          for (;;) {
            const { status, body } = await ask(`${url}/v1/runs`, order);
            if (status < 300) return;
            if (status !== 503) throw new Error(`a run was not started: ${status} ${JSON.stringify(body)}`);
            await sleep(100);
          }
        },
        kill: () => kill([server, worker]),
      };
    },
    close: () => kill([...alive]),
  };
}
