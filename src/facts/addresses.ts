import { BlockList, isIP } from 'node:net';

const SPECIAL_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/** What lies outside global unicast, and what carries an IPv4 address inside. */
const SPECIAL_V6 = [
  ['::', 3],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['4000::', 2],
  ['8000::', 1],
] as const;

/**
 * Whether an IP address is one that only a private network, this machine or a protocol uses
 * (IANA's special-purpose registries). Anything that is not an address counts as special.
 */
export function isSpecialAddress(address: string): boolean {
  const family = isIP(address);
  // A zone (`%eth0`) is for link-local addresses only.
  if (family === 0 || address.includes('%')) return true;
  const list = new BlockList();
  if (family === 4) for (const [net, prefix] of SPECIAL_V4) list.addSubnet(net, prefix, 'ipv4');
  else for (const [net, prefix] of SPECIAL_V6) list.addSubnet(net, prefix, 'ipv6');
  return list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** Whether an IP address is this machine. */
export function isLoopbackAddress(address: string): boolean {
  return /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/u.test(address) || address === '::1';
}
