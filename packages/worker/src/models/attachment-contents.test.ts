import type { ChatMessage } from '@millrace/core';
import { messageWithAttachments } from '@millrace/core';
import { attach, createMemoryBlobs } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { withAttachmentContents } from './attachment-contents.ts';

const reader = { compat: false, provider: 'openai', tools: [], warn: () => undefined };

it('reads attachments at the time of the call, and leaves the message unchanged', async () => {
  const blobs = createMemoryBlobs();
  const attached = await attach(blobs, { name: 'cat.png', bytes: Buffer.from('cat') });
  const message: ChatMessage = messageWithAttachments('look', [attached], 'TASK');

  const [sent] = await withAttachmentContents(blobs, [message], reader);

  expect(attached).toMatchObject({ mimeType: 'image/png', size: 3 });
  expect(sent?.content[1]).toMatchObject({ type: 'image', attachment: { uri: 'data:image/png;base64,Y2F0' } });
  expect(JSON.stringify(message)).not.toContain('Y2F0');
});

it('interrupts an attempt whose attachment is missing on this worker', async () => {
  const attached = await attach(createMemoryBlobs(), { name: 'cat.png', bytes: Buffer.from('cat') });
  const pendingRequest = withAttachmentContents(
    createMemoryBlobs(),
    [messageWithAttachments('look', [attached], 'TASK')],
    reader,
  );

  await expect(pendingRequest).rejects.toMatchObject({
    name: 'Interrupted',
    message: expect.stringContaining('MILLRACE_BLOBS'),
  });
});
