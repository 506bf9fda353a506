import { describe, expect, it, vi } from 'vitest';
import { NodeError } from './errors.ts';

class SpecialError extends NodeError {}

describe('NodeError', () => {
  it('recognizes errors of another copy of the class, which an extension may have loaded', async () => {
    vi.resetModules();
    const copy = await import('./errors.ts');
    const error: unknown = new copy.NodeError('LIMIT', 'Too many.', { transient: true });

    expect(copy.NodeError).not.toBe(NodeError);
    expect(error).toBeInstanceOf(NodeError);
    expect(error).not.toBeInstanceOf(SpecialError);
  });

  it('tells its subclasses, and other errors, apart', () => {
    const special = new SpecialError('SPECIAL', 'An error.');

    expect(special).toBeInstanceOf(SpecialError);
    expect(special).toBeInstanceOf(NodeError);
    expect(new NodeError('PLAIN', 'An error.')).not.toBeInstanceOf(SpecialError);
    expect(Object.assign(new Error('An error.'), { code: 'OTHER' })).not.toBeInstanceOf(NodeError);
  });
});
