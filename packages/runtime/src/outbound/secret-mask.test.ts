import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecretMask, secretsIn } from './secret-mask.ts';

const secret = 'sk-"canary"/ü 0123';
const mask = createSecretMask([secret]);

describe('a secret', () => {
  it.each([
    ['as it is', `Bearer ${secret}.`, 'Bearer [secret].'],
    ['in JSON', JSON.stringify({ key: secret }), '{"key":"[secret]"}'],
    ['in a URL', `?key=${encodeURIComponent(secret)}&a`, '?key=[secret]&a'],
    [
      'in a URL with digits in lower case',
      `?key=${encodeURIComponent(secret).replaceAll('%C3%BC', '%c3%bc').replaceAll('%2F', '%2f')}&a`,
      '?key=[secret]&a',
    ],
    ['in a form', `${new URLSearchParams({ key: secret })}`, 'key=[secret]'],
    ['in the JSON of Python', String.raw`{"key": "sk-\"canary\"/\u00fc 0123"}`, '{"key": "[secret]"}'],
    ['in the JSON of PHP', String.raw`{"key":"sk-\"canary\"\/\u00fc 0123"}`, '{"key":"[secret]"}'],
    ['in the JSON of .NET', String.raw`{"key":"sk-\u0022canary\u0022/\u00FC 0123"}`, '{"key":"[secret]"}'],
    ['on a page', '<b>sk-&quot;canary&quot;/ü 0123</b>', '<b>[secret]</b>'],
  ])('is hidden %s', (_how, text, hidden) => {
    expect(mask.hide(text)).toBe(hidden);
  });

  it.each([
    ['JSON of Go', String.raw`"key<\u0026>+1"`.replace('<', String.raw`\u003c`).replace('>', String.raw`\u003e`)],
    ['JSON of .NET', String.raw`"key\u003C\u0026\u003E\u002B1"`],
    ['a page', '"key&lt;&amp;&gt;+1"'],
  ])('with characters that %s escapes is hidden', (_where, text) => {
    expect(createSecretMask(['key<&>+1']).hide(text)).toBe('"[secret]"');
  });

  it('is hidden without the white space around it, which headers lose', () => {
    const spaced = createSecretMask([' from-a-file\n', ' short \n']);

    expect(spaced.hide('Bearer from-a-file, short')).toBe('Bearer [secret], short');
    expect(spaced.hide('a from-a-file\nz')).toBe('a[secret]z');
  });

  it('that begins with another one is hidden whole, however a text is split', () => {
    const both = createSecretMask(['password', 'password-2026', '-2026-and-more']);
    for (const whole of ['password-2026', 'password password-2026', 'password-2026-and-more', 'password-202']) {
      for (let cut = 0; cut <= whole.length; cut++) {
        const pieces: string[] = [];
        const stream = both.maskStream((piece) => void pieces.push(piece));
        stream.emit(whole.slice(0, cut));
        stream.emit(whole.slice(cut));
        stream.end();
        expect(pieces.join('')).toBe(both.hide(whole));
      }
      expect(both.hide(whole)).not.toMatch(/password|2026/);
    }
  });

  it('is hidden in a long text that repeats it, as fast as the text is read', () => {
    const text = `${secret} x`.repeat(50_000);
    const before = process.cpuUsage();
    const hidden = createSecretMask([secret, ...Array.from({ length: 100 }, (_, at) => `another-secret-${at}`)]).hide(
      text,
    );
    const { user } = process.cpuUsage(before);

    expect(hidden).toBe('[secret] x'.repeat(50_000));
    expect(user / 1000).toBeLessThan(1000);
  });

  it('is hidden anywhere in a value, in keys and in contents of data URIs, and the rest stays the same', () => {
    const uri = `data:text/plain;base64,${Buffer.from(`a ${secret} z`).toString('base64')}`;
    const same = { n: [1, null, true, 'text'], date: new Date(0), uri: 'data:,x' };
    const hidden = mask.hideIn({ [secret]: [{ deep: secret }], uri, same });

    expect(hidden).toEqual({
      '[secret]': [{ deep: '[secret]' }],
      uri: `data:text/plain;base64,${Buffer.from('a [secret] z').toString('base64')}`,
      same,
    });
    expect(mask.hideIn(same)).toBe(same);
  });

  it('is hidden in errors and their causes', () => {
    const error = new TypeError(`no: ${secret}`, { cause: new AggregateError([new Error(secret)], secret) });
    mask.hideInError(error);

    expect([error.message, String(error.stack), String(error.cause)].join()).not.toContain(secret);
    expect(String((error.cause as AggregateError).errors)).toBe('Error: [secret]');
    expect(error).toBeInstanceOf(TypeError);
  });

  it('is hidden however a text is split, and nothing else is lost or changed', () => {
    const words = fc.array(fc.constantFrom(secret, 'sk-', 'sk-"can', 'x', ' ', secret.slice(0, -1)), { maxLength: 8 });
    fc.assert(
      fc.property(words, fc.array(fc.nat({ max: 6 }), { minLength: 1 }), (parts, cuts) => {
        const whole = parts.join('');
        const pieces: string[] = [];
        const stream = mask.maskStream((piece) => void pieces.push(piece));
        for (let at = 0, turn = 0; at < whole.length; turn++) {
          const length = 1 + (cuts[turn % cuts.length] ?? 0);
          stream.emit(whole.slice(at, at + length));
          at += length;
        }
        stream.end();
        expect(pieces.join('')).toBe(mask.hide(whole));
      }),
    );
  });

  it('is not a text that is too short', () => {
    expect(createSecretMask(['ollama', 'none', '']).hide('ollama has none')).toBe('ollama has none');
  });

  it('is the value of a variable with such a name, or the password in an address', () => {
    const environment = {
      API_KEY: 'a-secret-key',
      MILLRACE_SECRET: 'of the installation',
      REDIS_URL: 'redis://default:p%40ssword1@redis:6379',
      HOME: '/home/ann/projects',
      KEYBOARD: 'qwertyuiop',
      BROKER: 'amqp://ann:100%sure@broker',
    };
    expect(secretsIn(environment)).toEqual(['a-secret-key', 'of the installation', 'p@ssword1', '100%sure']);
  });
});
