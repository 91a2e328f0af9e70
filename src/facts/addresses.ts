import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What the special-purpose registries leave open: everything else is not assigned to hosts. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Public by its range, but answered by a cloud's own host: Azure's service for its machines. */
const OF_A_HOST = ['168.63.129.16'];

/**
 * Whether an IP address is one that only a private network, this machine, its host or a protocol
 * uses (IANA's special-purpose registries). Anything that is not an address counts as special.
 */
export function isSpecialAddress(address: string): boolean {
  // Asked first: the library also reads `0177.1`. A zone (`%eth0`) is for link-local addresses only.
  if (isIP(address) === 0 || address.includes('%')) return true;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || OF_A_HOST.includes(address)) return true;
  return parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST);
}

/** Whether an IP address is this machine. */
export function isLoopbackAddress(address: string): boolean {
  return /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/u.test(address) || address === '::1';
}
