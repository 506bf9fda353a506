import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isAlive, processMark } from './process-mark.ts';
import type { ServerHome } from './server-home.ts';

/**
 * Runs beside the server, in a separate session, so that it survives the command that started it. Every second: it
 * restarts a server that was killed if a process uses it, and stops one without users (the last user was killed,
 * otherwise it would have stopped it). A newcomer registers its use first and then checks for the file `closing`; the
 * supervisor does so in the opposite order, so one of both always sees the other. It does not restart a server that
 * ends by itself: that was stopped on purpose, or could not start and logged the reason. It kills a server whose folder was
 * removed: no process finds it any more, and its data are lost.
 */
const script = `
home=$1
cd "$home" || exit 1
shift
used() {
  for user in users/*; do
    user=\${user#users/}
    kill -0 "\${user%%.*}" 2>/dev/null && return 0
  done
  return 1
}
"$@" & server=$!
while :; do
  sleep 1
  [ "$home" -ef . ] || { kill -9 "$server"; exit 0; }
  if ! kill -0 "$server" 2>/dev/null; then
    wait "$server"
    status=$?
    [ "$status" -lt 128 ] && exit "$status"
    used || exit 0
    "$@" & server=$!
  fi
  used && continue
  : > closing
  used || { kill "$server"; wait "$server"; rm -f closing; exit 0; }
  rm -f closing
done
`;

/** Starts the server under supervision. */
export function supervise(home: ServerHome, command: readonly string[]): void {
  const child = spawn('sh', ['-c', script, 'millrace-redis', home.root, ...command], {
    detached: true,
    stdio: 'ignore',
  });
  if (child.pid !== undefined) writeFileSync(home.supervisor, processMark(child.pid));
  // Without a shell there is no pid; the wait for the server reports that it did not start.
  child.on('error', () => undefined);
  child.unref();
}

/** Returns whether a supervisor lives, so that the server runs or is about to. */
export function isSupervised(home: ServerHome): boolean {
  const mark = supervisorOf(home);
  return mark !== undefined && isAlive(mark);
}

/** Ends the supervisor immediately, for a server that has already ended. */
export function dismiss(home: ServerHome): void {
  const mark = supervisorOf(home);
  if (mark !== undefined && isAlive(mark)) process.kill(Number.parseInt(mark, 10), 'SIGKILL');
  rmSync(home.supervisor, { force: true });
}

function supervisorOf(home: ServerHome): string | undefined {
  try {
    return readFileSync(home.supervisor, 'utf8');
  } catch {
    return undefined;
  }
}
