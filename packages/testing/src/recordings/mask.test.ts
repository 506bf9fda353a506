import { describe, expect, it } from 'vitest';
import { createMask } from './mask.ts';

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLW9mLWl0';
const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIEow+CANARY/IBAAKCAQEA\n-----END RSA PRIVATE KEY-----';

/** Secrets in their well-known forms, each with what must not be left of it. */
const forms: readonly (readonly [string, string, string])[] = [
  ['a key of OpenAI', 'use sk-proj-CANARYcanary0123456789 now', 'CANARY'],
  ['a key of Google', 'AIzaCANARY89012345678901234567890123456', 'CANARY'],
  ['a key id of AWS', 'AKIACANARY0123456789', 'CANARY'],
  ['a secret key of AWS', 'aws_secret_access_key = CANARYabcdefghijklmnopqrstuvwxyz0123456789', 'CANARY'],
  ['a token of GitHub', 'ghp_CANARY7890123456789012345678901234567', 'CANARY'],
  ['a token of Slack', 'xoxb-CANARY-0123456789', 'CANARY'],
  ['a key of Stripe', 'sk_live_CANARY0123456789ab', 'CANARY'],
  ['a JWT', `see ${jwt}.`, 'eyJzdWIiOiIxMjM0In0'],
  ['a private key', `key: ${pem}`, 'CANARY'],
  ['a header', 'Authorization: Basic Q0FOQVJZOmhpZGRlbg==', 'Q0FOQVJZ'],
  ['a password in an address', 'postgres://ann:CANARY@db.example.com/x', 'CANARY'],
  ['an assignment', '{"api_key": "CANARY-0123"}', 'CANARY'],
];

describe('a mask', () => {
  it.each(forms)('hides %s', (_what, text, canary) => {
    const hidden = createMask({ secrets: [] }).hide(text);
    expect(hidden).toContain('«secret:1»');
    expect(hidden).not.toContain(canary);
  });

  it('hides a known secret in each of its spellings by one word', () => {
    const secret = 'c"anary/42 ä?';
    const base64 = Buffer.from(secret).toString('base64');
    const texts = [
      secret,
      JSON.stringify({ secret }),
      encodeURIComponent(secret),
      base64,
      `data:text/plain;base64,${base64}`,
    ];
    const mask = createMask({ secrets: [secret] });
    const hidden = mask.hideIn({ texts, [secret]: 1 });

    expect(JSON.stringify(hidden)).not.toMatch(/anary/);
    expect(Object.keys(hidden as object)).toContain('«secret:1»');
    expect(mask.counts()).toEqual(new Map([['secret', 1]]));
  });

  it('hides addresses, numbers and own patterns if it is told to, with the same word for the same value', () => {
    const mask = createMask({ secrets: [], patterns: ['email', 'phone', 'order-\\d+'] });
    expect(mask.hide('ann@example.com wrote to bob@example.com and ann@example.com')).toBe(
      '«email:1» wrote to «email:2» and «email:1»',
    );
    expect(mask.hide('call +49 30 1234567 about order-17')).toBe('call «phone:1» about «masked:1»');
    expect(createMask({ secrets: [] }).hide('ann@example.com')).toBe('ann@example.com');
  });

  it('leaves what is hidden, references to variables, ids and hashes alone', () => {
    const mask = createMask({ secrets: [], patterns: ['[0-9a-f]{8,}', 'm1'] });
    const texts = ['m1', 'f'.repeat(64), 'a17', 'api_key: ${OPENAI_API_KEY}', 'Authorization: Bearer «secret:3»'];
    expect(mask.hideIn(texts)).toEqual(texts);
    // Numbers go on after those that are there.
    expect(mask.hide('sk-CANARYcanary0123456789')).toBe('«secret:4»');
  });

  it('hides the whole values of fields with names of secrets, and where else they are', () => {
    const mask = createMask({ secrets: [] });
    const names = [
      'password',
      'X-Api-Key',
      'client_secret',
      'Authorization',
      'access-key',
      'db_passwd',
      'token',
      'cookie',
    ];
    const fields = Object.fromEntries(names.map((name, index) => [name, `c ${index}`]));
    const lines = [
      { text: 'it is hunter2-hunter2' },
      { token: '17-a', data: { ...fields, password: 'hunter2-hunter2' } },
    ];
    const hidden = JSON.stringify(mask.hideIn(lines));

    expect(hidden).not.toMatch(/"c \d"|hunter2/);
    expect(hidden).toContain('"token":"17-a"');
    const open = { config: { api_key: '${KEY}', authorization: 'Bearer ${KEY}', secret: true, password: '' } };
    expect(mask.hideIn(open)).toEqual(open);
  });

  it('hides in contents what looks like an id, but no digests', () => {
    const mask = createMask({ secrets: [], patterns: ['phone', 'a\\d+', '[0-9a-f]{32,}'] });
    const digest = 'f'.repeat(64);
    expect(mask.hideIn({ id: 'a123', content: [{ text: '030-1234567' }, 'a123', digest, { digest }] })).toEqual({
      id: 'a123',
      content: [{ text: '«phone:1»' }, '«masked:1»', '«masked:2»', { digest }],
    });
  });

  it('hides what is around a hidden value', () => {
    const mask = createMask({ secrets: ['known-secret'], patterns: ['order .*'] });
    expect(mask.hide('order 17 known-secret for Ann')).toBe('«masked:1»«secret:1»«masked:2»');
  });

  it('is the same on what it has hidden', () => {
    const mask = createMask({ secrets: [], patterns: ['email'] });
    const hidden = mask.hide([...forms.map(([, text]) => text), 'ann@example.com'].join('\n'));
    expect(createMask({ secrets: [], patterns: ['email'] }).hide(hidden)).toBe(hidden);
  });
});
