import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOutboundPolicy } from './outbound-policy.ts';

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
  // IPv4 within IPv6: compatible, translated, NAT64, 6to4, Teredo.
  '::7f00:1',
  '::127.0.0.1',
  '::ffff:0:7f00:1',
  '64:ff9b::a00:1',
  '64:ff9b:1::a00:1',
  '2002:a00:1::1',
  '2001:0:7f00:1::',
  // Site-local addresses are deprecated, and still routed within sites.
  'fec0::1',
  '4000::1',
  'fe80::1%eth0',
  '0x7f.1',
  '2130706433',
  'no address',
];

describe('a policy without allowances', () => {
  const reach = createOutboundPolicy([]);

  it.each(inner)('refuses %s', (address) => {
    expect(reach.allows('name.example', address)).toBe(false);
  });

  it('refuses each address outside of global unicast, and each private IPv4 address in every notation', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const word = fc.integer({ min: 0, max: 0xffff }).map((bits) => bits.toString(16));
    const privateAddress = fc.oneof(
      fc.tuple(fc.constant(10), byte, byte, byte),
      fc.tuple(fc.constant(127), byte, byte, byte),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
      fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
      fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
      fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte),
    );
    const hidden = privateAddress.chain((bytes) => {
      const dotted = bytes.join('.');
      const [a = 0, b = 0, c = 0, d = 0] = bytes;
      const high = (a * 256 + b).toString(16);
      const low = (c * 256 + d).toString(16);
      const inverted = [a * 256 + b, c * 256 + d].map((bits) => (bits ^ 0xffff).toString(16)).join(':');
      return fc.constantFrom(
        dotted,
        `::${dotted}`,
        `::ffff:${dotted}`,
        `::ffff:0:${dotted}`,
        `64:ff9b::${dotted}`,
        `64:ff9b:1::${dotted}`,
        `2002:${high}:${low}::1`,
        `2001:0:1:2:3:4:${inverted}`,
      );
    });
    const reserved = fc
      .tuple(
        fc.oneof(fc.integer({ min: 0, max: 0x1fff }), fc.integer({ min: 0x4000, max: 0xffff })),
        ...Array(7).fill(word),
      )
      .map(([first, ...rest]) => [Number(first).toString(16), ...rest].join(':'))
      .filter((address) => !/^(0:){5}ffff:/.test(address));
    fc.assert(
      fc.property(fc.oneof(hidden, reserved), (address) => {
        expect(reach.allows('name.example', address)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['93.184.216.34', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])('allows %s', (address) => {
    expect(reach.allows('name.example', address)).toBe(true);
  });
});

describe('an allowance beside public addresses', () => {
  const reach = createOutboundPolicy(['loopback', '10.1.0.0/16', '192.168.7.7', 'fd00:1::/32', 'Ollama']);

  it.each(['127.0.0.1', '::1', '10.1.255.255', '192.168.7.7', 'fd00:1::5', '::ffff:10.1.2.3'])(
    'includes %s',
    (address) => {
      expect(reach.allows('name.example', address)).toBe(true);
    },
  );

  it.each(['10.2.0.1', '192.168.7.8', '169.254.169.254', 'fd00:2::5'])('does not include %s', (address) => {
    expect(reach.allows('name.example', address)).toBe(false);
  });

  it('is the same for an IPv4 network in IPv6 notation', () => {
    const mapped = createOutboundPolicy(['::ffff:10.1.0.0/112']);
    expect(['10.1.2.3', '10.2.0.1'].map((address) => mapped.allows('name.example', address))).toEqual([true, false]);
    expect(createOutboundPolicy(['::ffff:0:0/8']).allows('name.example', '10.2.0.1')).toBe(false);
  });

  it('includes a name with every address', () => {
    expect(reach.allows('ollama', '172.18.0.3')).toBe(true);
    expect(reach.allows('ollama.example', '172.18.0.3')).toBe(false);
  });

  it.each(['10.0.0.0/33', '300.1.1.1', 'http://ollama', '', '*'])('refuses %j', (entry) => {
    expect(() => createOutboundPolicy([entry])).toThrow(expect.objectContaining({ code: 'OUTBOUND_INVALID' }));
  });
});
