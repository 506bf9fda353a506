import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

/** Copies what was attached to files of its own, after a person has attached one more. */
const copying = `graph:
  id: copying
  start: [Ask]
  end: [Copy]
  nodes:
    - { id: Ask, type: human, config: { description: What is missing? } }
    - id: Say
      type: literal
      config:
        content: |
          import glob, os
          for path in sorted(glob.glob("attachments/*/*")):
              open(os.path.basename(path) + ".copy", "w").write(open(path).read())
          os.makedirs("deep/er", exist_ok=True)
          open("deep/er/表.txt", "w").write("0123456789")
          if glob.glob("attachments/*/strange.csv"):
              for name in ["C:evil.txt", "..\\\\evil.txt"] + ["many%d" % at for at in range(20)]:
                  open(name, "w").write(name)
    - { id: Copy, type: python, config: {} }
  edges: [{ from: Ask, to: Say }, { from: Say, to: Copy }]
`;

const api = openBeforeAll(serveApi);
const acme = openBeforeAll(() => api.tenant('acme', 'read', 'run', 'answer'));

const auth = () => ({ authorization: `Bearer ${acme.key}` });
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${api.orchestrator.url}${path}`, { headers: { ...auth(), ...headers } });

async function upload(
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = auth(),
) {
  const form = new FormData();
  form.set('file', new Blob([content]), name);
  const response = await fetch(`${api.orchestrator.url}/v1/files`, { method: 'POST', body: form, headers });
  const body = (await response.json()) as Record<string, unknown>; // an object, of whatever kind
  return { status: response.status, location: response.headers.get('location'), body, id: String(body['id']) };
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('a file over HTTP', () => {
  it('is stored unchanged under any name, and returned', async () => {
    const bytes = randomBytes(3_000_000);
    const { status, body, id, location } = await upload('../a "b" ü.bin', bytes);

    expect({ status, location }).toEqual({ status: 201, location: `/v1/files/${id}` });
    expect(body).toMatchObject({ size: bytes.length, digest: sha256(bytes), mimeType: 'application/octet-stream' });
    const given = await get(`/v1/files/${id}`);
    expect(sha256(new Uint8Array(await given.arrayBuffer()))).toBe(body['digest']);
    expect(given.headers.get('content-disposition')).toMatch(/^attachment; filename=/);
    expect(given.headers.get('x-content-type-options')).toBe('nosniff');
    expect(given.headers.get('content-length')).toBe('3000000');
  });

  it('has the type of its contents, or else that of its name', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');

    expect((await upload('page.html', png)).body['mimeType']).toBe('image/png');
    expect((await upload('notes.md', '# Notes')).body['mimeType']).toBe('text/markdown');
  });

  it('is returned in ranges', async () => {
    const { id, body } = await upload('ten.txt', '0123456789');
    const part = async (range: string, headers: Record<string, string> = {}) => {
      const response = await get(`/v1/files/${id}`, { range, ...headers });
      return [response.status, await response.text(), response.headers.get('content-range')];
    };

    expect(await part('bytes=2-4')).toEqual([206, '234', 'bytes 2-4/10']);
    expect(await part('bytes=7-')).toEqual([206, '789', 'bytes 7-9/10']);
    expect(await part('bytes=-2')).toEqual([206, '89', 'bytes 8-9/10']);
    expect(await part('bytes=0-1,5-6')).toEqual([200, '0123456789', null]);
    expect(await part('bytes=2-4', { 'if-range': '"another"' })).toEqual([200, '0123456789', null]);
    const [status, text, range] = await part('bytes=10-');
    expect([status, JSON.parse(String(text)).code, range]).toEqual([416, 'RANGE_INVALID', 'bytes */10']);
    expect((await get(`/v1/files/${id}`, { 'if-none-match': `"${body['digest']}"` })).status).toBe(304);
  });

  it('is refused when it is too large or not alone, and the server continues', async () => {
    const large = await upload('large.bin', Buffer.alloc(32 * 1024 * 1024 + 1));
    expect(large).toMatchObject({ status: 413, body: { code: 'ATTACHMENT_TOO_LARGE' } });
    const json = await acme.ask('/v1/files', { name: 'x' });
    expect(json).toMatchObject({ status: 415, body: { code: 'MEDIA_TYPE_UNKNOWN' } });
    const form = new FormData();
    form.set('text', 'no file');
    const none = await fetch(`${api.orchestrator.url}/v1/files`, { method: 'POST', body: form, headers: auth() });
    expect([none.status, await none.json()]).toEqual([400, expect.objectContaining({ code: 'FILE_MISSING' })]);
    const empty = await upload('empty.txt', '');
    expect(empty.body).toMatchObject({ size: 0 });
    // The same file is the same again.
    expect((await upload('empty.txt', '')).body).toEqual(empty.body);
    expect((await upload('other.txt', '')).id).not.toBe(empty.id);
  });

  it.each(['/v1/files', '/v1/batches'])('is refused at %s when the form cannot be read', async (path) => {
    const send = async (contentType: string, body: string | FormData) => {
      const headers = { ...auth(), ...(contentType === '' ? {} : { 'content-type': contentType }) };
      const response = await fetch(`${api.orchestrator.url}${path}`, { method: 'POST', body, headers });
      const problem = (await response.json()) as { detail: string }; // as each refusal is
      return { ...problem, status: response.status };
    };
    const twice = new FormData();
    for (const name of ['a.csv', 'b.csv']) twice.append('file', new Blob(['input\nx\n']), name);
    const half = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\ninput\n';
    const refused = { status: 400, code: 'REQUEST_INVALID' };

    expect(await send('multipart/form-data; boundary=x', 'garbage')).toMatchObject(refused);
    expect(await send('multipart/form-data; boundary=x', half)).toMatchObject(refused);
    expect(await send('multipart/form-data', half)).toMatchObject({
      ...refused,
      detail: expect.stringContaining('boundary'),
    });
    expect(await send('', twice)).toMatchObject({ ...refused, detail: expect.stringContaining('one at a time') });
  });

  it('accepts no idempotency key, and reports why', async () => {
    const kept = await upload('a.txt', 'a', { ...auth(), 'idempotency-key': 'upload' });
    expect(kept).toMatchObject({
      status: 400,
      body: { code: 'IDEMPOTENCY_UNSUPPORTED', detail: expect.stringContaining('it is the same file') },
    });
  });

  it('belongs to its tenant, even when another has the same contents', async () => {
    const { id, body } = await upload('secret.txt', 'the same');
    const other = await api.keyOf('other', 'admin');
    const theirs = await upload('mine.txt', 'the same', { authorization: `Bearer ${other}` });

    expect(theirs.body['digest']).toBe(body['digest']);
    expect((await api.ask(other, `/v1/files/${id}`)).body).toMatchObject({ code: 'FILE_UNKNOWN' });
    const started = await api.ask(other, '/v1/runs', { workflow: { yaml: copying }, attachments: [id] });
    expect(started).toMatchObject({ status: 404, body: { code: 'FILE_UNKNOWN' } });
    expect((await api.ask(other, `/v1/files/${body['digest']}`)).status).toBe(400);
  });
});

describe('the files of a run over HTTP', () => {
  it('include attachments of the task and of answers, and are fetched one by one or together', async () => {
    const [task, reply] = [await upload('task.csv', 'a,b'), await upload('reply.csv', 'c,d')];
    const started = await acme.ask('/v1/runs', { workflow: { yaml: copying }, attachments: [task.id] });
    const run = String(started.body['runId']);
    const { body } = await acme.ask(`/v1/runs/${run}?wait=30s`);
    const [question] = body['tasks'] as { id: string }[]; // it asks one
    const answer = { text: 'This.', attachments: [reply.id] };
    expect((await acme.ask(`/v1/tasks/${question?.id}/answer`, answer)).status).toBe(200);
    expect((await acme.ask(`/v1/runs/${run}?wait=30s`)).body).toMatchObject({ status: 'completed' });

    const list = await acme.ask(`/v1/runs/${run}/artifacts`);
    const files = list.body['data'] as { id: string; path: string; node: string }[]; // the shape of the list
    expect(files.map(({ path }) => path)).toEqual(['Copy.py', 'deep/er/表.txt', 'reply.csv.copy', 'task.csv.copy']);
    const idOf = (path: string) => files.find((file) => file.path === path)?.id;
    const copied = await get(`/v1/runs/${run}/artifacts/${idOf('reply.csv.copy')}`);
    expect(await copied.text()).toBe('c,d');
    const part = await get(`/v1/runs/${run}/artifacts/${idOf('deep/er/表.txt')}`, { range: 'bytes=3-5' });
    expect([part.status, await part.text()]).toEqual([206, '345']);
    expect(part.headers.get('content-disposition')).toContain("filename*=UTF-8''%E8%A1%A8.txt");

    const zip = Buffer.from(await (await get(`/v1/runs/${run}/artifacts.zip`)).arrayBuffer());
    expect(zip.subarray(0, 4).toString('latin1')).toBe('PK\x03\x04');
    for (const { path } of files) expect(zip.includes(path)).toBe(true);
    const unknown = await acme.ask(`/v1/runs/${run}/artifacts/${'0'.repeat(24)}`);
    expect(unknown).toMatchObject({ status: 404, body: { code: 'ARTIFACT_UNKNOWN' } });
  });

  it('have versions with their contents, and a digest gives access to no other contents', async () => {
    const write = (text: string) => `{content: 'open("a.txt", "w").write("${text}")'}`;
    const yaml = `graph:
  id: twice
  nodes:
    - {id: One, type: literal, config: ${write('first')}}
    - {id: First, type: python, config: {}}
    - {id: Two, type: literal, config: ${write('second')}}
    - {id: Second, type: python, config: {}}
  edges: [{from: One, to: First}, {from: First, to: Two}, {from: Two, to: Second}]`;
    const started = await acme.ask('/v1/runs', { workflow: { yaml } }, { prefer: 'wait=30' });
    const base = `/v1/runs/${started.body['runId']}/artifacts`;
    const list = (await acme.ask(base)).body['data'] as { id: string; path: string; digest: string }[]; // its shape
    const file = list.find(({ path }) => path === 'a.txt');

    const versions = await acme.ask(`${base}/${file?.id}/versions`);

    expect(versions.body['data']).toMatchObject([
      { path: 'a.txt', node: 'First', size: 5 },
      { path: 'a.txt', node: 'Second', size: 6, digest: file?.digest },
    ]);
    const [first] = versions.body['data'] as { digest: string }[]; // its shape
    expect(await (await get(`${base}/${file?.id}?digest=${first?.digest}`)).text()).toBe('first');
    expect(await (await get(`${base}/${file?.id}`)).text()).toBe('second');
    const { body: secret } = await upload('secret.txt', 'not of this run');
    const foreign = await acme.ask(`${base}/${file?.id}?digest=${String(secret['digest'])}`);
    expect(foreign).toMatchObject({ status: 404, body: { code: 'ARTIFACT_UNKNOWN' } });
  });

  it('are archived under safe names, however many there are', async () => {
    const attached = await upload('strange.csv', 'a,b');
    const warnings: unknown[] = [];
    const warned = (warning: unknown) => void warnings.push(warning);
    process.on('warning', warned);
    const started = await acme.ask('/v1/runs', { workflow: { yaml: copying }, attachments: [attached.id] });
    const run = String(started.body['runId']);
    const { body } = await acme.ask(`/v1/runs/${run}?wait=30s`);
    const [question] = body['tasks'] as { id: string }[]; // it asks one
    await acme.ask(`/v1/tasks/${question?.id}/answer`, { text: 'Nothing.' });
    expect((await acme.ask(`/v1/runs/${run}?wait=30s`)).body).toMatchObject({ status: 'completed' });

    const response = await get(`/v1/runs/${run}/artifacts.zip`);
    const zip = Buffer.from(await response.arrayBuffer());
    process.off('warning', warned);
    expect(response.status).toBe(200);
    for (const name of ['C%3Aevil.txt', '..%5Cevil.txt', 'many19']) expect(zip.includes(name)).toBe(true);
    expect(warnings).toEqual([]);
  });
});
