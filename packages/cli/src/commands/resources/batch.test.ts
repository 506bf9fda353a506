import { expect, it } from 'vitest';
import { csvOf } from './batch.ts';

const row = { row: 1, status: 'completed', runId: 'b_1', input: 'a, "b"', output: 'fine' } as const;

it('quotes cells of CSV, and keeps spreadsheets from taking one for a formula', () => {
  expect(csvOf([row, { ...row, input: '-1', output: '=HYPERLINK("http://evil")' }]).split('\r\n')).toEqual([
    'row,id,status,runId,input,output,error,microUsd',
    '1,,completed,b_1,"a, ""b""",fine,,',
    `1,,completed,b_1,'-1,"'=HYPERLINK(""http://evil"")",,`,
  ]);
});
