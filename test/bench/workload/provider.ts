import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

const program = 'test/support/provider/run.mjs';

/** A model provider in a process of its own. */
export interface Provider {
  /** Address of a server that has the API of OpenAI. */
  readonly url: string;
  close(): void;
}

/** Starts the model provider of the tests. */
export async function startProvider(): Promise<Provider> {
  const port = await freePort();
  const child = spawn(process.execPath, [program, '--port', String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`the model provider of the benchmark has ended with ${code}`)));
  });
  child.stdout.resume();
  return { url: `http://127.0.0.1:${port}/compatible/v1`, close: () => void child.kill('SIGINT') };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  server.close();
  await once(server, 'close');
  return port;
}

/** Asks the model twice and reads the replies, as an agent with one tool call does. */
export async function askTwice(url: string): Promise<void> {
  const [first] = (await ask(url, [question])).choices;
  if (first === undefined) throw new Error('the model provider of the benchmark gave no reply');
  const [call] = first.message.tool_calls ?? [];
  await ask(url, [question, first.message, { role: 'tool', tool_call_id: call?.id, content: 'noted' }]);
}

const question = { role: 'user', content: 'go' };
const tool = {
  type: 'function',
  function: {
    name: 'note',
    description: 'Notes a word.',
    parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  },
};

interface ChatReply {
  readonly choices: readonly { readonly message: { readonly tool_calls?: readonly { readonly id: string }[] } }[];
}

async function ask(url: string, messages: readonly unknown[]): Promise<ChatReply> {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
    body: JSON.stringify({ model: 'bench', messages, tools: [tool] }),
  });
  if (!response.ok)
    throw new Error(`the model provider of the benchmark answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as ChatReply; // a server of ours
}
