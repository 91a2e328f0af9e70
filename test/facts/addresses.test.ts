import { describe, expect, it } from 'vitest';
import { isSpecialAddress } from '../../src/facts/addresses.ts';

/** The first and the last address of each range that is not for hosts of the internet. */
const SPECIAL = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '239.255.255.255'],
  ['240.0.0.0', '255.255.255.255'],
  ['::', '1fff:ffff::'],
  ['::1', '::10.0.0.1'],
  ['::ffff:8.8.8.8', '::ffff:10.0.0.1'],
  ['64:ff9b::8.8.8.8', '64:ff9b:1::'],
  ['2001::', '2001:1ff:ffff::'],
  ['2001:db8::', '2001:db8:ffff::'],
  ['2002::', '2002:ffff::'],
  ['3fff::', '3fff:fff:ffff::'],
  ['4000::', '7fff:ffff::'],
  ['8000::', 'fbff:ffff::'],
  ['fc00::', 'fdff:ffff::'],
  ['fe80::1', 'fe80::1%eth0'],
  ['ff02::1', 'ffff:ffff::'],
];

/** Beside those ranges, and hosts that everybody knows. */
const PUBLIC = [
  '1.0.0.0',
  '8.8.8.8',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.169.0.0',
  '198.20.0.0',
  '223.255.255.255',
  '2000::',
  '2001:200::',
  '2001:db9::',
  '2003::',
  '2606:4700:4700::1111',
  '3ffe:ffff::',
];

describe('special addresses', () => {
  it.each(SPECIAL)('%s to %s are', (first, last) => {
    expect([first, last].map(isSpecialAddress)).toEqual([true, true]);
  });

  it.each(PUBLIC)('%s is none', (address) => {
    expect(isSpecialAddress(address)).toBe(false);
  });

  it('a cloud’s host is, beside public addresses', () => {
    const around = ['168.63.129.15', '168.63.129.16', '168.63.129.17'];
    expect(around.map(isSpecialAddress)).toEqual([false, true, false]);
  });

  it.each([
    '',
    'example.com',
    '1.2.3',
    '0177.0.0.1',
    '0x8080808',
    '134744072',
    '8.8.8.8 ',
    '[::1]',
  ])('what is no address is: %j', (text) => {
    expect(isSpecialAddress(text)).toBe(true);
  });
});
