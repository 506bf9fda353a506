import { mkdirSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { directoryBeforeEach } from '../../../../test/support/fixtures.ts';
import { dataDirectory } from './data-directory.ts';

describe('the directory of local data', () => {
  const before = process.cwd();
  const cwd = directoryBeforeEach();
  beforeEach(() => {
    process.chdir(cwd);
  });
  afterEach(() => {
    process.chdir(before);
  });

  it('is one for each user: below XDG_DATA_HOME, or else the home directory', () => {
    const ofUser = { directory: join(homedir(), '.millrace'), directoryOrigin: 'user' };
    expect(dataDirectory({})).toEqual(ofUser);
    expect(dataDirectory({ XDG_DATA_HOME: 'relative', MILLRACE_DIR: '' })).toEqual(ofUser);
    expect(dataDirectory({ XDG_DATA_HOME: '/data' }).directory).toBe('/data/millrace');
  });

  it('is not the working directory where HOME is empty', () => {
    vi.stubEnv('HOME', '');
    const { directory } = dataDirectory({});
    vi.unstubAllEnvs();

    expect(directory).toBe(join(userInfo().homedir, '.millrace'));
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
