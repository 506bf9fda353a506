import { describe, expect, it } from 'vitest';
import { createReach } from './reach.ts';

const inner = [
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '169.254.169.254',
  '172.31.0.1',
  '192.168.1.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:a00:1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'fd00::1',
  'fe80::1',
  'ff02::1',
  'no address',
];

describe('a reach that allows nothing more', () => {
  const reach = createReach([]);

  it.each(inner)('refuses %s', (address) => {
    expect(reach.allows('name.example', address)).toBe(false);
  });

  it.each(['93.184.216.34', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])('allows %s', (address) => {
    expect(reach.allows('name.example', address)).toBe(true);
  });
});

describe('what is allowed beside public addresses', () => {
  const reach = createReach(['loopback', '10.1.0.0/16', '192.168.7.7', 'fd00:1::/32', 'Ollama']);

  it.each(['127.0.0.1', '::1', '10.1.255.255', '192.168.7.7', 'fd00:1::5'])('holds %s', (address) => {
    expect(reach.allows('name.example', address)).toBe(true);
  });

  it.each(['10.2.0.1', '192.168.7.8', '169.254.169.254', 'fd00:2::5'])('does not hold %s', (address) => {
    expect(reach.allows('name.example', address)).toBe(false);
  });

  it('holds a name wherever it leads', () => {
    expect(reach.allows('ollama', '172.18.0.3')).toBe(true);
    expect(reach.allows('ollama.example', '172.18.0.3')).toBe(false);
  });

  it.each(['10.0.0.0/33', '300.1.1.1', 'http://ollama', '', '*'])('cannot be %j', (entry) => {
    expect(() => createReach([entry])).toThrow(expect.objectContaining({ code: 'OUTBOUND_INVALID' }));
  });
});
