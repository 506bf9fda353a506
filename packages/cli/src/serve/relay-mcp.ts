import { Millrace } from '@millrace/client';
import { omitUndefined } from '@millrace/core/omit-undefined';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Config } from '../config/settings.ts';
import { aborted } from '../process/interruption.ts';
import { openMcpStdio } from './mcp-stdio.ts';

/** Time limit of a call, in milliseconds; longer than any tool waits for its run. */
const callTimeoutMs = 120_000;

/**
 * Offers the tools of an HTTP API over standard input and output, with what its key allows, until the other side goes or
 * the signal is aborted. Both sides settle the version of the protocol for themselves.
 */
export async function relayMcp(api: NonNullable<Config['api']>, signal: AbortSignal): Promise<void> {
  // Problems with the address or key are reported as by every other command.
  await new Millrace(api).runs.list({ limit: 1 }).page();
  const client = new Client({ name: 'millrace', version: '1' });
  const headers = api.apiKey === undefined ? {} : { authorization: `Bearer ${api.apiKey}` };
  const address = new URL('mcp', api.url.endsWith('/') ? api.url : `${api.url}/`);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  const instructions = client.getInstructions();
  const serve = () => {
    const options = omitUndefined({ capabilities: { tools: {} }, instructions });
    const server = new Server({ name: 'millrace', version: '1' }, options);
    server.setRequestHandler('tools/list', ({ params }, { mcpReq }) =>
      client.request(
        { method: 'tools/list', ...(params && { params }) },
        { timeout: callTimeoutMs, signal: mcpReq.signal },
      ),
    );
    server.setRequestHandler('tools/call', ({ params }, { mcpReq }) =>
      client.callTool(params, { timeout: callTimeoutMs, signal: mcpReq.signal }),
    );
    return server;
  };
  const { transport, ended } = openMcpStdio();
  const { close } = serveStdio(serve, { transport });
  await Promise.race([ended, aborted(signal)]);
  await close();
  await client.close();
}
