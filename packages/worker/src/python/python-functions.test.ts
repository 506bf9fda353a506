import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openPythonFunctions } from './python-functions.ts';

/** Writes to every descriptor behind the standard ones, among which is the pipe of the answers. */
const noisy = `import os
for descriptor in range(3, 32):
    try:
        os.write(descriptor, b'something else\\n')
    except OSError:
        pass

def shout(data):
    return True
`;

it('ends the process of functions that write to the pipe of its answers, and says so', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-functions-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const kind of ['edge', 'edge_processor', 'function_calling', 'termination']) mkdirSync(join(directory, kind));
  writeFileSync(join(directory, 'edge', 'shout.py'), noisy);

  await expect(openPythonFunctions({ directory, report: () => undefined })).rejects.toMatchObject({
    code: 'PYTHON_REPLY_INVALID',
    message: expect.stringContaining('a line that is no answer: something else'),
  });
});
