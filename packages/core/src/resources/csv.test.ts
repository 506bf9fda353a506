import { describe, expect, it } from 'vitest';
import { batchResultLine, batchResultsHead, csvLine } from './csv.ts';

describe('csvLine', () => {
  it.each(['=cmd()', '+1', '-1', '@SUM(A1)', '\tx'])('never begins a cell like a formula: %j', (text) => {
    expect(csvLine(['a', text])).toBe(`a,'${text}`);
  });

  it('quotes cells with a comma, a quote or the end of a line, also after the apostrophe of a formula', () => {
    expect(csvLine(['a, "b"\nc', '=HYPERLINK("http://evil")', '\rx', ' plain '])).toBe(
      '"a, ""b""\nc","\'=HYPERLINK(""http://evil"")","\'\rx", plain ',
    );
  });
});

describe('the table of the results of a batch', () => {
  it('has a cell for each column of its head', () => {
    const line = batchResultLine({
      row: 1,
      id: 'ann',
      status: 'failed',
      runId: 'b_1',
      input: '-1',
      error: { code: 'MODEL_TIMEOUT', message: 'too late, again' },
      usage: { microUsd: 12 },
    });

    expect(line).toBe(`1,ann,failed,b_1,'-1,,"MODEL_TIMEOUT: too late, again",12`);
    expect(batchResultsHead).toBe('row,id,status,runId,input,output,error,microUsd');
    expect(batchResultLine({ row: 2, status: 'waiting' })).toBe('2,,waiting,,,,,');
  });
});
