import { describe, expect, it } from 'vitest';
import { csvHeader, csvOf, jsonLinesOf } from './results-csv.ts';

const row = { row: 1, status: 'completed', runId: 'b_1', input: 'a, "b"\nc', output: 'fine' } as const;

describe('results as CSV', () => {
  it('have a line for each row, quoted where that is needed', () => {
    expect(csvHeader + csvOf([row])).toBe(
      'row,id,status,runId,input,output,error,microUsd\r\n1,,completed,b_1,"a, ""b""\nc",fine,,\r\n',
    );
  });

  it.each(['=cmd()', '+1', '-1', '@SUM(A1)', '\tx'])('never begin a cell like a formula: %s', (output) => {
    expect(csvOf([{ ...row, input: '', output }])).toContain(`,'${output},`);
  });

  it('are exact as lines of JSON', () => {
    expect(JSON.parse(jsonLinesOf([{ ...row, output: '=cmd()' }]))).toEqual({ ...row, output: '=cmd()' });
  });
});
