import { chmodSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { ProgramResult } from '@millrace/runtime/find-redis';
import { runProgram } from '@millrace/runtime/find-redis';

/**
 * Installs redis-server, where that is possible. Its service is neither started nor enabled. Returns whether it was
 * installed.
 */
export async function installRedis(report: (line: string) => void): Promise<boolean> {
  if (!(await installPackage('redis-server', report))) return false;
  await runProgram('systemctl', ['disable', 'redis-server'], 30_000);
  return true;
}

/** Debian's convention that installing a package must not start its service: this program exits with 101. */
const policy = '/usr/sbin/policy-rc.d';
const setAside = `${policy}.before-millrace`;
const refuseAll = '#!/bin/sh\nexit 101\n';

/**
 * Installs a package with apt, where that is possible: as root on Debian or Ubuntu. Services of it are not started.
 * Returns whether it was installed.
 */
export async function installPackage(name: string, report: (line: string) => void): Promise<boolean> {
  if (process.getuid?.() !== 0) return false;
  if ((await runProgram('apt-get', ['--version'], 10_000)).type !== 'done') return false;
  report(`installing ${name} with apt-get`);
  const result = await withoutServices(async () => {
    const first = await apt(['install', '-y', '--no-install-recommends', name]);
    if (first.type === 'done') return first;
    // A fresh machine or image has no package lists, or outdated ones.
    await apt(['update']);
    return apt(['install', '-y', '--no-install-recommends', name]);
  });
  if (result.type !== 'done') report(`apt-get could not install ${name}: ${lastLine(result)}`);
  return result.type === 'done';
}

async function withoutServices<T>(install: () => Promise<T>): Promise<T> {
  // A crash between the two renames has left the original there.
  if (existsSync(setAside)) renameSync(setAside, policy);
  const before = existsSync(policy);
  if (before) renameSync(policy, setAside);
  try {
    writeFileSync(policy, refuseAll);
    chmodSync(policy, 0o755);
    return await install();
  } finally {
    if (before) renameSync(setAside, policy);
    else rmSync(policy, { force: true });
  }
}

const apt = (args: readonly string[]): Promise<ProgramResult> =>
  runProgram('env', ['DEBIAN_FRONTEND=noninteractive', 'apt-get', '-o', 'DPkg::Lock::Timeout=300', ...args], 600_000);

const lastLine = (result: ProgramResult): string =>
  result.type === 'failed' ? (result.output.split('\n').at(-1) ?? '') : result.type;
