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
  ])('is hidden %s', (_how, text, hidden) => {
    expect(mask.hide(text)).toBe(hidden);
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
