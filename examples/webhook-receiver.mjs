// A receiver of webhooks without dependencies: PORT=8080 WEBHOOK_SECRET=whsec_… node examples/webhook-receiver.mjs
// The signature follows https://www.standardwebhooks.com: HMAC-SHA-256 of id, time and body.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { env } from 'node:process';
import { text } from 'node:stream/consumers';

const { PORT = '8080', WEBHOOK_SECRET = '' } = env;
const key = Buffer.from(WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64');
if (key.length === 0) throw new Error('Set WEBHOOK_SECRET to the secret of the webhook.');
const toleranceSeconds = 300;
/** Ids of events that were handled: one that is delivered again counts once. A real receiver keeps them in its database. */
const handled = new Set();

function isGenuine({ 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures = '' }, body) {
  if (Math.abs(Date.now() / 1000 - Number(time)) <= toleranceSeconds) {
    const expected = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest();
    return signatures.split(' ').some((one) => {
      const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
  return false;
}

const server = createServer(async (request, response) => {
  const body = await text(request);
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  const id = request.headers['webhook-id'];
  // Answer soon; do long work afterwards.
  response.writeHead(204).end();
  if (handled.has(id)) return;
  handled.add(id);
  const { type, data } = JSON.parse(body);
  process.stdout.write(`${type} ${data.runId} ${data.status ?? data.prompt ?? ''}\n`);
});
server.listen(Number(PORT), '127.0.0.1', () => process.stdout.write(`Listening on port ${server.address().port}\n`));
