import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataDirectory } from './data-directory.ts';

describe('the directory of local data', () => {
  const before = process.cwd();
  let cwd: string;
  beforeEach(() => {
    cwd = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-data-')));
    process.chdir(cwd);
  });
  afterEach(() => {
    process.chdir(before);
    rmSync(cwd, { recursive: true });
  });

  it('is one for each user: below XDG_DATA_HOME, or else the home directory', () => {
    const ofUser = { directory: join(homedir(), '.millrace'), directoryOrigin: 'user' };
    expect(dataDirectory({})).toEqual(ofUser);
    expect(dataDirectory({ XDG_DATA_HOME: 'relative', MILLRACE_DIR: '' })).toEqual(ofUser);
    expect(dataDirectory({ XDG_DATA_HOME: '/data' }).directory).toBe('/data/millrace');
  });

  it('is .millrace of the working directory where that exists', () => {
    mkdirSync('.millrace');
    expect(dataDirectory({ XDG_DATA_HOME: '/data' })).toEqual({
      directory: join(cwd, '.millrace'),
      directoryOrigin: 'working directory',
    });
  });

  it('is that of MILLRACE_DIR before all others', () => {
    mkdirSync('.millrace');
    expect(dataDirectory({ MILLRACE_DIR: 'here', XDG_DATA_HOME: '/data' })).toEqual({
      directory: 'here',
      directoryOrigin: 'environment',
    });
  });
});
