import { describe, expect, it } from 'vitest';
import { deliberateDifferences } from './deliberate.ts';
import { testGoldenCases } from './golden-cases.ts';

testGoldenCases('redis');

describe('the list of deliberate differences', () => {
  it('has a rule and a reason for each case, and names none twice', () => {
    const differences = deliberateDifferences();

    expect(new Set(differences.map((entry) => entry.case)).size).toBe(differences.length);
    for (const { rule, reason } of differences) expect([rule, reason].every((text) => text.length > 20)).toBe(true);
  });
});
